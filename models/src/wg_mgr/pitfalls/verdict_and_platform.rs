//! Pitfalls of the protective stop and of the platform, some of which looked like load: PF-50 to
//! PF-78.
use super::super::Clause as C;
use crate::clause::Clause::WgMgr;
use crate::pitfall::Pitfall;
use crate::pitfall::Standing::{Repaired, Trap};

/// PF-50 to PF-78, in the order of their numbers.
pub(super) const VERDICT_AND_PLATFORM: &[Pitfall] = &[
    Pitfall::new(
        "PF-50",
        Repaired,
        &[],
        "One reply was read per 100 ms round, so that a burst left a standing backlog and a false \
         round trip of 602 ms.",
    ),
    Pitfall::new(
        "PF-51",
        Repaired,
        &[],
        "With one missed heartbeat allowed and sending at half the timeout, one withheld round \
         raced the deadline: 13 false stops in 3.4 h.",
    ),
    Pitfall::new(
        "PF-52",
        Repaired,
        &[],
        "An acknowledgement lag above 10, 1 s at 10 Hz, counted as loss while the return path \
         failed over, although heartbeats arrived.",
    ),
    Pitfall::new(
        "PF-53",
        Repaired,
        &[],
        "With the tunnel down, a socket bound to any address sent heartbeats in plaintext over \
         the default route.",
    ),
    Pitfall::new(
        "PF-54",
        Repaired,
        &[],
        "One frame refused by the USB network driver made a gap of 200 ms, and a run of them more \
         than 1.2 s.",
    ),
    Pitfall::new(
        "PF-55",
        Repaired,
        &[],
        "An electrical disturbance of 100 to 200 ms passed for the gesture that arms the robot.",
    ),
    Pitfall::new("PF-56", Repaired, &[], "Every power-on produced a stop followed by a release."),
    Pitfall::new(
        "PF-57",
        Repaired,
        &[],
        "The machine's two cores read a live clock each, and about 25 % of their replies differed.",
    ),
    Pitfall::new(
        "PF-58",
        Repaired,
        &[],
        "The safety tasks ran below the WireGuard loop, and mismatches crept in.",
    ),
    Pitfall::new(
        "PF-59",
        Repaired,
        &[],
        "A stale completion made the comparator compare an old buffer.",
    ),
    Pitfall::new(
        "PF-60",
        Repaired,
        &[],
        "The radio's sleep mode raised new bonds from 3 to 67 within minutes.",
    ),
    Pitfall::new(
        "PF-61",
        Repaired,
        &[],
        "One packet with a wrong checksum poisoned the runner's anomaly tracker.",
    ),
    Pitfall::new(
        "PF-70",
        Repaired,
        &[],
        "The loop called the network stack without its lock, which panicked silently after 100 to \
         180 s of direct UDP; with the lock, handshakes hold up outbound heartbeats.",
    ),
    Pitfall::new("PF-71", Repaired, &[], "Task stacks overflowed, one of them only after 33 min."),
    Pitfall::new(
        "PF-72",
        Repaired,
        &[WgMgr(C::Ord1)],
        "Suspending the loop while it held the store's or the network stack's lock froze the boot \
         or the whole stack.",
    ),
    Pitfall::new(
        "PF-73",
        Repaired,
        &[],
        "An abort after 90 s without liveness, sooner than the crash counter cleared (120 s), \
         turned a mere outage into a rollback.",
    ),
    Pitfall::new(
        "PF-74",
        Repaired,
        &[WgMgr(C::Cap2)],
        "64 peers of the tunnel in internal memory stopped the device after about 10 s.",
    ),
    Pitfall::new(
        "PF-75",
        Repaired,
        &[],
        "A receive mailbox of 6 dropped the DERP upgrade while peers were taken in.",
    ),
    Pitfall::new(
        "PF-76",
        Repaired,
        &[],
        "The radio driver was initialised on the wired path too and left 1.9 kB of internal \
         memory.",
    ),
    Pitfall::new(
        "PF-77",
        Repaired,
        &[],
        "The build configuration was not regenerated, so that intended settings had no effect.",
    ),
    Pitfall::new(
        "PF-78",
        Trap,
        &[],
        "Archived notes keep hypotheses that were refuted, such as an exhausted packet pool or 10 \
         to 20 ms of cryptography per packet.",
    ),
];
