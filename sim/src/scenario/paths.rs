//! Every path that `--set` knows, read off the file types' own description.
//!
//! ```text
//!   schema ──► version, duration_ms, …, config.rules.late_pongs, …, peers.*.count, …
//! ```
//!
//! `*` is any element of a list.
use std::sync::LazyLock;

use schemars::schema_for;
use serde_json::{Map, Value};

use super::file::ScenarioFile;
use super::nearest;

static PATHS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let schema = schema_for!(ScenarioFile).to_value();
    let mut paths = Vec::new();
    collect(&schema, &schema, "", &mut paths);
    paths.sort();
    paths.dedup();
    paths
});

/// Every path, sorted.
pub(crate) fn all() -> &'static [String] {
    &PATHS
}

/// Whether a path leads to a field that a file may have.
pub(crate) fn exists(steps: &[&str]) -> bool {
    all().iter().any(|path| {
        let known = path.split('.');
        known.clone().count() == steps.len()
            && known.zip(steps).all(|(known, step)| known == "*" || known == *step)
    })
}

/// The path that a writer of `key` most likely meant. A path that ends with the same field wins;
/// names of elements are kept.
pub(crate) fn nearest(key: &str) -> Option<String> {
    let steps: Vec<&str> = key.split('.').collect();
    let named: Vec<String> = all().iter().map(|path| with_names_of(&steps, path)).collect();
    let last = steps.last().copied().unwrap_or_default();
    let same_end = || {
        let ends = named.iter().filter(|path| path.rsplit('.').next() == Some(last));
        nearest::nearest(key, ends.clone().map(String::as_str))
            .or_else(|| ends.map(String::as_str).next())
    };
    let by_unit =
        || named.iter().map(String::as_str).find(|path| nearest::same_but_for_the_unit(path, key));
    let whole = || nearest::nearest(key, named.iter().map(String::as_str));
    by_unit().or_else(same_end).or_else(whole).map(str::to_owned)
}

/// A path with the element's name from `steps` in place of each `*`.
fn with_names_of(steps: &[&str], path: &str) -> String {
    let named: Vec<&str> = path
        .split('.')
        .enumerate()
        .map(|(at, step)| if step == "*" { steps.get(at).copied().unwrap_or("NAME") } else { step })
        .collect();
    named.join(".")
}

fn collect(root: &Value, schema: &Value, prefix: &str, paths: &mut Vec<String>) {
    let Some(schema) = schema.as_object() else {
        return;
    };
    if let Some(target) = referenced(root, schema) {
        collect(root, target, prefix, paths);
    }
    for word in ["anyOf", "oneOf"] {
        for choice in schema.get(word).and_then(Value::as_array).into_iter().flatten() {
            collect(root, variant(choice).unwrap_or(choice), prefix, paths);
        }
    }
    if let Some(items) = schema.get("items") {
        collect(root, items, &format!("{prefix}*."), paths);
    }
    for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        paths.push(format!("{prefix}{name}"));
        collect(root, field, &format!("{prefix}{name}."), paths);
    }
}

fn referenced<'a>(root: &'a Value, schema: &Map<String, Value>) -> Option<&'a Value> {
    root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
}

/// The fields of a word with fields: RON writes them right behind the word.
fn variant(choice: &Value) -> Option<&Value> {
    let fields = choice.get("properties")?.as_object()?;
    let required = choice.get("required")?.as_array()?;
    let only = fields.len() == 1 && required.len() == 1;
    only.then(|| fields.values().next())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_through_structs_lists_and_words_with_fields() {
        for path in [
            "duration_ms",
            "costs.x25519_ms",
            "config.opens_per_pass",
            "config.rules.late_pongs",
            "device.tasks.cpu.period_ms",
            "peers.fleet.count",
            "peers.fleet.enters.at_ms",
            "peers.fleet.pings.rate_per_s",
            "floods.strangers.arrivals.offsets_ms",
            "faults.inbound_loss.share_percent",
            "expect.disco_shed.at_least",
        ] {
            let steps: Vec<&str> = path.split('.').collect();
            assert!(exists(&steps), "{path} is not among {:?}", all());
        }
        assert!(!exists(&["floods", "strangers", "arrivals", "even"]));
    }

    #[test]
    fn the_nearest_path_keeps_the_names_of_elements() {
        let near = |key| nearest(key).unwrap();
        assert_eq!(near("config.open_per_pass"), "config.opens_per_pass");
        assert_eq!(near("x25519_ms"), "costs.x25519_ms");
        assert_eq!(near("costs.x25519_us"), "costs.x25519_ms");
        assert_eq!(near("peers.fleet.cuont"), "peers.fleet.count");
        assert_eq!(
            near("floods.strangers.arrivals.rate_per_min"),
            "floods.strangers.arrivals.rate_per_s",
        );
    }
}
