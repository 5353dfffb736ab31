//! Plans: an algorithm chosen for a shape, compiled, with its scratch.

use std::marker::PhantomData;
use std::time::Duration;

use super::kernels::Form;
use super::options::{Algorithm, Direction, Options};
use super::p_scheme;
use super::policy::Policy;
use super::programs::{Program, program, spread};
use super::system::{Coefficient, DeviceCoefficient, DeviceRecurrence, Recurrence};
use crate::error::{Error, Result};
use crate::gpu::wgsl::Precision;
use crate::gpu::{DeviceVector, Gpu, PassTimer};
use crate::plan::{
    Bound, Params, RowAccess, Shape, bind, check_binding, check_numbering, check_precision, check_scratch,
};
use crate::real::Real;

/// Values with what is known of them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Solution<T> {
    /// The values, laid out as the coefficients.
    pub w: Vec<T>,
    /// The last value of each sequence (the first row's, in reverse): the initial value of what follows. On the
    /// device it lies in w.
    pub final_state: Vec<T>,
    /// The algorithm that ran.
    pub algorithm: Algorithm,
    /// Seconds of the solve alone: the device's where it has timestamps, else the host's.
    pub seconds: f64,
}

/// Recurrences of every sequence of a [`Shape`], planned once.
///
/// Owns the scratch between the dispatches: solves bound from one plan share it, which is safe on the
/// device's one queue.
#[derive(Debug)]
pub struct RecurrencePlan<T> {
    gpu: Gpu,
    shape: Shape,
    options: Options,
    algorithm: Algorithm,
    policy: Option<Policy>,
    program: Program,
    scratch: Vec<wgpu::Buffer>,
    withheld: Option<u32>,
    costly: Option<u32>,
    marker: PhantomData<T>,
}

impl<T: Real> RecurrencePlan<T> {
    /// Chooses an algorithm, compiles its kernels and allocates its scratch.
    ///
    /// # Errors
    /// [`Error::Shape`] for sizes of 0, strides that make entries share a place, or several columns;
    /// [`Error::Limit`] where a vector or the scratch is larger than one binding; [`Error::Unsupported`]
    /// for f64 without `SHADER_F64` or 64-bit integers, and for [`Algorithm::OnePass`] where sequences lie closer
    /// than rows; [`Error::Options`] for [`Algorithm::OnePass`] that should be
    /// deterministic, and for a policy of another algorithm or with a number that is not legal ([`Error::Limit`] for
    /// one too large for the device); [`Error::OutOfMemory`]; [`Error::DeviceLost`]; [`Error::Kernel`].
    pub fn new(gpu: &Gpu, shape: Shape, options: Options) -> Result<Self> {
        gpu.alive()?;
        check_precision::<T>(gpu)?;
        shape.validate()?;
        if shape.columns != 1 {
            return Err(Error::Shape(format!(
                "{} columns: a recurrence has one; make them sequences of the batch",
                shape.columns
            )));
        }
        let rows = shape.matrix_len().ok_or_else(|| shape.past_addresses())? as u64;
        check_binding(gpu, "each of s, t and w", rows.saturating_mul(T::PRECISION.bytes()))?;
        check_numbering(&shape)?;
        let capabilities = gpu.proven_capabilities()?;
        let params = Params::new(&shape);
        let spread = spread(capabilities, T::PRECISION, &params);
        if T::PRECISION == Precision::F64 && !capabilities.features.int64_atomics {
            return Err(Error::Unsupported {
                what: "recurrences in f64".into(),
                hint:
                    "their kernels take exponents apart with 64-bit integers, which this device has not; take f32, or \
                       cpu::recurrence"
                        .into(),
            });
        }
        let one_pass = !params.systems_first() && !options.deterministic;
        let algorithm = match options.algorithm {
            Algorithm::Auto if one_pass && spread.slices > 1 => Algorithm::OnePass,
            Algorithm::Auto => Algorithm::ThreeLaunch,
            Algorithm::OnePass if options.deterministic => {
                return Err(Error::Options(
                    "one-pass composes what it meets first, so its last bits depend on timing: take three-launch or \
                     auto for a deterministic solve"
                        .into(),
                ));
            }
            Algorithm::OnePass if !one_pass => {
                return Err(Error::Unsupported {
                    what: "one-pass for this layout".into(),
                    hint: "it takes sequences whose rows lie closer than the sequences; take three-launch or auto"
                        .into(),
                });
            }
            named => named,
        };
        let policy = policy(gpu, T::PRECISION, &options, &params)?;
        let program = match policy {
            Some(Policy::PScheme(policy)) => p_scheme::program(capabilities, T::PRECISION, policy, params)?,
            None => program(algorithm, T::PRECISION, spread, params),
        };
        for scratch in &program.scratch {
            check_scratch(gpu, algorithm.name(), scratch.bytes, T::PRECISION)?;
        }
        let form =
            Form { rows: RowAccess::of(&shape), reverse: options.direction == Direction::Reverse, ..Form::default() };
        for step in &program.steps {
            gpu.kernel(&step.kernel.permutation(T::PRECISION, form))?;
        }
        let scratch = program.allocate(gpu)?;
        Ok(Self {
            gpu: gpu.clone(),
            shape,
            options,
            algorithm,
            policy,
            program,
            scratch,
            withheld: None,
            costly: None,
            marker: PhantomData,
        })
    }

    /// How the algorithm divides its work, where that can vary.
    pub fn policy(&self) -> Option<Policy> {
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

    /// Bytes of device memory that a solve reads and writes for a row, with both coefficients from
    /// vectors.
    pub fn bytes_per_row(&self) -> f64 {
        self.program.values_per_row * T::PRECISION.bytes() as f64
    }

    /// How often a solve reads each coefficient, or moves it within device memory.
    pub fn reads(&self) -> f64 {
        match self.policy {
            Some(Policy::PScheme(policy)) => p_scheme::coefficient_moves(policy),
            None if self.program.steps.len() > 1 => 2.0,
            None => 1.0,
        }
    }

    /// Bytes of device memory that the plan holds for itself.
    pub fn scratch_bytes(&self) -> u64 {
        self.scratch.iter().map(wgpu::Buffer::size).sum()
    }

    /// Fills the scratch with NaN, so that a read of what nothing wrote shows.
    #[cfg(feature = "testing")]
    pub(crate) fn poison_scratch(&self) {
        self.program.poison(&self.gpu, &self.scratch);
    }

    /// Solves bound from now on have a slice that tells the others nothing in one pass, as if its workgroup
    /// had stopped.
    #[cfg(feature = "testing")]
    pub fn withhold(&mut self, slice: usize) {
        self.withheld = u32::try_from(slice).ok();
    }

    /// Solves of P-scheme bound from now on compute the factors, each by so many multiplications and as many
    /// divisions; what is bound for s has to be a constant, and is not read.
    #[cfg(feature = "testing")]
    pub(crate) fn make_costly(&mut self, pairs: u32) {
        self.costly = Some(pairs);
        p_scheme::without_factors(&mut self.program);
    }

    /// Ties the plan to vectors in device memory. Allocates bind groups, parameters, constants and status
    /// words, and compiles once more where coefficients are constant, there is an initial value for each
    /// sequence, or inputs share a buffer with w; recording the result allocates nothing.
    ///
    /// Of the [`Status`](crate::tridiagonal::Status) only the input's part is used: values that grow to
    /// infinity are answers.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Misaligned`], [`Error::BufferTooSmall`], [`Error::BufferUsage`],
    /// [`Error::Overlap`], [`Error::Options`] where w is to lie over coefficients that are constants.
    pub fn bind(&self, recurrence: &DeviceRecurrence<'_, T>) -> Result<Bound> {
        let Self { gpu, shape, program, scratch, .. } = self;
        gpu.alive()?;
        let bindable = recurrence.bindable(gpu)?;
        let vectors = recurrence.vectors(shape, &bindable)?;
        let reverse = self.options.direction == Direction::Reverse;
        let constants = recurrence.constants();
        bind(gpu, shape, program, scratch, &vectors, |kernel, rows, writable_inputs| {
            let Self { withheld, costly, .. } = *self;
            kernel.permutation(T::PRECISION, Form { rows, writable_inputs, reverse, constants, withheld, costly })
        })
    }

    /// Solves recurrences in host memory: uploads, solves, reads back.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::NonFiniteInput`], [`Error::OutOfMemory`], [`Error::DeviceLost`].
    pub fn solve(&self, recurrence: &Recurrence<'_, T>) -> Result<Vec<T>> {
        self.solve_reported(recurrence).map(|solution| solution.w)
    }

    /// As [`RecurrencePlan::solve`], with the time.
    ///
    /// # Errors
    /// As [`RecurrencePlan::solve`].
    pub fn solve_reported(&self, recurrence: &Recurrence<'_, T>) -> Result<Solution<T>> {
        recurrence.check_lengths(&self.shape)?;
        for (vector, part) in recurrence.parts() {
            self.check_finite(vector, part)?;
        }
        // As long as the solve takes.
        let uploaded = |(name, part)| match part {
            Coefficient::Constant(value) => Ok(Err(value)),
            Coefficient::Each(values) => DeviceVector::from_slice(&self.gpu, name, values).map(Ok),
        };
        let [s, t, initial] = recurrence.parts().map(uploaded);
        let uploaded = [s?, t?, initial?];
        let [s, t, initial] = uploaded.each_ref().map(|part| match part {
            Ok(vector) => DeviceCoefficient::Each(vector.as_slice()),
            Err(value) => DeviceCoefficient::Constant(*value),
        });
        let w = DeviceVector::<T>::new(&self.gpu, "w", self.shape.matrix_len().unwrap_or(usize::MAX))?;
        let system = DeviceRecurrence { s, t, initial, w: Some(w.as_slice()) };
        let bound = self.bind(&system)?;
        // Once untimed: the first run of a kernel may still be compiling.
        let samples = PassTimer::new(&self.gpu)?.measure(Duration::from_millis(1), 1, |pass| bound.record(pass))?;
        let w = w.read(&self.gpu)?;
        let last = if self.options.direction == Direction::Forward { self.shape.n - 1 } else { 0 };
        let final_state = (0..self.shape.batch).map(|system| w[self.shape.matrix_index(system, last)]).collect();
        Ok(Solution { w, final_state, algorithm: self.algorithm, seconds: samples.median() })
    }

    /// [`Error::NonFiniteInput`] for NaN or infinity among what a solve reads.
    fn check_finite(&self, vector: &'static str, part: Coefficient<'_, T>) -> Result<()> {
        let found = match part {
            Coefficient::Constant(value) => (!value.is_finite()).then_some((0, 0)),
            Coefficient::Each(values) if vector == "initial" => {
                values.iter().position(|value| !value.is_finite()).map(|system| (system, 0))
            }
            Coefficient::Each(values) => (0..self.shape.batch)
                .flat_map(|system| (0..self.shape.n).map(move |row| (system, row)))
                .find(|&(system, row)| !values[self.shape.matrix_index(system, row)].is_finite()),
        };
        match found {
            Some((system, row)) => Err(Error::NonFiniteInput { vector, system, row }),
            None => Ok(()),
        }
    }
}

/// What the caller asks for, else the default; none of algorithms that have none.
fn policy(gpu: &Gpu, precision: Precision, options: &Options, params: &Params) -> Result<Option<Policy>> {
    match (options.algorithm, options.policy) {
        // Built by hand, it may hold any number.
        (Algorithm::PScheme, Some(policy)) => policy.with_values(&policy.values()).map(Some),
        (Algorithm::PScheme, None) => Ok(Some(p_scheme::default_policy(gpu, precision, params).into())),
        (_, None) => Ok(None),
        (algorithm, Some(policy)) => Err(Error::Options(format!(
            "{policy} is a policy of {}, not of {algorithm}: name that algorithm",
            policy.algorithm()
        ))),
    }
}
