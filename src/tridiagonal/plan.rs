//! Plans: an algorithm chosen for a shape, compiled, with its scratch.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex};

use super::bound::{Bound, bind_program};
use super::choice::{Chosen, choose};
use super::host;
use super::kernels::{Access, RowAccess};
use super::options::{Algorithm, Diagonal, Options};
use super::policy::Policy;
use super::program::{Params, Program, Scratch, Step};
use super::shape::Shape;
use super::system::DeviceSystem;
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::gpu::wgsl::{Permutation, Precision};
use crate::real::Real;

/// The solution of every system of a [`Shape`], planned once.
///
/// Owns the scratch between the dispatches: solves bound from one plan share it, which is safe
/// on the device's one queue.
#[derive(Debug)]
pub struct TridiagonalPlan<T> {
    pub(crate) gpu: Gpu,
    pub(crate) shape: Shape,
    pub(crate) options: Options,
    pub(crate) algorithm: Algorithm,
    policy: Policy,
    pub(crate) program: Program,
    pub(crate) scratch: Vec<wgpu::Buffer>,
    /// Device vectors of the last host solve, kept for the next.
    pub(crate) host: Arc<Mutex<Option<host::Staging<T>>>>,
    marker: PhantomData<T>,
}

impl<T: Real> TridiagonalPlan<T> {
    /// Chooses an algorithm, compiles its kernels and allocates its scratch.
    ///
    /// # Errors
    /// [`Error::Shape`] for sizes of 0 or strides that make entries share a place;
    /// [`Error::Limit`] where a vector or the scratch is larger than one binding;
    /// [`Error::Unsupported`] for f64 without `SHADER_F64`; [`Error::OutOfMemory`];
    /// [`Error::DeviceLost`]; [`Error::Kernel`]; [`Error::Options`] and
    /// [`Error::Limit`] for a policy that is of another algorithm, not legal or too large for the device.
    pub fn new(gpu: &Gpu, shape: Shape, options: Options) -> Result<Self> {
        gpu.alive()?;
        check::<T>(gpu, &shape)?;
        let capabilities = gpu.proven_capabilities()?;
        let params = Params::new(&shape);
        let Chosen { algorithm, policy, program } = choose(gpu, capabilities, T::PRECISION, &options, params)?;
        for permutation in permutations(&program.steps, T::PRECISION, &shape, &options) {
            gpu.kernel(&permutation)?;
        }
        let scratch = program
            .scratch
            .iter()
            .map(|&Scratch { bytes, initial }| {
                let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
                let buffer = gpu.allocate("tridiagonal scratch", bytes, usage)?;
                if let Some(initial) = initial {
                    let contents = vec![initial; buffer.size() as usize];
                    gpu.guarded("an upload", bytes, || gpu.queue().write_buffer(&buffer, 0, &contents))?;
                }
                Ok(buffer)
            })
            .collect::<Result<_>>()?;
        Ok(Self {
            gpu: gpu.clone(),
            shape,
            options,
            algorithm,
            policy,
            program,
            scratch,
            host: Arc::default(),
            marker: PhantomData,
        })
    }

    /// How the algorithm divides its work.
    pub fn policy(&self) -> Policy {
        self.policy
    }

    /// The shape planned for.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The algorithm that was chosen; never [`Algorithm::Auto`].
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Dispatches of one solve.
    pub fn dispatches(&self) -> usize {
        self.program.steps.len()
    }

    /// Bytes of device memory that a solve reads and writes for a row of one right-hand side,
    /// counting nothing twice that a cache should hold.
    pub fn bytes_per_row(&self) -> f64 {
        self.program.values_per_row * T::PRECISION.bytes() as f64
    }

    /// Bytes of device memory that the plan holds for itself.
    pub fn scratch_bytes(&self) -> u64 {
        self.scratch.iter().map(wgpu::Buffer::size).sum()
    }

    /// Fills the scratch with NaN, so that a read of what nothing wrote shows.
    #[cfg(feature = "testing")]
    pub(crate) fn poison_scratch(&self) {
        let own = |scratch: &&Scratch| scratch.initial.is_none();
        let all = self.program.scratch.iter().zip(&self.scratch);
        for (_, buffer) in all.filter(|(scratch, _)| own(scratch)) {
            self.gpu.queue().write_buffer(buffer, 0, &vec![0xff; buffer.size() as usize]);
        }
    }

    /// Ties the plan to vectors in device memory. Allocates bind groups, parameters and status
    /// words, and compiles once more where inputs share a buffer with x or are not aligned to
    /// four numbers; recording the result allocates nothing.
    ///
    /// `system.diag` holds what the plan's [`Options::diagonal`] says.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Misaligned`], [`Error::BufferTooSmall`],
    /// [`Error::BufferUsage`], [`Error::Overlap`], and [`Error::Device`] for buffers of another
    /// device of the same wgpu instance. Buffers of another *instance* cannot be told from one's
    /// own (wgpu numbers both alike): never bind a [`DeviceVector`](crate::DeviceVector) of one
    /// [`Gpu`] with the plan of another.
    pub fn bind(&self, system: &DeviceSystem<'_, T>) -> Result<Bound> {
        bind_program(self, system)
    }
}

/// The kernels of a plan, for inputs that lie apart from x.
pub(super) fn permutations(steps: &[Step], precision: Precision, shape: &Shape, options: &Options) -> Vec<Permutation> {
    let excess = options.diagonal == Diagonal::Excess;
    let access = Access { rows: RowAccess::of(shape), writable_inputs: false, excess };
    steps.iter().map(|step| step.kernel.permutation(precision, access)).collect()
}

/// Compiles the kernels of plans to come, several at once; those that cannot be made are left out.
#[cfg(feature = "testing")]
pub(crate) fn compile_ahead(gpu: &Gpu, plans: &[(Precision, Shape, Options)]) {
    let Ok(capabilities) = gpu.proven_capabilities() else {
        return;
    };
    let possible = |precision, shape| match precision {
        Precision::F32 => check::<f32>(gpu, shape),
        Precision::F64 => check::<f64>(gpu, shape),
    };
    let chosen = plans.iter().filter_map(|(precision, shape, options)| {
        possible(*precision, shape).ok()?;
        let chosen = choose(gpu, capabilities, *precision, options, Params::new(shape)).ok()?;
        Some(permutations(&chosen.program.steps, *precision, shape, options))
    });
    gpu.compile_ahead(chosen.flatten());
}

/// What has to hold before an algorithm is chosen.
fn check<T: Real>(gpu: &Gpu, shape: &Shape) -> Result<()> {
    check_precision::<T>(gpu)?;
    shape.validate()?;
    check_limits::<T>(gpu, shape)
}

/// [`Error::Unsupported`] where the device lacks the precision.
pub(crate) fn check_precision<T: Real>(gpu: &Gpu) -> Result<()> {
    if T::PRECISION == Precision::F64 && !gpu.capabilities().features.f64 {
        return Err(Error::Unsupported {
            what: format!("f64 on {}", gpu.info().name),
            hint: "the device needs wgpu's SHADER_F64 (Vulkan only; a device of your own gets it with \
                   `trisolve::wanted_features`); use f32, whose carried complements keep dominant systems \
                   accurate, or the `cpu` references"
                .into(),
        });
    }
    Ok(())
}

/// [`Error::Limit`] where one binding cannot hold so much.
pub(crate) fn check_binding(gpu: &Gpu, what: &str, bytes: u64) -> Result<()> {
    let limits = &gpu.capabilities().limits;
    if bytes > limits.max_storage_buffer_binding_size {
        return Err(Error::Limit {
            what: format!("{what} (in bytes)"),
            needed: bytes,
            limit: "max_storage_buffer_binding_size",
            available: limits.max_storage_buffer_binding_size,
        });
    }
    Ok(())
}

/// Rows in all, or entries between two rows.
const MOST_NUMBERED: u64 = 1 << 31;

fn check_limits<T: Real>(gpu: &Gpu, shape: &Shape) -> Result<()> {
    let overflow = || shape.past_addresses();
    let matrix = shape.matrix_len().ok_or_else(overflow)? as u64;
    let right = shape.rhs_len().ok_or_else(overflow)? as u64;
    for (what, len) in [("each of lower, diag and upper", matrix), ("each of rhs and x", right)] {
        check_binding(gpu, what, len.saturating_mul(T::PRECISION.bytes()))?;
    }
    // Rows are numbered in u32, rounded up to powers of two, with the last number free for "none".
    let rows = (shape.n as u64).saturating_mul(shape.batch as u64).saturating_mul(shape.columns as u64);
    // Strides that are never taken (a batch of one) may still be large.
    let stride =
        [shape.layout.element_stride, shape.layout.system_stride, shape.layout.group_stride, shape.column_stride]
            .into_iter()
            .max()
            .unwrap_or(0) as u64;
    for (what, needed) in [("the rows of all right-hand sides", rows), ("the largest stride", stride)] {
        if needed > MOST_NUMBERED {
            let available = MOST_NUMBERED;
            return Err(Error::Limit { what: what.into(), needed, limit: "numbering by u32", available });
        }
    }
    Ok(())
}
