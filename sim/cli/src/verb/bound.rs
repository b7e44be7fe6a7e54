//! `bound`: the worst case by formula, with a certificate that is checked before it is believed.
//!
//! ```text
//!   facts ──► bound ──► certificate ──verify──► printed, written        exit 0
//!      └ one is missing ──► which                                       exit 7
//! ```
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use firmware_core::wg_mgr::preset::Preset;
use models::bound::certificate::{Certificate, verify};
use models::bound::heartbeat::{Facts, bound};
use models::bound::read::{close_units, read_units};

use super::print;
use crate::args::{BoundArgs, Bounded};
use crate::exit::Exit;
use crate::refusal::{Plain, Refusal};

/// Microseconds of a unit of the client's clock at most: on PAL.
const UNIT_US_MAX: u64 = 10_381;

/// Bounds what is asked for.
pub(crate) fn run(args: &BoundArgs) -> Result<Exit, Refusal> {
    if let Some(file) = &args.verify {
        return check_file(file);
    }
    match args.model {
        Some(Bounded::M3Read) => read(args),
        Some(Bounded::WgMgr) | None => heartbeat(args),
    }
}

fn read(args: &BoundArgs) -> Result<Exit, Refusal> {
    let config = args.arm.arm().config();
    let mut text = String::new();
    for (what, units) in [("READ", read_units(&config, 0)), ("CLOSE", close_units(&config, 0))] {
        let ms = units * UNIT_US_MAX / 1_000;
        line(&mut text, &format!("{what:<6} at most {units} units of its clock, {ms} ms on PAL"));
    }
    print(&text)?;
    Ok(Exit::Holds)
}

fn heartbeat(args: &BoundArgs) -> Result<Exit, Refusal> {
    let preset = Preset::from_name(&args.preset).ok_or_else(|| {
        Plain::refuse(format!("there is no preset `{}`", args.preset), "see --help")
    })?;
    let mut facts = Facts::shipped(preset.name(), preset.config());
    facts.initiations = args.initiations;
    if args.assume_nothing {
        facts.exempt = None;
    }
    let certificate = match bound(&facts) {
        Ok(certificate) => certificate,
        Err(missing) => {
            print(&format!("{}: {missing}\n", preset.name()))?;
            return Ok(Exit::Inconclusive);
        }
    };
    verify(&certificate).map_err(|error| {
        Plain::refuse(format!("its own check refuses it: {error}"), "this is a mistake in preflash")
    })?;
    print(&render(&certificate))?;
    if let Some(file) = &args.certificate {
        let text = serde_json::to_string_pretty(&certificate)
            .map_err(|error| Plain::refuse(error.to_string(), "this is a mistake in preflash"))?;
        fs::write(file, text + "\n").map_err(|error| {
            let help = "name a file in a folder that exists";
            Plain::refuse(format!("{}: {error}", file.display()), help)
        })?;
    }
    Ok(Exit::Holds)
}

fn render(certificate: &Certificate) -> String {
    let mut text = String::new();
    line(
        &mut text,
        &format!(
            "{} of {}: at most {} us",
            certificate.question, certificate.of, certificate.bound_us
        ),
    );
    for segment in &certificate.segments {
        line(&mut text, &format!("  {:>10} us  {}", segment.total_us, segment.name));
        if let Some(run) = &segment.run {
            line(&mut text, &format!("                 a busy window: {}", run.what));
        }
    }
    let ahead = &certificate.ahead;
    let queue = ahead.packets * ahead.each_us;
    line(
        &mut text,
        &format!("  {queue:>10} us  {} packets ahead, each {}", ahead.packets, ahead.what),
    );
    line(&mut text, &format!("  {:>10} us  the heartbeat itself", certificate.own_us));
    line(&mut text, &format!("assumed: {}", certificate.assumed.join(", ")));
    text
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a string takes everything");
}

/// Checks a certificate from a file.
fn check_file(file: &Path) -> Result<Exit, Refusal> {
    let refuse = |reason: String| {
        let help = "write one with `preflash bound wg_mgr --certificate FILE`";
        Plain::refuse(format!("{}: {reason}", file.display()), help)
    };
    let text = fs::read_to_string(file).map_err(|error| refuse(error.to_string()))?;
    let certificate: Certificate =
        serde_json::from_str(&text).map_err(|error| refuse(error.to_string()))?;
    match verify(&certificate) {
        Ok(()) => {
            print(&format!(
                "proved: {} of {} is at most {} us\n",
                certificate.question, certificate.of, certificate.bound_us
            ))?;
            Ok(Exit::Holds)
        }
        Err(rejected) => {
            print(&format!("refused: {rejected}\n"))?;
            Ok(Exit::Violated)
        }
    }
}
