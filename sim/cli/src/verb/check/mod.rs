//! `check`: every state that a closed system can reach, within declared bounds.
//!
//! ```text
//!   model ──► search ──► verdict per property ──► exit 0 holds · 1 violated · 7 inconclusive
//!                             └ violated ──► steps with what each changed ──► --export FILE
//!   FILE ──► --replay ──► the same steps once more: the same violation, or exit 5
//!                └ `again`: the loop must close, and the goal not come on it
//! ```
pub(crate) mod args;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use firmware_core::m3_read::preset::Arm;
use firmware_core::wg_mgr::preset::Preset;
use models::checker::example::TwoPhaseCommit;
use models::checker::graph::graph;
use models::checker::{
    Lasso, Limits, Model, Replayed, Report, Verdict, check, check_lossy, replay, replay_lasso,
    words,
};
use models::m3_read::machine::Planted;
use models::m3_read::system::{Bounds, State as StateOfRead, System};
use models::machine::explored::Explored;
use models::machine::{Claims, Machine};
use models::wg_mgr::machine::Traffic;
use models::wg_mgr::system::{Scene, State as StateOfManager, System as Manager};
use serde::{Deserialize, Serialize};

use self::args::{ArmName, CheckArgs, Checked, check_args};
use super::print;
use crate::exit::Exit;
use crate::progress::Stopwatch;
use crate::refusal::{Plain, Refusal};

/// A counterexample as a file. The same type reads and writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CounterexampleFile {
    /// Version of this format: 1.
    version: u32,
    /// The flags of `preflash check` that give the model.
    model: String,
    /// The property that is broken.
    property: String,
    /// Its clause.
    clause: String,
    /// The actions, in order; of a run that never ends, those before its loop.
    steps: Vec<String>,
    /// Once around the loop, after which all is as before it; empty where the run ends and a goal
    /// that must come some day has not come. None of a finite violation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    again: Option<Vec<String>>,
}

/// Explores a model, or follows a file.
pub(crate) fn run(args: &CheckArgs) -> Result<Exit, Refusal> {
    if let Some(file) = &args.replay {
        return follow(file);
    }
    match args.model {
        None => {
            let mut text = LIST.to_owned();
            for scene in Scene::every() {
                line(
                    &mut text,
                    &format!("                     {:<22} {}", scene.name, scene.about),
                );
            }
            print(&text)?;
            Ok(Exit::Holds)
        }
        Some(model) => on(&Chosen::of(model, args)?, args),
    }
}

const LIST: &str = "\
m3_read            the READ client with its firmware and an adversarial environment
                   --arm F|1|2  --polls N  --faults N  --hostile  --legal-only  --still-clock
m3_read_phases     the same as a machine of phases, for Spin too
                   --arm F|1|2  --planted FAULT  --promela FILE  --dot FILE
two_phase_commit   the example of the checker's documentation
                   --managers N
wg_mgr             the manager loop with its queues and an adversarial environment
                   --preset P  --strict  --scene SCENE
wg_mgr_passes      the manager's budget loop as a machine of stages, for Spin too
                   --preset PRESET  --traffic TRAFFIC  --promela FILE  --dot FILE
";

/// A model with its bounds.
enum Chosen {
    Read(Box<System>),
    Manager(Box<Manager>),
    Commit(TwoPhaseCommit),
    Machine(Box<Machine>),
}

impl Chosen {
    fn of(model: Checked, args: &CheckArgs) -> Result<Self, Refusal> {
        match model {
            Checked::M3Read => {
                let arm = arm(args);
                let bounds = Bounds {
                    polls: args.polls,
                    faults: args.faults,
                    hostile: args.hostile,
                    legal_only: args.legal_only || args.still_clock,
                    still_clock: args.still_clock,
                };
                let system = System::new(arm, bounds).map_err(|error| {
                    Plain::refuse(error.to_string(), "this is a mistake in preflash")
                })?;
                Ok(Self::Read(Box::new(system)))
            }
            Checked::WgMgr => {
                let scene = Scene::named(&args.scene).ok_or_else(|| {
                    let help = "`preflash check` lists the scenes";
                    Plain::refuse(format!("there is no scene `{}`", args.scene), help)
                })?;
                let preset = Preset::from_name(&args.preset).ok_or_else(|| {
                    Plain::refuse(format!("there is no preset `{}`", args.preset), "see --help")
                })?;
                let manager = Manager::new(preset, args.strict, scene).map_err(|error| {
                    Plain::refuse(error.to_string(), "this is a mistake in preflash")
                })?;
                Ok(Self::Manager(Box::new(manager)))
            }
            Checked::TwoPhaseCommit => Ok(Self::Commit(TwoPhaseCommit::among(args.managers))),
            Checked::M3ReadPhases => {
                let planted = |it: &Planted| args.planted.as_deref() == Some(it.name());
                let planted = Planted::ALL.into_iter().find(planted);
                let machine = models::m3_read::machine::machine(arm(args), planted);
                Ok(Self::Machine(Box::new(machine)))
            }
            Checked::WgMgrPasses => {
                // Both names were checked when the flags were read.
                let preset = Preset::from_name(&args.preset).unwrap_or(Preset::Head4);
                let traffic = Traffic::ALL.into_iter().find(|it| it.name() == args.traffic);
                let traffic = traffic.unwrap_or(Traffic::Strangers);
                let machine = models::wg_mgr::machine::machine(preset, traffic);
                Ok(Self::Machine(Box::new(machine)))
            }
        }
    }
}

fn arm(args: &CheckArgs) -> Arm {
    args.arm.map_or(Arm::Two, ArmName::arm)
}

/// The flags that give the same model, as a file names it.
fn named(model: Checked, args: &CheckArgs) -> String {
    let switch = |on: bool, name: &str| if on { format!(" --{name}") } else { String::new() };
    match model {
        Checked::M3Read => format!(
            "m3_read --arm {} --polls {} --faults {}{}{}{}",
            arm(args).name(),
            args.polls,
            args.faults,
            switch(args.hostile, "hostile"),
            switch(args.legal_only, "legal-only"),
            switch(args.still_clock, "still-clock"),
        ),
        Checked::WgMgr => format!(
            "wg_mgr --preset {} --scene {}{}",
            args.preset,
            args.scene,
            switch(args.strict, "strict"),
        ),
        Checked::TwoPhaseCommit => format!("two_phase_commit --managers {}", args.managers),
        Checked::M3ReadPhases => {
            let planted = args.planted.as_ref().map(|it| format!(" --planted {it}"));
            format!("m3_read_phases --arm {}{}", arm(args).name(), planted.unwrap_or_default())
        }
        Checked::WgMgrPasses => {
            format!("wg_mgr_passes --preset {} --traffic {}", args.preset, args.traffic)
        }
    }
}

fn on(chosen: &Chosen, args: &CheckArgs) -> Result<Exit, Refusal> {
    match chosen {
        Chosen::Read(system) => {
            drawing(&**system, StateOfRead::phase, args)?;
            explore(&**system, args, check)
        }
        Chosen::Manager(manager) => {
            drawing(&**manager, StateOfManager::phase, args)?;
            let exit = explore(&**manager, args, check)?;
            let us = manager.longest_wait_us();
            print(&format!("longest wait of a heartbeat  {us} us\n"))?;
            Ok(exit)
        }
        Chosen::Commit(model) if args.lossy => explore(model, args, check_lossy),
        Chosen::Commit(model) => explore(model, args, check),
        Chosen::Machine(machine) => phases(machine, args),
    }
}

/// Writes the drawing that was asked for.
fn drawing<M: Model>(
    model: &M,
    phase: fn(&M::State) -> String,
    args: &CheckArgs,
) -> Result<(), Refusal> {
    let Some(file) = &args.dot else { return Ok(()) };
    let found = graph(model, Limits::NONE.states(args.limit_states), |_| 0, phase);
    let found = found.ok_or_else(|| {
        Plain::refuse("there are more states than the limit", "raise --limit-states")
    })?;
    write(file, found.dot(&args.model.map_or_else(String::new, |model| named(model, args))))
}

/// Writes what was asked for; then explores the claims about events, and each other claim by itself,
/// up to the first violation.
fn phases(machine: &Machine, args: &CheckArgs) -> Result<Exit, Refusal> {
    for (file, text) in
        [(&args.promela, Machine::promela as fn(&_) -> _), (&args.dot, Machine::dot)]
    {
        if let Some(file) = file {
            write(file, text(machine))?;
        }
    }
    let mut worst = explore(&Explored::events(machine), args, check)?;
    for (number, claim) in machine.claims.iter().enumerate() {
        if matches!(claim.claims, Claims::Leads { .. }) && worst != Exit::Violated {
            print("\n")?;
            let exit = explore(&Explored::leads(machine, number), args, check)?;
            worst = if exit == Exit::Holds { worst } else { exit };
        }
    }
    Ok(worst)
}

fn explore<M: Model>(
    model: &M,
    args: &CheckArgs,
    search: impl Fn(&M, Limits) -> Result<Report<M>, models::property::PropertyError>,
) -> Result<Exit, Refusal> {
    let mut limits = Limits::NONE.threads(args.threads).states(args.limit_states);
    limits.depth_max = args.limit_depth.unwrap_or(u32::MAX);
    limits.stop_at_violation = args.first;
    let stopwatch = Stopwatch::start();
    let report = search(model, limits)
        .map_err(|error| Plain::refuse(error.to_string(), "this is a mistake in preflash"))?;
    let wall_s = stopwatch.elapsed().as_secs_f64();
    print(&table(model, &report, wall_s, args.quiet))?;
    if let (Some(file), Some((found, path))) = (&args.export, report.violated())
        && let Some(checked) = args.model
    {
        let (steps, again) = match Lasso::of(model, path) {
            Some(Lasso { way, again }) => (way, Some(again)),
            None => (words(model, path), None),
        };
        let file_shape = CounterexampleFile {
            version: 1,
            model: named(checked, args),
            property: found.name.into(),
            clause: found.clause.id().into(),
            steps,
            again,
        };
        export(file, &file_shape)?;
    }
    Ok(if report.violated().is_some() {
        Exit::Violated
    } else if report.holds() {
        Exit::Holds
    } else {
        Exit::Inconclusive
    })
}

fn table<M: Model>(model: &M, report: &Report<M>, wall_s: f64, quiet: bool) -> String {
    let mut text = String::new();
    for found in &report.found {
        let (name, clause) = (found.verdict.name(), found.clause.id());
        line(&mut text, &format!("{name:<12} {clause:<12} {}", found.name));
    }
    for found in &report.found {
        if let Verdict::Violated(path) = &found.verdict {
            let steps = path.steps.len();
            line(&mut text, &format!("\n{} ({}), {steps} steps:", found.name, found.clause));
            if !quiet {
                text.push_str(&path.render(model));
            }
        }
    }
    let states = f64::from(report.states);
    line(&mut text, "");
    line(&mut text, &format!("states       {}", report.states));
    line(&mut text, &format!("transitions  {}", report.transitions));
    line(&mut text, &format!("depth        {}", report.depth));
    line(&mut text, &format!("ends         {}", report.ends));
    #[expect(clippy::cast_precision_loss, reason = "a mean for people")]
    let bytes = report.bytes as f64 / states.max(1.0);
    line(&mut text, &format!("bytes/state  {bytes:.1}"));
    line(&mut text, &format!("states/s     {:.0}", states / wall_s.max(1e-9)));
    match report.stopped {
        None => line(&mut text, "complete     every reachable state was visited"),
        Some(stopped) => line(&mut text, &format!("incomplete   {stopped}")),
    }
    text
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a string takes everything");
}

fn export(file: &Path, found: &CounterexampleFile) -> Result<(), Refusal> {
    let is_test = file.extension().is_some_and(|extension| extension == "rs");
    let text = as_ron(found)?;
    write(file, if is_test { as_test(found, &text) } else { text })
}

fn write(file: &Path, text: String) -> Result<(), Refusal> {
    fs::write(file, text).map_err(|error| {
        Plain::refuse(format!("{}: {error}", file.display()), "name a file in a folder that exists")
    })
}

fn as_ron(found: &CounterexampleFile) -> Result<String, Refusal> {
    let pretty = ron::ser::PrettyConfig::new().struct_names(false);
    ron::ser::to_string_pretty(found, pretty).map(|text| text + "\n").map_err(|error| {
        Plain::refuse(format!("it cannot be written: {error}"), "this is a mistake in preflash")
    })
}

/// The same as a file of the command line's tests (`sim/cli/tests/it`), which follows it once more.
fn as_test(found: &CounterexampleFile, text: &str) -> String {
    let letter = |it: char| if it.is_ascii_alphanumeric() { it.to_ascii_lowercase() } else { '_' };
    format!(
        "//! Found by `preflash check {model}`.\nuse crate::Desk;\n\n/// Cites {clause}.\n#[test]\n\
         fn {name}() {{\n    Desk::follows(\n        r#\"{text}\"#,\n    );\n}}\n",
        model = found.model,
        clause = found.clause,
        name = found.property.chars().map(letter).collect::<String>(),
    )
}

/// Follows the steps of a file.
fn follow(file: &Path) -> Result<Exit, Refusal> {
    let refuse = |reason: String| {
        let help = "write one with `preflash check MODEL --export FILE`";
        Plain::refuse(format!("{}: {reason}", file.display()), help)
    };
    let text = fs::read_to_string(file).map_err(|error| refuse(error.to_string()))?;
    let found: CounterexampleFile =
        ron::from_str(&text).map_err(|error| refuse(error.to_string()))?;
    if found.version != 1 {
        return Err(refuse(format!("version is {}; this program reads 1", found.version)));
    }
    let args = check_args(&found.model).map_err(|error| refuse(error.to_string()))?;
    let Some(model) = args.model else {
        return Err(refuse("`model` names no model".into()));
    };
    match Chosen::of(model, &args)? {
        Chosen::Read(system) => followed(&*system, &found, refuse),
        Chosen::Manager(manager) => followed(&*manager, &found, refuse),
        Chosen::Commit(model) => followed(&model, &found, refuse),
        Chosen::Machine(machine) => {
            let leads = machine.claims.iter().position(|claim| {
                claim.name == found.property && matches!(claim.claims, Claims::Leads { .. })
            });
            let explored = leads.map_or_else(
                || Explored::events(&machine),
                |claim| Explored::leads(&machine, claim),
            );
            followed(&explored, &found, refuse)
        }
    }
}

fn followed<M: Model>(
    model: &M,
    found: &CounterexampleFile,
    refuse: impl Fn(String) -> Refusal,
) -> Result<Exit, Refusal> {
    let Replayed { path, broken } = match &found.again {
        None => replay(model, &found.steps).map_err(|error| refuse(error.to_string()))?,
        Some(again) => {
            let lasso = Lasso { way: found.steps.clone(), again: again.clone() };
            replay_lasso(model, &lasso).map_err(|error| refuse(error.to_string()))?
        }
    };
    let mut text = path.render(model);
    for (property, clause) in &broken {
        line(&mut text, &format!("violated     {:<12} {property}", clause.id()));
    }
    let same = broken.iter().any(|(property, _)| *property == found.property);
    if !same {
        line(&mut text, &format!("holds now    {:<12} {}", found.clause, found.property));
    }
    print(&text)?;
    Ok(if same { Exit::Violated } else { Exit::Diverged })
}
