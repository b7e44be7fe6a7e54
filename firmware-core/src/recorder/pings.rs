//! The tracked pings of a device by number, as far back as a pong to them can matter.
use crate::time::Instant;
use crate::wg_mgr::output::{MessageKind, Note, Output, Outputs};
use crate::wg_mgr::probes::ProbeTable;
use crate::wg_mgr::wire::TransactionId;

/// Pings remembered: at most 64 are pending, and eight matched ones are still recognised; the rest
/// is for those that were swept in between.
const REMEMBERED: usize = 128;

/// The last tracked pings: of each, the beginning of its transaction id.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pings {
    ids: [u32; REMEMBERED],
    next: u32,
}

impl Pings {
    pub(super) const fn new() -> Self {
        Self { ids: [0; REMEMBERED], next: 0 }
    }

    /// Takes note of the ping that a step sent, if it sent one and found a place for it.
    pub(super) fn sent<const PROBES: usize>(
        &mut self,
        now: Instant,
        outputs: &Outputs,
        probes: &ProbeTable<PROBES>,
    ) {
        let untracked =
            outputs.list.iter().any(|it| matches!(it, Output::Note(Note::PingUntracked(_))));
        for output in &outputs.list {
            if let Output::Send(send) = output
                && send.kind == MessageKind::Ping
                && !untracked
            {
                let new = probes.pending().find(|probe| {
                    probe.sent == now
                        && probe.peer == send.peer
                        && self.number(probe.transaction).is_none()
                });
                if let Some(probe) = new {
                    self.ids[self.next as usize % REMEMBERED] = beginning(probe.transaction);
                    self.next = self.next.wrapping_add(1);
                }
            }
        }
    }

    /// The number of the ping with this id, counted from 0; the newest where two begin alike.
    pub(super) fn number(&self, transaction: TransactionId) -> Option<u32> {
        let wanted = beginning(transaction);
        let known = (self.next as usize).min(REMEMBERED);
        (1..=known)
            .map(|back| self.next - u32::try_from(back).unwrap_or(0))
            .find(|number| self.ids[*number as usize % REMEMBERED] == wanted)
    }
}

fn beginning(transaction: TransactionId) -> u32 {
    let [a, b, c, d, ..] = transaction.0;
    u32::from_le_bytes([a, b, c, d])
}
