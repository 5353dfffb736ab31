//! Cases run together.

use std::sync::Arc;

use trisolve::{Gpu, Real};
use trisolve_lab::{Case, run_cases};

/// Runs cases and gathers what failed, so that one run shows all of it.
pub fn run_all<T: Real>(gpu: &Gpu, cases: impl IntoIterator<Item = impl Case>) {
    let devices: Arc<[Gpu]> = [gpu.clone()].into();
    let cases: Vec<_> = cases.into_iter().map(|case| (devices.clone(), case)).collect();
    assert!(!cases.is_empty(), "no case was run");
    let failures: Vec<_> = run_cases::<T>(&cases, || ())
        .into_iter()
        .zip(&cases)
        .filter_map(|(outcome, (_, case))| match outcome {
            Ok(verdict) if verdict.passed() => None,
            Ok(verdict) => Some(format!("{case:?}: {verdict:?}")),
            Err(error) => Some(format!("{case:?}: {error}")),
        })
        .collect();
    assert!(failures.is_empty(), "{} of {} failed:\n{}", failures.len(), cases.len(), failures.join("\n"));
}
