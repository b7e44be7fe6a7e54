//! The recorder of a device: a core with real boxes is driven, its dump becomes a trace, and the
//! replay gives the digest of the steps that were driven.
use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::path::Path;

use firmware_core::charge::CostKey;
use firmware_core::recorder::{Keep, Recorder, SLOTS_MOST, fingerprint};
use firmware_core::time::{Duration, Instant};
use firmware_core::wake::Wake;
use firmware_core::wg_mgr::boxes::SharedBox;
use firmware_core::wg_mgr::config::{Config, Crypto};
use firmware_core::wg_mgr::input::{Control, Datagram, Input, PeerUpdate, Via};
use firmware_core::wg_mgr::keys::{Entropy, Identity, NodeKey};
use firmware_core::wg_mgr::output::{MessageKind, Output, Outputs, Queue};
use firmware_core::wg_mgr::peers::{HostName, PeerRecord};
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::wire::{self, Envelope, Message, TransactionId};
use sim::node::wg_mgr::Core;
use sim::pft::{Head, Item, Reader, Redactor, Writer};
use sim::record::digest::CoreDigest;
use sim::record::{dump, head, step};
use sim::replay::Verdict;
use sim::scenario::{Overrides, Scenario, Subject};

use super::{load, replay};

const HOME: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(192, 168, 1, 9), 41_641);

/// A scenario whose device the firmware is.
fn device() -> Scenario {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../scenarios/wg_mgr/strangers_at_40_per_second_interleaved.ron");
    match load(&path, &[]) {
        Subject::WgMgr(scenario) => *scenario,
        Subject::M3Read(_) => panic!("it is one of the manager's"),
    }
}

/// A core with real boxes, its queues, its recorder, and what an observer beside it takes down.
struct Chip {
    core: Core,
    now: Instant,
    recorder: Recorder<SLOTS_MOST>,
    dumps: Vec<u8>,
    digest: CoreDigest,
    pings: Vec<TransactionId>,
    queues: [VecDeque<(Vec<u8>, Via)>; 2],
    updates: VecDeque<PeerUpdate>,
    peer: Identity,
    drains: bool,
    last_step: Instant,
}

impl Chip {
    fn new(keep: Keep, drains: bool) -> Self {
        let config = Config { crypto: Crypto::Real, ..Preset::Ilv3.config() };
        let identity = Identity::from_secrets([11; 32], [12; 32]);
        Self {
            core: Core::new(config, identity, Entropy::new([13; 32])).expect("a preset"),
            now: Instant::from_nanos(1_234_567),
            recorder: Recorder::new(keep, 0x5a17),
            dumps: Vec::new(),
            digest: CoreDigest::default(),
            pings: Vec::new(),
            queues: [VecDeque::new(), VecDeque::new()],
            updates: VecDeque::new(),
            peer: Identity::from_secrets([21; 32], [22; 32]),
            drains,
            last_step: Instant::ZERO,
        }
    }

    fn step(&mut self, input: Input<'_>) -> Outputs {
        let outputs = self.core.step(self.now, input);
        self.last_step = self.now;
        self.recorder.step(self.now, &input, &outputs, &self.core);
        let event = match input {
            Input::Wake => sim::pft::Event::InWake {},
            Input::Empty => sim::pft::Event::InEmpty {},
            Input::Packet(_) => sim::pft::Event::InPacket { packet: 0 },
            Input::Update(update) => step::update(update),
            Input::Control(control) => step::control(&control),
        };
        self.digest.step(self.now, &event, &step::outputs(&outputs));
        if self.drains && self.recorder.len() > SLOTS_MOST / 2 {
            self.drain();
        }
        outputs
    }

    fn drain(&mut self) {
        let mut dump = vec![0; self.recorder.dump_len()];
        self.recorder.drain(&mut dump).expect("it has the length");
        self.dumps.extend_from_slice(&dump);
    }

    fn control(&mut self, control: Control<'_>) {
        let _outputs = self.step(Input::Control(control));
    }

    /// A packet from the peer, or from an unknown key, in a real box.
    fn receives(&mut self, sender: &Identity, message: &Message, via: Via) {
        let shared = SharedBox::compute(Crypto::Real, sender, self.core.identity().disco());
        let packet = wire::seal(sender.disco(), &shared, [9; 24], message);
        self.queues[1].push_back((packet.to_vec(), via));
    }

    /// One pass: from a wake-up to the next sleep.
    fn pass(&mut self) {
        let mut input = None;
        loop {
            let outputs = match input.take() {
                None => self.step(Input::Wake),
                Some(Queue::Updates) => match self.updates.pop_front() {
                    Some(update) => self.step(Input::Update(&update)),
                    None => self.step(Input::Empty),
                },
                Some(queue) => {
                    let place = usize::from(queue == Queue::Disco);
                    match self.queues[place].pop_front() {
                        Some((bytes, via)) => {
                            self.step(Input::Packet(Datagram { bytes: &bytes, via }))
                        }
                        None => self.step(Input::Empty),
                    }
                }
            };
            self.now = self.now.after(cost(outputs.charge));
            for output in outputs.list {
                match output {
                    Output::Receive(queue) => input = Some(queue),
                    Output::Send(send) => self.answered(&send),
                    Output::ToTunnel(_)
                    | Output::WriteStore { .. }
                    | Output::Transmit(_)
                    | Output::Deliver { .. }
                    | Output::Rehome { .. }
                    | Output::Note(_) => {}
                }
            }
            match outputs.wake {
                Some(Wake { at, .. }) if input.is_none() && at > self.now => {
                    // Of a loop that has stopped, time stands still.
                    self.now = if at == Instant::NEVER { self.now } else { at };
                    return;
                }
                Some(_) | None => {}
            }
        }
    }

    /// The peer answers a ping at once.
    fn answered(&mut self, send: &firmware_core::wg_mgr::output::Send) {
        if send.kind != MessageKind::Ping {
            return;
        }
        let shared = SharedBox::compute(Crypto::Real, &self.peer, self.core.identity().disco());
        let envelope = Envelope::parse(&send.packet).expect("the core's own packet");
        if let Ok(Message::Ping { transaction, .. }) = wire::open(&envelope, &shared) {
            self.pings.push(transaction);
            let pong = Message::Pong { transaction, seen_from: Some(HOME) };
            self.receives(&self.peer.clone(), &pong, Via::Direct(HOME));
        }
    }

    /// A life with everything in it that a recorder has a slot for.
    fn lives(&mut self, passes: usize) {
        let stranger = Identity::from_secrets([31; 32], [32; 32]);
        let transaction = TransactionId([5; 12]);
        self.control(Control::LocalEndpoint(HOME));
        self.control(Control::AllowList(&[
            Ipv4Addr::new(100, 64, 0, 9),
            Ipv4Addr::new(1, 2, 3, 4),
        ]));
        self.control(Control::Registered);
        self.updates.push_back(PeerUpdate::Add(record(&self.peer)));
        for pass in 0..passes {
            let peer = self.peer.clone();
            let ping = Message::Ping { transaction, node: Some(peer.node()) };
            let relay = Via::Derp(NodeKey([77; 32]));
            match pass % 8 {
                1 => self.receives(&peer, &ping, Via::Direct(HOME)),
                2 => {
                    let node = Some(stranger.node());
                    self.receives(&stranger, &Message::Ping { transaction, node }, relay);
                }
                3 => {
                    let endpoints = [HOME, SocketAddrV4::new(Ipv4Addr::new(8, 8, 8, 8), 53)];
                    let endpoints = endpoints.into_iter().collect();
                    self.receives(&peer, &Message::CallMeMaybe { endpoints }, relay);
                }
                4 => {
                    let mut forged = vec![7; 120];
                    forged[..6].copy_from_slice(&wire::MAGIC);
                    self.queues[1].push_back((forged, Via::Direct(HOME)));
                }
                5 => {
                    let mut data = vec![4; 112];
                    data[1..4].fill(0);
                    data[8] = u8::try_from(pass % 200).expect("a byte");
                    self.queues[0].push_back((data, Via::Direct(HOME)));
                    self.queues[0].push_back((vec![1, 2, 3, 4, 5], relay));
                }
                6 => {
                    let endpoints = [HOME].into_iter().collect();
                    let (node, disco) = (peer.node(), Some(peer.disco()));
                    self.updates.push_back(PeerUpdate::Patch { node, disco, region: 3, endpoints });
                    self.control(Control::RelayConnected);
                }
                7 => self.control(Control::PublicEndpoint(HOME)),
                _ => self.control(Control::AllowListBusy(pass % 16 == 8)),
            }
            self.pass();
        }
        self.updates.push_back(PeerUpdate::Remove(self.peer.node()));
        self.pass();
        self.control(Control::Shutdown);
        self.pass();
        self.drain();
    }
}

fn cost(charge: Option<CostKey>) -> Duration {
    charge
        .map_or(Duration::ZERO, |key| Duration::from_nanos(20_001 + 1_000_003 * key.x25519_count()))
}

fn record(peer: &Identity) -> PeerRecord {
    PeerRecord {
        address: Ipv4Addr::new(100, 64, 0, 9),
        node: peer.node(),
        disco: peer.disco(),
        region: 1,
        endpoints: [HOME].into_iter().collect(),
        name: HostName::new("peer"),
        wanted: false,
    }
}

fn imported(dumps: &[u8], redactor: Redactor) -> (Vec<u8>, dump::Imported) {
    let scenario = device();
    let mut redactor = redactor;
    let head: Head = head::of(&scenario, &scenario.config, &mut redactor);
    let mut writer = Writer::create(Vec::new(), &head, redactor).expect("memory");
    let imported =
        dump::import(&mut &*dumps, &mut writer).unwrap_or_else(|error| panic!("{error}"));
    (writer.finish(None).expect("memory"), imported)
}

#[test]
fn a_dump_replays_to_the_digest_of_the_steps_that_were_driven() {
    let mut chip = Chip::new(Keep::First, true);
    chip.lives(60);
    assert!(chip.pings.len() > 20, "{} pings", chip.pings.len());
    assert_eq!(chip.recorder.dropped(), 0);
    for redactor in [Redactor::new(8), Redactor::off()] {
        let (trace, read) = imported(&chip.dumps, redactor);
        assert_eq!((read.steps, read.dropped), (chip.digest.steps(), 0));
        assert!(read.dumps > 2);
        let outcome = replay(&trace, &["preset=\"ILV-3\""]);
        assert!(matches!(outcome.verdict, Verdict::Pass), "{:?}", outcome.verdict);
        assert_eq!(outcome.digest, chip.digest.value());
    }
}

/// Of a core with another budget the dump says so: the fingerprint of a step is another.
#[test]
fn a_dump_of_another_firmware_diverges() {
    let mut chip = Chip::new(Keep::First, true);
    chip.lives(24);
    let (trace, _) = imported(&chip.dumps, Redactor::new(8));
    let outcome = replay(&trace, &["config.interleave=false"]);
    let Verdict::Fail(found) = outcome.verdict else { panic!("{:?}", outcome.verdict) };
    assert!(matches!(found.expected, Some(sim::pft::Event::OutFingerprint { .. })), "{found:?}");
}

/// A ring of 8 KiB that nobody drains keeps the beginning, counts what it drops, and its trace says
/// where it cannot tell.
#[test]
fn a_full_recorder_drops_counts_and_says_so() {
    let mut chip = Chip::new(Keep::First, false);
    chip.lives(60);
    assert!(chip.recorder.dropped() > 100);
    assert!(chip.dumps.len() <= SLOTS_MOST * 16 + 20);
    let (trace, imported) = imported(&chip.dumps, Redactor::off());
    let lost = u64::from(chip.recorder.dropped());
    assert_eq!(imported.steps + lost, chip.digest.steps());
    let outcome = replay(&trace, &[]);
    assert!(outcome.steps > 100 && !matches!(outcome.verdict, Verdict::Fail(_)), "{outcome:?}");
}

/// A flight recorder keeps the last moments behind a gap that says how many steps are missing.
#[test]
fn a_flight_recorder_keeps_the_last_moments_behind_a_gap() {
    let mut chip = Chip::new(Keep::Last, false);
    chip.lives(60);
    let (trace, imported) = imported(&chip.dumps, Redactor::off());
    assert!(imported.dropped > 100);
    assert_eq!(imported.steps + imported.dropped, chip.digest.steps());
    let mut reader = Reader::open(&trace[..]).expect("a trace");
    let first = reader.next().expect("something").expect("valid");
    assert!(matches!(&first, Item::Gap(gap) if gap.lost == Some(imported.dropped)), "{first:?}");
    let last = reader.filter_map(Result::ok).last();
    let Some(Item::Record(last)) = last else { panic!("{last:?}") };
    assert_eq!(last.at, chip.last_step);
    assert!(matches!(replay(&trace, &[]).verdict, Verdict::CannotTell(_)));
}

#[test]
fn a_damaged_or_cut_dump_is_refused_by_name_and_keys_are_not_in_it() {
    let mut chip = Chip::new(Keep::First, true);
    chip.lives(16);
    let peer = chip.peer.disco().0;
    assert!(!chip.dumps.windows(8).any(|window| window == &peer[..8]));
    let scenario = device();
    let import = |bytes: &[u8]| {
        let head = head::of(&scenario, &scenario.config, &mut Redactor::off());
        let mut writer = Writer::create(Vec::new(), &head, Redactor::off()).expect("memory");
        dump::import(&mut &*bytes, &mut writer)
    };
    for cut in [3, 15, 17, chip.dumps.len() - 1] {
        let error = import(&chip.dumps[..cut]).expect_err("it is cut");
        assert!(error.to_string().contains("ends too early"), "{cut}: {error}");
    }
    for offset in 0..400 {
        let mut damaged = chip.dumps.clone();
        damaged[offset] ^= 0x10;
        import(&damaged).expect_err("a bit is flipped");
    }
}

/// Equal outputs have equal fingerprints whatever the keys are; a change anywhere changes it.
#[test]
fn a_fingerprint_ignores_keys_and_nothing_else() {
    let (mut one, mut other) = (Chip::new(Keep::Last, false), Chip::new(Keep::Last, false));
    let identity = Identity::from_secrets([91; 32], [92; 32]);
    let config = one.core.config().clone();
    other.core = Core::new(config, identity, Entropy::new([93; 32])).expect("a preset");
    let add = PeerUpdate::Add(record(&one.peer.clone()));
    let mut seen = std::collections::BTreeSet::new();
    for input in
        [Input::Control(Control::Registered), Input::Wake, Input::Empty, Input::Update(&add)]
    {
        let (first, second) = (one.step(input), other.step(input));
        assert_eq!(fingerprint(&first), fingerprint(&second));
        seen.insert(fingerprint(&first));
    }
    assert_eq!(seen.len(), 4);
}

/// The head of an import takes overrides as a scenario does.
#[test]
fn the_firmware_of_a_dump_is_named_by_a_scenario_and_overrides() {
    let scenario = device();
    let head = head::of(&scenario, &scenario.config, &mut Redactor::off());
    let asked = sim::replay::Asked {
        overrides: Overrides { preset: Some("PRE-0".to_owned()), ..Overrides::default() },
        costs: None,
    };
    let setup = sim::replay::Setup::of(&head, Path::new("x"), &asked);
    let setup = setup.unwrap_or_else(|error| panic!("{error}"));
    let sim::replay::Setup::WgMgr(replayed) = setup else { panic!("the manager") };
    assert_eq!(replayed.preset, Preset::Pre0);
}
