//! A whole page, every register access stepped through client and firmware.
use crate::m3_read::talk::{open, poll, with_engine};
use firmware_core::m3_read::output::{Ending, PollOutcome};
use firmware_core::m3_read::preset::Arm;
use models::m3_read::responder::Setup;
use models::m3_read::responder::script::{BODY_MAX, Page, PageError};

/// Plaintext of the measured page: 751 823 bytes of body and its headers.
const PLAINTEXT: u32 = 758_254;
const ENGINE_STEP: u32 = 960;

struct Fetched {
    data: usize,
    idle: usize,
    accesses: u64,
}

fn fetched(arm: Arm) -> Fetched {
    let page = Page::try_new(PLAINTEXT, ENGINE_STEP).expect("the page can be counted");
    let mut pair = with_engine(arm.config(), Setup::m3(), page);
    assert_eq!(open(&mut pair), Ok(()));
    let (mut data, mut idle, mut at) = (0, 0, 0);
    loop {
        match poll(&mut pair) {
            PollOutcome::Data(_) => data += 1,
            PollOutcome::Idle => idle += 1,
            PollOutcome::Gone(Ending::Clean) => break,
            other => panic!("the page comes whole: {other:?}"),
        }
        for byte in pair.consume() {
            assert_eq!(byte, Page::byte(at), "byte {at}");
            at += 1;
        }
    }
    assert_eq!(at, PLAINTEXT);
    assert_eq!(pair.log.violations, []);
    Fetched { data, idle, accesses: pair.log.accesses() }
}

/// 758 254 = 46 records of 16 384 and one of 4 590: 46 × 17 + 4 full steps, 46 + 1 short ones, and
/// after each of the 47 records one READ that finds nothing.
#[test]
fn the_measured_page_takes_833_and_47_reads_in_arm_2_and_786_more_in_arm_1() {
    assert_eq!(PLAINTEXT, 46 * 16_384 + 4_590);
    let full_steps = 46 * 17 + 4;
    let steps = full_steps + 46 + 1;
    let two = fetched(Arm::Two);
    assert_eq!((two.data, two.idle), (steps, 47), "measured: 832 and 47");
    let one = fetched(Arm::One);
    assert_eq!((one.data, one.idle), (steps + full_steps, 47), "measured: 1 666 in all");
    let two_a_byte = 2 * u64::from(PLAINTEXT);
    for page in [one, two] {
        assert!(page.accesses > two_a_byte, "a look and a byte, for each byte");
        assert!(page.accesses < two_a_byte + 100_000, "{}", page.accesses);
    }
}

#[test]
fn a_body_that_24_bits_cannot_count_is_refused() {
    assert!(Page::try_new(BODY_MAX, ENGINE_STEP).is_ok());
    let error = PageError::BodyOver24Bits(0x0100_0000);
    assert_eq!(Page::try_new(0x0100_0000, ENGINE_STEP), Err(error));
    assert_eq!(error.to_string(), "bytes is 16777216; the client counts up to 16777215");
    for step in [0, 16_385] {
        let refused = Err(PageError::StepOutOfRange(step));
        assert_eq!(Page::try_new(PLAINTEXT, step), refused);
    }
}
