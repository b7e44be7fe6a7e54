//! The clauses on paths: which endpoint a peer gets and which way a packet leaves.
use crate::clause::{Entry, Level, Mutation};

/// WG-PATH-1: promotion and the sticky endpoint.
pub(super) const PATH_1: Entry = Entry {
    id: "WG-PATH-1",
    title: "promotion and the sticky endpoint",
    level: Level::Shall,
    sentence: "A matched direct pong sets the direct path, trusts it for 60 s and makes its \
               source the best endpoint, except that a priority or health-tracked peer already \
               direct at another endpoint keeps that one, unless the source is local and the \
               endpoint public, and only gains a candidate.",
    details: &[
        "Adopting sets the endpoint for the next connect; with a session and another live \
         endpoint a connect follows (2 X); without a session one initiation is sent, once per \
         life of the slot, and the tunnel mark is cleared.",
        "Local are 10/8, 172.16/12 and 192.168/16. An authenticated WireGuard packet that came \
         directly moves the live endpoint too; one over DERP does not.",
    ],
    observable: "A bulk peer follows its newest direct pong, a priority or health-tracked peer \
                 moves only onto its local network.",
    edges: &[
        "A session counts as up while its current or previous keypair is valid, whatever their \
         age.",
        "Roaming, with pongs from another endpoint: one handshake per change.",
        "IPv6 is never adopted.",
        "Candidate list full (8): the other endpoint is forgotten.",
    ],
    defects: &[],
    source: "loop, step 7: pong",
    mutations: &[
        Mutation::breaks("M1", "let the priority peer follow every pong"),
        Mutation::breaks("M2", "connect on every pong"),
        Mutation::breaks("M3", "leave the tunnel mark set after the one-shot initiation"),
        Mutation::breaks("M4", "adopt the source of a pong over DERP"),
    ],
};

/// WG-PATH-2: way out of a packet, and dual path.
pub(super) const PATH_2: Entry = Entry {
    id: "WG-PATH-2",
    title: "way out of a packet, and dual path",
    level: Level::Observed,
    sentence: "A packet leaves over DERP when the live endpoint is blank (any address or port 0), \
               and otherwise over UDP, with a second copy over DERP for a peer with dual path, \
               which the priority peer alone is given when it enters the tunnel.",
    details: &[
        "An initiation that came over DERP is answered over DERP, even when an endpoint is known.",
    ],
    observable: "With an endpoint known, the priority peer's data leaves twice and everyone \
                 else's once.",
    edges: &[],
    defects: &[],
    source: "output of the tunnel",
    mutations: &[
        Mutation::breaks("M1", "copy every peer's data over DERP"),
        Mutation::breaks("M2", "copy only after UDP failed"),
        Mutation::breaks("M3", "answer an initiation from DERP directly"),
    ],
};
