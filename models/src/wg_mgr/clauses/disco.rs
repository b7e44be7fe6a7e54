//! The clauses on DISCO packets: which are opened, under which key, and what that costs.
use crate::clause::{Defect, Entry, Level, Mutation};

/// WG-DISCO-1: budget for opening boxes.
pub(super) const DISCO_1: Entry = Entry {
    id: "WG-DISCO-1",
    title: "budget for opening boxes",
    level: Level::Shall,
    sentence: "In each pass the DISCO step takes packets while any of its 4 opens is left and the \
               queue is not empty: a packet whose sender key (at offset 6) is no active peer's \
               DISCO key, or that is shorter than 38 B, costs one open, any other costs none, and \
               what is left stays queued.",
    details: &[],
    observable: "At most 4 packets with unknown keys are taken per pass; the excess fills the \
                 queue of 8, whose producer then drops the newest.",
    edges: &[
        "Budget 0: the queue is never read, so known keys wait for ever too.",
        "The charge precedes every other check: junk, packets under 62 B and packets while DISCO \
         is off cost an open.",
        "The key of an inactive slot is unknown here, although the allowlist check knows it.",
        "With the last open the step ends, also for known keys behind it; unused opens do not \
         carry over.",
        "Profile ARM-1: only packets of at least 38 B with the key in the first slot, active or \
         not, that has the priority peer's address are free.",
    ],
    defects: &[
        Defect::new(
            "PF-91",
            "Known keys are neither counted nor interleaved with drains: whoever replays a key, \
             which travels in clear, keeps the step going without end.",
        ),
        Defect::new(
            "PF-109",
            "The zero-copy build empties its own DISCO ring in step 6 without any budget.",
        ),
    ],
    source: "loop, step 7",
    mutations: &[
        Mutation::breaks(
            "M1",
            "charge known keys too: their round trip grows to 300 to 450 ms on a full table",
        ),
        Mutation::breaks("M2", "charge only when the box opened"),
        Mutation::breaks("M3", "carry unused opens over to the next pass"),
        Mutation::breaks("M4", "charge nothing for unknown keys"),
        Mutation::breaks("M5", "compare the key at offset 0 or 38"),
        Mutation::breaks("M6", "go on with known keys after the last open is spent"),
    ],
};

/// WG-DISCO-2: admission and dispatch of DISCO packets.
pub(super) const DISCO_2: Entry = Entry {
    id: "WG-DISCO-2",
    title: "admission and dispatch of DISCO packets",
    level: Level::Observed,
    sentence: "A DISCO packet passes these checks in this order before its type decides: at least \
               62 B, magic, DISCO enabled, sender allowed, at least 16 B of ciphertext, box \
               opens, at least 2 B of plaintext; a sender with an unknown key counts as allowed \
               until the plaintext identifies it.",
    details: &["The allowlist check goes by the first slot with the sender's key, active or not."],
    observable: "A known sender that is not allowed costs no cryptography; an unknown one costs \
                 one open and is checked again once identified.",
    edges: &[
        "The allowlist check waits 5 ms for its lock and then lets the packet pass.",
        "Two slots hold the same key: the lower index decides.",
    ],
    defects: &[Defect::new(
        "PF-95",
        "Keys of low order are not refused: the all-zero key stored for a peer without a \
         DISCO key matches an all-zero sender, whose shared key anyone can compute.",
    )],
    source: "loop, step 7: reception of DISCO",
    mutations: &[
        Mutation::breaks(
            "M1",
            "refuse unknown keys before opening: a peer with a rotated key stays dark for ever",
        ),
        Mutation::breaks("M2", "leave out the second allowlist check after opening"),
        Mutation::breaks("M3", "check known keys against the allowlist only after opening"),
        Mutation::breaks("M4", "drop the packet when the lock is not to be had in 5 ms"),
    ],
};

/// WG-RESCUE-1: rescue of a rotated key.
pub(super) const RESCUE_1: Entry = Entry {
    id: "WG-RESCUE-1",
    title: "rescue of a rotated key",
    level: Level::Shall,
    sentence: "When a ping with at least 46 B of plaintext opens under an unknown DISCO key, the \
               node key in its bytes 14 to 45 is looked up in every slot, and the slot that has \
               it takes over the new DISCO key, is saved to the peer cache and answers with a \
               pong.",
    details: &[],
    observable: "The next ping under that key counts as known, and the peer cache is dirty.",
    edges: &[
        "A ping with 14 to 45 B of plaintext holds no node key and rescues nobody.",
        "Inactive slots match as well, so that a removed peer gets a pong.",
        "A pong or a CallMeMaybe never rescues.",
    ],
    defects: &[Defect::new(
        "PF-94",
        "Nothing proves the claim: whoever knows this device's DISCO key and a victim's node \
         key takes over the victim's DISCO identity, the priority peer's too, and two \
         claimants in turn keep the cache dirty.",
    )],
    source: "loop, step 7: ping under an unknown key",
    mutations: &[
        Mutation::breaks("M1", "rescue on a pong as well"),
        Mutation::breaks("M2", "look at active slots only"),
        Mutation::breaks("M3", "do not save the new key"),
        Mutation::breaks("M4", "compare only the first 8 bytes of the node key"),
        Mutation::breaks(
            "M5",
            "answer without taking over the key: the pong is sealed to the old one and the peer \
             cannot open it",
        ),
    ],
};

/// WG-CACHE-1: cache of shared keys.
pub(super) const CACHE_1: Entry = Entry {
    id: "WG-CACHE-1",
    title: "cache of shared keys",
    level: Level::Shall,
    sentence: "Every seal and open takes its shared key from a cache of 132 entries, computes and \
               stores it when it is absent, gives up the least recently used entry when full, and \
               voids all entries first when the own secret is another than before.",
    details: &[],
    observable: "A hit costs the symmetric part alone, a miss one X more, after which the key \
                 stays cached even if the packet fails to authenticate.",
    edges: &[
        "No memory for the cache: every operation computes its key and asks for memory again.",
        "Recency is a 32-bit counter; its wrap does no harm in practice.",
    ],
    defects: &[
        Defect::new(
            "PF-92",
            "Each DERP connect seals with the WireGuard secret through this cache and so voids it \
             twice, from another core and without a lock.",
        ),
        Defect::new(
            "PF-93",
            "Keys are stored before anything is authenticated: 132 packets with distinct unknown \
             keys push out every idle known peer.",
        ),
    ],
    source: "shared keys of every seal and open",
    mutations: &[
        Mutation::breaks("M1", "keep the entries when the own secret changes"),
        Mutation::breaks("M2", "store a key only after the packet authenticated"),
        Mutation::breaks("M3", "give up entries in the order they came"),
        Mutation::breaks("M4", "hold 128 entries: 128 peers and one unknown key no longer fit"),
        Mutation::breaks("M5", "compare 31 of the 32 key bytes"),
    ],
};
