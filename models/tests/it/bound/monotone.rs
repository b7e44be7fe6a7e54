//! More cost, more arrivals or a larger budget never give a smaller bound, and what has no bound
//! gets none from them.
use firmware_core::wg_mgr::preset::Preset;
use models::bound::analyse;
use models::bound::data::{Curve, DiscoKind, Inputs, Sender, TunnelKind};
use proptest::prelude::*;

use super::question::{MS, all_at_once, disco, every, storm, tunnel};

/// The bound in nanoseconds; the largest number where there is none.
fn wait(inputs: &Inputs) -> u64 {
    let verdict = analyse(inputs).expect("the costs are complete");
    verdict.claim().map_or(u64::MAX, |claim| claim.busy.wait_ns)
}

/// A question of moderate load.
fn question() -> impl Strategy<Value = Inputs> {
    let rates = (300..4_000_u64, 300..4_000_u64, 5..200_u64, 500..4_000_u64, 20..200_u64);
    let others = (0..20_u64, 0..20_u64, any::<bool>(), 0..6_u64);
    (0..5_usize, 1..30_u64, rates, others).prop_map(|(preset, open_ms, rates, others)| {
        let (known, priority, junk, initiations, beats) = rates;
        let (peers, adds, own_endpoint, strangers) = others;
        let mut inputs = storm(Preset::ALL[preset]);
        for cost in &mut inputs.costs {
            cost.worst_ns = cost.worst_ns / 28_300_000 * open_ms * MS + MS / 20;
        }
        inputs.disco = vec![
            disco(Sender::Unknown, DiscoKind::Nothing, all_at_once(strangers)),
            disco(Sender::Known, DiscoKind::Ping, every(known)),
            disco(Sender::Priority, DiscoKind::Pong, every(priority)),
        ];
        inputs.tunnel = vec![
            tunnel(TunnelKind::Heartbeat, every(beats)),
            tunnel(TunnelKind::Junk, every(junk)),
            tunnel(TunnelKind::Initiation, every(initiations)),
        ];
        inputs.disco[1].keys = Some(peers.max(1));
        inputs.peers.most = peers;
        inputs.peers.direct = peers / 2;
        inputs.peers.own_endpoint = own_endpoint;
        inputs.peers.broadcast = own_endpoint;
        inputs.peers.store_changes = adds > 0;
        inputs.updates.adds = all_at_once(adds);
        inputs
    })
}

fn more(curve: Curve) -> Curve {
    match curve {
        Curve::Unlimited => Curve::Unlimited,
        Curve::Limited { burst, period_ns, jitter_ns, total } => Curve::Limited {
            burst: burst + 1,
            period_ns: period_ns / 2,
            jitter_ns: jitter_ns + MS,
            total: total.map(|total| total + 1),
        },
    }
}

proptest! {
    #[test]
    fn a_dearer_operation_never_shortens_the_bound(
        inputs in question(), key in 0..12_usize, by_ms in 0..10_u64,
    ) {
        let mut dearer = inputs.clone();
        let place = key % dearer.costs.len();
        dearer.costs[place].worst_ns += by_ms * MS;
        prop_assert!(wait(&dearer) >= wait(&inputs));
    }

    #[test]
    fn more_arrivals_never_shorten_the_bound(inputs in question(), which in 0..7_usize) {
        let mut fuller = inputs.clone();
        match which {
            0..3 => fuller.disco[which].curve = more(fuller.disco[which].curve),
            3..6 => fuller.tunnel[which - 3].curve = more(fuller.tunnel[which - 3].curve),
            _ => fuller.updates.adds = more(fuller.updates.adds),
        }
        prop_assert!(wait(&fuller) >= wait(&inputs));
    }

    /// Cites WG-DISCO-1, WG-ADD-1, WG-CMM-1, WG-HB-1 and WG-HB-2.
    #[test]
    fn a_larger_budget_never_shortens_the_bound(inputs in question(), which in 0..6_usize) {
        let mut looser = inputs.clone();
        let pass = &mut looser.pass;
        let raise = |budget: &mut Option<u64>| *budget = budget.map(|most| most + 1);
        match which {
            0 => raise(&mut pass.opens),
            1 => raise(&mut pass.adds),
            2 => raise(&mut pass.broadcast_sends),
            3 => raise(&mut pass.heartbeats),
            4 => pass.upgrades += 1,
            _ => pass.disco_depth += 1,
        }
        prop_assert!(wait(&looser) >= wait(&inputs));
        looser.pass.opens = None;
        prop_assert!(wait(&looser) >= wait(&inputs));
    }
}
