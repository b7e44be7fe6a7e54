//! What can happen in a state, and what comes of it.
use firmware_core::m3_read::handshake::{State as Phase, Strobe};
use firmware_core::m3_read::input::{Input, Request};
use firmware_core::m3_read::output::{Access, CloseOutcome, Done, Next, PollOutcome};
use firmware_core::m3_read::registers::{Register, Status};

use super::reactions::{Reaction, Touch};
use super::replies::{Kind, Offer, Truth, stream_byte};
use super::state::{App, State, Told, WaitsFor, World};
use super::{LATES, System};
use crate::m3_read::responder::network::Ask;

/// One thing that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// The application asks for a READ.
    Poll,
    /// The application closes.
    Close,
    /// The client's access is made.
    Access,
    /// The client's read falls on the very clock of the FPGA on which the last change was made.
    SameClock,
    /// The client reads its clock, and this many units are gone since the last reading.
    Clock(u16),
    /// The Nios makes one small step.
    Nios,
    /// The engine gives the reply with this number in [`System::offers`].
    Reply(u16),
    /// The engine does what a CLOSE asks for.
    Closed,
    /// The accept that is pending never reaches the Nios.
    LoseAccept,
    /// The firmware resets the interface under the block that is shown.
    Reset,
    /// A reply that nobody asked for is shown.
    Stray,
}

/// What an action did that a rule may ask about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Effect {
    /// A byte went to the ring: whether it was the next of the stream, at the next place.
    pub stored: Option<bool>,
    /// What was written.
    pub wrote: Option<Wrote>,
    /// A READ ended so.
    pub polled: Option<PollOutcome>,
    /// A CLOSE ended so.
    pub closed: Option<CloseOutcome>,
}

/// A write by the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wrote {
    /// What.
    pub what: Written,
    /// Whether an abort was pending.
    pub while_aborting: bool,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Written {
    /// A byte of a command.
    CommandByte,
    /// Clear error.
    ClearError,
    /// A push.
    Push {
        /// The command number.
        number: u8,
        /// What a READ asks for.
        length: Option<u16>,
        /// The handle it names.
        handle: Option<u8>,
        /// Whether the hardware refused it.
        refused: bool,
    },
    /// An accept.
    Accept {
        /// The state it was written on.
        on: Phase,
        /// Whether bytes of the block were unread.
        unread: bool,
        /// Whether it fetches a continuation that the header still owes.
        owed: bool,
    },
    /// An abort.
    Abort {
        /// Units since the client began to wait for the block it did not get; none when it has one.
        waited: Option<u16>,
    },
    /// Several strobes in one write.
    Several(u8),
}

/// An action and what it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Happened {
    /// The action.
    pub act: Act,
    /// What it did.
    pub effect: Effect,
}

impl Happened {
    /// The action alone, as files of counterexamples name it.
    pub(super) fn word(self, offers: &[Offer]) -> String {
        match self.act {
            Act::Reply(at) => match offers.get(usize::from(at)) {
                Some(offer) => format!("reply {}", offer.name),
                None => format!("reply number {at}"),
            },
            Act::Clock(units) => format!("clock {units}"),
            Act::Access => "access".into(),
            Act::SameClock => "same clock".into(),
            Act::Nios => "nios".into(),
            Act::Closed => "closed".into(),
            Act::LoseAccept => "lose accept".into(),
            Act::Reset => "vanish".into(),
            Act::Stray => "stray".into(),
            Act::Poll => "poll".into(),
            Act::Close => "close".into(),
        }
    }

    pub(super) fn say(self, offers: &[Offer]) -> String {
        let act = match self.act {
            Act::Reply(at) => match offers.get(usize::from(at)) {
                Some(offer) => format!("engine replies: {}", offer.name),
                None => format!("engine replies: number {at}"),
            },
            Act::Clock(units) => format!("clock is read, {units} units later"),
            Act::Access => "client makes its access".into(),
            Act::SameClock => "client reads on the same clock".into(),
            Act::Nios => "Nios works".into(),
            Act::Closed => "engine closes".into(),
            Act::LoseAccept => "fault: the accept is lost".into(),
            Act::Reset => "fault: the block vanishes".into(),
            Act::Stray => "fault: a reply nobody asked for".into(),
            Act::Poll => "application polls".into(),
            Act::Close => "application closes".into(),
        };
        let Effect { stored, wrote, polled, closed } = self.effect;
        let parts = [
            stored.map(
                |in_order| if in_order { "stores".into() } else { "stores out of order".into() },
            ),
            wrote.map(|wrote| format!("writes {:?}", wrote.what)),
            polled.map(|outcome| format!("READ ends: {outcome:?}")),
            closed.map(|outcome| format!("CLOSE ends: {outcome:?}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if parts.is_empty() { act } else { format!("{act}; {}", parts.join(", ")) }
    }
}

impl System {
    pub(super) fn act(&self, state: &State, each: &mut impl FnMut(Happened, State)) {
        match state.world.outstanding {
            None => app(state, each),
            Some(Access::Clock) => self.clock(state, each),
            Some(access) => self.access(state, access, each),
        }
        if state.world.outstanding.is_none() && state.world.app == App::Over {
            return;
        }
        // Reading the clock has nothing to do with the firmware: what it does just before such an
        // access it can as well do just after it. The same holds for a byte of a queue, but for a
        // block that vanishes.
        match state.world.outstanding {
            Some(Access::Clock) => {}
            Some(Access::Read(Register::Response | Register::Text)) => {
                self.faults(state, each);
            }
            _ if self.bounds.still_clock => {}
            _ => {
                self.nios(state, each);
                self.engine(state, each);
                self.faults(state, each);
            }
        }
    }

    fn clock(&self, state: &State, each: &mut impl FnMut(Happened, State)) {
        let mut read = |units, late| {
            let mut next = state.clone();
            let world = &mut next.world;
            world.clock = world.clock.saturating_add(units);
            world.lates -= late;
            if world.wait_from.is_none() {
                world.wait_from = Some(world.clock);
                if world.waits_for == WaitsFor::FirstBlock {
                    world.pushed_at = Some(world.clock);
                }
            }
            let reading = !world.clock;
            let effect = feed(&mut next, Input::Clock(reading), Effect::default());
            each(Happened { act: Act::Clock(units), effect }, next);
        };
        if self.bounds.still_clock {
            return read(0, 0);
        }
        read(1, 0);
        if state.world.lates > 0 {
            read(2, 1);
        }
    }

    fn access(&self, state: &State, access: Access, each: &mut impl FnMut(Happened, State)) {
        match access {
            Access::Read(register) => {
                let Reaction { responder, byte, early, .. } =
                    self.react(state, Touch::Read(register));
                let next = state.with_responder(responder);
                let mut make = |act, byte| {
                    let mut next = next.clone();
                    let effect = feed(&mut next, Input::Byte(byte), Effect::default());
                    each(Happened { act, effect }, next);
                };
                make(Act::Access, byte);
                // Whatever the client then does is many clocks later.
                if register == Register::Control && early != byte {
                    make(Act::SameClock, early);
                }
            }
            Access::Write { register, value } => self.write(state, register, value, each),
            Access::WriteSource { .. } => self.write(state, Register::Command, 0, each),
            Access::Clock => {}
        }
    }

    fn write(
        &self,
        state: &State,
        register: Register,
        value: u8,
        each: &mut impl FnMut(Happened, State),
    ) {
        let what = if register == Register::Control {
            self.strobes(state, value)
        } else {
            Written::CommandByte
        };
        let flags = state.responder.get().fpga().flags();
        let while_aborting = flags & Status::ABORT_PENDING != 0;
        let after = self.react(state, Touch::Write(register, value)).responder;
        let mut next = state.with_responder(after);
        learn(&mut next.world, what);
        let wrote = Some(Wrote { what, while_aborting });
        let effect = feed(&mut next, Input::Written, Effect { wrote, ..Effect::default() });
        each(Happened { act: Act::Access, effect }, next);
    }

    fn react(&self, state: &State, touch: Touch) -> Reaction {
        self.reactions.to(&state.responder, touch, self.bounds.hostile, &self.offers)
    }

    fn nios(&self, state: &State, each: &mut impl FnMut(Happened, State)) {
        let Reaction { responder, worked, alone, .. } = self.react(state, Touch::Nios);
        if !worked {
            return;
        }
        let mut next = state.with_responder(responder);
        // A command that is answered without the engine is none to be judged as a reply to READ.
        if alone {
            next.world.truth = Truth::default();
        }
        each(Happened { act: Act::Nios, effect: Effect::default() }, next);
    }

    /// The engine's choices.
    fn engine(&self, state: &State, each: &mut impl FnMut(Happened, State)) {
        let mut answer = |act, truth: Truth, touch| {
            let mut next = state.with_responder(self.react(state, touch).responder);
            let world = &mut next.world;
            world.truth = truth;
            world.of_reply = 0;
            world.continued = 0;
            each(Happened { act, effect: Effect::default() }, next);
        };
        match state.responder.get().asks() {
            Some(Ask::Read { .. }) => {
                for (at, offer) in (0..).zip(&self.offers) {
                    answer(Act::Reply(at), offer.truth, Touch::Reply(at, state.world.delivered));
                }
            }
            Some(Ask::Close { .. }) => answer(Act::Closed, Truth::default(), Touch::Closed),
            Some(_) | None => {}
        }
    }

    fn faults(&self, state: &State, each: &mut impl FnMut(Happened, State)) {
        if state.world.faults == 0 {
            return;
        }
        let mut suffer = |act, touch| {
            let mut next = state.with_responder(self.react(state, touch).responder);
            next.world.faults -= 1;
            next.world.disturbed = true;
            each(Happened { act, effect: Effect::default() }, next);
        };
        let fpga = state.responder.get().fpga();
        if fpga.flags() & Status::ACCEPT_PENDING != 0 {
            suffer(Act::LoseAccept, Touch::LoseAccept);
        }
        let shown = matches!(fpga.state(), Phase::DataLast | Phase::DataMore);
        if self.bounds.hostile && shown {
            suffer(Act::Reset, Touch::Reset);
        }
        let asks = state.responder.get().asks().is_some();
        if fpga.state() == Phase::Idle && fpga.flags() == 0 && !asks {
            suffer(Act::Stray, Touch::Stray);
        }
    }

    /// What a write to CONTROL is.
    fn strobes(&self, state: &State, value: u8) -> Written {
        let has = |strobe: Strobe| value & strobe.bits() != 0;
        if value.count_ones() != 1 {
            return Written::Several(value);
        }
        let (world, fpga) = (&state.world, state.responder.get().fpga());
        if has(Strobe::Push) {
            let command = fpga.command();
            let byte = |at: usize| command.get(at).copied();
            let number = byte(1).unwrap_or(0);
            let length = (number == 0x10)
                .then(|| u16::from_le_bytes([byte(3).unwrap_or(0), byte(4).unwrap_or(0)]));
            let handle = if matches!(number, 0x09..=0x11) { byte(2) } else { None };
            return Written::Push { number, length, handle, refused: fpga.state() != Phase::Idle };
        }
        if has(Strobe::Accept) {
            let seen = Status(self.react(state, Touch::Read(Register::Control)).byte);
            let Truth { announced, first, .. } = world.truth;
            let owed = world.continued == 0 && first == super::FIRST_BLOCK && announced > first;
            return Written::Accept { on: fpga.state(), unread: seen.data_available(), owed };
        }
        if has(Strobe::Abort) {
            let waits = fpga.state() == Phase::Busy;
            let waited = world.wait_from.filter(|_| waits).map(|since| world.clock - since);
            return Written::Abort { waited };
        }
        Written::ClearError
    }
}

/// The application's choices while the client rests.
fn app(state: &State, each: &mut impl FnMut(Happened, State)) {
    let mut ask = |act, request, app| {
        let mut next = state.clone();
        let world = &mut next.world;
        world.app = app;
        rest(world);
        let effect = feed(&mut next, Input::Request(request), Effect::default());
        each(Happened { act, effect }, next);
    };
    match state.world.app {
        App::Polling(left) => {
            if left > 0 {
                ask(Act::Poll, Request::Poll, App::Polling(left - 1));
            }
            ask(Act::Close, Request::Close, App::Closing(1));
        }
        App::Closing(left) if left > 0 => {
            ask(Act::Close, Request::Close, App::Closing(left - 1));
        }
        App::Closing(_) | App::Over => {}
    }
}

/// Steps the client, and does at once what costs no access: the ring is emptied by its consumer.
fn feed(next: &mut State, input: Input, mut effect: Effect) -> Effect {
    let output = next.client.step(input);
    let world = &mut next.world;
    if let Some(store) = output.store {
        let in_order = store.byte == stream_byte(world.delivered)
            && store.at == world.delivered % firmware_core::m3_read::ring::RING_BYTES;
        effect.stored = Some(in_order);
        world.delivered = world.delivered.saturating_add(1);
        world.of_reply = world.of_reply.saturating_add(1);
    }
    match output.next {
        Next::Access(access) => world.outstanding = Some(access),
        Next::Done(done) => {
            world.outstanding = None;
            match done {
                Done::Poll(outcome) => effect.polled = Some(outcome),
                Done::Close(outcome) => {
                    effect.closed = Some(outcome);
                    world.app = match (outcome, world.app) {
                        (CloseOutcome::Rejected, app) => app,
                        _ => App::Over,
                    };
                }
                _ => {}
            }
            let count = next.client.ring().filled();
            let _ = next.client.step(Input::Request(Request::Consume { count }));
            rest(&mut next.world);
        }
        // The access stands; a client that does not take its answer would wait for ever.
        Next::Unexpected => {}
    }
    effect
}

/// What is forgotten while the client rests, so that equal situations are equal states.
fn rest(world: &mut World) {
    world.clock = 0;
    world.lates = LATES;
    world.wait_from = None;
    world.pushed_at = None;
    world.waits_for = WaitsFor::Idle;
    world.refusals = 0;
    world.of_reply = 0;
    world.continued = 0;
    world.truth = Truth::default();
}

/// What the model keeps of a write.
fn learn(world: &mut World, what: Written) {
    if what != Written::CommandByte {
        world.wait_from = None;
    }
    match what {
        Written::Push { number, refused, .. } => {
            world.waits_for = WaitsFor::FirstBlock;
            world.refusals = world.refusals.saturating_add(refused.into());
            world.truth = Truth::default();
            if number == 0x09 && !refused {
                world.close_pushed = true;
            }
        }
        Written::Accept { on: Phase::DataMore, .. } => {
            world.waits_for = WaitsFor::Continuation;
            world.continued = world.continued.saturating_add(1);
        }
        Written::Accept { on: Phase::DataLast, .. } => {
            world.told = match world.truth.kind {
                Kind::EndedClean | Kind::EndedWithoutNotify => Told::Gone,
                Kind::NotOurs => Told::NotOurs,
                Kind::Sticky => Told::Sticky,
                _ => world.told,
            };
        }
        Written::Abort { .. } => world.waits_for = WaitsFor::Abort,
        Written::Accept { .. }
        | Written::ClearError
        | Written::CommandByte
        | Written::Several(_) => {}
    }
}
