//! Observed and proved: no shipped storm waits longer than the bound, and what is violated says
//! which engine is at fault.
use std::path::Path;

use firmware_core::charge::CostKey;
use firmware_core::wg_mgr::config::Config;
use firmware_core::wg_mgr::preset::Preset;
use models::bound::certificate::verify;
use models::bound::{Verdict, analyse, certify};
use models::checker::{Limits, check};
use models::wg_mgr::costs;
use models::wg_mgr::system::{Scene, System, scaled};
use proptest::prelude::*;
use sim::bound::{Initiations, inputs};
use sim::cost::{CostRow, Provenance};
use sim::random::Streams;
use sim::report::Report;
use sim::scenario::{Overrides, Scenario};
use sim::{Flow, Progress};

/// The storms and bursts that are shipped, without their ending.
const STORMS: [&str; 12] = [
    "strangers_at_0_per_second",
    "strangers_at_40_per_second",
    "strangers_at_600_per_second",
    "storm_tool_at_40_per_second",
    "storm_tool_at_600_per_second",
    "free_opens_at_40_per_second",
    "free_opens_at_600_per_second",
    "burst_of_40_on_a_budget",
    "burst_of_40_before_the_armour",
    "ingest_of_100_peers_paced",
    "debounced_flash_writes_stall_three_times",
    "call_me_maybe_broadcast_is_paced",
];

fn go_on(_: Progress) -> Flow {
    Flow::Continue
}

fn load(stem: &str, preset: Preset, set: &[&str]) -> Scenario {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../scenarios/wg_mgr")
        .join(stem)
        .with_extension("ron");
    let set = set.iter().map(|edit| (*edit).to_owned()).collect();
    let overrides = Overrides { preset: Some(preset.name().to_owned()), seed: None, set };
    Scenario::load(&path, &overrides).unwrap_or_else(|error| panic!("{error}"))
}

fn run(scenario: &Scenario) -> Report {
    sim::run(scenario, &mut go_on).expect("the device can be set up")
}

#[expect(clippy::cast_precision_loss, reason = "below 2^53 ns, a hundred days, it is exact")]
fn ms(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}

/// The intervals of the closed system are those of the cost table `og`.
#[test]
fn the_closed_system_takes_its_costs_from_the_table() {
    let table = |column| {
        load("strangers_at_600_per_second", Preset::Arm1, &[&format!("costs.column={column}")])
            .costs
    };
    let (best, worst) = (table("best"), table("worst"));
    for key in CostKey::ALL {
        let micros = [best.of(key), worst.of(key)].map(|span| span.as_nanos() / 1_000);
        assert_eq!(costs::interval(key), (micros[0], micros[1]), "{key:?}");
        let row = CostRow::beside_x25519(key).map(|row| best.row(row).provenance);
        assert_eq!(costs::is_assumed(key), row == Some(Provenance::Assumed), "{key:?}");
    }
}

/// What a bound says of a run: the longest wait in milliseconds, whether founded or not.
struct Proved {
    wait_ms: Option<f64>,
    bounded: bool,
}

fn proved(scenario: &Scenario) -> Proved {
    let verdict = analyse(&inputs(scenario, Initiations::None)).expect("every cost is there");
    let wait_ms = verdict.claim().map(|claim| ms(claim.busy.wait_ns));
    Proved { wait_ms, bounded: verdict.is_bounded() }
}

/// Compares one run with its bound; a violation is the bound's fault unless the run itself broke an
/// invariant of the core.
#[track_caller]
fn compare(name: &str, report: &Report, proved: &Proved) {
    let (Some(wait_ms), Some(&observed)) =
        (proved.wait_ms, report.metrics.get("heartbeat_wait_ms_max"))
    else {
        return;
    };
    let broken = report.metrics.get("invariants_broken").copied().unwrap_or(0.0);
    let at_fault = if broken > 0.0 {
        "the core broke an invariant: the simulation's figure is not to be believed"
    } else {
        "the bound is at fault: it lacks a segment, or a curve is too low"
    };
    assert!(observed <= wait_ms, "{name}: observed {observed} ms, proved {wait_ms} ms; {at_fault}");
    let lost = report.metrics.get("heartbeat_lost").copied().unwrap_or(0.0);
    assert!(!proved.bounded || lost == 0.0, "{name}: bounded, but {lost} were lost; {at_fault}");
}

/// Cites WG-Q1 and WG-Q2: observed <= proved for every shipped storm with every preset.
#[test]
fn no_heartbeat_of_a_shipped_storm_waits_longer_than_proved() {
    for stem in STORMS {
        for preset in Preset::ALL {
            let set = ["config.crypto=modelled", "duration_ms=12000"];
            let scenario = load(stem, preset, &set);
            let proved = proved(&scenario);
            compare(&format!("{stem}, {}", preset.name()), &run(&scenario), &proved);
        }
    }
}

/// The figures that the README names: with the typical column of the storm at 28.3 ms.
#[test]
fn the_storm_at_28_ms_is_observed_and_proved_preset_by_preset() {
    let exact = ["costs.box_symmetric_ms=0", "config.crypto=modelled"];
    for (preset, wait_ms, least_observed) in [
        (Preset::Arm1, 113.2, 110.0),
        (Preset::Key2, 113.2, 110.0),
        (Preset::Ilv3, 28.3, 27.5),
        (Preset::Head4, 28.3, 27.5),
    ] {
        let scenario = load("strangers_at_600_per_second", preset, &exact);
        let proved = proved(&scenario);
        assert_eq!(proved.wait_ms, Some(wait_ms), "{}", preset.name());
        assert!(proved.bounded);
        let observed = run(&scenario).metrics["heartbeat_wait_ms_max"];
        assert!(
            (least_observed..=wait_ms).contains(&observed),
            "{}: {observed} of {wait_ms}",
            preset.name()
        );
    }
    let before = load("strangers_at_600_per_second", Preset::Pre0, &exact);
    let verdict = analyse(&inputs(&before, Initiations::None)).expect("complete");
    let Verdict::NotBounded { missing, only_if, .. } = verdict else { panic!("bounded") };
    assert_eq!(
        (missing.as_slice(), only_if),
        (&["no budget on unknown opens".to_owned()][..], None)
    );
}

/// Cites WG-HS-4: a flood whose packets look like initiations costs four X25519 each, in the run and
/// in the bound.
#[test]
fn initiations_of_a_scenario_are_recognised_and_bounded_by_their_rate() {
    let text = r#"(
        version: 1, title: "one initiation a second", duration_ms: 20000, preset: "ILV-3",
        config: (crypto: modelled),
        costs: (table: "../costs/og.ron", box_symmetric_ms: 0, tunnel_data_ms: 0.3),
        floods: [(name: "initiations", magic_hex: "010000004d00",
                  arrivals: every(period_ms: 1000), content: random_box(bytes: 86))],
        heartbeats: [(name: "stop", arrivals: every(period_ms: 30, from_ms: 3.7))],
    )"#;
    let scenario = parse(text);
    let proved = proved(&scenario);
    // The sleep of 10 ms, then the initiation, then three heartbeats that came meanwhile.
    let wait_ms = proved.wait_ms.expect("there is a fixed point");
    assert!((123.2..124.5).contains(&wait_ms), "{wait_ms}");
    let report = run(&scenario);
    compare("initiations", &report, &proved);
    assert!(report.metrics["heartbeat_wait_ms_max"] > 100.0, "they are served by the run, too");
}

fn parse(text: &str) -> Scenario {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios/wg_mgr/random.ron");
    Scenario::parse(&path, text.to_owned(), &Overrides::default())
        .unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The small world of the closed system under virtual time: the same configuration, the same peers
/// and arrivals, at chosen instants.
fn scaled_run(preset: Preset, at_ms: [u32; 5]) -> f64 {
    let [stranger, ping, call, add, beat] = at_ms.map(|at| 1_500 + at);
    // What the bulk peer sends arrives half its round trip later.
    let (ping, call) = (ping - 250, call - 250);
    let text = format!(
        r#"(
        version: 1, title: "scaled", duration_ms: 2400, preset: "{}",
        costs: (table: "../costs/og.ron", column: worst),
        device: (tick_ms: exact, local_endpoint: "192.168.1.2:41641"),
        peers: [
            (name: "bulk", round_trip_ms: 500, pings: every(period_ms: 9999, from_ms: {ping}),
             call_me_maybe: every(period_ms: 9999, from_ms: {call}), enters: netmap(at_ms: 0)),
            (name: "new", answers_pings: false, enters: netmap(at_ms: {add})),
        ],
        floods: [(name: "stranger", arrivals: burst(count: 1, from_ms: {stranger}))],
        heartbeats: [(name: "stop", arrivals: every(period_ms: 9999, from_ms: {beat}))],
    )"#,
        preset.name()
    );
    let mut scenario = parse(&text);
    scenario.config = Config { priority_peer: None, ..scaled(preset, false) };
    run(&scenario).metrics["heartbeat_wait_ms_max"]
}

/// Cites WG-Q1 and WG-Q2: observed <= explored, in the closed system's own small world; that explored
/// <= proved is a test of the models.
#[test]
fn no_run_of_the_small_world_waits_longer_than_the_explorer_has_found() {
    let mut chance = Streams::new(7).of("bound", "instants");
    for preset in [Preset::Arm1, Preset::Key2, Preset::Ilv3, Preset::Head4] {
        let system = System::new(preset, false, Scene::wait()).expect("a valid configuration");
        let report = check(&system, Limits::NONE.threads(2)).expect("sound properties");
        assert_eq!(report.stopped, None);
        let (_, own) = costs::interval(CostKey::TunnelData);
        let explored_ms = ms((system.longest_wait_us() - own) * 1_000);
        let mut observed_ms = 0.0_f64;
        for _ in 0..40 {
            let instants = [(); 5].map(|()| u32::from(chance.bytes::<1>()[0]) % 40);
            observed_ms = observed_ms.max(scaled_run(preset, instants));
        }
        let name = preset.name();
        assert!(observed_ms > 20.0, "{name}: {observed_ms} ms; nothing was in the way");
        assert!(
            observed_ms <= explored_ms,
            "{name}: observed {observed_ms} ms, explored {explored_ms} ms; the explorer is at fault: \
             its world lacks an interleaving that the simulation has"
        );
    }
}

/// A small world: figures that a text is made of.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "what a world has is independent of each other")]
struct World {
    preset: usize,
    interleave: bool,
    x25519_ms: u32,
    symmetric_ms: u32,
    strangers_ms: u32,
    spoofed_ms: u32,
    junk_ms: u32,
    peers: u32,
    pings_ms: u32,
    calls: bool,
    netmap: bool,
    task: bool,
    heartbeat_ms: u32,
    seed: u32,
}

fn world() -> impl Strategy<Value = World> {
    let rates = (20..400_u32, 200..3_000_u32, 5..200_u32, 300..3_000_u32, 20..150_u32);
    let peers = (0..5_u32, any::<bool>(), any::<bool>(), any::<bool>());
    let costs = (1..30_u32, 0..2_u32);
    (0..5_usize, any::<bool>(), rates, peers, costs, any::<u32>()).prop_map(
        |(preset, interleave, rates, peers, costs, seed)| {
            let (strangers_ms, spoofed_ms, junk_ms, pings_ms, heartbeat_ms) = rates;
            let (peers, calls, netmap, task) = peers;
            let (x25519_ms, symmetric_ms) = costs;
            World {
                preset,
                interleave,
                x25519_ms,
                symmetric_ms,
                strangers_ms,
                spoofed_ms,
                junk_ms,
                peers,
                pings_ms,
                calls,
                netmap,
                task,
                heartbeat_ms,
                seed,
            }
        },
    )
}

fn text(world: &World) -> String {
    let World { x25519_ms, symmetric_ms, strangers_ms, spoofed_ms, junk_ms, .. } = world;
    let preset = Preset::ALL[world.preset].name();
    let enters = if world.netmap { "netmap(at_ms: 300)" } else { "cache" };
    let calls = if world.calls {
        "call_me_maybe: every(period_ms: 1900), call_me_maybe_endpoints: 3,"
    } else {
        ""
    };
    let peers = if world.peers == 0 {
        String::new()
    } else {
        format!(
            r#"(name: "fleet", count: {}, enters: {enters}, round_trip_ms: 20,
                pings: every(period_ms: {}), ping_stagger_ms: 70, {calls} priority: true)"#,
            world.peers, world.pings_ms
        )
    };
    let task = if world.task {
        r#"tasks: [(name: "comparator", core: 1, priority: 8, period_ms: 100, run_ms: 1.5)],"#
    } else {
        ""
    };
    format!(
        r#"(
        version: 1, title: "random", seed: {}, duration_ms: 8000, preset: "{preset}",
        config: (crypto: modelled, interleave: {}),
        costs: (table: "../costs/og.ron", x25519_ms: {x25519_ms}, box_symmetric_ms: {symmetric_ms},
                disco_reject_ms: 0.05, peer_update_ms: 0.05, tunnel_reject_ms: 0.05),
        device: (local_endpoint: "192.168.1.10:41641", stun_at_ms: 700, {task}),
        peers: [{peers}],
        floods: [
            (name: "strangers", arrivals: every(period_ms: {strangers_ms})),
            (name: "spoofed", arrivals: every(period_ms: {spoofed_ms}),
             content: known_key(bytes: 40)),
            (name: "junk", magic_hex: "54539a8bc4d5", arrivals: every(period_ms: {junk_ms})),
        ],
        heartbeats: [(name: "stop", arrivals: every(period_ms: {}, from_ms: 3.7), copy_after_ms: 9)],
    )"#,
        world.seed, world.interleave, world.heartbeat_ms
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Cites WG-Q1 and WG-ORD-1: in random small worlds no heartbeat waits longer than proved, none
    /// is lost where the wait is bounded, and every claim is taken by the checker.
    #[test]
    fn no_heartbeat_of_a_random_world_waits_longer_than_proved(world in world()) {
        let scenario = parse(&text(&world));
        let premises = inputs(&scenario, Initiations::None);
        let verdict = analyse(&premises).expect("every cost is there");
        if let Some(claim) = verdict.claim() {
            let json = serde_json::to_string(&certify(&premises, claim)).expect("plain data");
            prop_assert!(verify(&json).is_ok(), "the checker refuses the maker's claim");
            let proved = Proved {
                wait_ms: Some(ms(claim.busy.wait_ns)),
                bounded: verdict.is_bounded(),
            };
            compare(&format!("{world:?}"), &run(&scenario), &proved);
        }
    }
}
