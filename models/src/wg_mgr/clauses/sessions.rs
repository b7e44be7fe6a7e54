//! The clauses on `WireGuard` sessions: handshakes, their life, and packets that come twice.
use crate::clause::{Defect, Entry, Level, Mutation};

/// WG-HS-1: bulk peers without a session stop initiating.
pub(super) const HS_1: Entry = Entry {
    id: "WG-HS-1",
    title: "bulk peers without a session stop initiating",
    level: Level::Shall,
    sentence: "Every tick clears the tunnel's active mark of each allowed peer that is neither \
               priority, health-tracked nor pinned, has no valid keypair and is so marked; \
               initiations from outside still succeed.",
    details: &[],
    observable: "A demoted bulk peer that never answers costs one initiation per demotion instead \
                 of one every 5 s for ever.",
    edges: &[
        "A handshake that was requested is repeated whatever the mark says.",
        "Peers that are not allowed are skipped before this, and with DISCO off it does not run.",
    ],
    defects: &[Defect::new(
        "PF-100",
        "The previous keypair never ages: a peer that rekeyed once counts as up after it \
         expired and repeats its initiation every 5 s for ever.",
    )],
    source: "loop, step 10: end of the scan",
    mutations: &[
        Mutation::breaks("M1", "clear the priority peer's mark"),
        Mutation::breaks("M2", "clear it while a session is up"),
        Mutation::breaks("M3", "never clear it"),
        Mutation::repairs("M4", "look at the current keypair only"),
    ],
};

/// WG-HS-2: when an initiation is sent.
pub(super) const HS_2: Entry = Entry {
    id: "WG-HS-2",
    title: "when an initiation is sent",
    level: Level::Observed,
    sentence: "Every 400 ms, for all 128 slots and without a cap, an initiation is sent when none \
               was sent before or the last is at least 5 s old, and either a handshake was \
               requested, or the current keypair was made as responder and is at least 155 s old, \
               or there is none and the peer is marked active.",
    details: &[],
    observable: "A marked peer that never answers is sent an initiation of 2 X every 5 s for \
                 ever: nothing gives up after 90 s.",
    edges: &[
        "A connect, direct or over DERP, sends at once and bypasses the 5 s.",
        "An initiation replaces the handshake in progress: over a DERP round trip above 3 s, the \
         wake every 3 s lets none complete.",
    ],
    defects: &[],
    source: "loop, step 9",
    mutations: &[
        Mutation::breaks("M1", "let a connect wait for the 5 s as well"),
        Mutation::breaks("M2", "0.4 s instead of 5 s"),
        Mutation::repairs("M3", "cap the initiations of one call"),
    ],
};

/// WG-HS-3: life of a session.
pub(super) const HS_3: Entry = Entry {
    id: "WG-HS-3",
    title: "life of a session",
    level: Level::Observed,
    sentence: "An initiator requests a new handshake when it sends under a keypair of at least \
               120 s or receives under one of at least 150 s; at 180 s sending is refused and the \
               current keypair destroyed; a keepalive of 32 B leaves when the current or previous \
               keypair is valid and at least 25 s have passed since the last send.",
    details: &[],
    observable: "An idle session of an initiator is renewed about every 2 min, as keepalives \
                 count as sending, and no data leaves under a keypair of 180 s.",
    edges: &[
        "Only the previous keypair is valid: the keepalive fails every 400 ms, which costs little.",
        "A responder cannot send under a new keypair before it has received under it; until then \
         it uses the previous one.",
        "The full reset at 540 s is never reached while the timers run.",
    ],
    defects: &[],
    source: "loop, step 9, and every packet sent or received",
    mutations: &[
        Mutation::breaks("M1", "rekey at 180 s"),
        Mutation::breaks("M2", "let a keepalive restart the time to the rekey"),
        Mutation::breaks("M3", "destroy the previous keypair with the current one"),
    ],
};

/// WG-HS-4: handshakes received.
pub(super) const HS_4: Entry = Entry {
    id: "WG-HS-4",
    title: "handshakes received",
    level: Level::Observed,
    sentence: "An initiation must pass mac1, one X, the opening of its static key, the look-up of \
               its peer and a timestamp later than the last before it is answered (3 X) and makes \
               the next keypair; a response (2 X) makes the current keypair and is followed by a \
               keepalive.",
    details: &[],
    observable: "A good initiation costs 4 X and a response 2 X; an initiation with a wrong mac1 \
                 costs none.",
    edges: &[
        "Cookies are never used: the device never counts itself as under load.",
        "The peer's latest timestamp does not survive a restart.",
    ],
    defects: &[
        Defect::new(
            "PF-99",
            "Handshakes have no budget and run under the lock of the network stack, and their \
             rate limit subtracts the wrong way round: it refuses only a second initiation in the \
             same millisecond.",
        ),
        Defect::new(
            "PF-102",
            "Own timestamps count from power-on: after a restart, peers that remember a later one \
             refuse initiations until they forget.",
        ),
    ],
    source: "drain points: handshake messages",
    mutations: &[
        Mutation::breaks("M1", "accept an equal timestamp"),
        Mutation::breaks("M2", "skip mac1"),
        Mutation::repairs("M3", "give initiations a budget"),
        Mutation::breaks("M4", "take over the sender's endpoint before it has authenticated"),
    ],
};

/// WG-DEDUP-1: copies over two paths.
pub(super) const DEDUP_1: Entry = Entry {
    id: "WG-DEDUP-1",
    title: "copies over two paths",
    level: Level::Shall,
    sentence: "A WireGuard packet of type 4 and at least 16 B whose receiver index and counter \
               are among the last 64 recorded, over all peers, is dropped before decryption and \
               counted; any other such packet is recorded in place of the oldest.",
    details: &[],
    observable: "The second copy of a packet sent over two paths is never decrypted as long as \
                 fewer than 64 new data packets came between.",
    edges: &[
        "With 64 or more between, the replay window drops the copy at the price of a decryption.",
        "The ring begins with pairs of zeros; receiver index 0 is never given out.",
        "Types 1 to 3 are not covered.",
    ],
    defects: &[Defect::new(
        "PF-96",
        "A pair is recorded before its packet is authenticated: a forged header makes the \
         genuine heartbeat look like a copy.",
    )],
    source: "drain points: data packets",
    mutations: &[
        Mutation::breaks("M1", "16 entries"),
        Mutation::breaks("M2", "record a pair again when it is found"),
        Mutation::breaks("M3", "read the counter big-endian"),
        Mutation::breaks("M4", "compare the receiver index alone"),
        Mutation::breaks("M5", "apply it to type 1"),
    ],
};

/// WG-REPLAY-1: replay window.
pub(super) const REPLAY_1: Entry = Entry {
    id: "WG-REPLAY-1",
    title: "replay window",
    level: Level::Observed,
    sentence: "Under each keypair a packet with data is accepted, after it was decrypted, when \
               its counter is higher than all before or at most 31 below the highest and not seen \
               yet.",
    details: &[],
    observable: "Of packets reordered by more than 31 every one is lost, and no packet is \
                 accepted twice.",
    edges: &[
        "An empty keepalive is not checked and still refreshes the time of reception and the \
         endpoint.",
        "Counter 2^64 - 1 is refused.",
        "The difference is cut to 32 bits: a jump by exactly a multiple of 2^32 goes wrong.",
        "A replayed genuine packet moves the live endpoint before the window refuses it.",
    ],
    defects: &[],
    source: "drain points: data packets after decryption",
    mutations: &[
        Mutation::breaks("M1", "a window of 64 bits"),
        Mutation::breaks("M2", "check before authentication"),
        Mutation::breaks("M3", "accept an equal counter"),
        Mutation::breaks("M4", "accept 32 below the highest"),
    ],
};
