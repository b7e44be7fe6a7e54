//! The switch of a woven copy: which mutant is on, which places are reached, how many steps remain.
//!
//! This file is compiled twice: here, and as a package of its own in every woven copy, whose code
//! asks it at each place where a mutant was woven in and tells it of each call and each round of a
//! loop. It reads the environment once and uses nothing but the standard library.
//!
//! ```text
//!   WOVEN_MUTANT=17     at(17, 19) gives 17, every other place gives 0
//!   WOVEN_STEPS=40000   the 40 000th step ends the process with code 86
//!   WOVEN_RECORD=FILE   nothing is on; places reached and the number of steps go to FILE;
//!                       with WOVEN_STEPS too, the process ends at the first mark beyond it
//! ```
//!
//! # Why steps
//!
//! A mutant that hangs is ended by a count and not by a clock, so that the verdict is the same on
//! every machine. The count is of woven places only; the tests' own loops are woven too.
use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The exit code of a process whose steps were used up.
pub const OUT_OF_STEPS: i32 = 86;
/// The most mutants that one copy can hold.
pub const MUTANTS_MOST: u32 = 1 << 16;

/// Before the environment was read, and for as long as places are recorded.
const ASK: u32 = u32::MAX;
/// In a record, the number of steps is written first after this many, then at each doubling.
const FIRST_MARK: u64 = 64;

static ACTIVE: AtomicU32 = AtomicU32::new(ASK);
static TAKEN: AtomicU64 = AtomicU64::new(0);
static MARK: AtomicU64 = AtomicU64::new(0);
static SEEN: [AtomicU64; MUTANTS_MOST as usize / 64] =
    [const { AtomicU64::new(0) }; MUTANTS_MOST as usize / 64];
static SETTING: OnceLock<Setting> = OnceLock::new();

struct Setting {
    active: u32,
    steps: u64,
    record: Option<PathBuf>,
}

/// The mutant that is on, if it is one of `first..=last`; else 0.
#[expect(clippy::inline_always, reason = "asked at every place of code that is barely optimised")]
#[inline(always)]
#[must_use]
pub fn at(first: u32, last: u32) -> u32 {
    let active = ACTIVE.load(Ordering::Relaxed);
    let active = if active == ASK { asked(first) } else { active };
    if (first..=last).contains(&active) { active } else { 0 }
}

/// Counts a call or a round of a loop.
#[expect(clippy::inline_always, reason = "told of every call of code that is barely optimised")]
#[inline(always)]
pub fn step() {
    // Tests run one at a time, so no count is lost between the two.
    let taken = TAKEN.load(Ordering::Relaxed) + 1;
    TAKEN.store(taken, Ordering::Relaxed);
    if taken >= MARK.load(Ordering::Relaxed) {
        marked(taken);
    }
}

/// Nothing is known yet, or places are recorded: most of them have been before.
#[inline(never)]
fn asked(place: u32) -> u32 {
    let word = SEEN.get(place as usize / 64);
    let seen = word.is_some_and(|word| word.load(Ordering::Relaxed) & (1 << (place % 64)) != 0);
    if seen { 0 } else { first_asked(place) }
}

#[cold]
fn first_asked(place: u32) -> u32 {
    let setting = SETTING.get_or_init(read);
    let Some(file) = &setting.record else {
        ACTIVE.store(setting.active, Ordering::Relaxed);
        return setting.active;
    };
    let bit = 1 << (place % 64);
    let seen = SEEN.get(place as usize / 64).map(|word| word.fetch_or(bit, Ordering::Relaxed));
    if seen.is_some_and(|word| word & bit == 0) {
        append(file, &format!("at {place}"));
    }
    0
}

#[cold]
fn marked(taken: u64) {
    let setting = SETTING.get_or_init(read);
    if let Some(file) = &setting.record {
        append(file, &format!("steps {taken}"));
        MARK.store((taken * 2).max(FIRST_MARK), Ordering::Relaxed);
    } else {
        MARK.store(setting.steps, Ordering::Relaxed);
    }
    if taken >= setting.steps {
        eprintln!("woven: out of steps");
        process::exit(OUT_OF_STEPS);
    }
}

#[expect(clippy::disallowed_methods, reason = "the tests of a copy take no flags of ours")]
fn read() -> Setting {
    let number = |name| env::var(name).ok().and_then(|value| value.parse().ok());
    Setting {
        active: number("WOVEN_MUTANT").and_then(|it: u64| u32::try_from(it).ok()).unwrap_or(0),
        steps: number("WOVEN_STEPS").unwrap_or(u64::MAX),
        record: env::var_os("WOVEN_RECORD").map(PathBuf::from),
    }
}

fn append(file: &PathBuf, line: &str) {
    let opened = OpenOptions::new().create(true).append(true).open(file);
    let written = opened.and_then(|mut file| writeln!(file, "{line}"));
    // Without its record a baseline knows too little, and says so when it reads it.
    let _ended = written.is_err();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_an_environment_nothing_is_on_and_steps_are_free() {
        assert_eq!(at(1, 3), 0);
        assert_eq!(at(ASK - 1, ASK), 0);
        for _ in 0..10_000 {
            step();
        }
        assert!(TAKEN.load(Ordering::Relaxed) >= 10_000);
    }
}
