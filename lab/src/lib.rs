//! Generated systems, the comparison of every kernel with an oracle, tuning, and charts.
//!
//! For the tests, the benchmarks, the examples and the program of trisolve. The interface has no stability: it changes with the
//! library.

mod accuracy;
mod accuracy_table;
mod arena;
pub mod big;
mod bus;
pub mod chart;
mod communication;
mod condition;
mod crossing;
mod device_sample;
mod device_solver;
mod exact;
mod figure_14;
mod filter_cases;
mod filter_designs;
mod filter_sample;
mod formulas;
pub mod fuzz;
pub mod gallery;
mod groups;
mod host_filter;
mod host_moebius;
mod host_recurrence;
mod host_triangular;
mod kernel_sources;
mod layouts;
mod matrices;
mod methods;
mod moebius_cases;
mod moebius_sample;
mod on_device;
mod p_scheme_on_host;
mod p_scheme_sample;
mod published;
mod quasi_cases;
mod quasi_systems;
mod recurrence_cases;
mod recurrence_sample;
mod rpts;
mod rpts_table;
mod seed;
mod systems;
mod tiles;
mod triangular_cases;
mod triangular_large;
mod triangular_sample;
mod tridiagonal_cases;
mod tridiagonal_check;
mod tridiagonal_policy_cases;
mod tune;
mod verdict;
mod wall_clock;

pub use accuracy::{table_6, table_7_8};
pub use accuracy_table::{AccuracyTable, Measured};
pub use bus::{Bus, Upload};
pub use communication::{CommunicationStep, Phase, communication};
pub use condition::condition_number;
pub use crossing::Crossing;
pub use device_sample::DeviceSample;
pub use exact::exact;
pub use figure_14::figure_14;
pub use filter_cases::{FilterCase, Last, filter_cases};
pub use filter_designs::{Poles, butterworth, butterworth_sections};
pub use filter_sample::FilterSample;
pub use formulas::SampleFormula;
use formulas::sample_formulas;
pub use host_filter::{ExpectedOutputs, Filters, HostFilter};
pub use host_moebius::HostMoebius;
pub use host_recurrence::{Expected, HostRecurrence};
pub use host_triangular::HostTriangular;
pub use kernel_sources::{KernelSource, kernel_names, kernel_sources, kernel_sources_where, kernels_of};
pub use layouts::{Placement, own_right};
pub use matrices::{MATRICES, matrix};
pub use methods::{MOST_COUNTED_ROWS, Method, PublishedCounts};
pub use moebius_cases::{MoebiusCase, moebius_cases};
pub use moebius_sample::MoebiusSample;
pub use on_device::OnDevice;
pub use p_scheme_on_host::{HostRun, measure_on_host};
pub use p_scheme_sample::{FactorCost, PSchemeRun, PSchemeSample};
pub use quasi_cases::{OffBand, QuasiCase, quasi_cases, quasi_matrix, quasi_methods, quasi_policy_cases};
pub use quasi_systems::{GAS_CASES, GasCase, SparseSystem, banded, convection_diffusion};
pub use recurrence_cases::{RecurrenceCase, recurrence_cases};
pub use recurrence_sample::{RecurrenceSample, SampleFactor};
pub use rpts::{RPTS_MATRICES, rpts_matrix};
pub use rpts_table::rpts_table;
pub use seed::seed;
pub use systems::{Entries, HostSystem, diffusion, dominant, dominant_vectors, poisson, tiled_dominant};
pub use triangular_cases::{
    FACTORED, TriangularCase, factored_triangular_cases, triangular_cases, triangular_policy_cases,
};
pub use triangular_large::{LargeTriangularCase, large_triangular_cases};
pub use triangular_sample::{TracedSolve, TriangularSample, traced_solve};
pub use tridiagonal_cases::{CheckCase, cases, forms};
pub use tridiagonal_policy_cases::{own_right_cases, policy_cases};
pub use tune::search;
pub use tune::{
    PlaceTimes, TuneOptions, TuneProgress, Tuned, crossover, fit_p_scheme, measure_places, tune_p_scheme,
    tune_quasi_tridiagonal, tune_triangular, tune_tridiagonal,
};
pub use verdict::{Case, Verdict, case_threads, run_cases};
pub use wall_clock::wall_clock;

use trisolve::internals;
pub use trisolve::internals::Permutation;
use trisolve::{Upcoming, WarmUp};

/// The device seconds of each dispatch of a bound solve, timed alone in its own pass, with the kernel's name.
///
/// # Errors
/// [`Error::DeviceLost`](trisolve::Error::DeviceLost).
pub fn time_stages(
    bound: &trisolve::tridiagonal::Bound,
    timer: &trisolve::gpu::PassTimer,
    warm_up: std::time::Duration,
    runs: usize,
) -> trisolve::Result<Vec<(String, f64)>> {
    bound.time_stages(timer, warm_up, runs)
}

/// Compiles the kernels of later plans on all processors. The device then does not rest, and lower its clock, between
/// measurements.
pub fn compile_ahead(gpu: &trisolve::Gpu, plans: &[Upcoming]) {
    // A plan that cannot be made returns its error when it is made.
    let _ = gpu.warm_up(plans).and_then(WarmUp::wait);
}

/// The number of kernels that were compiled for this device so far.
pub fn kernels_compiled(gpu: &trisolve::Gpu) -> usize {
    gpu.kernels_counted()[0]
}

/// How many kernels of this device live: a plan has them, or they were used of late.
pub fn kernels_living(gpu: &trisolve::Gpu) -> usize {
    gpu.kernels_counted()[1]
}

/// How many pipelines were made for this device, also for kernels that had been let go.
pub fn pipelines_made(gpu: &trisolve::Gpu) -> usize {
    gpu.kernels_counted()[2]
}

/// Permutations of all kernels: every text of every part. Parts that know nothing of each other are not all combined.
pub fn permutations() -> Vec<Permutation> {
    let (gains, rounds) = (SampleFormula::Gains, SampleFormula::Rounds(3));
    let formulas =
        [[Some(gains), None], [None, Some(SampleFormula::Mixed)], [Some(rounds), Some(gains)]].map(sample_formulas);
    let shared = [internals::gpu::copy_permutation(), internals::gpu::probe_permutation(64, 8)];
    [
        internals::tridiagonal::all_permutations(),
        internals::recurrence::permutations(&formulas),
        internals::moebius::permutations(),
        internals::filter::permutations(),
        internals::triangular::permutations(),
        internals::triangular::factored_permutations(),
        internals::quasi_tridiagonal::permutations(),
        shared.to_vec(),
    ]
    .concat()
}
