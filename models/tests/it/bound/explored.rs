//! Explored and proved: no run of the closed system, small as it is, waits longer than the formula
//! says of the same small world.
use std::fmt::Write as _;

use firmware_core::charge::CostKey;
use firmware_core::wg_mgr::preset::Preset;
use models::bound::certificate::verify;
use models::bound::data::{
    Curve, DiscoKind, DiscoStream, Inputs, KeyCost, Pass, Peers, Provenance, Sender, TunnelKind,
    Updates,
};
use models::bound::{analyse, certify};
use models::wg_mgr::costs;
use models::wg_mgr::system::{Arrival, Scene, scaled};

use super::fault::at_fault;
use super::question::{all_at_once, disco, ground, tunnel};
use crate::wg_mgr::system::explored;

/// Peers of the closed system when it begins, the first of them reached directly.
const PEERS: u64 = 2;

fn explored_ns(preset: Preset, scene: &Scene) -> u64 {
    let longest_us = explored(preset, false, scene.clone(), 1).1;
    // It counts to the end of the heartbeat's own decryption.
    let (_, own) = costs::interval(CostKey::TunnelData);
    longest_us.saturating_sub(own) * 1_000
}

/// The scaled configuration under as many arrivals as the scene allows, all of which may come at
/// once.
fn premises(preset: Preset, scene: &Scene) -> Inputs {
    let config = scaled(preset, false);
    let once = |kind| all_at_once(scene.budget(kind).into());
    let of =
        |sender, kind, arrival| DiscoStream { keys: Some(1), ..disco(sender, kind, once(arrival)) };
    let cost = |key: CostKey| KeyCost {
        key: format!("{key:?}"),
        worst_ns: costs::interval(key).1 * 1_000,
        row: "og".to_owned(),
        ground: ground(if costs::is_assumed(key) {
            Provenance::Assumed
        } else {
            Provenance::Measured
        }),
    };
    let call = DiscoKind::CallMeMaybe { endpoints: 1 };
    let adds = u64::from(scene.budget(Arrival::Add));
    Inputs {
        title: scene.name.to_owned(),
        preset: preset.name().to_owned(),
        table: "og".to_owned(),
        pass: Pass::of(&config),
        costs: CostKey::ALL.map(cost).into(),
        tunnel: vec![
            tunnel(TunnelKind::Heartbeat, once(Arrival::Heartbeat)),
            tunnel(TunnelKind::Initiation, once(Arrival::Initiation)),
        ],
        disco: vec![
            of(Sender::Unknown, DiscoKind::Nothing, Arrival::Stranger),
            of(Sender::Known, DiscoKind::Ping, Arrival::Known),
            of(Sender::Known, call, Arrival::CallMeMaybe),
        ],
        updates: Updates {
            adds: all_at_once(adds),
            others: once(Arrival::Remove),
            ground: ground(Provenance::Assumed),
        },
        peers: Peers {
            most: PEERS + adds,
            direct: PEERS,
            safety: 1,
            own_endpoint: true,
            broadcast: false,
            store_changes: true,
            relay_connects: false,
            ground: ground(Provenance::Assumed),
        },
        tasks: Vec::new(),
    }
}

fn proved_ns(preset: Preset, scene: &Scene) -> u64 {
    let inputs = premises(preset, scene);
    let verdict = analyse(&inputs).expect("the costs are complete");
    let claim = verdict.claim().expect("a finite number of arrivals is served some time");
    let text = serde_json::to_string(&certify(&inputs, claim)).expect("plain data");
    verify(&text).expect("the checker takes the claim");
    claim.busy.wait_ns
}

/// Cites WG-Q1, WG-Q2 and WG-HS-4: explored <= proved, with and without inbound initiations. The
/// figures are pinned in microseconds, so that a change of either side is seen: the formula lets the
/// write of the peer cache, 45 ms, fall into the gap, and known keys miss the cache.
#[test]
fn nothing_that_is_explored_waits_longer_than_is_proved() {
    let mut table = String::new();
    for preset in Preset::ALL {
        for scene in [Scene::wait(), Scene::wait_with_initiations()] {
            let (explored, proved) = (explored_ns(preset, &scene), proved_ns(preset, &scene));
            let name = format!("{:<7} {:<22}", preset.name(), scene.name);
            assert!(explored > 0, "{name}: no heartbeat was served");
            if explored > proved {
                let (_, own) = costs::interval(CostKey::TunnelData);
                let at_fault = at_fault(preset, &scene, proved / 1_000 + own);
                panic!(
                    "{name}: explored {explored} ns, proved {proved} ns; at fault: {at_fault:?}"
                );
            }
            let (explored, proved) = (explored / 1_000, proved / 1_000);
            writeln!(table, "{name} explored {explored:>7} us   proved {proved:>7} us")
                .expect("a string takes everything");
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_scene_without_heartbeats_has_nothing_to_compare() {
    let inputs = premises(Preset::Ilv3, &Scene::echo());
    let heartbeat = inputs.tunnel.first().map(|stream| stream.curve);
    assert_eq!(
        heartbeat,
        Some(Curve::Limited { burst: 0, period_ns: 0, jitter_ns: 0, total: Some(0) })
    );
}
