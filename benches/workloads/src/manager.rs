//! A manager with 128 peers and what waits for it in one pass.
use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::WgMgr;
use firmware_core::wg_mgr::config::{Config, Crypto};
use firmware_core::wg_mgr::input::{Control, Datagram, Input, PeerUpdate, Via};
use firmware_core::wg_mgr::keys::{DiscoKey, Entropy, Identity, NodeKey};
use firmware_core::wg_mgr::output::{Output, Queue};
use firmware_core::wg_mgr::peers::{HostName, PeerRecord};
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::wire::{Endpoints, MAGIC};

/// What waits when the pass begins.
#[derive(Clone, Copy, Debug)]
pub enum Load {
    /// Nothing.
    Quiet,
    /// 32 tunnel packets and 8 DISCO packets from unknown keys.
    Full,
}

/// A manager in front of a pass.
#[derive(Clone)]
pub struct PassBench {
    core: WgMgr<128>,
    now: Instant,
    tunnel: u64,
    disco: u8,
}

impl PassBench {
    /// A manager with 128 peers, asleep after its first passes.
    pub fn new(crypto: Crypto) -> Self {
        let config = Config { crypto, adds_per_pass: None, ..Preset::Ilv3.config() };
        let identity = Identity::from_secrets([1; 32], [2; 32]);
        let core = WgMgr::new(config, identity, Entropy::new([3; 32])).expect("a shipped preset");
        let mut bench = Self { core, now: Instant::ZERO, tunnel: 0, disco: 0 };
        let _outputs = bench.core.step(bench.now, Input::Control(Control::Registered));
        let peers = (1..=128_u8).map(|number| PeerUpdate::Add(record(number)));
        bench.pass(&mut peers.collect::<Vec<_>>());
        bench
    }

    /// The same manager with a load in its queues.
    #[must_use]
    pub fn prepared(&self, load: Load) -> Self {
        let (tunnel, disco) = match load {
            Load::Quiet => (0, 0),
            Load::Full => (32, 8),
        };
        Self { tunnel, disco, ..self.clone() }
    }

    /// One pass; how many steps it took.
    pub fn run(&mut self) -> u32 {
        self.pass(&mut Vec::new())
    }

    fn pass(&mut self, updates: &mut Vec<PeerUpdate>) -> u32 {
        let mut asked = None;
        for steps in 1.. {
            let outputs = match asked {
                None => self.core.step(self.now, Input::Wake),
                Some(queue) => self.answer(queue, updates),
            };
            asked = outputs.list.iter().find_map(|output| match output {
                Output::Receive(queue) => Some(*queue),
                _ => None,
            });
            if let Some(wake) = outputs.wake
                && wake.at > self.now
            {
                self.now = self.now.after(Duration::from_millis(10));
                return steps;
            }
        }
        unreachable!("a pass ends")
    }

    fn answer(
        &mut self,
        queue: Queue,
        updates: &mut Vec<PeerUpdate>,
    ) -> firmware_core::wg_mgr::output::Outputs {
        let via = Via::Derp(NodeKey([9; 32]));
        match queue {
            Queue::Tunnel if self.tunnel > 0 => {
                self.tunnel -= 1;
                let mut bytes = [0; 112];
                bytes[0] = 4;
                bytes[8..16].copy_from_slice(&(self.now.as_nanos() ^ self.tunnel).to_le_bytes());
                self.core.step(self.now, Input::Packet(Datagram { bytes: &bytes, via }))
            }
            Queue::Disco if self.disco > 0 => {
                self.disco -= 1;
                let mut bytes = [self.disco + 200; 102];
                bytes[..MAGIC.len()].copy_from_slice(&MAGIC);
                self.core.step(self.now, Input::Packet(Datagram { bytes: &bytes, via }))
            }
            Queue::Updates => match updates.pop() {
                Some(update) => self.core.step(self.now, Input::Update(&update)),
                None => self.core.step(self.now, Input::Empty),
            },
            Queue::Tunnel | Queue::Disco => self.core.step(self.now, Input::Empty),
        }
    }
}

fn record(number: u8) -> PeerRecord {
    let identity = Identity::from_secrets([number; 32], [number ^ 0xff; 32]);
    PeerRecord {
        address: [100, 64, 1, number].into(),
        node: identity.node(),
        disco: DiscoKey(identity.disco().0),
        region: 1,
        endpoints: Endpoints::new(),
        name: HostName::new("peer"),
        wanted: false,
    }
}
