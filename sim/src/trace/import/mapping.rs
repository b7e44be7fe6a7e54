//! What log lines, columns and spans mean, as a file says it: firmware differs, the importer need not.
//!
//! ```text
//!   mapping.ron ──► Mapping ──┬─ log      tag and text with {numbers}   ─► what the line says
//!                             ├─ columns  ours: theirs      kinds  word ─► class
//!                             ├─ spans    name ─► what it says
//!                             └─ device, ports, peers       direction, ids
//! ```
//!
//! The mapping that applies without a file is itself such a file. Its log lines are in this project's
//! own words, not any firmware's: no list of the firmware's lines is public.
use std::collections::BTreeMap;
use std::net::IpAddr;

use firmware_core::wg_mgr::output::Queue;
use serde::Deserialize;

use super::error::{ImportError, Place, Problem};
use super::event::{Class, Direction, Mark, Route, Sender};
use super::redact::{Identity, Redactor};
use super::template::Template;

/// The mapping that applies without a file, as a file.
pub const DEFAULT: &str = include_str!("default_mapping.ron");

/// Rules by tag.
type Rules = Vec<(Box<[u8]>, Vec<(Template, Says)>)>;

/// The version of the files.
const VERSION: u32 = 1;

/// What log lines, columns and spans mean.
#[derive(Clone, Debug)]
pub struct Mapping {
    pub(super) device: Vec<IpAddr>,
    pub(super) ports: Vec<u16>,
    /// Rules by tag, tags ascending; rules without a tag are under the empty one.
    rules: Rules,
    columns: BTreeMap<String, String>,
    pub(super) kinds: BTreeMap<String, Class>,
    pub(super) spans: BTreeMap<String, Says>,
    peers: Vec<Peer>,
}

/// What a line or span says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum Says {
    /// A packet was sent or received.
    Packet {
        /// What it is.
        class: Class,
        /// Which way it went.
        #[serde(default)]
        direction: Direction,
        /// The way it took.
        #[serde(default)]
        via: Route,
    },
    /// A box was opened.
    Opened(Sender),
    /// Packets were dropped because a queue was full.
    Shed(QueueName),
    /// Something that has a name.
    Mark(Mark),
    /// Nothing: the line is known and passed over.
    Nothing,
}

/// A queue of the manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum QueueName {
    /// Tunnel packets.
    Tunnel,
    /// DISCO packets.
    Disco,
    /// Peer updates.
    Updates,
}

/// A peer that a mapping lists.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Peer {
    id: u32,
    #[serde(default)]
    key: Option<String>,
    #[serde(default)]
    address: Option<IpAddr>,
    /// Says nothing to an import; a list that is shared with a scenario may have it.
    #[serde(default)]
    priority: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MappingFile {
    version: u32,
    #[serde(default)]
    device: Vec<IpAddr>,
    #[serde(default)]
    ports: Option<Vec<u16>>,
    #[serde(default)]
    peers: Vec<Peer>,
    #[serde(default)]
    log: Vec<Rule>,
    #[serde(default)]
    columns: BTreeMap<String, String>,
    #[serde(default)]
    kinds: BTreeMap<String, Class>,
    #[serde(default)]
    spans: BTreeMap<String, Says>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    #[serde(default)]
    tag: String,
    text: String,
    says: Says,
}

impl From<QueueName> for Queue {
    fn from(name: QueueName) -> Self {
        match name {
            QueueName::Tunnel => Self::Tunnel,
            QueueName::Disco => Self::Disco,
            QueueName::Updates => Self::Updates,
        }
    }
}

impl Mapping {
    /// The mapping that applies without a file.
    pub fn standard() -> Self {
        Self::parse(DEFAULT).expect("the mapping that is built in is tested")
    }

    /// Reads a mapping. A list that the file leaves out is as it is without a file; one that it has
    /// is taken as it stands.
    ///
    /// # Errors
    /// Everything that is wrong with its peers, or the first thing that is wrong with the rest.
    pub fn parse(text: &str) -> Result<Self, Vec<ImportError>> {
        let options = ron::Options::default()
            .with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
        let file: MappingFile = options.from_str(text).map_err(|error| {
            let line = u64::try_from(error.span.start.line).unwrap_or(1);
            let problem = Problem::Mapping { what: error.code.to_string() };
            vec![ImportError::at(Place::Line(line), problem)]
        })?;
        if file.version != VERSION {
            let what = format!("version {} is not {VERSION}", file.version);
            return Err(vec![ImportError::at(Place::File, Problem::Mapping { what })]);
        }
        let doubled = doubled(&file.peers);
        if !doubled.is_empty() {
            return Err(doubled);
        }
        let rules = rules(file.log).map_err(|error| vec![error])?;
        let defaults = if text == DEFAULT { None } else { Some(Self::standard()) };
        let defaults = defaults.as_ref();
        let is_given = |given: bool| defaults.filter(|_| !given);
        Ok(Self {
            device: file.device,
            ports: file.ports.unwrap_or_else(|| {
                defaults.map_or_else(Vec::new, |defaults| defaults.ports.clone())
            }),
            rules: is_given(!rules.is_empty()).map_or(rules, |defaults| defaults.rules.clone()),
            columns: file.columns,
            kinds: is_given(!file.kinds.is_empty())
                .map_or(file.kinds, |defaults| defaults.kinds.clone()),
            spans: file.spans,
            peers: file.peers,
        })
    }

    /// Addresses that are the device's as well.
    pub fn add_devices(&mut self, addresses: &[IpAddr]) {
        self.device.extend_from_slice(addresses);
    }

    /// What a log line says, with the numbers of its text.
    pub(super) fn line<'a>(
        &self,
        tag: &[u8],
        text: &'a [u8],
    ) -> Option<(Says, super::template::Captured<'a>)> {
        let of = |tag: &[u8]| {
            let found = self.rules.binary_search_by(|(candidate, _)| (**candidate).cmp(tag));
            found.ok().map(|at| &self.rules[at].1)
        };
        let mut rules = [of(tag), of(b"")].into_iter().flatten().flatten();
        rules.find_map(|(template, says)| Some((*says, template.captures(text)?)))
    }

    /// What a table calls a column of ours.
    pub(super) fn column<'a>(&'a self, ours: &'a str) -> &'a str {
        self.columns.get(ours).map_or(ours, String::as_str)
    }

    /// Numbers for the peers that are listed.
    pub(super) fn redactor(&self) -> Redactor {
        let mut redactor = Redactor::default();
        for peer in &self.peers {
            if let Some(address) = peer.address {
                redactor.list(Identity::Address(address), peer.id);
            }
            if let Some(key) = &peer.key {
                redactor.list(Identity::Key(key.as_bytes().into()), peer.id);
            }
        }
        redactor
    }

    /// The ids of the peers that are listed as a priority.
    pub fn priority_peers(&self) -> impl Iterator<Item = u32> + '_ {
        self.peers.iter().filter(|peer| peer.priority).map(|peer| peer.id)
    }
}

/// Every peer whose id or key stands further up already.
fn doubled(peers: &[Peer]) -> Vec<ImportError> {
    let mut ids = BTreeMap::new();
    let mut keys = BTreeMap::new();
    let mut errors = Vec::new();
    for (again, peer) in (1..).zip(peers) {
        let first = *ids.entry(peer.id).or_insert(again);
        if first != again {
            let problem = Problem::DuplicatePeerId { id: peer.id, first, again };
            errors.push(ImportError::at(Place::File, problem));
        }
        let Some(key) = &peer.key else { continue };
        let first = *keys.entry(key).or_insert(again);
        if first != again {
            let problem = Problem::DuplicateKey { key: key.clone(), first, again };
            errors.push(ImportError::at(Place::File, problem));
        }
    }
    errors
}

fn rules(log: Vec<Rule>) -> Result<Rules, ImportError> {
    let mut by_tag: BTreeMap<Box<[u8]>, Vec<(Template, Says)>> = BTreeMap::new();
    for rule in log {
        let template = Template::parse(&rule.text).map_err(|what| {
            let what = format!("the text {:?}: {what}", rule.text);
            ImportError::at(Place::File, Problem::Mapping { what })
        })?;
        by_tag.entry(rule.tag.into_bytes().into()).or_default().push((template, rule.says));
    }
    Ok(by_tag.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cites case 25: a cache and a netmap were joined; both faults are named in one go.
    #[test]
    fn every_peer_that_stands_twice_is_named() {
        let text = r#"(version: 1, peers: [
            (id: 7, key: "k7", priority: true), (id: 9, key: "k9"),
            (id: 7, key: "k7b"), (id: 11, key: "k9"),
        ])"#;
        let errors = Mapping::parse(text).expect_err("two are doubled");
        let texts: Vec<_> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            texts,
            [
                "DuplicatePeerId in the file: peer 3 has the id 7 of peer 1",
                "DuplicateKey in the file: peer 4 has the key of peer 2, \"k9\"",
            ]
        );
    }

    /// Cites case 25.
    #[test]
    fn the_priority_of_a_peer_does_not_depend_on_the_order_of_the_list() {
        for peers in [
            r#"(id: 7, key: "k7", priority: true), (id: 9, key: "k9")"#,
            r#"(id: 9, key: "k9"), (id: 7, key: "k7", priority: true)"#,
        ] {
            let mapping =
                Mapping::parse(&format!("(version: 1, peers: [{peers}])")).expect("valid");
            assert!(mapping.priority_peers().eq([7]));
        }
    }

    #[test]
    fn a_list_that_a_file_leaves_out_is_as_without_a_file() {
        let mapping = Mapping::parse("(version: 1)").expect("valid");
        assert_eq!(mapping.ports, [51820, 41641, 3478]);
        assert!(mapping.line(b"wg", b"rx 96 peer 7").is_some());
        let mapping = Mapping::parse(
            r#"(version: 1, ports: [4000], log: [(text: "hb {number}", says: Nothing)])"#,
        )
        .expect("valid");
        assert_eq!(mapping.ports, [4000]);
        assert!(mapping.line(b"wg", b"rx 96 peer 7").is_none());
        assert_eq!(mapping.line(b"any", b"hb 3").map(|(says, _)| says), Some(Says::Nothing));
    }

    #[test]
    fn what_is_wrong_with_a_mapping_is_named_with_its_line() {
        let line = |text: &str| {
            let mut errors = Mapping::parse(text).expect_err("malformed");
            let error = errors.remove(0);
            assert_eq!(error.problem.name(), "Mapping");
            error.place
        };
        assert_eq!(line("(version: 2)"), Place::File);
        assert_eq!(line("(version: 1,\n prots: [1])"), Place::Line(2));
        let unclosed = "(version: 1, log: [(text: \"rx {bytes\", says: Nothing)])";
        assert_eq!(line(unclosed), Place::File);
    }
}
