//! What the responder does when it is touched, worked out once for each responder and touch.
//!
//! ```text
//!   state ─► its responder ─┐                              ┌► the responder afterwards, shared
//!                    touch ─┴► Reactions ── Responder ─────┤
//!            (access, Nios, reply, fault)                  └► the bytes that are read, what was done
//! ```
//!
//! Responders that come out of here are shared: equal ones are one and the same, so that they are
//! told apart by their addresses and stored once.
use firmware_core::m3_read::registers::Register;

use super::replies::Offer;
use crate::checker::codec::Shared;
use crate::checker::memo::Memo;
use crate::m3_read::responder::network::Answer;
use crate::m3_read::responder::reply::Block;
use crate::m3_read::responder::task::Work;
use crate::m3_read::responder::{Fault, Responder};

/// Whatever can be done to the responder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Touch {
    /// The client reads a register.
    Read(Register),
    /// The client writes one.
    Write(Register, u8),
    /// The Nios makes a small step.
    Nios,
    /// The engine gives the offer with this number, so many bytes of the stream after its begin.
    Reply(u16, u16),
    /// The engine does what a CLOSE asks for.
    Closed,
    /// The pending accept is lost.
    LoseAccept,
    /// The interface is reset.
    Reset,
    /// A reply that nobody asked for is shown.
    Stray,
}

/// What comes of it.
#[derive(Clone, Debug)]
pub(super) struct Reaction {
    /// The responder afterwards.
    pub(super) responder: Shared<Responder>,
    /// The byte read.
    pub(super) byte: u8,
    /// The byte that is read on the very clock of the last change.
    pub(super) early: u8,
    /// Whether the Nios had something to do.
    pub(super) worked: bool,
    /// Whether that was a command that is answered without the engine.
    pub(super) alone: bool,
}

/// All reactions seen so far.
#[derive(Default)]
pub(super) struct Reactions {
    /// Whether each is worked out whenever it is asked for, as without [`Memo`].
    pub(super) anew: bool,
    known: Memo<(Shared<Responder>, Touch), Reaction>,
    responders: Memo<Shared<Responder>, Shared<Responder>>,
}

impl Reactions {
    /// What comes of a touch. Unless interrupts may be late, a flag is in the task's queue before
    /// anything else happens.
    pub(super) fn to(
        &self,
        responder: &Shared<Responder>,
        touch: Touch,
        late_interrupts: bool,
        offers: &[Offer],
    ) -> Reaction {
        if self.anew {
            let (after, reaction) = react(responder, touch, late_interrupts, offers);
            return Reaction { responder: Shared::new(after), ..reaction };
        }
        self.known.answer((responder.clone(), touch), |(responder, touch)| {
            let (after, reaction) = react(responder, *touch, late_interrupts, offers);
            let responder = self.responders.answer(Shared::new(after), Clone::clone);
            Reaction { responder, ..reaction }
        })
    }
}

/// The responder after a touch, and the rest of the reaction.
fn react(
    before: &Shared<Responder>,
    touch: Touch,
    late_interrupts: bool,
    offers: &[Offer],
) -> (Responder, Reaction) {
    let mut after = before.get().clone();
    let mut reaction =
        Reaction { responder: before.clone(), byte: 0, early: 0, worked: false, alone: false };
    match touch {
        Touch::Read(register) => {
            reaction.early = after.clone().read_on_the_same_clock(register);
            reaction.byte = after.read(register);
            after.settle();
        }
        Touch::Write(register, value) => {
            after.write(register, value);
            after.settle();
            interrupt(&mut after, late_interrupts);
        }
        Touch::Nios => {
            let work = after.work();
            reaction.worked = work.is_some();
            reaction.alone = matches!(work, Some(Work::Parsed { asks: false, .. }));
            interrupt(&mut after, late_interrupts || work.is_none());
        }
        Touch::Reply(number, delivered) => {
            if let Some(offer) = offers.get(usize::from(number)) {
                after.answer(offer.answer(delivered));
            }
        }
        Touch::Closed => {
            after.answer(Answer::Sent);
        }
        Touch::LoseAccept => after.suffer(Fault::AcceptLost),
        Touch::Reset => after.suffer(Fault::Reset),
        Touch::Stray => {
            let block = Block::try_new(vec![1, 0, 0xEE], b"00,OK".to_vec(), false)
                .expect("three bytes fit the queue");
            after.suffer(Fault::StrayReply(block));
        }
    }
    (after, reaction)
}

/// Takes a flag into the task's queue.
fn interrupt(responder: &mut Responder, late_interrupts: bool) {
    if late_interrupts {
        return;
    }
    let mut after = responder.clone();
    if let Some(Work::Interrupt(_)) = after.work() {
        *responder = after;
    }
}
