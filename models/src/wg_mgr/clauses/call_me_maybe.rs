//! The clauses on `CallMeMaybe`: sending it to everyone once, and answering it.
use crate::clause::{Defect, Entry, Level, Mutation};

/// WG-CMM-1: `CallMeMaybe` broadcast after STUN.
pub(super) const CMM_1: Entry = Entry {
    id: "WG-CMM-1",
    title: "CallMeMaybe broadcast after STUN",
    level: Level::Shall,
    sentence: "Once the public address is known and the table is not empty, a resume index walks \
               the table upward and sends a CallMeMaybe to every active peer without a direct \
               path, two per pass, until it has reached the peer count; this happens once in the \
               life of the task.",
    details: &[],
    observable: "128 peers on DERP take 64 passes, about 0.64 s and the seals, and each gets one.",
    edges: &[
        "A peer that is skipped uses nothing of the two.",
        "DISCO off or no own endpoint: the send does nothing and yet counts.",
        "A peer added later gets its own when it is added; a slot reused below the index is not \
         visited again.",
        "The design document speaks of peers without a session; the code goes by the direct path.",
    ],
    defects: &[Defect::new(
        "PF-104",
        "The index is never reset: after a stop and a start there is no broadcast.",
    )],
    source: "loop, step 5",
    mutations: &[
        Mutation::breaks("M1", "begin at 0 in every pass: the same two peers for ever"),
        Mutation::breaks("M2", "no limit per pass"),
        Mutation::breaks("M3", "include peers with a direct path"),
        Mutation::breaks("M4", "advance only when the send succeeded"),
    ],
};

/// WG-CMM-2: `CallMeMaybe` received.
pub(super) const CMM_2: Entry = Entry {
    id: "WG-CMM-2",
    title: "CallMeMaybe received",
    level: Level::Observed,
    sentence: "A CallMeMaybe under a known key is answered with an own one at once, and then each \
               of its first 8 entries that is an IPv4-mapped address with a port other than 0 is \
               sent a new ping, with its own transaction id and probe slot, before the peer is \
               force-pinged.",
    details: &[],
    observable: "One CallMeMaybe in: one CallMeMaybe and up to 8 direct pings out, and a forced \
                 ping that the 2 s limit mostly suppresses.",
    edges: &[
        "An unknown key is dropped; a CallMeMaybe never rescues.",
        "Every entry holds a probe slot for up to 6 s.",
        "These pings leave the peer's last-ping time alone.",
    ],
    defects: &[Defect::new(
        "PF-97",
        "Nothing limits the rate: two nodes of this kind answer each other once per round \
         trip, without end, until a packet is lost.",
    )],
    source: "loop, step 7: CallMeMaybe",
    mutations: &[
        Mutation::breaks("M1", "do not answer"),
        Mutation::breaks("M2", "ping IPv6 entries"),
        Mutation::breaks("M3", "read ports little-endian"),
        Mutation::breaks("M4", "bound the entries by the packet's length instead of by 8"),
    ],
};
