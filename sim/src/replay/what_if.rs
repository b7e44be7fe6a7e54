//! The same arrivals under another configuration: through the queues, tasks and costs of the device
//! model, because what waits depends on time.
//!
//! ```text
//!   .pft ─► arrive.…, told.…, what other tasks say ─┬─► World, as recorded ─► figures ─┐
//!                                                   └─► World, what if ─────► figures ─┴─► rows
//! ```
//!
//! Both columns come out of the same model. The first says whether the model, given the arrivals,
//! takes the very steps that were recorded; then its figures are the recording's own. A pong comes
//! at the time at which it came: where the device then pings otherwise, it answers the ping of its
//! number, or none. Packets of sessions that the core keeps itself are refused: they answer handshakes
//! that another configuration would not begin at the same time.
use std::path::Path;

use firmware_core::time::Instant;
use firmware_core::wg_mgr::config::Crypto;

use super::setup::{Asked, Setup};
use super::{ReplayError, open};
use crate::report::Report;
use crate::report::metrics::Metric;
use crate::run::{Flow, Progress, RunError, drive};
use crate::scenario::Scenario;
use crate::world::{Scan, World};

/// What the two runs came to.
#[derive(Debug)]
pub struct WhatIf {
    /// The arrivals under the configuration that the replay was asked for.
    pub base: Report,
    /// The same under the changed one.
    pub changed: Report,
    /// Whether the first took the very steps that were recorded; `None` where the trace has no
    /// digest.
    pub is_as_recorded: Option<bool>,
    /// Places of the trace at which records, and so perhaps arrivals, are missing.
    pub gaps: u64,
    /// The figures that differ or that are about gaps, losses and waits.
    pub rows: Vec<Row>,
}

/// A figure of both runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Which.
    pub metric: Metric,
    /// Of the first run.
    pub base: f64,
    /// Of the changed one.
    pub changed: f64,
}

/// Lets the arrivals of a trace happen twice: as asked for, and with `changes` on top.
///
/// # Errors
/// When the trace cannot be read, has no device or no head, or a change is wrong.
pub fn what_if(
    path: &Path,
    asked: &Asked,
    changes: &[String],
    control: &mut dyn FnMut(Progress) -> Flow,
) -> Result<WhatIf, ReplayError> {
    let base = scenario(path, asked)?;
    if base.config.has_sessions() {
        return Err(ReplayError::Sessions);
    }
    let mut with = asked.clone();
    with.overrides.set.extend(changes.iter().cloned());
    let changed = scenario(path, &with)?;
    let scan = Scan::of(&mut open(path)?)?;
    let (base, digest) = run(path, &base, &scan, control)?;
    let (changed, _) = run(path, &changed, &scan, control)?;
    let rows = rows(&base, &changed);
    let is_as_recorded = scan.digest.map(|recorded| Some(recorded) == digest);
    Ok(WhatIf { base, changed, is_as_recorded, gaps: scan.gaps, rows })
}

/// The device of the trace, to which nothing happens by itself.
fn scenario(path: &Path, asked: &Asked) -> Result<Scenario, ReplayError> {
    let reader = open(path)?;
    let head = reader.head().ok_or(ReplayError::NoHead)?;
    let Setup::WgMgr(scenario) = Setup::of(head, path, asked)? else {
        return Err(ReplayError::NoWorld);
    };
    let mut scenario = *scenario;
    scenario.config.crypto = Crypto::Modelled;
    let device = &mut scenario.device;
    device.registered_at = Instant::NEVER;
    (device.stun_at, device.shutdown_at) = (None, None);
    device.relay_connects_at.clear();
    Ok(scenario)
}

fn run(
    path: &Path,
    scenario: &Scenario,
    scan: &Scan,
    control: &mut dyn FnMut(Progress) -> Flow,
) -> Result<(Report, Option<u128>), ReplayError> {
    let world = World::of_arrivals(scenario, open(path)?, scan).map_err(RunError::SetUp)?;
    let (report, mut world) = drive(scenario, world, control);
    match world.arrivals_failed() {
        Some(error) => Err(error.into()),
        None => Ok((report, world.core_digest())),
    }
}

/// What a what-if is about, whether or not it differs.
const ALWAYS: [Metric; 6] = [
    Metric::HeartbeatGapMsMax,
    Metric::HeartbeatLost,
    Metric::HeartbeatWaitMsP99,
    Metric::HeartbeatWaitMsMax,
    Metric::DiscoShed,
    Metric::TunnelShed,
];

fn rows(base: &Report, changed: &Report) -> Vec<Row> {
    let figure = |report: &Report, metric| report.figure(metric).unwrap_or(f64::NAN);
    let all = Metric::ALL.iter().copied().map(|metric| Row {
        metric,
        base: figure(base, metric),
        changed: figure(changed, metric),
    });
    let differs = |row: &Row| row.base.to_bits() != row.changed.to_bits();
    all.filter(|row| ALWAYS.contains(&row.metric) || differs(row))
        .filter(|row| !(row.base.is_nan() && row.changed.is_nan()))
        .collect()
}
