//! The recorder of a device: whatever the core is stepped with, it stays within its ring, counts what
//! it drops, and gives back whole dumps.
use std::net::{Ipv4Addr, SocketAddrV4};

use firmware_core::recorder::{DUMP_CHECK, DUMP_HEADER, Keep, Recorder, SLOT_LEN, Slot, kind};
use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::WgMgr;
use firmware_core::wg_mgr::config::{Config, Crypto};
use firmware_core::wg_mgr::input::{Control, Datagram, Input, PeerUpdate, Via};
use firmware_core::wg_mgr::keys::{DiscoKey, Entropy, Identity, NodeKey};
use firmware_core::wg_mgr::peers::{HostName, PeerRecord};
use firmware_core::wg_mgr::preset::Preset;
use proptest::prelude::*;

type Core = WgMgr<128>;

fn core() -> Core {
    let config = Config { crypto: Crypto::Modelled, ..Preset::Head4.config() };
    let identity = Identity::from_secrets([1; 32], [2; 32]);
    Core::new(config, identity, Entropy::new([3; 32])).expect("a preset")
}

fn peer(number: u8, endpoints: u8) -> PeerRecord {
    let endpoint = |port| SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, number), port);
    PeerRecord {
        address: Ipv4Addr::new(100, 64, 0, number),
        node: NodeKey([number; 32]),
        disco: DiscoKey([number.wrapping_add(100); 32]),
        region: 2,
        endpoints: (0..endpoints.min(8).into()).map(endpoint).collect(),
        name: HostName::new("peer"),
        wanted: number.is_multiple_of(2),
    }
}

/// The slots of a dump; its CRC has been checked by whoever reads it.
fn slots(dump: &[u8]) -> Vec<Slot> {
    let body = &dump[DUMP_HEADER..dump.len() - DUMP_CHECK];
    body.chunks_exact(SLOT_LEN).map(|it| Slot::of(it.first_chunk().expect("16 bytes"))).collect()
}

proptest! {
    #[test]
    fn any_steps_stay_within_the_ring_and_none_is_lost_uncounted(
        steps in prop::collection::vec((0..12_u8, any::<u8>(), any::<u32>()), 0..400),
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        keeps_last: bool,
    ) {
        let mut core = core();
        let keep = if keeps_last { Keep::Last } else { Keep::First };
        let mut recorder = Recorder::<64>::new(keep, 7);
        let mut now = Instant::ZERO;
        let addresses: Vec<_> = (0..200).map(|it| Ipv4Addr::new(1, 2, 3, it)).collect();
        for (what, detail, later) in &steps {
            now = now.after(Duration::from_nanos(u64::from(*later) * 3));
            let update = match what % 3 {
                0 => PeerUpdate::Add(peer(*detail, detail % 9)),
                1 => PeerUpdate::Remove(NodeKey([*detail; 32])),
                _ => PeerUpdate::Patch {
                    node: NodeKey([*detail; 32]),
                    disco: detail.is_multiple_of(2).then_some(DiscoKey([0; 32])),
                    region: 1,
                    endpoints: peer(*detail, 8).endpoints,
                },
            };
            let via = Via::Derp(NodeKey([*detail; 32]));
            let input = match what {
                0..=2 => Input::Update(&update),
                3 => Input::Empty,
                4 => Input::Packet(Datagram { bytes: &bytes, via }),
                5 => Input::Control(Control::Registered),
                6 => Input::Control(Control::AllowList(&addresses[..usize::from(*detail) % 200])),
                7 => Input::Control(Control::SettingsMaxPeers(*detail)),
                8 => Input::Control(Control::StoreWriteFailed),
                _ => Input::Wake,
            };
            let outputs = core.step(now, input);
            recorder.step(now, &input, &outputs, &core);
            prop_assert!(recorder.len() <= 64);
        }
        let mut dump = [0; DUMP_HEADER + 64 * SLOT_LEN + DUMP_CHECK];
        let too_short = recorder.dump_len() - 1;
        prop_assert_eq!(recorder.drain(&mut dump[..too_short]), None);
        let length = recorder.drain(&mut dump).expect("room for a full ring");
        prop_assert!(recorder.is_empty());
        let slots = slots(&dump[..length]);
        let kept = slots.iter().filter(|slot| slot.kind() == kind::OUTPUTS).count();
        let said: u32 =
            slots.iter().filter(|slot| slot.kind() == kind::GAP).map(Slot::number).sum();
        prop_assert_eq!(kept + recorder.dropped() as usize, steps.len());
        if keeps_last {
            // The gap stands before what is left, and says how much came before it.
            prop_assert_eq!(said, recorder.dropped());
        }
        // The last slot's time is the last step's: nothing of the clock is lost on the way.
        let mut at = Instant::ZERO;
        for slot in &slots {
            at = if slot.kind() == kind::TIME { slot.absolute() } else { slot.from(at) };
        }
        if keeps_last && kept > 0 {
            prop_assert_eq!(at, now);
        }
    }
}

#[test]
fn a_drained_recorder_says_what_it_dropped_before_it_goes_on() {
    let mut core = core();
    let mut recorder = Recorder::<64>::new(Keep::First, 7);
    let mut step = |recorder: &mut Recorder<64>, ms| {
        let outputs = core.step(Instant::from_millis(ms), Input::Wake);
        recorder.step(Instant::from_millis(ms), &Input::Wake, &outputs, &core);
    };
    (0..100).for_each(|ms| step(&mut recorder, ms));
    let dropped = recorder.dropped();
    assert!(dropped > 60);
    let mut dump = [0; DUMP_HEADER + 64 * SLOT_LEN + DUMP_CHECK];
    recorder.drain(&mut dump).expect("room");
    step(&mut recorder, 100);
    let length = recorder.drain(&mut dump).expect("room");
    let slots = slots(&dump[..length]);
    let kinds: Vec<_> = slots.iter().map(Slot::kind).collect();
    assert_eq!(kinds, [kind::GAP, kind::TIME, kind::WAKE, kind::OUTPUTS]);
    assert_eq!((slots[0].number(), slots[1].absolute()), (dropped, Instant::from_millis(100)));
}
