//! Every kind of record, once: its number and name in the file, its fields, and what they mean.
//!
//! ```text
//!    1..  world.rs    gaps, marks; packets as they arrive, updates as they are told
//!   30..  manager.rs  what the manager was stepped with
//!   60..              what it asked for, in its order
//!  100..  client.rs   the READ client: inputs, then outputs
//!  130..  foreign.rs  log lines, frames, spans, counters: what imports make
//! ```
//!
//! Each part adds its kinds to the list and hands it on; at the end stands the whole list, of which
//! the enum, the codec, the text form, the redaction and the schema that every file carries are made. A number once given keeps its meaning; a kind may gain fields only under a new
//! number.
mod client;
mod foreign;
mod manager;
mod world;

use std::net::{Ipv4Addr, SocketAddrV4};

use firmware_core::charge::CostKey;
use firmware_core::m3_read::input::Request;
use firmware_core::m3_read::output::Done;
use firmware_core::m3_read::registers::Register;
use firmware_core::time::{Duration, Instant};
use firmware_core::wake::WakeReason;
use firmware_core::wg_mgr::derp::RelayQueue;
use firmware_core::wg_mgr::keys::{DiscoKey, NodeKey};
use firmware_core::wg_mgr::output::{InitiationReason, MessageKind, PathLoss, Queue, Refusal};
use firmware_core::wg_mgr::peers::PeerIndex;
use firmware_core::wg_mgr::wire::{Endpoints, PacketClass};

use self::client::client;
use self::foreign::foreign;
use self::manager::manager;
use self::world::world;
use super::choice::{Direction, DropPlace, GapReason, LogLevel, ReadKind, Standing, TunnelKind};
use super::field::{Broken, Cursor, Field, Octets, show};
use super::parts::events;
pub use super::parts::{Arrival, AsRon, Patch, Peer};
use super::redact::Redactor;
use crate::trace::import::{Class, FlowEnd, Mark, Route, Sender};

world! { manager, client, foreign, events {} }

impl Event {
    /// Whether a core was stepped with it.
    pub const fn is_input(&self) -> bool {
        matches!(self.number(), 30..=59 | 100..=103)
    }

    /// Whether it is something that a core's step gave.
    pub const fn is_output(&self) -> bool {
        matches!(self.number(), 60..=94 | 110..=116)
    }

    /// One line: its name and fields.
    pub fn line(&self) -> String {
        let mut out = self.name().to_owned();
        self.show(&mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_kinds_share_a_number_or_a_name() {
        let schema = Event::schema();
        let numbers: BTreeSet<_> = schema.lines().map(|it| it.split(' ').next()).collect();
        let names: BTreeSet<_> = schema.lines().map(|it| it.split(' ').nth(1)).collect();
        assert_eq!(numbers.len(), schema.lines().count());
        assert_eq!(names.len(), schema.lines().count());
    }

    #[test]
    fn an_unknown_kind_is_no_error_and_a_known_one_must_fit_exactly() {
        assert_eq!(Event::take(9_999, &[1, 2, 3]), Ok(None));
        assert_eq!(Event::take(101, &[7]), Ok(Some(Event::M3Byte { value: 7 })));
        assert_eq!(Event::take(101, &[]), Err(Broken::Short("uint")));
        assert_eq!(Event::take(101, &[7, 7]), Err(Broken::Left(1)));
        let width = Event::take(101, &[0x80, 2]);
        assert!(matches!(width, Err(Broken::Value { .. })), "{width:?}");
    }
}
