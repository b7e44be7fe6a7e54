//! A driver for tests: queues, a clock that passes by charges, arrivals at chosen instants.
//!
//! ```text
//!   arrives(at, …) ─► queues ─► core.step ─► charges, notes, sends, writes, each with its instant
//! ```
use std::collections::{BTreeMap, VecDeque};
use std::net::{Ipv4Addr, SocketAddrV4};

use firmware_core::charge::CostKey;
use firmware_core::time::{Duration, Instant};
use firmware_core::wake::Wake;
use firmware_core::wg_mgr::WgMgr;
use firmware_core::wg_mgr::boxes::SharedBox;
use firmware_core::wg_mgr::config::{Config, Tunnel};
use firmware_core::wg_mgr::input::{Control, Datagram, Input, PeerUpdate, Via};
use firmware_core::wg_mgr::keys::{DiscoKey, Entropy, Identity, NodeKey};
use firmware_core::wg_mgr::output::{
    InitiationReason, MessageKind, Note, Output, Queue, Send, Transmit,
};
use firmware_core::wg_mgr::peers::{HostName, PeerIndex, PeerRecord};
use firmware_core::wg_mgr::wire::{
    self, Endpoints, Envelope, Message, SealedPacket, TransactionId,
};

/// Room for the largest fleet that a test needs.
pub type Core = WgMgr<256, 264, 256>;

/// Milliseconds as an instant.
pub fn at(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

/// Milliseconds as a span.
pub fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The device's address on its local network.
pub const OUR_ENDPOINT: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(192, 168, 1, 2), 51_820);

/// A packet on its way to the device.
type Arrival = (Queue, Vec<u8>, Via);

/// The core and everything that it asks for.
#[derive(Clone)]
pub struct Driver {
    /// Boxed: it is larger than a test thread's stack likes to move.
    pub core: Box<Core>,
    pub now: Instant,
    pub costs: fn(CostKey) -> Duration,
    pub charges: Vec<(Instant, CostKey)>,
    pub notes: Vec<(Instant, Note)>,
    pub sends: Vec<(Instant, Send)>,
    pub writes: Vec<(Instant, u32)>,
    /// Tunnel packets sent.
    pub transmits: Vec<(Instant, Transmit)>,
    /// What other tasks' doings cost them.
    pub other_charges: Vec<CostKey>,
    /// Payloads delivered: when, from whom, how long.
    pub deliveries: Vec<(Instant, PeerIndex, u16)>,
    /// Regions that became home.
    pub rehomes: Vec<(Instant, u16)>,
    /// Tunnel packets taken off their queue and not refused: when, and how long they had waited.
    pub served: Vec<(Instant, Duration)>,
    /// When each pass began to sleep.
    pub sleeps: Vec<Instant>,
    pub updates: VecDeque<PeerUpdate>,
    arrivals: BTreeMap<(Instant, u64), Arrival>,
    queues: [VecDeque<(Instant, Vec<u8>, Via)>; 2],
    put: u64,
    wake: Wake,
}

/// The configuration with sessions in the core.
pub fn with_sessions(config: Config) -> Config {
    Config { tunnel: Tunnel::Sessions, ..config }
}

/// Every operation is free.
pub fn free(_: CostKey) -> Duration {
    Duration::ZERO
}

impl Driver {
    /// A registered device with `config`, whose operations are free.
    pub fn new(config: Config) -> Self {
        let identity = Identity::from_secrets([1; 32], [2; 32]);
        let core = Core::new(config, identity, Entropy::new([3; 32])).expect("a valid config");
        let core = Box::new(core);
        let mut driver = Self {
            core,
            now: Instant::ZERO,
            costs: free,
            charges: Vec::new(),
            notes: Vec::new(),
            sends: Vec::new(),
            writes: Vec::new(),
            transmits: Vec::new(),
            other_charges: Vec::new(),
            deliveries: Vec::new(),
            rehomes: Vec::new(),
            served: Vec::new(),
            sleeps: Vec::new(),
            updates: VecDeque::new(),
            arrivals: BTreeMap::new(),
            queues: [VecDeque::new(), VecDeque::new()],
            put: 0,
            wake: Wake::now(Instant::ZERO),
        };
        driver.control(Control::Registered);
        driver
    }

    /// The same, with operations that take time.
    pub fn with_costs(config: Config, costs: fn(CostKey) -> Duration) -> Self {
        Self { costs, ..Self::new(config) }
    }

    /// Says something from another task, between two steps. What it charges is that task's.
    pub fn control(&mut self, control: Control<'_>) {
        let outputs = self.core.step(self.now, Input::Control(control));
        if let Some(wake) = outputs.wake {
            self.wake = wake;
        }
        self.other_charges.extend(outputs.charge);
        for output in outputs.list {
            match output {
                Output::Transmit(transmit) => self.transmits.push((self.now, transmit)),
                Output::Note(note) => self.notes.push((self.now, note)),
                Output::Rehome { region } => self.rehomes.push((self.now, region)),
                other => assert_eq!(other, Output::Note(Note::Stopped), "not another task's doing"),
            }
        }
    }

    /// An application sends 68 bytes, a message of the protective stop, to `to`.
    pub fn sends_to(&mut self, to: &Remote) {
        self.control(Control::TunnelSend { to: to.address(), length: 68 });
    }

    /// Enters a peer at once, without time passing for anything else than its charges.
    pub fn add(&mut self, remote: &Remote) {
        self.updates.push_back(PeerUpdate::Add(remote.record()));
    }

    /// A DISCO packet arrives.
    pub fn disco_arrives(&mut self, when: Instant, bytes: &[u8], via: Via) {
        self.arrives(when, Queue::Disco, bytes, via);
    }

    /// A heartbeat arrives: data packet number `counter` of a session.
    pub fn heartbeat_arrives(&mut self, when: Instant, counter: u64) {
        self.tunnel_arrives(when, &heartbeat(counter));
    }

    /// Any packet of the tunnel's queue arrives.
    pub fn tunnel_arrives(&mut self, when: Instant, bytes: &[u8]) {
        self.tunnel_comes(when, bytes, Via::Direct(OUR_ENDPOINT));
    }

    /// A packet of the tunnel's queue arrives in a certain way.
    pub fn tunnel_comes(&mut self, when: Instant, bytes: &[u8], via: Via) {
        self.arrives(when, Queue::Tunnel, bytes, via);
    }

    /// Tunnel packets sent after the first `seen`.
    pub fn transmits_since(&self, seen: usize) -> Vec<(Instant, Transmit)> {
        self.transmits[seen..].to_vec()
    }

    /// Initiations sent: when and why.
    pub fn initiated(&self) -> Vec<(Instant, InitiationReason)> {
        let reason = |(when, note): &(Instant, Note)| match note {
            Note::Initiated { why, .. } => Some((*when, *why)),
            _ => None,
        };
        self.notes.iter().filter_map(reason).collect()
    }

    /// The X25519 operations charged since the last call.
    pub fn x25519_count(&mut self) -> u64 {
        self.charges.drain(..).map(|(_, charge)| charge.x25519_count()).sum()
    }

    fn arrives(&mut self, when: Instant, queue: Queue, bytes: &[u8], via: Via) {
        self.put += 1;
        self.arrivals.insert((when, self.put), (queue, bytes.to_vec(), via));
    }

    /// Lets everything happen up to and including `end`.
    pub fn run_until(&mut self, end: Instant) {
        let mut answer: Option<Queue> = None;
        loop {
            if answer.is_none() {
                if self.wake.at > end {
                    break;
                }
                self.now = self.now.max(self.wake.at);
            }
            self.deliver();
            let taken = answer.map(|queue| (queue, self.take(queue)));
            let outputs = match &taken {
                None => self.core.step(self.now, Input::Wake),
                Some((_, Taken::Nothing)) => self.core.step(self.now, Input::Empty),
                Some((_, Taken::Update(update))) => self.core.step(self.now, Input::Update(update)),
                Some((_, Taken::Packet(_, bytes, via))) => {
                    let datagram = Datagram { bytes, via: *via };
                    self.core.step(self.now, Input::Packet(datagram))
                }
            };
            let began = self.now;
            if let Some(charge) = outputs.charge {
                self.charges.push((began, charge));
                self.now = self.now.after((self.costs)(charge));
            }
            if let Some(wake) = outputs.wake {
                if wake.at > self.now {
                    self.sleeps.push(self.now);
                }
                self.wake = wake;
            }
            let delivers =
                |output: &Output| matches!(output, Output::ToTunnel(_) | Output::Deliver { .. });
            if let Some((_, Taken::Packet(arrived, ..))) = &taken
                && outputs.list.iter().any(delivers)
            {
                self.served.push((began, began.since(*arrived)));
            }
            answer = None;
            for output in outputs.list {
                match output {
                    Output::Receive(queue) => answer = Some(queue),
                    Output::Send(send) => self.sends.push((self.now, send)),
                    Output::WriteStore { bytes } => self.writes.push((self.now, bytes)),
                    Output::Note(note) => self.notes.push((self.now, note)),
                    Output::Transmit(transmit) => self.transmits.push((self.now, transmit)),
                    Output::Rehome { region } => self.rehomes.push((self.now, region)),
                    Output::Deliver { peer, length, .. } => {
                        self.deliveries.push((self.now, peer, length));
                    }
                    Output::ToTunnel(_) => {}
                }
            }
        }
        self.now = end;
    }

    fn deliver(&mut self) {
        while let Some(entry) = self.arrivals.first_entry() {
            let (when, _) = *entry.key();
            if when > self.now {
                break;
            }
            let (queue, bytes, via) = entry.remove();
            self.queues[usize::from(queue == Queue::Disco)].push_back((when, bytes, via));
        }
    }

    fn take(&mut self, queue: Queue) -> Taken {
        if queue == Queue::Updates {
            return self.updates.pop_front().map_or(Taken::Nothing, Taken::Update);
        }
        let taken = self.queues[usize::from(queue == Queue::Disco)].pop_front();
        taken.map_or(Taken::Nothing, |(when, bytes, via)| Taken::Packet(when, bytes, via))
    }

    /// How often `note` was reported, by a test on it.
    pub fn count(&self, wanted: impl Fn(&Note) -> bool) -> usize {
        self.notes.iter().filter(|(_, note)| wanted(note)).count()
    }

    /// How often an operation was charged.
    pub fn charged(&self, key: CostKey) -> usize {
        self.charges.iter().filter(|(_, charge)| *charge == key).count()
    }

    /// The packets of one kind that were sent.
    pub fn sent(&self, kind: MessageKind) -> Vec<&(Instant, Send)> {
        self.sends.iter().filter(|(_, send)| send.kind == kind).collect()
    }
}

enum Taken {
    Nothing,
    Update(PeerUpdate),
    Packet(Instant, Vec<u8>, Via),
}

/// A data packet of the protective stop: 112 bytes.
pub fn heartbeat(counter: u64) -> [u8; 112] {
    let mut bytes = [0; 112];
    bytes[0] = 4;
    bytes[4..8].copy_from_slice(&77_u32.to_le_bytes());
    bytes[8..16].copy_from_slice(&counter.to_le_bytes());
    bytes
}

/// Another node: it holds real keys, so what it sends opens.
#[derive(Clone)]
pub struct Remote {
    pub identity: Identity,
    pub number: u8,
    pub endpoints: Endpoints,
}

impl Remote {
    /// Node number `number`, from 1 on; its keys follow from it.
    pub fn new(number: u8) -> Self {
        let identity = Identity::from_secrets([number; 32], [number ^ 0xff; 32]);
        Self { identity, number, endpoints: Endpoints::new() }
    }

    /// The same node after a restart of its client: a new DISCO key.
    pub fn restarted(&self) -> Self {
        let identity = Identity::from_secrets([self.number; 32], [self.number ^ 0x55; 32]);
        Self { identity, ..self.clone() }
    }

    /// Its address in the tailnet.
    pub fn address(&self) -> Ipv4Addr {
        Ipv4Addr::new(100, 64, 1, self.number)
    }

    /// Where it sends from when it sends directly.
    pub fn endpoint(&self) -> SocketAddrV4 {
        SocketAddrV4::new(Ipv4Addr::new(203, 0, 113, self.number), 41_641)
    }

    /// The direct way from it.
    pub fn direct(&self) -> Via {
        Via::Direct(self.endpoint())
    }

    /// What the control plane says of it.
    pub fn record(&self) -> PeerRecord {
        PeerRecord {
            address: self.address(),
            node: self.identity.node(),
            disco: self.identity.disco(),
            region: 1,
            endpoints: self.endpoints.clone(),
            name: HostName::new("remote"),
            wanted: false,
        }
    }

    fn shared(&self, core: &Core) -> SharedBox {
        SharedBox::compute(core.config().crypto, &self.identity, core.identity().disco())
    }

    /// A packet to the device.
    pub fn seals(&self, core: &Core, message: &Message) -> SealedPacket {
        let nonce = [self.number; 24];
        wire::seal(self.identity.disco(), &self.shared(core), nonce, message)
    }

    /// A ping to the device.
    pub fn ping(&self, core: &Core, id: u8) -> SealedPacket {
        let node = Some(self.identity.node());
        self.seals(core, &Message::Ping { transaction: TransactionId([id; 12]), node })
    }

    /// What a packet from the device says to this node, if it is for it.
    pub fn opens(&self, core: &Core, packet: &[u8]) -> Option<Message> {
        wire::open(&Envelope::parse(packet)?, &self.shared(core)).ok()
    }

    /// The pong to a ping from the device, if the packet is one.
    pub fn answers(&self, core: &Core, packet: &[u8]) -> Option<SealedPacket> {
        let Message::Ping { transaction, .. } = self.opens(core, packet)? else { return None };
        Some(self.seals(core, &Message::Pong { transaction, seen_from: None }))
    }
}

/// A packet as the load generator was meant to send it: the true magic, a fresh key, random bytes.
pub fn unknown(id: u16) -> Vec<u8> {
    let mut bytes = vec![0; 102];
    bytes[..6].copy_from_slice(&wire::MAGIC);
    bytes[6..8].copy_from_slice(&id.to_le_bytes());
    bytes[8] = 0x80;
    bytes
}

/// The same with a chosen key.
pub fn packet_with_key(key: DiscoKey) -> Vec<u8> {
    let mut bytes = unknown(0);
    bytes[6..38].copy_from_slice(&key.0);
    bytes
}

/// The slot of a node, in use.
pub fn slot_of(core: &Core, node: NodeKey) -> PeerIndex {
    core.peers().by_node(node).expect("the peer was added")
}

/// The pings sent since the last call are answered 20 ms later, directly or through the relay.
pub fn answer_pings(driver: &mut Driver, remotes: &[Remote], direct: bool) {
    let sends: Vec<_> = driver.sends.drain(..).collect();
    for (when, send) in sends.iter().filter(|(_, send)| send.kind == MessageKind::Ping) {
        let remote = remotes.iter().find(|it| it.identity.node() == send.node);
        let Some(remote) = remote else { continue };
        let pong = remote.answers(&driver.core, &send.packet).expect("a ping to it");
        let via = if direct { remote.direct() } else { Via::Derp(remote.identity.node()) };
        driver.disco_arrives(when.after(ms(20)), &pong, via);
    }
}

/// Each of `remotes` answers directly if it was pinged, else it pings; having no direct path, it is
/// then pinged back, answers, and has one. The driver stands 80 ms later.
pub fn reach(driver: &mut Driver, remotes: &[Remote]) {
    let reached = |driver: &Driver, remote: &Remote| {
        let slot = slot_of(&driver.core, remote.identity.node());
        driver.core.peers().get(slot).is_some_and(|peer| peer.direct.is_some())
    };
    answer_pings(driver, remotes, true);
    driver.run_until(driver.now.after(ms(20)));
    let others: Vec<_> = remotes.iter().filter(|remote| !reached(driver, remote)).collect();
    for remote in others {
        let ping = remote.ping(&driver.core, 1);
        driver.disco_arrives(driver.now, &ping, remote.direct());
    }
    driver.run_until(driver.now.after(ms(20)));
    answer_pings(driver, remotes, true);
    driver.run_until(driver.now.after(ms(40)));
    assert!(remotes.iter().all(|remote| reached(driver, remote)));
}
