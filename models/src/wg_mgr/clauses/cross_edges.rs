//! The edges that cut across the clauses of the manager loop: one case, what comes of it, whom it
//! concerns.
use super::Clause as C;

/// A case that several clauses meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrossEdge {
    /// The case.
    pub edge: &'static str,
    /// What is expected of it.
    pub outcome: &'static str,
    /// The clauses that have to deal with it.
    pub clauses: &'static [C],
}

/// Every cross-cutting edge, in the order of the specification.
pub const CROSS_EDGES: &[CrossEdge] = &[
    CrossEdge {
        edge: "DISCO queue full",
        outcome: "the newest packet is dropped by its producer; no back-pressure, the peer must \
                  try again",
        clauses: &[C::Disco1],
    },
    CrossEdge {
        edge: "WireGuard queue full",
        outcome: "the newest packet is dropped, perhaps a heartbeat reply, and nothing counts it",
        clauses: &[C::Q1],
    },
    CrossEdge {
        edge: "peer update queue full",
        outcome: "the control task waits 100 ms (2000 ms for a pinned peer), then the update is \
                  lost until the next network map",
        clauses: &[C::Add1, C::Cap4],
    },
    CrossEdge {
        edge: "DERP queue full",
        outcome: "the oldest frame of the same queue is dropped",
        clauses: &[C::Derp1],
    },
    CrossEdge {
        edge: "probe table full",
        outcome: "the ping is sent and its pong counts for neither trust nor round trip",
        clauses: &[C::Probe1, C::Hb1],
    },
    CrossEdge {
        edge: "budget of 0",
        outcome: "DISCO queue never read; still one add per pass; broadcast never complete; \
                  leases expire for want of heartbeats; upgrades stay on DERP",
        clauses: &[C::Disco1, C::Add1, C::Cmm1, C::Hb1, C::Hb2],
    },
    CrossEdge {
        edge: "no priority peer configured",
        outcome: "no exemption for one anywhere; home follows the fleet server; DERP retried \
                  every 60 s; dual path never set",
        clauses: &[C::Rehome1, C::Path2, C::Hb1, C::Wake1],
    },
    CrossEdge {
        edge: "priority peer configured but not in the table",
        outcome: "the exemption of ARM-1 is false, the wake ends early, adds go on as usual until \
                  it arrives and, in a full table, evicts",
        clauses: &[C::Disco1, C::Wake1, C::Add2],
    },
    CrossEdge {
        edge: "priority peer evicted or removed",
        outcome: "it cannot be evicted; a removal does remove it, and the next network map adds \
                  it again",
        clauses: &[C::Add2, C::Rem1],
    },
    CrossEdge {
        edge: "limits changed at run time",
        outcome: "maximum of peers, allowlist and DERP region act at their next use; priority \
                  peer and heartbeat interval only after a restart",
        clauses: &[C::Cap1, C::Allow1, C::Rehome1, C::Hb1],
    },
    CrossEdge {
        edge: "peer removed while its packets are under way",
        outcome: "those still queued have an unknown key and cost an open; probes and pongs go by \
                  WG-REM-1",
        clauses: &[C::Disco1, C::Rem1],
    },
    CrossEdge {
        edge: "peer with a new node key",
        outcome: "it gets a new slot and the old one stays until removed; a rescue matches the \
                  node key, first index first",
        clauses: &[C::Add2, C::Rescue1],
    },
    CrossEdge {
        edge: "clock wraps",
        outcome: "none for the loop's 64 bits; WireGuard's 32 bits wrap after 49.7 days, where \
                  differences hold and time 0 means never; the cache's 16 bits wrap after 65,536 \
                  saves",
        clauses: &[C::Hs2, C::Nvs1, C::Nvs2],
    },
    CrossEdge {
        edge: "probe sent later than the clock value in hand",
        outcome: "its age underflows and it expires at once, unless the clock is read again",
        clauses: &[C::Probe1],
    },
    CrossEdge {
        edge: "loop suspended while it holds the network stack's lock",
        outcome: "the whole network stack stands still",
        clauses: &[C::Ord1],
    },
    CrossEdge {
        edge: "allocation fails",
        outcome: "the received packet or the plaintext is dropped, the latter after its open was \
                  charged; a packet to the stack is dropped and counted",
        clauses: &[C::Q1, C::Disco1],
    },
];
