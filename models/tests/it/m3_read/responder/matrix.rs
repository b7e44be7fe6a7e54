//! Every phase of a conversation times every strobe and every pair of strobes, printed.
use super::{control, let_work, open, push, response, running, status};
use models::m3_read::responder::Responder;
use models::m3_read::responder::firmware::Firmware;
use models::m3_read::responder::network::Answer;
use models::m3_read::responder::task::Work;
use std::fmt::Write as _;

/// How far a READ of two blocks has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Idle,
    Pushed,
    Running,
    CommandTaken,
    FirstBlock,
    FirstBlockRead,
    Accepted,
    LastBlock,
    LastBlockRead,
    Aborted,
}

impl Phase {
    const ALL: [Self; 10] = [
        Self::Idle,
        Self::Pushed,
        Self::Running,
        Self::CommandTaken,
        Self::FirstBlock,
        Self::FirstBlockRead,
        Self::Accepted,
        Self::LastBlock,
        Self::LastBlockRead,
        Self::Aborted,
    ];

    /// A responder that has come this far.
    fn reached(self) -> Responder {
        let mut responder = running(Firmware::M3);
        open(&mut responder);
        for phase in Self::ALL.into_iter().skip(1) {
            if self == Self::Idle {
                break;
            }
            phase.enter(&mut responder);
            if phase == self {
                break;
            }
        }
        responder
    }

    /// The step from the phase before.
    fn enter(self, responder: &mut Responder) {
        match self {
            Self::Idle => {}
            Self::Pushed => push(responder, &[0x03, 0x10, 0, 0xC0, 0x05]),
            Self::CommandTaken => {
                assert!(responder.answer(Answer::Data(vec![b'x'; 960])));
                assert_eq!(responder.work(), Some(Work::CommandTaken));
            }
            Self::Running | Self::FirstBlock | Self::LastBlock => {
                let_work(responder);
            }
            Self::FirstBlockRead | Self::LastBlockRead => {
                response(responder, 2_000);
            }
            Self::Accepted => control(responder, 0x02),
            Self::Aborted => control(responder, 0x04),
        }
    }
}

#[test]
fn every_phase_times_every_strobe_is_as_reviewed() {
    let strobes = [
        ("push", 0x01),
        ("accept", 0x02),
        ("abort", 0x04),
        ("clear", 0x08),
        ("push+accept", 0x03),
        ("push+abort", 0x05),
        ("push+clear", 0x09),
        ("accept+abort", 0x06),
        ("accept+clear", 0x0A),
        ("abort+clear", 0x0C),
    ];
    let mut matrix = String::new();
    for phase in Phase::ALL {
        for (name, value) in strobes {
            let mut responder = phase.reached();
            let before = status(&mut responder).0;
            control(&mut responder, value);
            let after = status(&mut responder).0;
            let_work(&mut responder);
            let settled = status(&mut responder).0;
            let phase = format!("{phase:?}");
            writeln!(
                matrix,
                "{phase:<14} ${before:02X} x {name:<12} -> ${after:02X}, settles at ${settled:02X}"
            )
            .expect("a string takes every line");
        }
    }
    insta::assert_snapshot!("phase_strobe_matrix", matrix);
}
