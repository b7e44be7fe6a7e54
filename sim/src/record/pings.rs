//! Which of the device's pings is which: a pong names its ping by number, because the replayed core
//! draws other transaction ids.
use std::collections::{BTreeMap, VecDeque};

use firmware_core::time::Instant;
use firmware_core::wg_mgr::output::{MessageKind, Note, Output, Outputs};
use firmware_core::wg_mgr::probes::ProbeTable;
use firmware_core::wg_mgr::wire::TransactionId;

/// Pings remembered. A core has no more than 64 pending and recognises eight matched ones; a pong to
/// an older ping is one to no ping, for the core as well.
const REMEMBERED: usize = 4_096;

/// The tracked pings that a core has sent.
#[derive(Clone, Debug, Default)]
pub struct Pings {
    next: u64,
    recent: VecDeque<TransactionId>,
    numbers: BTreeMap<TransactionId, u64>,
}

impl Pings {
    /// Takes note of the ping that a step sent, if it sent one and found a place for it.
    pub fn sent<const PROBES: usize>(
        &mut self,
        now: Instant,
        outputs: &Outputs,
        probes: &ProbeTable<PROBES>,
    ) {
        let is_untracked = |output: &Output| matches!(output, Output::Note(Note::PingUntracked(_)));
        for output in &outputs.list {
            if let Output::Send(send) = output
                && send.kind == MessageKind::Ping
                && !outputs.list.iter().any(is_untracked)
            {
                let mut new = probes.pending().filter(|probe| {
                    probe.sent == now
                        && probe.peer == send.peer
                        && !self.numbers.contains_key(&probe.transaction)
                });
                if let Some(transaction) = new.next().map(|probe| probe.transaction) {
                    self.remember(transaction);
                }
            }
        }
    }

    fn remember(&mut self, transaction: TransactionId) {
        if self.recent.len() == REMEMBERED
            && let Some(oldest) = self.recent.pop_front()
        {
            self.numbers.remove(&oldest);
        }
        self.recent.push_back(transaction);
        self.numbers.insert(transaction, self.next);
        self.next += 1;
    }

    /// The number of the ping with this id.
    pub fn number(&self, transaction: TransactionId) -> Option<u64> {
        self.numbers.get(&transaction).copied()
    }

    /// The id of the ping with this number.
    pub fn transaction(&self, number: u64) -> Option<TransactionId> {
        let back = usize::try_from(self.next.checked_sub(number)?).ok()?;
        self.recent.get(self.recent.len().checked_sub(back)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ids_lead_to_each_other_while_they_are_remembered() {
        let id = |number: u64| {
            let mut bytes = [7; 12];
            bytes[..8].copy_from_slice(&number.to_le_bytes());
            TransactionId(bytes)
        };
        let mut pings = Pings::default();
        let all = REMEMBERED as u64 + 10;
        (0..all).for_each(|number| pings.remember(id(number)));
        for number in 0..all {
            let kept = number >= 10;
            assert_eq!(pings.number(id(number)), kept.then_some(number));
            assert_eq!(pings.transaction(number), kept.then(|| id(number)));
        }
        assert_eq!(pings.transaction(all), None);
    }
}
