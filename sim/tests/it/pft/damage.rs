//! Damage to a trace of 100 KB: every cut leaves a valid prefix and a labelled gap, every flipped bit
//! is detected.
use firmware_core::charge::CostKey;
use firmware_core::time::Instant;
use sim::pft::choice::GapReason;
use sim::pft::{Event, Gap, Head, Item, PftError, Reader, Record, Redactor, TraceSubject, Writer};

/// A trace of this many records and a digest.
fn trace(records: u64) -> Vec<u8> {
    let head = Head::new(TraceSubject::WgMgr, "damage");
    let mut writer = Writer::create(Vec::new(), &head, Redactor::off()).expect("memory");
    for number in 0..records {
        let at = Instant::from_nanos(number * 977);
        writer.record(at, &event(number)).expect("memory");
    }
    writer.finish(Some(0x1234_5678_9abc_def0)).expect("memory")
}

fn event(number: u64) -> Event {
    let byte = number.to_le_bytes()[0];
    match number % 4 {
        0 => Event::InWake {},
        1 => Event::OutCharge { key: CostKey::BoxOpenComputed },
        2 => Event::InPacket { packet: number },
        _ => Event::Mark { text: format!("{byte:0>780}") },
    }
}

/// What a reader makes of these bytes.
struct Seen {
    records: Vec<Record>,
    gaps: Vec<Gap>,
    error: Option<PftError>,
    is_complete: bool,
}

fn read(bytes: &[u8]) -> Seen {
    let (mut records, mut gaps, mut error) = (Vec::new(), Vec::new(), None);
    let mut reader = match Reader::open(bytes) {
        Ok(reader) => reader,
        Err(error) => {
            return Seen { records, gaps, error: Some(error), is_complete: false };
        }
    };
    for item in &mut reader {
        match item {
            Ok(Item::Record(record)) => records.push(record),
            Ok(Item::Gap(gap)) => gaps.push(gap),
            Ok(Item::Unknown(unknown)) => panic!("{unknown:?}"),
            Err(found) => error = Some(found),
        }
    }
    Seen { records, gaps, error, is_complete: reader.end().is_some() }
}

/// How many records a reader counts, and its gaps, without keeping either.
fn skim(bytes: &[u8]) -> (u64, Vec<Gap>, bool) {
    let mut reader = Reader::open(bytes).expect("it begins as a trace does");
    let (mut count, mut gaps) = (0, Vec::new());
    for item in &mut reader {
        match item.expect("what is whole is valid") {
            Item::Record(record) => {
                assert_eq!(record.index, count);
                assert_eq!(record.at, Instant::from_nanos(count * 977));
                count += 1;
            }
            Item::Gap(gap) => gaps.push(gap),
            Item::Unknown(unknown) => panic!("{unknown:?}"),
        }
    }
    (count, gaps, reader.end().is_some())
}

#[test]
fn a_cut_at_every_byte_of_100_kb_leaves_a_valid_prefix_and_a_labelled_gap() {
    let whole = trace(520);
    assert!((100_000..130_000).contains(&whole.len()), "{}", whole.len());
    let all = read(&whole);
    assert!(all.is_complete && all.gaps.is_empty() && all.error.is_none());
    assert_eq!(all.records.len(), 520);
    let mut before = 0;
    for length in 0..whole.len() {
        let (count, gaps, is_complete) = skim(&whole[..length]);
        assert!(!is_complete && count >= before, "{length}: {count}");
        before = count;
        let [gap] = &gaps[..] else { panic!("{length}: {gaps:?}") };
        assert!(matches!(gap.reason, GapReason::Cut | GapReason::Unfinished), "{length}: {gap:?}");
        assert_eq!(gap.bytes.end, length as u64, "{gap:?}");
        assert_eq!(gap.before, count);
        // A block has at most 4 KiB and one record, so a cut costs no more than that.
        assert!(gap.bytes.end - gap.bytes.start < 8_192 || count == 0, "{length}: {gap:?}");
    }
    assert!(before > 490);
}

#[test]
fn a_flipped_bit_at_every_byte_of_100_kb_is_detected() {
    let mut bytes = trace(520);
    for offset in 0..bytes.len() {
        let bit = 1_u8 << (offset % 8);
        bytes[offset] ^= bit;
        match Reader::open(&bytes[..]) {
            Err(PftError::NotATrace | PftError::Head(_)) => assert!(offset < 8_192, "{offset}"),
            Err(error) => panic!("{offset}: {error}"),
            Ok(reader) => {
                let mut found = reader.map(|item| item.expect("damage is a gap"));
                let is_detected = found.any(|item| matches!(item, Item::Gap(_)));
                assert!(is_detected, "bit {bit:#04x} at byte {offset} passed");
            }
        }
        bytes[offset] ^= bit;
    }
}

#[test]
fn every_single_bit_of_a_small_trace_is_detected_and_what_is_whole_is_what_was_written() {
    let whole = trace(40);
    let written = read(&whole).records;
    let mut bytes = whole;
    for offset in 0..bytes.len() {
        for bit in 0..8 {
            bytes[offset] ^= 1 << bit;
            let seen = read(&bytes);
            assert!(seen.error.is_some() || !seen.gaps.is_empty(), "bit {bit} of byte {offset}");
            let mut left = seen.records.iter();
            assert!(left.all(|record| written.contains(record)), "bit {bit} of byte {offset}");
            bytes[offset] ^= 1 << bit;
        }
    }
}

#[test]
fn damage_in_the_middle_costs_one_block_and_says_how_many_records() {
    let mut bytes = trace(520);
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    let seen = read(&bytes);
    let [gap] = &seen.gaps[..] else { panic!("{:?}", seen.gaps) };
    assert_eq!(gap.reason, GapReason::Damaged);
    let lost = gap.lost.expect("the next block tells");
    assert_eq!(seen.records.len() as u64 + lost, 520);
    assert!((10..40).contains(&lost) && seen.is_complete, "{gap:?}");
}

#[test]
fn a_trace_that_was_cut_is_taken_up_again_behind_what_is_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("cut.pft");
    let whole = trace(120);
    std::fs::write(&path, &whole[..whole.len() / 2]).expect("written");
    let before = read(&whole[..whole.len() / 2]).records;
    let mut writer = Writer::append(&path, Redactor::off()).expect("a trace");
    let at = Instant::from_millis(1_000_000);
    writer.record(at, &Event::InWake {}).expect("written");
    writer.finish(None).expect("written");
    let seen = read(&std::fs::read(&path).expect("read"));
    assert!(seen.is_complete && seen.error.is_none());
    assert_eq!(seen.records[..before.len()], before[..]);
    assert_eq!(seen.records.len(), before.len() + 1);
    assert_eq!(seen.records.last().map(|last| last.at), Some(at));
    assert_eq!(seen.gaps.iter().map(|gap| gap.reason).collect::<Vec<_>>(), [GapReason::Resumed]);
}

#[test]
fn a_finished_trace_goes_on_without_a_gap() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("finished.pft");
    std::fs::write(&path, trace(500)).expect("written");
    let mut writer = Writer::append(&path, Redactor::off()).expect("a trace");
    assert_eq!(
        writer.record(Instant::from_millis(9_000), &Event::InEmpty {}).expect("written"),
        500
    );
    writer.finish(None).expect("written");
    let seen = read(&std::fs::read(&path).expect("read"));
    assert!(seen.is_complete && seen.gaps.is_empty() && seen.records.len() == 501);
}
