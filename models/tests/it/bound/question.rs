//! Small questions for tests: a preset, costs in whole microseconds, and streams.
use firmware_core::charge::CostKey;
use firmware_core::wg_mgr::preset::Preset;
use models::bound::data::{
    Claim, Curve, DiscoKind, DiscoStream, Ground, Inputs, KeyCost, Pass, Peers, Provenance, Sender,
    TunnelKind, TunnelStream, Updates,
};
use models::bound::{Verdict, analyse};

pub const MS: u64 = 1_000_000;
/// Facts e: X25519 with -Og.
pub const X: u64 = 28_300_000;

pub const NEVER: Curve = Curve::Limited { burst: 0, period_ns: 0, jitter_ns: 0, total: Some(0) };

pub fn ground(label: Provenance) -> Ground {
    Ground { label, stated: label == Provenance::Assumed, source: "a test".to_owned() }
}

/// One at once, and one every so many milliseconds.
pub fn every(ms: u64) -> Curve {
    Curve::Limited { burst: 1, period_ns: ms * MS, jitter_ns: 0, total: None }
}

pub fn all_at_once(count: u64) -> Curve {
    Curve::Limited { burst: count, period_ns: 0, jitter_ns: 0, total: Some(count) }
}

pub fn tunnel(kind: TunnelKind, curve: Curve) -> TunnelStream {
    TunnelStream { name: format!("{kind:?}"), kind, curve, ground: ground(Provenance::Assumed) }
}

pub fn disco(sender: Sender, kind: DiscoKind, curve: Curve) -> DiscoStream {
    let (name, keys) = (format!("{sender:?} {kind:?}"), None);
    DiscoStream { name, sender, kind, keys, curve, ground: ground(Provenance::Assumed) }
}

/// What an operation takes when only X25519 takes time.
pub fn cost(key: CostKey, worst_ns: u64) -> KeyCost {
    KeyCost {
        key: format!("{key:?}"),
        worst_ns,
        row: "x25519_ms".to_owned(),
        ground: ground(Provenance::Measured),
    }
}

/// A preset under strangers without number and a heartbeat every 100 ms; only X25519 takes time.
pub fn storm(preset: Preset) -> Inputs {
    Inputs {
        title: "a storm".to_owned(),
        preset: preset.name().to_owned(),
        table: "og".to_owned(),
        pass: Pass::of(&preset.config()),
        costs: CostKey::ALL.map(|key| cost(key, X * key.x25519_count())).into(),
        tunnel: vec![tunnel(TunnelKind::Heartbeat, every(100))],
        disco: vec![disco(Sender::Unknown, DiscoKind::Nothing, Curve::Unlimited)],
        updates: Updates { adds: NEVER, others: NEVER, ground: ground(Provenance::Assumed) },
        peers: Peers {
            most: 0,
            direct: 0,
            safety: 0,
            own_endpoint: false,
            broadcast: false,
            store_changes: false,
            relay_connects: false,
            ground: ground(Provenance::Assumed),
        },
        tasks: Vec::new(),
    }
}

#[track_caller]
pub fn verdict(inputs: &Inputs) -> Verdict {
    analyse(inputs).expect("the costs are complete")
}

/// The claim of a question that is bounded.
#[track_caller]
pub fn bounded(inputs: &Inputs) -> Claim {
    match verdict(inputs) {
        Verdict::Bounded(claim) => claim,
        Verdict::NotBounded { missing, why, .. } => panic!("{why}: {missing:?}"),
    }
}

/// What is missing for one that is not.
#[track_caller]
pub fn missing(inputs: &Inputs) -> Vec<String> {
    match verdict(inputs) {
        Verdict::NotBounded { missing, .. } => missing,
        Verdict::Bounded(claim) => panic!("bounded by {} ns", claim.busy.wait_ns),
    }
}
