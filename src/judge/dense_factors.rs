//! The triangles of a matrix of few rows, and its inverse.

use rayon::prelude::*;

use super::answer::converted;
use super::sparse::Entries;
use crate::error::{Error, Result};
use crate::real::Wide;

/// Least rows per processor.
const ROWS_PER_TASK: usize = 32;

#[derive(Debug)]
pub(super) struct DenseFactors<W, S> {
    n: usize,
    /// L without its ones and U, in the order of exchanged rows.
    triangles: Vec<W>,
    order: Vec<usize>,
    /// |A^-1|, row by row.
    inverse: Vec<S>,
}

impl<W: Wide, S: Wide> DenseFactors<W, S> {
    /// Gaussian elimination with partial pivoting, and n solves for the inverse: 8/3 n^3 operations.
    ///
    /// # Errors
    /// [`Error::Singular`].
    pub fn new(entries: &Entries) -> Result<Self> {
        let n = entries.n();
        let mut triangles = vec![W::ZERO; n * n];
        for i in 0..n {
            entries.row(i).for_each(|(column, value)| triangles[i * n + column] = value);
        }
        let mut order: Vec<_> = (0..n).collect();
        for step in 0..n {
            let best = (step..n).fold(step, |best, i| {
                if triangles[i * n + step].abs() > triangles[best * n + step].abs() { i } else { best }
            });
            if best != step {
                let (upper, lower) = triangles.split_at_mut(best * n);
                upper[step * n..(step + 1) * n].swap_with_slice(&mut lower[..n]);
                order.swap(step, best);
            }
            let pivot = triangles[step * n + step];
            if pivot == W::ZERO || !pivot.is_finite() {
                return Err(Error::Singular { system: 0, row: order[step] });
            }
            let (upper, lower) = triangles.split_at_mut((step + 1) * n);
            let above = &upper[step * n..];
            lower.par_chunks_mut(n).with_min_len(ROWS_PER_TASK).for_each(|row| {
                let factor = row[step] / pivot;
                row[step] = factor;
                if factor != W::ZERO {
                    for (own, &above) in row[step + 1..].iter_mut().zip(&above[step + 1..]) {
                        *own = *own - factor * above;
                    }
                }
            });
        }
        let mut made = Self { n, triangles, order, inverse: vec![] };
        let unit = |j: usize| (0..n).map(|i| if i == j { W::ONE } else { W::ZERO }).collect::<Vec<_>>();
        let columns: Vec<_> =
            (0..n).into_par_iter().with_min_len(ROWS_PER_TASK).map(|j| made.solved(&unit(j))).collect();
        made.inverse =
            (0..n).flat_map(|i| columns.iter().map(move |column| converted::<W, S>(column[i].abs()))).collect();
        Ok(made)
    }

    /// |A^-1| g.
    pub fn amplified(&self, g: &[S]) -> Vec<S> {
        times(&self.inverse, g)
    }

    /// |L| |U| v, which A's rows round relative to.
    pub fn grown(&self, v: &[S]) -> Vec<S> {
        let n = self.n;
        let dot = |row: &[W], v: &[S]| {
            row.iter().zip(v).fold(S::ZERO, |sum, (entry, v)| sum + converted::<W, S>(entry.abs()) * *v)
        };
        let row = |i: usize| &self.triangles[i * n..(i + 1) * n];
        let upper: Vec<_> = (0..n).map(|i| dot(&row(i)[i..], &v[i..])).collect();
        let mut all = vec![S::ZERO; n];
        self.order.iter().enumerate().for_each(|(i, &own)| all[own] = upper[i] + dot(&row(i)[..i], &upper[..i]));
        all
    }

    /// A^-1 rhs.
    pub fn solved(&self, rhs: &[W]) -> Vec<W> {
        let n = self.n;
        let mut y: Vec<W> = self.order.iter().map(|&row| rhs[row]).collect();
        let less = |from: W, row: &[W], known: &[W]| row.iter().zip(known).fold(from, |left, (&a, &y)| left - a * y);
        for i in 0..n {
            y[i] = less(y[i], &self.triangles[i * n..i * n + i], &y[..i]);
        }
        for i in (0..n).rev() {
            let row = &self.triangles[i * n..(i + 1) * n];
            y[i] = less(y[i], &row[i + 1..], &y[i + 1..]) / row[i];
        }
        y
    }
}

/// A matrix that is not negative, row by row, times a vector.
fn times<S: Wide>(matrix: &[S], v: &[S]) -> Vec<S> {
    let row = |row: &[S]| row.iter().zip(v).fold(S::ZERO, |sum, (a, v)| sum + *a * *v);
    matrix.chunks(v.len().max(1)).map(row).collect()
}
