//! How fast traces are written, read and replayed, in bytes of the file.
use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use firmware_core::time::Instant;
use sim::Flow;
use sim::pft::{Event, Head, Item, Reader, Redactor, TraceSubject, Writer};
use sim::replay::{Asked, Setup, compare};
use sim::scenario::{Overrides, Subject};

/// A storm of 600 packets a second for a minute, as it was recorded.
fn storm() -> Vec<u8> {
    let path = Path::new("../scenarios/wg_mgr/strangers_at_600_per_second.ron");
    let subject = Subject::load(path, &Overrides::default()).expect("it is shipped");
    let mut trace = Vec::new();
    let out = Box::new(&mut trace);
    sim::run_recorded(&subject, out, Redactor::off(), &mut |_| Flow::Continue).expect("it runs");
    trace
}

fn records(trace: &[u8]) -> Vec<(Instant, Event)> {
    let items = Reader::open(trace).expect("a trace").map(|item| item.expect("valid"));
    items
        .filter_map(|item| match item {
            Item::Record(record) => Some((record.at, record.event)),
            Item::Gap(_) | Item::Unknown(_) => None,
        })
        .collect()
}

fn write(records: &[(Instant, Event)], redactor: Redactor) -> usize {
    let head = Head::new(TraceSubject::WgMgr, "bench");
    let mut writer = Writer::create(std::io::sink(), &head, redactor).expect("nowhere");
    for (at, event) in records {
        writer.record(*at, event).expect("in order");
    }
    writer.finish(None).expect("nowhere");
    records.len()
}

fn traces(criterion: &mut Criterion) {
    let trace = storm();
    let records = records(&trace);
    let mut group = criterion.benchmark_group("traces");
    group.throughput(Throughput::Bytes(trace.len() as u64));
    group.bench_function("read", |bencher| {
        bencher.iter(|| Reader::open(black_box(&trace[..])).expect("a trace").count());
    });
    group.bench_function("write", |bencher| {
        bencher.iter(|| write(black_box(&records), Redactor::off()));
    });
    group.bench_function("write with pseudonyms", |bencher| {
        bencher.iter(|| write(black_box(&records), Redactor::new(1)));
    });
    group.bench_function("replay", |bencher| {
        let reader = Reader::open(&trace[..]).expect("a trace");
        let head = reader.head().expect("a head").clone();
        let setup = Setup::of(&head, Path::new("storm.pft"), &Asked::default()).expect("a device");
        bencher.iter(|| {
            let mut reader = Reader::open(black_box(&trace[..])).expect("a trace");
            let mut player = setup.player().expect("a core");
            compare(&mut reader, player.as_mut(), u64::MAX).expect("valid").steps
        });
    });
    group.finish();
}

criterion_group!(benches, traces);
criterion_main!(benches);
