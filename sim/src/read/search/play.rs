//! A fetch played over the consumer alone: READ after READ of the stream as it arrives, until the
//! HTTP layer would stop.
//!
//! ```text
//!   stream ─► records of 16 384 ─► steps ─► READs of at most what the client asks for ─► consumer
//! ```
//!
//! Bytes of the body that the consumer takes whatever they are count by the stretch and not one by
//! one, so a page takes as long as it has chunks.
use super::super::consumer::Consumer;
use super::super::consumer::chunks::ChunkState;
use super::super::consumer::verdict::{Stop, carry};
use super::super::fetch::Fetch;
use super::super::server::{Damage, DamageKind, Ending, Page, Run};
use super::FOUND_BYTES;
use firmware_core::m3_read::output::Ending as StreamEnd;
use firmware_core::m3_read::ownership::Connection;
use firmware_core::time::Duration;
use models::m3_read::responder::script::RECORD_BYTES;

/// The state that the client is left in, by the names under which its rig reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Final {
    /// Bytes of body consumed.
    pub body_total: u32,
    /// C: 0 complete, 1 not.
    pub carry: u8,
    /// 0 closed, 1 connected, 2 error.
    pub net_tcp_state: u8,
    /// 0, 1 or 5.
    pub eof_code: u8,
    /// 0 head unfinished, 1 Content-Length, 2 chunked, 3 neither.
    pub framing: u8,
    /// 0 to 4, for a chunked body.
    pub chunk_state: Option<u8>,
}

impl Final {
    /// Whether the rig would have seen what it saw: so many bytes in the viewer. Status 200 and no
    /// error hold for every draw, since none breaks the connection.
    pub const fn is_like_the_finding(self) -> bool {
        self.body_total == FOUND_BYTES
    }
}

/// The bytes of a stream by their place, without the stream being written down.
#[derive(Clone, Debug)]
struct Places {
    page: Page,
    /// Each run with the place it begins at.
    runs: Vec<(usize, Run)>,
    damage: Option<Damage>,
    length: usize,
}

impl Places {
    fn of(fetch: &Fetch) -> Self {
        let mut at = 0;
        let mut runs = Vec::new();
        for run in fetch.page.runs(fetch.sent_bytes) {
            let length = run.len();
            runs.push((at, run));
            at += length;
        }
        let hurts = |damage: &Damage| usize::try_from(damage.at_byte).is_ok_and(|place| place < at);
        let damage = fetch.damage.filter(hurts);
        let length = match damage.map(|damage| damage.how) {
            Some(DamageKind::Drop) => at - 1,
            Some(DamageKind::Duplicate) => at + 1,
            None => at,
        };
        Self { page: fetch.page, runs, damage, length }
    }

    /// The byte at a place of the stream as it arrives.
    fn byte(&self, at: usize) -> u8 {
        let at = match self.damage {
            Some(Damage { how: DamageKind::Drop, at_byte }) => {
                at + usize::from(at >= place(at_byte))
            }
            Some(Damage { how: DamageKind::Duplicate, at_byte }) => {
                at - usize::from(at > place(at_byte))
            }
            None => at,
        };
        let index = self.runs.partition_point(|(begin, _)| *begin <= at).saturating_sub(1);
        match &self.runs[index] {
            (begin, Run::Text(text)) => text.get(at - begin).copied().unwrap_or(0),
            (begin, Run::Body(from, _)) => {
                self.page.body_byte(from + u32::try_from(at - begin).unwrap_or(0))
            }
        }
    }
}

fn place(at: u32) -> usize {
    usize::try_from(at).unwrap_or(usize::MAX)
}

/// Plays a fetch to its end.
pub fn play(fetch: &Fetch) -> Final {
    let places = Places::of(fetch);
    let mut consumer = Consumer::with_sink(fetch.sink_bytes);
    let patience_ms = 6_000 * 10_227 * 1_000 / fetch.parameters.phi2_hz;
    let silence = fetch
        .pause
        .filter(|pause| pause.lasts >= Duration::from_millis(patience_ms))
        .map(|pause| fetch.pauses_at(pause))
        .filter(|&at| at < places.length);
    let reads_until = silence.unwrap_or(places.length);
    let cuts = Cuts::of(fetch);
    let mut at = 0;
    while at < reads_until && !stops(&consumer) {
        let end = cuts.read_end(at).min(reads_until);
        consume(&mut consumer, &places, at, end);
        at = end;
    }
    let (stop, connection, eof_code) = ended(fetch, &consumer, silence.is_some());
    Final {
        body_total: consumer.taken(),
        carry: carry(&consumer, stop).bit(),
        net_tcp_state: connection.byte(),
        eof_code,
        framing: consumer.framing().number(),
        chunk_state: consumer.chunk_state().map(ChunkState::number),
    }
}

fn stops(consumer: &Consumer) -> bool {
    consumer.is_complete() || consumer.is_refused()
}

/// Where READs end: at the end of their request, of an engine step and of a record.
#[derive(Clone, Copy, Debug)]
struct Cuts {
    request: usize,
    step: usize,
    record: usize,
    /// A silence of the server begins a new record.
    pause: Option<usize>,
}

impl Cuts {
    fn of(fetch: &Fetch) -> Self {
        Self {
            request: usize::from(fetch.config.request_max),
            step: place(fetch.step_bytes),
            record: place(RECORD_BYTES),
            pause: fetch.pause.map(|pause| fetch.pauses_at(pause)),
        }
    }

    /// Where the READ ends that begins at this place.
    fn read_end(self, at: usize) -> usize {
        let Self { request, step, record, pause } = self;
        let in_record = (at - pause.filter(|&pause| pause <= at).unwrap_or(0)) % record;
        let in_step = in_record % step;
        let left = (step - in_step).min(record - in_record);
        at + left.min(request - in_step % request)
    }
}

/// Whether a READ of this fetch ends within a chunk line or the line ends around it.
pub fn splits_a_line(fetch: &Fetch) -> bool {
    let places = Places::of(fetch);
    let lines = places.runs.iter().skip(1).filter_map(|(begin, run)| match run {
        Run::Text(text) => Some((*begin, begin + text.len())),
        Run::Body(..) => None,
    });
    let cuts = Cuts::of(fetch);
    let mut at = 0;
    for (begin, end) in lines {
        while at <= begin {
            at = cuts.read_end(at);
        }
        if at < end {
            return true;
        }
    }
    false
}

fn consume(consumer: &mut Consumer, places: &Places, from: usize, to: usize) {
    let mut at = from;
    while at < to {
        let certain = usize::try_from(consumer.certain()).unwrap_or(usize::MAX).min(to - at);
        if certain > 0 {
            consumer.skip(u32::try_from(certain).unwrap_or(u32::MAX));
            at += certain;
        } else {
            consumer.take(places.byte(at));
            at += 1;
        }
    }
}

fn ended(fetch: &Fetch, consumer: &Consumer, is_silent: bool) -> (Stop, Connection, u8) {
    if consumer.is_refused() {
        return (Stop::SinkRefused, Connection::Connected, 0);
    }
    if consumer.is_complete() {
        return (Stop::Complete, Connection::Connected, 0);
    }
    match fetch.ending {
        _ if is_silent => (Stop::Quiet, Connection::Connected, 0),
        Ending::Silent => (Stop::Quiet, Connection::Connected, 0),
        Ending::Notified => (Stop::Closed(StreamEnd::Clean), Connection::Closed, 1),
        Ending::WithoutNotify => (Stop::Closed(StreamEnd::WithoutNotify), Connection::Closed, 5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_core::m3_read::preset::Arm;

    /// The place by place reading is the stream that the engine is given.
    #[test]
    fn bytes_by_place_are_the_bytes_of_the_stream() {
        for how in [DamageKind::Drop, DamageKind::Duplicate] {
            for at_byte in [0, 79, 80, 100, 179, 500] {
                let damage = Some(Damage { how, at_byte });
                let fetch = Fetch { damage, ..Fetch::of(Arm::F, Page::with_length(100, 80)) };
                let places = Places::of(&fetch);
                let bytes: Vec<u8> = (0..places.length).map(|at| places.byte(at)).collect();
                assert_eq!(bytes, fetch.source().bytes, "{how:?} {at_byte}");
            }
        }
    }

    #[test]
    fn reads_end_with_request_step_and_record() {
        let ends = |arm| {
            let fetch = Fetch::of(arm, Page::with_length(751_823, 6_431));
            let cuts = Cuts::of(&fetch);
            let mut at = 0;
            let mut ends = Vec::new();
            while at < 16_384 {
                at = cuts.read_end(at);
                ends.push(at);
            }
            ends
        };
        assert_eq!(ends(Arm::F)[..3], [893, 960, 1_853]);
        assert_eq!(ends(Arm::F)[33..], [16_320, 16_384]);
        assert_eq!(ends(Arm::Two)[..2], [960, 1_920]);
        assert_eq!(ends(Arm::Two)[16..], [16_320, 16_384]);
    }
}
