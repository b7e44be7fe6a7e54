//! Relays and the protective stop: from the file's words, with what the preset's boards did as
//! defaults.
use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::config::Config;
use firmware_core::wg_mgr::preset::Preset;

use super::check::Check;
use super::error::ScenarioError;
use super::file::relays::{RelayFile, RetryFile, WindowFile};
use super::file::stop::{CadenceFile, StopEndFile, StopFile};
use super::file::units::{Count, Millis};
use super::outline::Step::{Field, Item};
use super::{PeerGroup, RelaySpec, StopEnd, StopSpec};
use crate::node::pstop::machine::MachineSpec;
use crate::node::pstop::remote::Cadence;
use crate::node::relay::reconnect::Retry;

/// The relays; where none is named, one of region 1.
pub(super) fn relays(check: &Check, files: &[RelayFile]) -> Result<Vec<RelaySpec>, ScenarioError> {
    check.distinct(&[Field("relays")], files.iter().map(|relay| relay.name.as_str()))?;
    let mut regions = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let path = [Field("relays"), Item(index), Field("region")];
        if file.region.get() == 0 {
            return Err(check.rule(&path, "region 0 stands for none; regions are 1 to 4095"));
        }
        if regions.contains(&file.region) {
            return Err(check.rule(&path, "another relay has this region already"));
        }
        regions.push(file.region);
    }
    files.iter().enumerate().map(|(index, file)| relay(check, index, file)).collect()
}

fn relay(check: &Check, index: usize, file: &RelayFile) -> Result<RelaySpec, ScenarioError> {
    let windows = |list: &'static str, files: &[WindowFile]| {
        let window = |(at, file): (usize, &WindowFile)| {
            let path = [Field("relays"), Item(index), Field(list), Item(at)];
            check.window(&path, Some(file.from_ms), Some(file.until_ms))
        };
        files.iter().enumerate().map(window).collect::<Result<Vec<(Instant, Instant)>, _>>()
    };
    let retry = match file.retry {
        RetryFile::Shipped => None,
        RetryFile::Attempts { most, spacing_ms } => {
            let most = u32::try_from(most.get()).unwrap_or(u32::MAX);
            Some(Retry::Attempts { most, spacing: spacing_ms.0 })
        }
        RetryFile::Backoff { first_ms, most_ms } => {
            Some(Retry::Backoff { first: first_ms.0, most: most_ms.0 })
        }
    };
    Ok(RelaySpec {
        name: file.name.clone(),
        region: file.region.to_u16(),
        connect: file.connect_ms.0,
        gives_up: file.connect_fails_ms.0,
        outages: windows("outages", &file.outages)?,
        stalls: windows("stalls", &file.stalls)?,
        retry,
    })
}

/// The protective stop, if the scenario has one.
pub(super) fn stop(
    check: &Check,
    file: Option<&StopFile>,
    peers: &[PeerGroup],
    (config, preset): (&Config, Preset),
) -> Result<Option<StopSpec>, ScenarioError> {
    let Some(file) = file else { return Ok(None) };
    let at = |field| [Field("protective_stop"), Field(field)];
    if !config.has_sessions() {
        let reason = "the protective stop goes through a session: it needs \
                      `config: (tunnel: sessions)`";
        return Err(check.rule(&[Field("protective_stop")], reason));
    }
    let found = peers.iter().position(|group| group.name == file.peer && group.count > 0);
    let group = found.ok_or_else(|| {
        let names: Vec<_> = peers.iter().map(|group| group.name.as_str()).collect();
        check.unknown(&at("peer"), "group of peers", &file.peer, &names)
    })?;
    let (cadence, heartbeat, missed) = shipped(preset);
    let heartbeat = file.heartbeat_ms.map_or(Duration::from_millis(heartbeat), |it| it.0);
    if heartbeat < Duration::MILLISECOND {
        return Err(check.rule(&at("heartbeat_ms"), "a heartbeat time is 1 ms at least"));
    }
    let max_missed = file.max_missed.map_or(missed, Count::to_u16);
    if max_missed == 0 {
        return Err(check.rule(&at("max_missed"), "`max_missed` must be above 0"));
    }
    Ok(Some(StopSpec {
        group,
        device: match file.device {
            StopEndFile::Remote => StopEnd::Remote,
            StopEndFile::Machine => StopEnd::Machine,
        },
        cadence: match file.cadence {
            Some(CadenceFile::EveryTick) => Cadence::EveryTick,
            Some(CadenceFile::Governed) => Cadence::Governed,
            None => cadence,
        },
        machine: MachineSpec { heartbeat, max_missed: max_missed.into(), ..MachineSpec::SHIPPED },
        starts_at: file.starts_at_ms.instant(),
        loops_close_at: file.loops_close_at_ms.map_or(Instant::NEVER, Millis::instant),
    }))
}

/// Cadence, heartbeat time and tolerance of the boards that ran a version (facts h4).
fn shipped(preset: Preset) -> (Cadence, u64, u16) {
    match preset {
        Preset::Pre0 | Preset::Arm1 => (Cadence::EveryTick, 1_000, 1),
        Preset::Key2 => (Cadence::Governed, 400, 3),
        Preset::Ilv3 | Preset::Head4 => (Cadence::Governed, 400, 5),
    }
}
