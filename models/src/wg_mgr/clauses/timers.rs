//! The clauses on what the DISCO timers do once a second: heartbeats, upgrades, leases, wakes.
use crate::clause::{Defect, Entry, Level, Mutation};

/// WG-HB-1: heartbeat pings: interval, jitter and cap.
pub(super) const HB_1: Entry = Entry {
    id: "WG-HB-1",
    title: "heartbeat pings: interval, jitter and cap",
    level: Level::Shall,
    sentence: "A peer with a direct path is force-pinged when more than its interval has passed \
               since its last ping: for a bulk peer the configured 30,000 ms plus (slot index x \
               271 mod 997) ms, at most 8 such peers per tick; for a priority or health-tracked \
               peer the smaller of the configured interval and 3000 ms, outside jitter and cap.",
    details: &[],
    observable: "128 heartbeats due together leave over 16 ticks, at most 45.7 s after the one \
                 before and within the lease of 60 s; with jitter alone they would leave as 84 \
                 and 44, without either as 128.",
    edges: &[
        "Cap 0: bulk leases die after 60 s.",
        "An interval of 60,000 ms under the cap: leases can end before they are renewed.",
        "A ping that the 2 s limit suppresses counts toward the cap and leaves the last-ping time \
         alone.",
        "Probe table full: the ping leaves, its pong matches nothing and renews no lease.",
        "Eight per second carry about 240 peers; the offsets of slots 0 to 127 are distinct and \
         at most 994 ms.",
    ],
    defects: &[],
    source: "loop, step 10: heartbeats",
    mutations: &[
        Mutation::breaks("M1", "due when the interval is reached instead of when it is exceeded"),
        Mutation::breaks("M2", "jitter of 0, or from a hash of the key"),
        Mutation::breaks("M3", "count priority peers toward the cap"),
        Mutation::breaks("M4", "cap per pass instead of per tick"),
        Mutation::breaks("M5", "unforced pings: the 5 s limit blocks the beat of 3 s"),
    ],
};

/// WG-HB-2: upgrade probes.
pub(super) const HB_2: Entry = Entry {
    id: "WG-HB-2",
    title: "upgrade probes",
    level: Level::Should,
    sentence: "A peer without a direct path gets an unforced ping when more than 60,000 ms (5000 \
               ms for a priority or health-tracked peer) have passed since its last upgrade probe \
               and its back-off is over, at most 2 peers per tick in a scan that begins 2 slots \
               further on every tick.",
    details: &[],
    observable: "128 peers on DERP ask for 2.13 probes a second and get 2 per 1.005 s.",
    edges: &[
        "The 5 s limit of unforced pings applies; the time of the last upgrade probe is set even \
         when its ping was suppressed.",
        "Timers begin at 0: no bulk peer is due in the first 60 s of uptime.",
        "An empty table is not divided by.",
    ],
    defects: &[Defect::new(
        "PF-98",
        "The cap does not spare priority and health-tracked peers: their 5 s become 11.9 s \
         with 118 peers on DERP, 60.3 s with 120 and 64.3 s with 128.",
    )],
    source: "loop, step 10: upgrade probes",
    mutations: &[
        Mutation::repairs("M1", "exempt priority and health-tracked peers from the cap"),
        Mutation::breaks("M2", "always scan from the same slot: low slots starve the rest"),
        Mutation::breaks("M3", "begin 1 slot further on instead of 2"),
    ],
};

/// WG-LEASE-1: trust lease and demotion.
pub(super) const LEASE_1: Entry = Entry {
    id: "WG-LEASE-1",
    title: "trust lease and demotion",
    level: Level::Shall,
    sentence: "A direct path is trusted until 60 s after the last direct pong; past that the peer \
               loses it and, when it is allowed, gets a DERP connect (live endpoint zeroed, \
               tunnel mark set, an initiation of 2 X at once) and a forced ping.",
    details: &[],
    observable: "The first tick more than 60 s after the last direct pong demotes the peer, with \
                 or without a session.",
    edges: &[
        "The best endpoint is remembered.",
        "A peer that is not allowed loses its direct path and nothing else happens.",
    ],
    defects: &[Defect::new(
        "PF-90",
        "Demotions are neither capped nor interleaved with drains: 128 leases that end \
         together take 128 x 2 X in one call, 2.9 s at X = 11.3 ms, 4.0 s at 15.5 ms, 7.2 s \
         at 28.3 ms.",
    )],
    source: "loop, step 10: leases",
    mutations: &[
        Mutation::breaks("M1", "renew the lease on a pong over DERP"),
        Mutation::breaks("M2", "demote only while the session is up"),
        Mutation::breaks("M3", "keep the live endpoint"),
        Mutation::repairs("M4", "cap the demotions of a tick"),
    ],
};

/// WG-LEASE-2: pong watchdog.
pub(super) const LEASE_2: Entry = Entry {
    id: "WG-LEASE-2",
    title: "pong watchdog",
    level: Level::Shall,
    sentence: "A priority or health-tracked peer with a direct path that has answered before is \
               demoted, as when its lease ends, once more than 4000 ms have passed since its last \
               pong.",
    details: &[],
    observable: "One lost pong, of pings sent every 3 s in ticks of 1 s, demotes the peer 4.0 to \
                 5.1 s after the last good one.",
    edges: &["A peer that has never answered is exempt."],
    defects: &[Defect::new(
        "PF-106",
        "A pong over DERP counts too: while the peer answers on both paths, a direct path \
         dead in one direction is left to the lease of 60 s.",
    )],
    source: "loop, step 10: pong watchdog",
    mutations: &[
        Mutation::breaks("M1", "apply it to every peer"),
        Mutation::breaks("M2", "8000 ms"),
        Mutation::repairs("M3", "count direct pongs only"),
    ],
};

/// WG-FLAP-1: back-off of a flapping path.
pub(super) const FLAP_1: Entry = Entry {
    id: "WG-FLAP-1",
    title: "back-off of a flapping path",
    level: Level::Shall,
    sentence: "A priority or health-tracked peer that is demoted less than 15 s after its \
               promotion gets no upgrade probe for 10 s, at the next such demotion for 20, then \
               40, then always 60 s.",
    details: &[
        "The count stops at 8; a pong more than 15 s after the promotion clears it; only a change \
         from no direct path to one sets the promotion time; reuse of the slot resets all four \
         fields.",
    ],
    observable: "Four quick demotions in a row are followed by 10, 20, 40 and 60 s without \
                 upgrade probes.",
    edges: &[],
    defects: &[],
    source: "loop, step 10: demotion and upgrade probes",
    mutations: &[
        Mutation::breaks("M1", "arm the back-off for bulk peers"),
        Mutation::breaks("M2", "take every pong for a promotion"),
        Mutation::breaks("M3", "never clear the count"),
        Mutation::breaks("M4", "begin with 5 s"),
    ],
};

/// WG-WAKE-1: silent peers are woken, DISCO first.
pub(super) const WAKE_1: Entry = Entry {
    id: "WG-WAKE-1",
    title: "silent peers are woken, DISCO first",
    level: Level::Shall,
    sentence: "Every tick, for the priority peer, the fleet server and every health-tracked \
               address, a peer in the table and the tunnel that has no session or is called \
               unhealthy by the application gets a forced ping and a DERP connect when at least \
               3000 ms have passed since its last ping.",
    details: &[],
    observable: "Such a peer, silent, is sent a ping and an initiation every 3 s, even while \
                 DISCO is switched off.",
    edges: &["A health-tracked address that is the priority peer's is not served twice."],
    defects: &[Defect::new(
        "PF-107",
        "When the 2 s limit suppresses the ping its time stays old and the connect fires \
         every tick; an unhealthy peer with a direct path changes path every 3 s, two \
         handshakes each time.",
    )],
    source: "loop, step 10: wakes, before anything else",
    mutations: &[
        Mutation::breaks(
            "M1",
            "wake only peers without a session: a dead session that looks alive stays",
        ),
        Mutation::breaks("M2", "connect without the ping"),
        Mutation::breaks("M3", "do nothing while DISCO is off"),
        Mutation::breaks("M4", "an interval of 1 s"),
    ],
};
