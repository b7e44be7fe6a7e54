//! The clauses on the peer cache in flash: when it is written, what it holds, what it gives back.
use crate::clause::{Defect, Entry, Level, Mutation};

/// WG-NVS-1: peer cache written at most every 5 s.
pub(super) const NVS_1: Entry = Entry {
    id: "WG-NVS-1",
    title: "peer cache written at most every 5 s",
    level: Level::Shall,
    sentence: "Saving a peer changes only the copy in memory and marks it dirty; a pass writes a \
               dirty copy to flash when at least 5000 ms have passed since the last flush, taking \
               the time and clearing the mark before the write, and closing the store writes a \
               dirty copy too.",
    details: &[],
    observable: "At most one write per 5 s, the first of them in the first dirty pass after 5 s \
                 of uptime, as the last flush counts from 0: a throttle, not a wait for quiet.",
    edges: &[
        "Clearing the cache leaves the dirty mark as it is.",
        "Store not opened: saving is an error and nothing is kept.",
        "The clock has 64 bits and does not wrap.",
    ],
    defects: &[Defect::new(
        "PF-103",
        "A failed write is not tried again before the next save, and a restart of the chip \
         never closes the store, which loses up to 5 s.",
    )],
    source: "loop, step 3",
    mutations: &[
        Mutation::breaks("M1", "write at every save: 465,000 B for 100 peers"),
        Mutation::breaks("M2", "wait for 5 s without a save: steady change then never writes"),
        Mutation::repairs("M3", "clear the mark only after a write that succeeded"),
        Mutation::breaks("M4", "write without committing"),
        Mutation::breaks("M5", "an interval of 500 ms"),
        Mutation::breaks("M6", "do not write when the store closes"),
    ],
};

/// WG-NVS-2: layout and replacement of the peer cache.
pub(super) const NVS_2: Entry = Entry {
    id: "WG-NVS-2",
    title: "layout and replacement of the peer cache",
    level: Level::Observed,
    sentence: "The cache is one packed little-endian blob of count (2 B), clock (2 B) and 92 B \
               per peer; a save advances the clock, stamps its entry with it, and takes the first \
               entry with the same address or node key, else a new one, else the lowest stamp \
               that is not the protected address.",
    details: &[
        "An entry: address 4 B, node key 32, DISCO key 32, DERP region 2, two endpoints of \
         address 4 and port 2, endpoint count 1, host name 7 (6 characters and a zero), stamp 2.",
        "Of a peer's endpoints the first two that are IPv4 and not zero are kept.",
    ],
    observable: "A write of n peers has 4 + 92 n bytes: 1476 for 16 peers, 5892 for 64, 11,780 \
                 for 128, 23,556 for 256.",
    edges: &[
        "Every entry protected: entry 0 is replaced.",
        "A blob larger than the compiled table is a read error and leaves the cache empty; \
         otherwise its count is trusted.",
        "Two peers with one address share one entry.",
    ],
    defects: &[Defect::new(
        "PF-103",
        "The 16-bit clock wraps after 65,536 saves and makes the newest entry look oldest; \
         128 entries cannot be rewritten in a partition of 24 KiB.",
    )],
    source: "peer cache in flash, namespace ml_peers, key tbl",
    mutations: &[
        Mutation::breaks("M1", "replace the highest stamp"),
        Mutation::breaks("M2", "replace the protected address"),
        Mutation::breaks("M3", "match by node key alone"),
        Mutation::breaks("M4", "keep three endpoints"),
        Mutation::breaks("M5", "big-endian numbers"),
    ],
};

/// WG-NVS-3: peers loaded at start.
pub(super) const NVS_3: Entry = Entry {
    id: "WG-NVS-3",
    title: "peers loaded at start",
    level: Level::Observed,
    sentence: "At start and before registration the cached entries with an address other than 0 \
               become active peers in slots 0 and up, each without a tunnel slot.",
    details: &[],
    observable: "The peer table is filled before the control plane has answered, and its DISCO \
                 keys are known keys from the first pass.",
    edges: &["The load is bounded by the table of 128 alone."],
    defects: &[
        Defect::new(
            "PF-104",
            "Cached peers that the network map no longer names stay active for ever; 128 of them \
             shut out every unpinned newcomer until a removal names them.",
        ),
        Defect::new(
            "PF-91",
            "Their keys are known but not yet computed: the first contact of 128 such peers costs \
             128 X outside any budget.",
        ),
    ],
    source: "start, before the first pass",
    mutations: &[
        Mutation::breaks("M1", "load the peers inactive"),
        Mutation::breaks("M2", "load at most 64"),
        Mutation::breaks("M3", "keep a stale tunnel index"),
    ],
};
