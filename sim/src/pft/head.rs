//! The head of a trace: what it is of, in words, and the schema of its records.
//!
//! The payload of the head block is a count and that many pairs of texts, encoded as the fields of
//! records are. Names that a reader does not know are kept.
use super::event::Event;
use super::field::{Cursor, Field, put_uint};

/// What a trace says about itself. Names in use:
///
/// | name | value |
/// |---|---|
/// | `subject` | `wg_mgr`, `m3_read`, or `other` for traces without a core's steps |
/// | `title` | one line |
/// | `tool` | what wrote it, with its version |
/// | `source` | of an import: the format it was made from |
/// | `seed`, `scenario_hash` | of the run |
/// | `scenario` | the device as a scenario in RON: preset, config, costs, device; nothing around it |
/// | `cost_table` | the cost table in RON |
/// | `client` | of `m3_read`: the arm and the client's tunables in RON |
/// | `redacted` | `yes` or `no` |
/// | `schema` | every kind of record, one a line, as [`Event::schema`] writes it |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    fields: Vec<(String, String)>,
}

/// What a trace is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceSubject {
    /// The manager loop.
    WgMgr,
    /// The READ client.
    M3Read,
    /// Neither core was stepped in it.
    Other,
}

impl TraceSubject {
    /// The word in the head.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WgMgr => "wg_mgr",
            Self::M3Read => "m3_read",
            Self::Other => "other",
        }
    }
}

impl Head {
    /// A head with the schema of this version.
    pub fn new(subject: TraceSubject, title: &str) -> Self {
        let mut head = Self::default();
        head.set("subject", subject.name());
        head.set("title", title);
        head.set("tool", concat!("preflash ", env!("CARGO_PKG_VERSION")));
        head.set("schema", &Event::schema());
        head
    }

    /// Sets a field.
    pub fn set(&mut self, name: &str, value: &str) {
        match self.fields.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => value.clone_into(known),
            None => self.fields.push((name.to_owned(), value.to_owned())),
        }
    }

    /// A field's value.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Every field, in the order of the file.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// What the trace is of.
    pub fn subject(&self) -> TraceSubject {
        match self.get("subject") {
            Some("wg_mgr") => TraceSubject::WgMgr,
            Some("m3_read") => TraceSubject::M3Read,
            _ => TraceSubject::Other,
        }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_uint(&mut out, self.fields.len() as u64);
        for (name, value) in &self.fields {
            name.put(&mut out);
            value.put(&mut out);
        }
        out
    }

    pub(super) fn of(bytes: &[u8]) -> Result<Self, super::field::Broken> {
        let mut cursor = Cursor::new(bytes);
        let count = cursor.uint()?;
        let mut fields = Vec::new();
        for _ in 0..count {
            fields.push((Field::take(&mut cursor)?, Field::take(&mut cursor)?));
        }
        Ok(Self { fields })
    }
}
