//! Recurrences in vector lanes: sequences side by side, or slices of one.
//!
//! # Slices of one sequence
//!
//! A row needs the value before it, so one sequence keeps one lane busy. To use all lanes and cores, it is cut into slices. A first pass composes the
//! rows of each slice to one map, and the maps give the value before each slice. From these, a second pass computes all slices at once.
//!
//! The error bound needs no analysis of the first pass. A slice starts from a value that differs from the end of the slice before by some d. Both are
//! known, so d is, and counts as an error that is made there. Within a slice, an error e of the start adds at most G e to the error of a value,
//! beside the R that the roundings of the slice add; lanes carry G and R. So from slice to slice, e becomes G e + R + d.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::substitution;
use super::substitution::InLanes;

use crate::real::Real;

/// Sequences or slices side by side.
pub(crate) const LANES: usize = substitution::LANES;
/// Rows per tile, which stays in a cache of 32 KB.
const TILE: usize = 64;
/// The least and the most rows of a slice.
const ROWS: [usize; 2] = [128, 4096];
/// Rows from which a sequence is cut.
const LEAST_SLICED: usize = LANES * ROWS[0];
/// Sequences of fewer rows are solved on one core: others would wake too late to help.
const ROWS_OF_SEVERAL_CORES: usize = 1 << 14;

/// What a row of N entries makes of the state before it.
pub(crate) trait Rows<const N: usize>: Sync {
    type State: InLanes;
    fn next(&self, state: Self::State, row: [f64; N]) -> Self::State;
    /// Of the state behind a row.
    fn value(state: Self::State) -> f64;
}

/// The state of each lane.
pub(crate) type States<R, const N: usize> = <<R as Rows<N>>::State as InLanes>::Lanes;

/// Runs through `counts` rows of each lane. `entries` are those of a lane's row; `store` takes the value of a lane's row.
pub(crate) fn run<T: Real, R: Rows<N>, const N: usize>(
    rows: &R,
    counts: [usize; LANES],
    entries: impl Fn(usize, usize) -> [T; N],
    store: impl FnMut(usize, usize, f64),
    states: &mut States<R, N>,
) {
    Arch::new().dispatch(Run::<'_, R, _, _, N> { rows, counts, entries, store, states });
}

/// A lane's next row.
#[inline(always)]
fn step<R: Rows<N>, const N: usize>(
    rows: &R,
    states: &mut States<R, N>,
    row: &[[f64; LANES]; N],
    values: &mut [f64; LANES],
    lane: usize,
) {
    let state = rows.next(R::State::get(states, lane), std::array::from_fn(|at| row[at][lane]));
    R::State::set(states, lane, state);
    values[lane] = R::value(state);
}

struct Run<'a, R: Rows<N>, E, S, const N: usize> {
    rows: &'a R,
    counts: [usize; LANES],
    entries: E,
    store: S,
    states: &'a mut States<R, N>,
}

impl<T, R, E, S, const N: usize> WithSimd for Run<'_, R, E, S, N>
where
    T: Real,
    R: Rows<N>,
    E: Fn(usize, usize) -> [T; N],
    S: FnMut(usize, usize, f64),
{
    type Output = ();

    #[inline(always)]
    fn with_simd<A: Simd>(self, _: A) {
        let Self { rows: by, counts, entries, mut store, states } = self;
        let mut tile = [[[0.0; LANES]; N]; TILE];
        let mut values = [[0.0; LANES]; TILE];
        let rows = counts.into_iter().max().unwrap_or(0);
        for first in (0..rows).step_by(TILE) {
            let own = counts.map(|count| count.saturating_sub(first).min(TILE));
            for (lane, own) in own.into_iter().enumerate() {
                for (step, row) in tile[..own].iter_mut().enumerate() {
                    let entries = entries(lane, first + step);
                    row.iter_mut().zip(entries).for_each(|(lanes, entry)| lanes[lane] = entry.to_f64());
                }
            }
            let least = own.into_iter().min().unwrap_or(0);
            for (row, values) in tile[..least].iter().zip(&mut values) {
                for lane in 0..LANES {
                    step::<R, N>(by, states, row, values, lane);
                }
            }
            for (lane, own) in own.into_iter().enumerate() {
                for at in least..own.max(least) {
                    step::<R, N>(by, states, &tile[at], &mut values[at], lane);
                }
            }
            for (lane, own) in own.into_iter().enumerate() {
                values[..own].iter().enumerate().for_each(|(step, row)| store(lane, first + step, row[lane]));
            }
        }
    }
}

/// The slices of one sequence of n rows: all have the same number of rows, but the last, which may have fewer. They do not depend on the
/// number of cores, nor do the values.
#[derive(Clone, Copy)]
pub(crate) struct Slices {
    n: usize,
    rows: usize,
}

impl Slices {
    /// `None` for sequences that are too short.
    pub fn new(n: usize) -> Option<Self> {
        let [least, most] = ROWS;
        (n >= LEAST_SLICED).then(|| Self { n, rows: n.div_ceil(8 * LANES).clamp(least, most) })
    }

    /// Rows of all slices but the last.
    pub fn rows(self) -> usize {
        self.rows
    }

    /// Rows of the last slice.
    pub fn last(self) -> usize {
        self.n - (self.len() - 1) * self.rows
    }

    pub fn len(self) -> usize {
        self.n.div_ceil(self.rows)
    }

    /// Calls what needs several cores where there are enough rows for them.
    pub fn on_cores<X: Send>(self, call: impl FnOnce() -> X + Send) -> X {
        match self.is_small() {
            true => call(),
            // From a thread outside of the pool, each parallel step would wait for the pool to wake.
            false => rayon::scope(|_| call()),
        }
    }

    fn is_small(self) -> bool {
        self.n < ROWS_OF_SEVERAL_CORES
    }

    fn counts(self, group: usize) -> [usize; LANES] {
        std::array::from_fn(|lane| self.n.saturating_sub((group * LANES + lane) * self.rows).min(self.rows))
    }

    /// The state behind each slice, from the same state before each.
    pub fn composed<T: Real, R: Rows<N>, const N: usize>(
        self,
        rows: &R,
        before: R::State,
        entries: &(impl Fn(usize) -> [T; N] + Sync),
    ) -> Vec<States<R, N>> {
        let mut states = vec![before.all(); self.len().div_ceil(LANES)];
        let compose = |(group, states): (usize, &mut States<R, N>)| {
            let own = |lane: usize, step: usize| entries((group * LANES + lane) * self.rows + step);
            run::<T, R, N>(rows, self.counts(group), own, |_, _, _| {}, states);
        };
        match self.is_small() {
            true => states.iter_mut().enumerate().for_each(compose),
            false => states.par_iter_mut().enumerate().for_each(compose),
        }
        states
    }

    /// Computes all values, and the state behind each slice, from `states` before each.
    pub fn solved<T: Real, R: Rows<N>, const N: usize>(
        self,
        rows: &R,
        states: &mut [States<R, N>],
        entries: &(impl Fn(usize) -> [T; N] + Sync),
    ) -> Vec<T> {
        let mut w = vec![T::ZERO; self.n];
        let part = LANES * self.rows;
        let solve = |(group, (w, states)): (usize, (&mut [T], &mut States<R, N>))| {
            let own = |lane: usize, step: usize| entries((group * LANES + lane) * self.rows + step);
            let store = |lane: usize, step: usize, value: f64| w[lane * self.rows + step] = T::from_f64(value);
            run::<T, R, N>(rows, self.counts(group), own, store, states);
        };
        match self.is_small() {
            true => w.chunks_mut(part).zip(states).enumerate().for_each(solve),
            false => w.par_chunks_mut(part).zip(states).enumerate().for_each(solve),
        }
        w
    }
}

/// The state of a number of slices or sequences.
pub(crate) fn state_of<R: Rows<N>, const N: usize>(states: &[States<R, N>], at: usize) -> R::State {
    R::State::get(&states[at / LANES], at % LANES)
}
