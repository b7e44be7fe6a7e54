//! `--set key=value`, `--preset` and `--seed`: edits of the scenario's text before it is checked.
//!
//! A key is a path with dots. An element of a list is named by its `name` (peers, floods,
//! heartbeats, tasks), its `point` (faults), its `metric` (expect) or its index from 0:
//! `peers.fleet.count=240`, `faults.inbound_loss.share_percent=5`.
use super::error::{Place, Problem, ScenarioError};
use super::nearest::nearest;
use super::outline::{self, Entry};
use super::schema::{self, Field};
use super::source::Source;

/// What replaces parts of a scenario file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Another preset; the file's own `config` still applies.
    pub preset: Option<String>,
    /// Another seed.
    pub seed: Option<u64>,
    /// Edits as `key=value`, applied in their order.
    pub set: Vec<String>,
}

impl Overrides {
    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The flags that ask for the same, in the order in which they are applied.
    pub fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        flags.extend(self.preset.iter().map(|preset| format!("--preset {preset}")));
        flags.extend(self.seed.iter().map(|seed| format!("--seed {seed}")));
        flags.extend(self.set.iter().map(|set| format!("--set {set}")));
        flags
    }

    /// Edits the text.
    pub(crate) fn apply(&self, source: &mut Source, fields: &[Field]) -> Result<(), ScenarioError> {
        if let Some(preset) = &self.preset {
            Edit::new(format!("--preset {preset}"), "preset", &quote(preset))
                .apply(source, fields)?;
        }
        if let Some(seed) = self.seed {
            Edit::new(format!("--seed {seed}"), "seed", &seed.to_string()).apply(source, fields)?;
        }
        for set in &self.set {
            let flag = format!("--set {set}");
            match set.split_once('=') {
                Some((key, value)) if !key.trim().is_empty() && !value.trim().is_empty() => {
                    Edit::new(flag, key.trim(), &literal(value.trim())).apply(source, fields)?;
                }
                _ => {
                    let problem = Problem::Value(format!("`{set}` is not of the form key=value"));
                    let next = "write a path and a value, such as --set costs.x25519_ms=11.3";
                    return Err(ScenarioError::new(Place::Flag { flag }, problem, next));
                }
            }
        }
        Ok(())
    }
}

/// The value as RON. What is no value by itself, such as `ARM-1` or a path, is taken as text.
fn literal(value: &str) -> String {
    let is_a_value = ron::value::RawValue::from_ron(value).is_ok() && !value.contains("//");
    if is_a_value { value.to_owned() } else { quote(value) }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// One replacement.
struct Edit<'a> {
    flag: String,
    key: &'a str,
    value: &'a str,
}

impl<'a> Edit<'a> {
    fn new(flag: String, key: &'a str, value: &'a str) -> Self {
        Self { flag, key, value }
    }

    fn apply(self, source: &mut Source, fields: &[Field]) -> Result<(), ScenarioError> {
        let steps: Vec<&str> = self.key.split('.').collect();
        let mut range = outline::root(source.text());
        for (taken, step) in steps.iter().enumerate() {
            let Some(open) = outline::opening(source.text(), &range) else {
                return Err(self.unknown(fields, &steps[..=taken]));
            };
            let is_list = source.text()[open..].starts_with('[');
            let entries = outline::entries(source.text(), &range);
            let found = if is_list {
                element(source.text(), &entries, step)
            } else {
                entries.iter().find(|entry| entry.name == *step)
            };
            match found {
                Some(entry) => range = entry.value.clone(),
                None if is_list => {
                    return Err(self.no_such_element(source.text(), &entries, &steps[..=taken]));
                }
                None => return self.insert(source, fields, open + 1, (&steps, taken)),
            }
        }
        let flag = source.add_flag(self.flag);
        source.splice(range, self.value, flag);
        Ok(())
    }

    /// Adds a field that the file does not mention.
    fn insert(
        self,
        source: &mut Source,
        fields: &[Field],
        at: usize,
        (steps, taken): (&[&str], usize),
    ) -> Result<(), ScenarioError> {
        if !schema::exists(fields, steps) {
            return Err(self.unknown(fields, steps));
        }
        let rest = &steps[taken..];
        let (last, outer) = rest.split_last().expect("the field that is missing");
        let value = format!("{last}: {}", self.value);
        let new = outer.iter().rfold(value, |inner, step| format!("{step}: ({inner})")) + ", ";
        let flag = source.add_flag(self.flag);
        source.splice(at..at, &new, flag);
        Ok(())
    }

    fn unknown(self, fields: &[Field], steps: &[&str]) -> ScenarioError {
        let near = schema::nearest_path(fields, self.key);
        let field = steps.join(".");
        let next = "keys are paths with dots; `preflash explain` lists every field";
        self.error(Problem::UnknownField { field }, next).with_nearest(near)
    }

    fn no_such_element(self, text: &str, entries: &[Entry<'_>], steps: &[&str]) -> ScenarioError {
        let (name, list) = steps.split_last().expect("an element of a list");
        let names: Vec<String> =
            entries.iter().filter_map(|entry| element_name(text, entry)).collect();
        let near = nearest(name, names.iter().map(String::as_str)).map(|near| {
            self.key.replacen(&steps.join("."), &format!("{}.{near}", list.join(".")), 1)
        });
        let next = if names.is_empty() {
            format!("the file's `{}` is empty", list.join("."))
        } else {
            format!("the file has: {}", names.join(", "))
        };
        let problem = Problem::UnknownName { what: "element", name: steps.join(".") };
        self.error(problem, next).with_nearest(near)
    }

    fn error(self, problem: Problem, next: impl Into<String>) -> ScenarioError {
        let (text, range) = (self.flag.as_str().into(), 0..self.flag.len());
        ScenarioError::new(Place::Flag { flag: self.flag }, problem, next).with_text(text, range)
    }
}

/// The element with that name, or that index.
fn element<'a, 'b>(text: &str, entries: &'b [Entry<'a>], step: &str) -> Option<&'b Entry<'a>> {
    let named = entries.iter().find(|entry| element_name(text, entry).as_deref() == Some(step));
    named.or_else(|| entries.get(step.parse::<usize>().ok()?))
}

/// What an element calls itself.
fn element_name(text: &str, element: &Entry<'_>) -> Option<String> {
    outline::entries(text, &element.value)
        .into_iter()
        .find(|field| matches!(field.name, "name" | "point" | "metric"))
        .map(|field| text[field.value].trim_matches('"').to_owned())
}
