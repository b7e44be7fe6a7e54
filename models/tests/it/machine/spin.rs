//! Spin as the second opinion: the same machines, exactly, without reductions.
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use models::machine::{Claims, Machine};

use super::{Said, body, machines, ours};
use crate::once::Once;

fn file(machine: &Machine) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("promela");
    folder.join(format!("{}.pml", machine.name))
}

/// With `UPDATE_PROMELA` in the environment the files are written instead.
#[test]
fn the_files_for_spin_are_what_the_machines_print() {
    #[expect(clippy::disallowed_methods, reason = "says whether files are to be written")]
    let update = std::env::var_os("UPDATE_PROMELA").is_some();
    for machine in machines() {
        let path = file(&machine);
        if update {
            fs::write(&path, machine.promela()).expect("a folder that can be written");
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            kept == machine.promela(),
            "{} differs from the machine; UPDATE_PROMELA=1 writes it anew",
            path.display()
        );
    }
}

/// Runs a program in a folder and gives what it printed.
#[track_caller]
fn run(folder: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.expect("a program that is installed starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The number before these words in what Spin printed.
#[track_caller]
fn before(text: &str, words: &str) -> u32 {
    let line = text.lines().find_map(|line| line.split_once(words)).map(|(number, _)| number);
    let number = line.and_then(|line| line.split_whitespace().last());
    let number = number.and_then(|it| it.parse().ok());
    assert!(number.is_some(), "no `{words}` in\n{text}");
    number.unwrap_or_default()
}

/// The number behind these words.
#[track_caller]
fn behind(text: &str, words: &str) -> u32 {
    let rest = text.split_once(words).map(|(_, rest)| rest);
    let number = rest.and_then(|rest| rest.split_whitespace().next());
    let number = number.and_then(|it| it.parse().ok());
    assert!(number.is_some(), "no `{words}` in\n{text}");
    number.unwrap_or_default()
}

/// What Spin says, and its summary. Its program is compiled once, without optimisation: it runs for
/// a tenth of a second, and is compiled for a quarter.
fn spin(machine: &Machine) -> (Said, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("spin").join(&machine.name);
    fs::create_dir_all(&folder).expect("a folder for Spin");
    fs::write(folder.join("machine.pml"), machine.promela()).expect("a file for Spin");
    let pan = folder.join("pan");
    // One of an earlier run must not speak for this machine.
    let _ = fs::remove_file(&pan);
    run(&folder, "spin", &["-a", "machine.pml"]);
    run(&folder, "cc", &["-O0", "-w", "-DNOREDUCE", "-DNOFAIR", "-o", "pan", "pan.c"]);
    assert!(pan.exists(), "Spin's program was compiled");
    let searched = |what: &[&str], claim: &str| {
        // Its stack is written to when it is laid out: no deeper than the machines are.
        let arguments = [what, &["-E", "-w18", "-m20000", "-N", claim]].concat();
        let text = run(&folder, "./pan", &arguments);
        assert!(!text.contains("max search depth too small"), "{text}");
        text
    };
    let text = searched(&["-c0"], "everything");
    let states = before(&text, " states, stored");
    let broken_in = |number: usize| text.contains(&format!("(({number}==99)"));
    let mut summary = text.clone();
    let mut leads = |number: usize| {
        let text = searched(&["-a", "-A"], &format!("claim_{number}"));
        summary.push_str(&text);
        behind(&text, "errors: ") > 0
    };
    let broken = (0..machine.claims.len()).filter(|&number| match machine.claims[number].claims {
        Claims::On { .. } => broken_in(number),
        Claims::Leads { .. } => leads(number),
    });
    let said = Said { states, broken: broken.collect() };
    (said, summary)
}

/// Cites ER-1, ER-5, ER-7, ER-12, S 1.6, S 1.6 M10, App. A, WG-DISCO-1, WG-ADD-1, WG-CMM-1, WG-Q1,
/// WG-Q2, WG-ORD-1, WG-NVS-1 and WG-SHUT-1: both engines, every machine, equal verdicts and states.
#[test]
fn spin_says_what_our_checker_says() {
    if Command::new("spin").arg("-V").output().is_err() {
        #[expect(clippy::disallowed_methods, reason = "whether a missing program is a failure")]
        let demanded = std::env::var_os("CI").is_some();
        assert!(!demanded, "`spin` is not on the PATH; the Debian package is called spin");
        eprintln!("skipped: `spin` is not on the PATH");
        return;
    }
    let machines = machines();
    let left = Mutex::new(machines.iter());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| std::iter::from_fn(next).for_each(agrees));
        }
    });
}

fn agrees(machine: &Machine) {
    // Versions that have the same machine get the same answer; each is compiled once.
    static SAID: Once<String, (Said, String)> = Once::new();
    let answer = SAID.get(body(machine), || spin(machine));
    let (said, summary) = &*answer;
    assert_eq!(*said, ours(machine), "{}\n{summary}", machine.name);
    let lines = summary
        .lines()
        .filter(|line| ["errors: ", " states, stored"].iter().any(|words| line.contains(words)));
    let lines: Vec<&str> = lines.map(str::trim).collect();
    println!("{} {said:?}: {}", machine.name, lines.join("; "));
}
