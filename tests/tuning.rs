//! The tuning tables that are part of the library.

mod common;

use common::gpu;
use trisolve::FeatureSwitches;
use trisolve::quasi_tridiagonal;
use trisolve::recurrence::{self, PSchemePolicy};
use trisolve::triangular::{self, TriangularPlan};
use trisolve::tridiagonal::{Algorithm, Options, Shape, TridiagonalPlan};
use trisolve::tuning::shipped;

/// A policy of P-scheme, which an entry replaces.
const P_SCHEME: PSchemePolicy = PSchemePolicy { staged: true, ..PSchemePolicy::new(1, 32) };

/// Every entry says what its algorithm understands, and is faster than the default or the default.
#[test]
fn shipped_tables_are_whole() {
    let tables: Vec<_> = shipped().collect();
    let names: Vec<_> = tables.iter().map(|table| table.adapter.as_str()).collect();
    assert_eq!(names, ["software", "NVIDIA H200"]);
    let gpu = gpu(false, FeatureSwitches::ALL);
    let policies = Algorithm::ALL.map(|algorithm| {
        let options = Options::default().algorithm(algorithm);
        (algorithm, TridiagonalPlan::<f32>::new(&gpu, Shape::single(33), options).unwrap().policy())
    });
    let triangles = triangular::Algorithm::ALL.map(|algorithm| {
        let options = triangular::Options::default().algorithm(algorithm);
        (algorithm, TriangularPlan::<f32>::new(&gpu, triangular::Shape::single(33), options).unwrap().policy())
    });
    for table in &tables {
        assert_eq!(table.version, env!("CARGO_PKG_VERSION"), "{}", table.adapter);
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
