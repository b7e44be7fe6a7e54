//! The clauses on pings and pongs: where they are sent, how they are matched.
use crate::clause::{Entry, Level, Mutation};

/// WG-PING-1: sending a ping.
pub(super) const PING_1: Entry = Entry {
    id: "WG-PING-1",
    title: "sending a ping",
    level: Level::Shall,
    sentence: "A ping goes to the best endpoint of a direct peer, then to every other IPv4 \
               candidate, then over DERP unless the peer is direct and something has gone out; it \
               is skipped while an active probe of this peer is younger than 2 s and, unless \
               forced, less than 5 s after the last ping.",
    details: &[],
    observable: "All copies of a ping are the same bytes with one transaction id, and the peer's \
                 last-ping time becomes now.",
    edges: &["No UDP socket: over DERP only.", "Probe table full: it is sent all the same."],
    defects: &[],
    source: "sending a ping",
    mutations: &[
        Mutation::breaks("M1", "always send over DERP too, which steals the match"),
        Mutation::breaks("M2", "leave out the candidates of a direct peer"),
        Mutation::breaks("M3", "look for an active probe by transaction id instead of by peer"),
    ],
};

/// WG-PONG-1: answering a ping.
pub(super) const PONG_1: Entry = Entry {
    id: "WG-PONG-1",
    title: "answering a ping",
    level: Level::Shall,
    sentence: "A ping with at least 14 B of plaintext from an identified (or rescued) and allowed \
               peer is answered to its source when it came directly, to every local candidate but \
               the source, to one public candidate when nothing has been sent so far, and over \
               DERP always.",
    details: &[
        "A direct ping from a peer without a direct path makes its source a candidate (8 at most) \
         and forces a ping.",
    ],
    observable: "Every answered ping puts one pong on DERP, sealed to the sender's present key.",
    edges: &["Pongs have no rate limit."],
    defects: &[],
    source: "loop, step 7: ping",
    mutations: &[
        Mutation::breaks("M1", "no copy over DERP"),
        Mutation::breaks("M2", "learn a candidate from a ping over DERP"),
        Mutation::breaks("M3", "answer to the source only"),
        Mutation::breaks("M4", "seal to the stored, stale key"),
    ],
};

/// WG-PROBE-1: table of pending probes.
pub(super) const PROBE_1: Entry = Entry {
    id: "WG-PROBE-1",
    title: "table of pending probes",
    level: Level::Shall,
    sentence: "Up to 64 pings wait for their pong, each in the first free slot; a pong is matched \
               by its transaction id among the active slots, a slot is freed by its match or by \
               the sweep of a tick that finds it older than 5000 ms, and a ping that finds no \
               slot is sent without being tracked.",
    details: &[],
    observable: "A probe lives 5 to 6 s; (2 upgrade probes + 8 heartbeats + wakes) per second \
                 hold about 60 slots.",
    edges: &[
        "Peer index out of range: the slot is freed and the search goes on.",
        "A second pong for one ping finds no match.",
        "The sender's key is not compared with the probed peer's.",
        "The sweep reads the clock afresh: by the tick's start time the age of a new probe \
         underflows and kills it.",
        "Eight CallMeMaybes with 8 entries fill the table.",
    ],
    defects: &[],
    source: "loop, step 10: sweep; step 7: pong",
    mutations: &[
        Mutation::breaks("M1", "32 slots"),
        Mutation::breaks("M2", "evict the oldest probe"),
        Mutation::breaks("M3", "free a slot on its match only"),
        Mutation::breaks("M4", "sweep by the clock of the tick's start"),
        Mutation::breaks("M5", "match by peer instead of by transaction id"),
    ],
};

/// WG-PROBE-2: ring of matched transaction ids.
pub(super) const PROBE_2: Entry = Entry {
    id: "WG-PROBE-2",
    title: "ring of matched transaction ids",
    level: Level::Observed,
    sentence: "The last 8 matched transaction ids serve only to report a later duplicate pong \
               over DERP quietly and have no effect on any state.",
    details: &[],
    observable: "With and without the ring every decision is the same.",
    edges: &[
        "The ring begins as zeros, so an all-zero id counts as matched.",
        "A direct duplicate is always reported as unmatched.",
    ],
    defects: &[],
    source: "loop, step 7: pong",
    mutations: &[
        Mutation::breaks("M1", "suppress matches by the ring"),
        Mutation::breaks("M2", "enter ids that did not match"),
        Mutation::breaks("M3", "let a duplicate renew trust"),
    ],
};
