//! From the file to the [`Scenario`]: names looked up, defaults filled in, rules across fields.
//!
//! Every error points at the field that breaks the rule, or at the struct that lacks it.
use std::hash::Hasher;
use std::path::Path;

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::config::{Config, ConfigError};
use firmware_core::wg_mgr::preset::Preset;
use siphasher::sip128::{Hasher128, SipHasher13};

use super::error::{Problem, ScenarioError};
use super::file::device::{DeviceFile, RefreshFile, TaskFile};
use super::file::faults::{FaultFile, FaultPointFile};
use super::file::floods::{ContentFile, FloodFile, HeartbeatsFile};
use super::file::peers::{EntryFile, NatFile, PeerGroupFile, ReachFile};
use super::file::units::{Millis, Percent};
use super::file::{ScenarioFile, VERSION};
use super::nearest::nearest;
use super::outline::Step::{self, Field, Item};
use super::schema;
use super::source::Source;
use super::{
    BackgroundTask, CAPACITIES, DelayRounding, Device, Entry, Fault, FaultPoint, Flood,
    FloodContent, Heartbeats, NODES_MOST, Nat, Overrides, PeerGroup, Reach, Scenario, arrivals,
    expect, links, stop,
};
use crate::cost::CostTable;
use crate::random::Ratio;

impl Scenario {
    /// Reads a scenario and its cost table.
    ///
    /// # Errors
    /// The first thing that is wrong with the file, the table or an override.
    pub fn load(path: &Path, overrides: &Overrides) -> Result<Self, ScenarioError> {
        from_source(Source::read(path)?, overrides)
    }

    /// Reads a scenario from a text as if it had been read from `path`; its cost table is read from
    /// the file that it names.
    ///
    /// # Errors
    /// As [`Scenario::load`].
    pub fn parse(path: &Path, text: String, overrides: &Overrides) -> Result<Self, ScenarioError> {
        from_source(Source::new(path, text), overrides)
    }

    /// Reads a scenario and its cost table from two texts, as a trace holds them. Where `costs` is
    /// given, that table takes the place of the text.
    ///
    /// # Errors
    /// As [`Scenario::load`].
    pub fn parse_with_table(
        path: &Path,
        (text, table): (String, String),
        costs: Option<&Path>,
        overrides: &Overrides,
    ) -> Result<Self, ScenarioError> {
        let table = match costs {
            Some(path) => Source::read(path)?,
            None => Source::new(path, table),
        };
        with_table(Source::new(path, text), Some(table), overrides)
    }
}

pub(super) fn from_source(
    source: Source,
    overrides: &Overrides,
) -> Result<Scenario, ScenarioError> {
    with_table(source, None, overrides)
}

fn with_table(
    mut source: Source,
    table: Option<Source>,
    overrides: &Overrides,
) -> Result<Scenario, ScenarioError> {
    let mut file: ScenarioFile = source.parse(VERSION)?;
    if !overrides.is_empty() {
        overrides.apply(&mut source, schema::fields())?;
        file = source.parse(VERSION)?;
    }
    Check { source, end: file.duration_ms.instant(), table }.scenario(&file)
}

/// The text that a file came from, to name places in it.
pub(super) struct Check {
    source: Source,
    /// When the run ends.
    pub(super) end: Instant,
    /// The cost table, where it is not read from the file that the text names.
    table: Option<Source>,
}

/// A usual time to a peer and back through a relay; real ones are 40 to 200 ms away.
const RELAY_ROUND_TRIP: Duration = Duration::from_millis(60);

type Checked<T> = Result<T, ScenarioError>;

impl Check {
    /// For a file of another shape, of which no run ends at a time of its own.
    pub(super) const fn of(source: Source) -> Self {
        Self { source, end: Instant::ZERO, table: None }
    }

    fn scenario(&self, file: &ScenarioFile) -> Checked<Scenario> {
        if file.duration_ms.0.is_zero() {
            return Err(self.rule(&[Field("duration_ms")], "a run must last longer than 0 ms"));
        }
        let preset = self.preset(&file.preset)?;
        let config = self.config(file, preset)?;
        let device = self.device(&file.device, preset)?;
        self.delay_lasts(&config, &device)?;
        let peers = self.peers(&file.peers, &config)?;
        let mut scenario = Scenario {
            title: file.title.clone(),
            seed: file.seed,
            duration: file.duration_ms.0,
            shuffled_ties: file.shuffled_ties,
            preset,
            costs: self.costs(file)?,
            device,
            stop: stop::stop(self, file.protective_stop.as_ref(), &peers, (&config, preset))?,
            relays: stop::relays(self, &file.relays)?,
            links: links::links(self, &file.links, &peers)?,
            peers,
            floods: self.floods(&file.floods)?,
            heartbeats: self.heartbeats(&file.heartbeats)?,
            faults: self.faults(&file.faults)?,
            expect: expect::expectations(self, &file.expect)?,
            config,
            hash: 0,
        };
        scenario.hash = hash(&scenario);
        Ok(scenario)
    }

    fn preset(&self, name: &str) -> Checked<Preset> {
        Preset::from_name(name).ok_or_else(|| {
            let names = Preset::ALL.map(Preset::name);
            self.unknown(&[Field("preset")], "preset", name, &names)
        })
    }

    fn config(&self, file: &ScenarioFile, preset: Preset) -> Checked<Config> {
        let config = file.config.over(&preset.config());
        config.check(CAPACITIES).map_err(|error| self.config_error(error))?;
        Ok(config)
    }

    /// A delay shorter than a tick ends at once: such a loop would never let time pass.
    fn delay_lasts(&self, config: &Config, device: &Device) -> Checked<()> {
        match device.delay {
            DelayRounding::Tick(tick) if config.loop_delay < tick => {
                let reason = "`loop_delay_ms` is shorter than `device.tick_ms`: the operating \
                              system ends such a delay at once, and the loop would never sleep";
                Err(self.rule(&[Field("config"), Field("loop_delay_ms")], reason))
            }
            DelayRounding::Tick(_) | DelayRounding::Exact => Ok(()),
        }
    }

    /// The core's words about its field, in the file's words about its own.
    fn config_error(&self, error: ConfigError) -> ScenarioError {
        let ConfigError { field, found, least, most } = error;
        if field == "loop_delay" {
            let path = [Field("config"), Field("loop_delay_ms")];
            return self.rule(&path, "`loop_delay_ms` must be longer than 0 ms");
        }
        let reason = format!("`{field}` is {found}, but must lie in {least}..={most}");
        self.rule(&[Field("config"), Field(field)], reason)
    }

    fn costs(&self, file: &ScenarioFile) -> Checked<CostTable> {
        let named = &file.costs.table;
        let path = self.source.beside(named);
        let column = file.costs.column.column();
        let table = match &self.table {
            Some(table) => super::table::from_source(table, column),
            None => CostTable::load(&path, column),
        };
        let mut table = table.map_err(|error| match error.problem() {
            Problem::Unreadable { .. } => {
                let near = error.nearest().and_then(|near| Path::new(near).file_name());
                let near = near.map(|name| Path::new(named).with_file_name(name));
                self.source
                    .error_at(
                        &[Field("costs"), Field("table")],
                        error.problem().clone(),
                        "name a cost table, seen from the scenario's folder",
                    )
                    .with_nearest(near.map(|near| near.display().to_string()))
            }
            _ => error,
        })?;
        for (row, figure) in file.costs.replaced() {
            table.replace(row, figure.0);
        }
        Ok(table)
    }

    fn device(&self, file: &DeviceFile, preset: Preset) -> Checked<Device> {
        let at = |field| [Field("device"), Field(field)];
        if file.mailbox_depth.get() == 0 {
            return Err(self.rule(&at("mailbox_depth"), "`mailbox_depth` must be above 0"));
        }
        let delay = match file.tick_ms.0 {
            None => DelayRounding::Exact,
            Some(tick) if tick.is_zero() => {
                return Err(self.rule(&at("tick_ms"), "a tick lasts longer than 0 ms"));
            }
            Some(tick) => DelayRounding::Tick(tick),
        };
        let watchdog = match file.watchdog_ms {
            None => Some(shipped_watchdog(preset)),
            Some(written) if written.0.is_some_and(Duration::is_zero) => {
                let reason = "a watchdog waits longer than 0 ms; `off` is none";
                return Err(self.rule(&at("watchdog_ms"), reason));
            }
            Some(written) => written.0,
        };
        Ok(Device {
            registered_at: file.registered_at_ms.instant(),
            local_endpoint: file.local_endpoint,
            stun_at: file.stun_at_ms.map(Millis::instant),
            relay_connects_at: file.relay_connects_at_ms.iter().map(|at| at.instant()).collect(),
            netmap_again_at: match file.netmap_refresh {
                RefreshFile::Full => {
                    file.netmap_again_at_ms.iter().map(|at| at.instant()).collect()
                }
                RefreshFile::Soft => Vec::new(),
            },
            shutdown_at: file.shutdown_at_ms.map(Millis::instant),
            delay,
            watchdog,
            mailbox_depth: file.mailbox_depth.to_u16(),
            tasks: self.tasks(&file.tasks)?,
        })
    }

    fn tasks(&self, files: &[TaskFile]) -> Checked<Vec<BackgroundTask>> {
        let list = [Field("device"), Field("tasks")];
        self.distinct(&list, files.iter().map(|task| task.name.as_str()))?;
        let task = |(index, file): (usize, &TaskFile)| {
            let at = |field| [list[0], list[1], Item(index), Field(field)];
            if file.priority.get() == 0 {
                let reason = "there is no priority 0: tasks have 1 to 24";
                return Err(self.rule(&at("priority"), reason));
            }
            if file.run_ms.0 >= file.period_ms.0 {
                let path = at("run_ms");
                return Err(self.rule(&path, "`run_ms` must be below `period_ms`"));
            }
            Ok(BackgroundTask {
                name: file.name.clone(),
                core: file.core.to_u8(),
                priority: file.priority.to_u8(),
                period: file.period_ms.0,
                run: file.run_ms.0,
            })
        };
        files.iter().enumerate().map(task).collect()
    }

    fn peers(&self, files: &[PeerGroupFile], config: &Config) -> Checked<Vec<PeerGroup>> {
        self.distinct(&[Field("peers")], files.iter().map(|group| group.name.as_str()))?;
        let mut peers = 0;
        let mut cached = 0;
        let mut priority = None;
        for (index, group) in files.iter().enumerate() {
            let count = [Field("peers"), Item(index), Field("count")];
            peers += group.count.get();
            if peers > NODES_MOST.into() {
                let reason = format!(
                    "{peers} peers are too many: a run has room for {NODES_MOST} in all groups"
                );
                return Err(self.rule(&count, reason));
            }
            if group.enters == Some(EntryFile::Cache) {
                cached += group.count.get();
            }
            if cached > config.store_entries.into() {
                let entries = config.store_entries;
                let reason =
                    format!("{cached} cached peers are too many: the peer cache holds {entries}");
                return Err(self.rule(&count, reason));
            }
            if group.priority && priority.replace(index).is_some() {
                let path = [Field("peers"), Item(index), Field("priority")];
                return Err(self.rule(&path, "another group has the priority peer already"));
            }
        }
        files.iter().enumerate().map(|(index, file)| self.group(index, file)).collect()
    }

    fn group(&self, index: usize, file: &PeerGroupFile) -> Checked<PeerGroup> {
        let at = |field| [Field("peers"), Item(index), Field(field)];
        if file.rotation_patched_at_ms.map(Millis::instant)
            < file.rotates_key_at_ms.map(Millis::instant)
            && file.rotation_patched_at_ms.is_some()
        {
            let reason = "the control plane cannot tell of a key before it is rotated";
            return Err(self.rule(&at("rotation_patched_at_ms"), reason));
        }
        if file.rotation_patched_at_ms.is_some() && file.rotates_key_at_ms.is_none() {
            let reason = "`rotation_patched_at_ms` stands here without `rotates_key_at_ms`";
            return Err(self.rule(&at("rotation_patched_at_ms"), reason));
        }
        if file.region.get() == 0 {
            let reason = "region 0 stands for none; regions are 1 to 4095";
            return Err(self.rule(&at("region"), reason));
        }
        let arrivals = |name, file| arrivals::optional(self, &at(name), file);
        let reach = match file.reach {
            ReachFile::Direct => Reach::Direct,
            ReachFile::Derp => Reach::Derp,
        };
        Ok(PeerGroup {
            name: file.name.clone(),
            count: file.count.to_u16(),
            enters: match file.enters {
                None => Entry::Netmap { at: Instant::ZERO, shuffled: false },
                Some(EntryFile::Netmap { at_ms, shuffled }) => {
                    Entry::Netmap { at: at_ms.instant(), shuffled }
                }
                Some(EntryFile::Cache) => Entry::Cache,
            },
            reach,
            round_trip: file.round_trip_ms.0,
            relay_round_trip: match (file.relay_round_trip_ms, reach) {
                (Some(written), _) => written.0,
                (None, Reach::Derp) => file.round_trip_ms.0,
                (None, Reach::Direct) => RELAY_ROUND_TRIP,
            },
            region: file.region.to_u16(),
            nat: self.nat(index, file.nat)?,
            answers_also_by_relay: file.answers_also_by_relay,
            answers_handshakes: file.answers_handshakes,
            handshakes: arrivals("handshakes", file.handshakes.as_ref())?,
            handshake_stagger: file.handshake_stagger_ms.0,
            restarts_at: file.restarts_at_ms.map(Millis::instant),
            has_endpoint: file.has_endpoint.unwrap_or(file.reach == ReachFile::Direct),
            answers_pings: file.answers_pings,
            pings: arrivals("pings", file.pings.as_ref())?,
            ping_stagger: file.ping_stagger_ms.0,
            call_me_maybe: arrivals("call_me_maybe", file.call_me_maybe.as_ref())?,
            call_me_maybe_endpoints: file.call_me_maybe_endpoints.to_u8(),
            echoes_call_me_maybe: file.echoes_call_me_maybe_after_ms.map(|after| after.0),
            rotates_key_at: file.rotates_key_at_ms.map(Millis::instant),
            rotation_patched_at: file.rotation_patched_at_ms.map(Millis::instant),
            removed_at: file.removed_at_ms.map(Millis::instant),
            priority: file.priority,
            on_allowlist: file.on_allowlist,
        })
    }

    fn nat(&self, index: usize, file: NatFile) -> Checked<Nat> {
        match file {
            NatFile::Open => Ok(Nat::Open),
            NatFile::Hard { open_ms, closed_ms } => {
                if open_ms.0.is_zero() || closed_ms.0.is_zero() {
                    let path = [Field("peers"), Item(index), Field("nat")];
                    return Err(self.rule(&path, "both times of a hard NAT are above 0 ms"));
                }
                Ok(Nat::Hard { open: open_ms.0, closed: closed_ms.0 })
            }
        }
    }

    fn floods(&self, files: &[FloodFile]) -> Checked<Vec<Flood>> {
        self.distinct(&[Field("floods")], files.iter().map(|flood| flood.name.as_str()))?;
        let flood = |(index, file): (usize, &FloodFile)| {
            let path = [Field("floods"), Item(index), Field("arrivals")];
            Ok(Flood {
                name: file.name.clone(),
                arrivals: arrivals::arrivals(self, &path, &file.arrivals)?,
                magic: file.magic_hex.0,
                content: match file.content {
                    ContentFile::RandomBox { bytes } => {
                        FloodContent::RandomBox { bytes: bytes.to_u16() }
                    }
                    ContentFile::SealedPing => FloodContent::SealedPing,
                    ContentFile::KnownKey { bytes } => {
                        FloodContent::KnownKey { bytes: bytes.to_u16() }
                    }
                },
            })
        };
        files.iter().enumerate().map(flood).collect()
    }

    fn heartbeats(&self, files: &[HeartbeatsFile]) -> Checked<Vec<Heartbeats>> {
        self.distinct(&[Field("heartbeats")], files.iter().map(|train| train.name.as_str()))?;
        let train = |(index, file): (usize, &HeartbeatsFile)| {
            let path = [Field("heartbeats"), Item(index), Field("arrivals")];
            Ok(Heartbeats {
                name: file.name.clone(),
                arrivals: arrivals::arrivals(self, &path, &file.arrivals)?,
                copy_after: file.copy_after_ms.map(|after| after.0),
            })
        };
        files.iter().enumerate().map(train).collect()
    }

    fn faults(&self, files: &[FaultFile]) -> Checked<Vec<Fault>> {
        let fault = |(index, file): (usize, &FaultFile)| {
            let path = [Field("faults"), Item(index)];
            let (from, until) = self.window(&path, file.from_ms, file.until_ms)?;
            Ok(Fault { point: point(file.point), from, until, share: share(file.share_percent) })
        };
        files.iter().enumerate().map(fault).collect()
    }

    /// The time between two optional instants, which must not be empty.
    pub(super) fn window(
        &self,
        path: &[Step<'_>],
        from: Option<Millis>,
        until: Option<Millis>,
    ) -> Checked<(Instant, Instant)> {
        let from = from.map_or(Instant::ZERO, Millis::instant);
        match until.map(Millis::instant) {
            Some(until) if until <= from => {
                let path = [path, &[Field("until_ms")]].concat();
                Err(self.rule(&path, "`until_ms` must be later than `from_ms`"))
            }
            until => Ok((from, until.unwrap_or(self.end))),
        }
    }

    /// Names by which `--set`, reports and streams of chance tell elements apart.
    pub(super) fn distinct<'a>(
        &self,
        list: &[Step<'_>],
        names: impl Iterator<Item = &'a str>,
    ) -> Checked<()> {
        let mut seen = Vec::new();
        for (index, name) in names.enumerate() {
            let path = [list, &[Item(index), Field("name")]].concat();
            if name.is_empty() || name.contains('.') {
                let reason = format!("`{name}` is no name: give it letters and no dot");
                return Err(self.rule(&path, reason));
            }
            if seen.contains(&name) {
                return Err(self.rule(&path, format!("the name `{name}` is taken already")));
            }
            seen.push(name);
        }
        Ok(())
    }

    /// An error at the value that `path` leads to.
    pub(super) fn error(&self, path: &[Step<'_>], problem: Problem, next: &str) -> ScenarioError {
        self.source.error_at(path, problem, next)
    }

    /// An error about values that do not go together.
    pub(super) fn rule(&self, path: &[Step<'_>], reason: impl Into<String>) -> ScenarioError {
        self.source.error_at(path, Problem::Rule(reason.into()), "correct the value")
    }

    /// An error about a name that is none of `names`.
    pub(super) fn unknown(
        &self,
        path: &[Step<'_>],
        what: &'static str,
        name: &str,
        names: &[&str],
    ) -> ScenarioError {
        let near = nearest(name, names.iter().copied());
        let next = match names.len() {
            0..=12 => format!("use one of: {}", names.join(", ")),
            _ => format!("`preflash explain` lists every {what}"),
        };
        let problem = Problem::UnknownName { what, name: name.to_owned() };
        self.source.error_at(path, problem, next).with_nearest(near)
    }

    /// The line on which the value at `path` stands.
    pub(super) fn line(&self, path: &[Step<'_>]) -> usize {
        self.source.line_at(path)
    }
}

/// The watchdog's limit on the boards that ran a version.
fn shipped_watchdog(preset: Preset) -> Duration {
    match preset {
        Preset::Pre0 | Preset::Arm1 | Preset::Key2 => Duration::from_millis(30_000),
        Preset::Ilv3 | Preset::Head4 => Duration::from_millis(5_000),
    }
}

fn point(file: FaultPointFile) -> FaultPoint {
    match file {
        FaultPointFile::InboundLoss => FaultPoint::InboundLoss,
        FaultPointFile::OutboundLoss => FaultPoint::OutboundLoss,
        FaultPointFile::StoreWrite => FaultPoint::StoreWrite,
        FaultPointFile::AllowListBusy => FaultPoint::AllowListBusy,
        FaultPointFile::ReceiveMemory => FaultPoint::ReceiveMemory,
    }
}

/// A share of a hundred.
pub(super) fn share(file: Percent) -> Ratio {
    Ratio::new(file.thousandths, 100_000).expect("a percentage is read as at most 100")
}

/// A hash of everything that a run depends on except the seed.
fn hash(scenario: &Scenario) -> u128 {
    let mut same = scenario.clone();
    (same.seed, same.hash) = (0, 0);
    for expectation in &mut same.expect {
        expectation.line = 0;
    }
    let mut hasher = SipHasher13::new();
    hasher.write(format!("{same:?}").as_bytes());
    hasher.finish128().as_u128()
}
