//! How a READ can end, as a number with a name: what reports and expectations call `read_end`.
//!
//! The first four are the numbers that the client itself returns; what it keeps apart inside, as
//! kinds of 3, has numbers of its own here. They do not change.
use firmware_core::m3_read::copy::Hole;
use firmware_core::m3_read::output::{Death, Ending, Missing, PollOutcome};

macro_rules! ends {
    ($($variant:ident $number:literal $name:literal $meaning:literal,)+) => {
        /// How a READ ended.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ReadEnd {
            $(#[doc = $meaning] $variant,)+
        }

        impl ReadEnd {
            /// Every end, ascending.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its number.
            pub const fn number(self) -> u8 {
                match self {
                    $(Self::$variant => $number),+
                }
            }

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),+
                }
            }

            /// What it means, in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning),+
                }
            }
        }
    };
}

ends! {
    Data 0 "data"
        "Bytes came, in order and without a gap.",
    Idle 1 "idle"
        "Nothing yet; the session stands.",
    Full 2 "full"
        "The ring had no room, and no register was touched.",
    End 3 "end"
        "There was no session, and no register was touched.",
    GoneClean 11 "gone_clean"
        "Status 01: the stream ended with a notification, and the handle with it.",
    GoneWithoutNotify 15 "gone_without_notify"
        "Status 05: the stream ended without a notification, and the handle with it.",
    NotOurs 20 "not_ours"
        "$FFFF without the idle line: the handle is another's and is never named again.",
    NoHeader 30 "no_header"
        "The reply was empty: a refusal, not an end.",
    HalfHeader 31 "half_header"
        "Only one byte of the header came.",
    StickyEnd 32 "sticky_end"
        "$0000 with a status other than 01 and 05: the session has died and is ours to close.",
    HeaderOverRequest 40 "header_over_request"
        "The header promised more than was asked for.",
    ShortBlock 41 "short_block"
        "The only block ended before the bytes that the header promised.",
    MoreAfterShortBlock 42 "more_after_short_block"
        "More was announced behind a first block that was not exactly full.",
    MoreNotTaken 43 "more_not_taken"
        "More was announced behind a full first block to a client that takes one block only.",
    ShortContinuation 44 "short_continuation"
        "The continuation ended before the bytes that the header promised.",
    SecondMore 45 "second_more"
        "More was announced behind a continuation that still owed bytes.",
    BytesPastHeader 46 "bytes_past_header"
        "Bytes lay behind those that the header promised.",
    UnowedMore 47 "unowed_more"
        "More was announced although nothing was owed.",
    BlockNeverEnds 48 "block_never_ends"
        "Bytes came without end, as from a block that fills the response RAM.",
    BytesAfterEnd 49 "bytes_after_end"
        "Bytes appeared in a block that had ended.",
    FirstBlockLate 60 "first_block_late"
        "The first block did not come in time, and the READ was aborted.",
    ContinuationLate 61 "continuation_late"
        "The continuation did not come in time, and the reply was aborted.",
    ReplyDropped 62 "reply_dropped"
        "The reply was dropped while it was being read.",
    ClockStandsStill 63 "clock_stands_still"
        "The deadline clock stood still, so the wait was bounded by its looks.",
    Rejected 70 "rejected"
        "The push was refused, and the command never ran.",
    Wedged 80 "wedged"
        "An abort was not served in time: nothing is written any more.",
}

impl From<PollOutcome> for ReadEnd {
    fn from(outcome: PollOutcome) -> Self {
        match outcome {
            PollOutcome::Data(_) => Self::Data,
            PollOutcome::Idle => Self::Idle,
            PollOutcome::Full => Self::Full,
            PollOutcome::End => Self::End,
            PollOutcome::Gone(Ending::Clean) => Self::GoneClean,
            PollOutcome::Gone(Ending::WithoutNotify) => Self::GoneWithoutNotify,
            PollOutcome::NotOurs => Self::NotOurs,
            PollOutcome::DeadOwned(Death::NoHeader) => Self::NoHeader,
            PollOutcome::DeadOwned(Death::HalfHeader) => Self::HalfHeader,
            PollOutcome::DeadOwned(Death::StickyEnd) => Self::StickyEnd,
            PollOutcome::Hole(hole) => Self::from(hole),
            PollOutcome::TimedOut(Missing::FirstBlock) => Self::FirstBlockLate,
            PollOutcome::TimedOut(Missing::Continuation) => Self::ContinuationLate,
            PollOutcome::TimedOut(Missing::Reply) => Self::ReplyDropped,
            PollOutcome::TimedOut(Missing::ClockTick) => Self::ClockStandsStill,
            PollOutcome::Rejected => Self::Rejected,
            PollOutcome::Wedged => Self::Wedged,
        }
    }
}

impl From<Hole> for ReadEnd {
    fn from(hole: Hole) -> Self {
        match hole {
            Hole::HeaderOverRequest => Self::HeaderOverRequest,
            Hole::ShortBlock => Self::ShortBlock,
            Hole::MoreAfterShortBlock => Self::MoreAfterShortBlock,
            Hole::MoreNotTaken => Self::MoreNotTaken,
            Hole::ShortContinuation => Self::ShortContinuation,
            Hole::SecondMore => Self::SecondMore,
            Hole::BytesPastHeader => Self::BytesPastHeader,
            Hole::UnowedMore => Self::UnowedMore,
            Hole::BlockNeverEnds => Self::BlockNeverEnds,
            Hole::BytesAfterEnd => Self::BytesAfterEnd,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend_and_every_meaning_is_a_sentence() {
        assert!(ReadEnd::ALL.windows(2).all(|pair| pair[0].number() < pair[1].number()));
        for end in ReadEnd::ALL {
            assert!(end.meaning().ends_with('.'), "{}", end.name());
        }
    }

    /// 0 data, 1 idle, 2 full; every end of a session is 3 to the caller and has its own number
    /// here.
    #[test]
    fn the_client_s_own_numbers_come_first() {
        for outcome in
            [PollOutcome::Data(5), PollOutcome::Idle, PollOutcome::Full, PollOutcome::End]
        {
            assert_eq!(ReadEnd::from(outcome).number(), outcome.number());
        }
        let ended = PollOutcome::Hole(Hole::ShortBlock);
        assert_eq!((ended.number(), ReadEnd::from(ended).number()), (3, 41));
    }
}
