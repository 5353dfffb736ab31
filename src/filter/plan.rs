//! Plans: a filter for a shape, compiled, with its scratch and the powers of its matrix.

use std::marker::PhantomData;
use std::sync::Arc;

use rayon::prelude::*;

use super::bank::Bank;
use super::cascade::Cascade;
use super::constants::{FilterSizes, Numbers};
use super::error_bound::Sensitivity;
use super::kernels::{FilterAccess, FilterKernel};
use super::one_pass::{Dispatches, OnePassTree};
use super::options::{Algorithm, Direction, Options};
use super::overlapped::Overlapped;
use super::powers::Powers;
use super::programs::{Program, three_launch};
use super::signals::DeviceSignals;
use crate::check::Turns;
use crate::error::{Error, Result};
use crate::gpu::{CompiledKernel, Gpu, Stopwatch, Timing};
use crate::judge::answer::{exceeds, largest};
use crate::judge::thresholds::MOST_FILTER_NOISE;
use crate::plan::{
    Bound, OverlappedSlices, PACKED_BELOW, Params, RowAccess, Shape, Step, bind_with, check_binding,
    check_overlapped_layout, check_scratch, check_sequences, plan_accessors, sequence_slicing,
};
use crate::real::Real;
use crate::recurrence::one_pass::check_one_pass;
use crate::shader::Permutation;

/// A filter of every sequence of a [`Shape`], planned once.
///
/// Owns the scratch between the dispatches. Solves bound from one plan share it, which is safe on the device's one queue.
#[derive(Debug)]
pub struct FilterPlan<T> {
    pub(super) gpu: Gpu,
    pub(super) shape: Shape,
    pub(super) bank: Bank,
    pub(super) options: Options,
    pub(super) algorithm: Algorithm,
    /// Of each filter.
    pub(super) sensitivities: Vec<Sensitivity>,
    program: Program,
    /// The dispatches for final states that overwrite the initial ones, if they are others.
    over_initial: Option<Vec<Step<FilterKernel>>>,
    scratch: Vec<wgpu::Buffer>,
    /// Keeps the kernels in memory until `bind` asks for them.
    _kernels: Vec<Arc<CompiledKernel>>,
    pub(super) turns: Turns,
    /// A slice that publishes nothing in one pass, for tests.
    withheld: Option<u32>,
    timing: Timing,
    marker: PhantomData<T>,
}

impl<T: Real> FilterPlan<T> {
    /// Compiles the kernels, allocates the scratch, and computes the powers of the filter's matrix.
    ///
    /// Costs the compilation of the kernels that the `Gpu` does not have: in parallel, by the driver, milliseconds to a second each; otherwise
    /// up to 5 ms per section of each filter, on all cores, for the bounds of its errors (0.4 s for a pole outside the unit circle). A frame should not wait for it: make the plan in another thread, or compile ahead by
    /// [`Gpu::warm_up`]. [`FilterPlan::timing`] says what it took.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of filters than the bank needs; [`Error::Shape`] for sizes of 0, strides that make entries share a place, or several columns; [`Error::Limit`] if a vector or the
    /// scratch is larger than one binding; [`Error::Unsupported`] for f64 without `SHADER_F64`; [`Error::Unstable`] for a filter whose
    /// response grows past the precision's range within a sequence; [`Error::Options`] for coefficients outside the precision's range, for
    /// `Check::Sampled(0)`, and for [`Algorithm::OnePass`] with `deterministic`; [`Error::Unsupported`] for [`Algorithm::OnePass`] if sequences
    /// lie closer than rows, and for [`Algorithm::Overlapped`] if rows lie closer than sequences or a filter remembers too many rows;
    /// [`Error::OutOfMemory`]; [`Error::DeviceLost`]; [`Error::Kernel`].
    pub fn new(gpu: &Gpu, shape: Shape, filters: impl Into<Bank>, options: Options) -> Result<Self> {
        let bank = filters.into();
        let mut watch = Stopwatch::start();
        let Chosen { algorithm, program, over_initial } = chosen::<T>(gpu, &shape, &bank, &options)?;
        let sensitivity = |filter| Sensitivity::new::<T>(filter, shape.n);
        let sensitivities = bank.filters().par_iter().map(sensitivity).collect();
        let permutations = permutations::<T>(&program, &shape, &bank, &options, false);
        let (kernels, scratch) = program.prepare(gpu, &permutations)?;
        watch.lap(|timing| &mut timing.planning);
        Ok(Self {
            gpu: gpu.clone(),
            shape,
            bank,
            options,
            algorithm,
            sensitivities,
            program,
            over_initial,
            scratch,
            _kernels: kernels,
            turns: Turns::default(),
            withheld: None,
            timing: watch.timing(),
            marker: PhantomData,
        })
    }

    plan_accessors!();

    /// The filters; one if it is the same for all sequences.
    pub fn filters(&self) -> &[Cascade] {
        self.bank.filters()
    }

    /// The algorithm that was chosen; never [`Algorithm::Auto`].
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// [`Cascade::rounding_noise`] over a sequence, the largest of all filters.
    pub fn rounding_noise(&self) -> f64 {
        largest(self.sensitivities.iter().map(Sensitivity::noise::<T>))
    }

    /// Bytes of device memory that a solve reads and writes per row of an output, without the caller's states and the filters' tables.
    pub fn bytes_per_row(&self) -> f64 {
        self.program.values_per_row * T::PRECISION.bytes() as f64
    }

    /// Ties the plan to vectors in device memory. Allocates bind groups, parameters and status words. Compiles again if inputs share a
    /// buffer with a written vector, and for initial states if sequences without gaps are taken as one. Recording the result allocates
    /// nothing. In one pass and with overlapped slices, final states that overwrite the initial ones take a second dispatch
    /// if a sequence has several slices. With [`Algorithm::Overlapped`], the three launches run if y replaces x.
    ///
    /// The [`Status`](crate::tridiagonal::Status) has the first row with an input that is not finite (for a state, the row next to it), and
    /// the first row whose output or state left the range.
    ///
    /// # Errors
    /// [`Error::Options`] for a bank of one signal without y; [`Error::Length`], [`Error::Misaligned`], [`Error::BufferTooSmall`], [`Error::BufferUsage`], [`Error::Overlap`];
    /// [`Error::Limit`] for states that are larger than one binding; [`Error::Noisy`] if the rounding error may exceed one per cent
    /// of the largest output: recorded solves are not judged.
    pub fn bind(&self, signals: &DeviceSignals<'_, T>) -> Result<Bound> {
        let noise = self.rounding_noise();
        if exceeds(noise, MOST_FILTER_NOISE) {
            return Err(Error::Noisy { rows: self.shape.n, noise, precision: T::PRECISION });
        }
        self.bind_noisy(signals)
    }

    /// As [`FilterPlan::bind`], for any rounding error.
    pub(super) fn bind_noisy(&self, signals: &DeviceSignals<'_, T>) -> Result<Bound> {
        let Self { gpu, shape, program, scratch, .. } = self;
        gpu.alive()?;
        let order = self.bank.order();
        if self.bank.shares_input() && signals.y.is_none() {
            return Err(Error::Options("a bank of one signal has more outputs than inputs: give it a vector y".into()));
        }
        if signals.initial.is_some() || signals.last.is_some() {
            let states = (shape.batch as u64).saturating_mul(order as u64).saturating_mul(T::PRECISION.bytes());
            check_binding(gpu, "the states before or behind all sequences", states)?;
        }
        let no_states = DeviceSignals::no_states(gpu)?;
        let (vectors, last) = signals.vectors(shape, &self.bank, &no_states);
        // Slices that begin late read the initial states late.
        let overwrites = signals.initial.zip(signals.last).is_some_and(|(initial, last)| initial.overlaps(&last));
        let over_initial = self.over_initial.as_ref().filter(|_| overwrites);
        let over_initial = over_initial.map(|steps| Program { steps: steps.clone(), ..program.clone() });
        let program = over_initial.as_ref().unwrap_or(program);
        bind_with(gpu, shape, program, scratch, &vectors, &[last], |kernel, rows, writable_inputs| {
            let form = form(&self.bank, &self.options, rows, writable_inputs);
            let initials = signals.initial.is_some();
            kernel.permutation(T::PRECISION, FilterAccess { withheld: self.withheld, initials, ..form })
        })
    }

    /// In later binds, one slice publishes nothing in one pass, as if its workgroup had stopped; with u32::MAX - 1, all.
    #[cfg(feature = "internals")]
    #[doc(hidden)]
    pub fn withhold(&mut self, slice: usize) {
        self.withheld = u32::try_from(slice).ok();
    }

    pub(super) fn reverse(&self) -> bool {
        self.options.direction == Direction::Reverse
    }
}

/// Checks that coefficients, and their powers over a sequence, are in the range of T.
fn check_numbers<T: Real>(filter: &Cascade, powers: &Powers, rows: usize) -> Result<()> {
    filter.check_range::<T>()?;
    let precision = T::PRECISION;
    let possible = powers.rows_within::<T>(rows as u64) as usize;
    if possible < rows {
        return Err(Error::Unstable { rows, possible, precision });
    }
    Ok(())
}

/// Up to this number of rows, sequences that do not all begin at a multiple of four rows are taken as one.
const SHIFTED_PACKED_BELOW: u32 = 1 << 16;

/// What a plan is made of.
struct Chosen {
    algorithm: Algorithm,
    program: Program,
    over_initial: Option<Vec<Step<FilterKernel>>>,
}

/// Checks what was asked for, and chooses an algorithm.
fn chosen<T: Real>(gpu: &Gpu, shape: &Shape, bank: &Bank, options: &Options) -> Result<Chosen> {
    let params = check_sequences::<T>(gpu, shape, "each of x and y")?;
    options.check.validate()?;
    // Refuses the CPU for an algorithm that only a device follows.
    options.is_on_cpu()?;
    bank.check_batch(shape.batch)?;
    let numbers = Numbers::new(bank);
    let checked = |(filter, powers): (&Cascade, &Powers)| check_numbers::<T>(filter, powers, shape.n);
    let checks: Vec<_> = bank.filters().par_iter().zip(&numbers.powers).map(checked).collect();
    for (at, check) in checks.into_iter().enumerate() {
        check.map_err(|error| bank.of_filter(error, at))?;
    }
    let capabilities = gpu.proven_capabilities()?;
    let state_bytes = bank.order() as u32 * T::PRECISION.bytes() as u32;
    let mut sequence_slicing = sequence_slicing(capabilities, T::PRECISION, &params, state_bytes);
    if bank.has_several() {
        // With shuffles, a thread also composes states of other sequences than its own.
        sequence_slicing.tree.log_run = 0;
    }
    let access = RowAccess::of(shape);
    let lead = access.most_lead(T::PRECISION);
    let pays = params.n < PACKED_BELOW || access == RowAccess::Shifted && params.n < SHIFTED_PACKED_BELOW;
    let alike = |packed: &Params| pays && !bank.has_several() && numbers.reach::<T>(packed.n);
    let packed = params.packed().filter(alike);
    let tree = packed.and_then(|packed| OnePassTree::of_packed(capabilities, T::PRECISION, &packed));
    let tree = tree.unwrap_or_else(|| OnePassTree::of(capabilities, T::PRECISION, params.n + lead));
    let one_pass = check_one_pass(options.deterministic, &params).is_ok();
    let overlapped = match options.algorithm {
        Algorithm::Auto if OverlappedSlices::suit(&params) => {
            Overlapped::new::<T>(capabilities, &numbers).ok().filter(|own| own.is_faster(params))
        }
        Algorithm::Overlapped => {
            check_overlapped_layout(&params)?;
            Some(Overlapped::new::<T>(capabilities, &numbers)?)
        }
        _ => None,
    };
    let algorithm = match options.algorithm {
        Algorithm::Auto if overlapped.is_some() => Algorithm::Overlapped,
        Algorithm::Auto if one_pass && (sequence_slicing.slices > 1 || tree.is_faster(params.n + lead, access)) => {
            Algorithm::OnePass
        }
        Algorithm::Auto => Algorithm::ThreeLaunch,
        Algorithm::OnePass => {
            check_one_pass(options.deterministic, &params)?;
            Algorithm::OnePass
        }
        named => named,
    };
    let reverse = options.direction == Direction::Reverse;
    let Dispatches { mut program, over_initial } = match overlapped {
        Some(overlapped) => overlapped.program::<T>(capabilities, &numbers, params, (sequence_slicing, reverse)),
        None if algorithm == Algorithm::OnePass => tree.program::<T>(&numbers, params, lead),
        None => Dispatches {
            program: three_launch::<T>(capabilities, &numbers, sequence_slicing, params, reverse),
            over_initial: None,
        },
    };
    if bank.shares_input() {
        // The input is read once for all sequences.
        let reads = match algorithm {
            Algorithm::Overlapped => program.values_per_row - 1.0,
            _ if program.steps.len() > 1 => 2.0,
            _ => 1.0,
        };
        program.values_per_row -= reads * (1.0 - 1.0 / shape.batch as f64);
    }
    for scratch in &program.scratch {
        check_scratch(gpu, algorithm.name(), scratch.bytes, T::PRECISION)?;
    }
    Ok(Chosen { algorithm, program, over_initial })
}

fn form(bank: &Bank, options: &Options, rows: RowAccess, writable_inputs: bool) -> FilterAccess {
    let reverse = options.direction == Direction::Reverse;
    let (sizes, several) = (FilterSizes::of(&bank.filters()[0]), bank.has_several());
    FilterAccess {
        sizes,
        bank: several,
        shares_input: bank.shares_input(),
        rows,
        writable_inputs,
        reverse,
        initials: false,
        withheld: None,
    }
}

/// The kernels of a program, for inputs in other buffers than the written vectors.
fn permutations<T: Real>(
    program: &Program,
    shape: &Shape,
    bank: &Bank,
    options: &Options,
    initials: bool,
) -> Vec<Permutation> {
    let form = FilterAccess { initials, ..form(bank, options, RowAccess::of(shape), false) };
    program.steps.iter().map(|step| step.kernel.permutation(T::PRECISION, form)).collect()
}

/// The kernels of a plan, without and with initial states.
///
/// # Errors
/// As [`FilterPlan::new`].
pub(crate) fn upcoming<T: Real>(gpu: &Gpu, shape: &Shape, bank: &Bank, options: &Options) -> Result<Vec<Permutation>> {
    let Chosen { program, .. } = chosen::<T>(gpu, shape, bank, options)?;
    Ok([false, true]
        .into_iter()
        .flat_map(|initials| permutations::<T>(&program, shape, bank, options, initials))
        .collect())
}
