//! The file of a READ scenario: the RON shape and its defaults, before any rule across fields.
//!
//! ```text
//!  ( version: 1, subject: m3_read, title, seed, arm, client: (…),
//!    page: (…), stops: (…), pauses: (…), damage: (…)      what the server sends, and what arrives
//!    refusal, reply: (…), late: (…), clock_stands_still   what the firmware does otherwise
//!    step_bytes, sink_bytes, parameters: (…)              figures of engine, sink and machine
//!    search: (…)                                          draws many fetches instead of one
//!    expect: […] )                                        what the run must show
//! ```
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::read::parameters::ParametersFile;
use crate::scenario::file::expect::ExpectFile;
use crate::scenario::file::units::{Count, Millis};

/// A scenario of the READ path as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "ReadScenario", deny_unknown_fields)]
pub struct ReadScenarioFile {
    /// The format's version: 1.
    pub version: u32,
    /// What the file is about.
    pub subject: SubjectFile,
    /// What the run is about, in one line.
    pub title: String,
    /// Where every named stream of chance begins. Default 1.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// The client's build: F, 1 or 2.
    pub arm: String,
    /// What differs from the build. Default: nothing.
    #[serde(default)]
    pub client: ClientFile,
    /// What the server sends.
    pub page: PageFile,
    /// Where the server stops, if it does before the body is complete. Default: it does not.
    #[serde(default)]
    pub stops: Option<StopFile>,
    /// A silence in the body, after which the server goes on. Default: none.
    #[serde(default)]
    pub pauses: Option<PauseFile>,
    /// A byte that is lost or comes twice. Default: none.
    #[serde(default)]
    pub damage: Option<DamageFile>,
    /// The status line that the session is refused with. Default: it is not refused.
    #[serde(default)]
    pub refusal: Option<String>,
    /// A reply in place of one of the engine's steps, block by block. Default: none.
    #[serde(default)]
    pub reply: Option<ReplyFile>,
    /// A continuation that comes late. Default: none does.
    #[serde(default)]
    pub late: Option<LateFile>,
    /// Whether the client's deadline clock stands still. Default false.
    #[serde(default)]
    pub clock_stands_still: bool,
    /// Plaintext bytes of one engine step. Default 960.
    #[serde(default = "default_step")]
    pub step_bytes: Count<16_384>,
    /// Bytes of body that the consumer's sink has room for. Default: all there are.
    #[serde(default)]
    pub sink_bytes: Option<Count<{ u32::MAX as u64 }>>,
    /// Draws many fetches around this one instead of carrying it out. Default: it is carried out.
    #[serde(default)]
    pub search: Option<SearchFile>,
    /// Figures that differ from the published bench's. Default: none.
    #[serde(default)]
    pub parameters: ParametersFile,
    /// What the run must show. Default: nothing is judged.
    #[serde(default)]
    pub expect: Vec<ExpectFile>,
}

/// The one subject of this shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Subject", rename_all = "snake_case")]
pub enum SubjectFile {
    /// The READ path of the C64's client.
    M3Read,
}

/// A page as a server sends it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Page", deny_unknown_fields)]
pub struct PageFile {
    /// Bytes of the body; the client counts up to 16 777 215.
    pub body_bytes: Count<{ u32::MAX as u64 }>,
    /// Bytes of the head, the empty line included, 80..=65 536.
    pub head_bytes: Count<{ u32::MAX as u64 }>,
    /// How the server says where the body ends. Default `content_length`.
    #[serde(default)]
    pub framing: FramingFile,
    /// The body holds an empty line every so many bytes; 0 is never, 1 cannot be. Default 0.
    #[serde(default = "no_blank_line")]
    pub blank_line_every_bytes: Count<{ u32::MAX as u64 }>,
}

/// How a server says where a body ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Framing", deny_unknown_fields, rename_all = "snake_case")]
pub enum FramingFile {
    /// By its length in the head.
    #[default]
    ContentLength,
    /// By chunks, of which the last is empty.
    Chunked {
        /// 1 to 8 sizes, used one after the other and then again from the first.
        sizes_bytes: Vec<Count<{ u32::MAX as u64 }>>,
    },
    /// Not at all: the end of the stream is the end of the body.
    Unframed,
}

/// What differs from the client's build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Client", deny_unknown_fields)]
pub struct ClientFile {
    /// Bytes that a READ asks for at most, 1..=1472. Default: the build's.
    #[serde(default)]
    pub request_max: Option<Count<{ u16::MAX as u64 }>>,
    /// Payload bytes of a full first block, 1..=893. Default 893.
    #[serde(default)]
    pub first_block_bytes: Option<Count<{ u16::MAX as u64 }>>,
}

/// The server stops within the body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Stop", deny_unknown_fields)]
pub struct StopFile {
    /// After so many bytes of the body.
    pub after_bytes: Count<{ u32::MAX as u64 }>,
    /// How.
    pub how: HowFile,
}

/// The server falls silent within the body and then goes on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Pause", deny_unknown_fields)]
pub struct PauseFile {
    /// After so many bytes of the body.
    pub after_bytes: Count<{ u32::MAX as u64 }>,
    /// For so long, in milliseconds.
    pub for_ms: Millis,
}

/// A byte is lost or comes twice between server and client.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Damage", deny_unknown_fields)]
pub struct DamageFile {
    /// What happens to it.
    pub how: DamageHowFile,
    /// Its place in the stream, head and chunk lines included, counted from 0.
    pub at_byte: Count<{ u32::MAX as u64 }>,
}

/// What happens to a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "DamageHow", rename_all = "snake_case")]
pub enum DamageHowFile {
    /// It is lost.
    Drop,
    /// It comes twice.
    Duplicate,
}

/// A reply written by hand. Its bytes are the next of the stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Reply", deny_unknown_fields)]
pub struct ReplyFile {
    /// It takes the place of the engine step behind this many. Default 0.
    #[serde(default = "no_step")]
    pub after_steps: Count<{ u32::MAX as u64 - 1 }>,
    /// What its first block begins with.
    pub header: HeaderFile,
    /// Its blocks, 1 to 4.
    pub blocks: Vec<BlockFile>,
    /// The status text of its last block. Default "00,OK".
    #[serde(default = "ok")]
    pub status: String,
}

/// What a reply begins with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Header", deny_unknown_fields, rename_all = "snake_case")]
pub enum HeaderFile {
    /// A count.
    Announces {
        /// Bytes of payload in all blocks together.
        bytes: Count<{ u16::MAX as u64 }>,
    },
    /// $FFFF.
    NoCount,
    /// $0000.
    End,
    /// One byte instead of two.
    Half,
    /// No byte at all.
    Nothing,
}

/// One block of a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Block", deny_unknown_fields)]
pub struct BlockFile {
    /// Bytes of payload. Default 0.
    #[serde(default)]
    pub bytes: Option<Count<896>>,
    /// The block before comes once more in place of new bytes. Default false.
    #[serde(default)]
    pub again: bool,
    /// Whether it announces another block. Default: all but the last do.
    #[serde(default)]
    pub more: Option<bool>,
    /// How late it comes, in milliseconds from the push or accept that asks for it. Default 0.
    #[serde(default)]
    pub late_ms: Option<Millis>,
    /// It never comes. Default false.
    #[serde(default)]
    pub never: bool,
    /// The firmware resets the interface when so many of its bytes have been read, header included.
    /// Default: it does not.
    #[serde(default)]
    pub reset_after_bytes: Option<Count<896>>,
}

/// A search: fetches drawn from what may have gone wrong, sorted by how they end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Search", deny_unknown_fields)]
pub struct SearchFile {
    /// How many fetches are drawn.
    pub draws: Count<1_000_000>,
}

/// The Nios is late with a continuation, and looks at nothing else until then.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Late", deny_unknown_fields)]
pub struct LateFile {
    /// Which continuation of the run, counted from 1.
    pub continuation: Count<{ u32::MAX as u64 }>,
    /// How late, in milliseconds.
    pub by_ms: Millis,
}

/// How a server stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "How", rename_all = "snake_case")]
pub enum HowFile {
    /// It says nothing more, and the connection stays open.
    Silent,
    /// It closes with a notification.
    Notified,
    /// It closes without one.
    WithoutNotify,
}

const fn default_seed() -> u64 {
    1
}

const fn default_step() -> Count<16_384> {
    Count::new(crate::read::engine::STEP_BYTES as u64)
}

const fn no_blank_line() -> Count<{ u32::MAX as u64 }> {
    Count::new(0)
}

const fn no_step() -> Count<{ u32::MAX as u64 - 1 }> {
    Count::new(0)
}

fn ok() -> String {
    "00,OK".to_owned()
}
