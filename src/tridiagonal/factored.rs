//! Matrices for many solves: work that depends on the matrix alone is done once.

use std::sync::OnceLock;

use super::algorithms::Algorithm;
use super::algorithms::KernelId;
use super::algorithms::partition::kernels::PartitionKernel;
use super::choice::Known;
use super::host::{Given, Solution, check_target, into};
use super::kernels::gate::{BOTH, COUPLED, NOT_DOMINANT, SOUND, VERDICTS_AT};
use super::kernels::{Gate, Step};
use super::options::{Diagonal, Options, Stability, Structure};
use super::plan::TridiagonalPlan;
use super::staging::{Staging, range};
use super::system::{DeviceSystem, System, check_forms};
use crate::error::{Error, Result};
use crate::gpu::{DeviceSlice, DeviceVector, Stopwatch, Timing};
use crate::place::Place;
use crate::plan::{Bound, Shape, Slot, Status};
use crate::real::Real;

/// The matrices of a plan, kept on the device, with what was found: whether rows must be exchanged, whether slices may be solved alone, and
/// the correction of periodic matrices. A solve then moves the matrices, its right-hand sides and unknowns, and skips the dominance test
/// and the conditional dispatches. (The matrix itself is kept, not its factors: they have no fewer numbers, and each solve recomputes
/// them.)
///
/// All its solves run on the device, with [`Place::Fastest`] too; [`Place::Cpu`] is refused.
///
/// Made by [`TridiagonalPlan::factor`] or [`TridiagonalPlan::factor_device`].
#[derive(Debug)]
pub struct Factored<T> {
    plan: TridiagonalPlan<T>,
    matrix: [DeviceVector<T>; 3],
    /// The matrices on the host, for refinement by the judge and for explanations; and [`Given::is_moderate`].
    host: OnceLock<([Vec<T>; 3], bool)>,
    timing: Timing,
}

impl<T: Real> TridiagonalPlan<T> {
    /// Copies matrices from host memory, to solve with them many times. Compiles the remaining kernels, and runs them once. If the device
    /// breaks down on a matrix under [`Algorithm::Auto`] or [`Algorithm::Pivoting`], host solves return the CPU's answer, and recorded ones
    /// report [`Error::Breakdown`].
    ///
    /// # Errors
    /// As [`TridiagonalPlan::solve`], for the matrices alone.
    pub fn factor(&self, system: &System<'_, T>) -> Result<Factored<T>> {
        self.check_without_formulas("a factored matrix")?;
        self.check_form(system)?;
        system.check_matrix_lengths(&self.shape)?;
        let mut watch = Stopwatch::start();
        let matrix = self.matrix_vectors()?;
        self.upload_matrix(&matrix, system)?;
        watch.lap(|timing| &mut timing.uploading);
        self.factored(matrix, watch)
    }

    fn factored(&self, matrix: [DeviceVector<T>; 3], mut watch: Stopwatch) -> Result<Factored<T>> {
        let factored = self.factor_vectors(matrix)?;
        watch.lap(|timing| &mut timing.planning);
        Ok(Factored { timing: watch.timing(), ..factored })
    }

    /// As [`TridiagonalPlan::factor`], for matrices in device memory, which are copied. Waits for the device.
    ///
    /// # Errors
    /// As [`TridiagonalPlan::factor`], and [`Error::BufferUsage`] for buffers without COPY_SRC, [`Error::BufferTooSmall`],
    /// [`Error::Misaligned`].
    pub fn factor_device(&self, matrix: [DeviceSlice<'_, T>; 3]) -> Result<Factored<T>> {
        self.check_without_formulas("a factored matrix")?;
        check_forms(&self.options.matrix(), matrix.map(Some))?;
        let mut watch = Stopwatch::start();
        let own = self.matrix_vectors()?;
        let named = self.options.forms.named().into_iter().zip(matrix);
        for (((vector, form), slice), own) in named.zip(&own) {
            if vector == "lower" && self.options.structure == Structure::Symmetric {
                continue;
            }
            let len = form.len(&self.shape).unwrap_or(usize::MAX);
            if slice.len() < len {
                return Err(Error::Length { vector, expected: format!("at least {len}"), found: slice.len() });
            }
            own.copy_from(&self.gpu, vector, &slice)?;
        }
        watch.lap(|timing| &mut timing.uploading);
        self.factored(own, watch)
    }

    fn factor_vectors(&self, matrix: [DeviceVector<T>; 3]) -> Result<Factored<T>> {
        if self.options.place == Place::Cpu {
            return Err(Error::Options(
                "Place::Cpu with a factored matrix, which stays on the device: plan with Place::Device".into(),
            ));
        }
        let known = self.known(&matrix)?;
        let len = self.shape.rhs_len().unwrap_or(usize::MAX);
        let [rhs, x] = ["rhs", "x"].map(|label| DeviceVector::new(&self.gpu, label, len));
        let (rhs, x) = (rhs?, x?);
        let system = system_of(&matrix, rhs.as_slice(), Some(x.as_slice()));
        // The first solve, of zeros, does the work that is done once, and detects matrices that cannot be solved.
        let solved = |known| -> Result<(Self, Status)> {
            let plan = Self::knowing(&self.gpu, self.shape, self.options, known)?;
            let bound = plan.bind(&system)?;
            bound.submit()?;
            let status = bound.read_status()?;
            Ok((plan, status))
        };
        let (mut plan, mut status) = solved(known)?;
        // A verdict holds for the slices that were judged, those of one right-hand side per matrix; these may be others.
        if known == Some(Known::Alone) && plan.doubts_alone()? {
            (plan, status) = solved(None)?;
        }
        plan.program.values_per_row -= std::mem::take(&mut plan.program.values_once);
        let once = std::mem::take(&mut plan.program.once);
        plan.program.steps.drain(..once);
        if let Some(steps) = &mut plan.program.in_place {
            steps.drain(..once);
        }
        let factored = Factored { plan, matrix, host: OnceLock::new(), timing: Timing::default() };
        if status.check().is_err() {
            let system = factored.given()?.system;
            let right = rhs.read(&self.gpu)?;
            factored.plan.explain_input(&system, &right, status)?;
            if let Some((at, row)) = status.non_finite_result {
                // Judging a zero right-hand side fails only if the matrix itself is singular.
                system.judge(&self.shape, at).judge(&vec![T::ZERO; self.shape.n], None)?;
                if self.may_be_mended() {
                    return self.mending()?.factor_vectors(factored.matrix);
                }
                // For these algorithms, host solves return the CPU's answer, and recorded ones report the breakdown.
                if !matches!(self.algorithm, Algorithm::Auto | Algorithm::Pivoting) {
                    return Err(Error::Breakdown { system: at, row });
                }
            }
        }
        Ok(factored)
    }

    /// Whether a plan that solves slices alone has given a verdict against it.
    fn doubts_alone(&self) -> Result<bool> {
        let Some(verdicts) = self.program.steps.first().and_then(verdicts_in) else { return Ok(false) };
        Ok(self.verdicts(verdicts, self.shape.problems())?.iter().any(|verdict| *verdict != SOUND))
    }

    /// The verdicts on `problems` problems in a plan's scratch, whose last words they are.
    fn verdicts(&self, scratch: usize, problems: usize) -> Result<Vec<u32>> {
        let words = (self.program.scratch[scratch].bytes / 4) as usize;
        let read = self.gpu.start_reading::<f32>(&self.scratch[scratch], 0, words)?.wait(&self.gpu)?;
        Ok(read[words - problems..].iter().map(|word| word.to_bits()).collect())
    }

    /// Whether kernels that mend singular partitions may solve matrices that others cannot.
    fn may_be_mended(&self) -> bool {
        let Options { algorithm, diagonal, stability, .. } = self.options;
        matches!(algorithm, Algorithm::Auto | Algorithm::Pivoting)
            && (diagonal, stability) == (Diagonal::Value, Stability::Fastest)
    }

    /// The same plan with kernels that mend.
    fn mending(&self) -> Result<Self> {
        Self::new(&self.gpu, self.shape, self.options.stability(Stability::Stable))
    }

    /// Auto's decision for all matrices; `None` for other algorithms, or if the matrices differ.
    fn known(&self, matrix: &[DeviceVector<T>; 3]) -> Result<Option<Known>> {
        let single = Shape { columns: 1, ..self.shape };
        let mut judging = Self::knowing(&self.gpu, single, self.options, Some(Known::Asked))?;
        let Some((steps, verdicts)) = verdicts_of(&judging.program.steps) else {
            return Ok(None);
        };
        judging.program.steps.truncate(steps);
        let len = single.rhs_len().unwrap_or(usize::MAX);
        let [rhs, x] = ["rhs", "x"].map(|label| DeviceVector::<T>::new(&self.gpu, label, len));
        let (rhs, x) = (rhs?, x?);
        let bound = judging.bind(&system_of(matrix, rhs.as_slice(), Some(x.as_slice())))?;
        bound.submit()?;
        if let (true, Some(system)) = (self.options.dominant, bound.read_status()?.not_dominant) {
            return Err(Error::NotDominant { system });
        }
        let found = judging.verdicts(verdicts, single.batch)?;
        let not_dominant = found.iter().position(|verdict| [NOT_DOMINANT, BOTH].contains(verdict));
        if let (true, Some(system)) = (self.options.dominant, not_dominant) {
            return Err(Error::NotDominant { system });
        }
        let all = |verdicts: &[u32]| found.iter().all(|verdict| verdicts.contains(verdict));
        let alone = match judging.program.steps[0].kernel.kernel {
            KernelId::Partition(kernel) => matches!(kernel, PartitionKernel::Halo { .. }),
            KernelId::Twisted(kernel) => kernel.is_sliced(),
            _ => false,
        };
        Ok(match () {
            () if alone && all(&[SOUND]) => Some(Known::Alone),
            () if all(&[SOUND, COUPLED]) => Some(Known::Dominant),
            () if all(&[NOT_DOMINANT, BOTH]) => Some(Known::NotDominant),
            () => None,
        })
    }
}

/// The number of auto's steps before the verdicts are cleared, and the scratch that holds the verdicts.
fn verdicts_of(steps: &[Step]) -> Option<(usize, usize)> {
    let clearing = |step: &Step| {
        matches!(step.kernel.gate, Gate::Takes { .. }) || matches!(step.kernel.kernel, KernelId::Verdict(_))
    };
    let at = steps.iter().position(clearing)?;
    Some((at, verdicts_in(&steps[at])?))
}

/// The scratch in which a step finds or gives verdicts.
fn verdicts_in(step: &Step) -> Option<usize> {
    step.slots.iter().find_map(|slot| match slot {
        Slot::Scratch { binding: VERDICTS_AT, index } => Some(*index),
        _ => None,
    })
}

fn system_of<'a, T: Real>(
    [lower, diag, upper]: &'a [DeviceVector<T>; 3],
    rhs: DeviceSlice<'a, T>,
    x: Option<DeviceSlice<'a, T>>,
) -> DeviceSystem<'a, T> {
    DeviceSystem { lower: lower.as_slice(), diag: diag.as_slice(), upper: upper.as_slice(), rhs, x }
}

impl<T: Real> Factored<T> {
    /// Ties it to vectors in device memory: right-hand sides, and unknowns (`None`: they overwrite the right-hand sides).
    ///
    /// # Errors
    /// As [`TridiagonalPlan::bind`].
    pub fn bind(&self, rhs: DeviceSlice<'_, T>, x: Option<DeviceSlice<'_, T>>) -> Result<Bound> {
        self.plan.bind(&system_of(&self.matrix, rhs, x))
    }

    /// Solves for right-hand sides in host memory, and checks the answers, as [`TridiagonalPlan::solve`] does. The first check reads the
    /// matrices back.
    ///
    /// # Errors
    /// As [`TridiagonalPlan::solve`].
    pub fn solve(&self, rhs: &[T]) -> Result<Vec<T>> {
        self.with_staging(rhs, |staging, _| {
            self.plan.solve_staged(staging, || self.given(), rhs, |received| received.values(range::X))
        })
    }

    /// As [`Factored::solve`], but writes the answer into `x`. After an error, the contents of `x` are unspecified.
    ///
    /// # Errors
    /// As [`Factored::solve`]; [`Error::Length`] also for `x`.
    pub fn solve_into(&self, rhs: &[T], x: &mut [T]) -> Result<()> {
        check_target(rhs, x)?;
        self.with_staging(rhs, |staging, _| self.plan.solve_staged(staging, || self.given(), rhs, into(x)).map(|_| ()))
    }

    /// As [`Factored::solve`], with the accuracy and the time.
    ///
    /// # Errors
    /// As [`Factored::solve`].
    pub fn solve_reported(&self, rhs: &[T]) -> Result<Solution<T>> {
        self.with_staging(rhs, |staging, watch| self.plan.reported(staging, || self.given(), rhs, watch))
    }

    fn with_staging<R>(&self, rhs: &[T], run: impl FnOnce(&Staging<T>, Stopwatch) -> Result<R>) -> Result<R> {
        let Self { plan, .. } = self;
        let expected = plan.shape.rhs_len().unwrap_or(usize::MAX);
        if rhs.len() != expected {
            return Err(Error::Length { vector: "rhs", expected: expected.to_string(), found: rhs.len() });
        }
        let mut watch = Stopwatch::start();
        let staging = plan.kept_or(|| Staging::around(plan, &self.matrix))?;
        watch.lap(|timing| &mut timing.planning);
        staging.rhs.write(&plan.gpu, 0, rhs)?;
        watch.lap(|timing| &mut timing.uploading);
        let result = run(&staging, watch);
        plan.keep(staging, result.is_ok());
        result
    }

    /// The algorithm that solves the matrices; [`Algorithm::Auto`] if the matrices of a batch need different ones.
    pub fn algorithm(&self) -> Algorithm {
        self.plan.runs()
    }

    /// The shape that it was made for.
    pub fn shape(&self) -> &Shape {
        &self.plan.shape
    }

    /// Where the time went in which the matrices were factored: planning, with the solves that decide and factor, compiling and uploading.
    pub fn timing(&self) -> Timing {
        self.timing
    }

    /// Bytes of device memory that a solve reads and writes per row of one right-hand side.
    pub fn bytes_per_row(&self) -> f64 {
        self.plan.bytes_per_row()
    }

    fn on_host(&self) -> Result<&([Vec<T>; 3], bool)> {
        if let Some(host) = self.host.get() {
            return Ok(host);
        }
        let [lower, diag, upper] = self.matrix.each_ref().map(|vector| vector.read(&self.plan.gpu));
        let all = [lower?, diag?, upper?];
        let is_moderate = self.system(&all).is_moderate();
        Ok(self.host.get_or_init(|| (all, is_moderate)))
    }

    /// The matrices on the host. The first call reads them back.
    fn given(&self) -> Result<Given<'_, T>> {
        let (matrix, is_moderate) = self.on_host()?;
        Ok(Given { system: self.system(matrix), is_moderate: *is_moderate })
    }

    fn system<'a>(&self, [lower, diag, upper]: &'a [Vec<T>; 3]) -> System<'a, T> {
        let options = &self.plan.options;
        let lower = if options.structure == Structure::Symmetric { &[][..] } else { lower };
        System {
            kind: options.diagonal,
            structure: options.structure,
            forms: options.forms,
            periodic: options.periodic,
            ..System::new(lower, diag, upper)
        }
    }
}

/// The algorithms that a plan and its solves run.
impl<T: Real> TridiagonalPlan<T> {
    /// The algorithm that runs: auto's decision, if it is known.
    pub(super) fn runs(&self) -> Algorithm {
        match (self.algorithm, self.known) {
            (Algorithm::Auto, Some(Known::Alone | Known::Dominant)) => Algorithm::Partition,
            (Algorithm::Auto, Some(Known::NotDominant)) => Algorithm::Pivoting,
            (named, _) => named,
        }
    }

    /// The algorithm that a solve with this status ran.
    pub(super) fn ran(&self, status: Status) -> Algorithm {
        match (self.runs(), status.pivoted) {
            (Algorithm::Auto, Some(_)) => Algorithm::Pivoting,
            (Algorithm::Auto, None) => Algorithm::Partition,
            (named, _) => named,
        }
    }
}
