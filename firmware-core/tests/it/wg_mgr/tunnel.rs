//! The tunnel's queue: what is charged, what is handed on, and the ring that recognises copies.
use std::collections::BTreeMap;

use firmware_core::charge::CostKey;
use firmware_core::wg_mgr::dedup::DedupRing;
use firmware_core::wg_mgr::output::{Note, Refusal};
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::replay::ReplayWindow;

use super::driver::{Driver, at};

/// Cites WG-Q1: the queue is drained to its end in one go.
#[test]
fn every_waiting_tunnel_packet_is_served_in_one_drain() {
    let mut driver = Driver::new(Preset::Ilv3.config());
    for counter in 0..32 {
        driver.heartbeat_arrives(at(5), counter);
    }
    driver.run_until(at(15));
    assert_eq!(driver.served.len(), 32);
    assert!(driver.served.iter().all(|(when, _)| *when == at(10)));
}

/// Cites WG-DEDUP-1: the second copy is dropped before it is decrypted.
#[test]
fn the_second_copy_of_a_data_packet_is_never_decrypted() {
    let mut driver = Driver::new(Preset::Ilv3.config());
    driver.heartbeat_arrives(at(5), 9);
    driver.heartbeat_arrives(at(6), 9);
    driver.run_until(at(15));
    assert_eq!(driver.charged(CostKey::TunnelData), 1);
    assert_eq!(driver.count(|note| *note == Note::Refused(Refusal::TunnelCopy)), 1);
}

/// Runs case 09's input: 1000 packets, 10 ms apart, each once more after `delay_ms`.
fn case_09(ring: u16, delay_ms: u64) -> (usize, usize, usize) {
    let mut arrivals = BTreeMap::new();
    for counter in 0..1_000_u64 {
        arrivals.insert((counter * 10, 0, counter), counter);
        arrivals.insert((counter * 10 + delay_ms, 1, counter), counter);
    }
    let (mut ring, mut window) = (DedupRing::new(ring), ReplayWindow::default());
    let (mut caught, mut decrypted, mut delivered) = (0, 0, 0);
    for counter in arrivals.into_values() {
        if ring.is_copy(1, counter) {
            caught += 1;
        } else {
            decrypted += 1;
            delivered += usize::from(window.accept(counter));
        }
    }
    (caught, decrypted, delivered)
}

/// Case 09, cites WG-DEDUP-1 and WG-REPLAY-1: packets per second times delay below the ring's
/// length works wholly, at or above it not at all; nothing is ever delivered twice.
#[test]
fn the_ring_works_until_it_does_not() {
    for (ring, works_up_to_ms) in [(16, 150), (32, 200), (64, 630)] {
        for delay_ms in [100, 150, 160, 200, 630, 640] {
            let (caught, decrypted, delivered) = case_09(ring, delay_ms);
            let right = if delay_ms <= works_up_to_ms { 1_000 } else { 0 };
            assert_eq!(caught, right, "ring {ring}, delay {delay_ms} ms");
            assert_eq!(decrypted, 2_000 - caught);
            assert_eq!(delivered, 1_000);
        }
    }
}

/// Cites WG-DEDUP-1: handshake packets are never looked up in the ring, however alike they are.
#[test]
fn equal_handshake_packets_are_no_copies_and_each_costs_its_own() {
    let (mut initiation, mut response) = ([0; 148], [0; 92]);
    (initiation[0], response[0]) = (1, 2);
    let mut driver = Driver::new(Preset::Ilv3.config());
    for _ in 0..2 {
        driver.tunnel_arrives(at(5), &initiation);
        driver.tunnel_arrives(at(5), &response);
    }
    driver.run_until(at(15));
    assert_eq!(driver.charged(CostKey::InitiationReceived), 2);
    assert_eq!(driver.charged(CostKey::ResponseReceived), 2);
    assert_eq!(driver.served.len(), 4);
}

/// Cites WG-Q1: whatever is not DISCO shares this queue; what is no tunnel packet goes no further.
#[test]
fn what_is_no_tunnel_packet_is_dropped_cheaply() {
    let mut driver = Driver::new(Preset::Ilv3.config());
    driver.tunnel_arrives(at(5), &[9; 40]);
    driver.run_until(at(15));
    assert_eq!(driver.charges, [(at(10), CostKey::TunnelReject)]);
    assert!(driver.served.is_empty());
    assert_eq!(driver.count(|note| *note == Note::Refused(Refusal::TunnelMalformed)), 1);
}

/// Cites WG-REPLAY-1: nothing could follow it.
#[test]
fn the_highest_counter_of_all_is_refused() {
    let mut window = ReplayWindow::default();
    assert!(!window.accept(u64::MAX));
    assert!(window.accept(u64::MAX - 1) && !window.accept(u64::MAX));
}
