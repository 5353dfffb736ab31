//! Solves on the CPU, on all its cores.
//!
//! Dominant systems are solved as on the device, with the dominance carried: each vector lane eliminates a slice of rows, or a whole system
//! of a batch. If a system has several slices, each is reduced to a block, and the blocks are merged one after the other, which gives the
//! unknowns beside each slice.

mod factored;
mod measure;
mod promise;
mod relation;
mod slicing;
mod sweep;
mod tile;

use rayon::prelude::*;

pub use self::factored::CpuFactored;
use self::measure::Measure;
use self::relation::{Block, beside};
pub(super) use self::slicing::is_system_per_lane;
use self::slicing::{Slice, Slicing};
use self::sweep::{Reduce, Solve, Unsolved};
use self::tile::{LANES, Source, Tile};
use super::bounds::Bounds;
use super::judged::{Candidate, Judged};
use super::system::System;
use crate::error::{Error, Result};
use crate::plan::{Scattered, Shape};
use crate::real::Real;

/// Batches of fewer rows are solved on one core: others would wake too late to help.
const ROWS_OF_ONE_CORE: usize = 1 << 14;

/// The least work of a core with the results of slices.
const SLICES_PER_JOB: usize = 1024;

/// A solution from the CPU with its accuracy.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CpuSolution<T> {
    /// The unknowns, laid out as `rhs`.
    pub x: Vec<T>,
    /// As [`Solution::forward_error`](super::Solution::forward_error).
    pub forward_error: f64,
    /// As [`Solution::condition`](super::Solution::condition).
    pub condition: Option<f64>,
    /// Right-hand sides whose answer comes from wider arithmetic: all of systems that are not dominant; of dominant ones those whose answer the
    /// judge replaced.
    pub widened: usize,
}

/// Solves one system of `rhs.len()` rows on the CPU, as [`solve_batch_on_cpu`].
///
/// # Errors
/// As [`solve_batch_on_cpu`].
pub fn solve_on_cpu<T: Real>(system: &System<'_, T>, rhs: &[T]) -> Result<Vec<T>> {
    solve_on_cpu_reported(system, rhs).map(|solution| solution.x)
}

/// As [`solve_on_cpu`], with the accuracy.
///
/// # Errors
/// As [`solve_batch_on_cpu`].
pub fn solve_on_cpu_reported<T: Real>(system: &System<'_, T>, rhs: &[T]) -> Result<CpuSolution<T>> {
    solve_batch_on_cpu(&system.single(rhs), system, rhs)
}

/// Solves a batch of systems on all cores of the CPU.
///
/// Dominant systems are solved in T with the dominance carried, as on the device, and judged likewise: about 10 ns per row on one core.
///
/// The judge solves the rest in wider arithmetic, one matrix per core: systems that are not dominant, and dominant ones whose error the residual
/// does not bound well. Dominant systems that are not periodic: Thomas's algorithm with the dominance carried
/// ([`cpu::thomas_carried`](crate::cpu::thomas_carried)), in [`Real::Wide`](crate::Real::Wide). Others: elimination with row exchanges
/// ([`cpu::gtsv`](crate::cpu::gtsv), [`cpu::periodic_gtsv`](crate::cpu::periodic_gtsv)) in f64, rows and columns scaled by powers of two,
/// refined with residuals in double-double arithmetic; f64 systems with a condition above 0.01 / u are eliminated in double-double arithmetic.
/// About 60 ns per row on one core in f32, 400 in f64.
///
/// # Errors
/// [`Error::Length`](crate::Error::Length), [`Error::Shape`](crate::Error::Shape), [`Error::Options`](crate::Error::Options) for an
/// excess with [`Structure::Transposed`](super::Structure::Transposed) or a periodic system of one row, [`Error::NonFiniteInput`](crate::Error::NonFiniteInput), [`Error::Singular`](crate::Error::Singular),
/// [`Error::NearlySingular`](crate::Error::NearlySingular), [`Error::Overflow`](crate::Error::Overflow),
/// [`Error::Underflow`](crate::Error::Underflow).
pub fn solve_batch_on_cpu<T: Real>(shape: &Shape, system: &System<'_, T>, rhs: &[T]) -> Result<CpuSolution<T>> {
    let (x, Judged { forward_error, condition, replaced }) = solved(shape, system, rhs, false)?;
    Ok(CpuSolution { x, forward_error, condition, widened: replaced })
}

/// As [`solve_into`], into memory of its own, and for any shape.
pub(super) fn solved<T: Real>(
    shape: &Shape,
    system: &System<'_, T>,
    rhs: &[T],
    dominant: bool,
) -> Result<(Vec<T>, Judged)> {
    shape.validate()?;
    system.form().check(shape)?;
    let mut x = vec![T::ZERO; rhs.len()];
    let judged = solve_rows(shape, system, rhs, &mut x, dominant)?;
    Ok((x, judged))
}

/// Solves a batch of a valid shape into `x`, which is as long as `rhs`; places between systems become 0, as on the device. `dominant`: all
/// systems should be, as [`Options::dominant`](super::Options::dominant) promises.
///
/// # Errors
/// As [`solve_batch_on_cpu`]; [`Error::NotDominant`].
pub(super) fn solve_into<T: Real>(
    shape: &Shape,
    system: &System<'_, T>,
    rhs: &[T],
    x: &mut [T],
    dominant: bool,
) -> Result<Judged> {
    if x.len() > shape.n * shape.problems() {
        x.fill(T::ZERO);
    }
    solve_rows(shape, system, rhs, x, dominant)
}

/// As [`solve_into`], but writes only rows: places between systems stay as they are.
fn solve_rows<T: Real>(
    shape: &Shape,
    system: &System<'_, T>,
    rhs: &[T],
    x: &mut [T],
    dominant: bool,
) -> Result<Judged> {
    system.check_lengths(shape, rhs)?;
    let source = Source::new(shape, system, rhs);
    let bounds = match is_small(shape) {
        true => carried(&source, x),
        // From a thread outside of the pool, each parallel step would wait for the pool to wake.
        false => rayon::scope(|_| carried(&source, x)),
    };
    if bounds.iter().any(Option::is_none) {
        system.check_finite(shape, rhs)?;
        let is_broken = |at: &usize| {
            let doubtful = bounds[at * shape.columns..][..shape.columns].iter().any(Option::is_none);
            doubtful && !promise::is_kept(shape, system, *at)
        };
        if let (true, Some(system)) = (dominant, (0..shape.batch).find(is_broken)) {
            return Err(Error::NotDominant { system });
        }
    }
    let candidate = Candidate { shape, system, rhs, bounds: &bounds, carries: !system.periodic, replaceable: true };
    candidate.judged(x)
}

fn is_small(shape: &Shape) -> bool {
    shape.n.saturating_mul(shape.problems()) < ROWS_OF_ONE_CORE
}

/// Solves the dominant systems of a batch. Returns the bounds of each right-hand side; `None` for those without an answer.
fn carried<T: Real>(source: &Source<'_, T>, x: &mut [T]) -> Vec<Option<Bounds>> {
    match source.is_excess() {
        true => carried_of::<T, true>(source, x),
        false => carried_of::<T, false>(source, x),
    }
}

fn carried_of<T: Real, const EXCESS: bool>(source: &Source<'_, T>, x: &mut [T]) -> Vec<Option<Bounds>> {
    let shape = source.shape;
    let (slicing, arch) = (Slicing::new(shape), pulp::Arch::new());
    let rows = slicing.rows();
    let periodic = source.system.periodic;
    let beside = (slicing.slices > 1 || periodic).then(|| {
        let blocks = of_slices(&slicing, Tile::new, |tile, _, slices| {
            arch.dispatch(Reduce::<T, EXCESS> { source, slices, rows, tile })
        });
        let of_problem = |blocks: &[Option<Block<T>>]| {
            let dominant: Option<Vec<_>> = blocks.iter().copied().collect();
            dominant.map(|blocks| beside(&blocks, periodic))
        };
        match is_small(shape) {
            true => blocks.chunks(slicing.slices).map(of_problem).collect(),
            false => blocks.par_chunks(slicing.slices).map(of_problem).collect(),
        }
    });
    solved_and_measured(&slicing, source, beside, x, |relations: &mut [Vec<_>; 2], _, unsolved| {
        arch.dispatch(Solve::<T, EXCESS> { unsolved, rows, relations })
    })
}

/// The unknowns beside the slices of each right-hand side; `None` for one that is not dominant.
type Beside<T> = Vec<Option<Vec<[T; 2]>>>;

/// Solves all slices into `x`, and measures the answers. Returns the bounds of each right-hand side; `None` for one without an answer.
///
/// - `beside`: the unknowns beside the slices; `None` if each system is one slice and not periodic.
/// - `solve(memory of its job, number of a group, its slices)` solves one group, and says which slices have an answer.
fn solved_and_measured<T: Real, K: Default>(
    slicing: &Slicing,
    source: &Source<'_, T>,
    beside: Option<Beside<T>>,
    x: &mut [T],
    solve: impl Fn(&mut K, usize, Unsolved<'_, T>) -> [bool; LANES] + Sync + Send,
) -> Vec<Option<Bounds>> {
    let (rows, arch) = (slicing.rows(), pulp::Arch::new());
    // SAFETY: each slice has rows of its own, and no two rows of a valid shape share a place.
    let x = &unsafe { Scattered::new(x) };
    let solve = |tile: &mut Tile<T>, memory: &mut K, group: usize, slices: &[Slice; LANES]| {
        let given = slices.map(|Slice { at, .. }| match &beside {
            Some(beside) => Some(beside[at / slicing.slices].as_ref()?[at % slicing.slices]),
            None => Some([T::ZERO; 2]),
        });
        let known = given.map(|unknowns| unknowns.unwrap_or([T::ZERO; 2]));
        let solved = solve(memory, group, Unsolved { source, slices, beside: &known, tile, x });
        std::array::from_fn(|lane| solved[lane] && given[lane].is_some())
    };
    let measure = |tile: &mut Tile<T>, slices: &[Slice; LANES]| match source.is_excess() {
        // SAFETY: whole systems are measured by the thread that writes them, slices after all threads have written theirs.
        true => arch.dispatch(unsafe { Measure::<T, true>::new(source, slices, rows, tile, x) }),
        // SAFETY: as above.
        false => arch.dispatch(unsafe { Measure::<T, false>::new(source, slices, rows, tile, x) }),
    };
    let scratch = || (Tile::new(), K::default());
    if slicing.slices == 1 {
        return of_slices(slicing, scratch, |(tile, memory), group, slices| {
            let solved = solve(tile, memory, group, slices);
            // The group's rows and unknowns are still in the cache.
            let bounds = measure(tile, slices);
            std::array::from_fn(|lane| solved[lane].then_some(bounds[lane]))
        });
    }
    let solved = of_slices(slicing, scratch, |(tile, memory), group, slices| solve(tile, memory, group, slices));
    let bounds = of_slices(slicing, Tile::new, |tile, _, slices| measure(tile, slices));
    joined(slicing, &solved, &bounds)
}

/// The bounds of each right-hand side, from whether its slices are solved and from their bounds.
fn joined(slicing: &Slicing, solved: &[bool], bounds: &[Bounds]) -> Vec<Option<Bounds>> {
    let of_problem = |(solved, bounds): (&[bool], &[Bounds])| {
        let joined = match bounds.len() <= SLICES_PER_JOB {
            true => bounds.iter().copied().reduce(Bounds::joined),
            false => bounds.par_iter().with_min_len(SLICES_PER_JOB).copied().reduce_with(Bounds::joined),
        };
        joined.filter(|_| solved.iter().all(|solved| *solved))
    };
    solved.chunks(slicing.slices).zip(bounds.chunks(slicing.slices)).map(of_problem).collect()
}

/// The results of all slices, problem by problem, from those of each group, given its number and slices. Each parallel job has its own scratch `K`.
fn of_slices<R: Copy + Send, K>(
    slicing: &Slicing,
    scratch: impl Fn() -> K + Sync + Send,
    result: impl Fn(&mut K, usize, &[Slice; LANES]) -> [R; LANES] + Sync + Send,
) -> Vec<R> {
    let groups = slicing.groups();
    let of_group = |scratch: &mut K, group: usize| result(scratch, group, &slicing.group(group));
    let results: Vec<[R; LANES]> = match is_small(slicing.shape()) {
        true => {
            let mut scratch = scratch();
            (0..groups).map(|group| of_group(&mut scratch, group)).collect()
        }
        false => {
            // Several groups per job share its scratch.
            let least = groups.div_ceil(8 * rayon::current_num_threads());
            (0..groups).into_par_iter().with_min_len(least).map_init(scratch, of_group).collect()
        }
    };
    if slicing.is_in_order() {
        let mut results = results.into_flattened();
        results.truncate(slicing.len());
        return results;
    }
    let mut placed: Vec<Option<R>> = vec![None; slicing.len()];
    for (group, results) in results.into_iter().enumerate() {
        for (slice, result) in slicing.group(group).iter().zip(results) {
            placed[slice.at] = Some(result);
        }
    }
    placed.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (-1 2 -1) in f32: before any judgement, no digit is lost over half a million rows.
    #[test]
    fn dominance_is_carried() {
        for n in [1 << 19, 300_001, 50_000] {
            let (off, diag) = (vec![-1.0f32; n], vec![2.0; n]);
            let mut rhs = vec![0.0; n];
            (rhs[0], rhs[n - 1]) = (1.0, 1.0);
            let (shape, system) = (Shape::single(n), System::new(&off, &diag, &off));
            let mut x = vec![f32::NAN; n];
            let bounds = carried(&Source::new(&shape, &system, &rhs), &mut x);
            assert!(bounds[0].is_some());
            let error = x.iter().map(|x| f64::from(x - 1.0).abs()).fold(0.0, f64::max);
            assert!(error < 1e-6, "n = {n}: {error:e}");
        }
    }
}
