//! The test that draws some of a family's cases, in either precision, with bounds checks in the kernels or without.

use std::collections::BTreeMap;

use trisolve_lab::Case;

/// `sweeps!(cases, per_group: n)`: a test that runs n cases of each algorithm in each layout, half of them in f64. `cases` lists a family's
/// cases for a seed. Each run draws others; `trisolve check` runs all.
macro_rules! sweeps {
    ($cases:expr, per_group: $count:literal) => {
        #[test]
        fn sweep() {
            use crate::common::gpu;
            use trisolve::FeatureSwitches as F;
            let seed = trisolve_lab::seed("sweep");
            let drawn = crate::sweeps::some_per_group($cases(seed), $count, seed);
            let checked = gpu(true, F::ALL);
            let has_f64 = checked.capabilities().features.f64;
            assert!(!drawn.is_empty(), "no case was drawn");
            // No part is empty.
            for part in 0..drawn.len().min(4) {
                let cases = drawn.iter().skip(part).step_by(4).cloned();
                match (seed + part as u64) % 4 {
                    0 => crate::run_all::run_all::<f32>(&checked, cases),
                    1 => crate::run_all::run_all::<f32>(&gpu(false, F::NONE), cases),
                    2 if has_f64 => crate::run_all::run_all::<f64>(&checked, cases),
                    3 if has_f64 => crate::run_all::run_all::<f64>(&gpu(false, F::ALL), cases),
                    _ => crate::run_all::run_all::<f32>(&gpu(false, F::ALL), cases),
                }
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
    let step = if crate::draw::fewer_cases() { 3 } else { 1 };
    let pick = |cases: Vec<C>| -> Vec<C> {
        (0..count).map(|turn| cases[(seed as usize + turn * cases.len() / count) % cases.len()].clone()).collect()
    };
    let groups: Vec<_> = groups.into_values().collect();
    crate::draw::every(&groups, step, seed).into_iter().flat_map(pick).collect()
}
