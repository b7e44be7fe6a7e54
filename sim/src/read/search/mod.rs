//! The open finding as a search: 360 448 of 751 823 bytes, status 200, no error, and nothing
//! recorded that would say why. Many fetches are drawn from what may have gone wrong, each is
//! played to its end, and those that end like the finding are sorted by the hypothesis they belong
//! to.
//!
//! ```text
//!   seed ─► draw: framing, chunk sizes, READ sizes, a byte lost or doubled, a silence, an end
//!             └─► play: the consumer's state at the end ─► like the finding? ─► hypothesis
//! ```
//!
//! A draw is a [`Fetch`], so any of them can be carried out register by register as well: a test
//! does that and compares. [`play`](play::play) leaves out the bus, which changes times and no byte
//! as long as no reply has a hole.
pub mod draw;
pub mod hypothesis;
pub mod play;

use super::fetch::Fetch;
use crate::random::Streams;
use hypothesis::Hypothesis;
use play::{Final, play};
use std::collections::BTreeMap;

/// Bytes of body after which the published run had ended.
pub const FOUND_BYTES: u32 = 360_448;

/// What a search came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many fetches were drawn.
    pub draws: u64,
    /// How many ended like the finding.
    pub reproducing: u64,
    /// How many of those belong to no hypothesis.
    pub unexplained: u64,
    /// How many of those belong to each, with the states that they ended in.
    pub by_hypothesis: BTreeMap<Hypothesis, Group>,
    /// Draws in which a size line lay across two READs and nothing was lost, and how many of them
    /// ended like the finding: hypothesis 6.
    pub split_lines: (u64, u64),
    /// How often each final state was reached, over all draws.
    pub ends: BTreeMap<Final, u64>,
    /// Whether the search was stopped before its end.
    pub partial: bool,
}

/// Draws that belong to one hypothesis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// How many.
    pub draws: u64,
    /// In how many of them a byte was lost.
    pub lost: u64,
    /// The number of the first of them.
    pub first: u64,
    /// The final states among them, each with how often.
    pub states: BTreeMap<Final, u64>,
}

/// Draws `draws` fetches around `base` and plays them. After each `goes_on` is asked whether to,
/// with how many there were.
pub fn search(base: &Fetch, draws: u64, goes_on: &mut dyn FnMut(u64) -> bool) -> Tally {
    let stream = Streams::new(base.seed).of("search", "fetch");
    let mut tally = Tally::default();
    for number in 0..draws {
        let fetch = draw::draw(base, &mut stream.at(number));
        let end = play(&fetch);
        tally.count(number, &fetch, end);
        if !goes_on(tally.draws) {
            tally.partial = tally.draws < draws;
            break;
        }
    }
    tally
}

impl Tally {
    fn count(&mut self, number: u64, fetch: &Fetch, end: Final) {
        self.draws += 1;
        *self.ends.entry(end).or_default() += 1;
        let found = end.is_like_the_finding();
        let split = u64::from(hypothesis::is_sound(fetch) && play::splits_a_line(fetch));
        self.split_lines.0 += split;
        self.split_lines.1 += split * u64::from(found);
        if !found {
            return;
        }
        self.reproducing += 1;
        let Some(hypothesis) = hypothesis::of(fetch, end) else {
            self.unexplained += 1;
            return;
        };
        let new = Group { draws: 0, lost: 0, first: number, states: BTreeMap::new() };
        let group = self.by_hypothesis.entry(hypothesis).or_insert(new);
        group.draws += 1;
        group.lost += u64::from(hypothesis::lost_a_byte(fetch));
        *group.states.entry(end).or_default() += 1;
    }
}
