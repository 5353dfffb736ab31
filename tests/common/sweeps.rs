//! The tests that draw some of a family's cases, each with bounds checks in the kernels or without.

use std::collections::BTreeMap;

use trisolve_lab::Case;

/// `sweeps!(cases, per_group: n)`: a test for each precision that runs n cases of each algorithm in each layout. `cases` lists a family's
/// cases for a seed. Each run draws others; `trisolve check` runs all.
macro_rules! sweeps {
    ($cases:expr, per_group: $count:literal) => {
        fn sweep<T: trisolve::Real>(name: &str, gpus: [trisolve::Gpu; 2]) {
            let seed = trisolve_lab::seed(name);
            let drawn = crate::sweeps::some_per_group($cases(seed), $count, seed);
            for (at, gpu) in gpus.iter().enumerate() {
                let others = drawn.iter().skip((at + seed as usize) % 2).step_by(2);
                crate::run_all::run_all::<T>(gpu, others.cloned());
            }
        }

        #[test]
        fn f32_sweep() {
            use trisolve::FeatureSwitches as F;
            sweep::<f32>("f32_sweep", [crate::common::gpu(true, F::ALL), crate::common::gpu(false, F::NONE)]);
        }

        #[test]
        fn f64_sweep() {
            let gpus = [true, false].map(|checked| crate::common::gpu(checked, trisolve::FeatureSwitches::ALL));
            if gpus[0].capabilities().features.f64 {
                sweep::<f64>("f64_sweep", gpus);
            }
        }
    };
}
pub(crate) use sweeps;

/// So many cases of each group, with or without formulas; of some groups where fewer cases are wanted.
pub fn some_per_group<C: Case>(cases: Vec<C>, count: usize, seed: u64) -> Vec<C> {
    let mut groups = BTreeMap::<String, Vec<C>>::new();
    for case in cases {
        let group = case.group();
        groups.entry(group.split(',').next().unwrap_or_default().to_owned()).or_default().push(case);
    }
    let step = if crate::fewer::fewer_cases() { 3 } else { 1 };
    let pick = |cases: Vec<C>| -> Vec<C> {
        (0..count).map(|turn| cases[(seed as usize + turn * cases.len() / count) % cases.len()].clone()).collect()
    };
    groups.into_values().skip(seed as usize % step).step_by(step).flat_map(pick).collect()
}
