//! Matrices for many solves: their diagonal blocks are inverted once.

mod factoring;
mod kernels;

use std::sync::OnceLock;

use factoring::{Tiles, factor};
#[cfg(feature = "internals")]
pub use kernels::permutations;

use super::host::{Solution, check_diagonal, check_len};
use super::kernels::TriangularAccess;
use super::options::Algorithm;
use super::plan::TriangularPlan;
use super::programs::form;
use super::shape::Shape;
use super::system::DeviceSystem;
use crate::check::Check;
use crate::error::{Error, Result};
use crate::gpu::{DeviceSlice, DeviceVector, Stopwatch, Timing};
use crate::place::Place;
use crate::plan::{Bound, Runs, Starts, Vector, Vectors, bind_numbered};
use crate::real::Real;

/// The matrices of a plan on the device, with inverted diagonal blocks, for many solves.
///
/// A solve takes a launch per block row: x_k = D_k^-1 r_k - (D_k^-1 A_k,k-1) x_k-1 in block row k, and r_j -= A_j,k-1 x_k-1 in all later ones. Each is a
/// matrix-vector product, which reads its numbers in the order of their addresses. A block has all rows of the matrix, but at most 4096.
///
/// Bitwise reproducible. Needs no waiting workgroups, in f64 no 64-bit integers.
///
/// # Numbers
/// D^-1 and D^-1 A come from substitution column by column, so that D D^-1 - I is small componentwise (N. J. Higham, "Stability of parallel triangular
/// system solvers", 1995). The products may round up to || |D^-1| |D| || times as much as substitution does. The limit is 64, or b / 8 for blocks of b >=
/// 512 rows. If one block exceeds it, all blocks are halved. If blocks of 64 rows exceed it, the plan's own algorithm solves ([`Factored::block`] is
/// `None`). Batches of 64 and more systems that auto solves in a workgroup each are not factored either: that takes less time.
///
/// Made by [`TriangularPlan::factor`] or [`TriangularPlan::factor_device`].
#[derive(Debug)]
pub struct Factored<T> {
    plan: TriangularPlan<T>,
    matrix: Kept<T>,
    host: OnceLock<Vec<T>>,
    timing: Timing,
}

/// Batches of at least this many systems that a workgroup each solves are not factored.
const FEWEST_UNFACTORED: usize = 64;

/// What is kept of the matrices.
#[derive(Debug)]
enum Kept<T> {
    /// The matrices as given, which the plan's own algorithm solves.
    Given(DeviceVector<T>),
    /// Tiles, and for host solves that check their answers the matrices as given.
    Tiles(Tiles, Option<DeviceVector<T>>),
}

impl<T: Real> TriangularPlan<T> {
    /// Copies matrices from host memory and factors them, to solve with them many times.
    ///
    /// Costs about n b^2 multiplications for blocks of b rows, in n / b steps. Takes about n^2 / 2 numbers of device memory per
    /// matrix, and meanwhile at least 3 b^2 more. A copy of the matrices as given is kept beside them, for the checks of host solves: not with
    /// [`Check::Off`], unless the plan's own algorithm has to solve.
    ///
    /// # Errors
    /// [`Error::Options`] for [`Place::Cpu`]; [`Error::Unsupported`] for trapezoids; [`Error::Length`], [`Error::ZeroDiagonal`], [`Error::NonFiniteInput`]
    /// for the diagonal; [`Error::Limit`], [`Error::OutOfMemory`], [`Error::DeviceLost`], [`Error::Kernel`].
    pub fn factor(&self, matrix: &[T]) -> Result<Factored<T>> {
        self.check_factored()?;
        check_len("matrix", self.shape.matrix_len(), matrix.len())?;
        check_diagonal(&self.options, &self.shape, matrix)?;
        let mut watch = Stopwatch::start();
        let own = self.matrix_vector()?;
        own.write(&self.gpu, 0, matrix)?;
        watch.lap(|timing| &mut timing.uploading);
        self.factored(own, u32::MAX, watch)
    }

    /// As [`TriangularPlan::factor`], for matrices in device memory, which are copied. Waits for the device.
    ///
    /// # Errors
    /// As [`TriangularPlan::factor`], and [`Error::BufferUsage`] for buffers without COPY_SRC, [`Error::BufferTooSmall`], [`Error::Misaligned`].
    pub fn factor_device(&self, matrix: DeviceSlice<'_, T>) -> Result<Factored<T>> {
        self.factor_device_with(matrix, u32::MAX)
    }

    /// As [`TriangularPlan::factor_device`], with blocks of at most so many rows: for tests.
    ///
    /// # Errors
    /// As [`TriangularPlan::factor_device`].
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn factor_in_blocks(&self, matrix: DeviceSlice<'_, T>, block: u32) -> Result<Factored<T>> {
        self.factor_device_with(matrix, block)
    }

    fn factor_device_with(&self, matrix: DeviceSlice<'_, T>, most_block: u32) -> Result<Factored<T>> {
        self.check_factored()?;
        let len = self.shape.matrix_len().unwrap_or(usize::MAX);
        if matrix.len() < len {
            return Err(Error::Length { vector: "matrix", expected: format!("at least {len}"), found: matrix.len() });
        }
        let mut watch = Stopwatch::start();
        let own = self.matrix_vector()?;
        own.copy_part(&self.gpu, "matrix", &matrix, len)?;
        watch.lap(|timing| &mut timing.uploading);
        self.factored(own, most_block, watch)
    }

    fn check_factored(&self) -> Result<()> {
        if self.options.place == Place::Cpu {
            return Err(Error::Options(
                "Place::Cpu with a factored matrix, which stays on the device: plan with Place::Device".into(),
            ));
        }
        if self.shape.is_trapezoid() {
            let what = "factoring a trapezoid (fewer stored columns than rows)".into();
            return Err(Error::Unsupported { what, hint: "solve with the plan, or factor its triangle".into() });
        }
        Ok(())
    }

    /// Whether the plan's algorithm takes less time than factored matrices: batches of systems that a workgroup solves.
    fn is_fast_as_given(&self) -> bool {
        let of_workgroup = matches!(self.algorithm, Algorithm::Single | Algorithm::Abreast);
        self.shape.n == 0
            || of_workgroup && self.options.algorithm == Algorithm::Auto && self.shape.batch >= FEWEST_UNFACTORED
    }

    /// Memory for the matrices, and the whole units that kernels load.
    fn matrix_vector(&self) -> Result<DeviceVector<T>> {
        let len = self.shape.matrix_len().unwrap_or(usize::MAX);
        DeviceVector::new(&self.gpu, "matrix", len.next_multiple_of(4))
    }

    fn factored(&self, matrix: DeviceVector<T>, most_block: u32, mut watch: Stopwatch) -> Result<Factored<T>> {
        let Self { gpu, shape, options, .. } = self;
        let tiles = match self.is_fast_as_given() && most_block == u32::MAX {
            true => None,
            false => factor(self, matrix.as_slice(), most_block)?,
        };
        let matrix = match tiles {
            Some(tiles) => Kept::Tiles(tiles, (options.check != Check::Off).then_some(matrix)),
            None => Kept::Given(matrix),
        };
        let plan = Self::new(gpu, *shape, *options)?;
        watch.lap(|timing| &mut timing.planning);
        Ok(Factored { plan, matrix, host: OnceLock::new(), timing: watch.timing() })
    }
}

impl<T: Real> Factored<T> {
    /// Ties it to vectors in device memory, laid out as the plan's [`Shape`] says: right-hand sides, and unknowns (`None`: they overwrite the right-hand
    /// sides).
    ///
    /// # Errors
    /// As [`TriangularPlan::bind`].
    pub fn bind(&self, rhs: DeviceSlice<'_, T>, x: Option<DeviceSlice<'_, T>>) -> Result<Bound> {
        let Self { plan, matrix, .. } = self;
        let Tiles { tiling, program, scratch } = match matrix {
            Kept::Tiles(tiles, _) => tiles,
            Kept::Given(matrix) => return plan.bind(&DeviceSystem { matrix: matrix.as_slice(), rhs, x }),
        };
        let TriangularPlan { gpu, shape, options, .. } = plan;
        let len = shape.vector_len().unwrap_or(usize::MAX);
        let vector = |name, slice| Vector { name, slice, len, in_rows: false };
        let vectors = Vectors {
            inputs: vec![vector("rhs", rhs)],
            output: x.map_or(vector("rhs (in place)", rhs), |x| vector("x", x)),
            in_place: x.is_none().then_some("rhs"),
            starts: Starts::Aligned,
            textures: vec![],
        };
        let form = form(shape, options, false, false);
        bind_numbered(
            gpu,
            (shape.n, shape.columns),
            (program, scratch),
            (&vectors, &[]),
            false,
            |kernel, writable_inputs| {
                tiling.permutation(T::PRECISION, TriangularAccess { writable_inputs, ..form }, kernel)
            },
        )
    }

    /// Solves for right-hand sides in host memory, and checks the answers, as [`TriangularPlan::solve`] does. The first check reads the matrices back.
    ///
    /// # Errors
    /// As [`TriangularPlan::solve`].
    pub fn solve(&self, rhs: &[T]) -> Result<Vec<T>> {
        self.solved(rhs, Runs::Once).map(|solution| solution.x)
    }

    /// As [`Factored::solve`], with the accuracy and the time. [`Solution::algorithm`] is that of [`Factored::algorithm`].
    ///
    /// # Errors
    /// As [`TriangularPlan::solve`].
    pub fn solve_reported(&self, rhs: &[T]) -> Result<Solution<T>> {
        self.solved(rhs, Runs::Timed)
    }

    fn solved(&self, rhs: &[T], runs: Runs) -> Result<Solution<T>> {
        let Self { plan, .. } = self;
        let mut watch = Stopwatch::start();
        check_len("rhs", plan.shape.vector_len(), rhs.len())?;
        let bind = |right: DeviceSlice<'_, T>, x: DeviceSlice<'_, T>| self.bind(right, Some(x));
        let solution = plan.solved_on_device(bind, || self.on_host(), rhs, runs, &mut watch)?;
        Ok(Solution { algorithm: self.algorithm(), ..solution })
    }

    /// The matrices on the host, if they are kept. The first call reads them back.
    fn on_host(&self) -> Result<Option<&[T]>> {
        if let Some(host) = self.host.get() {
            return Ok(Some(host));
        }
        let (Kept::Given(matrix) | Kept::Tiles(_, Some(matrix))) = &self.matrix else { return Ok(None) };
        let mut read = matrix.read(&self.plan.gpu)?;
        read.truncate(self.plan.shape.matrix_len().unwrap_or(usize::MAX));
        Ok(Some(self.host.get_or_init(|| read)))
    }

    fn tiles(&self) -> Option<&Tiles> {
        match &self.matrix {
            Kept::Tiles(tiles, _) => Some(tiles),
            Kept::Given(_) => None,
        }
    }

    /// The plan's own algorithm; [`Algorithm::LaunchSynced`] stands for a solve with inverted blocks ([`Factored::block`]).
    pub fn algorithm(&self) -> Algorithm {
        if self.tiles().is_some() { Algorithm::LaunchSynced } else { self.plan.algorithm }
    }

    /// Rows of an inverted block; `None` if no inverses are used.
    pub fn block(&self) -> Option<usize> {
        self.tiles().map(|tiles| tiles.tiling.block as usize)
    }

    /// The shape that it was made for.
    pub fn shape(&self) -> &Shape {
        &self.plan.shape
    }

    /// Dispatches of one solve; in place, one more.
    pub fn dispatches(&self) -> usize {
        self.tiles().map_or_else(|| self.plan.dispatches(), |tiles| tiles.program.steps.len())
    }

    /// Where the time went in which the matrices were factored: planning, with the factoring itself, and uploading.
    pub fn timing(&self) -> Timing {
        self.timing
    }

    /// Bytes of device memory that it holds.
    pub fn device_bytes(&self) -> u64 {
        let tiles = self.tiles().map_or(&[][..], |tiles| &tiles.scratch);
        let given = match &self.matrix {
            Kept::Given(matrix) => Some(matrix),
            Kept::Tiles(_, matrix) => matrix.as_ref(),
        };
        tiles.iter().chain(given.map(DeviceVector::buffer)).map(wgpu::Buffer::size).sum::<u64>()
            + self.plan.scratch_bytes()
    }

    /// Bytes of device memory that a solve reads and writes per row of the matrix, for all right-hand sides.
    pub fn bytes_per_row(&self) -> f64 {
        match self.tiles() {
            Some(tiles) => tiles.program.values_per_row * T::PRECISION.bytes() as f64,
            None => self.plan.bytes_per_row(),
        }
    }

    /// Fills the vectors between launches with NaN, which exposes reads of unwritten values.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn poison_scratch(&self) {
        if let Some(vectors) = self.tiles().and_then(|tiles| tiles.scratch.last()) {
            self.plan.gpu.queue().write_buffer(vectors, 0, &vec![0xff; vectors.size() as usize]);
        }
    }
}
