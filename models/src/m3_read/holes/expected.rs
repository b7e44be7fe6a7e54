//! How a reply must end, read from the clauses without any state machine: block by block, what the
//! client can see of it, and the first rule it breaks.
use super::grammar::{Arrival, Sent};
use firmware_core::m3_read::config::{Blocks, Config, RESPONSE_RAM};
use firmware_core::m3_read::copy::{DRAIN_MAX, Hole};
use firmware_core::m3_read::output::{Missing, PollOutcome};

/// What must come of a reply.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expected {
    /// How the READ ends.
    pub outcome: PollOutcome,
    /// What the consumer sees, whatever the end.
    pub ring: Vec<u8>,
    /// How many accepts are written on a block that another follows.
    pub accepts_on_more: usize,
    /// How many aborts are written.
    pub aborts: usize,
    /// Whether the session is ours to close afterwards.
    pub owned: bool,
}

/// What the client can read of a block.
struct Seen {
    payload: Vec<u8>,
    more: bool,
    endless: bool,
}

/// What must come of a reply that announces `total` bytes and is sent as these blocks.
pub fn expected(config: &Config, total: u16, sent: &[Sent]) -> Expected {
    let mut end = Expected {
        outcome: PollOutcome::Data(total),
        ring: Vec::new(),
        accepts_on_more: 0,
        aborts: 0,
        owned: true,
    };
    let over = total > config.request_max;
    let owed = usize::from(total.min(config.request_max));

    let Some(first) = sent.first().filter(|block| block.arrival != Arrival::Missing) else {
        end.outcome = PollOutcome::TimedOut(Missing::FirstBlock);
        end.aborts = 1;
        return end;
    };
    let first = seen(first, 2);
    let left = take(&mut end.ring, &first, owed);
    let full = end.ring.len() == usize::from(config.first_block_bytes);
    let more = first.more && !first.endless;

    if owed > end.ring.len() && more && full && !over && config.blocks == Blocks::Two {
        end.accepts_on_more = 1;
        continuation(&mut end, owed, sent.get(1));
        return end;
    }
    let hole = if over {
        Some(Hole::HeaderOverRequest)
    } else if end.ring.len() == owed {
        surplus(left, &first)
    } else if !more {
        Some(Hole::ShortBlock)
    } else if full {
        Some(Hole::MoreNotTaken)
    } else {
        Some(Hole::MoreAfterShortBlock)
    };
    judge(&mut end, hole, &first);
    end
}

fn continuation(end: &mut Expected, owed: usize, sent: Option<&Sent>) {
    // Behind the last block there is, a firmware sends an empty last one that says so.
    let none = Sent { data: Vec::new(), more: false, arrival: Arrival::OnTime, reset_after: None };
    let sent = sent.unwrap_or(&none);
    if sent.arrival == Arrival::Missing || sent.reset_after == Some(0) {
        end.outcome = PollOutcome::TimedOut(Missing::Continuation);
        end.aborts = 1;
        return;
    }
    let second = seen(sent, 0);
    let before = end.ring.len();
    let left = take(&mut end.ring, &second, owed - before);
    let hole = if end.ring.len() == owed {
        surplus(left, &second)
    } else if second.more {
        Some(Hole::SecondMore)
    } else {
        Some(Hole::ShortContinuation)
    };
    judge(end, hole, &second);
}

/// What a block that gave all that was owed breaks.
fn surplus(left: usize, block: &Seen) -> Option<Hole> {
    if block.endless {
        Some(Hole::BlockNeverEnds)
    } else if left > 0 {
        Some(Hole::BytesPastHeader)
    } else if block.more {
        Some(Hole::UnowedMore)
    } else {
        None
    }
}

/// A hole ends the connection; and whatever is announced or left behind it is aborted.
fn judge(end: &mut Expected, hole: Option<Hole>, block: &Seen) {
    if let Some(hole) = hole {
        end.outcome = PollOutcome::Hole(hole);
        end.aborts = usize::from(block.more || block.endless);
    }
}

fn seen(sent: &Sent, header: usize) -> Seen {
    let mut payload = sent.data[header..].to_vec();
    if let Some(read) = sent.reset_after {
        payload.truncate(usize::from(read) - header);
    }
    let reset = sent.reset_after.is_some();
    let endless = !reset && sent.data.len() == usize::from(RESPONSE_RAM);
    if endless {
        // The pointer stays on the last byte, which is read again and again.
        let last = payload.last().copied().unwrap_or(0);
        payload.resize(payload.len() + usize::from(DRAIN_MAX) + 1_472, last);
    }
    Seen { payload, more: sent.more && !reset, endless }
}

/// Copies up to `owed` bytes and says how many are left.
fn take(ring: &mut Vec<u8>, block: &Seen, owed: usize) -> usize {
    let taken = block.payload.len().min(owed);
    ring.extend(&block.payload[..taken]);
    block.payload.len() - taken
}
