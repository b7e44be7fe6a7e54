//! 32 bits over what a step gave: all that a device keeps of it besides the charge.
//!
//! It covers everything but keys, addresses and ciphertext, so that a replay under pseudonyms gives
//! the same. The numbers here are the recorder's own: they are part of its dumps and stay.
use crate::wake::{Wake, WakeReason};
use crate::wg_mgr::derp::RelayQueue;
use crate::wg_mgr::output::{
    InitiationReason, MessageKind, Note, Output, Outputs, PathLoss, Queue, Send, Transmit,
    TunnelMessage,
};
use crate::wg_mgr::wire::TunnelPacket;

/// FNV-1a.
struct Sum(u32);

impl Sum {
    fn word(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }
}

/// The fingerprint of a step's outputs.
pub fn fingerprint(outputs: &Outputs) -> u32 {
    let mut sum = Sum(0x811c_9dc5);
    sum.word(outputs.charge.map_or(0, |key| 1 + key as u64));
    for output in &outputs.list {
        match output {
            Output::Receive(queue) => {
                sum.word(1);
                sum.word(match queue {
                    Queue::Tunnel => 0,
                    Queue::Disco => 1,
                    Queue::Updates => 2,
                });
            }
            Output::Send(send) => sent(&mut sum, send),
            Output::ToTunnel(packet) => to_tunnel(&mut sum, *packet),
            Output::WriteStore { bytes } => {
                sum.word(4);
                sum.word((*bytes).into());
            }
            Output::Note(note) => noted(&mut sum, *note),
            Output::Transmit(transmit) => transmitted(&mut sum, transmit),
            Output::Deliver { peer, length, .. } => {
                sum.word(7);
                sum.word(u64::from(peer.0) << 16 | u64::from(*length));
            }
            Output::Rehome { region } => {
                sum.word(8);
                sum.word((*region).into());
            }
        }
    }
    if let Some(Wake { at, why }) = outputs.wake {
        sum.word(at.as_nanos());
        sum.word(match why {
            WakeReason::Continue => 0,
            WakeReason::PassDelay => 1,
            WakeReason::OpensSpent => 2,
            WakeReason::AddsSpent => 3,
            WakeReason::Registration => 4,
            WakeReason::Stopped => 5,
        });
    }
    sum.0
}

fn sent(sum: &mut Sum, send: &Send) {
    sum.word(2);
    sum.word(match send.kind {
        MessageKind::Ping => 0,
        MessageKind::Pong => 1,
        MessageKind::CallMeMaybe => 2,
    });
    sum.word(send.peer.0.into());
    sum.word(send.direct.len() as u64 * 2 + u64::from(send.relay));
    // Of the queue that goes without saying nothing is said: dumps of older firmware stay valid.
    if send.queue == RelayQueue::Safety {
        sum.word(9);
    }
}

/// Indices are left out: a replay draws its own.
fn transmitted(sum: &mut Sum, transmit: &Transmit) {
    sum.word(6);
    sum.word(match transmit.message {
        TunnelMessage::Initiation(_) => 0,
        TunnelMessage::Response(_) => 1,
        TunnelMessage::Keepalive(_) => 2,
        TunnelMessage::Data(_) => 3,
    });
    let way = u64::from(transmit.direct.is_some()) * 2 + u64::from(transmit.relay);
    let queue = u64::from(transmit.queue == RelayQueue::Safety);
    sum.word(u64::from(transmit.peer.0) << 8 | way << 1 | queue);
}

fn to_tunnel(sum: &mut Sum, packet: TunnelPacket) {
    sum.word(3);
    match packet {
        TunnelPacket::Initiation => sum.word(0),
        TunnelPacket::Response => sum.word(1),
        TunnelPacket::Cookie => sum.word(2),
        TunnelPacket::Data { receiver, counter } => {
            sum.word(3 | u64::from(receiver) << 8);
            sum.word(counter);
        }
        TunnelPacket::Malformed => sum.word(4),
    }
}

fn noted(sum: &mut Sum, note: Note) {
    let [variant, first, second] = match note {
        Note::Opened { known, genuine } => [1, known.into(), genuine.into()],
        // Added to, never renumbered: the order of declaration is the order of these numbers.
        Note::Refused(refusal) => [2, refusal as u64, 0],
        Note::Rescued(peer) => [3, peer.0.into(), 0],
        Note::Matched { peer, round_trip, direct } => {
            [4, u64::from(peer.0) * 2 + u64::from(direct), round_trip.as_nanos()]
        }
        Note::PathUp(peer) => [5, peer.0.into(), 0],
        Note::PathDown { peer, why } => {
            let why = match why {
                PathLoss::TrustExpired => 0,
                PathLoss::Silent => 1,
            };
            [6, peer.0.into(), why]
        }
        Note::PingSkipped(peer) => [7, peer.0.into(), 0],
        Note::PingUntracked(peer) => [8, peer.0.into(), 0],
        Note::HeartbeatDue(peer) => [9, peer.0.into(), 0],
        Note::UpgradeDue(peer) => [10, peer.0.into(), 0],
        Note::Added { peer, tunnel, evicted } => {
            [11, peer.0.into(), u64::from(tunnel) * 2 + u64::from(evicted)]
        }
        Note::Refreshed(peer) => [12, peer.0.into(), 0],
        Note::Removed(peer) => [13, peer.0.into(), 0],
        Note::Stopped => [14, 0, 0],
        Note::Initiated { peer, why } => [15, peer.0.into(), initiated(why)],
        Note::SessionUp { peer, initiator } => [16, peer.0.into(), initiator.into()],
        Note::SessionDown(peer) => [17, peer.0.into(), 0],
        Note::ActiveCleared(peer) => [18, peer.0.into(), 0],
        Note::InitiationsGivenUp(peer) => [19, peer.0.into(), 0],
        Note::Roamed(peer) => [20, peer.0.into(), 0],
        Note::PathKept(peer) => [21, peer.0.into(), 0],
        Note::BackedOff { peer, span } => [22, peer.0.into(), span.as_nanos()],
        Note::RelayPoolFull => [23, 0, 0],
    };
    sum.word(5 | variant << 8);
    sum.word(first);
    sum.word(second);
}

const fn initiated(why: InitiationReason) -> u64 {
    match why {
        InitiationReason::Retry => 0,
        InitiationReason::Rekey => 1,
        InitiationReason::Renew => 2,
        InitiationReason::Added => 3,
        InitiationReason::Demoted => 4,
        InitiationReason::Wake => 5,
        InitiationReason::RelayPong => 6,
        InitiationReason::PathChanged => 7,
        InitiationReason::FirstPath => 8,
    }
}
