//! The budget loop: verdicts for each preset, and the core held against the machine.
use std::collections::BTreeSet;

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::WgMgr;
use firmware_core::wg_mgr::config::{Config, Crypto};
use firmware_core::wg_mgr::input::{Control, Datagram, Input, PeerUpdate, Via};
use firmware_core::wg_mgr::keys::{Entropy, Identity, NodeKey};
use firmware_core::wg_mgr::output::{Output, Outputs, Queue};
use firmware_core::wg_mgr::peers::{HostName, PeerRecord};
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::wire::{Endpoints, MAGIC};
use models::wg_mgr::machine::{Place, Traffic, machine};
use proptest::prelude::*;

use super::broken;

const OPENS: &str = "at most 4 boxes are opened in a pass";
const ADDS: &str = "at most 4 peers are added in a pass";
const SENDS: &str = "at most 2 peers are told in a pass";
const OPEN_DRAIN: &str = "the tunnel queue is drained between two opens";
const ADD_DRAIN: &str = "the tunnel queue is drained between two additions";
const FIRST: &str = "the tunnel queue is served before the others";
const FLUSH: &str = "flash is written once a pass at most";
const SERVED: &str = "a tunnel packet is served some day";
const STOPS: &str = "a shutdown is followed some day";

/// Cites WG-DISCO-1, WG-ADD-1, WG-CMM-1, WG-Q1, WG-Q2, WG-ORD-1, WG-NVS-1 and WG-SHUT-1. The drain
/// of the tunnel queue itself has no bound, so no preset is sure to come to its end.
#[test]
fn each_preset_breaks_what_its_budgets_leave_open() {
    for preset in Preset::ALL {
        for traffic in Traffic::ALL {
            let mut known = match preset {
                Preset::Pre0 => vec![OPENS, ADDS, SENDS, OPEN_DRAIN, ADD_DRAIN, FIRST, FLUSH],
                Preset::Arm1 | Preset::Key2 => vec![OPEN_DRAIN, ADD_DRAIN],
                Preset::Ilv3 | Preset::Head4 => Vec::new(),
            };
            // Known keys cost no budget since KEY-2, and a removal never did.
            let endless = match traffic {
                Traffic::Removals => true,
                Traffic::KnownKeys => preset != Preset::Arm1,
                Traffic::Strangers => preset == Preset::Pre0,
            };
            known.extend(endless.then_some(SERVED));
            known.push(STOPS);
            let machine = machine(preset, traffic);
            assert_eq!(broken(&machine), known, "{}", machine.name);
        }
    }
}

/// Stages that the core passes through without a step of their own.
const FREE: [Place; 4] = [Place::StoreFlush, Place::Broadcast, Place::Disco, Place::Timers];

fn peer(number: u8) -> PeerRecord {
    let identity = Identity::from_secrets([number; 32], [number ^ 0xff; 32]);
    PeerRecord {
        address: [100, 64, 1, number].into(),
        node: identity.node(),
        disco: identity.disco(),
        region: 1,
        endpoints: Endpoints::new(),
        name: HostName::new("peer"),
        wanted: false,
    }
}

fn answer(core: &mut WgMgr<4>, now: Instant, queue: Queue, choice: u8) -> Outputs {
    let via = Via::Derp(NodeKey([9; 32]));
    let mut bytes = [choice; 112];
    match (queue, choice % 3) {
        (_, 0) => core.step(now, Input::Empty),
        (Queue::Tunnel, _) => {
            bytes[0] = 4;
            core.step(now, Input::Packet(Datagram { bytes: &bytes, via }))
        }
        (Queue::Updates, 1) => {
            core.step(now, Input::Update(&PeerUpdate::Add(peer(1 + choice % 5))))
        }
        (Queue::Updates, _) => {
            let node = peer(1 + choice % 5).node;
            core.step(now, Input::Update(&PeerUpdate::Remove(node)))
        }
        (Queue::Disco, kind) => {
            bytes[..MAGIC.len()].copy_from_slice(&MAGIC);
            if kind == 1 {
                bytes[MAGIC.len()..][..32].copy_from_slice(&peer(1 + choice % 5).disco.0);
            }
            core.step(now, Input::Packet(Datagram { bytes: &bytes, via }))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Cites WG-ORD-1 and WG-Q2: wherever the core goes, the machine can go.
    #[test]
    fn the_core_goes_from_stage_to_stage_as_the_machine_does(
        choices in prop::collection::vec(any::<u8>(), 1..300),
        at in 0..Preset::ALL.len(),
    ) {
        let preset = Preset::ALL[at];
        let edges = edges_of(preset);
        let config = Config {
            crypto: Crypto::Modelled,
            peer_table: 4,
            tunnel_slots: 4,
            store_entries: 4,
            ..preset.config()
        };
        let identity = Identity::from_secrets([101; 32], [102; 32]);
        let mut core = WgMgr::<4>::new(config, identity, Entropy::new([3; 32])).expect("it fits");
        let mut now = Instant::from_millis(1);
        let _registered = core.step(now, Input::Control(Control::Registered));
        let mut asked = None;
        for choice in choices {
            let before = Place::of(core.stage());
            now = now.after(Duration::from_millis(20));
            let outputs = match asked {
                None => core.step(now, Input::Wake),
                Some(queue) => answer(&mut core, now, queue, choice),
            };
            asked = outputs.list.iter().find_map(|output| match output {
                Output::Receive(queue) => Some(*queue),
                _ => None,
            });
            let after = Place::of(core.stage());
            prop_assert!(
                before == after || leads(&edges, before, after),
                "{}: {before:?} to {after:?}", preset.name()
            );
        }
    }
}

/// The phase changes of a preset's machine.
fn edges_of(preset: Preset) -> BTreeSet<(u8, u8)> {
    static EDGES: std::sync::OnceLock<Vec<BTreeSet<(u8, u8)>>> = std::sync::OnceLock::new();
    let all = EDGES.get_or_init(|| {
        let edges = |preset| machine(preset, Traffic::Strangers).phase_graph().into_keys();
        Preset::ALL.into_iter().map(|preset| edges(preset).collect()).collect()
    });
    let at = Preset::ALL.iter().position(|it| *it == preset).expect("one of all");
    all[at].clone()
}

/// Whether a change can be made through stages that cost nothing.
fn leads(edges: &BTreeSet<(u8, u8)>, from: Place, to: Place) -> bool {
    let mut reached = BTreeSet::from([from]);
    for _ in 0..FREE.len() {
        let free = reached.iter().filter(|&&it| it == from || FREE.contains(&it));
        let next = free.flat_map(|&it| {
            let led = move |to: &Place| edges.contains(&(it.into(), (*to).into()));
            Place::ALL.into_iter().filter(led)
        });
        let next: Vec<Place> = next.collect();
        reached.extend(next);
    }
    reached.contains(&to)
}
