//! Which clauses an output speaks of: where to look when it is not the expected one.
use firmware_core::charge::CostKey;
use firmware_core::wake::WakeReason;
use firmware_core::wg_mgr::output::{InitiationReason, MessageKind, PathLoss, Queue, Refusal};
use models::clause::Clause;

use crate::pft::Event;

/// The clauses that a difference concerns: those of the expected output, those of the other one,
/// and where neither says any, those of the input.
pub fn of(input: &Event, expected: Option<&Event>, got: Option<&Event>) -> Vec<Clause> {
    let mut clauses = Vec::new();
    let sides = [expected, got].into_iter().flatten().map(ids);
    let mut add = |found: &[&str]| {
        let found = found.iter().filter_map(|id| id.parse::<Clause>().ok());
        for clause in found {
            if !clauses.contains(&clause) {
                clauses.push(clause);
            }
        }
    };
    sides.for_each(&mut add);
    if clauses.is_empty() {
        for clause in ids(input).iter().filter_map(|id| id.parse::<Clause>().ok()) {
            clauses.push(clause);
        }
    }
    clauses
}

/// The ids of the clauses that a record speaks of.
const fn ids(event: &Event) -> &'static [&'static str] {
    match event {
        Event::OutCharge { key } => charge(*key),
        Event::OutReceive { queue } => match queue {
            Queue::Tunnel => &["WG-Q2", "WG-ORD-1"],
            Queue::Disco => &["WG-DISCO-1", "WG-ORD-1"],
            Queue::Updates => &["WG-ADD-1", "WG-ORD-1"],
        },
        Event::OutSend { message, .. } => match message {
            MessageKind::Ping => &["WG-PING-1"],
            MessageKind::Pong => &["WG-PONG-1"],
            MessageKind::CallMeMaybe => &["WG-CMM-1", "WG-CMM-2"],
        },
        Event::OutToTunnel { .. } => &["WG-Q1", "WG-DEDUP-1"],
        Event::OutWriteStore { .. } => &["WG-NVS-1"],
        Event::NoteOpened { .. } => &["WG-DISCO-1"],
        Event::NoteRefused { why } => refused(*why),
        Event::NoteRescued { .. } => &["WG-RESCUE-1"],
        Event::NoteMatched { .. } => &["WG-PROBE-1", "WG-PROBE-2"],
        Event::NotePathUp { .. } => &["WG-LEASE-1"],
        Event::NotePathDown { why, .. } => match why {
            PathLoss::TrustExpired => &["WG-LEASE-1"],
            PathLoss::Silent => &["WG-LEASE-2"],
        },
        Event::NotePingSkipped { .. } => &["WG-PING-1"],
        Event::NotePingUntracked { .. } => &["WG-PROBE-1"],
        Event::NoteHeartbeatDue { .. } => &["WG-HB-1"],
        Event::NoteUpgradeDue { .. } => &["WG-HB-2"],
        Event::NoteAdded { .. } => &["WG-ADD-2", "CAP-1", "CAP-2"],
        Event::NoteRefreshed { .. } => &["WG-ADD-3"],
        Event::NoteRemoved { .. } | Event::InRemove { .. } => &["WG-REM-1"],
        Event::NoteStopped {} | Event::InShutdown {} => &["WG-SHUT-1"],
        Event::OutWake { why, .. } => match why {
            WakeReason::OpensSpent => &["WG-DISCO-1"],
            WakeReason::AddsSpent => &["WG-ADD-1"],
            WakeReason::Continue
            | WakeReason::PassDelay
            | WakeReason::Registration
            | WakeReason::Stopped => &["WG-ORD-1"],
        },
        Event::OutTransmit { .. } => &["WG-PATH-2", "WG-HS-2", "WG-HS-3"],
        Event::OutDeliver { .. } => &["WG-Q1", "WG-REPLAY-1"],
        Event::OutRehome { .. }
        | Event::NoteRelayPoolFull {}
        | Event::InRelay { .. }
        | Event::InRelayHome { .. }
        | Event::InRelayOverride { .. } => &["WG-REHOME-1"],
        Event::OutSendQueue { .. } => &["WG-DERP-1"],
        Event::NoteInitiated { why, .. } => initiated(*why),
        Event::NoteSessionUp { .. } | Event::NoteSessionDown { .. } => &["WG-HS-3"],
        Event::NoteActiveCleared { .. } => &["WG-HS-1"],
        Event::NoteInitiationsGivenUp { .. } => &["WG-HS-2"],
        Event::NoteRoamed { .. } | Event::NotePathKept { .. } => &["WG-PATH-1"],
        Event::NoteBackedOff { .. } => &["WG-FLAP-1"],
        Event::InTunnelSend { .. } => &["WG-HS-3", "WG-PATH-2"],
        Event::InPin { .. } | Event::InPeerChanged { .. } => &["CAP-3"],
        Event::InHealth { .. } | Event::InLinkHealth { .. } => &["WG-WAKE-1", "CAP-3"],
        Event::InBootedAt { .. } => &["WG-HS-4"],
        Event::InAdd { .. } | Event::InPatch { .. } => &["WG-ADD-1", "WG-ADD-3"],
        Event::InPacket { .. } => &["WG-DISCO-2", "WG-Q1"],
        Event::InWake {} | Event::InEmpty {} => &["WG-ORD-1"],
        Event::M3Store { .. } => &["S 1.6", "ER-7"],
        Event::M3Read { .. } => &["ER-5", "ER-9"],
        Event::M3Write { .. } | Event::M3WriteSource { .. } => &["ER-4", "S:2012-2013"],
        Event::M3ReadClock {} => &["ER-1 Clock", "ER-1"],
        Event::M3Done { .. } => &["S 1.6", "ER-8"],
        Event::M3Byte { .. } | Event::M3Clock { .. } => &["ER-1", "S 1.6"],
        Event::M3Request { .. } => &["S:2012-2013"],
        _ => &[],
    }
}

const fn charge(key: CostKey) -> &'static [&'static str] {
    match key {
        CostKey::DiscoReject => &["WG-DISCO-2"],
        CostKey::BoxOpenComputed | CostKey::BoxOpenCached => &["WG-CACHE-1", "WG-DISCO-1"],
        CostKey::BoxSealComputed | CostKey::BoxSealCached => &["WG-CACHE-1", "WG-PING-1"],
        CostKey::PeerAdd => &["WG-ADD-1", "WG-ADD-2"],
        CostKey::PeerUpdate => &["WG-ADD-3"],
        CostKey::TunnelData => &["WG-Q1", "WG-REPLAY-1"],
        CostKey::InitiationReceived | CostKey::InitiationRefused | CostKey::ResponseReceived => {
            &["WG-Q1", "WG-HS-4"]
        }
        CostKey::InitiationSent => &["WG-HS-2", "WG-LEASE-1"],
        CostKey::TunnelDataSent => &["WG-HS-3"],
        CostKey::TunnelReject => &["WG-DEDUP-1"],
        CostKey::StoreWrite => &["WG-NVS-1"],
    }
}

const fn initiated(why: InitiationReason) -> &'static [&'static str] {
    match why {
        InitiationReason::Retry | InitiationReason::Renew => &["WG-HS-2"],
        InitiationReason::Rekey => &["WG-HS-3"],
        InitiationReason::Added => &["WG-ADD-2"],
        InitiationReason::Demoted => &["WG-LEASE-1", "WG-LEASE-2"],
        InitiationReason::Wake => &["WG-WAKE-1"],
        InitiationReason::RelayPong => &["WG-RATE-1"],
        InitiationReason::PathChanged | InitiationReason::FirstPath => &["WG-PATH-1"],
    }
}

const fn refused(why: Refusal) -> &'static [&'static str] {
    match why {
        Refusal::NotDisco
        | Refusal::DiscoDisabled
        | Refusal::LowOrderKey
        | Refusal::NoTag
        | Refusal::TooLong
        | Refusal::Forged
        | Refusal::TooShort
        | Refusal::UnknownType
        | Refusal::UnknownSender => &["WG-DISCO-2"],
        Refusal::NotAllowed => &["WG-ALLOW-1"],
        Refusal::ClaimRefused => &["WG-RESCUE-1"],
        Refusal::PongTooSoon => &["WG-PONG-1"],
        Refusal::PongUnmatched | Refusal::PongOrphaned => &["WG-PROBE-1"],
        Refusal::PongDuplicate => &["WG-PROBE-2"],
        Refusal::CallMeMaybeTooSoon => &["WG-CMM-2"],
        Refusal::TableFull => &["WG-ADD-2", "CAP-1"],
        Refusal::NoSuchPeer => &["WG-REM-1"],
        Refusal::TunnelMalformed => &["WG-Q1"],
        Refusal::TunnelCopy => &["WG-DEDUP-1"],
        Refusal::Unexpected => &["WG-ORD-1"],
        Refusal::Mac1Wrong
        | Refusal::InitiationsOverBudget
        | Refusal::InitiatorUnknown
        | Refusal::HandshakeForged
        | Refusal::TimestampNotNewer
        | Refusal::InitiationTooSoon
        | Refusal::ResponseUnmatched
        | Refusal::CookieIgnored => &["WG-HS-4"],
        Refusal::SessionUnknown | Refusal::SessionExpired | Refusal::NoSession => &["WG-HS-3"],
        Refusal::DataForged | Refusal::CounterReplayed => &["WG-REPLAY-1"],
        Refusal::NoTunnel => &["CAP-2"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_in_the_register() {
        let source = include_str!("clauses.rs");
        let code = source.split("#[cfg(test)]").next().expect("the code");
        let ids = code.split('"').skip(1).step_by(2);
        let mut found = 0;
        for id in ids {
            assert!(id.parse::<Clause>().is_ok(), "{id}");
            found += 1;
        }
        assert!(found > 40);
    }
}
