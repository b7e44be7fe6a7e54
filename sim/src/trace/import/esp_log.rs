//! ESP-IDF log text, as a serial line or a terminal program leaves it.
//!
//! ```text
//!   2026-07-21 20:03:11.123 ESC[0;33m W (1300) disco: shed 1 ESC[0m CR LF
//!   └ host's stamp ───────┘  └ colour │  └ms  └tag   └ text ─► mapping
//!                                     └ level: E W I D V
//! ```
//!
//! # Two cores in one line
//!
//! Each line is printed in several writes, so the line of one core may begin in the middle of
//! another's. The piece in front of the inner head is torn, and so is the headless line that carries
//! its rest: both are counted and neither is guessed into a record, because a number that was cut is
//! still a number.
//!
//! ```text
//!   I (1100) wg: rx 9I (1101) disco: open unk 28 ms
//!   └ torn ─────────┘└ a record ──────────────────┘
//!   6 peer 7
//!   └ torn: the rest of line 1
//! ```
use std::io::Read;

use firmware_core::time::{Duration, Instant};

use super::clock::ClockPairs;
use super::error::{ImportError, Place, quoted};
use super::event::{GapReason, Packet, Seen};
use super::intake::{Intake, Kind, Manner, Order, instant};
use super::lines::{Line, Lines};
use super::mapping::{Mapping, Says};
use super::redact::{Identity, Redactor, covered};
use super::stamp;
use super::template::{Captured, whole};

const MILLISECOND: u64 = 1_000_000;
/// Lines of two cores may stand out of order by so much.
const OUT_OF_ORDER: Duration = Duration::from_millis(50);
/// And by so many lines.
const OUT_OF_ORDER_LINES: usize = 64;
/// The rest of a line that was cut comes within so many lines, or not at all.
const REST_WITHIN: u64 = 3;
const DAY: u64 = 86_400_000_000_000;
const ESCAPE: u8 = 0x1B;

pub(super) const fn manner(is_lenient: bool) -> Manner {
    Manner {
        order: Order::Sort { events: OUT_OF_ORDER_LINES, span: OUT_OF_ORDER },
        is_lenient,
        from_first: false,
        unit: ("ms", MILLISECOND),
    }
}

/// The head of a line: everything in front of its text.
struct Head<'a> {
    /// Nanoseconds by the device's clock.
    stamp: u64,
    tag: &'a [u8],
    text: &'a [u8],
}

struct EspLog<'a, 'b> {
    intake: &'a mut Intake<'b>,
    mapping: &'a Mapping,
    redactor: Redactor,
    /// The last line in which the rest of one that was cut may still come.
    open_until: u64,
    /// The device said since the last stamp that it is starting.
    has_started: bool,
    /// What the stamps lack after restarts.
    restarts: u64,
    newest: u64,
    /// The host's stamp of the last line that had one, and that line's instant.
    last_host: Option<(u64, u64)>,
    /// What the host's stamps lack after midnights, when they have no date.
    midnights: u64,
    clock: ClockPairs,
    plain: Vec<u8>,
}

/// Reads a log.
pub(super) fn read(
    file: impl Read,
    mapping: &Mapping,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    let mut lines = Lines::new(file);
    let mut log = EspLog {
        intake,
        mapping,
        redactor: mapping.redactor(),
        open_until: 0,
        has_started: false,
        restarts: 0,
        newest: 0,
        last_host: None,
        midnights: 0,
        clock: ClockPairs::default(),
        plain: Vec::new(),
    };
    while let Some(line) = lines.next().map_err(ImportError::unreadable)? {
        log.line(line)?;
    }
    log.intake.summary.clock = log.clock.fit();
    Ok(())
}

impl EspLog<'_, '_> {
    fn line(&mut self, line: Line<'_>) -> Result<(), ImportError> {
        self.intake.summary.read += 1;
        let place = Place::Line(line.number);
        let bytes = without_frame(line.bytes);
        if memchr::memchr(ESCAPE, bytes).is_none() {
            return self.text(bytes, line, place);
        }
        let mut plain = std::mem::take(&mut self.plain);
        without_colours(bytes, &mut plain);
        let result = self.text(&plain, line, place);
        self.plain = plain;
        result
    }

    fn text(&mut self, bytes: &[u8], line: Line<'_>, place: Place) -> Result<(), ImportError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let (host, mut rest) = match stamp::host(bytes) {
            Some((host, rest)) => (Some(self.host(host)), rest),
            None => (None, bytes),
        };
        while let Some(inner) = inner_head(rest) {
            self.torn(&rest[..inner], place, GapReason::Torn)?;
            self.open_until = line.number + REST_WITHIN;
            rest = &rest[inner..];
        }
        let head = head(rest);
        if !line.is_whole {
            return self.last_line(head.as_ref(), rest, place);
        }
        match head {
            Some(head) => self.head(&head, host, rest, place),
            None => self.headless(rest, line.number),
        }
    }

    /// A host's stamp that goes on over midnight: one without a date begins anew there.
    fn host(&mut self, stamp: u64) -> u64 {
        let mut host = stamp.saturating_add(self.midnights);
        if self.last_host.is_some_and(|(last, _)| last > host.saturating_add(DAY / 2)) {
            self.midnights = self.midnights.saturating_add(DAY);
            host = stamp.saturating_add(self.midnights);
        }
        host
    }

    /// The last number of a line without an end may be cut, and is a number all the same: a line
    /// that fits is taken with a warning, and one that does not is taken for cut.
    fn last_line(
        &mut self,
        head: Option<&Head<'_>>,
        bytes: &[u8],
        place: Place,
    ) -> Result<(), ImportError> {
        if let Some(head) = head
            && self.mapping.line(head.tag, head.text).is_some()
        {
            self.intake.no_final_newline(place);
            return self.head(head, None, bytes, place);
        }
        self.intake.summary.truncated = Some(place);
        self.torn(bytes, place, GapReason::Truncated)
    }

    fn head(
        &mut self,
        head: &Head<'_>,
        host: Option<u64>,
        line: &[u8],
        place: Place,
    ) -> Result<(), ImportError> {
        let at = self.at(head, host, place)?;
        if let Some(host) = host {
            self.clock.add(host, at.as_nanos());
            self.last_host = Some((host, at.as_nanos()));
        }
        let Some((says, captured)) = self.mapping.line(head.tag, head.text) else {
            let keeps = self.intake.keep_addresses;
            return self.intake.list(Kind::Unknown, place, || shown(line, keeps));
        };
        match self.seen(says, captured) {
            Some(what) => self.intake.event(at, what, place),
            None => Ok(()),
        }
    }

    /// The instant of a line. A stamp that falls back after the device said that it is starting
    /// begins a new life of its clock. Time goes on by the host's clock, or else from the last stamp:
    /// then nobody knows how long the restart took.
    fn at(
        &mut self,
        head: &Head<'_>,
        host: Option<u64>,
        place: Place,
    ) -> Result<Instant, ImportError> {
        if self.has_started && head.stamp < self.newest {
            let last = self.restarts.saturating_add(self.newest);
            let by_host = host.zip(self.last_host).map(|(host, (last_host, at))| {
                at.saturating_add(host.saturating_sub(last_host)).saturating_sub(head.stamp)
            });
            self.restarts =
                by_host.map_or(last, |by_host| by_host.max(last.saturating_sub(head.stamp)));
            self.newest = 0;
            self.clock = ClockPairs::default();
            self.intake.gap(GapReason::Restarted, place)?;
        }
        self.has_started = false;
        self.newest = self.newest.max(head.stamp);
        let at = self.restarts.saturating_add(head.stamp);
        instant(at / MILLISECOND, MILLISECOND, place)?;
        Ok(Instant::from_nanos(at))
    }

    fn seen(&mut self, says: Says, captured: Captured<'_>) -> Option<Seen> {
        let identity = captured
            .key
            .map(|key| Identity::Key(key.into()))
            .or_else(|| captured.address.and_then(address).map(Identity::Address));
        let peer = match (captured.peer, identity) {
            (Some(id), _) => Some(super::event::PeerRef::Listed(id)),
            (None, identity) => identity.map(|identity| self.redactor.number(identity)),
        };
        let Captured { bytes, number, took, .. } = captured;
        Some(match says {
            Says::Packet { class, direction, via } => {
                let bytes = bytes.unwrap_or(0);
                Seen::Packet(Packet { direction, class, peer, bytes, number, via })
            }
            Says::Opened(sender) => Seen::Opened { sender, took },
            Says::Shed(queue) => {
                Seen::Shed { queue: queue.into(), count: captured.count.unwrap_or(1) }
            }
            Says::Mark(mark) => Seen::Mark { mark, peer, value: captured.value },
            Says::Nothing => return None,
        })
    }

    /// A line without a head is the rest of one that was cut, the beginning of one that is, or
    /// something that is no log line at all.
    fn headless(&mut self, bytes: &[u8], line: u64) -> Result<(), ImportError> {
        let place = Place::Line(line);
        if std::mem::take(&mut self.open_until) >= line {
            return self.torn(bytes, place, GapReason::Torn);
        }
        if is_cut_head(bytes) {
            self.open_until = line + REST_WITHIN;
            return self.torn(bytes, place, GapReason::Torn);
        }
        self.has_started |= bytes.starts_with(b"rst:0x") || bytes.starts_with(b"ESP-ROM:");
        let keeps = self.intake.keep_addresses;
        self.intake.list(Kind::Unknown, place, || shown(bytes, keeps))
    }

    fn torn(&mut self, bytes: &[u8], place: Place, why: GapReason) -> Result<(), ImportError> {
        let keeps = self.intake.keep_addresses;
        self.intake.list(Kind::Torn, place, || shown(bytes, keeps))?;
        self.intake.gap(why, place)
    }
}

/// A line as it is shown: without colours, and without addresses and keys unless they are kept.
fn shown(bytes: &[u8], keep_addresses: bool) -> String {
    let mut plain = Vec::new();
    without_colours(&bytes[..bytes.len().min(1_024)], &mut plain);
    // Covered before it is cut: half a key or address would no longer be known as one.
    let text = String::from_utf8_lossy(&plain);
    if keep_addresses { quoted(&plain) } else { quoted(covered(&text).as_bytes()) }
}

fn address(bytes: &[u8]) -> Option<std::net::IpAddr> {
    std::str::from_utf8(bytes).ok()?.parse().ok()
}

/// A line without the colour that begins it and the one that ends it: the usual case, no copy.
fn without_frame(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\x1B[0m").unwrap_or(bytes);
    if bytes.first() == Some(&ESCAPE) { &bytes[escape_length(bytes)..] } else { bytes }
}

/// The bytes of the escape sequence at the beginning.
fn escape_length(bytes: &[u8]) -> usize {
    if bytes.get(1) != Some(&b'[') {
        return 1;
    }
    let parameters = bytes[2..].iter().take_while(|byte| (0x20..0x40).contains(*byte)).count();
    (2 + parameters + 1).min(bytes.len())
}

fn without_colours(bytes: &[u8], plain: &mut Vec<u8>) {
    plain.clear();
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(ESCAPE, rest) {
        plain.extend_from_slice(&rest[..at]);
        rest = &rest[at + escape_length(&rest[at..])..];
    }
    plain.extend_from_slice(rest);
}

/// The head of a line that begins here.
fn head(bytes: &[u8]) -> Option<Head<'_>> {
    let [level, b' ', b'(', rest @ ..] = bytes else { return None };
    if !b"EWIDV".contains(level) {
        return None;
    }
    let (stamp, rest) = match whole(rest)? {
        (millis, rest) if rest.starts_with(b")") => (millis.checked_mul(MILLISECOND)?, rest),
        _ => stamp::time_of_day(rest)?,
    };
    let rest = rest.strip_prefix(b") ")?;
    let colon = memchr::memchr(b':', rest)?;
    let (tag, text) = (&rest[..colon], &rest[colon + 1..]);
    let is_tag = !tag.is_empty() && tag.iter().all(|byte| byte.is_ascii_graphic() && *byte != b'(');
    is_tag.then(|| Head { stamp, tag, text: text.strip_prefix(b" ").unwrap_or(text) })
}

/// Where another head begins inside a line.
fn inner_head(bytes: &[u8]) -> Option<usize> {
    let found = memchr::memchr_iter(b'(', bytes).filter(|at| *at > 2);
    found.map(|at| at - 2).find(|at| head(&bytes[*at..]).is_some())
}

/// Whether a line is the beginning of a head and no more: `I`, `I (`, `I (12`, `I (1290) w`.
fn is_cut_head(bytes: &[u8]) -> bool {
    let [level, rest @ ..] = bytes else { return false };
    if !b"EWIDV".contains(level) {
        return false;
    }
    let Some(rest) = rest.strip_prefix(b" (") else {
        return b" (".starts_with(rest);
    };
    let rest = rest.trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match rest[digits..].strip_prefix(b")") {
        None => rest.len() == digits,
        Some(tag) => memchr::memchr(b':', tag).is_none() && tag.len() <= 32,
    }
}
