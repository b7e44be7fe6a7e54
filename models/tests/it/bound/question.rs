//! Small questions for tests: a preset, costs in whole microseconds, and streams.
use firmware_core::charge::CostKey;
use firmware_core::wg_mgr::config::{OpensExempt, PassOrder};
use firmware_core::wg_mgr::preset::Preset;
use models::bound::data::{
    Claim, Curve, DiscoKind, DiscoStream, Ground, Inputs, KeyCost, Label, Order, Pass, Peers,
    Sender, TunnelKind, TunnelStream, Updates,
};
use models::bound::{Verdict, analyse};

pub const MS: u64 = 1_000_000;
/// Facts e: X25519 with -Og.
pub const X: u64 = 28_300_000;

pub const NEVER: Curve = Curve::Limited { burst: 0, period_ns: 0, jitter_ns: 0, total: Some(0) };

pub fn ground(label: Label) -> Ground {
    Ground { label, stated: label == Label::Assumed, source: "a test".to_owned() }
}

/// One at once, and one every so many milliseconds.
pub fn every(ms: u64) -> Curve {
    Curve::Limited { burst: 1, period_ns: ms * MS, jitter_ns: 0, total: None }
}

pub fn all_at_once(count: u64) -> Curve {
    Curve::Limited { burst: count, period_ns: 0, jitter_ns: 0, total: Some(count) }
}

pub fn tunnel(kind: TunnelKind, curve: Curve) -> TunnelStream {
    TunnelStream { name: format!("{kind:?}"), kind, curve, ground: ground(Label::Assumed) }
}

pub fn disco(sender: Sender, kind: DiscoKind, curve: Curve) -> DiscoStream {
    let (name, keys) = (format!("{sender:?} {kind:?}"), None);
    DiscoStream { name, sender, kind, keys, curve, ground: ground(Label::Assumed) }
}

/// What an operation takes when only X25519 takes time.
pub fn cost(key: CostKey, worst_ns: u64) -> KeyCost {
    KeyCost {
        key: format!("{key:?}"),
        worst_ns,
        row: "x25519_ms".to_owned(),
        ground: ground(Label::Measured),
    }
}

/// A preset under strangers without number and a heartbeat every 100 ms; only X25519 takes time.
pub fn storm(preset: Preset) -> Inputs {
    let config = preset.config();
    let limit = |limit: Option<u16>| limit.map(u64::from);
    Inputs {
        title: "a storm".to_owned(),
        preset: preset.name().to_owned(),
        table: "og".to_owned(),
        pass: Pass {
            order: match config.order {
                PassOrder::TunnelFirst => Order::TunnelFirst,
                PassOrder::TunnelLast => Order::TunnelLast,
            },
            interleave: config.interleave,
            loop_delay_ns: config.loop_delay.as_nanos(),
            tunnel_depth: config.tunnel_queue_depth.into(),
            disco_depth: config.disco_queue_depth.into(),
            adds: limit(config.adds_per_pass),
            broadcast_sends: limit(config.call_me_maybe_sends_per_pass),
            opens: limit(config.opens_per_pass),
            known_keys_exempt: config.opens_exempt == OpensExempt::KnownKeys,
            known_keys_drained: false,
            disco_time_ns: None,
            write_each_save: preset == Preset::Pre0,
            disco_enabled: true,
            upgrades: config.upgrades_per_tick.into(),
            heartbeats: limit(config.heartbeats_per_tick),
            cached_keys: config.key_cache_entries.into(),
            cache_takes_any: true,
            echo: true,
        },
        costs: CostKey::ALL.map(|key| cost(key, X * key.x25519_count())).into(),
        tunnel: vec![tunnel(TunnelKind::Heartbeat, every(100))],
        disco: vec![disco(Sender::Unknown, DiscoKind::Nothing, Curve::Unlimited)],
        updates: Updates { adds: NEVER, others: NEVER, ground: ground(Label::Assumed) },
        peers: Peers {
            most: 0,
            direct: 0,
            own_endpoint: false,
            broadcast: false,
            store_changes: false,
            relay_connects: false,
            ground: ground(Label::Assumed),
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
        other => panic!("not bounded: {other:?}"),
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
