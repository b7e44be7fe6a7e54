//! Recording a run: what reaches the device, what the core is stepped with, what it gives.
//!
//! ```text
//!   World ─┬─ a packet arrives, an update is told ──► arrive.…, told.…, drop
//!          └─ step(now, input) ─► outputs ──────────► in.…, out.…, note.…  ──► Writer ─► .pft
//! ```
//!
//! What is recorded changes nothing of the run: its digest is the same with and without.
pub mod digest;
pub mod dump;
pub mod head;
pub mod letter;
mod log;
pub mod pings;
pub mod read;
pub mod step;
pub mod tunnel;

use std::io::Write;

use firmware_core::time::Instant;
use firmware_core::wg_mgr::config::Crypto;
use firmware_core::wg_mgr::input::{Control, PeerUpdate};
use firmware_core::wg_mgr::output::Outputs;
use firmware_core::wg_mgr::wire::PacketClass;

use self::letter::Opener;
use self::log::Log;
use self::pings::Pings;
use self::tunnel::Inspector;
use crate::node::wg_mgr::Core;
use crate::pft::choice::DropPlace;
use crate::pft::event::Arrival;
use crate::pft::{Event, Redactor, WriteError};
use crate::scenario::Scenario;

/// Where a trace is written to.
pub type Sink<'w> = Box<dyn Write + 'w>;

/// What was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Records in the trace.
    pub records: u64,
    /// Steps of the core.
    pub steps: u64,
    /// The digest of the core's steps, which a replay gives again.
    pub digest: u128,
}

/// A recording of the manager in progress.
pub struct Recording<'w> {
    log: Log<'w>,
    pings: Pings,
    opener: Opener,
    inspector: Inspector,
    crypto: Crypto,
}

impl<'w> Recording<'w> {
    /// Begins to record a run of this scenario.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn begin(
        scenario: &Scenario,
        core: &Core,
        out: Sink<'w>,
        mut redactor: Redactor,
    ) -> Result<Self, WriteError> {
        let head = head::of(scenario, core.config(), &mut redactor);
        let mut log = Log::begin(out, &head, redactor)?;
        for record in core.store().records() {
            log.put(Instant::ZERO, &Event::Preload { peer: step::peer(&record) });
        }
        Ok(Self {
            log,
            pings: Pings::default(),
            opener: Opener::default(),
            inspector: Inspector::default(),
            crypto: core.config().crypto,
        })
    }

    /// A packet reaches the device.
    pub fn arrived(
        &mut self,
        at: Instant,
        (arrival, class): (Arrival, PacketClass),
        bytes: &[u8],
        core: &Core,
    ) {
        let keeps_sessions = class == PacketClass::Tunnel && core.config().has_sessions();
        let inspected = keeps_sessions.then(|| self.inspector.record(&arrival, bytes, core));
        let event = inspected.flatten().unwrap_or_else(|| {
            let device = (self.crypto, core.identity());
            self.opener.record((arrival, class), bytes, device, &self.pings)
        });
        self.log.put(at, &event);
    }

    /// The core is about to take a packet.
    pub fn taken(&mut self, at: Instant, packet: u64, bytes: &[u8], core: &Core) {
        if core.config().has_sessions() && tunnel::is_forged(bytes, core) {
            self.log.put(at, &Event::DataForged { packet });
        }
    }

    /// A packet that has arrived is lost.
    pub fn dropped(&mut self, at: Instant, packet: u64, place: DropPlace) {
        self.log.put(at, &Event::Drop { packet, place });
    }

    /// The control plane tells of something.
    pub fn told(&mut self, at: Instant, update: &PeerUpdate) {
        self.log.put(at, &step::told(update));
    }

    /// Another task said something, and the core took it.
    pub fn controlled(
        &mut self,
        at: Instant,
        control: &Control<'_>,
        outputs: &Outputs,
        core: &Core,
    ) {
        self.stepped(at, &step::control(control), outputs, core);
    }

    /// The core was stepped.
    pub fn stepped(&mut self, at: Instant, input: &Event, outputs: &Outputs, core: &Core) {
        self.pings.sent(at, outputs, core.probes());
        self.log.step(at, input, &step::outputs(outputs));
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// The first thing that could not be written.
    pub fn finish(self) -> Result<Recorded, WriteError> {
        self.log.finish()
    }
}
