//! The declared table of roads against the core: each is driven, and each budget is found where it
//! is said to be.
use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddrV4};

use firmware_core::charge::CostKey;
use firmware_core::wg_mgr::config::{Config, PassOrder, Tunnel};
use firmware_core::wg_mgr::input::{Control, PeerUpdate};
use firmware_core::wg_mgr::output::MessageKind;
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::rules::Rules;
use models::bound::paths::{Limit, Path, is_expensive, roads_to};

use super::bench::{Bench, Remote};

/// Units offered to a road: more than any budget.
const OFFERED: u8 = 12;

const OPENS: [CostKey; 2] = [CostKey::BoxOpenComputed, CostKey::BoxOpenCached];
const OUR_ENDPOINT: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(192, 168, 1, 2), 51_820);

/// A bench with peers, and an endpoint of its own.
fn fleet(config: &Config, first: u8) -> Bench {
    let mut bench = Bench::new(config.clone());
    bench.control(Control::LocalEndpoint(OUR_ENDPOINT));
    bench.with_peers(first)
}

/// Offers packets of the DISCO queue, one of each remote.
fn disco(bench: &mut Bench, packet: impl Fn(&Bench, u8) -> (Vec<u8>, Remote)) {
    for number in 1..=OFFERED {
        let (bytes, remote) = packet(bench, number);
        bench.disco.push_back((bytes, remote.via()));
    }
}

/// Drives the core down one road; how often it was taken in one pass.
fn taken(path: Path, config: &Config) -> u64 {
    match path {
        Path::UnknownOpen | Path::UnknownRefusal => {
            let mut bench = Bench::new(config.clone());
            let tag = path == Path::UnknownOpen;
            disco(&mut bench, |_, number| (Remote::new(number).forged(tag), Remote::new(number)));
            bench.wait(10);
            bench.pass().charged(if tag { &OPENS } else { &[CostKey::DiscoReject] })
        }
        Path::KnownOpen | Path::KnownRefusal | Path::PriorityOpen => {
            let mut bench = fleet(config, OFFERED);
            let tag = path != Path::KnownRefusal;
            let number = |number| if path == Path::PriorityOpen { 1 } else { number };
            disco(&mut bench, |_, it| {
                (Remote::new(number(it)).forged(tag), Remote::new(number(it)))
            });
            bench.wait(10);
            bench.pass().charged(if tag { &OPENS } else { &[CostKey::DiscoReject] })
        }
        Path::Pong | Path::PingBack | Path::RescueAnswers | Path::CallAnswer | Path::CallPings => {
            answers(path, config)
        }
        Path::Add
        | Path::AddCall
        | Path::AddPing
        | Path::Refresh
        | Path::Patch
        | Path::FlushEachSave
        | Path::FlushStep => updates(path, config),
        Path::Broadcast => {
            let mut bench = Bench::new(config.clone()).with_peers(OFFERED);
            bench.control(Control::PublicEndpoint(OUR_ENDPOINT));
            bench.wait(10);
            bench.pass().sent(&[MessageKind::CallMeMaybe])
        }
        Path::UpgradePing => {
            let mut bench = fleet(config, OFFERED);
            bench.wait(70_000);
            bench.pass().sent(&[MessageKind::Ping])
        }
        Path::HeartbeatPing | Path::PriorityPing | Path::LostPathPing => {
            let mut bench = fleet(config, OFFERED).with_paths(OFFERED);
            bench.wait(match path {
                Path::HeartbeatPing => 40_000,
                // Longer than its interval, shorter than the silence that ends its path.
                Path::PriorityPing => 3_500,
                _ => 70_000,
            });
            bench.pass().sent(&[MessageKind::Ping])
        }
        Path::TunnelData
        | Path::TunnelRefusal
        | Path::Initiation
        | Path::InitiationRefusal
        | Path::Response => tunnel(path, config),
        Path::DemotionHandshake
        | Path::TimerHandshake
        | Path::WakeHandshake
        | Path::PongHandshake
        | Path::AddHandshake
        | Path::Keepalive => handshakes(config),
    }
}

/// What follows from pings and CallMeMaybe of peers.
fn answers(path: Path, config: &Config) -> u64 {
    let mut bench = fleet(config, OFFERED);
    // Beyond the two seconds in which a pending ping suppresses another.
    bench.wait(10_000);
    bench.pass();
    let calls = matches!(path, Path::CallAnswer | Path::CallPings);
    let node = |number| match path {
        Path::RescueAnswers => Remote::rotated(number),
        _ => Remote::new(number),
    };
    disco(&mut bench, |bench, it| {
        let remote = node(it);
        (if calls { remote.call(&bench.core) } else { remote.ping(&bench.core) }, remote)
    });
    bench.wait(10);
    bench.pass().sent(match path {
        Path::Pong => &[MessageKind::Pong],
        Path::CallAnswer => &[MessageKind::CallMeMaybe],
        Path::RescueAnswers => &[MessageKind::Pong, MessageKind::Ping],
        _ => &[MessageKind::Ping],
    })
}

fn updates(path: Path, config: &Config) -> u64 {
    let known = matches!(path, Path::Refresh | Path::Patch);
    let mut bench = fleet(config, if known { OFFERED } else { 0 });
    // So that the window of five pings a second, and that of a write, begin anew.
    bench.wait(10_000);
    bench.pass();
    for number in 1..=OFFERED {
        let record = Remote::new(number).record();
        bench.updates.push_back(match path {
            Path::Patch => PeerUpdate::Remove(record.node),
            _ => PeerUpdate::Add(record),
        });
    }
    bench.wait(10);
    let pass = bench.pass();
    match path {
        Path::Add => pass.charged(&[CostKey::PeerAdd]),
        Path::AddCall => pass.sent(&[MessageKind::CallMeMaybe]),
        Path::AddPing => pass.sent(&[MessageKind::Ping]),
        Path::Refresh | Path::Patch => pass.charged(&[CostKey::PeerUpdate]),
        // A write behind a change comes before anything else, one in its step after the rest.
        _ => {
            let behind = |pair: &&[CostKey]| pair == &[CostKey::PeerAdd, CostKey::StoreWrite];
            let each = pass.charges.windows(2).filter(behind).count() as u64;
            let all = pass.charged(&[CostKey::StoreWrite]);
            if path == Path::FlushEachSave { each } else { all - each }
        }
    }
}

fn tunnel(path: Path, config: &Config) -> u64 {
    let (kind, length, key) = match path {
        Path::TunnelData => (4, 112, CostKey::TunnelData),
        Path::Initiation => (1, 148, CostKey::InitiationReceived),
        Path::InitiationRefusal => (1, 148, CostKey::InitiationRefused),
        Path::Response => (2, 92, CostKey::ResponseReceived),
        _ => (0x54, 102, CostKey::TunnelReject),
    };
    let mut bench = Bench::new(config.clone());
    for number in 0..OFFERED {
        let mut bytes = vec![0; length];
        (bytes[0], bytes[8]) = (kind, number);
        bytes[4] = 77;
        bench.tunnel.push_back(bytes);
    }
    bench.wait(10);
    bench.pass().charged(&[key])
}

/// Handshakes and keepalives of a pass in which every path is given up.
fn handshakes(config: &Config) -> u64 {
    let mut bench = fleet(config, OFFERED).with_paths(OFFERED);
    bench.wait(70_000);
    bench.pass().charged(&[CostKey::InitiationSent, CostKey::TunnelDataSent])
}

fn expected(path: Path, config: &Config) -> u64 {
    let offered = u64::from(OFFERED);
    let adds = match Path::Add.limit(config) {
        Limit::Pass(most) => most,
        _ => offered,
    };
    match path.limit(config) {
        Limit::Never => 0,
        Limit::Pass(most) | Limit::Tick(most) => most.min(match path {
            Path::CallPings => 9 * offered,
            Path::RescueAnswers => 2 * offered,
            _ => offered,
        }),
        Limit::Second(most) => most.min(adds),
        Limit::Each(each) => each * offered,
        Limit::None | Limit::PeerAndTick => offered,
        Limit::TimeInPass => panic!("no preset has a time budget"),
    }
}

/// The preset with a priority peer, where the road needs one.
fn config(preset: Preset, path: Path) -> Config {
    let special = matches!(path, Path::PriorityOpen | Path::PriorityPing);
    Config { priority_peer: special.then(|| Remote::new(1).address()), ..preset.config() }
}

/// Cites WG-DISCO-1, WG-ADD-1, WG-CMM-1, WG-HB-1, WG-HB-2, WG-NVS-1, WG-LEASE-1 and WG-HS-4: where
/// there is a budget the core stops at it, and where there is none it does not stop.
#[test]
fn every_road_has_the_budget_that_the_table_declares_and_no_other() {
    for preset in Preset::ALL {
        for path in Path::ALL {
            let config = config(preset, path);
            let (taken, expected) = (taken(path, &config), expected(path, &config));
            let limit = path.limit(&config).words();
            // The last of the nine pings of a CallMeMaybe is skipped where another is pending.
            let skipped = path == Path::CallPings && config.probe_dedup.is_some();
            if skipped && taken >= expected / 9 * 8 && taken <= expected {
                continue;
            }
            assert_eq!(taken, expected, "{}: {path:?}, {limit}", preset.name());
        }
    }
}

/// Cites WG-DISCO-1 (PF-91) and WG-CMM-2 (PF-97): the corrected rules put budgets there.
#[test]
fn the_corrected_rules_bound_first_contact_and_answer_no_call_me_maybe() {
    let config = Config { rules: Rules::STRICT, ..Preset::Head4.config() };
    assert_eq!(Path::KnownOpen.limit(&config), Limit::Pass(4));
    assert_eq!(Path::CallAnswer.limit(&config), Limit::Never);
    assert_eq!(taken(Path::CallAnswer, &config), 0);
    // First contact: peers from the flash cache, whose shared keys nobody has computed.
    let mut bench = Bench::new(config.clone()).with_peers(OFFERED);
    bench.control(Control::RelayConnected);
    disco(&mut bench, |_, it| (Remote::new(it).forged(true), Remote::new(it)));
    bench.wait(10);
    let computed = bench.pass().charged(&[CostKey::BoxOpenComputed]);
    assert!(computed <= 4, "{computed} boxes");
}

/// Cites WG-LEASE-1 (PF-90) and WG-HS-2: with sessions in the core each demotion begins a handshake,
/// uncapped; the cap is a what-if.
#[test]
fn with_sessions_demotions_begin_handshakes_without_a_budget_unless_there_is_a_cap() {
    let config = Config { tunnel: Tunnel::Sessions, ..Preset::Head4.config() };
    let capped = Config { demotions_per_tick: Some(4), ..config.clone() };
    assert_eq!(Path::DemotionHandshake.limit(&config), Limit::PeerAndTick);
    assert_eq!(Path::DemotionHandshake.limit(&capped), Limit::Tick(4));
    let given_up = |config: &Config| {
        let mut bench = fleet(config, OFFERED).with_paths(OFFERED);
        bench.wait(70_000);
        bench.pass().charged(&[CostKey::InitiationSent])
    };
    assert_eq!((given_up(&config), given_up(&capped)), (OFFERED.into(), 4));
}

/// Cites WG-DISCO-1, WG-ADD-1, WG-CMM-1, WG-HB-1, WG-NVS-1, WG-LEASE-1 and WG-HS-4: what is written of
/// the five versions, oldest first, and not read from their configurations.
#[test]
fn each_version_has_the_budgets_that_are_written_of_it() {
    let since_arm_1 = |before, after| [before, after, after, after, after];
    let always = |limit| [limit; 5];
    for (path, written) in [
        (Path::UnknownOpen, since_arm_1("none", "4 a pass")),
        (Path::KnownOpen, ["none", "4 a pass", "none", "none", "none"]),
        (Path::PriorityOpen, always("none")),
        (Path::RescueAnswers, since_arm_1("none, 2 each", "8 a pass")),
        (Path::Pong, ["none, 1 each", "4 a pass", "none, 1 each", "none, 1 each", "none, 1 each"]),
        (Path::Add, since_arm_1("none", "4 a pass")),
        (Path::AddCall, since_arm_1("none", "4 a pass")),
        (Path::Broadcast, since_arm_1("none", "2 a pass")),
        (Path::HeartbeatPing, since_arm_1("none, 1 a peer", "8 a tick")),
        (Path::PriorityPing, always("1 a tick")),
        (Path::LostPathPing, always("none, 1 a peer")),
        (Path::FlushEachSave, since_arm_1("none", "never")),
        (Path::FlushStep, since_arm_1("never", "1 a pass")),
        (Path::Initiation, always("none")),
        (Path::Response, always("none")),
    ] {
        let said = Preset::ALL.map(|preset| path.limit(&preset.config()).words());
        assert_eq!(said, written.map(str::to_owned), "{path:?}");
    }
}

/// Facts b2: the roads without a budget, in the newest firmware.
#[test]
fn the_newest_firmware_has_no_budget_on_these_roads() {
    let config = Preset::Head4.config();
    let without: BTreeSet<_> = CostKey::ALL
        .into_iter()
        .filter(|key| is_expensive(*key))
        .flat_map(roads_to)
        .filter(|path| !path.limit(&config).is_budget())
        .collect();
    let named = [
        Path::KnownOpen,
        Path::PriorityOpen,
        Path::Pong,
        Path::PingBack,
        Path::CallAnswer,
        Path::CallPings,
        Path::LostPathPing,
        Path::Initiation,
        Path::Response,
    ];
    assert_eq!(without, named.iter().collect());
}

#[test]
fn every_road_leads_to_an_operation_and_every_operation_has_a_road() {
    let reached: BTreeSet<_> = CostKey::ALL.into_iter().flat_map(roads_to).collect();
    assert_eq!(reached, Path::ALL.iter().collect());
    assert!(CostKey::ALL.into_iter().all(|key| !roads_to(key).is_empty()));
}

/// Cites WG-ORD-1: only the version before the armour serves the tunnel last.
#[test]
fn the_order_of_a_pass_is_part_of_the_preset() {
    let last = |preset: &Preset| preset.config().order == PassOrder::TunnelLast;
    assert_eq!(Preset::ALL.iter().filter(|preset| last(preset)).count(), 1);
}
