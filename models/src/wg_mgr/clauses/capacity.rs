//! The clauses on capacities and on what bounds the loop as a whole.
use crate::clause::{Defect, Entry, Level, Mutation};

/// CAP-1: maximum of peers.
pub(super) const CAP_1: Entry = Entry {
    id: "CAP-1",
    title: "maximum of peers",
    level: Level::Shall,
    sentence: "The peer table has 128 slots, and of all configured maxima only the stored setting \
               (1 to 128, where 0 stands for 128) bounds the slots that an add may find free.",
    details: &[],
    observable: "Under a setting of 32, a 33rd peer that is not pinned is refused.",
    edges: &["A setting lowered at run time evicts nobody and acts from the next add on."],
    defects: &[Defect::new(
        "PF-104",
        "The application's maximum of 128 and the documented default of 32 are never \
         consulted.",
    )],
    source: "loop, step 2: add",
    mutations: &[
        Mutation::breaks("M1", "go by the application's maximum"),
        Mutation::breaks("M2", "evict down to a lowered setting"),
        Mutation::breaks("M3", "bind pinned peers by it too"),
    ],
};

/// CAP-2: tunnel slots.
pub(super) const CAP_2: Entry = Entry {
    id: "CAP-2",
    title: "tunnel slots",
    level: Level::Shall,
    sentence: "The tunnel has 128 slots under 8-bit indices, 255 meaning none; an entering peer \
               gets the slot that its key already has, else the lowest free one, else none.",
    details: &[],
    observable: "With all 128 taken a new peer is probed by DISCO but has no tunnel, and is tried \
                 again at its next add.",
    edges: &[],
    defects: &[],
    source: "entry into the tunnel",
    mutations: &[
        Mutation::breaks("M1", "a signed 8-bit index: a count of 128 overflows"),
        Mutation::breaks("M2", "take the highest free slot"),
        Mutation::breaks("M3", "reuse a slot without zeroing its keys"),
    ],
};

/// CAP-3: pins and health-tracked addresses.
pub(super) const CAP_3: Entry = Entry {
    id: "CAP-3",
    title: "pins and health-tracked addresses",
    level: Level::Observed,
    sentence: "There are 16 pins and 16 health entries, each list scanned from its start with \
               address 0 as a free place; a 17th is ignored silently, and priority peer and fleet \
               server need no entry.",
    details: &[],
    observable: "After 16 pins a further address is protected only once one of them is unpinned.",
    edges: &[
        "A peer changed at run time pins its new address and unpins the old one, unless another \
         still uses it.",
        "On the remote role health entries are never taken out.",
        "At most 18 of 128 peers are pinned, so a full table always has a victim.",
    ],
    defects: &[],
    source: "application's calls",
    mutations: &[
        Mutation::breaks("M1", "overwrite the oldest entry"),
        Mutation::breaks("M2", "pin address 0"),
        Mutation::breaks("M3", "unpin an address that another still uses"),
        Mutation::breaks("M4", "let a health entry protect from eviction"),
    ],
};

/// CAP-4: backlog of peer updates.
pub(super) const CAP_4: Entry = Entry {
    id: "CAP-4",
    title: "backlog of peer updates",
    level: Level::Observed,
    sentence: "Up to 400 updates of 208 B (83,200 B) wait for step 2; when they are 400, the \
               control task waits at most 100 ms per update, or 2000 ms for a pinned peer, whose \
               update goes to the front, and then drops it.",
    details: &[],
    observable: "Refused adds drain at 400 per second; real ones, 4 per 10 ms and 8 X, at 17 (X = \
                 28.3 ms) to 40 (11.3 ms) per second.",
    edges: &["A dropped update is missing until the next network map."],
    defects: &[],
    source: "peer update queue",
    mutations: &[
        Mutation::breaks("M1", "128 places under a map of 343 nodes"),
        Mutation::breaks("M2", "wait without end: the control watchdog fires after 120 s"),
        Mutation::breaks("M3", "drop pinned updates first"),
    ],
};

/// WG-WDT-1: task watchdog.
pub(super) const WDT_1: Entry = Entry {
    id: "WG-WDT-1",
    title: "task watchdog",
    level: Level::Observed,
    sentence: "More than 5 s in which the loop's core never runs its idle task reset the chip, \
               and the reset counts as a crash, of which the fourth rolls the firmware back.",
    details: &[],
    observable: "128 demotions at X = 28.3 ms, 7.2 s in one call, reset the chip; under a limit \
                 of 30 s they would not.",
    edges: &["Waiting for a lock yields the core, so it is occupancy that counts."],
    defects: &[Defect::new(
        "PF-90",
        "At X = 28.3 ms, leases that end together are enough to reach the limit.",
    )],
    source: "watchdog of both idle tasks",
    mutations: &[
        Mutation::breaks("M1", "no watchdog"),
        Mutation::breaks("M2", "feed it with every packet"),
        Mutation::breaks("M3", "measure passing time instead of occupancy of the core"),
    ],
};

/// WG-SHUT-1: shutdown.
pub(super) const SHUT_1: Entry = Entry {
    id: "WG-SHUT-1",
    title: "shutdown",
    level: Level::Observed,
    sentence: "A shutdown request ends the loop at the top of a pass, after which the interface \
               is removed under the lock of the network stack and given 100 ms to settle; \
               stopping waits a fixed 3000 ms, and destroying then writes the peer cache and \
               frees the queues.",
    details: &[],
    observable: "No pass is cut short, and the cache is written after the tasks have ended.",
    edges: &[
        "A pass longer than 3 s outlives the stop.",
        "Payloads still queued are not freed one by one.",
        "Dedup ring, matched ids, pins, health entries and shared keys outlive a restart of the \
         task.",
    ],
    defects: &[Defect::new(
        "PF-104",
        "So does the resume index of the broadcast, which is why there is no second one.",
    )],
    source: "end of the loop",
    mutations: &[
        Mutation::breaks("M1", "write the cache before the tasks have ended"),
        Mutation::repairs("M2", "reset the resume index at start"),
        Mutation::breaks("M3", "do not write the cache"),
    ],
};

/// WG-RATE-1: every rate limit in one place.
pub(super) const RATE_1: Entry = Entry {
    id: "WG-RATE-1",
    title: "every rate limit in one place",
    level: Level::Observed,
    sentence: "The limits below are all there are; answers to CallMeMaybe and the pings that \
               follow, pongs, received initiations, opens under known keys, demotions and \
               WireGuard junk are not limited at all.",
    details: &[
        "Pings: unforced at least 5 s apart per peer; forced, none while a probe of the peer is \
         younger than 2 s. Adds: 5 forced pings per window, which begins anew once it is older \
         than 1000 ms; suppressed attempts count.",
        "Per tick 2 upgrade probes and 8 heartbeats; wakes 3 s apart; a connect on a pong over \
         DERP more than 5 s apart.",
        "Initiations 5 s apart, which a connect bypasses; the one-shot direct initiation once per \
         life of a slot; peer cache 5 s; broadcast 2 per pass.",
    ],
    observable: "Each limited thing stays at its limit under any load; each other follows its \
                 load.",
    edges: &[],
    defects: &[],
    source: "the whole loop",
    mutations: &[
        Mutation::breaks("M1", "limit pongs: the peer's own discovery breaks"),
        Mutation::breaks("M2", "share the window of 5 pings across profiles"),
        Mutation::breaks("M3", "do not look for young probes on forced pings"),
    ],
};
