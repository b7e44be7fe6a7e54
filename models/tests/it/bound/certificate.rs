//! Certificates: what holds is taken, and no field of one can be changed unnoticed.
use firmware_core::wg_mgr::preset::Preset;
use models::bound::certificate::{Refused, verify};
use models::bound::data::{Certificate, Claim, DiscoKind, Inputs, Sender, Task, TunnelKind};
use models::bound::{analyse, certify};

use super::question::{MS, all_at_once, bounded, disco, every, storm, tunnel};

/// A question in which every road is taken.
fn busy(preset: Preset) -> Inputs {
    let mut inputs = storm(preset);
    inputs.costs.iter_mut().for_each(|cost| cost.worst_ns += MS / 10);
    let call = DiscoKind::CallMeMaybe { endpoints: 3 };
    for (sender, kind, ms) in [
        (Sender::Known, DiscoKind::Ping, 900),
        (Sender::Known, call, 5_000),
        (Sender::Priority, DiscoKind::Pong, 3_000),
        (Sender::Unknown, DiscoKind::Ping, 700),
    ] {
        let mut stream = disco(sender, kind, every(ms));
        stream.keys = (sender != Sender::Unknown).then_some(2);
        inputs.disco.push(stream);
    }
    if preset == Preset::Pre0 {
        inputs.disco[0].curve = all_at_once(9);
        inputs.pass.tunnel_depth = 4_000;
    }
    inputs.tunnel.push(tunnel(TunnelKind::Initiation, every(2_000)));
    inputs.tunnel.push(tunnel(TunnelKind::Junk, every(7)));
    (inputs.updates.adds, inputs.updates.others) = (all_at_once(9), all_at_once(3));
    let peers = &mut inputs.peers;
    (peers.most, peers.direct, peers.own_endpoint) = (9, 4, true);
    (peers.broadcast, peers.store_changes, peers.safety) = (true, true, 2);
    let (name, period_ns, run_ns) = ("comparator".to_owned(), 100 * MS, MS);
    inputs.tasks.push(Task { name, period_ns, run_ns });
    inputs
}

fn certificate(inputs: &Inputs) -> Certificate {
    let verdict = analyse(inputs).expect("the costs are complete");
    certify(inputs, verdict.claim().expect("there is a fixed point"))
}

fn text(certificate: &Certificate) -> String {
    serde_json::to_string(certificate).expect("plain data")
}

/// Two makers, one truth: the checker recomputes what the maker claims, in every version.
#[test]
fn the_checker_agrees_with_the_maker_in_every_version_and_with_every_switch() {
    for preset in Preset::ALL {
        for switches in 0..128_u8 {
            let on = |bit: u8| switches >> bit & 1 == 1;
            let mut inputs = busy(preset);
            let pass = &mut inputs.pass;
            pass.interleave ^= on(0);
            pass.known_keys_exempt ^= on(1);
            pass.known_keys_drained ^= on(2);
            pass.disco_time_ns = on(3).then_some(40 * MS);
            pass.cache_takes_any ^= on(4);
            pass.sessions = on(5);
            pass.demotions = on(6).then_some(1);
            let Some(claim) = analyse(&inputs).expect("complete").claim().cloned() else {
                continue;
            };
            let checked = verify(&text(&certify(&inputs, &claim)));
            assert!(checked.is_ok(), "{} {switches:07b}: {checked:?}", preset.name());
        }
        let plain = certificate(&busy(preset));
        assert_eq!(verify(&text(&plain)).expect("it holds"), plain, "{}", preset.name());
    }
}

/// Every figure of the claim, changed by one and sealed again as a dishonest maker would.
#[test]
fn a_claim_whose_figures_are_changed_is_refused_even_with_a_fitting_digest() {
    for preset in Preset::ALL {
        let honest = certificate(&busy(preset));
        let claim = serde_json::to_value(&honest.claim).expect("plain data");
        let pointers = numbers(&claim, String::new());
        assert!(pointers.len() > 20, "{pointers:?}");
        for pointer in pointers {
            for change in [-1_i64, 1] {
                let mut changed = claim.clone();
                let figure = changed.pointer_mut(&pointer).expect("it is there");
                let value = figure.as_u64().expect("whole numbers only");
                let Some(value) = value.checked_add_signed(change) else { continue };
                *figure = value.into();
                let claim = serde_json::from_value(changed).expect("still a claim");
                let checked = verify(&text(&certify(&honest.inputs, &claim)));
                let refused = matches!(checked, Err(Refused::Wrong(_)));
                assert!(refused, "{} {pointer} {change}", preset.name());
            }
        }
    }
}

/// The places of every number in a value.
fn numbers(value: &serde_json::Value, at: String) -> Vec<String> {
    match value {
        serde_json::Value::Number(_) => vec![at],
        serde_json::Value::Array(items) => items
            .iter()
            .enumerate()
            .flat_map(|(index, item)| numbers(item, format!("{at}/{index}")))
            .collect(),
        serde_json::Value::Object(fields) => {
            fields.iter().flat_map(|(name, field)| numbers(field, format!("{at}/{name}"))).collect()
        }
        _ => Vec::new(),
    }
}

/// Every leaf of the whole certificate, changed without sealing it again.
#[test]
fn no_field_of_a_certificate_can_be_changed_unnoticed() {
    let honest = serde_json::to_value(certificate(&busy(Preset::Ilv3))).expect("plain data");
    let leaves = leaves(&honest, String::new());
    assert!(leaves.len() > 150, "{}", leaves.len());
    for pointer in leaves {
        let mut changed = honest.clone();
        let leaf = changed.pointer_mut(&pointer).expect("it is there");
        *leaf = match &*leaf {
            serde_json::Value::Bool(value) => (!value).into(),
            serde_json::Value::Number(value) => (value.as_u64().unwrap_or(0) + 1).into(),
            serde_json::Value::Null => 1.into(),
            serde_json::Value::String(value) => format!("{value}x").into(),
            other => panic!("{other} is no leaf"),
        };
        assert!(verify(&changed.to_string()).is_err(), "{pointer}");
    }
}

fn leaves(value: &serde_json::Value, at: String) -> Vec<String> {
    match value {
        serde_json::Value::Array(items) => items
            .iter()
            .enumerate()
            .flat_map(|(index, item)| leaves(item, format!("{at}/{index}")))
            .collect(),
        serde_json::Value::Object(fields) => {
            fields.iter().flat_map(|(name, field)| leaves(field, format!("{at}/{name}"))).collect()
        }
        _ => vec![at],
    }
}

/// A maker who leaves out a gap, or a road, or takes a stream for less than it is.
#[test]
fn what_a_claim_leaves_out_is_missed() {
    let inputs = busy(Preset::Ilv3);
    let honest = certificate(&inputs).claim;
    let refused =
        |claim: &Claim| matches!(verify(&text(&certify(&inputs, claim))), Err(Refused::Wrong(_)));
    let mut claim = honest.clone();
    claim.gaps.pop();
    assert!(refused(&claim));
    for gap in 0..honest.gaps.len() {
        for part in 0..honest.gaps[gap].parts.len() {
            let mut claim = honest.clone();
            claim.gaps[gap].parts.remove(part);
            assert!(refused(&claim), "gap {gap}, part {part}");
        }
    }
    let mut quieter = inputs.clone();
    quieter.tunnel.pop();
    let other = certificate(&quieter).claim;
    assert!(refused(&other), "a claim about other premises");
}

#[test]
fn what_is_no_certificate_is_unreadable_and_does_not_panic() {
    let whole = text(&certificate(&busy(Preset::Arm1)));
    assert!(matches!(verify(""), Err(Refused::Unreadable(_))));
    for end in (0..whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        assert!(matches!(verify(&whole[..end]), Err(Refused::Unreadable(_))), "cut at {end}");
    }
    let added = whole.replacen('{', "{\"extra\":1,", 1);
    assert!(matches!(verify(&added), Err(Refused::Unreadable(_))), "an unknown field");
}

/// Figures at the edge of what a number can hold.
#[test]
fn figures_beyond_reason_are_refused_without_an_overflow() {
    let honest = certificate(&busy(Preset::Ilv3));
    let inputs = serde_json::to_value(&honest.inputs).expect("plain data");
    for pointer in numbers(&inputs, String::new()) {
        let mut changed = inputs.clone();
        *changed.pointer_mut(&pointer).expect("it is there") = u64::MAX.into();
        // Some numbers are of a narrower type.
        let Ok(inputs) = serde_json::from_value::<Inputs>(changed) else { continue };
        let _either = verify(&text(&certify(&inputs, &honest.claim)));
    }
}

#[test]
fn an_empty_world_has_a_bound_that_holds() {
    let mut inputs = storm(Preset::Head4);
    inputs.disco.clear();
    inputs.tunnel.clear();
    let claim = bounded(&inputs);
    assert_eq!(claim.busy.wait_ns, 10 * MS, "a packet that comes waits for the loop delay");
    assert!(verify(&text(&certify(&inputs, &claim))).is_ok());
}
