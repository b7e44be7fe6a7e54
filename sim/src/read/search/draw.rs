//! What may have gone wrong, drawn: one fetch from a stream of chance.
//!
//! ```text
//!   framing   Content-Length · chunked (sizes from five lists) · neither
//!   length    all of it · up to a record or chunk boundary, as if the server had meant it
//!   end       none · 01 · 05, behind a boundary or behind everything
//!   silence   none · 50 to 70 s behind a boundary
//!   byte      none · lost · doubled, within 8 of a READ or chunk boundary
//!   READs     steps of 960, 893, 1 024 or 1 472; arm F or 2
//!   body      with an empty line never, every 512 or every 4 096 bytes
//! ```
//!
//! Every other boundary is the one at which the published run ended: the question is what ends a
//! run there, not how often. So the shares among the draws are no probabilities.
use super::super::fetch::Fetch;
use super::super::server::{
    ChunkSizes, Damage, DamageKind, Ending, Framing, HEAD_LEAST, Page, Pause,
};
use super::FOUND_BYTES;
use crate::random::Stream;
use firmware_core::m3_read::preset::Arm;
use firmware_core::time::Duration;
use models::m3_read::responder::script::RECORD_BYTES;

/// Bytes of the chunks that the site was seen to send: 26 931 to 32 768 (M3-140, M3-141).
const SEEN: (u32, u32) = (26_931, 32_768);
/// How far from a boundary a byte may be hurt.
const NEAR: u32 = 8;
/// How long a silence is: this and up to 20 s more.
const SILENCE_LEAST_MS: u64 = 50_000;

/// Draws one. `base` gives machine, client and the true length of the body.
pub fn draw(base: &Fetch, stream: &mut Stream) -> Fetch {
    let arm = *pick(stream, &[Arm::F, Arm::Two]);
    let framing = framing(stream);
    let whole = base.page.body_bytes;
    let is_meant_short = stream.below(8) == 0;
    let body_bytes = if is_meant_short { boundary(stream, whole) } else { whole };
    let page = Page {
        body_bytes,
        head_bytes: base.page.head_bytes.max(HEAD_LEAST),
        framing,
        blank_line_every_bytes: *pick(stream, &[0, 512, 4_096]),
    };
    let ending = *pick(stream, &[Ending::Silent, Ending::Notified, Ending::WithoutNotify]);
    let sent_bytes = if stream.below(2) == 0 { boundary(stream, body_bytes) } else { u32::MAX };
    let pause = (stream.below(4) == 0).then(|| Pause {
        after_bytes: boundary(stream, body_bytes),
        lasts: Duration::from_millis(SILENCE_LEAST_MS + stream.below(20_001)),
    });
    let step_bytes = *pick(stream, &[960, 893, 1_024, 1_472]);
    let fetch = Fetch {
        config: arm.config(),
        page,
        sent_bytes,
        ending,
        pause,
        step_bytes,
        damage: None,
        refusal: None,
        reply: None,
        late: None,
        ..base.clone()
    };
    let damage = (stream.below(3) == 0).then(|| damage(stream, &fetch));
    Fetch { damage, ..fetch }
}

fn framing(stream: &mut Stream) -> Framing {
    let (least, most) = SEEN;
    let mut seen = || least + u32::try_from(stream.below(u64::from(most - least + 1))).unwrap_or(0);
    let drawn = [seen(), seen(), seen(), seen()];
    let sizes: &[u32] = match stream.below(7) {
        0 | 1 => return Framing::ContentLength,
        2 => return Framing::Unframed,
        3 | 4 => &[0x8000],
        5 => &[0x4000],
        _ => &drawn,
    };
    ChunkSizes::try_new(sizes).map_or(Framing::ContentLength, Framing::Chunked)
}

/// Where the published run ended, or any multiple of a record or of twice one, up to `whole`.
fn boundary(stream: &mut Stream, whole: u32) -> u32 {
    if stream.below(2) == 0 && FOUND_BYTES <= whole {
        return FOUND_BYTES;
    }
    let size = RECORD_BYTES << stream.below(2);
    let count = u64::from(whole / size);
    size * u32::try_from(stream.below(count + 1)).unwrap_or(0)
}

/// A byte within [`NEAR`] of where a READ or a chunk ends.
fn damage(stream: &mut Stream, fetch: &Fetch) -> Damage {
    let how = *pick(stream, &[DamageKind::Drop, DamageKind::Duplicate]);
    let body = boundary(stream, fetch.page.body_bytes);
    let chunk_end = u32::try_from(fetch.page.stream_bytes(body)).unwrap_or(u32::MAX);
    let in_record = stream.below(u64::from(RECORD_BYTES / fetch.step_bytes) + 1);
    let read_end = body + fetch.step_bytes * u32::try_from(in_record).unwrap_or(0);
    let near = *pick(stream, &[chunk_end, chunk_end, read_end]);
    let off = u32::try_from(stream.below(u64::from(2 * NEAR + 1))).unwrap_or(0);
    Damage { how, at_byte: (near + off).saturating_sub(NEAR) }
}

fn pick<'a, T>(stream: &mut Stream, list: &'a [T]) -> &'a T {
    let place = stream.below(u64::try_from(list.len()).unwrap_or(1));
    &list[usize::try_from(place).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Streams;

    #[test]
    fn every_draw_can_be_carried_out_and_every_choice_is_made() {
        let base = Fetch::of(Arm::F, Page::with_length(751_823, 6_431));
        let stream = Streams::new(3).of("search", "fetch");
        let all: Vec<Fetch> = (0..500).map(|at| draw(&base, &mut stream.at(at))).collect();
        assert!(all.iter().all(|fetch| fetch.check() == Ok(())));
        let some = |is: fn(&Fetch) -> bool| all.iter().filter(|fetch| is(fetch)).count() > 20;
        assert!(some(|fetch| fetch.page.framing == Framing::ContentLength));
        assert!(some(|fetch| fetch.page.framing == Framing::Unframed));
        assert!(some(|fetch| matches!(fetch.page.framing, Framing::Chunked(_))));
        assert!(some(|fetch| fetch.page.body_bytes < 751_823));
        assert!(some(|fetch| fetch.ending == Ending::Notified));
        assert!(some(|fetch| fetch.pause.is_some()));
        assert!(some(|fetch| fetch.damage.is_some_and(|one| one.how == DamageKind::Drop)));
        assert!(some(|fetch| fetch.damage.is_some_and(|one| one.how == DamageKind::Duplicate)));
    }
}
