//! What the files may hold, read off their own types: JSON Schemas, and every field by its path.
//!
//! ```text
//!   types ──► schema ──► version, duration_ms, …, config.rules.late_pongs, …, peers.*.count, …
//! ```
//!
//! `*` is any element of a list.
use std::sync::LazyLock;

use schemars::schema_for;
use serde_json::{Map, Value};

use super::file::ScenarioFile;
use super::file::cost_table::CostTableFile;
use super::file::faults::FaultPointFile;
use super::m3_read::file::ReadScenarioFile;
use super::nearest;

/// A field of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its path with dots.
    pub path: String,
    /// What it is, with its default.
    pub meaning: String,
    /// What it may hold.
    pub values: String,
}

static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| fields_of(&scenario()));
static READ_FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| fields_of(&read_scenario()));

fn fields_of(schema: &Value) -> Vec<Field> {
    let mut fields = Vec::new();
    collect(schema, schema, "", &mut fields);
    fields.sort_by(|one, other| one.path.cmp(&other.path));
    fields.dedup_by(|one, other| one.path == other.path);
    fields
}

/// The JSON Schema of a scenario file.
pub fn scenario() -> Value {
    schema_for!(ScenarioFile).to_value()
}

/// The JSON Schema of a scenario file of the READ path.
pub fn read_scenario() -> Value {
    schema_for!(ReadScenarioFile).to_value()
}

/// The JSON Schema of a cost table file.
pub fn cost_table() -> Value {
    schema_for!(CostTableFile).to_value()
}

/// Every fault point with its meaning.
pub fn fault_points() -> Vec<(String, String)> {
    let schema = schema_for!(FaultPointFile).to_value();
    let choices = schema["oneOf"].as_array().into_iter().flatten();
    choices
        .filter_map(|choice| Some((choice["const"].as_str()?.to_owned(), text(choice))))
        .collect()
}

/// Every field, sorted by path.
pub fn fields() -> &'static [Field] {
    &FIELDS
}

/// Every field of a scenario of the READ path, sorted by path.
pub fn read_fields() -> &'static [Field] {
    &READ_FIELDS
}

/// Whether a path leads to one of the fields that a file may have.
pub(crate) fn exists(fields: &[Field], steps: &[&str]) -> bool {
    fields.iter().any(|field| {
        let known = field.path.split('.');
        known.clone().count() == steps.len()
            && known.zip(steps).all(|(known, step)| known == "*" || known == *step)
    })
}

/// The path that a writer of `key` most likely meant. A path that ends with the same field wins;
/// names of elements are kept.
pub(crate) fn nearest_path(fields: &[Field], key: &str) -> Option<String> {
    let steps: Vec<&str> = key.split('.').collect();
    let named: Vec<String> =
        fields.iter().map(|field| with_names_of(&steps, &field.path)).collect();
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

fn collect(root: &Value, schema: &Value, prefix: &str, fields: &mut Vec<Field>) {
    let Some(schema) = schema.as_object() else {
        return;
    };
    if let Some(target) = referenced(root, schema) {
        collect(root, target, prefix, fields);
    }
    for choice in choices(schema) {
        collect(root, variant(choice).map_or(choice, |(_, inner)| inner), prefix, fields);
    }
    if let Some(items) = schema.get("items") {
        collect(root, items, &format!("{prefix}*."), fields);
    }
    for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let path = format!("{prefix}{name}");
        fields.push(Field { path, meaning: text(field), values: values(root, field).join(", ") });
        collect(root, field, &format!("{prefix}{name}."), fields);
    }
}

/// What a value may be, as words.
fn values(root: &Value, schema: &Value) -> Vec<String> {
    let Some(object) = schema.as_object() else {
        return Vec::new();
    };
    if let Some(target) = referenced(root, object) {
        return values(root, target);
    }
    if let Some((word, _)) = variant(schema) {
        return vec![format!("{word}(…)")];
    }
    if let Some(word) = object.get("const").and_then(Value::as_str) {
        return vec![word.to_owned()];
    }
    let chosen: Vec<String> = choices(object).flat_map(|choice| values(root, choice)).collect();
    if !chosen.is_empty() {
        return chosen;
    }
    let types: Vec<&str> = match object.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let range = match (object.get("minimum"), object.get("maximum")) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        _ => String::new(),
    };
    let word = |name: &str| match name {
        "null" => None,
        "object" => Some("( … )".to_owned()),
        "array" => Some("[ … ]".to_owned()),
        "string" => Some("a text".to_owned()),
        "boolean" => Some("true, false".to_owned()),
        "integer" => Some(format!("a whole number{range}")),
        _ => Some(format!("a number{range}")),
    };
    types.into_iter().filter_map(word).collect()
}

/// The alternatives of a schema.
fn choices(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let lists = ["anyOf", "oneOf"].into_iter().filter_map(|word| schema.get(word)?.as_array());
    lists.flatten().filter(|choice| choice["type"] != "null")
}

fn referenced<'a>(root: &'a Value, schema: &Map<String, Value>) -> Option<&'a Value> {
    root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
}

/// A word with fields: RON writes them right behind the word.
fn variant(choice: &Value) -> Option<(&str, &Value)> {
    let fields = choice.get("properties")?.as_object()?;
    let required = choice.get("required")?.as_array()?;
    let only = fields.len() == 1 && required.len() == 1 && choice.get("description").is_some();
    only.then(|| fields.iter().next().map(|(word, inner)| (word.as_str(), inner)))?
}

/// A description on one line.
fn text(schema: &Value) -> String {
    let words = schema["description"].as_str().unwrap_or_default().split_whitespace();
    words.collect::<Vec<_>>().join(" ")
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
            "floods.strangers.content.bytes",
            "faults.inbound_loss.share_percent",
            "expect.disco_shed.at_least",
        ] {
            let steps: Vec<&str> = path.split('.').collect();
            assert!(exists(fields(), &steps), "{path} is not among {:?}", fields());
        }
        assert!(!exists(fields(), &["floods", "strangers", "arrivals", "even"]));
        assert!(!exists(fields(), &["costs", "x25519"]));
    }

    #[test]
    fn every_field_says_what_it_is_and_what_it_may_hold() {
        for field in fields() {
            assert!(!field.meaning.is_empty(), "{}", field.path);
            assert!(!field.values.is_empty(), "{}", field.path);
        }
        let values = |path| &fields().iter().find(|field| field.path == path).unwrap().values;
        assert_eq!(values("config.opens_per_pass"), "a whole number from 0 to 65535, unlimited");
        assert_eq!(values("config.rules.late_pongs"), "compat, strict");
        assert_eq!(values("costs.x25519_ms"), "a number from 0 to 31536000000");
        assert_eq!(values("peers.*.enters"), "netmap(…), cache");
        assert_eq!(values("shuffled_ties"), "true, false");
    }

    #[test]
    fn the_nearest_path_keeps_the_names_of_elements() {
        let near = |key| nearest_path(fields(), key).unwrap();
        assert_eq!(near("config.open_per_pass"), "config.opens_per_pass");
        assert_eq!(near("x25519_ms"), "costs.x25519_ms");
        assert_eq!(near("costs.x25519_us"), "costs.x25519_ms");
        assert_eq!(near("peers.fleet.cuont"), "peers.fleet.count");
        let rate = near("floods.strangers.arrivals.rate_per_min");
        assert_eq!(rate, "floods.strangers.arrivals.rate_per_s");
    }

    #[test]
    fn every_fault_point_has_a_meaning() {
        let points = fault_points();
        assert_eq!(points.len(), 5);
        assert!(points.iter().all(|(_, meaning)| meaning.ends_with('.')), "{points:?}");
    }
}
