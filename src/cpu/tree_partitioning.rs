//! Tree partitioning reduction (TPR): a system in slices that are reduced on their own.
//!
//! A. P. Diéguez, M. Amor, R. Doallo, "Tree Partitioning Reduction: A New Parallel Partition Method
//! for Solving Tridiagonal Systems", ACM TOMS 45 (2019). An equation is written as the three unknowns
//! that it couples, counted from 1.
//!
//! A slice of S rows is reduced by two sub-systems of cyclic reduction at once, one towards its first
//! row, one towards its last. N = 16 and S = 4, slice 1 with rows 5 to 8:
//!
//! | step | towards the first row | towards the last row |
//! | --- | --- | --- |
//! | 0 | {4 5 6} {5 6 7} {6 7 8} {7 8 9} | the same |
//! | 1 | {4 5 7} {5 7 8} | {4 6 8} {6 8 9} |
//! | 2 | {4 5 8} | {4 8 9} |
//!
//! In the intermediate step row 8, {4 8 9}, takes in the first row of the slice below, {8 9 12}, and
//! becomes {4 8 12}: the last rows of all slices are a tridiagonal system of M = N/S rows, {4 8}
//! {4 8 12} {8 12 16} {12 16}, which cyclic reduction solves. Then each slice substitutes back on its
//! own, since it needs of the others only the unknown before its first row: x_6 from {4 6 8} (the
//! even rows as the sub-system towards the last row left them), x_5 from {4 5 6} and x_7 from {6 7 8}
//! (the odd rows as they were).
//!
//! In the paper, the sub-system towards the first row also eliminates the slice's last row. It then ends with {4 5 9}; another step makes
//! {4 5 8} of it with {4 8 9}, whose coupling to x_9 is the pivot: this division fails if slices are not coupled. Here this sub-system
//! leaves out the last row from the start, which gives the same equation with pivots from the diagonal only.

use super::cyclic::reduce_and_substitute;
use super::row::{Coupled, Equation, equations};
use super::{check_finite, check_lengths, finite};
use crate::error::{Error, Result};
use crate::real::Scalar;

/// A tree partitioning reduction, a step at a time.
#[derive(Debug, Clone)]
pub struct TreePartitioning<S> {
    /// Rows of the system; rows x = 0 fill up the last slice.
    n: usize,
    slice: usize,
    /// Steps of the sliced reduction that have been taken.
    steps: u32,
    original: Vec<Equation<S>>,
    /// Both sub-systems as they stand; each uses every 2^steps-th row.
    to_first: Vec<Equation<S>>,
    to_last: Vec<Equation<S>>,
}

impl<S: Scalar> TreePartitioning<S> {
    /// One system in slices of `slice` rows.
    ///
    /// # Errors
    /// [`Error::Options`] for a slice that is no power of two from 2 up; as
    /// [`thomas`](super::thomas).
    pub fn new(lower: &[S], diag: &[S], upper: &[S], rhs: &[S], slice: usize) -> Result<Self> {
        check_lengths(lower, diag, upper, rhs)?;
        check_finite(lower, diag, upper, rhs)?;
        if slice < 2 || !slice.is_power_of_two() {
            return Err(Error::Options(format!("slices of {slice} rows: should be a power of two, 2 or more")));
        }
        let n = diag.len();
        let mut original = equations(lower, diag, upper, rhs);
        let none = Equation { a: S::ZERO, b: S::ONE, c: S::ZERO, d: S::ZERO };
        original.resize(n.next_multiple_of(slice), none);
        let (to_first, to_last) = (original.clone(), original.clone());
        Ok(Self { n, slice, steps: 0, original, to_first, to_last })
    }

    /// Whether every slice is down to its first and its last row.
    pub fn is_reduced(&self) -> bool {
        1 << self.steps == self.slice
    }

    /// One step of the sliced reduction: rows take in their neighbours 2^steps away, those of the
    /// same slice.
    pub fn reduce(&mut self) {
        let (u, slice) = (1usize << self.steps, self.slice);
        // In the first step each sub-system takes in the other's rows as they were.
        let (first, last) = (self.to_first.clone(), self.to_last.clone());
        for start in (0..self.original.len()).step_by(slice) {
            for i in (0..slice).step_by(2 * u) {
                let lo = i.checked_sub(u).map(|j| first[start + j]);
                let hi = (i + u < slice - 1).then(|| first[start + i + u]);
                self.to_first[start + i] = first[start + i].reduced(lo, hi);
            }
            for i in (2 * u - 1..slice).step_by(2 * u) {
                let hi = (i + u < slice).then(|| last[start + i + u]);
                self.to_last[start + i] = last[start + i].reduced(Some(last[start + i - u]), hi);
            }
        }
        self.steps += 1;
    }

    fn coupled(&self, row: usize, prev: Option<usize>, next: usize, equation: Equation<S>) -> Coupled<S> {
        Coupled { prev, row, next: (next < self.original.len()).then_some(next), equation }
    }

    /// The sub-system towards the slices' first rows.
    pub fn towards_first(&self) -> Vec<Coupled<S>> {
        let u = 1 << self.steps;
        let row = |row: usize| {
            let (start, at) = (row - row % self.slice, row % self.slice);
            let prev = if at >= u { Some(row - u) } else { start.checked_sub(1) };
            // A slice's last row takes part only as long as nothing is reduced.
            let next = if at + 1 == self.slice { self.slice } else { (at + u).min(self.slice - 1) };
            self.coupled(row, prev, start + next, self.to_first[row])
        };
        (0..self.original.len()).step_by(u).map(row).collect()
    }

    /// The sub-system towards the slices' last rows.
    pub fn towards_last(&self) -> Vec<Coupled<S>> {
        let u = 1 << self.steps;
        let row = |row: usize| {
            let (start, at) = (row - row % self.slice, row % self.slice);
            let prev = if at >= u { Some(row - u) } else { start.checked_sub(1) };
            self.coupled(row, prev, start + (at + u).min(self.slice), self.to_last[row])
        };
        (u - 1..self.original.len()).step_by(u).map(row).collect()
    }

    /// The intermediate step: the tridiagonal system of the slices' last rows.
    ///
    /// # Errors
    /// [`Error::Options`] before the slices are reduced.
    pub fn overall(&self) -> Result<Vec<Coupled<S>>> {
        if !self.is_reduced() {
            return Err(Error::Options("the slices should be reduced first".into()));
        }
        let row = |start: usize| {
            let last = start + self.slice - 1;
            let below = self.to_first.get(last + 1).copied();
            self.coupled(last, start.checked_sub(1), last + self.slice, self.to_last[last].reduced(None, below))
        };
        Ok((0..self.original.len()).step_by(self.slice).map(row).collect())
    }

    /// The unknowns: the remaining reduction, the overall system, and the substitution in slices.
    ///
    /// # Errors
    /// [`Error::Breakdown`].
    pub fn solve(mut self) -> Result<Vec<S>> {
        while !self.is_reduced() {
            self.reduce();
        }
        let ends = reduce_and_substitute(self.overall()?.iter().map(|row| row.equation).collect(), 1);
        let mut x = vec![S::ZERO; self.original.len()];
        for (at, start) in (0..x.len()).step_by(self.slice).enumerate() {
            x[start + self.slice - 1] = ends[at];
            let mut u = self.slice;
            while u > 1 {
                u /= 2;
                for i in (start + u - 1..start + self.slice).step_by(2 * u) {
                    let row = if u == 1 { self.original[i] } else { self.to_last[i] };
                    x[i] = row.solved(i.checked_sub(u).map(|j| x[j]), Some(x[i + u]));
                }
            }
        }
        x.truncate(self.n);
        finite(x)
    }
}

/// Tree partitioning reduction in slices of `slice` rows, a power of two; any n.
///
/// With M slices of S rows: log2 S steps within slices, one between neighbours, 2 log2 M + 1 of the
/// overall system, log2 S back within slices: 2 log2 n + 2. (2 log2 n + 1 in the paper, which solves the last two rows in one step.)
/// For powers of two that is, negation not counted,
/// M (24 (S - 1) - 12 log2 S - 6) operations for the sliced reduction, 6 (M - 1) for the intermediate
/// step, 17 (M - 1) - 8 log2 M + 1 for the overall system and 5 M (S - 1) - 2 log2 S back: about 29 n.
/// (The paper states 24 M (S - 2) + 60 M - 36 + 5 n, about the same.)
///
/// # Errors
/// As [`TreePartitioning::new`] and [`TreePartitioning::solve`].
pub fn tree_partitioning_reduction<S: Scalar>(
    lower: &[S],
    diag: &[S],
    upper: &[S],
    rhs: &[S],
    slice: usize,
) -> Result<Vec<S>> {
    TreePartitioning::new(lower, diag, upper, rhs, slice)?.solve()
}
