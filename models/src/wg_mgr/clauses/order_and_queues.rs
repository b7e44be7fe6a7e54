//! The clauses on the order of a pass and on the `WireGuard` queue: what a heartbeat waits for.
use crate::clause::{Entry, Level, Mutation};

/// WG-ORD-1: order of the steps in a pass.
pub(super) const ORD_1: Entry = Entry {
    id: "WG-ORD-1",
    title: "order of the steps in a pass",
    level: Level::Shall,
    sentence: "A pass runs its twelve steps in one fixed order, which empties the WireGuard queue \
               before any other work, between two heavy items and once more after the DISCO \
               queue, and then sleeps 10 ms, however long the work took.",
    details: &[
        "The order: 1 WireGuard queue, 2 peer updates, 3 peer cache, 4 note of the DERP state, 5 \
         CallMeMaybe broadcast, 6 DISCO ring of the zero-copy build, 7 DISCO queue, 8 WireGuard \
         queue again, 9 WireGuard timers, 10 DISCO timers, 11 check of the home region, 12 delay.",
        "Steps 9, 10 and 11 run when at least 400 ms, more than 1000 ms and more than 3000 ms \
         have passed since they last began; all three run in the first pass.",
    ],
    observable: "A heartbeat that is queued when a pass begins is delivered before the first add \
                 or open of that pass.",
    edges: &[
        "A request to shut down is looked at only at the top of a pass.",
        "A suspended task stops wherever it stands; no step is finished for it.",
    ],
    defects: &[],
    source: "loop, all steps",
    mutations: &[
        Mutation::breaks("M1", "drain the WireGuard queue after the DISCO queue instead of first"),
        Mutation::breaks("M2", "leave out the drain that follows the DISCO queue"),
        Mutation::breaks("M3", "run the WireGuard timers before the DISCO queue"),
        Mutation::breaks("M4", "begin passes at a fixed rate instead of sleeping after the work"),
    ],
};

/// WG-Q1: `WireGuard` queue of 32, always drained to empty.
pub(super) const Q1: Entry = Entry {
    id: "WG-Q1",
    title: "WireGuard queue of 32, always drained to empty",
    level: Level::Shall,
    sentence: "Every drain point takes WireGuard packets until their queue is empty, whatever \
               they are and free of any budget; the queue holds 32, and a packet that finds it \
               full is dropped by its producer.",
    details: &[],
    observable: "Without other WireGuard traffic the queue holds 3.2 s of heartbeats at 10 Hz and \
                 6.4 s at 5 Hz.",
    edges: &[
        "Queue full: the newest packet is lost, perhaps the freshest heartbeat reply, and no \
         counter shows it.",
        "Any datagram of at least 4 B that is neither STUN nor DISCO lands here, at no limited \
         rate.",
        "Handshake initiations arrive here too: 4 X each, under the lock of the network stack.",
        "Payloads are allocated one by one: 32 of 1500 B hold 48,000 B.",
    ],
    defects: &[],
    source: "loop, steps 1, 2, 7 and 8",
    mutations: &[
        Mutation::breaks("M1", "make the queue 8 deep"),
        Mutation::breaks("M2", "drop the oldest packet of a full queue"),
        Mutation::breaks("M3", "take at most one packet at each drain point"),
        Mutation::breaks("M4", "charge a budget for WireGuard packets"),
        Mutation::breaks(
            "M5",
            "classify datagrams by length alone, so that junk reaches the DISCO queue",
        ),
    ],
};

/// WG-Q2: `WireGuard` queue drained between heavy items.
pub(super) const Q2: Entry = Entry {
    id: "WG-Q2",
    title: "WireGuard queue drained between heavy items",
    level: Level::Shall,
    sentence: "After every peer that is added and after every DISCO packet with an unknown key \
               the WireGuard queue is drained to empty before the next item is taken.",
    details: &[],
    observable: "In steps 2 and 7 a WireGuard packet waits for one unit of work at most, not for \
                 four.",
    edges: &[
        "There is no drain after a packet with a known key, nor after a removal or a patch of a \
         peer.",
        "There is none inside the timers' steps, nor during a write to flash.",
        "Profiles before ILV-3 do not drain here.",
    ],
    defects: &[],
    source: "loop, steps 2 and 7",
    mutations: &[
        Mutation::breaks("M1", "drain only when the budget is used up"),
        Mutation::breaks(
            "M2",
            "drain before the last unit of work instead of after it: as many drains, later data",
        ),
    ],
};
