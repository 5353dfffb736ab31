//! Factors of dominant matrices, for many solves: elimination without divisions.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::relation::{Block, Relation, beside};
use super::slicing::{Slice, Slicing};
use super::sweep::{Elimination, Reduce, Relations, Unsolved};
use super::tile::{LANES, Lanes, Source, Span, Tile, TileVector};
use super::{CpuSolution, is_small, of_slices, solved_and_measured};
use crate::error::Result;
use crate::plan::Shape;
use crate::real::Real;
use crate::tridiagonal::bounds::Bounds;
use crate::tridiagonal::host::check_target;
use crate::tridiagonal::judged::{Candidate, Judged};
use crate::tridiagonal::options::MatrixForm;
use crate::tridiagonal::system::System;

/// The matrices of a batch with their factors, for solves on the CPU: the twin of [`Factored`](crate::tridiagonal::Factored).
///
/// Factors are kept for dominant matrices, three numbers per row beside the matrix. A solve with them divides no more, and is judged like
/// [`solve_batch_on_cpu`](super::solve_batch_on_cpu), with the same guarantees and errors. Systems that are not dominant, and dominant ones whose error
/// the residual does not bound well, gain nothing: the judge eliminates them anew in each solve, as in `solve_batch_on_cpu`.
///
/// Per row in f32, 2^20 rows, one core with AVX2 and FMA (without factors): one system 6.3 ns (9.7 ns), contiguous systems of 1024 rows 4.5 ns (5.5 ns),
/// interleaved ones 7.1 ns (8.0 ns). Factoring takes 16 to 20 ns.
///
/// ```
/// use trisolve::tridiagonal::{CpuFactored, Shape, System};
///
/// let (lower, diag, upper) = ([-1.0f32; 4], [2.0; 5], [-1.0; 4]);
/// let factored = CpuFactored::new(&Shape::single(5), &System::new(&lower, &diag, &upper))?;
/// let x = factored.solve(&[1.0, 0.0, 0.0, 0.0, 1.0])?;
/// assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-6));
/// # Ok::<(), trisolve::Error>(())
/// ```
#[derive(Debug)]
pub struct CpuFactored<T> {
    shape: Shape,
    form: MatrixForm,
    matrix: [Vec<T>; 3],
    slicing: Slicing,
    groups: Vec<Group<T>>,
    /// Of each slice, system by system: whether its rows are dominant, and its block for right-hand sides of 0 where blocks are needed.
    dominant: Vec<bool>,
    blocks: Vec<Option<Block<T>>>,
}

/// The factors of a group of slices, per row and lane: r = (rhs - lower r_before) inverse, and x = r + next x_next.
#[derive(Debug)]
struct Group<T> {
    rows: Vec<Factors<T>>,
}

#[derive(Debug, Clone, Copy)]
struct Factors<T> {
    lower: Lanes<T>,
    inverse: Lanes<T>,
    next: Lanes<T>,
}

impl<T: Real> Factors<T> {
    #[inline(always)]
    fn eliminated(&self, lane: usize, rhs: T, before: T) -> T {
        (rhs - self.lower[lane] * before) * self.inverse[lane]
    }
}

/// Eliminates the rows of a group. Returns the factors, and whether each slice has dominant rows.
struct Factor<'a, T, const EXCESS: bool> {
    source: &'a Source<'a, T>,
    slices: &'a [Slice; LANES],
    rows: usize,
    tile: &'a mut Tile<T>,
}

impl<T: Real, const EXCESS: bool> WithSimd for Factor<'_, T, EXCESS> {
    type Output = (Group<T>, [bool; LANES]);

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Self { source, slices, rows, tile } = self;
        let mut elimination = Elimination::new(Relations::all(Relation::known(T::ZERO)));
        let nothing = Factors { lower: [T::ZERO; LANES], inverse: [T::ZERO; LANES], next: [T::ONE; LANES] };
        let mut all = Vec::with_capacity(rows);
        for span in Span::all(slices, rows) {
            source.load(span, tile);
            for i in 0..span.count {
                let (rows, mut factors) = (tile.across(i), nothing);
                for lane in (0..LANES).filter(|lane| i < span.count_of(*lane)) {
                    let (row, before) = (rows.row::<EXCESS>(lane), elimination.last.get(lane));
                    factors.lower[lane] = row.a;
                    factors.inverse[lane] = before.inverse(row);
                    factors.next[lane] = elimination.take::<EXCESS>(&rows, lane).q;
                }
                all.push(factors);
            }
        }
        (Group { rows: all }, elimination.marks.map(|mark| mark == T::ZERO))
    }
}

/// Of a slice's first unknown: its summand, and its factor of the unknown behind the rows so far; and the summand of the last one so far.
struct Summands<T> {
    first: Lanes<T>,
    first_by_next: Lanes<T>,
    last: Lanes<T>,
}

impl<T: Real> Summands<T> {
    #[inline(always)]
    fn take(&mut self, factors: &Factors<T>, rhs: &Lanes<T>, lane: usize) {
        self.last[lane] = factors.eliminated(lane, rhs[lane], self.last[lane]);
        self.first[lane] = self.first[lane] + self.first_by_next[lane] * self.last[lane];
        self.first_by_next[lane] = self.first_by_next[lane] * factors.next[lane];
    }
}

/// The summands of a group's blocks: of the first and of the last unknown of each slice.
struct ReduceRhs<'a, T> {
    source: &'a Source<'a, T>,
    group: &'a Group<T>,
    slices: &'a [Slice; LANES],
    rhs: &'a mut TileVector<T>,
}

impl<T: Real> WithSimd for ReduceRhs<'_, T> {
    type Output = [[T; 2]; LANES];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Self { source, group, slices, rhs } = self;
        let mut sums = Summands { first: [T::ZERO; LANES], first_by_next: [T::ONE; LANES], last: [T::ZERO; LANES] };
        for span in Span::all(slices, group.rows.len()) {
            source.load_rhs(span, rhs);
            let rows = group.rows[span.at..][..span.count].iter().zip(rhs.iter());
            for (i, (factors, rhs)) in rows.enumerate() {
                if i < span.least {
                    for lane in 0..LANES {
                        sums.take(factors, rhs, lane);
                    }
                } else {
                    for lane in (0..LANES).filter(|lane| i < span.count_of(*lane)) {
                        sums.take(factors, rhs, lane);
                    }
                }
            }
        }
        std::array::from_fn(|lane| [sums.first[lane], sums.last[lane]])
    }
}

/// Solves the slices of a group. Returns whether all unknowns are finite.
struct SolveRhs<'a, T> {
    unsolved: Unsolved<'a, T>,
    group: &'a Group<T>,
    /// x = r + next x_next of each row and lane.
    r: &'a mut Vec<Lanes<T>>,
}

impl<T: Real> WithSimd for SolveRhs<'_, T> {
    type Output = [bool; LANES];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Self { unsolved: Unsolved { source, slices, beside, tile, x }, group, r } = self;
        let rows = group.rows.len();
        // Behind a slice's end, x is x_next.
        r.clear();
        r.resize(rows, [T::ZERO; LANES]);
        let mut last = beside.map(|[before, _]| before);
        for span in Span::all(slices, rows) {
            source.load_rhs(span, &mut tile.rhs);
            let parts = group.rows[span.at..][..span.count].iter().zip(tile.rhs.iter());
            for (i, ((factors, rhs), r)) in parts.zip(&mut r[span.at..]).enumerate() {
                if i < span.least {
                    for lane in 0..LANES {
                        last[lane] = factors.eliminated(lane, rhs[lane], last[lane]);
                    }
                    *r = last;
                } else {
                    for lane in (0..LANES).filter(|lane| i < span.count_of(*lane)) {
                        last[lane] = factors.eliminated(lane, rhs[lane], last[lane]);
                        r[lane] = last[lane];
                    }
                }
            }
        }
        let mut next = beside.map(|[_, behind]| behind);
        // 0 as long as all are finite.
        let mut probe = [T::ZERO; LANES];
        for span in Span::all(slices, rows).rev() {
            let parts = group.rows[span.at..][..span.count].iter().zip(&r[span.at..]);
            for ((factors, r), x) in parts.zip(&mut tile.x[..span.count]).rev() {
                for lane in 0..LANES {
                    next[lane] = r[lane] + factors.next[lane] * next[lane];
                    probe[lane] = probe[lane] + next[lane] * T::ZERO;
                }
                *x = next;
            }
            source.store(span, &tile.x, x);
        }
        probe.map(|probe| probe == T::ZERO)
    }
}

impl<T: Real> CpuFactored<T> {
    /// Copies the matrices, and factors those that are dominant, on all cores.
    ///
    /// # Errors
    /// As [`solve_batch_on_cpu`](super::solve_batch_on_cpu) for the vectors of the matrices. Singular ones are found by solves.
    pub fn new(shape: &Shape, system: &System<'_, T>) -> Result<Self> {
        shape.validate()?;
        system.form().check(shape)?;
        system.check_matrix_lengths(shape)?;
        let column = Shape { columns: 1, ..*shape };
        let mut factored = Self {
            shape: *shape,
            form: system.form(),
            matrix: [system.lower, system.diag, system.upper].map(<[T]>::to_vec),
            slicing: Slicing::new(&column),
            groups: vec![],
            dominant: vec![],
            blocks: vec![],
        };
        // Elimination takes no notice of right-hand sides.
        let zeros = vec![T::ZERO; column.rhs_len().unwrap_or(usize::MAX)];
        let source = Source::new(&column, system, &zeros);
        match source.is_excess() {
            true => factored.factor::<true>(&source),
            false => factored.factor::<false>(&source),
        }
        // Rows with other numbers are not dominant.
        if factored.dominant.iter().any(|dominant| !dominant) {
            system.check_finite(&column, &zeros)?;
        }
        Ok(factored)
    }

    fn factor<const EXCESS: bool>(&mut self, source: &Source<'_, T>) {
        let (slicing, arch) = (&self.slicing, Arch::new());
        let rows = slicing.rows();
        let group = |tile: &mut Tile<T>, group: usize| {
            arch.dispatch(Factor::<T, EXCESS> { source, slices: &slicing.group(group), rows, tile })
        };
        let (groups, marks): (Vec<_>, Vec<_>) = match is_small(slicing.shape()) {
            true => {
                let mut tile = Tile::new();
                (0..slicing.groups()).map(|at| group(&mut tile, at)).unzip()
            }
            false => (0..slicing.groups()).into_par_iter().map_init(Tile::new, group).unzip(),
        };
        self.dominant = vec![false; slicing.len()];
        for (at, marks) in marks.into_iter().enumerate() {
            slicing.group(at).iter().zip(marks).for_each(|(slice, mark)| self.dominant[slice.at] = mark);
        }
        if slicing.slices > 1 || self.form.periodic {
            self.blocks = of_slices(slicing, Tile::new, |tile, _, slices| {
                arch.dispatch(Reduce::<T, EXCESS> { source, slices, rows, tile })
            });
        }
        self.groups = groups;
    }

    /// The shape that it was made for.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    fn system(&self) -> System<'_, T> {
        let Self { form, matrix: [lower, diag, upper], .. } = self;
        System {
            kind: form.diagonal,
            structure: form.structure,
            forms: form.forms,
            periodic: form.periodic,
            ..System::new(lower, diag, upper)
        }
    }

    /// Solves for right-hand sides that are laid out as the shape says.
    ///
    /// # Errors
    /// As [`solve_batch_on_cpu`](super::solve_batch_on_cpu).
    pub fn solve(&self, rhs: &[T]) -> Result<Vec<T>> {
        self.solve_reported(rhs).map(|solution| solution.x)
    }

    /// As [`CpuFactored::solve`], but writes the answer into `x`. After an error, the contents of `x` are unspecified.
    ///
    /// # Errors
    /// As [`CpuFactored::solve`]; [`Error::Length`](crate::Error::Length) also for `x`.
    pub fn solve_into(&self, rhs: &[T], x: &mut [T]) -> Result<()> {
        self.system().check_lengths(&self.shape, rhs)?;
        check_target(rhs, x)?;
        self.judged(rhs, x).map(|_| ())
    }

    /// As [`CpuFactored::solve`], with the accuracy.
    ///
    /// # Errors
    /// As [`CpuFactored::solve`].
    pub fn solve_reported(&self, rhs: &[T]) -> Result<CpuSolution<T>> {
        self.system().check_lengths(&self.shape, rhs)?;
        let mut x = vec![T::ZERO; rhs.len()];
        let Judged { forward_error, condition, replaced } = self.judged(rhs, &mut x)?;
        Ok(CpuSolution { x, forward_error, condition, widened: replaced })
    }

    fn judged(&self, rhs: &[T], x: &mut [T]) -> Result<Judged> {
        let Self { shape, form, .. } = self;
        let system = &self.system();
        let columns = shape.columns;
        let mut bounds = vec![None; shape.problems()];
        for column in 0..columns {
            let part = column * shape.column_stride..;
            let (rhs, x) = (&rhs[part.clone()], &mut x[part]);
            let own = match is_small(self.slicing.shape()) {
                true => self.column(system, rhs, x),
                // From a thread outside of the pool, each parallel step would wait for the pool to wake.
                false => rayon::scope(|_| self.column(system, rhs, x)),
            };
            own.into_iter().enumerate().for_each(|(at, own)| bounds[at * columns + column] = own);
        }
        if bounds.iter().any(Option::is_none) {
            system.check_finite(shape, rhs)?;
        }
        Candidate { shape, system, rhs, bounds: &bounds, carries: !form.periodic, replaceable: true }.judged(x)
    }

    /// Solves for the first right-hand side of each matrix in `rhs`. Returns the bounds of each answer; `None` where there is none.
    fn column(&self, system: &System<'_, T>, rhs: &[T], x: &mut [T]) -> Vec<Option<Bounds>> {
        let Self { slicing, groups, dominant, blocks, form, .. } = self;
        let (source, arch) = (&Source::new(slicing.shape(), system, rhs), Arch::new());
        let zeros = || Box::new([[T::ZERO; LANES]; super::tile::TILE]);
        let beside = match blocks.is_empty() {
            true => None,
            false => {
                let summands = of_slices(slicing, zeros, |rhs, group, slices| {
                    arch.dispatch(ReduceRhs { source, group: &groups[group], slices, rhs })
                });
                let of_system = |(blocks, summands): (&[Option<Block<T>>], &[[T; 2]])| {
                    let with = |(block, [first, last]): (&Option<Block<T>>, &[T; 2])| {
                        block.map(|block| block.with_summands(*first, *last))
                    };
                    let blocks: Option<Vec<_>> = blocks.iter().zip(summands).map(with).collect();
                    blocks.map(|blocks| beside(&blocks, form.periodic))
                };
                let slices = slicing.slices;
                Some(match is_small(slicing.shape()) {
                    true => blocks.chunks(slices).zip(summands.chunks(slices)).map(of_system).collect(),
                    false => blocks.par_chunks(slices).zip(summands.par_chunks(slices)).map(of_system).collect(),
                })
            }
        };
        solved_and_measured(slicing, source, beside, x, |r: &mut Vec<_>, group, unsolved| {
            let slices = unsolved.slices;
            let solved = arch.dispatch(SolveRhs { unsolved, group: &groups[group], r });
            std::array::from_fn(|lane| solved[lane] && dominant[slices[lane].at])
        })
    }
}
