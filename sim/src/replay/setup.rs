//! The core that a trace is replayed on: as its head says, with what was asked for otherwise.
use std::path::{Path, PathBuf};

use firmware_core::m3_read::M3Read;
use firmware_core::m3_read::config::Config as ClientConfig;
use firmware_core::m3_read::preset::Arm;
use firmware_core::wg_mgr::preset::Preset;
use serde::Serialize;
use serde_json::Value;

use super::ReplayError;
use super::client::Client;
use super::manager::Manager;
use super::player::Player;
use crate::pft::{Head, TraceSubject};
use crate::record::read::ClientFile;
use crate::scenario::file::config::ConfigFile;
use crate::scenario::nearest::nearest;
use crate::scenario::{Overrides, Scenario, edited};
use crate::world::entropy;

/// What a replay changes of what the head says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Preset and single values.
    pub overrides: Overrides,
    /// Another cost table.
    pub costs: Option<PathBuf>,
}

/// The device that a trace is replayed on.
#[derive(Clone, Debug)]
pub enum Setup {
    /// The manager loop.
    WgMgr(Box<Scenario>),
    /// The READ client.
    M3Read(ClientConfig),
}

/// A tunable by the name that an override gives it, and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The key, such as `config.opens_per_pass`.
    pub key: String,
    /// The value as JSON has it.
    pub value: Value,
}

impl Setup {
    /// The device that the head of a trace describes, with what is asked for.
    ///
    /// # Errors
    /// When the head describes none, or an override is wrong.
    pub fn of(head: &Head, path: &Path, asked: &Asked) -> Result<Self, ReplayError> {
        let field = |name: &'static str| {
            head.get(name).map(str::to_owned).ok_or(ReplayError::HeadLacks { field: name })
        };
        match head.subject() {
            TraceSubject::WgMgr => {
                let texts = (field("scenario")?, field("cost_table")?);
                let costs = asked.costs.as_deref();
                let scenario = Scenario::parse_with_table(path, texts, costs, &asked.overrides)?;
                Ok(Self::WgMgr(Box::new(scenario)))
            }
            TraceSubject::M3Read => client(path, field("client")?, &asked.overrides),
            TraceSubject::Other => Err(ReplayError::NoCore),
        }
    }

    /// A core in its start state.
    ///
    /// # Errors
    /// When the configuration is none that the core takes.
    pub fn player(&self) -> Result<Box<dyn Player>, ReplayError> {
        match self {
            Self::WgMgr(scenario) => {
                Ok(Box::new(Manager::new(&scenario.config, entropy(scenario.seed))?))
            }
            Self::M3Read(config) => {
                let reader = M3Read::new(*config);
                let reader = reader.map_err(|error| ReplayError::Config(error.to_string()))?;
                Ok(Box::new(Client::new(reader)))
            }
        }
    }

    /// Every tunable that a replay can be explained by, with its value.
    pub fn settings(&self) -> Vec<Setting> {
        match self {
            Self::WgMgr(scenario) => wg_mgr_settings(&scenario.config),
            Self::M3Read(config) => flat("client", config),
        }
    }

    /// The tunables of every named version.
    pub fn presets(&self) -> Vec<(&'static str, Vec<Setting>)> {
        match self {
            Self::WgMgr(_) => Preset::ALL
                .into_iter()
                .map(|preset| (preset.name(), wg_mgr_settings(&preset.config())))
                .collect(),
            Self::M3Read(_) => Arm::ALL
                .into_iter()
                .map(|arm| (arm.name(), flat("client", &arm.config())))
                .collect(),
        }
    }
}

fn wg_mgr_settings(config: &firmware_core::wg_mgr::config::Config) -> Vec<Setting> {
    let mut settings = flat("config", &ConfigFile::of(config, None));
    // Addresses are the trace's own, and a replay's boxes are modelled whatever was recorded.
    let fixed = ["config.priority_peer", "config.fleet_server", "config.crypto"];
    settings.retain(|setting| !fixed.contains(&setting.key.as_str()));
    settings
}

/// The leaves of a value with the paths to them.
fn flat<T: Serialize>(prefix: &str, value: &T) -> Vec<Setting> {
    let value = serde_json::to_value(value).expect("a configuration has a JSON form");
    let mut settings = Vec::new();
    gather(prefix, value, &mut settings);
    settings
}

fn gather(path: &str, value: Value, into: &mut Vec<Setting>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                gather(&format!("{path}.{name}"), value, into);
            }
        }
        value => into.push(Setting { key: path.to_owned(), value }),
    }
}

fn client(path: &Path, text: String, overrides: &Overrides) -> Result<Setup, ReplayError> {
    let mut file: ClientFile = edited(path, text, &Overrides::default())?;
    if let Some(preset) = &overrides.preset {
        let arm = Arm::ALL.into_iter().find(|arm| arm.name() == preset);
        let names = Arm::ALL.map(Arm::name);
        let arm = arm.ok_or_else(|| {
            let near = nearest(preset, names).unwrap_or_default();
            ReplayError::Config(format!(
                "there is no arm `{preset}`; there are {}; the nearest is `{near}`",
                names.join(", ")
            ))
        })?;
        file = ClientFile { preset: preset.clone(), client: arm.config(), ..file };
    }
    let overrides = Overrides { preset: None, seed: None, set: overrides.set.clone() };
    let file: ClientFile = edited(path, crate::scenario::to_ron(&file), &overrides)?;
    file.client.check().map_err(|error| ReplayError::Config(format!("client.{error}")))?;
    Ok(Setup::M3Read(file.client))
}
