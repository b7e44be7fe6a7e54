//! The manager's behaviour, driven with chosen costs and arrivals.
mod any_bytes;
mod call_me_maybe;
mod disco;
mod driver;
mod order;
mod peers;
mod presets;
mod probes;
mod store;
mod timers;
mod tunnel;
