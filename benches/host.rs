//! What a host sees: a solve from slices to a vector, uploads and read-back included, beside the
//! CPU references. `cargo bench --all-features`

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use trisolve::tridiagonal::{Options, Shape, System, TridiagonalPlan};
use trisolve::{Gpu, cpu};
use trisolve_lab::dominant;

fn host(criterion: &mut Criterion) {
    let gpu = Gpu::new().expect("a GPU adapter");
    let mut group = criterion.benchmark_group(format!("host f32 on {}", gpu.info().name));
    for n in [1 << 10, 1 << 16, 1 << 20] {
        let made = dominant::<f32>(n, 1);
        let mut lower = made.lower.clone();
        let mut upper = made.upper.clone();
        (lower[0], upper[n - 1]) = (0.0, 0.0);
        let plan = TridiagonalPlan::new(&gpu, Shape::single(n), Options::default()).expect("a plan");
        let system = System::new(&lower, &made.diag, &upper);
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(BenchmarkId::new("plan.solve", n), |b| b.iter(|| plan.solve(&system, &made.rhs)));
        group.bench_function(BenchmarkId::new("cpu::thomas", n), |b| {
            b.iter(|| cpu::thomas(&lower, &made.diag, &upper, &made.rhs));
        });
        group.bench_function(BenchmarkId::new("cpu::gtsv", n), |b| {
            b.iter(|| cpu::gtsv(&lower, &made.diag, &upper, &made.rhs));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = host
}
criterion_main!(benches);
