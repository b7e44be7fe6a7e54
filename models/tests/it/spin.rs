//! A second opinion: Spin on the exported models. Skipped with a message where Spin is not installed,
//! and an error where that happens in CI.
use std::fs;
use std::path::Path;
use std::process::Command;

use firmware_core::m3_read::preset::Arm;
use firmware_core::wg_mgr::preset::Preset;
use models::checker::graph::{Graph, graph};
use models::checker::{Limits, check};
use models::m3_read::system::{Bounds, Label, Seen, State, System};
use models::promela::budget::budget_loop;
use models::promela::{self, Claim};
use models::wg_mgr::system::{DRAINED, OPENS, Scene, System as Manager, scaled};

/// What Spin says of a model: whether it found an error, and how many states it stored.
struct Opinion {
    errors: u64,
    states: u64,
}

/// Whether Spin can be asked.
fn has_spin() -> bool {
    let found = Command::new("spin").arg("-V").output().is_ok();
    assert!(found || option_env!("CI").is_none(), "CI must install spin");
    if !found {
        eprintln!(
            "SKIPPED: spin is not installed; `apt-get install spin` gives the second opinion"
        );
    }
    found
}

fn ask(name: &str, model: &str, header: &str, liveness: bool) -> Opinion {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("spin-{name}"));
    fs::create_dir_all(&folder).expect("the build folder can be written");
    fs::write(folder.join("model.pml"), model).expect("the build folder can be written");
    fs::write(folder.join(promela::HEADER), header).expect("the build folder can be written");
    let run = |program: &str, args: &[&str]| {
        let output = Command::new(program).args(args).current_dir(&folder).output();
        let output = output.expect("spin and a C compiler come together, and pan was built");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    run("spin", &["-a", "model.pml"]);
    let safety = if liveness { "-DNOREDUCE" } else { "-DSAFETY" };
    run("gcc", &["-O1", "-w", safety, "-DNOREDUCE", "-o", "pan", "pan.c"]);
    let args: &[&str] = if liveness { &["-a", "-m1000000"] } else { &["-m1000000"] };
    let summary = run("./pan", args);
    let stored = &summary[..summary.find(" states, stored").expect("pan prints a summary")];
    let states = stored.split_whitespace().next_back().unwrap_or_default();
    let errors_at = summary.find("errors: ").expect("pan prints a summary");
    let errors = summary[errors_at + 8..].lines().next().unwrap_or_default().trim();
    Opinion { errors: errors.parse().expect("a count"), states: states.parse().expect("a count") }
}

fn read_graph() -> Graph {
    let bounds = Bounds { faults: 0, ..Bounds::ONE_READ };
    let system = System::new(Arm::One, bounds).expect("the configuration is accepted");
    graph(&system, Limits::NONE, Seen::labels, State::phase).expect("no limit")
}

/// Cites ER-5, S:2012-2013, S 1.6 M10, ER-11, App. A and ER-1.
#[test]
fn spin_agrees_on_the_read_system() {
    if !has_spin() {
        return;
    }
    let graph = read_graph();
    let header = promela::header(&graph);
    let claims = [
        ("hole", Claim::Never(Label::OVER_HOLE)),
        ("unread", Claim::Never(Label::UNREAD)),
        ("order", Claim::Never(Label::OUT_OF_ORDER)),
        ("strobes", Claim::Never(Label::SEVERAL)),
        ("aborting", Claim::Never(Label::WHILE_ABORTING)),
        ("gone", Claim::NeverAfter(Label::GONE, Label::NAMES_HANDLE)),
        ("wedged", Claim::NeverAfter(Label::WEDGED, Label::WRITES)),
        ("ends", Claim::Eventually(Label::STARTS, Label::RESTS)),
    ];
    for (name, claim) in claims {
        let liveness = matches!(claim, Claim::Eventually(..));
        let opinion = ask(name, &promela::graph(&graph, claim), &header, liveness);
        println!("{name:<10} errors {} states {}", opinion.errors, opinion.states);
        assert_eq!(opinion.errors, 0, "{name}");
        if matches!(claim, Claim::Never(_)) {
            // Where a run ends, Spin's process leaves its loop and then dies: two states more.
            assert_eq!(opinion.states, u64::from(graph.states) + 2 * ends(&graph), "{name}");
        }
    }
    // And it is not blind: data do arrive.
    let seen =
        ask("occasion", &promela::graph(&graph, Claim::Never(Label::STORES)), &header, false);
    assert!(seen.errors > 0);
}

/// States without a successor: there Spin's process ends, which is a state of its own.
fn ends(graph: &Graph) -> u64 {
    let mut has = vec![false; graph.states as usize];
    for (from, _, _) in &graph.edges {
        has[*from as usize] = true;
    }
    has.iter().filter(|has| !**has).count() as u64
}

/// Cites WG-DISCO-1 and WG-Q2: the loop written for Spin from the clauses, and the core explored.
#[test]
fn spin_agrees_on_the_budget_loop() {
    if !has_spin() {
        return;
    }
    let cases = [
        (Preset::Arm1, false),
        (Preset::Key2, false),
        (Preset::Ilv3, false),
        (Preset::Head4, false),
        (Preset::Head4, true),
    ];
    for (preset, strict) in cases {
        let name = format!("budget-{}-{strict}", preset.name());
        let pml = budget_loop(&scaled(preset, strict), 3, 1, OPENS);
        let theirs = ask(&name, &pml, "", false).errors == 0;
        let system = Manager::new(preset, strict, Scene::drain()).expect("it is valid");
        let report = check(&system, Limits::NONE).expect("the properties are sound");
        let ours = report.verdict(DRAINED).expect("the scene has it").name() == "holds";
        println!("{name:<22} spin {theirs} explored {ours}");
        assert_eq!(theirs, ours, "{name}");
    }
}
