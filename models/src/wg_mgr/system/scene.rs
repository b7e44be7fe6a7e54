//! What may arrive, and how often: each scene opens one question and leaves the rest closed.

/// Kinds of arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arrival {
    /// A ping from a key that no peer has, naming nobody.
    Stranger,
    /// A genuine ping from a known key: the bulk peer's.
    Known,
    /// A genuine ping from the priority peer.
    Priority,
    /// A packet with the bulk peer's key in its header that does not open.
    Forged,
    /// A ping from the bulk peer under a new key, naming it.
    Rotated,
    /// A CallMeMaybe from the bulk peer.
    CallMeMaybe,
    /// The pong to the oldest ping of ours that has none; late or not.
    Pong,
    /// A heartbeat of the protective stop.
    Heartbeat,
    /// A handshake initiation.
    Initiation,
    /// The netmap brings a new peer.
    Add,
    /// The netmap takes the bulk peer out.
    Remove,
    /// The clock steps forward by a second.
    ClockStep,
}

impl Arrival {
    /// Every kind.
    pub const ALL: [Self; 12] = [
        Self::Stranger,
        Self::Known,
        Self::Priority,
        Self::Forged,
        Self::Rotated,
        Self::CallMeMaybe,
        Self::Pong,
        Self::Heartbeat,
        Self::Initiation,
        Self::Add,
        Self::Remove,
        Self::ClockStep,
    ];

    /// The place of this kind among all.
    pub(super) fn index(self) -> usize {
        Self::ALL.iter().position(|kind| *kind == self).expect("it is one of them")
    }
}

/// How long an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timing {
    /// Always its worst.
    Worst,
    /// Its best or its worst, each time anew.
    Interval,
}

/// What may arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// How often each kind may arrive.
    pub budgets: [u8; Arrival::ALL.len()],
    /// Passes of the loop.
    pub passes: u8,
    /// How long operations take.
    pub timing: Timing,
    /// Whether arrivals fall only while the loop sleeps.
    pub asleep_only: bool,
}

impl Scene {
    fn of(name: &'static str, about: &'static str, passes: u8, arrivals: &[(Arrival, u8)]) -> Self {
        let mut budgets = [0; Arrival::ALL.len()];
        for (kind, count) in arrivals {
            budgets[kind.index()] = *count;
        }
        Self { name, about, budgets, passes, timing: Timing::Worst, asleep_only: false }
    }

    /// Known keys against the drain of the tunnel queue.
    pub fn drain() -> Self {
        let arrivals = [(Arrival::Known, 3), (Arrival::Stranger, 1), (Arrival::Heartbeat, 1)];
        Self::of("drain", "known keys are opened without a drain between them", 1, &arrivals)
    }

    /// The priority peer's own pings against the drain.
    pub fn priority_drain() -> Self {
        let arrivals = [(Arrival::Priority, 3), (Arrival::Heartbeat, 1)];
        Self::of("priority_drain", "the priority peer is exempt from the open budget", 1, &arrivals)
    }

    /// A CallMeMaybe and what it is answered with.
    pub fn echo() -> Self {
        let arrivals = [(Arrival::CallMeMaybe, 1), (Arrival::Stranger, 1)];
        Self::of("echo", "a CallMeMaybe is answered with one", 1, &arrivals)
    }

    /// A slot that is vacated and reused while a pong to its last owner is on its way.
    pub fn reuse() -> Self {
        let arrivals = [
            (Arrival::CallMeMaybe, 1),
            (Arrival::Remove, 1),
            (Arrival::Add, 1),
            (Arrival::Pong, 1),
        ];
        Self::of("reuse", "a late pong is credited to whoever has the slot now", 3, &arrivals)
    }

    /// Unknown keys that fill the queue, and the priority peer's pongs behind them.
    pub fn shed() -> Self {
        let arrivals = [(Arrival::Stranger, 4), (Arrival::Pong, 3)];
        let scene = Self::of("shed", "a full queue sheds the priority peer's pongs", 5, &arrivals);
        Self { asleep_only: true, ..scene }
    }

    /// A heartbeat among everything that takes long, without initiations.
    pub fn wait() -> Self {
        let arrivals = [
            (Arrival::Heartbeat, 1),
            (Arrival::Stranger, 1),
            (Arrival::Known, 1),
            (Arrival::CallMeMaybe, 1),
            (Arrival::Add, 1),
        ];
        Self::of("wait", "how long a heartbeat waits without inbound initiations", 1, &arrivals)
    }

    /// The same with initiations.
    pub fn wait_with_initiations() -> Self {
        let mut scene = Self::wait();
        scene.budgets[Arrival::Initiation.index()] = 1;
        scene.budgets[Arrival::CallMeMaybe.index()] = 0;
        scene.name = "wait_with_initiations";
        scene.about = "how long a heartbeat waits with inbound initiations";
        scene
    }

    /// A little of everything, with best and worst times.
    pub fn all() -> Self {
        let mut scene = Self::of(
            "all",
            "one of most kinds, each operation at its best or its worst",
            1,
            &[
                (Arrival::Stranger, 1),
                (Arrival::Known, 1),
                (Arrival::Forged, 1),
                (Arrival::Rotated, 1),
                (Arrival::Heartbeat, 1),
                (Arrival::Remove, 1),
                (Arrival::ClockStep, 1),
            ],
        );
        scene.timing = Timing::Interval;
        scene.asleep_only = true;
        scene
    }

    /// Every scene.
    pub fn every() -> Vec<Self> {
        vec![
            Self::drain(),
            Self::priority_drain(),
            Self::echo(),
            Self::reuse(),
            Self::shed(),
            Self::wait(),
            Self::wait_with_initiations(),
            Self::all(),
        ]
    }

    /// The scene of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::every().into_iter().find(|scene| scene.name == name)
    }

    /// How often a kind may arrive.
    pub fn budget(&self, kind: Arrival) -> u8 {
        self.budgets[kind.index()]
    }
}
