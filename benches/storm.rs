//! The whole storm as `preflash run` carries it out: 600 packets a second for 60 virtual seconds.
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sim::scenario::{Overrides, Scenario};

fn storm(criterion: &mut Criterion) {
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/wg_mgr/strangers_at_600_per_second.ron");
    let mut group = criterion.benchmark_group("storm");
    group.sample_size(10);
    for crypto in ["modelled", "real"] {
        let overrides =
            Overrides { set: vec![format!("config.crypto={crypto}")], ..Overrides::default() };
        let scenario = Scenario::load(Path::new(path), &overrides).expect("a shipped scenario");
        let events = sim::run(&scenario, &mut |_| sim::Flow::Continue).expect("it runs").events;
        group.throughput(Throughput::Elements(events));
        group.bench_function(format!("60 virtual seconds, {crypto} boxes"), |bencher| {
            bencher.iter(|| sim::run(&scenario, &mut |_| sim::Flow::Continue));
        });
    }
    group.finish();
}

criterion_group!(benches, storm);
criterion_main!(benches);
