//! The state of the closed system: the manager, the queues in front of it, and what the model keeps.
use std::sync::Arc;

use firmware_core::wg_mgr::input::{PeerUpdate, Via};
use firmware_core::wg_mgr::output::Queue;
use firmware_core::wg_mgr::wire::TransactionId;

use super::Manager;
use super::scene::{Arrival, Scene};
use crate::checker::codec::{Parts, Shared};

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The manager.
    pub manager: Shared<Manager>,
    /// What waits for it.
    pub queues: Shared<Queues>,
    /// What the model keeps.
    pub world: World,
}

/// A packet in a queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Packet {
    /// What it is.
    pub kind: Arrival,
    /// Its bytes.
    pub bytes: Arc<Vec<u8>>,
    /// The way it came.
    pub via: Via,
    /// When it arrived, in microseconds; only of heartbeats, whose wait is asked for.
    pub arrived_us: u64,
    /// Of a pong: the node that sends it.
    pub from: u8,
}

/// The three queues, oldest first, and the pongs that may still come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Queues {
    /// Tunnel packets.
    pub tunnel: Vec<Packet>,
    /// DISCO packets.
    pub disco: Vec<Packet>,
    /// Peer updates.
    pub updates: Vec<PeerUpdate>,
    /// Our pings that nobody has answered: their ids, and the nodes they were sent to.
    pub pings: Vec<(TransactionId, u8)>,
}

/// What the manager is called with next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Due {
    /// The head of this queue, or its emptiness.
    Answer(Queue),
    /// Nothing but the time, at this instant in microseconds.
    Wake(u64),
}

/// What the model keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct World {
    /// The clock, in microseconds.
    pub now_us: u64,
    /// What comes next.
    pub due: Due,
    /// Passes that may still begin.
    pub passes: u8,
    /// How often each kind may still arrive.
    pub budgets: [u8; Arrival::ALL.len()],
    /// Boxes opened since the tunnel queue was last found empty.
    pub opens: u8,
    /// Whether a CallMeMaybe is being served.
    pub serving_call_me_maybe: bool,
    /// When an answer of the priority peer was last shed by a full queue.
    pub pong_shed_us: Option<u64>,
}

impl World {
    pub(super) fn begin(now_us: u64, due: Due, scene: &Scene) -> Self {
        Self {
            now_us,
            due,
            passes: scene.passes,
            budgets: scene.budgets,
            opens: 0,
            serving_call_me_maybe: false,
            pong_shed_us: None,
        }
    }

    /// How often a kind may still arrive.
    pub fn left(&self, kind: Arrival) -> u8 {
        self.budgets[kind.index()]
    }
}

impl State {
    /// The phase that this state belongs to: where the loop is.
    pub fn phase(&self) -> String {
        stage(self.manager.get())
    }

    pub(super) fn describe(&self) -> Vec<(String, String)> {
        let (world, queues) = (&self.world, self.queues.get());
        let kinds = |packets: &[Packet]| {
            let kinds: Vec<String> =
                packets.iter().map(|packet| format!("{:?}", packet.kind)).collect();
            if kinds.is_empty() { "empty".into() } else { kinds.join(", ") }
        };
        let part = |name: &str, value: String| (name.to_owned(), value);
        #[expect(clippy::cast_precision_loss, reason = "milliseconds for people")]
        let ms = world.now_us as f64 / 1_000.0;
        vec![
            part("clock", format!("{ms:.3} ms")),
            part("stage", stage(self.manager.get())),
            part("tunnel queue", kinds(&queues.tunnel)),
            part("DISCO queue", kinds(&queues.disco)),
            part("updates", queues.updates.len().to_string()),
            part("pings without a pong", queues.pings.len().to_string()),
            part("opened since the last drain", world.opens.to_string()),
            part("peers", self.manager.get().peers().active().to_string()),
        ]
    }
}

fn stage(manager: &Manager) -> String {
    let text = format!("{:?}", manager.stage());
    text.split([' ', '(', '{']).next().unwrap_or_default().to_owned()
}

impl Parts for State {
    type Core = Shared<Manager>;
    type Device = Shared<Queues>;
    type World = World;

    fn parts(&self) -> (&Shared<Manager>, &Shared<Queues>, &World) {
        (&self.manager, &self.queues, &self.world)
    }

    fn join(manager: Shared<Manager>, queues: Shared<Queues>, world: World) -> Self {
        Self { manager, queues, world }
    }

    fn core_bytes() -> usize {
        size_of::<Manager>()
    }

    fn device_bytes() -> usize {
        2 * size_of::<Queues>() + 2 * size_of::<Packet>()
    }
}
