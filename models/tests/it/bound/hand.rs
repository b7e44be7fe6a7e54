//! Bounds that can be computed by hand from facts b2, e and g1.
use firmware_core::wg_mgr::preset::Preset;
use models::bound::Flood;
use models::bound::data::{DiscoKind, Provenance, Road, Sender, Task, TunnelKind};

use super::question::{
    MS, X, all_at_once, bounded, disco, every, ground, missing, storm, tunnel, verdict,
};

fn wait(preset: Preset) -> u64 {
    bounded(&storm(preset)).busy.wait_ns
}

/// Cites WG-DISCO-1 and WG-Q2: four opens of 28.3 ms where nothing drains between them, one where
/// something does.
#[test]
fn strangers_cost_four_opens_before_the_drain_between_and_one_after() {
    assert_eq!(wait(Preset::Arm1), 4 * X);
    assert_eq!(4 * X, 113_200_000);
    assert_eq!(wait(Preset::Key2), 4 * X);
    assert_eq!(wait(Preset::Ilv3), X);
    assert_eq!(wait(Preset::Head4), X);
}

/// Facts h4: with the X25519 of -O3, 11.3 ms, an open is hardly longer than the sleep.
#[test]
fn a_faster_x25519_leaves_the_sleep_as_the_limit() {
    let mut inputs = storm(Preset::Head4);
    inputs.costs.iter_mut().for_each(|cost| cost.worst_ns = cost.worst_ns / X * 11_300_000);
    assert_eq!(bounded(&inputs).busy.wait_ns, 11_300_000);
    inputs.costs.iter_mut().for_each(|cost| cost.worst_ns = cost.worst_ns / 11_300_000 * 9 * MS);
    assert_eq!(bounded(&inputs).busy.wait_ns, 10 * MS, "the loop delay");
}

/// Cites WG-Q2's edges (facts b2): the write of the peer cache and the broadcast lie in the same gap
/// as the first open, so a drain after each open does not make the worst case one open.
#[test]
fn flash_and_broadcast_lie_in_the_gap_of_the_first_open() {
    let mut inputs = storm(Preset::Ilv3);
    (inputs.peers.most, inputs.peers.broadcast, inputs.peers.store_changes) = (3, true, true);
    let write = inputs.costs.iter_mut().find(|cost| cost.key == "StoreWrite");
    write.expect("every key is there").worst_ns = 45 * MS;
    let claim = bounded(&inputs);
    // Three peers: at most one ping of the timers each, 84.9 ms and the sleep.
    let timers = 3 * X + 10 * MS;
    let work = 45 * MS + 2 * X + X;
    assert_eq!(claim.gaps[1].span_ns, work);
    assert_eq!(claim.gaps[2].span_ns, timers);
    assert_eq!(claim.busy.wait_ns, work.max(timers));
}

/// Cites WG-ADD-1: a netmap; without interleave four additions of an X25519 for the tunnel and one
/// for the box, with it one.
#[test]
fn a_netmap_costs_four_additions_or_one() {
    let of = |preset| {
        let mut inputs = storm(preset);
        (inputs.peers.most, inputs.updates.adds) = (128, all_at_once(128));
        inputs.disco.clear();
        let claim = bounded(&inputs);
        claim.gaps[0].span_ns
    };
    assert_eq!(of(Preset::Arm1), 4 * 2 * X);
    assert_eq!(of(Preset::Ilv3), 2 * X);
}

/// Cites WG-LEASE-1 (PF-90): paths given up together have no cap but the table; 128 pings whose
/// keys have been evicted, and the sleep.
#[test]
fn a_mass_lease_flap_costs_one_ping_a_peer() {
    let mut inputs = storm(Preset::Head4);
    (inputs.peers.most, inputs.peers.direct) = (128, 128);
    // In 3.6 s more heartbeats come than the queue has room for.
    assert_eq!(missing(&inputs), ["no budget on demotions"]);
    let shedding = verdict(&inputs).claim().map(|claim| claim.busy.backlog);
    assert_eq!(shedding, Some(37));
    inputs.pass.tunnel_depth = 37;
    assert_eq!(bounded(&inputs).busy.wait_ns, 128 * X + 10 * MS);
    inputs.peers.direct = 0;
    // 2 upgrades, 8 heartbeats, and one of the priority peer.
    assert_eq!(bounded(&inputs).busy.wait_ns, 11 * X + 10 * MS);
}

/// Cites WG-DISCO-1: before the armour nothing bounds strangers.
#[test]
fn before_the_armour_there_is_no_bound_and_the_missing_budget_is_named() {
    assert_eq!(missing(&storm(Preset::Pre0)), ["no budget on unknown opens"]);
    // A known burst is bounded even so: case 04, 40 boxes of 30 ms and the sleep.
    let mut inputs = storm(Preset::Pre0);
    inputs.disco[0].curve = all_at_once(40);
    inputs.costs.iter_mut().for_each(|cost| cost.worst_ns = cost.worst_ns / X * 30 * MS);
    inputs.pass.tunnel_depth = 32;
    assert_eq!(bounded(&inputs).busy.wait_ns, 1_210 * MS);
    // With the queue of eight, the thirteen heartbeats of that time do not fit.
    inputs.pass.tunnel_depth = 8;
    assert_eq!(missing(&inputs), ["no budget on unknown opens"]);
}

/// Cites WG-DISCO-1 (PF-91): a spoofed known key is free of the budget from KEY-2 on.
#[test]
fn known_keys_without_number_are_bounded_by_the_budget_of_arm_1_alone() {
    let with = |preset| Flood::KnownKeys.over(&storm(preset));
    assert_eq!(bounded(&with(Preset::Arm1)).busy.wait_ns, 4 * X);
    for preset in [Preset::Key2, Preset::Ilv3, Preset::Head4] {
        assert_eq!(missing(&with(preset)), ["no bound on known-key arrivals"]);
    }
    // The corrected rule drains after each and charges the first contact.
    let mut inputs = with(Preset::Head4);
    inputs.pass.known_keys_drained = true;
    assert_eq!(bounded(&inputs).busy.wait_ns, X);
}

/// Known keys that come at a known rate: the gap is a fixed point of what arrives in it.
#[test]
fn known_keys_at_a_rate_lengthen_the_gap_that_they_arrive_in() {
    let mut inputs = storm(Preset::Key2);
    inputs.disco = vec![disco(Sender::Known, DiscoKind::Nothing, every(50))];
    // Eight in the queue, one now, and one every 50 ms: 9 X is 254.7 ms, in which 5 more arrive;
    // 14 X is 396.2 ms: 2 more; 16 X is 452.8: 2 more, and 18 X is 509.4: none at 50 ms but one
    // more, 10 in all; 19 X is 537.7 ms, and stays.
    let claim = bounded(&inputs);
    let iterates = [9 * X, 14 * X, 16 * X, 18 * X, 19 * X, 19 * X];
    assert_eq!(claim.gaps[0].iterates_ns, iterates);
    assert_eq!(claim.busy.wait_ns, 19 * X);
    // 40 a second are more than one core can open.
    inputs.disco[0].curve = every(25);
    assert_eq!(missing(&inputs), ["no budget on known-key opens"]);
    // A time budget bounds what a pass does, whatever arrives.
    inputs.pass.disco_time_ns = Some(40 * MS);
    assert_eq!(bounded(&inputs).busy.wait_ns, 40 * MS + X);
}

/// Cites WG-HS-4 (PF-99): four X25519 for each inbound initiation, and nothing that bounds them.
#[test]
fn inbound_initiations_need_a_budget_in_every_version() {
    for preset in [Preset::Arm1, Preset::Key2, Preset::Ilv3, Preset::Head4] {
        let inputs = Flood::Initiations.over(&storm(preset));
        assert_eq!(missing(&inputs), ["no budget on inbound initiations"]);
    }
    let both = Flood::Initiations.over(&storm(Preset::Pre0));
    let named = ["no budget on unknown opens", "no budget on inbound initiations"];
    assert_eq!(missing(&both), named);
    // One a second: the heartbeat behind it waits for it too.
    let mut inputs = storm(Preset::Ilv3);
    inputs.tunnel.push(tunnel(TunnelKind::Initiation, every(1_000)));
    let claim = bounded(&inputs);
    assert_eq!((claim.busy.wait_ns, claim.busy.ahead), (X + 4 * X, 1));
    // Nine a second are more than the core has time for.
    inputs.tunnel[1].curve = every(111);
    assert_eq!(missing(&inputs), ["no budget on inbound initiations"]);
}

/// Cites WG-HS-4 and WG-DISCO-1: where two roads are open, both are named.
#[test]
fn two_open_roads_are_two_missing_facts() {
    let inputs = Flood::Initiations.over(&Flood::KnownKeys.over(&storm(Preset::Head4)));
    let named = ["no bound on known-key arrivals", "no budget on inbound initiations"];
    assert_eq!(missing(&inputs), named);
}

/// A task of a higher priority takes its share of every gap: twice at the window's edge.
#[test]
fn other_tasks_lengthen_the_wait_by_their_runs() {
    let mut inputs = storm(Preset::Ilv3);
    inputs.tasks =
        vec![Task { name: "comparator".to_owned(), period_ns: 100 * MS, run_ns: MS / 2 }];
    assert_eq!(bounded(&inputs).busy.wait_ns, X + MS);
    inputs.tasks[0].run_ns = 100 * MS;
    assert_eq!(missing(&inputs), ["no bound on what other tasks take of the core"]);
}

/// A figure that nobody has measured bounds nothing, unless the question states it.
#[test]
fn an_assumed_cost_that_binds_is_a_missing_measurement() {
    let mut inputs = storm(Preset::Arm1);
    let open = inputs.costs.iter_mut().find(|cost| cost.key == "BoxOpenComputed");
    let open = open.expect("every key is there");
    (open.row, open.ground) = ("x25519_ms".to_owned(), ground(Provenance::Assumed));
    open.ground.stated = false;
    assert_eq!(missing(&inputs), ["no measurement of x25519_ms"]);
    inputs.costs.iter_mut().for_each(|cost| cost.ground.stated = true);
    assert_eq!(bounded(&inputs).busy.wait_ns, 4 * X);
}

/// Heartbeats that come together wait for each other.
#[test]
fn packets_ahead_in_the_queue_are_waited_for() {
    let mut inputs = storm(Preset::Ilv3);
    let data = inputs.costs.iter_mut().find(|cost| cost.key == "TunnelData");
    data.expect("every key is there").worst_ns = MS;
    inputs.tunnel.push(tunnel(TunnelKind::Data, all_at_once(5)));
    let claim = bounded(&inputs);
    assert_eq!((claim.busy.wait_ns, claim.busy.ahead), (X + 5 * MS, 5));
    assert_eq!(claim.busy.backlog, 6);
    assert_eq!(claim.gaps[1].parts[0].road, Road::Opens);
}

/// Costs that are missing, or there twice, are no question.
#[test]
fn every_operation_needs_exactly_one_cost() {
    let mut inputs = storm(Preset::Arm1);
    let last = inputs.costs.pop().expect("there are some");
    assert!(models::bound::analyse(&inputs).is_err());
    inputs.costs.push(last.clone());
    assert!(models::bound::analyse(&inputs).is_ok());
    inputs.costs.push(last);
    assert!(models::bound::analyse(&inputs).is_err());
}

/// Facts b2 with sessions in the core: a mass lease flap costs each of 128 peers a ping and two
/// X25519, and the tunnel's timers may begin as many handshakes again in the same gap.
#[test]
fn sessions_add_handshakes_to_the_gap_of_the_timers() {
    let mut inputs = storm(Preset::Head4);
    inputs.pass.sessions = true;
    (inputs.peers.most, inputs.peers.direct) = (128, 128);
    inputs.pass.tunnel_depth = 4_000;
    let claim = bounded(&inputs);
    // 128 pings, 128 demotions and 128 slots of two X25519 each, and the sleep.
    assert_eq!(claim.busy.wait_ns, (128 + 2 * 128 + 2 * 128) * X + 10 * MS);
    // A cap of four a tick, and one safety peer that is exempt and may be woken.
    (inputs.pass.demotions, inputs.peers.safety) = (Some(4), 1);
    // 5 demotions, 2 upgrades, 8 heartbeats and 1 of the priority peer are 16 pings; one wake.
    let wait = bounded(&inputs).busy.wait_ns;
    assert_eq!(wait, (16 + 1 + 2 * (5 + 1 + 128)) * X + 10 * MS);
}

/// Cites WG-PATH-1 and WG-ADD-2: a pong may begin a handshake, and so may entering a peer.
#[test]
fn pongs_and_additions_may_begin_a_handshake() {
    let mut inputs = storm(Preset::Arm1);
    inputs.disco = vec![disco(Sender::Known, DiscoKind::Pong, all_at_once(2))];
    assert_eq!(bounded(&inputs).busy.wait_ns, 2 * X);
    inputs.pass.sessions = true;
    assert_eq!(bounded(&inputs).busy.wait_ns, 2 * 3 * X);
    (inputs.peers.most, inputs.updates.adds) = (1, all_at_once(1));
    assert_eq!(bounded(&inputs).gaps[0].span_ns, 2 * 3 * X + 4 * X);
}
