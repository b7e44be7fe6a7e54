//! Property: an input that answers nothing that was asked changes nothing.
use super::bus::{Bus, Honest, SERVER, connected};
use firmware_core::m3_read::M3Read;
use firmware_core::m3_read::input::{Input, Request};
use firmware_core::m3_read::output::{Access, Next};
use firmware_core::m3_read::preset::Arm;
use proptest::prelude::*;

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        any::<u8>().prop_map(Input::Byte),
        Just(Input::Written),
        any::<u16>().prop_map(Input::Clock),
        Just(Input::Request(Request::Poll)),
        Just(Input::Request(Request::Startup)),
        Just(Input::Request(Request::Open(SERVER))),
        any::<u16>().prop_map(|count| Input::Request(Request::Consume { count })),
        any::<u16>().prop_map(|length| Input::Request(Request::Write { length })),
    ]
}

/// Whether an input is the kind of answer that the outstanding access wants.
fn fits(outstanding: Option<Access>, input: Input) -> bool {
    matches!(
        (outstanding, input),
        (None, Input::Request(_))
            | (Some(Access::Read(_)), Input::Byte(_))
            | (Some(Access::Write { .. } | Access::WriteSource { .. }), Input::Written)
            | (Some(Access::Clock), Input::Clock(_))
    )
}

proptest! {
    #[test]
    fn inputs_in_any_order_are_answers_or_change_nothing(
        arm in prop::sample::select(Arm::ALL.to_vec()),
        opened in any::<bool>(),
        inputs in prop::collection::vec(input(), 1..400),
    ) {
        let mut reader = if opened {
            connected(arm.config())
        } else {
            M3Read::new(arm.config()).expect("the arms are sound")
        };
        let mut outstanding = None;
        for input in inputs {
            let before = reader;
            let output = reader.step(input);
            prop_assert_eq!(reader.broken_invariant(), None);
            if fits(outstanding, input) {
                prop_assert_ne!(output.next, Next::Unexpected);
                outstanding = match output.next {
                    Next::Access(access) => Some(access),
                    Next::Done(_) | Next::Unexpected => None,
                };
            } else {
                prop_assert_eq!(output.next, Next::Unexpected);
                prop_assert_eq!(reader, before);
            }
        }
    }
}

#[test]
fn a_request_during_another_is_refused_and_the_first_one_goes_on() {
    let mut reader = connected(Arm::Two.config());
    let first = reader.step(Input::Request(Request::Poll));
    assert_eq!(first.next, Next::Access(Access::Clock));
    assert_eq!(reader.step(Input::Request(Request::Poll)).next, Next::Unexpected);
    let second = reader.step(Input::Clock(Honest::default().clock()));
    assert!(matches!(second.next, Next::Access(Access::Read(_))));
}
