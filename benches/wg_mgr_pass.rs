//! One pass of the manager: a quiet one, in which every queue is empty, and a full one, in which
//! budgets are spent and tunnel packets wait, with modelled and with real boxes.
use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use firmware_core::wg_mgr::config::Crypto;
use workloads::manager::{Load, PassBench};

fn passes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("wg_mgr pass");
    let loads = [
        ("quiet", Load::Quiet, Crypto::Modelled),
        ("full, modelled boxes", Load::Full, Crypto::Modelled),
        ("full, real boxes", Load::Full, Crypto::Real),
    ];
    for (name, load, crypto) in loads {
        let bench = PassBench::new(crypto);
        group.bench_function(name, |bencher| {
            bencher.iter_batched_ref(
                || bench.prepared(load),
                |pass| black_box(pass.run()),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, passes);
criterion_main!(benches);
