//! Wang and Mou's divide and conquer.
//!
//! X. Wang, Z. G. Mou, "A divide-and-conquer method of solving tridiagonal systems on hypercube
//! massively parallel computers", SPDP 1991; as Diéguez, Amor and Doallo describe it (TOMS 2019, section 2.2.3). Each element is a triad of
//! equations: the first row of its block, its own row, and the last row of its block, all in terms of the unknowns beside the block. Two
//! neighbouring blocks merge: the two unknowns at their seam are eliminated from all triads.

use super::row::{Coupled, Equation, divided, equations};
use super::{check_finite, check_lengths, finite};
use crate::error::Result;
use crate::real::Scalar;

/// Merges the blocks `left` and `right`: their first and last equations (`first`, `last`), and each element's own equation.
fn merge<S: Scalar>(left: &mut Block<S>, right: &mut Block<S>) {
    // Eliminates the left block's last unknown from the right block's first row, ...
    let seam = right.first.reduced(Some(left.last), None);
    // ... both unknowns at the seam from the right block's other rows, ...
    let under = |row: Equation<S>| {
        let k = divided(row.a, left.last.b);
        let fill = divided(-(left.last.c * k), seam.b);
        Equation {
            a: -(left.last.a * k) - seam.a * fill,
            b: row.b,
            c: row.c - seam.c * fill,
            d: (row.d - left.last.d * k) - seam.d * fill,
        }
    };
    // ... and the right block's first unknown from the left block's rows.
    let above = |row: Equation<S>| {
        let k = divided(row.c, seam.b);
        Equation { a: row.a - seam.a * k, b: row.b, c: -(seam.c * k), d: row.d - seam.d * k }
    };
    right.last = if right.own.len() == 1 { seam } else { under(right.last) };
    right.own[0] = seam;
    right.own[1..].iter_mut().for_each(|row| *row = under(*row));
    left.first = above(left.first);
    left.own.iter_mut().for_each(|row| *row = above(*row));
}

#[derive(Debug, Clone)]
struct Block<S> {
    first: Equation<S>,
    own: Vec<Equation<S>>,
    last: Equation<S>,
}

/// Wang and Mou's method, step by step.
#[derive(Debug, Clone)]
pub struct WangMou<S> {
    blocks: Vec<Block<S>>,
    /// Rows per block; the last block may have fewer.
    size: usize,
}

impl<S: Scalar> WangMou<S> {
    /// One system, each row a block.
    ///
    /// # Errors
    /// As [`thomas`](super::thomas), except breakdown.
    pub fn new(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<Self> {
        check_lengths(lower, diag, upper, rhs)?;
        check_finite(lower, diag, upper, rhs)?;
        let block = |row| Block { first: row, own: vec![row], last: row };
        Ok(Self { blocks: equations(lower, diag, upper, rhs).into_iter().map(block).collect(), size: 1 })
    }

    /// Whether the system is one block.
    pub fn is_whole(&self) -> bool {
        self.blocks.len() == 1
    }

    /// Merges each pair of neighbouring blocks.
    pub fn double(&mut self) {
        self.blocks = self
            .blocks
            .chunks_mut(2)
            .map(|pair| match pair {
                [left, right] => {
                    merge(left, right);
                    let own = [std::mem::take(&mut left.own), std::mem::take(&mut right.own)].concat();
                    Block { first: left.first, own, last: right.last }
                }
                rest => rest[0].clone(),
            })
            .collect();
        self.size *= 2;
    }

    /// Each row's own equation, in terms of the unknowns beside its block.
    pub fn own(&self) -> Vec<Coupled<S>> {
        let n: usize = self.blocks.iter().map(|block| block.own.len()).sum();
        let equations = self.blocks.iter().flat_map(|block| block.own.iter().copied());
        equations
            .enumerate()
            .map(|(row, equation)| {
                let start = row - row % self.size;
                let behind = start + self.size;
                Coupled { prev: start.checked_sub(1), row, next: (behind < n).then_some(behind), equation }
            })
            .collect()
    }

    /// The unknowns.
    ///
    /// # Errors
    /// [`Error::Breakdown`](crate::Error::Breakdown).
    pub fn solve(mut self) -> Result<Vec<S>> {
        while !self.is_whole() {
            self.double();
        }
        finite(self.blocks[0].own.iter().map(|row| row.solved(None, None)).collect())
    }
}

/// Wang and Mou's method: ceil(log2 n) steps of n triads each, and a step of one division per row. Any n.
///
/// For n = 2^m, m > 0: 9 n m + 7 n - 12 operations, not counting negations. A block's two outer equations are stored once here. Diéguez,
/// Amor and Doallo (table 1) count a copy per element: 48 n (m - 1) + n operations.
///
/// # Errors
/// As [`thomas`](super::thomas).
pub fn wang_mou<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<Vec<S>> {
    WangMou::new(lower, diag, upper, rhs)?.solve()
}
