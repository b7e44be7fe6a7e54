//! The seven hypotheses of the open finding, what each predicts of the client's state, and which of
//! them a drawn fetch belongs to.
use super::super::fetch::Fetch;
use super::super::server::{DamageKind, Ending, Framing};
use super::FOUND_BYTES;
use super::play::Final;

/// A hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hypothesis {
    /// 1: chunked, and the server sent its last chunk there.
    LastChunkSent,
    /// 2: the stream ended there with a notification.
    ClosedWithNotification,
    /// 3: it ended there without one.
    ClosedWithout,
    /// 4: nothing came for a minute.
    Silence,
    /// 5: a byte of a chunk line was lost or doubled, and the rest read as a last chunk. Where no
    /// empty line follows, the trailers never end, and the stream does: C is 1 then, in chunk state
    /// 4.
    SizeLineHurt,
    /// 6: a size line lay across two READs.
    SizeLineSplit,
    /// 7: the server really sent this Content-Length.
    ShortLengthSent,
}

impl Hypothesis {
    /// Its number in the list.
    pub const fn number(self) -> u8 {
        match self {
            Self::LastChunkSent => 1,
            Self::ClosedWithNotification => 2,
            Self::ClosedWithout => 3,
            Self::Silence => 4,
            Self::SizeLineHurt => 5,
            Self::SizeLineSplit => 6,
            Self::ShortLengthSent => 7,
        }
    }

    /// What it says, in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LastChunkSent => "the server sent its last chunk there",
            Self::ClosedWithNotification => "closed with a notification",
            Self::ClosedWithout => "closed without a notification",
            Self::Silence => "a minute of silence",
            Self::SizeLineHurt => "a byte of a size line lost or doubled",
            Self::SizeLineSplit => "a size line across two READs",
            Self::ShortLengthSent => "a short length was sent",
        }
    }

    /// Whether it predicts such a state. A body without framing that ends with a notification
    /// counts as complete (C = 0); the published list has no row for it, and the run was not of
    /// that kind as far as the rig's good runs tell.
    pub const fn predicts(self, end: Final) -> bool {
        let Final { carry, net_tcp_state, eof_code, framing, chunk_state, .. } = end;
        let cut = matches!((framing, chunk_state), (1 | 3, None) | (2, Some(0..=3)));
        let complete = matches!((carry, net_tcp_state, eof_code), (0, 1, 0));
        match self {
            Self::LastChunkSent => complete && matches!(chunk_state, Some(4)),
            Self::SizeLineHurt => (complete || carry == 1) && matches!(chunk_state, Some(4)),
            Self::ClosedWithNotification => {
                let unframed = framing == 3;
                (carry == 1 || unframed) && net_tcp_state == 0 && eof_code == 1 && cut
            }
            Self::ClosedWithout => carry == 1 && net_tcp_state == 0 && eof_code == 5 && cut,
            Self::Silence => carry == 1 && net_tcp_state == 1 && eof_code == 0 && cut,
            Self::SizeLineSplit => false,
            Self::ShortLengthSent => complete && framing == 1,
        }
    }
}

/// Which hypothesis a fetch belongs to that ended like the finding: by what was drawn for it, and
/// by the state it ended in where two causes were drawn.
pub fn of(fetch: &Fetch, end: Final) -> Option<Hypothesis> {
    let chunked = matches!(fetch.page.framing, Framing::Chunked(_));
    let meant = fetch.page.body_bytes == FOUND_BYTES && fetch.sent_bytes >= FOUND_BYTES;
    match (end.carry, end.eof_code, end.chunk_state) {
        (1, _, Some(4)) if fetch.damage.is_some() => Some(Hypothesis::SizeLineHurt),
        (0, 0, Some(4)) if fetch.damage.is_some() && !meant => Some(Hypothesis::SizeLineHurt),
        (0, 0, Some(4)) if chunked => Some(Hypothesis::LastChunkSent),
        (0, 0, None) if meant => Some(Hypothesis::ShortLengthSent),
        (_, 1, _) if fetch.ending == Ending::Notified => Some(Hypothesis::ClosedWithNotification),
        (1, 5, _) if fetch.ending == Ending::WithoutNotify => Some(Hypothesis::ClosedWithout),
        (1, 0, _) if end.net_tcp_state == 1 => Some(Hypothesis::Silence),
        _ => None,
    }
}

/// Whether nothing is wrong with this fetch but that a READ may end within a size line: no byte is
/// hurt, no silence lasts, all of the body is sent, and it is not meant to end where the finding
/// did.
pub fn is_sound(fetch: &Fetch) -> bool {
    let lasts = fetch.pause.is_some_and(|pause| pause.lasts.as_millis() >= 59_000);
    let whole = fetch.sent_bytes >= fetch.page.body_bytes && fetch.page.body_bytes != FOUND_BYTES;
    fetch.damage.is_none() && !lasts && whole
}

/// Whether a byte was lost rather than doubled.
pub const fn lost_a_byte(fetch: &Fetch) -> bool {
    matches!(&fetch.damage, Some(damage) if matches!(damage.how, DamageKind::Drop))
}
