//! `config`: tunables that differ from the preset's. The names are those of the core's `Config`,
//! with the unit where there is one.
use std::net::Ipv4Addr;

use firmware_core::time::Duration;
use firmware_core::wg_mgr::config::{Config, Flush};
use firmware_core::wg_mgr::rules::Rules;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::config_words::{
    ActiveClearFile, CryptoFile, OpensExemptFile, PassOrderFile, RelayQueueingFile, RuleFile,
    TunnelFile,
};
use super::units::{Count, Limit, Millis, MillisOrEachSave, MillisOrOff};

/// A number that the core keeps in 16 bits.
type Short = Count<65_535>;

/// Tunables that differ from the preset's; what is left out stays as the preset has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Config", deny_unknown_fields, default)]
pub struct ConfigFile {
    /// Order of the steps of a pass: `tunnel_first` or `tunnel_last`.
    pub order: Option<PassOrderFile>,
    /// Whether tunnel packets are drained after each add and each unknown-key open (WG-Q2).
    pub interleave: Option<bool>,
    /// Sleep at the end of a pass; above 0.
    pub loop_delay_ms: Option<Millis>,
    /// Depth of the driver's tunnel queue (WG-Q1); above 0.
    pub tunnel_queue_depth: Option<Short>,
    /// Depth of the driver's DISCO queue; above 0.
    pub disco_queue_depth: Option<Short>,
    /// Slots of the DISCO queue kept for packets with the priority peer's key.
    pub disco_queue_priority_slots: Option<Short>,
    /// Depth of the driver's peer-update queue (CAP-4); above 0.
    pub update_queue_depth: Option<Short>,
    /// Peers added per pass (WG-ADD-1), or `unlimited`; 0 still adds one.
    pub adds_per_pass: Option<Limit>,
    /// Forced pings that adds may cause per rolling second (WG-RATE-1).
    pub add_pings_per_second: Option<Short>,
    /// Slots of the peer table (CAP-1): 1 to 256.
    pub peer_table: Option<Short>,
    /// The stored setting (CAP-1); 0 is no bound.
    pub settings_max_peers: Option<Count<255>>,
    /// What the application asks for (CAP-1).
    pub requested_max_peers: Option<Short>,
    /// Slots of the tunnel's own table (CAP-2): 1 to 256.
    pub tunnel_slots: Option<Short>,
    /// Whether an update for a peer that is already active keeps its path (WG-ADD-3).
    pub preserve_on_readd: Option<bool>,
    /// Least time between writes of the peer cache (WG-NVS-1), or `each_save`.
    pub flush_interval_ms: Option<MillisOrEachSave>,
    /// Entries of the peer cache (WG-NVS-2): 1 to 256.
    pub store_entries: Option<Short>,
    /// CallMeMaybe sends per pass of the broadcast (WG-CMM-1), or `unlimited`.
    pub call_me_maybe_sends_per_pass: Option<Limit>,
    /// A CallMeMaybe sooner than this after the last one of the same peer is dropped, or `off`.
    pub call_me_maybe_spacing_ms: Option<MillisOrOff>,
    /// Whether DISCO is on at all (WG-DISCO-2).
    pub disco_enabled: Option<bool>,
    /// Boxes opened per pass (WG-DISCO-1), or `unlimited`; 0 never reads the queue.
    pub opens_per_pass: Option<Limit>,
    /// Whose packets do not count against that budget: `priority_peer` or `known_keys`.
    pub opens_exempt: Option<OpensExemptFile>,
    /// Time after which a pass stops taking DISCO packets, or `off`.
    pub disco_time_per_pass_ms: Option<MillisOrOff>,
    /// Shared keys kept (WG-CACHE-1): 0 to 132; 0 computes each anew.
    pub key_cache_entries: Option<Short>,
    /// How boxes are computed: `real` or `modelled`. The verdicts are the same.
    pub crypto: Option<CryptoFile>,
    /// A ping sooner than this after the last answered one of the same peer stays unanswered, or
    /// `off`.
    pub pong_interval_ms: Option<MillisOrOff>,
    /// Period of the DISCO timers.
    pub disco_tick_ms: Option<Millis>,
    /// Interval of a bulk peer's heartbeat ping (WG-HB-1).
    pub heartbeat_interval_ms: Option<Millis>,
    /// Interval of the priority peer's heartbeat ping.
    pub priority_heartbeat_interval_ms: Option<Millis>,
    /// Bulk heartbeat pings per tick (WG-HB-1), or `unlimited`.
    pub heartbeats_per_tick: Option<Limit>,
    /// Whether bulk heartbeats carry a phase offset by slot (WG-HB-1).
    pub heartbeat_jitter: Option<bool>,
    /// Interval of the search for a direct path (WG-HB-2).
    pub upgrade_interval_ms: Option<Millis>,
    /// The same for the priority peer.
    pub priority_upgrade_interval_ms: Option<Millis>,
    /// Upgrade pings per tick (WG-HB-2).
    pub upgrades_per_tick: Option<Short>,
    /// How long a direct pong is trusted.
    pub trust_ms: Option<Millis>,
    /// Silence after which the priority peer's direct path is given up (WG-LEASE-2), or `off`.
    pub path_dead_after_ms: Option<MillisOrOff>,
    /// Least time between unforced pings of one peer (WG-PING-1).
    pub ping_interval_ms: Option<Millis>,
    /// A ping is skipped while a younger probe of the same peer is pending (WG-PING-1), or `off`.
    pub probe_dedup_ms: Option<MillisOrOff>,
    /// How long a pending probe lives (WG-PROBE-1).
    pub probe_lifetime_ms: Option<Millis>,
    /// Pending probes (WG-PROBE-1): 1 to 64.
    pub probes: Option<Short>,
    /// Data packets remembered to recognise the second copy (WG-DEDUP-1): 1 to 64.
    pub dedup_ring: Option<Short>,
    /// Where the tunnel's sessions are: `handed_on` or `sessions`, in the core.
    pub tunnel: Option<TunnelFile>,
    /// Least time between two looks at all sessions (WG-HS-2).
    pub tunnel_tick_ms: Option<Millis>,
    /// Age at which a session of ours is renewed when used (WG-HS-3).
    pub rekey_after_ms: Option<Millis>,
    /// Age at which a session ends (WG-HS-3).
    pub reject_after_ms: Option<Millis>,
    /// Least time between two initiations to one peer (WG-HS-2).
    pub rekey_timeout_ms: Option<Millis>,
    /// Silence of ours after which a session's peer gets a keepalive (WG-HS-3).
    pub keepalive_ms: Option<Millis>,
    /// Time without an answer after which initiations to a peer end, or `off` (WG-HS-2).
    pub initiation_give_up_ms: Option<MillisOrOff>,
    /// Inbound initiations answered per pass, or `unlimited` (WG-HS-4).
    pub initiations_per_pass: Option<Limit>,
    /// Counters below the highest that a session still accepts (WG-REPLAY-1): 1 to 32.
    pub replay_window: Option<Short>,
    /// Whether the counter 0 is accepted (WG-REPLAY-1).
    pub replay_accepts_zero: Option<bool>,
    /// Who keeps being marked active without a session (WG-HS-1): `never`, `except_priority`,
    /// `except_health` or `except_pinned`.
    pub active_clear: Option<ActiveClearFile>,
    /// Bulk peers whose direct path is given up per tick, or `unlimited` (WG-LEASE-1).
    pub demotions_per_tick: Option<Limit>,
    /// Whether a safety peer keeps its direct path when another one answers too (WG-PATH-1).
    pub sticky_path: Option<bool>,
    /// A safety peer's path that lasts less than this flaps, or `off` (WG-FLAP-1).
    pub flap_window_ms: Option<MillisOrOff>,
    /// Whether a new peer's first endpoint is used before anybody answered there (WG-ADD-2).
    pub netmap_endpoint_live: Option<bool>,
    /// Silence of ours after which a safety peer without a session is woken (WG-WAKE-1).
    pub wake_interval_ms: Option<Millis>,
    /// Least time between two initiations that pongs through the relay cause.
    pub relay_pong_interval_ms: Option<Millis>,
    /// Places for pins, and as many for the health registry (CAP-3): 0 to 16.
    pub pins: Option<Short>,
    /// The region that the device starts with (WG-REHOME-1); 0 is unknown.
    pub home_region: Option<Short>,
    /// Least time between two checks of the home region (WG-REHOME-1).
    pub rehome_interval_ms: Option<Millis>,
    /// Relays connected at once, home among them (WG-REHOME-1): 1 to 6.
    pub relay_connections: Option<Short>,
    /// How frames wait for the relay (WG-DERP-1): `shared` or `two`.
    pub relay_queueing: Option<RelayQueueingFile>,
    /// Depth of the relay's send queue (WG-DERP-1): 0 to 64.
    pub relay_queue_depth: Option<Short>,
    /// Depth of its queue for safety frames (WG-DERP-1): 0 to 64.
    pub relay_safety_depth: Option<Short>,
    /// The protective stop's peer, as `"100.64.0.1"`. A peer group with `priority: true` sets it;
    /// named here, it may be a peer that never appears.
    #[schemars(with = "Option<String>")]
    pub priority_peer: Option<Ipv4Addr>,
    /// The fleet server, pinned like the priority peer, as `"100.64.0.2"`.
    #[schemars(with = "Option<String>")]
    pub fleet_server: Option<Ipv4Addr>,
    /// Which listed defects are reproduced and which are corrected.
    pub rules: RulesFile,
}

macro_rules! rules {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// Switches that differ from the preset's; each is `compat` or `strict`.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename = "Rules", deny_unknown_fields, default)]
        pub struct RulesFile {
            $($(#[$doc])+ pub $name: Option<RuleFile>,)+
        }

        impl RulesFile {
            fn over(&self, preset: Rules) -> Rules {
                Rules { $($name: self.$name.map_or(preset.$name, RuleFile::rule),)+ }
            }

            fn of(rules: Rules, preset: Option<Rules>) -> Self {
                Self {
                    $($name: differs(
                        (rules.$name, preset.map(|preset| preset.$name)), RuleFile::of
                    ),)+
                }
            }
        }
    };
}

rules! {
    /// Senders with a key of low order (WG-DISCO-2).
    low_order_keys,
    /// Known keys without bound and drain (WG-DISCO-1).
    known_key_drain,
    /// Whoever names a peer's node key takes over its DISCO key (WG-RESCUE-1).
    rescue_claims,
    /// Keys that opened nothing enter the cache (WG-CACHE-1).
    cache_admission,
    /// Connecting to a relay empties the key cache (WG-CACHE-1).
    relay_connect_cache,
    /// A reused slot keeps its last owner's endpoints (WG-ADD-2).
    slot_reuse,
    /// A pinned newcomer evicts although slots are free (WG-ADD-2).
    pinned_free_slots,
    /// What the application asks for bounds nothing (CAP-1).
    requested_max_peers,
    /// A late pong is credited to whoever has the slot now (WG-REM-1).
    late_pongs,
    /// A flush that fails is forgotten (WG-NVS-1).
    failed_flush,
    /// The peer cache's use counter wraps (WG-NVS-2).
    store_clock_wrap,
    /// Cached peers that no netmap names hold their slots (WG-NVS-3).
    preloaded_peers,
    /// The broadcast happens once in the life of the device (WG-CMM-1).
    broadcast_restart,
    /// A CallMeMaybe is answered with one (WG-CMM-2).
    call_me_maybe_echo,
    /// The priority peer shares the upgrade cap (WG-HB-2).
    priority_upgrade,
    /// Pending probes are swept with the tick's start time (WG-PROBE-1).
    sweep_clock,
    /// Demotions of one tick follow each other without a drain (WG-LEASE-1).
    lease_demotions,
    /// Headers are remembered before they are authenticated (WG-DEDUP-1).
    dedup_admission,
    /// The rate limit on initiations subtracts the wrong way round (WG-HS-4).
    initiation_rate,
    /// A previous key pair never ages (WG-HS-1).
    previous_keypair,
    /// A removed peer keeps the number of its tunnel slot (WG-REM-1).
    stale_tunnel_index,
    /// Handshake timestamps count from switching on (WG-HS-4).
    uptime_timestamps,
    /// Relayed pongs feed the watchdog of a direct path (WG-LEASE-2).
    masked_path,
    /// A wake whose ping is skipped comes again each tick (WG-WAKE-1).
    wake_retries,
    /// DISCO frames to a safety peer share its relay queue (WG-DERP-1).
    relay_safety_queue,
}

/// A file of the tunables that differ from the preset's, each written as its file type has it.
macro_rules! written {
    ($config:ident, $preset:ident, { $($file:ident = $field:ident: $write:expr,)+ }) => {
        ConfigFile {
            $($file: differs(($config.$field, $preset.map(|preset| preset.$field)), $write),)+
            priority_peer: $config.priority_peer,
            fleet_server: $config.fleet_server,
            rules: RulesFile::of($config.rules, $preset.map(|preset| preset.rules)),
        }
    };
}

impl ConfigFile {
    /// The preset's configuration with these tunables replaced. Each half fills the other's fields
    /// with the preset's; a test finds a tunable of the core that no field sets.
    pub fn over(&self, preset: &Config) -> Config {
        let flush = |each: MillisOrEachSave| each.0.map_or(Flush::EachSave, Flush::Every);
        Config {
            order: self.order.map_or(preset.order, PassOrderFile::order),
            interleave: self.interleave.unwrap_or(preset.interleave),
            loop_delay: span(self.loop_delay_ms, preset.loop_delay),
            tunnel_queue_depth: short(self.tunnel_queue_depth, preset.tunnel_queue_depth),
            disco_queue_depth: short(self.disco_queue_depth, preset.disco_queue_depth),
            disco_queue_priority_slots: short(
                self.disco_queue_priority_slots,
                preset.disco_queue_priority_slots,
            ),
            update_queue_depth: short(self.update_queue_depth, preset.update_queue_depth),
            adds_per_pass: limit(self.adds_per_pass, preset.adds_per_pass),
            add_pings_per_second: short(self.add_pings_per_second, preset.add_pings_per_second),
            peer_table: short(self.peer_table, preset.peer_table),
            settings_max_peers: self
                .settings_max_peers
                .map_or(preset.settings_max_peers, Count::to_u8),
            requested_max_peers: short(self.requested_max_peers, preset.requested_max_peers),
            tunnel_slots: short(self.tunnel_slots, preset.tunnel_slots),
            preserve_on_readd: self.preserve_on_readd.unwrap_or(preset.preserve_on_readd),
            flush: self.flush_interval_ms.map_or(preset.flush, flush),
            store_entries: short(self.store_entries, preset.store_entries),
            call_me_maybe_sends_per_pass: limit(
                self.call_me_maybe_sends_per_pass,
                preset.call_me_maybe_sends_per_pass,
            ),
            call_me_maybe_spacing: off(self.call_me_maybe_spacing_ms, preset.call_me_maybe_spacing),
            disco_enabled: self.disco_enabled.unwrap_or(preset.disco_enabled),
            opens_per_pass: limit(self.opens_per_pass, preset.opens_per_pass),
            opens_exempt: self.opens_exempt.map_or(preset.opens_exempt, OpensExemptFile::exempt),
            disco_time_per_pass: off(self.disco_time_per_pass_ms, preset.disco_time_per_pass),
            key_cache_entries: short(self.key_cache_entries, preset.key_cache_entries),
            crypto: self.crypto.map_or(preset.crypto, CryptoFile::crypto),
            pong_interval: off(self.pong_interval_ms, preset.pong_interval),
            disco_tick: span(self.disco_tick_ms, preset.disco_tick),
            heartbeat_interval: span(self.heartbeat_interval_ms, preset.heartbeat_interval),
            priority_heartbeat_interval: span(
                self.priority_heartbeat_interval_ms,
                preset.priority_heartbeat_interval,
            ),
            heartbeats_per_tick: limit(self.heartbeats_per_tick, preset.heartbeats_per_tick),
            heartbeat_jitter: self.heartbeat_jitter.unwrap_or(preset.heartbeat_jitter),
            upgrade_interval: span(self.upgrade_interval_ms, preset.upgrade_interval),
            priority_upgrade_interval: span(
                self.priority_upgrade_interval_ms,
                preset.priority_upgrade_interval,
            ),
            upgrades_per_tick: short(self.upgrades_per_tick, preset.upgrades_per_tick),
            trust: span(self.trust_ms, preset.trust),
            path_dead_after: off(self.path_dead_after_ms, preset.path_dead_after),
            ping_interval: span(self.ping_interval_ms, preset.ping_interval),
            probe_dedup: off(self.probe_dedup_ms, preset.probe_dedup),
            probe_lifetime: span(self.probe_lifetime_ms, preset.probe_lifetime),
            probes: short(self.probes, preset.probes),
            dedup_ring: short(self.dedup_ring, preset.dedup_ring),
            priority_peer: self.priority_peer.or(preset.priority_peer),
            fleet_server: self.fleet_server.or(preset.fleet_server),
            rules: self.rules.over(preset.rules),
            ..self.sessions_over(preset)
        }
    }

    /// The same for the tunables of sessions, paths and relays.
    fn sessions_over(&self, preset: &Config) -> Config {
        Config {
            tunnel: self.tunnel.map_or(preset.tunnel, TunnelFile::tunnel),
            tunnel_tick: span(self.tunnel_tick_ms, preset.tunnel_tick),
            rekey_after: span(self.rekey_after_ms, preset.rekey_after),
            reject_after: span(self.reject_after_ms, preset.reject_after),
            rekey_timeout: span(self.rekey_timeout_ms, preset.rekey_timeout),
            keepalive: span(self.keepalive_ms, preset.keepalive),
            initiation_give_up: off(self.initiation_give_up_ms, preset.initiation_give_up),
            initiations_per_pass: limit(self.initiations_per_pass, preset.initiations_per_pass),
            replay_window: short(self.replay_window, preset.replay_window),
            replay_accepts_zero: self.replay_accepts_zero.unwrap_or(preset.replay_accepts_zero),
            active_clear: self.active_clear.map_or(preset.active_clear, ActiveClearFile::clear),
            demotions_per_tick: limit(self.demotions_per_tick, preset.demotions_per_tick),
            sticky_path: self.sticky_path.unwrap_or(preset.sticky_path),
            flap_window: off(self.flap_window_ms, preset.flap_window),
            netmap_endpoint_live: self.netmap_endpoint_live.unwrap_or(preset.netmap_endpoint_live),
            wake_interval: span(self.wake_interval_ms, preset.wake_interval),
            relay_pong_interval: span(self.relay_pong_interval_ms, preset.relay_pong_interval),
            pins: short(self.pins, preset.pins),
            home_region: short(self.home_region, preset.home_region),
            rehome_interval: span(self.rehome_interval_ms, preset.rehome_interval),
            relay_connections: short(self.relay_connections, preset.relay_connections),
            relay_queueing: self
                .relay_queueing
                .map_or(preset.relay_queueing, RelayQueueingFile::queueing),
            relay_queue_depth: short(self.relay_queue_depth, preset.relay_queue_depth),
            relay_safety_depth: short(self.relay_safety_depth, preset.relay_safety_depth),
            ..preset.clone()
        }
    }

    /// What has to be written to make `config` of `preset`; without one, every tunable. Exhaustive
    /// on purpose, as [`Self::over`].
    #[expect(clippy::too_many_lines, reason = "one line a tunable")]
    pub fn of(config: &Config, preset: Option<&Config>) -> Self {
        let whole = |number: u16| Short::new(number.into());
        let byte = |number: u8| Count::new(number.into());
        let same = |switch: bool| switch;
        let flush = |flush: Flush| match flush {
            Flush::EachSave => MillisOrEachSave(None),
            Flush::Every(interval) => MillisOrEachSave(Some(interval)),
        };
        written!(config, preset, {
            order = order: PassOrderFile::of,
            interleave = interleave: same,
            loop_delay_ms = loop_delay: Millis,
            tunnel_queue_depth = tunnel_queue_depth: whole,
            disco_queue_depth = disco_queue_depth: whole,
            disco_queue_priority_slots = disco_queue_priority_slots: whole,
            update_queue_depth = update_queue_depth: whole,
            adds_per_pass = adds_per_pass: Limit,
            add_pings_per_second = add_pings_per_second: whole,
            peer_table = peer_table: whole,
            settings_max_peers = settings_max_peers: byte,
            requested_max_peers = requested_max_peers: whole,
            tunnel_slots = tunnel_slots: whole,
            preserve_on_readd = preserve_on_readd: same,
            flush_interval_ms = flush: flush,
            store_entries = store_entries: whole,
            call_me_maybe_sends_per_pass = call_me_maybe_sends_per_pass: Limit,
            call_me_maybe_spacing_ms = call_me_maybe_spacing: MillisOrOff,
            disco_enabled = disco_enabled: same,
            opens_per_pass = opens_per_pass: Limit,
            opens_exempt = opens_exempt: OpensExemptFile::of,
            disco_time_per_pass_ms = disco_time_per_pass: MillisOrOff,
            key_cache_entries = key_cache_entries: whole,
            crypto = crypto: CryptoFile::of,
            pong_interval_ms = pong_interval: MillisOrOff,
            disco_tick_ms = disco_tick: Millis,
            heartbeat_interval_ms = heartbeat_interval: Millis,
            priority_heartbeat_interval_ms = priority_heartbeat_interval: Millis,
            heartbeats_per_tick = heartbeats_per_tick: Limit,
            heartbeat_jitter = heartbeat_jitter: same,
            upgrade_interval_ms = upgrade_interval: Millis,
            priority_upgrade_interval_ms = priority_upgrade_interval: Millis,
            upgrades_per_tick = upgrades_per_tick: whole,
            trust_ms = trust: Millis,
            path_dead_after_ms = path_dead_after: MillisOrOff,
            ping_interval_ms = ping_interval: Millis,
            probe_dedup_ms = probe_dedup: MillisOrOff,
            probe_lifetime_ms = probe_lifetime: Millis,
            probes = probes: whole,
            dedup_ring = dedup_ring: whole,
            tunnel = tunnel: TunnelFile::of,
            tunnel_tick_ms = tunnel_tick: Millis,
            rekey_after_ms = rekey_after: Millis,
            reject_after_ms = reject_after: Millis,
            rekey_timeout_ms = rekey_timeout: Millis,
            keepalive_ms = keepalive: Millis,
            initiation_give_up_ms = initiation_give_up: MillisOrOff,
            initiations_per_pass = initiations_per_pass: Limit,
            replay_window = replay_window: whole,
            replay_accepts_zero = replay_accepts_zero: same,
            active_clear = active_clear: ActiveClearFile::of,
            demotions_per_tick = demotions_per_tick: Limit,
            sticky_path = sticky_path: same,
            flap_window_ms = flap_window: MillisOrOff,
            netmap_endpoint_live = netmap_endpoint_live: same,
            wake_interval_ms = wake_interval: Millis,
            relay_pong_interval_ms = relay_pong_interval: Millis,
            pins = pins: whole,
            home_region = home_region: whole,
            rehome_interval_ms = rehome_interval: Millis,
            relay_connections = relay_connections: whole,
            relay_queueing = relay_queueing: RelayQueueingFile::of,
            relay_queue_depth = relay_queue_depth: whole,
            relay_safety_depth = relay_safety_depth: whole,
        })
    }
}

/// What the file says of a tunable that is not the preset's.
fn differs<T: PartialEq, F>(
    (value, preset): (T, Option<T>),
    file: impl FnOnce(T) -> F,
) -> Option<F> {
    (Some(&value) != preset.as_ref()).then(|| file(value))
}

fn span(file: Option<Millis>, preset: Duration) -> Duration {
    file.map_or(preset, |millis| millis.0)
}

fn off(file: Option<MillisOrOff>, preset: Option<Duration>) -> Option<Duration> {
    file.map_or(preset, |millis| millis.0)
}

fn short(file: Option<Short>, preset: u16) -> u16 {
    file.map_or(preset, Count::to_u16)
}

fn limit(file: Option<Limit>, preset: Option<u16>) -> Option<u16> {
    file.map_or(preset, |limit| limit.0)
}
