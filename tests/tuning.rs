//! The tuning tables that are part of the library.

mod common;

use common::gpu;
use trisolve::FeatureSwitches;
use trisolve::quasi_tridiagonal;
use trisolve::recurrence::{self, PSchemePolicy};
use trisolve::triangular::{self, TriangularPlan};
use trisolve::tridiagonal::{Algorithm, Options, Shape, TridiagonalPlan};
use trisolve::tuning::{Crossover, Table, shipped};
use trisolve_lab::{OnDevice, PlaceTimes, crossover, measure_places};

/// A policy of P-scheme, which an entry replaces.
const P_SCHEME: PSchemePolicy = PSchemePolicy { staged: true, ..PSchemePolicy::new(1, 32) };

/// Every entry says what its algorithm understands, and is faster than the default or the default.
#[test]
fn shipped_tables_are_whole() {
    let tables: Vec<_> = [true, false].into_iter().filter_map(shipped).collect();
    let names: Vec<_> = tables.iter().map(|table| table.adapter.as_str()).collect();
    assert_eq!(names, ["software", "NVIDIA H200"]);
    let gpu = gpu(false, FeatureSwitches::ALL);
    let policies = Algorithm::ALL.map(|algorithm| {
        let options = Options::on_device().algorithm(algorithm);
        (algorithm, TridiagonalPlan::<f32>::new(&gpu, Shape::single(33), options).unwrap().policy())
    });
    let triangles = triangular::Algorithm::ALL.map(|algorithm| {
        let options = triangular::Options::on_device().algorithm(algorithm);
        (algorithm, TriangularPlan::<f32>::new(&gpu, triangular::Shape::single(33), options).unwrap().policy())
    });
    for table in &tables {
        assert_eq!(table.version, env!("CARGO_PKG_VERSION"), "{}", table.adapter);
        // Host solves never run on software adapters.
        assert_eq!(table.crossovers.len(), if table.adapter == "software" { 0 } else { 4 });
        for entry in &table.entries {
            assert!(["f32", "f64"].contains(&entry.key.precision.as_str()), "{entry:?}");
            assert!(0.0 < entry.tuned_us && entry.tuned_us <= entry.default_us, "{entry:?}");
            if let Some(name) = entry.key.algorithm.strip_prefix("triangular ") {
                let algorithm: triangular::Algorithm = name.parse().unwrap();
                if algorithm == triangular::Algorithm::Auto {
                    assert_ne!(entry.policy.parse::<triangular::Algorithm>().unwrap(), algorithm);
                } else {
                    let (_, policy) = triangles.iter().find(|(known, _)| *known == algorithm).unwrap();
                    policy.with(&entry.policy).unwrap_or_else(|error| panic!("{entry:?}: {error}"));
                }
                continue;
            }
            if let Some(name) = entry.key.algorithm.strip_prefix("quasi-tridiagonal ") {
                let algorithm = name.parse().unwrap();
                quasi_tridiagonal::Policy::of(algorithm, &entry.policy)
                    .unwrap_or_else(|error| panic!("{entry:?}: {error}"));
                continue;
            }
            if entry.key.algorithm == "p-scheme" {
                let policy = recurrence::Policy::from(P_SCHEME);
                policy.with(&entry.policy).unwrap_or_else(|error| panic!("{entry:?}: {error}"));
                continue;
            }
            let name = entry.key.algorithm.strip_suffix(" stable").unwrap_or(&entry.key.algorithm);
            let algorithm: Algorithm = name.parse().unwrap();
            let (_, policy) = policies.iter().find(|(known, _)| *known == algorithm).unwrap();
            policy.with(&entry.policy).unwrap_or_else(|error| panic!("{entry:?}: {error}"));
        }
    }
    // One that was tuned is found, and found again a little beside its place.
    let table = tables.iter().find(|table| !table.entries.is_empty()).unwrap();
    let mut key = table.entries[0].key.clone();
    assert_eq!(table.find(&key).map(|(entry, _)| entry), Some(&table.entries[0]));
    key.n += key.n / 8;
    assert_eq!(table.find(&key).map(|(entry, _)| entry), Some(&table.entries[0]));
    key.n *= 1 << 20;
    assert_eq!(table.find(&key), None);
}

fn times(ratios: &[(usize, f64)]) -> Vec<PlaceTimes> {
    ratios.iter().map(|&(rows, ratio)| PlaceTimes { rows, cpu: 1e-6, device: 1e-6 * ratio }).collect()
}

/// The device's times in units of the CPU's: where both are equal, at the fewest rows, or never.
#[test]
fn crossovers_of_measured_times() {
    for (ratios, rows) in [
        (&[(1024, 2.0), (2048, 0.5), (4096, 0.25)][..], Some(1449)),
        (&[(1024, 4.0), (2048, 0.9), (4096, 1.0), (8192, 0.5)], Some(4096)),
        (&[(1024, 0.5)], Some(1024)),
        (&[(1024, 8.0), (2048, 1.5)], None),
    ] {
        let found = crossover::<f32>(Crossover::BATCH, &times(ratios));
        let expected = Crossover { family: "tridiagonal batch".into(), precision: "f32".into(), rows };
        assert_eq!(found, expected, "{ratios:?}");
    }
    let gpu = gpu(false, FeatureSwitches::ALL);
    let measured = measure_places::<f32>(&gpu, &[Shape::single(16), Shape::contiguous(8, 32)], 3, |_| {}).unwrap();
    assert!(measured.iter().all(|times| times.cpu > 0.0 && times.device > 0.0), "{measured:?}");
    assert_eq!(measured.iter().map(|times| times.rows).collect::<Vec<_>>(), [16, 256]);
}

/// Each replaces one of its precision; files keep them.
#[test]
fn tables_keep_crossovers() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let mut table = Table::new(gpu.info());
    for (ratios, precision) in [(&[(64, 2.0)][..], "f32"), (&[(64, 0.5)], "f64"), (&[(32, 0.5)], "f32")] {
        table.set_crossover(Crossover {
            precision: precision.into(),
            ..crossover::<f32>(Crossover::SINGLE, &times(ratios))
        });
    }
    let rows: Vec<_> = table.crossovers.iter().map(|one| (one.precision.as_str(), one.rows)).collect();
    assert_eq!(rows, [("f64", Some(64)), ("f32", Some(32))]);
    table.set_crossover(crossover::<f64>(Crossover::SINGLE, &times(&[(64, 2.0)])));
    table.set_crossover(crossover::<f64>(Crossover::BATCH, &times(&[(16, 0.5)])));
    assert_eq!(table.crossovers.len(), 3);
    let text = table.to_json().unwrap();
    assert_eq!(serde_json::from_str::<Table>(&text).unwrap(), table);
    // Files of earlier versions have none.
    let without = Table { crossovers: vec![], ..table };
    assert!(!without.to_json().unwrap().contains("crossovers"));
    assert_eq!(serde_json::from_str::<Table>(&without.to_json().unwrap()).unwrap(), without);
}
