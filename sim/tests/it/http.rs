//! The HTTP layer over the whole READ path: the published client's tests that reach into it, by
//! their names, and splits of chunk lines over READs.
use firmware_core::m3_read::preset::Arm;
use firmware_core::time::Duration;
use sim::read::consumer::verdict::Carry;
use sim::read::outcome::Outcome;
use sim::read::server::{ChunkSizes, Damage, DamageKind, Ending, Framing, Page, Pause};
use sim::read::{Fetch, fetch};

#[track_caller]
fn carried_out(what: &Fetch) -> Outcome {
    let outcome = fetch(what, &mut |_| true).expect("the fetch is sound");
    assert_eq!((outcome.violations.len(), outcome.pushes_rejected), (0, 0));
    outcome
}

fn unframed(body_bytes: u32, ending: Ending) -> Fetch {
    let page = Page { framing: Framing::Unframed, ..Page::with_length(body_bytes, 100) };
    Fetch { ending, ..Fetch::of(Arm::Two, page) }
}

fn chunked(body_bytes: u32, head_bytes: u32, size: u32) -> Page {
    let framing = Framing::Chunked(ChunkSizes::try_new(&[size]).expect("a size"));
    Page { framing, ..Page::with_length(body_bytes, head_bytes) }
}

/// Cites S 1.5, facts c4.
#[test]
fn http_content_length_end_to_end() {
    for arm in Arm::ALL {
        let outcome = carried_out(&Fetch::of(arm, Page::with_length(2_000, 100)));
        assert_eq!((outcome.carry, outcome.delivered), (Carry::Clear, 2_000), "{arm:?}");
        assert!(outcome.is_whole() && outcome.reads.len() > 3, "over several READs");
    }
}

/// Cites S 1.6.
#[test]
fn http_05_unframed_is_short() {
    let ends = [(Ending::WithoutNotify, Carry::Set, 5), (Ending::Notified, Carry::Clear, 1)];
    for (ending, carry, eof_code) in ends {
        let outcome = carried_out(&unframed(2_000, ending));
        assert_eq!((outcome.carry, outcome.eof_code), (carry, eof_code));
        assert_eq!((outcome.delivered, outcome.closes), (2_000, 0), "gone, so never closed");
    }
}

/// Cites client rules, S 1.6: nothing but 01 and 05 ends a stream.
#[test]
fn http_unframed_stall_is_short() {
    let outcome = carried_out(&unframed(2_000, Ending::Silent));
    assert_eq!((outcome.carry, outcome.delivered), (Carry::Set, 2_000));
    assert!(outcome.page > Duration::from_millis(60_000), "after a minute");
}

/// Cites client rules, ER-21: the one READ before the request finds nothing.
#[test]
fn http_sink_refusal_stops() {
    for body_bytes in [2_000, 100] {
        for framing in [Framing::ContentLength, Framing::Unframed] {
            let page = Page { framing, ..Page::with_length(body_bytes, 100) };
            let what =
                Fetch { sink_bytes: 50, ending: Ending::Notified, ..Fetch::of(Arm::One, page) };
            let outcome = carried_out(&what);
            assert_eq!((outcome.carry, outcome.delivered), (Carry::Set, 50), "{what:?}");
            assert_eq!(outcome.reads.len(), 2, "the one before the request and the first of data");
        }
    }
}

#[test]
fn refused_body_skips_the_viewer() {
    let large = Page::with_length(100_000, 100);
    let refused = carried_out(&Fetch { sink_bytes: 65_536, ..Fetch::of(Arm::Two, large) });
    assert!(!refused.enters_viewer());
    // Every other incomplete body is shown: the published clients enter it whatever C says.
    let short = carried_out(&Fetch {
        sent_bytes: 50_000,
        ending: Ending::WithoutNotify,
        ..Fetch::of(Arm::Two, large)
    });
    assert_eq!((short.carry, short.enters_viewer()), (Carry::Set, true));
}

/// Hypothesis 6 and the published fuzz of 12 split points: steps of 1 to 9 bytes and heads of ten
/// lengths cut the eight bytes between two chunks in every place, and no cut changes anything.
#[test]
fn no_split_of_chunk_lines_changes_the_body() {
    for step_bytes in 1..=9 {
        for head_bytes in 80..90 {
            let page = chunked(600, head_bytes, 0x80);
            let outcome = carried_out(&Fetch { step_bytes, ..Fetch::of(Arm::Two, page) });
            assert!(outcome.is_whole(), "steps of {step_bytes}, a head of {head_bytes}");
        }
    }
}

/// Hypothesis 5 on a small page: each byte of CR LF 1 0 CR LF lost, one at a time. Chunks have no
/// sum to check, so a wrong size is never noticed: C is 0 whatever is missing.
#[test]
fn a_byte_lost_in_a_size_line_is_never_noticed() {
    let verdict = |offset: u32, blank_line_every_bytes| {
        let page = Page { blank_line_every_bytes, ..chunked(64, 100, 0x10) };
        // 100 of head, a line of 4 bytes and the first chunk lie before it.
        let damage = Some(Damage { how: DamageKind::Drop, at_byte: 100 + 4 + 0x10 + offset });
        let outcome = carried_out(&Fetch { damage, ..Fetch::of(Arm::Two, page) });
        (outcome.carry, outcome.delivered)
    };
    assert_eq!(verdict(0, 0), (Carry::Clear, 64), "a carriage return counts for nothing");
    assert_eq!(verdict(4, 0), (Carry::Clear, 64), "nor does this one");
    assert_eq!(verdict(2, 16), (Carry::Clear, 16), "10 without its 1 is 0: the rest are trailers");
    assert_eq!(verdict(2, 0), (Carry::Clear, 16), "and without an empty line all of it is");
    assert_eq!(verdict(3, 0), (Carry::Clear, 49), "10 without its 0 is 1: 15 bytes are skipped");
}

/// A silence just under the bound is waited out, and one just over it is not. Cites client rules.
#[test]
fn a_silence_of_59_seconds_is_waited_out_and_one_of_61_is_not() {
    for (seconds, carry) in [(59, Carry::Clear), (61, Carry::Set)] {
        let lasts = Duration::from_millis(seconds * 1_000);
        let pause = Some(Pause { after_bytes: 16_384, lasts });
        let page = Page::with_length(29_764, 1_500);
        let outcome = carried_out(&Fetch { pause, ..Fetch::of(Arm::Two, page) });
        assert_eq!(outcome.carry, carry, "{seconds} s");
        assert_eq!(outcome.is_whole(), carry == Carry::Clear);
    }
}
