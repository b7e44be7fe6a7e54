//! Recorded runs of shipped scenarios, exported: the files hold what the runs did, no more, no less.
use std::path::Path;

use firmware_core::wg_mgr::wire::TunnelPacket;
use sim::pft::{Event, Item, Reader, Redactor};
use sim::scenario::{Overrides, Subject};
use sim::trace::export::Format;

use super::capture::tshark;
use super::{good, perfetto, waveform};

/// A recorded run of a shipped scenario with some of its values replaced.
fn recorded(scenario: &str, set: &[&str]) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios").join(scenario);
    let set = set.iter().map(|edit| (*edit).to_owned()).collect();
    let subject = Subject::load(&path, &Overrides { set, ..Overrides::default() });
    let subject = subject.unwrap_or_else(|error| panic!("{scenario}: {error}"));
    let mut trace = Vec::new();
    let control = &mut |_| sim::Flow::Continue;
    sim::run_recorded(&subject, Box::new(&mut trace), Redactor::new(1), control).expect("it runs");
    trace
}

fn count(trace: &[u8], what: impl Fn(&Event) -> bool) -> usize {
    let items = Reader::open(trace).expect("a trace").map(|item| item.expect("undamaged"));
    items.filter(|item| matches!(item, Item::Record(record) if what(&record.event))).count()
}

/// Whether a packet is one of WireGuard's four messages.
fn is_wireguard(event: &Event) -> bool {
    let Event::ArriveBytes { bytes, length, .. } = event else { return false };
    let mut payload = bytes.0.clone();
    payload.resize(usize::try_from(*length).expect("short"), 0);
    TunnelPacket::parse(&payload) != TunnelPacket::Malformed
}

/// Storms, an ingest, and the tool whose magic bytes are not DISCO's.
const STORMS: [&str; 3] = [
    "wg_mgr/strangers_at_600_per_second.ron",
    "wg_mgr/ingest_of_100_peers_interleaved.ron",
    "wg_mgr/storm_tool_at_600_per_second.ron",
];

/// Cites WG-Q1: as many WireGuard frames as tunnel packets arrived, and none is malformed.
#[test]
fn tshark_counts_the_tunnel_packets_of_a_run() {
    for storm in STORMS {
        let trace = recorded(storm, &["duration_ms=3000"]);
        let (file, _) = good(Format::Capture, &trace);
        let Some(frames) = tshark(&file, &["-Y", "wg", "-T", "fields", "-e", "wg.type"]) else {
            eprintln!("tshark is not installed: nothing was checked");
            return;
        };
        assert_eq!(frames.len(), count(&trace, is_wireguard), "{storm}");
        assert!(frames.len() > 20, "{storm}: heartbeats of three seconds");
        assert_eq!(tshark(&file, &["-Y", "_ws.malformed"]), Some(vec![]), "{storm}");
    }
}

/// Cites WG-DISCO-1: each costed step of a run is one span of the manager's track.
#[test]
fn every_charge_of_a_run_is_one_span() {
    for storm in STORMS {
        let trace = recorded(storm, &["duration_ms=3000"]);
        let (file, _) = good(Format::Perfetto, &trace);
        let spans = perfetto::spans(&file, "core 1/wg_mgr");
        let charges = count(&trace, |event| matches!(event, Event::OutCharge { .. }));
        assert_eq!(spans.len(), charges, "{storm}");
        assert!(charges > 20, "{storm}");
    }
}

/// Each access of a page is one change of a wire.
#[test]
fn every_register_access_of_a_page_is_drawn() {
    let trace = recorded("m3_read/robots_arm_2.ron", &["page.body_bytes=3000"]);
    let (file, _) = good(Format::Waveform, &trace);
    let accesses = count(&trace, |event| {
        matches!(event, Event::M3Byte { .. } | Event::M3Write { .. } | Event::M3WriteSource { .. })
    });
    assert_eq!(waveform::accesses_of(&file), accesses);
    assert!(accesses > 6_000, "two accesses for each of 3 000 bytes");
}
