//! A complete small model to read first, and to measure with: two-phase commit, in which a manager
//! asks up to ten resource managers and all of them must end alike.
//!
//! ```text
//!   working ──prepare──► prepared ──commit──► committed      manager: init ──► committed
//!      └──abort──► aborted ◄──abort──┘                                  └───► aborted
//! ```
//!
//! The model and its numbers of states (288, 8 832, 296 448, 1 745 408 and 10 340 352 for 3, 5, 7, 8
//! and 9 resource managers) are public: Gray and Lamport, "Consensus on Transaction Commit". It stands
//! for no clause of ours; the properties borrow App. A, the nearest in meaning: a decision is final.
//!
//! Resource managers are interchangeable: [`TwoPhaseCommit::symmetric`] visits one state for all that
//! differ only by their names.
use super::Model;
use super::codec::{Packed, Word};
use crate::clause::Clause;
use crate::m3_read;
use crate::property::{Property, Rule};

/// Resource managers there can be at most.
pub const MANAGERS_MAX: u32 = 10;

/// Two-phase commit among `managers` resource managers.
#[derive(Clone, Copy, Debug)]
pub struct TwoPhaseCommit {
    managers: u32,
    symmetric: bool,
}

/// The state: for each resource manager two bits of state, one bit for "its message is on the way"
/// and one for "its message has come"; then the messages commit and abort, and the manager's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Commit(u64);

impl Word for Commit {
    fn word(self) -> u64 {
        self.0
    }

    fn from_word(word: u64) -> Self {
        Self(word)
    }
}

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The manager takes the message of this resource manager.
    TakePrepared(u32),
    /// The manager decides to commit.
    Commit,
    /// The manager decides to abort.
    Abort,
    /// This resource manager is prepared and says so.
    Prepare(u32),
    /// This resource manager aborts by itself.
    ChooseAbort(u32),
    /// This resource manager is told to commit.
    TellCommit(u32),
    /// This resource manager is told to abort.
    TellAbort(u32),
}

/// How the resource managers stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// Some have committed.
    pub committed: bool,
    /// Some have aborted.
    pub aborted: bool,
}

const PREPARED: u64 = 1;
const COMMITTED: u64 = 2;
const ABORTED: u64 = 3;
const SAID: u64 = 4;
const HEARD: u64 = 8;
const COMMIT_SENT: u64 = 1 << 40;
const ABORT_SENT: u64 = 1 << 41;
const DECIDED: u64 = 1 << 42;

impl Commit {
    /// The four bits of a resource manager.
    const fn of(self, manager: u32) -> u64 {
        self.0 >> (4 * manager) & 15
    }

    const fn with(self, manager: u32, bits: u64) -> Self {
        Self(self.0 & !(15 << (4 * manager)) | bits << (4 * manager))
    }

    const fn has(self, bit: u64) -> bool {
        self.0 & bit != 0
    }
}

impl TwoPhaseCommit {
    /// Among `managers`, at most [`MANAGERS_MAX`].
    pub fn among(managers: u32) -> Self {
        Self { managers: managers.min(MANAGERS_MAX), symmetric: false }
    }

    /// With one state for all that differ only by the names of the resource managers.
    #[must_use]
    pub fn symmetric(self) -> Self {
        Self { symmetric: true, ..self }
    }

    /// Everything that can happen in `state`, and where it leads; also what a checker of another
    /// make is given.
    pub fn events(&self, state: Commit, each: &mut impl FnMut(Event, Commit)) {
        let managers = 0..self.managers;
        if !state.has(DECIDED) {
            for manager in managers.clone() {
                let bits = state.of(manager);
                if bits & (SAID | HEARD) == SAID {
                    each(Event::TakePrepared(manager), state.with(manager, bits | HEARD));
                }
            }
            if managers.clone().all(|manager| state.of(manager) & HEARD != 0) {
                each(Event::Commit, Commit(state.0 | DECIDED | COMMIT_SENT));
            }
            each(Event::Abort, Commit(state.0 | DECIDED | ABORT_SENT));
        }
        for manager in managers {
            let (flags, stands) = (state.of(manager) & !3, state.of(manager) & 3);
            if stands == 0 {
                each(Event::Prepare(manager), state.with(manager, flags | SAID | PREPARED));
                each(Event::ChooseAbort(manager), state.with(manager, flags | ABORTED));
            }
            if state.has(COMMIT_SENT) {
                each(Event::TellCommit(manager), state.with(manager, flags | COMMITTED));
            }
            if state.has(ABORT_SENT) {
                each(Event::TellAbort(manager), state.with(manager, flags | ABORTED));
            }
        }
    }

    /// How the resource managers stand in `state`.
    pub fn ends(&self, state: Commit) -> Ends {
        let any = |stands| (0..self.managers).any(|manager| state.of(manager) & 3 == stands);
        Ends { committed: any(COMMITTED), aborted: any(ABORTED) }
    }

    /// The one beginning.
    pub const BEGINNING: Commit = Commit(0);
}

/// The clause that the example's properties stand under.
const BORROWED: Clause = Clause::M3Read(m3_read::Clause::AppA);

impl Model for TwoPhaseCommit {
    type State = Commit;
    type Action = Event;
    type Seen = Ends;
    type Codec = Packed<Commit>;

    fn codec(&self) -> Self::Codec {
        Packed::default()
    }

    fn initial(&self) -> Vec<Commit> {
        vec![Self::BEGINNING]
    }

    fn successors(&self, state: &Commit, each: &mut impl FnMut(Event, Commit)) {
        self.events(*state, each);
    }

    fn observe(&self, _step: Option<(&Commit, &Event)>, after: &Commit) -> Ends {
        self.ends(*after)
    }

    fn properties(&self) -> Vec<Property<Ends>> {
        let property = |name, rule| Property { name, clause: BORROWED, rule };
        vec![
            property(
                "nobody commits when another has aborted",
                Rule::Always {
                    holds: |ends: &Ends| !(ends.committed && ends.aborted),
                    premise: Some("somebody commits"),
                },
            ),
            property("somebody commits", Rule::Sometimes { holds: |ends: &Ends| ends.committed }),
            property("somebody aborts", Rule::Sometimes { holds: |ends: &Ends| ends.aborted }),
        ]
    }

    fn canonical(&self, state: &mut Commit) {
        if self.symmetric {
            let mut bits: Vec<u64> = (0..self.managers).map(|it| state.of(it)).collect();
            bits.sort_unstable();
            for (manager, bits) in (0..).zip(bits) {
                *state = state.with(manager, bits);
            }
        }
    }

    fn describe(&self, state: &Commit) -> Vec<(String, String)> {
        let stands = |manager| {
            let words = ["working", "prepared", "committed", "aborted"];
            let bits = state.of(manager);
            let stands = words[usize::try_from(bits & 3).unwrap_or(0)];
            let said = if bits & SAID != 0 { ", said so" } else { "" };
            let heard = if bits & HEARD != 0 { ", was heard" } else { "" };
            (format!("resource manager {manager}"), format!("{stands}{said}{heard}"))
        };
        let decision = match (state.has(COMMIT_SENT), state.has(ABORT_SENT)) {
            (true, _) => "commit",
            (false, true) => "abort",
            (false, false) => "none",
        };
        let mut parts: Vec<_> = (0..self.managers).map(stands).collect();
        parts.push(("decision".into(), decision.into()));
        parts
    }
}
