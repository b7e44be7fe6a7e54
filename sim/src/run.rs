//! Carrying out a scenario: world in, report out.
use firmware_core::time::Duration;
use thiserror::Error;

use crate::pft::{Redactor, WriteError};
use crate::read::{self, FetchError};
use crate::record::{Recorded, Sink};
use crate::report::Report;
use crate::rtos::Holder;
use crate::scenario::{Scenario, Subject};
use crate::world::{SetUpError, World};

/// Events between two looks at whether to go on.
const STRIDE: u32 = 50_000;

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Virtual time that has passed.
    pub virtual_elapsed: Duration,
    /// Virtual time in all.
    pub virtual_total: Duration,
    /// Events so far.
    pub events: u64,
}

/// Whether a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It does.
    Continue,
    /// It ends here; its report is partial.
    Stop,
}

/// Why a valid scenario cannot be carried out.
#[derive(Debug, Error)]
pub enum RunError {
    /// The device cannot be set up as the scenario asks.
    #[error(transparent)]
    SetUp(#[from] SetUpError),
    /// A page cannot be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// Its trace cannot be written.
    #[error(transparent)]
    Trace(#[from] WriteError),
}

/// Carries out a scenario. `control` is asked every now and then whether to go on.
///
/// # Errors
/// [`RunError`] when the device cannot be set up.
pub fn run(
    scenario: &Scenario,
    control: &mut dyn FnMut(Progress) -> Flow,
) -> Result<Report, RunError> {
    Ok(drive(scenario, World::new(scenario)?, control).0)
}

/// Lets a world go on to its end, or until it is stopped.
pub(crate) fn drive<'s>(
    scenario: &'s Scenario,
    mut world: World<'s>,
    control: &mut dyn FnMut(Progress) -> Flow,
) -> (Report, World<'s>) {
    let partial = advance(scenario, &mut world, control);
    (report(scenario, &world, partial), world)
}

/// Lets a world go on; whether it was stopped before its end.
fn advance(
    scenario: &Scenario,
    world: &mut World<'_>,
    control: &mut dyn FnMut(Progress) -> Flow,
) -> bool {
    while world.advance(STRIDE) {
        let progress = Progress {
            virtual_elapsed: world.elapsed(),
            virtual_total: scenario.duration,
            events: world.events(),
        };
        if control(progress) == Flow::Stop {
            return true;
        }
    }
    false
}

/// Carries out a scenario of whatever subject, and writes a trace of it. The report is the same as
/// without.
///
/// # Errors
/// As [`run_subject`], and when the trace cannot be written.
pub fn run_recorded<'s>(
    subject: &'s Subject,
    out: Sink<'s>,
    redactor: Redactor,
    control: &mut dyn FnMut(Progress) -> Flow,
) -> Result<(Report, Recorded), RunError> {
    match subject {
        Subject::WgMgr(scenario) => {
            let mut world = World::new(scenario)?;
            world.record_into(out, redactor)?;
            let partial = advance(scenario, &mut world, control);
            let recorded = world.end_recording()?.expect("it was begun above");
            Ok((report(scenario, &world, partial), recorded))
        }
        Subject::M3Read(scenario) => Ok(read::run_recorded(scenario, out, redactor, control)?),
    }
}

/// Carries out a scenario of whatever subject.
///
/// # Errors
/// [`RunError`] when the device cannot be set up, or the session does not come to stand.
pub fn run_subject(
    subject: &Subject,
    control: &mut dyn FnMut(Progress) -> Flow,
) -> Result<Report, RunError> {
    match subject {
        Subject::WgMgr(scenario) => run(scenario, control),
        Subject::M3Read(scenario) => Ok(read::run(scenario, control)?),
    }
}

fn report(scenario: &Scenario, world: &World<'_>, partial: bool) -> Report {
    let mut report = Report { partial, ..Report::of(scenario) };
    world.report_into(&mut report);
    report.remarks = remarks(scenario, world, partial);
    report.judge(&scenario.expect);
    report
}

/// What a reader should know and no single figure says.
fn remarks(scenario: &Scenario, world: &World<'_>, partial: bool) -> Vec<String> {
    let mut remarks = Vec::new();
    if partial {
        remarks.push("The run was interrupted: every figure is of its beginning only.".to_owned());
    }
    if world.opened() == 0 {
        remarks.push(
            "Nothing was opened: no DISCO box reached the cryptography in this run.".to_owned(),
        );
    }
    if let Some(broken) = world.broken_invariant() {
        remarks.push(format!("A bug of the core: it does not hold that {broken}."));
    }
    remarks.extend(starvation(world));
    remarks.extend(binding_limits(scenario, world));
    remarks
}

/// Which limit binds, where a setting promises more or less than happened (CAP-1, CAP-2).
fn binding_limits(scenario: &Scenario, world: &World<'_>) -> Vec<String> {
    let mut remarks = Vec::new();
    let config = &scenario.config;
    let (names, active) = world.without_tunnel();
    let cached_only = names.len() + usize::from(config.tunnel_slots) > active;
    if !names.is_empty() && !cached_only {
        remarks.push(format!(
            "{} of {active} peers answer DISCO but have no tunnel: the limit that binds is \
             tunnel_slots, {}. They are: {}.",
            names.len(),
            config.tunnel_slots,
            names.join(", "),
        ));
    }
    let requested = config.requested_max_peers;
    if requested > 0 && active > usize::from(requested) {
        remarks.push(format!(
            "requested_max_peers is {requested}, but {active} peers are active: the firmware does \
             not consult it, and its table takes {} (CAP-1).",
            config.usable_slots(),
        ));
    }
    remarks
}

/// Which task starved and which one held the core (WG-WDT-1).
fn starvation(world: &World<'_>) -> Option<String> {
    let starved = world.starved()?;
    let holder = match &starved.holder {
        Holder::Task(name) => format!("task {name} held it"),
        Holder::Flash => "flash writes held it".to_owned(),
        Holder::Nobody => "nobody held it".to_owned(),
    };
    Some(format!(
        "The task watchdog reset the device at {} ms: {} had not run on core {} since {} ms; {holder}.",
        starved.at.as_millis(),
        starved.task,
        starved.core.number(),
        starved.since.as_millis(),
    ))
}
