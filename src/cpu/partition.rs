//! The partition in the classic formulas: chunks of rows are reduced to blocks, and blocks merge as a tree.
//!
//! A block of consecutive rows is two relations x = p x_before + q x_behind + r, for its first and its last unknown, where x_before and
//! x_behind are the unknowns beside the block. `shaders/shared/block.wgsl` has the same formulas with the dominance carried.

use super::row::{Equation, divided, equations};
use super::{check_finite, check_lengths, finite};
use crate::error::{Error, Result};
use crate::real::Scalar;

/// x = p x_before + q x_behind + r.
#[derive(Clone, Copy)]
struct Relation<S> {
    p: S,
    q: S,
    r: S,
}

impl<S: Scalar> Relation<S> {
    fn of(row: Equation<S>) -> Self {
        Self { p: divided(-row.a, row.b), q: divided(-row.c, row.b), r: divided(row.d, row.b) }
    }

    /// The relation of a row, given `self`, the relation of the row before: 8 operations.
    fn eliminated(self, row: Equation<S>) -> Self {
        let pivot = row.b + row.a * self.q;
        Self {
            p: divided(-(row.a * self.p), pivot),
            q: divided(-row.c, pivot),
            r: divided(row.d - row.a * self.r, pivot),
        }
    }

    /// `self` with its x_behind replaced by the relation `x`: 5 operations.
    fn through_behind(self, x: Self) -> Self {
        Self { p: self.p + self.q * x.p, q: self.q * x.q, r: self.r + self.q * x.r }
    }

    /// `self` with its x_before replaced by the relation `x`: 5 operations.
    fn through_before(self, x: Self) -> Self {
        Self { p: self.p * x.p, q: self.q + self.p * x.q, r: self.r + self.p * x.r }
    }

    /// Its unknown: 4 operations, 2 less for each unknown that is missing.
    fn value(self, before: Option<S>, behind: Option<S>) -> S {
        let mut x = self.r;
        if let Some(before) = before {
            x = self.p * before + x;
        }
        if let Some(behind) = behind {
            x = self.q * behind + x;
        }
        x
    }
}

#[derive(Clone, Copy)]
struct Block<S> {
    first: Relation<S>,
    last: Relation<S>,
}

/// The two unknowns at the seam of neighbouring blocks, in terms of the unknowns beside both: 15 operations.
fn seam<S: Scalar>(left: Relation<S>, right: Relation<S>) -> [Relation<S>; 2] {
    let k = divided(S::ONE, S::ONE - left.q * right.p);
    [
        Relation { p: k * left.p, q: k * (left.q * right.q), r: k * (left.q * right.r + left.r) },
        Relation { p: k * (right.p * left.p), q: k * right.q, r: k * (right.p * left.r + right.r) },
    ]
}

/// Reduces chunks of `rows` rows to blocks, merges the blocks as a tree, and substitutes back along the tree and in the chunks. Any n.
///
/// With C = ceil(n / rows) chunks and m = ceil(log2 C), from 1 up: 2 rows + 2m - 1 steps; rows x = 0 fill up the last chunk. For C = 2^m,
/// that is 17 rows C + 23 C - 8m - 2 rows - 45 operations, not counting negations: 13 per row to reduce a chunk, 25 per merge, 8 per merge
/// and 4 per row to substitute back, less what the first row of a chunk and the ends of the system spare. The relations of the rows are
/// kept. (The kernels eliminate again, and carry the dominance.)
///
/// # Errors
/// As [`thomas`](super::thomas); [`Error::Options`] for `rows` = 0.
pub fn partition<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S], rows: usize) -> Result<Vec<S>> {
    check_lengths(lower, diag, upper, rhs)?;
    check_finite(lower, diag, upper, rhs)?;
    if rows == 0 {
        return Err(Error::Options("chunks of 0 rows: should be 1 at least".into()));
    }
    let n = diag.len();
    let mut equations = equations(lower, diag, upper, rhs);
    let none = Equation { a: S::ZERO, b: S::ONE, c: S::ZERO, d: S::ZERO };
    equations.resize(n.next_multiple_of(rows), none);
    let mut relations: Vec<Relation<S>> = Vec::with_capacity(equations.len());
    let mut blocks = vec![];
    for chunk in equations.chunks(rows) {
        let mut last = Relation::of(chunk[0]);
        let mut first = last;
        relations.push(last);
        for &row in &chunk[1..] {
            last = last.eliminated(row);
            first = first.through_behind(last);
            relations.push(last);
        }
        blocks.push(Block { first, last });
    }
    let beside = unknowns_beside(&blocks);
    let mut x = vec![S::ZERO; relations.len()];
    for (at, (own, [before, mut behind])) in relations.chunks(rows).zip(beside).enumerate() {
        for (i, relation) in own.iter().enumerate().rev() {
            x[at * rows + i] = relation.value(before, behind);
            behind = Some(x[at * rows + i]);
        }
    }
    x.truncate(n);
    finite(x)
}

/// The unknowns beside each block.
fn unknowns_beside<S: Scalar>(blocks: &[Block<S>]) -> Vec<[Option<S>; 2]> {
    if blocks.len() == 1 {
        return vec![[None, None]];
    }
    let seams: Vec<_> = blocks.chunks_exact(2).map(|pair| seam(pair[0].last, pair[1].first)).collect();
    // The whole system's own relations are of no use.
    let merged: Vec<_> = match blocks {
        [first, _] => vec![*first],
        _ => blocks
            .chunks(2)
            .zip(seams.iter().map(Some).chain([None]))
            .map(|(pair, seam)| match (pair, seam) {
                ([left, right], Some([last, first])) => {
                    Block { first: left.first.through_behind(*first), last: right.last.through_before(*last) }
                }
                _ => pair[0],
            })
            .collect(),
    };
    let of_pairs = unknowns_beside(&merged);
    let mut beside = vec![];
    for (at, [before, behind]) in of_pairs.into_iter().enumerate() {
        match seams.get(at) {
            Some([last, first]) => {
                let [last, first] = [last, first].map(|relation| relation.value(before, behind));
                beside.extend([[before, Some(first)], [Some(last), behind]]);
            }
            None => beside.push([before, behind]),
        }
    }
    beside
}
