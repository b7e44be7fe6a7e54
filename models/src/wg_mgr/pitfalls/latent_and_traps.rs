//! Defects that the newest firmware still has, and traps in the evidence: PF-90 to PF-125.
use super::super::Clause as C;
use crate::clause::Clause::WgMgr;
use crate::pitfall::Pitfall;
use crate::pitfall::Standing::{Latent, Trap};

/// PF-90 to PF-125, in the order of their numbers.
pub(super) const LATENT_AND_TRAPS: &[Pitfall] = &[
    Pitfall::new(
        "PF-90",
        Latent,
        &[WgMgr(C::Lease1), WgMgr(C::Wdt1)],
        "Leases that end together demote without cap or drain: 128 peers take 2.9 s (X = 11.3 ms) \
         to 7.2 s (28.3 ms), past the 1.5 s of the verdict and perhaps the 5 s of the watchdog.",
    ),
    Pitfall::new(
        "PF-91",
        Latent,
        &[WgMgr(C::Disco1), WgMgr(C::Nvs3)],
        "Packets with known keys are drained without bound or interleaving, and the first contact \
         of a cached peer whose key is not yet computed costs 1 X each.",
    ),
    Pitfall::new(
        "PF-92",
        Latent,
        &[WgMgr(C::Cache1)],
        "Each DERP connect voids the shared-key cache, since it seals with a second secret \
         through it, from another core and without a lock.",
    ),
    Pitfall::new(
        "PF-93",
        Latent,
        &[WgMgr(C::Cache1)],
        "132 random keys evict all idle peers from the shared-key cache, as keys are stored \
         before authentication.",
    ),
    Pitfall::new(
        "PF-94",
        Latent,
        &[WgMgr(C::Rescue1)],
        "A claim of a node key that nothing authenticates takes over a peer's DISCO key, and is \
         stored.",
    ),
    Pitfall::new(
        "PF-95",
        Latent,
        &[WgMgr(C::Disco2)],
        "All-zero DISCO keys match each other and give a shared key that anyone can compute.",
    ),
    Pitfall::new(
        "PF-96",
        Latent,
        &[WgMgr(C::Dedup1)],
        "Pairs are recorded without authentication: a forged header blocks the genuine heartbeat.",
    ),
    Pitfall::new(
        "PF-97",
        Latent,
        &[WgMgr(C::Cmm2)],
        "Two nodes of this kind echo each other's CallMeMaybe for ever; each turn takes probe \
         slots and rides the priority DERP queue.",
    ),
    Pitfall::new(
        "PF-98",
        Latent,
        &[WgMgr(C::Hb2)],
        "The cap on upgrade probes does not spare the priority peer: its 5 s become 60 to 64 s \
         with 120 or more peers on DERP.",
    ),
    Pitfall::new(
        "PF-99",
        Latent,
        &[WgMgr(C::Hs4)],
        "Initiations received have no budget (4 X each, under the network stack's lock), an \
         inverted rate limit and no cookies.",
    ),
    Pitfall::new(
        "PF-100",
        Latent,
        &[WgMgr(C::Hs1)],
        "The previous keypair never ages: the session counts as up for ever, which misleads the \
         retransmit cap and the wake, and the retries every 5 s return.",
    ),
    Pitfall::new(
        "PF-101",
        Latent,
        &[WgMgr(C::Add2), WgMgr(C::Rem1)],
        "A reused slot leaks endpoints, region, one-shot mark and round trip; late pongs are \
         credited to its new owner, and a tunnel index can be stale after a removal.",
    ),
    Pitfall::new(
        "PF-102",
        Latent,
        &[WgMgr(C::Hs4)],
        "Handshake timestamps count from power-on: after a restart old peers may refuse \
         initiations until they forget.",
    ),
    Pitfall::new(
        "PF-103",
        Latent,
        &[WgMgr(C::Nvs1), WgMgr(C::Nvs2)],
        "The peer cache loses a failed flush, has a 16-bit clock that wraps, is not written on \
         restart, and with 128 entries cannot be updated in 24 KiB.",
    ),
    Pitfall::new(
        "PF-104",
        Latent,
        &[WgMgr(C::Cap1), WgMgr(C::Cmm1), WgMgr(C::Nvs3), WgMgr(C::Shut1)],
        "The documented default of 32 peers is inert, the broadcast's index survives a restart of \
         the task, and the cache can fill the table with dead peers.",
    ),
    Pitfall::new(
        "PF-105",
        Latent,
        &[],
        "The remote gives up after 1500 ms, before the machine does at 2000 ms, so that the \
         machine's added margin is unusable against stalled replies; its first new bond is \
         refused, which leaves about 6.5 s dark.",
    ),
    Pitfall::new(
        "PF-106",
        Latent,
        &[WgMgr(C::Lease2)],
        "Pongs over DERP mask a direct path that fails one way: the watchdog of 4 s is silent and \
         the lease of 60 s acts.",
    ),
    Pitfall::new(
        "PF-107",
        Latent,
        &[WgMgr(C::Wake1)],
        "A suppressed ping makes the wake connect every second, and an unhealthy peer with a \
         direct path does two handshakes every 3 s.",
    ),
    Pitfall::new(
        "PF-108",
        Latent,
        &[WgMgr(C::Derp1)],
        "DISCO frames to the safety peer share its priority queue, whose frames go out stale \
         after the home connection was lost.",
    ),
    Pitfall::new(
        "PF-109",
        Latent,
        &[WgMgr(C::Disco1)],
        "The zero-copy build drains its DISCO ring without a budget.",
    ),
    Pitfall::new(
        "PF-120",
        Trap,
        &[WgMgr(C::Disco1), WgMgr(C::Q1)],
        "The storm injector's magic is not the firmware's: its packets probably took the path of \
         WireGuard junk and opened no box.",
    ),
    Pitfall::new(
        "PF-121",
        Trap,
        &[],
        "The heartbeat's reported round trip is quantised by a window of 50 ms in rounds of 100 \
         ms: 101 to 110 ms are read on paths of 13 ms.",
    ),
    Pitfall::new(
        "PF-122",
        Trap,
        &[],
        "In the loss test the phase called tolerated has 153 s without heartbeats, replies had \
         left the direct path before it was cut, and the machine was never armed.",
    ),
    Pitfall::new(
        "PF-123",
        Trap,
        &[],
        "The AEAD figures time another library than the firmware's, X25519 figures change \
         optimisation level between documents, and one sentence writes us for ms.",
    ),
    Pitfall::new(
        "PF-124",
        Trap,
        &[WgMgr(C::Disco1)],
        "The 400 opens per second of the design document leave out what an open costs; at 30 ms \
         there are about 31.",
    ),
    Pitfall::new(
        "PF-125",
        Trap,
        &[],
        "Of the test tools, some stamp out of order, read an identity as octal, skew relays by 40 \
         to 60 ms, or lose their queue settings when USB re-enumerates.",
    ),
];
