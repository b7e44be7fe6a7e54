//! The manager loop stepped by records: packets are put into modelled boxes, pongs get the
//! transaction ids that this core has drawn.
use std::collections::{BTreeMap, BTreeSet};

use firmware_core::recorder::fingerprint;
use firmware_core::time::Instant;
use firmware_core::wg_mgr::config::{Config, Crypto};
use firmware_core::wg_mgr::input::{Datagram, Input};
use firmware_core::wg_mgr::keys::{Entropy, Identity};
use firmware_core::wg_mgr::output::Outputs;
use firmware_core::wg_mgr::peers::PeerRecord;
use firmware_core::wg_mgr::rules::Rule;
use firmware_core::wg_mgr::store::Store;

use super::ReplayError;
use super::player::{Player, Stepped, Unknown};
use crate::node::wg_mgr::Core;
use crate::pft::Event;
use crate::record::pings::Pings;
use crate::record::{letter, step, tunnel};
use crate::scenario::PEERS_MOST;

/// Packets that have arrived and not been taken yet. A device's queues hold far fewer.
const WAITING_MOST: usize = 65_536;

/// Who a replayed device is. Public: its boxes are modelled and hide nothing.
fn identity() -> Identity {
    Identity::from_secrets([0x51; 32], [0x52; 32])
}

/// The manager.
pub struct Manager {
    core: Box<Core>,
    pings: Pings,
    waiting: BTreeMap<u64, Event>,
    forged: BTreeSet<u64>,
    preloaded: Vec<PeerRecord>,
    is_started: bool,
}

impl Manager {
    /// A manager with these tunables; its boxes are modelled whatever they say. `entropy` is that of
    /// the recorded run, so that session indices are the recorded ones.
    ///
    /// # Errors
    /// When the tunables are none that the core takes.
    pub fn new(config: &Config, entropy: Entropy) -> Result<Self, ReplayError> {
        let config = Config { crypto: Crypto::Modelled, ..config.clone() };
        let core = Core::new(config, identity(), entropy);
        let core = core.map_err(|error| ReplayError::Config(error.to_string()))?;
        Ok(Self {
            core: Box::new(core),
            pings: Pings::default(),
            waiting: BTreeMap::new(),
            forged: BTreeSet::new(),
            preloaded: Vec::new(),
            is_started: false,
        })
    }

    /// Hands the core what was in flash, before its first step.
    fn start(&mut self) {
        if std::mem::replace(&mut self.is_started, true) || self.preloaded.is_empty() {
            return;
        }
        let entries = self.core.config().store_entries;
        if let Some(blob) = blob(&self.preloaded, entries) {
            // A table that does not fit the asked-for cache starts empty, as the firmware's does.
            let _refused = self.core.preload(&blob);
        }
    }

    fn given(&mut self, now: Instant, input: &Event) -> Result<(Outputs, bool), Unknown> {
        let update = step::update_of(input);
        let mut bytes = Vec::new();
        let mut is_unopened = false;
        let input = match input {
            Event::InWake {} => Input::Wake,
            Event::InEmpty {} => Input::Empty,
            Event::InPacket { packet } => {
                let event = self.waiting.remove(packet);
                let (event, arrival) = event
                    .as_ref()
                    .and_then(|event| Some((event, letter::arrival(event)?)))
                    .ok_or_else(|| Unknown {
                        what: format!("packet {packet}, which no record tells of"),
                        log_next: "every packet that arrives (arrive.…)",
                    })?;
                is_unopened = matches!(event, Event::ArriveUnopened { .. });
                let forged = self.forged.remove(packet);
                bytes = tunnel::bytes(event, &self.core, forged)
                    .unwrap_or_else(|| letter::bytes(event, self.core.identity(), &self.pings));
                Input::Packet(Datagram { bytes: &bytes, via: arrival.way })
            }
            other => match (step::control_of(other), &update) {
                (Some(control), _) => Input::Control(control),
                (None, Some(update)) => Input::Update(update),
                (None, None) => {
                    return Err(Unknown {
                        what: format!("what {} does to the manager", other.name()),
                        log_next: "the inputs of the manager (in.…)",
                    });
                }
            },
        };
        let outputs = self.core.step(now, input);
        drop(bytes);
        Ok((outputs, is_unopened))
    }
}

impl Player for Manager {
    fn around(&mut self, event: &Event) {
        if let Some(arrival) = letter::arrival(event) {
            if self.waiting.len() >= WAITING_MOST {
                let _oldest = self.waiting.pop_first();
            }
            self.waiting.insert(arrival.packet, event.clone());
        }
        match event {
            Event::Drop { packet, .. } => {
                self.waiting.remove(packet);
            }
            Event::DataForged { packet } if self.forged.len() < WAITING_MOST => {
                self.forged.insert(*packet);
            }
            Event::Preload { peer } if self.preloaded.len() < usize::from(PEERS_MOST) => {
                self.preloaded.push(step::record_of(peer));
            }
            _ => {}
        }
    }

    fn step(&mut self, now: Instant, input: &Event) -> Stepped {
        self.start();
        match self.given(now, input) {
            Err(unknown) => Stepped { unknown: Some(unknown), ..Stepped::default() },
            Ok((outputs, is_unopened)) => {
                self.pings.sent(now, &outputs, self.core.probes());
                Stepped {
                    fingerprint: fingerprint(&outputs),
                    outputs: step::outputs(&outputs),
                    unknown: is_unopened.then(|| Unknown {
                        what: "what was in the box of this packet".to_owned(),
                        log_next: "the message in every box that is opened",
                    }),
                }
            }
        }
    }
}

/// The blob of a peer cache whose entries were used in this order.
pub fn blob(peers: &[PeerRecord], entries: u16) -> Option<Vec<u8>> {
    let mut store = Store::<{ PEERS_MOST as usize }>::new(entries);
    for peer in peers {
        store.save(peer, None, Rule::Compat);
    }
    let mut blob = vec![0; store.blob_len()];
    store.encode(&mut blob).map(|_length| blob)
}
