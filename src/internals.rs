//! What `trisolve-lab` tests and measures inside the library. No promise of stability: nothing else may use it.

pub use crate::arithmetic::quotient;
pub use crate::csr::Csr;
pub use crate::outcome::Outcome;
pub use crate::shader::linker::Linked;
pub use crate::shader::permutation::Permutation;
pub use crate::shader::tree::modules;

/// A matrix with the same pattern and other numbers.
pub fn mapped<T: crate::real::Scalar, U>(matrix: &Csr<T>, convert: impl Fn(T) -> U) -> Csr<U> {
    matrix.mapped(convert)
}

/// References on the CPU.
pub mod cpu {
    pub use crate::cpu::periodic::ring_gtsv;
    pub use crate::cpu::triangular::worst;
    use crate::error::Result;
    use crate::real::Scalar;

    /// Of one system; `lower[0]` and `upper[n-1]` are not read.
    ///
    /// # Errors
    /// [`Error::NonFiniteInput`](crate::Error::NonFiniteInput) names the first row with an entry that is not finite.
    pub fn check_finite<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<()> {
        crate::cpu::check_finite(lower, diag, upper, rhs)
    }
}

/// Shapes, parameters, bound programs.
pub mod plan {
    pub use crate::plan::params::Params;
    pub use crate::plan::{Parameter, Shape};

    /// Whether neighbouring systems lie closer than neighbouring rows.
    pub fn systems_first(shape: &Shape) -> bool {
        shape.systems_first()
    }
}

/// The device's kernels.
pub mod gpu {
    use crate::error::Result;
    pub use crate::gpu::kernel::compilers;
    pub use crate::gpu::probe::probe_permutation;
    pub use crate::gpu::timing::copy_permutation;
    use crate::gpu::{Capabilities, Gpu};

    /// What kernels may rely on: a device's capabilities, without those that fail a test on it.
    ///
    /// # Errors
    /// The test's own: memory, a lost device.
    pub fn proven_capabilities(gpu: &Gpu) -> Result<&Capabilities> {
        gpu.proven_capabilities()
    }

    /// A buffer of at least `bytes`.
    ///
    /// # Errors
    /// [`Error::Limit`](crate::Error::Limit), [`Error::OutOfMemory`](crate::Error::OutOfMemory),
    /// [`Error::DeviceLost`](crate::Error::DeviceLost).
    pub fn allocate(gpu: &Gpu, label: &str, bytes: u64, usage: wgpu::BufferUsages) -> Result<wgpu::Buffer> {
        gpu.allocate(label, bytes, usage)
    }

    /// Submits one compute pass.
    ///
    /// # Errors
    /// What the device reports.
    pub fn submit_pass(gpu: &Gpu, what: &str, record: impl FnOnce(&mut wgpu::ComputePass<'_>)) -> Result<()> {
        gpu.submit_pass(what, record)
    }
}

/// Tables of policies.
pub mod tuning {
    pub use crate::tuning::{Entry, FARTHEST, Key, Tables, key, near};
}

/// Tridiagonal systems.
pub mod tridiagonal {
    pub use crate::tridiagonal::algorithms::partition::ROWS as PARTITION_ROWS;
    pub use crate::tridiagonal::algorithms::partition::policies::together_policies;
    pub use crate::tridiagonal::algorithms::pivoting::ROWS as PIVOTING_PARTITIONS;
    pub use crate::tridiagonal::algorithms::tpr::ROWS as TPR_ROWS;
    pub use crate::tridiagonal::algorithms::wang_mou::ROWS as WANG_MOU_ROWS;
    pub use crate::tridiagonal::algorithms::{PlanRequest, default_policy, program};
    pub use crate::tridiagonal::choice::{Rivals, tuned_name};
    pub use crate::tridiagonal::kernels::all::permutations as all_permutations;
    pub use crate::tridiagonal::kernels::{Program, Step};
    pub use crate::tridiagonal::plan::permutations;
    use crate::tridiagonal::{Form, Shape};

    /// Entries of a vector of this form; None past `usize`.
    pub fn form_len(form: Form, shape: &Shape) -> Option<usize> {
        form.len(shape)
    }

    /// The place of a row's entry in a vector of this form.
    pub fn form_place(form: Form, shape: &Shape, system: usize, row: usize) -> usize {
        form.place(shape, system, row)
    }
}

/// Dense triangular systems.
pub mod triangular {
    use crate::triangular::Options;
    pub use crate::triangular::choice::{default_algorithm, default_policy, fits, key};
    pub use crate::triangular::factored::permutations as factored_permutations;
    pub use crate::triangular::kernels::{TriangularParams, permutations};

    /// Whether the matrix that is solved with is an upper one, solved from its last row.
    pub fn reversed(options: &Options) -> bool {
        options.reversed()
    }

    /// Whether the entries of a row of that matrix lie side by side.
    pub fn across(options: &Options) -> bool {
        options.across()
    }
}

/// Linear recurrences.
pub mod recurrence {
    pub use crate::recurrence::kernels::permutations;
    pub use crate::recurrence::p_scheme_key;
}

/// Moebius recurrences.
pub mod moebius {
    pub use crate::recurrence::moebius::kernels::permutations;
}

/// Filters.
pub mod filter {
    pub use crate::filter::kernels::permutations;
    pub use crate::judge::thresholds::MOST_FILTER_NOISE;
}

/// Quasi-tridiagonal systems.
pub mod quasi_tridiagonal {
    pub use crate::quasi_tridiagonal::kernels::QuasiParams;
    pub use crate::quasi_tridiagonal::permutations::permutations;
    pub use crate::quasi_tridiagonal::policy::{default_policy, key};
}
