//! Pitfalls of the loop under load, and of paths, handshakes and DERP: PF-01 to PF-39.
use super::super::Clause as C;
use crate::clause::Clause::WgMgr;
use crate::pitfall::Pitfall;
use crate::pitfall::Standing::Repaired;

/// PF-01 to PF-39, in the order of their numbers.
pub(super) const LOAD_AND_PATHS: &[Pitfall] = &[
    Pitfall::new(
        "PF-01",
        Repaired,
        &[WgMgr(C::Ord1), WgMgr(C::Q1), WgMgr(C::Q2), WgMgr(C::Disco1), WgMgr(C::Cache1)],
        "Boxes opened without a budget and before the WireGuard queue, one X25519 each, kept \
         heartbeat replies waiting or overflowed a queue of 8, until the machine timed out and \
         stopped.",
    ),
    Pitfall::new(
        "PF-02",
        Repaired,
        &[WgMgr(C::Disco2), WgMgr(C::Rescue1)],
        "While unknown keys were refused, a peer whose DISCO key had rotated with a restart never \
         got a pong (its sends climbed, its receptions stayed 0); admitting them is what made \
         PF-01 reachable.",
    ),
    Pitfall::new(
        "PF-03",
        Repaired,
        &[WgMgr(C::Disco1)],
        "With known keys charged as well, a table of 128 peers made a known peer's DISCO round \
         trip 300 to 450 ms, although its cryptography is tiny.",
    ),
    Pitfall::new(
        "PF-04",
        Repaired,
        &[WgMgr(C::Add1), WgMgr(C::Q2)],
        "A network map of 100 peers was taken in within one pass, about 100 ms per add: 10 s \
         without a heartbeat.",
    ),
    Pitfall::new(
        "PF-05",
        Repaired,
        &[WgMgr(C::Nvs1)],
        "The growing cache was rewritten once per peer, 465,000 B for 100 peers into 24 KiB of \
         flash, and every write stalled both cores.",
    ),
    Pitfall::new(
        "PF-06",
        Repaired,
        &[WgMgr(C::Cmm1)],
        "After STUN all peers were sent CallMeMaybe at once: a burst of seals, then one of \
         solicited pings.",
    ),
    Pitfall::new(
        "PF-07",
        Repaired,
        &[WgMgr(C::Hb1)],
        "An outage of the access point renews all leases together, so that all heartbeats fell \
         due in one tick, seconds of seals; jitter alone splits 128 into 84 and 44, and the cap \
         is what helps.",
    ),
    Pitfall::new(
        "PF-08",
        Repaired,
        &[WgMgr(C::Hs1)],
        "A demotion marked the peer active and nothing gave up: 2 X every 5 s for each dead peer, \
         45 % of a core for 40 of them at X = 28.3 ms.",
    ),
    Pitfall::new(
        "PF-09",
        Repaired,
        &[WgMgr(C::Q2), WgMgr(C::Path1)],
        "About every 90 min the map request expired and the whole map was taken in again; with \
         adds and path changes the round trip rose from 20 to 700 to 1430 ms and the link was \
         bonded anew.",
    ),
    Pitfall::new(
        "PF-10",
        Repaired,
        &[WgMgr(C::Add3)],
        "Adding a peer again reset it: every repeated map dropped direct paths and forced a \
         handshake with the priority peer.",
    ),
    Pitfall::new(
        "PF-11",
        Repaired,
        &[WgMgr(C::Disco2)],
        "The switch that disables DISCO was stored and never read, so that 16 peers were served \
         DISCO every second.",
    ),
    Pitfall::new(
        "PF-12",
        Repaired,
        &[WgMgr(C::Hb1), WgMgr(C::Ping1)],
        "DISCO timers as on a desktop (3 s and 15 s) cost about 36 ms each time and showed as \
         spikes of 400 to 700 ms every 10 to 15 s.",
    ),
    Pitfall::new(
        "PF-13",
        Repaired,
        &[WgMgr(C::Dedup1)],
        "Each data packet comes directly and over DERP, and the second copy was decrypted before \
         it was refused.",
    ),
    Pitfall::new(
        "PF-14",
        Repaired,
        &[WgMgr(C::Ping1), WgMgr(C::Probe1)],
        "Several places forced pings within 5 s, each with a new transaction id: about 27 probes \
         outstanding and pongs that matched nothing.",
    ),
    Pitfall::new(
        "PF-15",
        Repaired,
        &[WgMgr(C::Probe1)],
        "The sweep compared with the tick's start time; the unsigned age of a probe sent in that \
         tick underflowed and killed it at once.",
    ),
    Pitfall::new(
        "PF-16",
        Repaired,
        &[WgMgr(C::Add2), WgMgr(C::Cap3)],
        "On networks of more than 128 nodes the machine's own peer could be trimmed from the \
         table and stay unreachable for ever.",
    ),
    Pitfall::new(
        "PF-20",
        Repaired,
        &[WgMgr(C::Lease1), WgMgr(C::Lease2)],
        "The lease of 60 s was the only way to leave a dead direct path, which stayed dark for 10 \
         to 66 s.",
    ),
    Pitfall::new(
        "PF-21",
        Repaired,
        &[WgMgr(C::Lease1)],
        "A demotion cleared the endpoint only while a session was up, so that retries went on to \
         a dead endpoint, which the reset at 540 s brought back as well.",
    ),
    Pitfall::new(
        "PF-22",
        Repaired,
        &[WgMgr(C::Add2), WgMgr(C::Path1)],
        "An endpoint from the network map was installed unproven: pings passed and data did not.",
    ),
    Pitfall::new(
        "PF-23",
        Repaired,
        &[WgMgr(C::Wake1)],
        "A peer restarted while the local keypair stayed valid: the session looked up and was \
         dead, for more than 30 s when only one of two machines was hit.",
    ),
    Pitfall::new(
        "PF-24",
        Repaired,
        &[WgMgr(C::Wake1)],
        "An initiation over DERP without a DISCO ping before it is ignored by peers that set up \
         tunnels lazily.",
    ),
    Pitfall::new(
        "PF-25",
        Repaired,
        &[WgMgr(C::Rehome1)],
        "With one DERP connection an initiation never reached a peer on another region, while the \
         opposite direction worked.",
    ),
    Pitfall::new(
        "PF-26",
        Repaired,
        &[WgMgr(C::Add2), WgMgr(C::Rehome1)],
        "A repeated map without regions or endpoints overwrote the known ones, and the peer was \
         DERP-only or unreachable for ever.",
    ),
    Pitfall::new(
        "PF-27",
        Repaired,
        &[WgMgr(C::Pong1)],
        "A peer that pinged directly every few seconds had no candidate endpoint: nothing was \
         learned from its pings.",
    ),
    Pitfall::new(
        "PF-28",
        Repaired,
        &[WgMgr(C::Flap1)],
        "Behind a hard NAT the path was promoted and demoted about every 5 s, each time with \
         another endpoint.",
    ),
    Pitfall::new(
        "PF-29",
        Repaired,
        &[WgMgr(C::Derp1)],
        "Heartbeats shared one DERP queue of 16 with DISCO and were delayed or evicted, about one \
         new bond per hour.",
    ),
    Pitfall::new(
        "PF-30",
        Repaired,
        &[WgMgr(C::Rehome1)],
        "An auxiliary connection was to close when idle, but unrelated traffic refreshed it, so \
         it never did.",
    ),
    Pitfall::new(
        "PF-31",
        Repaired,
        &[],
        "Every failed DERP connect leaked a TLS context until the network stack stood still.",
    ),
    Pitfall::new(
        "PF-32",
        Repaired,
        &[WgMgr(C::Rehome1)],
        "A lost DERP connection was retried once per 60 s only.",
    ),
    Pitfall::new(
        "PF-33",
        Repaired,
        &[],
        "A DERP handshake needs 20 to 30 kB of internal memory, of which 5 to 13 kB were free.",
    ),
    Pitfall::new(
        "PF-34",
        Repaired,
        &[WgMgr(C::Derp1), WgMgr(C::Rehome1)],
        "Connecting an auxiliary region blocked the DERP task for 20 to 40 s, in which home was \
         not read.",
    ),
    Pitfall::new(
        "PF-35",
        Repaired,
        &[WgMgr(C::Derp1)],
        "A limit of 1 s for the payload of a DERP frame cut frames on lossy links and forced \
         reconnects; it is 5 s again.",
    ),
    Pitfall::new(
        "PF-36",
        Repaired,
        &[WgMgr(C::Path1)],
        "During a repeated map a pong from another endpoint moved the safety peer and forced a \
         handshake.",
    ),
    Pitfall::new(
        "PF-37",
        Repaired,
        &[WgMgr(C::Rate1)],
        "A safety peer reached only over DERP answered each ping, and each pong fired another \
         connect.",
    ),
    Pitfall::new(
        "PF-38",
        Repaired,
        &[WgMgr(C::Path1), WgMgr(C::Hs1)],
        "The one-shot direct handshake left its peer marked active, which retried for ever.",
    ),
    Pitfall::new(
        "PF-39",
        Repaired,
        &[],
        "The control connection was half open, yet the answers to its own pings kept the watchdog \
         content: three chips were off line for 17 h.",
    ),
];
