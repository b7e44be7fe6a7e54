//! News from other tasks: they may come between any two steps and change nothing of where the pass
//! stands.
//!
//! Clauses: WG-SHUT-1 (start and stop), WG-ALLOW-1, CAP-1 and CAP-3 (changes at run time).
use super::WgMgr;
use super::call_me_maybe::Broadcast;
use super::input::Control;
use super::output::{Output, Outputs};
use super::probes::ProbeTable;
use super::stage::Stage;
use crate::time::Instant;
use crate::wake::{Wake, WakeReason};

impl<const PEERS: usize, const KEYS: usize, const PROBES: usize> WgMgr<PEERS, KEYS, PROBES> {
    pub(super) fn control(&mut self, now: Instant, control: Control<'_>) -> Outputs {
        let places = self.config.pins;
        let mut outputs = Outputs::none();
        match control {
            Control::Registered if self.stage == Stage::Starting => {
                self.leave(now);
                outputs.wake = Some(Wake::now(now));
            }
            Control::Restart if self.stage == Stage::Stopped => {
                self.restart();
                outputs.wake = Some(Wake::on_input(WakeReason::Registration));
            }
            Control::Registered | Control::Restart => {}
            Control::Shutdown => self.shutdown = true,
            Control::LocalEndpoint(endpoint) => self.endpoints.local = Some(endpoint),
            Control::PublicEndpoint(endpoint) => self.endpoints.public = Some(endpoint),
            Control::RelayConnected => {
                if !self.config.rules.relay_connect_cache.is_strict() {
                    self.cache.clear();
                }
            }
            Control::AllowList(addresses) => {
                let _dropped = self.allow.replace(addresses);
            }
            Control::AllowListBusy(busy) => self.allow.set_busy(busy),
            Control::SettingsMaxPeers(most) => self.config.settings_max_peers = most,
            Control::StoreWriteFailed => self.store.write_failed(self.config.rules.failed_flush),
            Control::TunnelSend { to, length } => outputs = self.tunnel_send(now, to, length),
            Control::Pin(address) => {
                let _pinned = self.special.pin(address, places);
            }
            Control::Unpin(address) => self.special.unpin(address),
            Control::PeerChanged { old, new, shared } => {
                let _pinned = self.special.pin(new, places);
                if !shared {
                    self.special.unpin(old);
                }
            }
            Control::Health { address, healthy } => self.special.hear(address, healthy, places),
            Control::LinkHealth(healthy) => self.special.hear_link(healthy),
            Control::PriorityPeer(address) => self.next_priority = address,
            Control::RelayUp(region) => self.relays.set_up(region, true),
            Control::RelayDown(region) => self.relays.set_up(region, false),
            Control::RelayHome(region) => self.relays.set_home(region),
            Control::RelayOverride(region) => {
                let before = self.relays.home();
                self.relays.set_override(region);
                if self.relays.home() != before {
                    outputs.push(Output::Rehome { region: self.relays.home() });
                }
            }
            Control::BootedAt(when) => self.booted = when,
        }
        outputs
    }

    /// The task is started again: pending pings are forgotten, another priority peer counts from
    /// now on. Pins, health, shared keys, the dedup ring and the broadcast's place survive.
    fn restart(&mut self) {
        self.shutdown = false;
        self.stage = Stage::Starting;
        self.probes = ProbeTable::new(self.config.probes);
        self.config.priority_peer = self.next_priority;
        if self.config.rules.broadcast_restart.is_strict() {
            self.broadcast = Broadcast::default();
        }
    }
}
