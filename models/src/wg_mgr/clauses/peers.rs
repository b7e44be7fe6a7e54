//! The clauses on the peer table: who gets a slot, what a slot holds, who may talk.
use crate::clause::{Defect, Entry, Level, Mutation};

/// WG-ADD-1: adds per pass.
pub(super) const ADD_1: Entry = Entry {
    id: "WG-ADD-1",
    title: "adds per pass",
    level: Level::Shall,
    sentence: "The peer-update step of a pass ends after its fourth add; removals and patches \
               that come before it in the queue are carried out without being counted.",
    details: &[],
    observable: "N queued adds take N / 4 passes, rounded up, where refused adds and refreshes of \
                 known peers count like any other.",
    edges: &[
        "A limit of 0 still lets one add through per pass, since the count is compared after the \
         add.",
        "An empty queue item is passed over and not counted.",
        "Queue full: the control task waits 100 ms and then drops the update without a word.",
        "Updates of pinned peers go to the front of the queue, which reverses their own order.",
    ],
    defects: &[],
    source: "loop, step 2",
    mutations: &[
        Mutation::breaks("M1", "count only adds that succeed"),
        Mutation::breaks("M2", "compare the count before the add instead of after it"),
        Mutation::breaks("M3", "count removals too"),
        Mutation::breaks("M4", "no limit"),
    ],
};

/// WG-ADD-2: slot, eviction and contents of an added peer.
pub(super) const ADD_2: Entry = Entry {
    id: "WG-ADD-2",
    title: "slot, eviction and contents of an added peer",
    level: Level::Shall,
    sentence: "An allowed peer takes the active slot of its node key, else the lowest inactive \
               slot below the effective maximum, else, when it is pinned or the application wants \
               it and so pins it, the slot of the active, unpinned peer whose last pong is \
               oldest, and else is refused.",
    details: &[
        "The effective maximum is the stored setting when that is 1 to 127, and 128 otherwise; \
         eviction looks at all 128 slots, and of equally old peers the lowest index goes.",
        "Address, keys, host name (63 characters) and the active mark are always taken over, the \
         DERP region only when it is not 0, the endpoints only when there are any.",
        "The live WireGuard endpoint stays blank, so that the peer is reached over DERP; \
         endpoints of the network map are only candidates for probes. Keepalive 25 s, one allowed \
         address.",
        "Once in the tunnel, the priority peer gets a DERP connect (2 X), a forced ping and dual \
         path; then follow, for everyone, peer cache, CallMeMaybe, forced ping (5 per window of 1 \
         s) and the application's callback.",
    ],
    observable: "With all 128 slots active a pinned newcomer replaces the unpinned peer with the \
                 oldest pong, an unpinned newcomer is refused, and no newly added peer has a live \
                 endpoint.",
    edges: &[
        "A pinned newcomer evicts even when slots at or above the effective maximum are free.",
        "All active peers are pinned: the newcomer is refused.",
        "Peers loaded from flash at start are not bound by the effective maximum.",
        "A new node key under the same address takes a second slot; look-ups by address find the \
         lower, stale one.",
        "No tunnel slot to be had: the peer stays without one until its next add.",
    ],
    defects: &[Defect::new(
        "PF-101",
        "A reused slot inherits its former owner's endpoints and region when the update has \
         none, and always the mark of the one-shot handshake and the DISCO round trip.",
    )],
    source: "loop, step 2: add",
    mutations: &[
        Mutation::breaks("M1", "evict a pinned peer"),
        Mutation::breaks("M2", "evict the peer with the newest pong"),
        Mutation::breaks(
            "M3",
            "install an endpoint of the network map as the live one: pings pass, data does not",
        ),
        Mutation::breaks("M4", "clear the endpoints when the update has none"),
        Mutation::breaks("M5", "overwrite the region with 0"),
        Mutation::breaks("M6", "reset the direct path of a peer that is already there"),
    ],
};

/// WG-ADD-3: a known peer is preserved.
pub(super) const ADD_3: Entry = Entry {
    id: "WG-ADD-3",
    title: "a known peer is preserved",
    level: Level::Shall,
    sentence: "An add for a node key that is already active keeps the peer's direct path, best \
               endpoint, timers and tunnel slot, and enters the peer into the tunnel only when it \
               has no slot there.",
    details: &[],
    observable: "Taking in a whole network map once more starts no handshake and changes no path.",
    edges: &[],
    defects: &[],
    source: "loop, step 2: add of an active peer",
    mutations: &[
        Mutation::breaks("M1", "reset the peer when it is added again"),
        Mutation::breaks("M2", "enter it into the tunnel again"),
    ],
};

/// WG-REM-1: removal of a peer.
pub(super) const REM_1: Entry = Entry {
    id: "WG-REM-1",
    title: "removal of a peer",
    level: Level::Observed,
    sentence: "A removal finds the active peer by its node key, zeroes its tunnel slot, marks it \
               inactive and lowers the peer count past all inactive slots at the end of the \
               table.",
    details: &[],
    observable: "The tunnel slot is free and zero, and the peer count is one more than the \
                 highest active index.",
    edges: &[
        "Pending probes, the entry in the peer cache, pins and health entries all stay.",
        "A probe whose index is no longer below the peer count is discarded with its pong.",
        "A corrected design ties every probe to a generation of its slot.",
    ],
    defects: &[Defect::new(
        "PF-101",
        "A late pong is credited to the removed peer or to the slot's next owner: the wrong \
         endpoint is promoted, perhaps through a tunnel index that is another peer's by then.",
    )],
    source: "loop, step 2: removal",
    mutations: &[
        Mutation::breaks("M1", "leave the tunnel slot as it was"),
        Mutation::breaks("M2", "do not lower the peer count"),
        Mutation::breaks("M3", "lower it past active slots"),
    ],
};

/// WG-ALLOW-1: allowlist.
pub(super) const ALLOW_1: Entry = Entry {
    id: "WG-ALLOW-1",
    title: "allowlist",
    level: Level::Observed,
    sentence: "An empty allowlist admits everyone, any other (512 addresses at most) only its \
               addresses and the fleet server, and it is asked at adds, on reception of DISCO, \
               before probes and before the consequences of a demotion.",
    details: &[],
    observable: "Pings, heartbeats, upgrade probes and pongs go to allowed peers only; a \
                 CallMeMaybe of an allowed known peer is served.",
    edges: &[
        "A change acts at the next check and removes nobody.",
        "The priority peer must be listed, or it is never added; a copy of it from flash has no \
         tunnel slot, so that even its wake ends at once.",
        "The fleet server always passes.",
        "The 513th address is dropped; the stored list has 2 + 28 n bytes, 14,338 for 512.",
    ],
    defects: &[],
    source: "adds, DISCO reception and DISCO timers",
    mutations: &[
        Mutation::breaks("M1", "let an empty list admit nobody"),
        Mutation::breaks("M2", "admit the priority peer unlisted"),
        Mutation::breaks("M3", "remember the answer per peer"),
        Mutation::breaks("M4", "filter WireGuard data too"),
    ],
};
