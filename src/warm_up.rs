//! Kernels compiled ahead of the plans that need them.

use std::thread::{Builder, JoinHandle};

use crate::error::{Error, Result};
use crate::filter::{self, Bank};
use crate::gpu::Gpu;
use crate::plan::Shape;
use crate::precision::Precision;
use crate::real::Real;
use crate::recurrence::{self, moebius};
use crate::shader::Permutation;
use crate::triangular;
use crate::tridiagonal;

/// A plan to come, whose kernels [`Gpu::warm_up`] compiles.
///
/// Quasi-tridiagonal plans and those with formulas are not among them: the kernels of the former depend on the matrix, and a `Gpu` keeps those of the
/// latter only as long as a plan has them. Make such a plan in another thread: plans are `Send` and `Sync`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Upcoming {
    /// A [`TridiagonalPlan`](tridiagonal::TridiagonalPlan) and its host solves.
    Tridiagonal(Precision, Shape, tridiagonal::Options),
    /// A [`TriangularPlan`](triangular::TriangularPlan).
    Triangular(Precision, triangular::Shape, triangular::Options),
    /// A [`RecurrencePlan`](recurrence::RecurrencePlan) for s and t from vectors.
    Recurrence(Precision, Shape, recurrence::Options),
    /// A [`MoebiusPlan`](moebius::MoebiusPlan) for a, b, c and d from vectors.
    Moebius(Precision, Shape, moebius::Options),
    /// A [`FilterPlan`](filter::FilterPlan).
    Filter(Precision, Shape, Bank, filter::Options),
}

impl Upcoming {
    fn permutations(&self, gpu: &Gpu) -> Result<Vec<Permutation>> {
        let (Self::Tridiagonal(precision, ..)
        | Self::Triangular(precision, ..)
        | Self::Recurrence(precision, ..)
        | Self::Moebius(precision, ..)
        | Self::Filter(precision, ..)) = self;
        match precision {
            Precision::F32 => self.permutations_in::<f32>(gpu),
            Precision::F64 => self.permutations_in::<f64>(gpu),
        }
    }

    fn permutations_in<T: Real>(&self, gpu: &Gpu) -> Result<Vec<Permutation>> {
        match self {
            Self::Tridiagonal(_, shape, options) => tridiagonal::plan::upcoming::<T>(gpu, shape, options),
            Self::Triangular(_, shape, options) => triangular::plan::upcoming::<T>(gpu, shape, options),
            Self::Recurrence(_, shape, options) => recurrence::plan::upcoming::<T>(gpu, shape, options),
            Self::Moebius(_, shape, options) => moebius::plan::upcoming::<T>(gpu, shape, options),
            Self::Filter(_, shape, bank, options) => filter::plan::upcoming::<T>(gpu, shape, bank, options),
        }
    }
}

/// A compilation in a thread of its own. Dropping this does not stop it.
#[derive(Debug)]
#[must_use = "its errors are lost if nothing waits for it"]
pub struct WarmUp {
    thread: JoinHandle<Result<()>>,
}

impl WarmUp {
    /// Whether all is compiled, or an error was met. Never waits.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// That of the first plan that cannot be made, as its `new` returns it; the kernels of all other plans are compiled nevertheless. [`Error::Kernel`] if the
    /// compiler stops.
    pub fn wait(self) -> Result<()> {
        let stopped = |_| {
            Err(Error::Kernel { kernel: "a kernel of a plan to come".into(), message: "the compiler stopped".into() })
        };
        self.thread.join().unwrap_or_else(stopped)
    }
}

impl Gpu {
    /// Compiles the kernels of plans to come, and returns at once: a thread compiles them in parallel, on all cores. A plan made
    /// afterwards finds them; a plan made meanwhile compiles for itself what is missing. Allocates no device memory for the plans.
    ///
    /// A kernel takes a few milliseconds to a second to compile, by the driver, and a plan has one to about ten. A `Gpu`
    /// keeps the last 256 kernels that no plan uses (64 on a software driver). Binding in place, or constants in place of vectors, may compile more. (A software driver compiles once more when a kernel first runs.)
    ///
    /// ```no_run
    /// use trisolve::tridiagonal::{Options, Shape, TridiagonalPlan};
    /// use trisolve::{Gpu, Precision, Upcoming};
    ///
    /// let gpu = Gpu::new()?;
    /// let (shape, options) = (Shape::interleaved(64, 1000), Options::default());
    /// let warm_up = gpu.warm_up(&[Upcoming::Tridiagonal(Precision::F32, shape, options)])?;
    /// // load a level, draw frames; then
    /// if warm_up.is_finished() {
    ///     warm_up.wait()?;
    ///     let plan = TridiagonalPlan::<f32>::new(&gpu, shape, options)?;
    /// }
    /// # Ok::<(), trisolve::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the system starts no thread. Those of the plans: [`WarmUp::wait`].
    pub fn warm_up(&self, plans: &[Upcoming]) -> Result<WarmUp> {
        let (gpu, plans) = (self.clone(), plans.to_vec());
        let compile = move || {
            let all: Vec<_> = plans.iter().map(|plan| plan.permutations(&gpu)).collect();
            let possible: Vec<_> = all.iter().flatten().flatten().cloned().collect();
            gpu.kernels(&possible)?;
            all.into_iter().collect::<Result<Vec<_>>>().map(|_| ())
        };
        let thread = Builder::new().name("warm-up".into()).spawn(compile);
        let thread = thread.map_err(|error| Error::Unsupported {
            what: format!("a thread of its own ({error})"),
            hint: "make the plans, which compile their kernels".into(),
        })?;
        Ok(WarmUp { thread })
    }
}
