//! A core with its queues in reach, and one pass at a time: what was charged, sent and written.
use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddrV4};

use firmware_core::charge::CostKey;
use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::WgMgr;
use firmware_core::wg_mgr::boxes::SharedBox;
use firmware_core::wg_mgr::config::{Config, Crypto};
use firmware_core::wg_mgr::input::{Control, Datagram, Input, PeerUpdate, Via};
use firmware_core::wg_mgr::keys::{Entropy, Identity};
use firmware_core::wg_mgr::output::{MessageKind, Output, Queue, Send};
use firmware_core::wg_mgr::peers::{HostName, PeerRecord};
use firmware_core::wg_mgr::wire::{self, Endpoints, Envelope, Message, TransactionId};

/// What one pass did.
#[derive(Debug, Default)]
pub struct Pass {
    pub charges: Vec<CostKey>,
    pub sends: Vec<Send>,
}

impl Pass {
    pub fn charged(&self, keys: &[CostKey]) -> u64 {
        self.charges.iter().filter(|key| keys.contains(key)).count() as u64
    }

    pub fn sent(&self, kinds: &[MessageKind]) -> u64 {
        self.sends.iter().filter(|send| kinds.contains(&send.kind)).count() as u64
    }
}

/// The core and what waits for it.
pub struct Bench {
    pub core: WgMgr<128>,
    pub now: Instant,
    pub tunnel: VecDeque<Vec<u8>>,
    pub disco: VecDeque<(Vec<u8>, Via)>,
    pub updates: VecDeque<PeerUpdate>,
}

impl Bench {
    /// A registered device whose boxes are modelled.
    pub fn new(config: Config) -> Self {
        let config = Config { crypto: Crypto::Modelled, ..config };
        let identity = Identity::from_secrets([1; 32], [2; 32]);
        let core = WgMgr::new(config, identity, Entropy::new([3; 32])).expect("a valid config");
        let (tunnel, disco, updates) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        let now = Instant::from_millis(10);
        let mut bench = Self { core, now, tunnel, disco, updates };
        bench.control(Control::Registered);
        bench
    }

    pub fn control(&mut self, control: Control<'_>) {
        let _outputs = self.core.step(self.now, Input::Control(control));
    }

    /// One pass at the present instant, in which nothing takes time and nothing more arrives.
    pub fn pass(&mut self) -> Pass {
        let mut pass = Pass::default();
        let mut asked: Option<Queue> = None;
        loop {
            let packet;
            let update;
            let input = match asked.take() {
                None => Input::Wake,
                Some(Queue::Tunnel) => match self.tunnel.pop_front() {
                    Some(bytes) => {
                        packet = (bytes, Via::Direct(endpoint(0)));
                        Input::Packet(Datagram { bytes: &packet.0, via: packet.1 })
                    }
                    None => Input::Empty,
                },
                Some(Queue::Disco) => match self.disco.pop_front() {
                    Some(next) => {
                        packet = next;
                        Input::Packet(Datagram { bytes: &packet.0, via: packet.1 })
                    }
                    None => Input::Empty,
                },
                Some(Queue::Updates) => match self.updates.pop_front() {
                    Some(next) => {
                        update = next;
                        Input::Update(&update)
                    }
                    None => Input::Empty,
                },
            };
            let outputs = self.core.step(self.now, input);
            pass.charges.extend(outputs.charge);
            for output in outputs.list {
                match output {
                    Output::Receive(queue) => asked = Some(queue),
                    Output::Send(send) => pass.sends.push(send),
                    Output::ToTunnel(_)
                    | Output::WriteStore { .. }
                    | Output::Note(_)
                    | Output::Transmit(_)
                    | Output::Deliver { .. }
                    | Output::Rehome { .. } => {}
                }
            }
            if asked.is_none() && outputs.wake.is_some_and(|wake| wake.at > self.now) {
                return pass;
            }
        }
    }

    /// Lets time pass without a pass.
    pub fn wait(&mut self, ms: u64) {
        self.now = self.now.after(Duration::from_millis(ms));
    }

    /// Passes until nothing waits any more.
    pub fn settle(&mut self) -> Vec<Send> {
        let mut sends = Vec::new();
        loop {
            self.wait(10);
            sends.extend(self.pass().sends);
            if self.disco.is_empty() && self.updates.is_empty() && self.tunnel.is_empty() {
                return sends;
            }
        }
    }

    /// Enters this many peers, each in a pass of its own.
    pub fn with_peers(mut self, count: u8) -> Self {
        for number in 1..=count {
            self.updates.push_back(PeerUpdate::Add(Remote::new(number).record()));
            self.settle();
        }
        self
    }

    /// Lets every peer ping directly and answer the ping that comes back: all have a direct path.
    pub fn with_paths(mut self, count: u8) -> Self {
        // A ping of the addition that is still pending would suppress the one that comes back.
        self.wait(3_000);
        for remote in (1..=count).map(Remote::new) {
            self.disco.push_back((remote.ping(&self.core), remote.via()));
            for send in self.settle() {
                if let Some(pong) = remote.answers(&self.core, send.packet.as_slice()) {
                    self.disco.push_back((pong, remote.via()));
                }
            }
            self.settle();
        }
        self
    }
}

fn endpoint(number: u8) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::new(203, 0, 113, number), 41_641)
}

/// Another node.
#[derive(Clone)]
pub struct Remote {
    identity: Identity,
    number: u8,
}

impl Remote {
    pub fn new(number: u8) -> Self {
        Self { identity: Identity::from_secrets([number; 32], [number ^ 0xff; 32]), number }
    }

    /// The same node under a new DISCO key.
    pub fn rotated(number: u8) -> Self {
        Self { identity: Identity::from_secrets([number; 32], [number ^ 0x55; 32]), number }
    }

    pub fn address(&self) -> Ipv4Addr {
        Ipv4Addr::new(100, 64, 1, self.number)
    }

    pub fn via(&self) -> Via {
        Via::Direct(endpoint(self.number))
    }

    pub fn record(&self) -> PeerRecord {
        PeerRecord {
            address: self.address(),
            node: self.identity.node(),
            disco: self.identity.disco(),
            region: 1,
            endpoints: Endpoints::new(),
            name: HostName::new("remote"),
            wanted: false,
        }
    }

    fn shared(&self, core: &WgMgr<128>) -> SharedBox {
        SharedBox::compute(Crypto::Modelled, &self.identity, core.identity().disco())
    }

    fn seals(&self, core: &WgMgr<128>, message: &Message) -> Vec<u8> {
        let shared = self.shared(core);
        wire::seal(self.identity.disco(), &shared, [self.number; 24], message).to_vec()
    }

    pub fn ping(&self, core: &WgMgr<128>) -> Vec<u8> {
        let transaction = TransactionId([self.number; 12]);
        self.seals(core, &Message::Ping { transaction, node: Some(self.identity.node()) })
    }

    /// A CallMeMaybe that names eight places.
    pub fn call(&self, core: &WgMgr<128>) -> Vec<u8> {
        let endpoints = (0..8).map(endpoint).collect();
        self.seals(core, &Message::CallMeMaybe { endpoints })
    }

    fn answers(&self, core: &WgMgr<128>, packet: &[u8]) -> Option<Vec<u8>> {
        match wire::open(&Envelope::parse(packet)?, &self.shared(core)) {
            Ok(Message::Ping { transaction, .. }) => {
                Some(self.seals(core, &Message::Pong { transaction, seen_from: None }))
            }
            _ => None,
        }
    }

    /// A packet with this node's key and nothing genuine in it; without a tag it is refused.
    pub fn forged(&self, tag: bool) -> Vec<u8> {
        let mut bytes = vec![0x5a; if tag { 102 } else { 70 }];
        bytes[..6].copy_from_slice(&wire::MAGIC);
        bytes[6..38].copy_from_slice(&self.identity.disco().0);
        bytes
    }
}
