//! What of the firmware's configuration a pass's length depends on.
use firmware_core::time::Duration;
use firmware_core::wg_mgr::config::{Config, Flush, OpensExempt, PassOrder};

use super::data::{Order, Pass};

impl Pass {
    /// What a configuration says of it.
    pub fn of(config: &Config) -> Self {
        let rules = &config.rules;
        let limit = |limit: Option<u16>| limit.map(u64::from);
        Self {
            order: match config.order {
                PassOrder::TunnelFirst => Order::TunnelFirst,
                PassOrder::TunnelLast => Order::TunnelLast,
            },
            interleave: config.interleave,
            loop_delay_ns: config.loop_delay.as_nanos(),
            tunnel_depth: config.tunnel_queue_depth.into(),
            disco_depth: config.disco_queue_depth.into(),
            adds: limit(config.adds_per_pass),
            broadcast_sends: limit(config.call_me_maybe_sends_per_pass),
            opens: limit(config.opens_per_pass),
            known_keys_exempt: config.opens_exempt == OpensExempt::KnownKeys,
            known_keys_drained: rules.known_key_drain.is_strict(),
            disco_time_ns: config.disco_time_per_pass.map(Duration::as_nanos),
            write_each_save: config.flush == Flush::EachSave,
            disco_enabled: config.disco_enabled,
            upgrades: config.upgrades_per_tick.into(),
            heartbeats: limit(config.heartbeats_per_tick),
            cached_keys: config.key_cache_entries.into(),
            cache_takes_any: !rules.cache_admission.is_strict(),
            echo: !rules.call_me_maybe_echo.is_strict(),
            sessions: config.has_sessions(),
            demotions: limit(config.demotions_per_tick),
        }
    }
}
