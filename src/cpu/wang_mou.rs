//! Wang and Mou's divide and conquer.
//!
//! X. Wang, Z. G. Mou, "A divide-and-conquer method of solving tridiagonal systems on hypercube
//! massively parallel computers", SPDP 1991; in the words of Diéguez, Amor and Doallo (TOMS 2019,
//! section 2.2.3). Every element is a triad of equations: its block's first row, its own, its block's
//! last row, all of them in terms of the unknowns beside the block. Two neighbouring blocks become one
//! by eliminating the two unknowns at their seam from all triads.

use super::row::{Coupled, Equation, divided, equations};
use super::{check_finite, check_lengths, finite};
use crate::error::Result;
use crate::real::Scalar;

/// Merges the blocks of `left` and `right`, whose first and last equations stand at their ends
/// (`first`, `last`), and brings every element's own equation along.
fn merge<S: Scalar>(left: &mut Block<S>, right: &mut Block<S>) {
    // Both beside the seam: the left block's last unknown out of the right one's first row, ...
    let seam = right.first.reduced(Some(left.last), None);
    // ... out of the right block's other rows, together with the unknown of the first, ...
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
    // ... and that unknown out of the left block's rows.
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

/// Wang and Mou's method, a step at a time.
#[derive(Debug, Clone)]
pub struct WangMou<S> {
    blocks: Vec<Block<S>>,
    /// Rows of every block but the last.
    size: usize,
}

impl<S: Scalar> WangMou<S> {
    /// One system, each row a block.
    ///
    /// # Errors
    /// As [`thomas`](super::thomas), but for a breakdown.
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

    /// Neighbouring blocks become one.
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

    /// Every row's own equation, in terms of the unknowns beside its block.
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

/// Wang and Mou's method: ceil(log2 n) steps of n triads each, and one division per row. Any n.
///
/// For n = 2^m, m > 0: 9 n m + 7 n - 12 operations, negation not counted. A block's two outer
/// equations are kept once here; with a copy for every element, as Diéguez, Amor and Doallo count
/// (table 1), it is 48 n (m - 1) + n.
///
/// # Errors
/// As [`thomas`](super::thomas).
pub fn wang_mou<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S]) -> Result<Vec<S>> {
    WangMou::new(lower, diag, upper, rhs)?.solve()
}
