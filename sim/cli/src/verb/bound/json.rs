//! A bound as JSON: the same facts for machines, in a stable order.
use models::bound::Verdict;
use models::bound::data::Certificate;
use serde_json::{Value, json};

use super::Answer;
use super::text::{binding, chain};

/// Milliseconds with the nanoseconds behind the point.
#[expect(clippy::cast_precision_loss, reason = "below 2^53 ns, a hundred days, it is exact")]
fn ms(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

fn verdict(found: &Verdict) -> Value {
    let mut value = match found {
        Verdict::Bounded(claim) => {
            json!({ "bounded": true, "wait_ms": ms(claim.busy.wait_ns), "missing": [] })
        }
        Verdict::NotBounded { missing, why, only_if } => json!({
            "bounded": false,
            "missing": missing,
            "why": why,
            "only_if_wait_ms": only_if.as_ref().map(|claim| ms(claim.busy.wait_ns)),
        }),
    };
    if let Some(claim) = found.claim() {
        value["chain"] = chain(claim).into();
        value["binding_gap"] = json!(binding(claim).map(|gap| gap.kind));
        value["claim"] = json!(claim);
    }
    value
}

/// Every answer.
pub(super) fn render(answers: &[Answer]) -> String {
    let answers: Vec<Value> = answers
        .iter()
        .map(|answer| {
            let flooded: serde_json::Map<_, _> = answer
                .flooded
                .iter()
                .map(|(flood, found)| (flood.key().to_owned(), verdict(found)))
                .collect();
            json!({
                "title": answer.inputs.title,
                "preset": answer.inputs.preset,
                "verdict": verdict(&answer.verdict),
                "with_any": flooded,
                "inputs": answer.inputs,
            })
        })
        .collect();
    let text = serde_json::to_string_pretty(&json!({ "subject": "wg_mgr", "answers": answers }));
    text.expect("plain data is always JSON") + "\n"
}

/// A certificate that holds.
pub(super) fn verified(certificate: &Certificate) -> String {
    let busy = &certificate.claim.busy;
    let value = json!({
        "holds": true,
        "title": certificate.inputs.title,
        "preset": certificate.inputs.preset,
        "wait_ms": ms(busy.wait_ns),
        "backlog": busy.backlog,
    });
    serde_json::to_string_pretty(&value).expect("plain data is always JSON") + "\n"
}
