//! `bound`: the worst case by formula, its certificate, and the check of one.
mod coverage;
mod json;
mod read;
mod text;

use std::path::{Path, PathBuf};

use clap::Args;
use firmware_core::wg_mgr::preset::Preset;
use models::bound::certificate::{self, Refused};
use models::bound::data::{Certificate, Inputs};
use models::bound::{Flood, Verdict, analyse, certify};
use sim::bound::{Initiations, inputs};
use sim::scenario::{Overrides, Scenario, Subject};

use super::print;
use crate::args::Format;
use crate::exit::Exit;
use crate::refusal::{Plain, Refusal, scenario};

/// Examples and exit codes, below the help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  preflash bound wg_mgr
  preflash bound scenarios/wg_mgr/strangers_at_600_per_second.ron --preset ILV-3
  preflash bound --coverage --preset HEAD-4

Ends with 0 when the wait is bounded, 7 when it is not: then it names the smallest fact that is
missing. With --verify it ends with 0 when the certificate holds, 9 when it does not, 2 when it is
none.";

/// What `bound` takes.
#[derive(Debug, Args)]
pub(crate) struct BoundArgs {
    /// A scenario's file, whose rates and costs are the premises; or a model: `wg_mgr` is the storm
    /// of unknown keys with every preset, `m3_read` the READ client with every arm.
    #[arg(value_name = "MODEL|SCENARIO", required_unless_present_any = ["verify", "coverage"])]
    pub(crate) subject: Option<PathBuf>,
    /// Another firmware version, or with `m3_read` one arm: F, 1 or 2.
    #[arg(long, value_name = "PRESET")]
    pub(crate) preset: Option<String>,
    /// Another value for a field of the scenario, such as `costs.x25519_ms=11.3`; may be given more
    /// than once.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Inbound handshake initiations beside the scenario's own: `none`, `unlimited`, or a rate per
    /// second.
    #[arg(long, value_name = "RATE", default_value = "none")]
    pub(crate) initiations: String,
    /// Where to write the certificate of the claim.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// Check a certificate; with a scenario also whether it is about that.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["certificate", "coverage"])]
    pub(crate) verify: Option<PathBuf>,
    /// List every road to an expensive operation, and the budget on it.
    #[arg(long, conflicts_with_all = ["certificate", "subject"])]
    pub(crate) coverage: bool,
    /// For people or for machines.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

/// The storm that the model `wg_mgr` is asked about, seen from the project's folder.
const STORM: &str = "scenarios/wg_mgr/strangers_at_600_per_second.ron";
/// A rate per second that means something.
const RATE_MOST: f64 = 1e6;

/// One question and its answer.
struct Answer {
    inputs: Inputs,
    verdict: Verdict,
    /// The same with any number of packets on a road that the question leaves empty.
    flooded: Vec<(Flood, Verdict)>,
}

/// Bounds, or checks a certificate, or lists budgets.
pub(crate) fn run(args: &BoundArgs) -> Result<Exit, Refusal> {
    if let Some(file) = &args.verify {
        return verify(args, file);
    }
    let Some(subject) = &args.subject else { return coverage(args) };
    let answers = match subject.to_str() {
        Some("wg_mgr") => model(args)?,
        Some("m3_read") => return read::model(args),
        _ => match load(args, subject, args.preset.clone())? {
            Subject::WgMgr(scenario) => vec![answer(args, &scenario)?],
            Subject::M3Read(scenario) => return read::scenario(args, &scenario),
        },
    };
    write_certificate(args, &answers)?;
    print(&match args.format {
        Format::Text if answers.len() == 1 => text::page(&answers[0]),
        Format::Text => text::table(&answers),
        Format::Json => json::render(&answers),
    })?;
    let bounded = answers.iter().all(|answer| answer.verdict.is_bounded());
    Ok(if bounded { Exit::Holds } else { Exit::Inconclusive })
}

/// Every road to an operation and its budget, by preset.
fn coverage(args: &BoundArgs) -> Result<Exit, Refusal> {
    let presets = match &args.preset {
        Some(name) => vec![preset(name)?],
        None => Preset::ALL.into(),
    };
    print(&match args.format {
        Format::Text => coverage::text(&presets),
        Format::Json => coverage::json(&presets),
    })?;
    Ok(Exit::Holds)
}

fn preset(name: &str) -> Result<Preset, Refusal> {
    Preset::from_name(name).ok_or_else(|| {
        let names = Preset::ALL.map(Preset::name).join(", ");
        Plain::refuse(format!("there is no preset `{name}`"), format!("the presets are {names}"))
    })
}

/// The storm, with the one preset that was asked for or with each.
fn model(args: &BoundArgs) -> Result<Vec<Answer>, Refusal> {
    let storm = Path::new(STORM);
    if !storm.exists() {
        let next = "go to the project's folder, or name a scenario's file";
        return Err(Plain::refuse(
            format!("the model wg_mgr is asked about {STORM}, which is not here"),
            next,
        ));
    }
    let presets = match &args.preset {
        Some(name) => vec![preset(name)?.name().to_owned()],
        None => Preset::ALL.map(|preset| preset.name().to_owned()).into(),
    };
    presets
        .into_iter()
        .map(|preset| match load(args, storm, Some(preset))? {
            Subject::WgMgr(scenario) => answer(args, &scenario),
            Subject::M3Read(_) => Err(Plain::refuse(
                format!("{STORM} is about another subject than the manager loop"),
                "restore it, or name another scenario",
            )),
        })
        .collect()
}

fn answer(args: &BoundArgs, loaded: &Scenario) -> Result<Answer, Refusal> {
    let initiations = initiations(&args.initiations)?;
    let inputs = inputs(loaded, initiations);
    let verdict = judge(&inputs)?;
    let empty = Flood::ALL.into_iter().filter(|flood| flood.is_absent(&inputs));
    let flooded = empty.map(|flood| Ok((flood, judge(&flood.over(&inputs))?)));
    let flooded = flooded.collect::<Result<_, Refusal>>()?;
    Ok(Answer { inputs, verdict, flooded })
}

fn judge(inputs: &Inputs) -> Result<Verdict, Refusal> {
    analyse(inputs).map_err(|error| {
        Plain::refuse(error.to_string(), "this is a mistake in preflash: please report it")
    })
}

fn load(args: &BoundArgs, file: &Path, preset: Option<String>) -> Result<Subject, Refusal> {
    let overrides = Overrides { preset, seed: None, set: args.set.clone() };
    Subject::load(file, &overrides).map_err(|error| scenario(&error))
}

fn initiations(text: &str) -> Result<Initiations, Refusal> {
    match (text, text.parse::<f64>()) {
        ("none", _) => Ok(Initiations::None),
        ("unlimited", _) => Ok(Initiations::Unlimited),
        (_, Ok(rate)) if (0.0..=RATE_MOST).contains(&rate) => {
            // In range, and at most a thousandth away from what was typed.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
            Ok(Initiations::PerKilosecond((rate * 1_000.0).ceil() as u64))
        }
        _ => Err(Plain::refuse(
            format!("`--initiations {text}` is no rate"),
            "write none, unlimited, or a number per second up to 1000000",
        )),
    }
}

fn write_certificate(args: &BoundArgs, answers: &[Answer]) -> Result<(), Refusal> {
    let Some(file) = &args.certificate else { return Ok(()) };
    let [answer] = answers else {
        return Err(Plain::refuse(
            "one certificate is about one preset",
            "choose it with --preset",
        ));
    };
    let Some(claim) = answer.verdict.claim() else {
        eprintln!("no certificate: there is no bound to certify");
        return Ok(());
    };
    let certificate = certify(&answer.inputs, claim);
    let text = serde_json::to_string_pretty(&certificate).expect("plain data is always JSON");
    std::fs::write(file, text + "\n").map_err(|error| {
        let reason = format!("{} cannot be written: {error}", file.display());
        Plain::refuse(reason, "name a file in a folder that exists")
    })
}

fn verify(args: &BoundArgs, file: &PathBuf) -> Result<Exit, Refusal> {
    let read = std::fs::read_to_string(file);
    let text = read.map_err(|error| {
        let reason = format!("{} cannot be read: {error}", file.display());
        Plain::refuse(reason, "write one with --certificate")
    })?;
    let certificate = match certificate::verify(&text) {
        Ok(certificate) => certificate,
        Err(refused @ Refused::Unreadable(_)) => {
            let reason = format!("{}: {refused}", file.display());
            return Err(Plain::refuse(reason, "write one with --certificate"));
        }
        Err(refused @ Refused::Wrong(_)) => {
            eprintln!("{}: {refused}", file.display());
            return Ok(Exit::Artefact);
        }
    };
    if !is_about(args, &certificate)? {
        eprintln!("{} holds, but is about other premises than the scenario", file.display());
        return Ok(Exit::Artefact);
    }
    print(&match args.format {
        Format::Text => text::verified(&certificate),
        Format::Json => json::verified(&certificate),
    })?;
    Ok(Exit::Holds)
}

/// Whether a certificate rests on the premises of the scenario that was named, if one was.
fn is_about(args: &BoundArgs, certificate: &Certificate) -> Result<bool, Refusal> {
    let Some(subject) = &args.subject else { return Ok(true) };
    match load(args, subject, args.preset.clone())? {
        Subject::WgMgr(scenario) => {
            Ok(inputs(&scenario, initiations(&args.initiations)?) == certificate.inputs)
        }
        Subject::M3Read(_) => Ok(false),
    }
}
