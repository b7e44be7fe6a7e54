//! The state of the closed system: the client, the responder, and what the model itself keeps.
use firmware_core::m3_read::M3Read;
use firmware_core::m3_read::output::Access;

use super::replies::Truth;
use super::{Bounds, LATES};
use crate::checker::codec::{Parts, Shared};
use crate::m3_read::responder::Responder;

/// A state: cheap to copy, since the responder is shared until it changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The client.
    pub client: M3Read,
    /// The firmware.
    pub responder: Shared<Responder>,
    /// What the model keeps.
    pub world: World,
}

/// What the model keeps beside the two machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct World {
    /// The access that the client waits for; none while it rests.
    pub outstanding: Option<Access>,
    /// What the application still does.
    pub app: App,
    /// Faults that may still happen.
    pub faults: u8,
    /// Units since the client last rested.
    pub clock: u16,
    /// How often a reading may still find two units gone before the client rests.
    pub lates: u8,
    /// The first reading after the last control write, or since the client rested: what a wait
    /// counts from.
    pub wait_from: Option<u16>,
    /// The first reading after the last push since the client rested.
    pub pushed_at: Option<u16>,
    /// What the wait in hand is for.
    pub waits_for: WaitsFor,
    /// Pushes that were refused since the client rested.
    pub refusals: u8,
    /// Bytes of the stream in the ring or consumed, in order.
    pub delivered: u16,
    /// Of these, bytes of the reply in hand.
    pub of_reply: u16,
    /// The reply in hand, as it truly is.
    pub truth: Truth,
    /// Accepts of a block that more follows, in the reply in hand.
    pub continued: u8,
    /// Whether a fault has touched the reply in hand.
    pub disturbed: bool,
    /// What the client has read to its end and accepted about its session.
    pub told: Told,
    /// Whether a CLOSE has been pushed, and not refused.
    pub close_pushed: bool,
}

/// What a wait is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitsFor {
    /// An idle interface.
    Idle,
    /// The first block.
    FirstBlock,
    /// The continuation.
    Continuation,
    /// An abort to be served.
    Abort,
}

/// What the application does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum App {
    /// It may poll so many times more, or close.
    Polling(u8),
    /// It closes; after a refusal it may try so many times more.
    Closing(u8),
    /// It is done.
    Over,
}

/// What the client knows of its session because it has read and accepted it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Told {
    /// Nothing bad.
    #[default]
    Nothing,
    /// 01 or 05: the number is free and may be another's by now.
    Gone,
    /// `$FFFF` without the idle line: the number is another's.
    NotOurs,
    /// 12, 14, 16, 17: dead, and still ours to close.
    Sticky,
}

impl State {
    pub(super) fn begin(client: M3Read, responder: Shared<Responder>, bounds: Bounds) -> Self {
        let world = World {
            outstanding: None,
            app: App::Polling(bounds.polls),
            faults: bounds.faults,
            clock: 0,
            lates: LATES,
            wait_from: None,
            pushed_at: None,
            waits_for: WaitsFor::Idle,
            refusals: 0,
            delivered: client.ring().tail(),
            of_reply: 0,
            truth: Truth::default(),
            continued: 0,
            disturbed: false,
            told: Told::Nothing,
            close_pushed: false,
        };
        Self { client, responder, world }
    }

    /// The same with another responder.
    pub(super) fn with_responder(&self, responder: Shared<Responder>) -> Self {
        Self { client: self.client, responder, world: self.world }
    }

    /// The phase that this state belongs to: what the interface shows, and what the client does.
    pub fn phase(&self) -> String {
        let client = match self.world.outstanding {
            None => "rests".to_owned(),
            Some(Access::Clock) => format!("waits: {:?}", self.world.waits_for),
            Some(Access::Read(register)) => format!("reads {register:?}"),
            Some(Access::Write { register, .. }) => format!("writes {register:?}"),
            Some(Access::WriteSource { .. }) => "writes its buffer".to_owned(),
        };
        format!("{:?} / {client}", self.responder.get().fpga().state())
    }

    pub(super) fn describe(&self) -> Vec<(String, String)> {
        let (world, responder) = (&self.world, self.responder.get());
        let fpga = responder.fpga();
        let part = |name: &str, value: String| (name.to_owned(), value);
        vec![
            part("status", format!("{:08b} {:?}", fpga.status().0, fpga.state())),
            part(
                "client",
                match world.outstanding {
                    None => "rests".into(),
                    Some(access) => format!("{access:?}"),
                },
            ),
            part("connection", format!("{:?}", self.client.connection())),
            part("handle", format!("{:?}", self.client.ownership())),
            part("last error", format!("${:02X}", self.client.last_error().byte())),
            part("clock", format!("{} units", world.clock)),
            part("delivered", format!("{} bytes", world.delivered)),
            part("reply", format!("{:?}", world.truth.kind)),
            part("told", format!("{:?}", world.told)),
            part("nios asks", format!("{:?}", responder.asks())),
            part("application", format!("{:?}", world.app)),
        ]
    }
}

impl Parts for State {
    type Core = M3Read;
    type Device = Shared<Responder>;
    type World = World;

    fn parts(&self) -> (&M3Read, &Shared<Responder>, &World) {
        (&self.client, &self.responder, &self.world)
    }

    fn join(client: M3Read, responder: Shared<Responder>, world: World) -> Self {
        Self { client, responder, world }
    }

    fn device_bytes() -> usize {
        // The responder itself, and about as much again in its queues.
        2 * size_of::<Responder>()
    }
}
