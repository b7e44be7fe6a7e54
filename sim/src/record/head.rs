//! The device of a run as the head of its trace has it: a scenario without peers and traffic, and
//! the cost table, so that a replay needs no other file.
use firmware_core::wg_mgr::config::Config;

use crate::pft::{Head, Redactor, TraceSubject};
use crate::scenario::file::ScenarioFile;
use crate::scenario::file::config::ConfigFile;
use crate::scenario::file::cost_table::CostTableFile;
use crate::scenario::file::costs::CostsFile;
use crate::scenario::file::device::DeviceFile;
use crate::scenario::file::units::Millis;
use crate::scenario::{Scenario, to_ron};

/// The head of a run's trace. `config` is what the core runs with; its addresses, and the device's,
/// become pseudonyms.
pub fn of(scenario: &Scenario, config: &Config, redactor: &mut Redactor) -> Head {
    let mut head = Head::new(TraceSubject::WgMgr, &scenario.title);
    head.set("seed", &scenario.seed.to_string());
    head.set("scenario_hash", &format!("{:032x}", scenario.hash));
    let mut config = config.clone();
    config.priority_peer = config.priority_peer.map(|address| redactor.address(address));
    config.fleet_server = config.fleet_server.map(|address| redactor.address(address));
    let mut device = scenario.device.clone();
    if let Some(endpoint) = &mut device.local_endpoint {
        endpoint.set_ip(redactor.address(*endpoint.ip()));
    }
    let file = ScenarioFile {
        version: crate::scenario::file::VERSION,
        title: redactor.text(&scenario.title),
        seed: scenario.seed,
        duration_ms: Millis(scenario.duration),
        shuffled_ties: scenario.shuffled_ties,
        preset: scenario.preset.name().to_owned(),
        config: ConfigFile::of(&config, Some(&scenario.preset.config())),
        costs: CostsFile::of(&scenario.costs),
        device: DeviceFile::of(&device),
        peers: Vec::new(),
        floods: Vec::new(),
        heartbeats: Vec::new(),
        protective_stop: None,
        relays: Vec::new(),
        links: Vec::new(),
        faults: Vec::new(),
        expect: Vec::new(),
    };
    head.set("scenario", &to_ron(&file));
    head.set("cost_table", &to_ron(&CostTableFile::of(&scenario.costs)));
    head
}
