//! Recursive partitions with scaled partial pivoting.

use super::{breakdown, check_finite, check_lengths, finite, singular};
use crate::error::{Error, Result};
use crate::real::Scalar;

/// Solves one system of n rows by recursive partitions of `rows` rows (even, at least 4).
///
/// After C. Klein and R. Strzodka, "Tridiagonal GPU Solver with Scaled Partial Pivoting at Maximum Bandwidth" (ICPP 2021). Elimination from
/// above and from below removes the inner unknowns of each partition, each time with the better of two rows as pivot. This leaves two rows,
/// for the first and the last unknown. These rows form a tridiagonal system of 2 ceil(n / rows) rows, which is solved in the same way. Then
/// each partition is eliminated from above again, and substituted. Rows x = 0 fill up the last partition.
///
/// 2 (rows - 2) steps per level, and 3 for the last two rows.
///
/// 44 n - 77 operations if partitions divide every level, and 5 (n - 2) / (rows - 2) to detect singular partitions: 16 per inner row to
/// eliminate it twice, and 14 each to eliminate it again and substitute it from above and from below; the side whose weakest pivot is the
/// stronger one is used (29 n - 43 from above alone; negations and comparisons are not counted, nor is finding the scalar's precision). If
/// neither side has pivots of a quarter of their row, all rows of the partition are used again, with three candidates per pivot. Only the
/// ends' rows are kept between. Not as stable as [`gtsv`](super::gtsv): one in 200 random matrices of 2048 rows has a backward error above
/// 1e-14 with 8 rows per partition, and the median forward error is 1.2 times gtsv's. In a singular partition, which is common with small
/// integers, the inner rows leave the same row twice. Its diagonals are then perturbed by half of the digits, which leaves x half of its
/// own. (For a scalar that rounds to more than 64 digits, by 2^-32.)
///
/// # Errors
/// As [`gtsv`](super::gtsv); [`Error::Options`] for `rows` that are odd or below 4.
pub fn pivoting_partition<S: Scalar>(lower: &[S], diag: &[S], upper: &[S], rhs: &[S], rows: usize) -> Result<Vec<S>> {
    check_lengths(lower, diag, upper, rhs)?;
    check_finite(lower, diag, upper, rhs)?;
    if rows < 4 || rows % 2 == 1 {
        return Err(Error::Options(format!("partitions of {rows} rows: should be even, and 4 at least")));
    }
    let n = diag.len();
    let system = (0..n)
        .map(|i| Row {
            before: if i == 0 { S::ZERO } else { lower[i] },
            own: diag[i],
            after: if i + 1 == n { S::ZERO } else { upper[i] },
            right: rhs[i],
        })
        .collect::<Vec<_>>();
    let limits = Limits::of(rows);
    finite(solve(&system, rows, &limits)?)
}

const DIVISORS: [u32; 14] = [11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61];

/// Thresholds for pivots.
struct Limits<S> {
    /// A pivot below this share of its row is weak.
    weak: S,
    /// Perturbations of the inner unknowns' diagonals in singular partitions, as shares of their rows.
    changes: Vec<S>,
    /// A quarter of the first perturbation: a smaller remaining pivot shows that the inner rows are singular.
    singular: S,
}

impl<S: Scalar> Limits<S> {
    fn of(rows: usize) -> Self {
        let half = S::ONE / (S::ONE + S::ONE);
        let weak = half * half;
        // 1 to half of the digits.
        let (mut change, mut square) = (S::ONE, S::ONE);
        for _ in 0..32 {
            if S::ONE + square * half == S::ONE {
                break;
            }
            change = change * half;
            square = change * change;
        }
        // Shares whose sums are 0 only for large integers; otherwise the perturbations could cancel.
        let sixteen = S::ONE / (weak * weak);
        let (mut number, mut at) = (S::ZERO, 0u32);
        let mut of_divisor = |divisor: u32| {
            while at < divisor {
                number = number + S::ONE;
                at += 1;
            }
            change * sixteen / number
        };
        let changes = DIVISORS.iter().cycle().take(rows - 2).map(|&divisor| of_divisor(divisor)).collect();
        Self { weak, changes, singular: change * weak }
    }
}

/// before x[i-1] + own x[i] + after x[i+1] = right.
#[derive(Clone, Copy)]
struct Row<S> {
    before: S,
    own: S,
    after: S,
    right: S,
}

impl<S: Scalar> Row<S> {
    /// x = 0, without neighbours.
    const NONE: Self = Self { before: S::ZERO, own: S::ONE, after: S::ZERO, right: S::ZERO };

    fn mirrored(self) -> Self {
        Self { before: self.after, after: self.before, ..self }
    }

    /// The scale of a row, to which pivots are compared.
    fn scale(&self) -> S {
        larger(larger(self.before.abs(), self.own.abs()), self.after.abs())
    }
}

/// The row that remains of a partition while its inner unknowns are eliminated one by one: first x_first + own x_j + after x_(j+1) = right;
/// and the scale of the original row.
#[derive(Clone, Copy)]
struct Carried<S> {
    first: S,
    own: S,
    after: S,
    right: S,
    scale: S,
}

/// The row that eliminated an inner unknown: pivot x_j + next x_(j+1) + other x = right, where x is the unknown after the next, or the
/// partition's first.
#[derive(Clone, Copy)]
struct Pivot<S> {
    pivot: S,
    next: S,
    other: S,
    /// Whether `other` belongs to the unknown after the next.
    is_exchanged: bool,
    right: S,
}

/// Eliminates the inner unknowns of a partition, in the order of its rows, all but the first of which are used. What is
/// left is a row for the last unknown, between the first and the one behind the partition; and what the inner rows
/// alone leave as a pivot of the last inner unknown, and beside it.
fn eliminate<S: Scalar>(rows: &[Row<S>], mut use_pivot: impl FnMut(Pivot<S>)) -> (Row<S>, [S; 2]) {
    let Row { before, own, after, right } = rows[1];
    let mut carried = Carried { first: before, own, after, right, scale: rows[1].scale() };
    let mut last = carried;
    for row in &rows[2..] {
        let scale = row.scale();
        last = carried;
        // Each pivot relative to the largest entry of its row.
        if row.before.abs() * carried.scale > carried.own.abs() * scale {
            use_pivot(Pivot {
                pivot: row.before,
                next: row.own,
                other: row.after,
                is_exchanged: true,
                right: row.right,
            });
            let factor = carried.own / row.before;
            carried = Carried {
                own: carried.after - factor * row.own,
                after: -(factor * row.after),
                right: carried.right - factor * row.right,
                ..carried
            };
        } else {
            let Carried { first, own, after, right, .. } = carried;
            use_pivot(Pivot { pivot: own, next: after, other: first, is_exchanged: false, right });
            // Without a pivot there is nothing to eliminate: x_j is in neither row.
            let factor = if own == S::ZERO { S::ZERO } else { row.before / own };
            carried = Carried {
                first: -(factor * first),
                own: row.own - factor * after,
                after: row.after,
                right: row.right - factor * right,
                scale,
            };
        }
    }
    let row = Row { before: carried.first, own: carried.own, after: carried.after, right: carried.right };
    (row, [last.own.abs(), larger(last.first.abs(), last.after.abs())])
}

fn larger<S: Scalar>(a: S, b: S) -> S {
    if a < b { b } else { a }
}

/// |a| / scale.
fn share<S: Scalar>(a: S, scale: S) -> S {
    if scale == S::ZERO { S::ZERO } else { a.abs() / scale }
}

/// The two rows that are left of a partition. Inner rows that are singular on their own leave that twice which ties the ends to each
/// other; the outer ones' share of them is the inner rows' last pivot, beside the rest of its row and what the outer rows have of
/// the unknowns next to them.
fn ends<S: Scalar>(partition: &[Row<S>], limits: &Limits<S>) -> [Row<S>; 2] {
    let both = |partition: &[Row<S>]| [eliminate(&backwards(partition), |_| {}), eliminate(partition, |_| {})];
    let [(below, of_below), (above, of_above)] = both(partition);
    let ends = [below.mirrored(), above];
    let (first, last) = (partition[0], partition[partition.len() - 1]);
    let tie = share(first.after, first.scale()) * share(last.before, last.scale());
    let limit = limits.singular * tie;
    if [of_below, of_above].into_iter().all(|[remainder, beside]| remainder < limit * beside)
        && are_alike(&ends, limits)
    {
        let mut changed = partition.to_vec();
        for (row, &change) in changed[1..].iter_mut().zip(&limits.changes) {
            row.own = row.own + change * row.scale();
        }
        let [(below, _), (above, _)] = both(&changed);
        return [below.mirrored(), above];
    }
    ends
}

/// Whether two rows of a partition's first and last unknown say the same of them: what is singular twice leaves two that do
/// not, and needs no more.
fn are_alike<S: Scalar>([first, last]: &[Row<S>; 2], limits: &Limits<S>) -> bool {
    let difference = first.own * last.own - first.after * last.before;
    difference.abs() * limits.weak * limits.weak <= limits.singular * first.scale() * last.scale()
}

/// The rows of a partition in reverse order.
fn backwards<S: Scalar>(partition: &[Row<S>]) -> Vec<Row<S>> {
    partition.iter().rev().map(|row| row.mirrored()).collect()
}

fn solve<S: Scalar>(system: &[Row<S>], rows: usize, limits: &Limits<S>) -> Result<Vec<S>> {
    let n = system.len();
    if n <= 2 {
        return solve_two(system[0], system.get(1).copied().unwrap_or(Row::NONE)).map(|x| x[..n].to_vec());
    }
    let filled: Vec<_> =
        system.iter().copied().chain(std::iter::repeat_n(Row::NONE, n.next_multiple_of(rows) - n)).collect();
    let mut coarse = vec![];
    for partition in filled.chunks(rows) {
        coarse.extend(ends(partition, limits));
    }
    let ends = solve(&coarse, rows, limits).map_err(|error| match error {
        Error::Singular { row, .. } => singular((row / 2 * rows).min(n - 1)),
        other => other,
    })?;
    let end = |at: usize| ends.get(at).copied().unwrap_or(S::ZERO);
    let mut x = vec![];
    for (at, partition) in filled.chunks(rows).enumerate() {
        let before = at.checked_sub(1).map_or(S::ZERO, |at| end(2 * at + 1));
        let [first, last, behind] = [0, 1, 2].map(|place| end(2 * at + place));
        // Cuts between partitions are not stable: an unknown without a good pivot from above may have one from below.
        let (from_above, above) = substituted(partition, [first, last, behind]);
        let (from_below, below) = substituted(&backwards(partition), [last, first, before]);
        let inner = match above < below {
            _ if above < limits.weak && below < limits.weak => solved_inner(partition, [before, first, last, behind])
                .map_err(|row| singular((at * rows + row).min(n - 1)))?,
            true => from_below.into_iter().rev().collect(),
            false => from_above,
        };
        x.push(first);
        x.extend(inner);
        x.push(last);
    }
    x.truncate(n);
    Ok(x)
}

/// The inner unknowns of a partition, given its first unknown, its last and the one behind it; and what share of its row the
/// weakest of their pivots is.
fn substituted<S: Scalar>(partition: &[Row<S>], [first, last, behind]: [S; 3]) -> (Vec<S>, S) {
    let mut pivots = vec![];
    eliminate(partition, |pivot| pivots.push(pivot));
    let mut inner = vec![];
    let (mut next, mut after_next) = (last, behind);
    let mut weakest = S::ONE;
    for Pivot { pivot, next: factor, other, is_exchanged, right } in pivots.into_iter().rev() {
        let largest =
            [pivot.abs(), factor.abs(), other.abs()].into_iter().fold(S::ZERO, |a, b| if a < b { b } else { a });
        let share = share(pivot, largest);
        if share < weakest {
            weakest = share;
        }
        let x = (right - factor * next - other * if is_exchanged { after_next } else { first }) / pivot;
        inner.push(x);
        (next, after_next) = (x, next);
    }
    inner.reverse();
    (inner, weakest)
}

/// What is left of a row of whose unknowns the first is x_j: own x_j + next x_(j+1) + far x_(j+2) = right.
#[derive(Clone, Copy)]
struct Candidate<S> {
    own: S,
    next: S,
    far: S,
    right: S,
    scale: S,
}

/// The inner unknowns of a partition from all its rows, two more than there are unknowns, given those before it, its first, its
/// last and that behind it: each by the best of the three pivots that there are for it. Where neither side has strong
/// ones, some unknowns may have theirs from above and others from below. Of one without any, its row.
fn solved_inner<S: Scalar>(partition: &[Row<S>], known: [S; 4]) -> std::result::Result<Vec<S>, usize> {
    let [before, first, last, behind] = known;
    let rows = partition.len();
    let candidate = |at: usize, row: &Row<S>| {
        // x_j is that before the row's own, but for the first two.
        let (mut own, mut next, mut far) = (row.before, row.own, row.after);
        let mut right = row.right;
        match at {
            0 => {
                right = right - own * before - next * first;
                (own, next, far) = (far, S::ZERO, S::ZERO);
            }
            1 => {
                right = right - own * first;
                (own, next, far) = (next, far, S::ZERO);
            }
            _ => {}
        }
        if at + 2 == rows {
            right = right - far * last;
            far = S::ZERO;
        }
        if at + 1 == rows {
            right = right - next * last - far * behind;
            (next, far) = (S::ZERO, S::ZERO);
        }
        Candidate { own, next, far, right, scale: row.scale() }
    };
    let all: Vec<_> = partition.iter().enumerate().map(|(at, row)| candidate(at, row)).collect();
    let mut left = [all[0], all[1]];
    let mut pivots = vec![];
    for (at, &row) in all[2..].iter().enumerate() {
        let mut candidates = [left[0], left[1], row];
        for other in 1..3 {
            let [best, it] = [candidates[0], candidates[other]];
            if it.own.abs() * best.scale > best.own.abs() * it.scale {
                candidates.swap(0, other);
            }
        }
        let [Candidate { own, next, far, right, .. }, others @ ..] = candidates;
        if own == S::ZERO {
            return Err(at + 1);
        }
        left = others.map(|other| {
            let factor = other.own / own;
            Candidate {
                own: other.next - factor * next,
                next: other.far - factor * far,
                far: S::ZERO,
                right: other.right - factor * right,
                scale: other.scale,
            }
        });
        pivots.push(candidates[0]);
    }
    let mut inner = vec![];
    let (mut next, mut far) = (S::ZERO, S::ZERO);
    for pivot in pivots.into_iter().rev() {
        let x = (pivot.right - pivot.next * next - pivot.far * far) / pivot.own;
        inner.push(x);
        (next, far) = (x, next);
    }
    inner.reverse();
    Ok(inner)
}

/// Two rows, with the better pivot.
fn solve_two<S: Scalar>(first: Row<S>, second: Row<S>) -> Result<[S; 2]> {
    let scales = [first.scale(), second.scale()];
    let is_exchanged = second.before.abs() * scales[0] > first.own.abs() * scales[1];
    let [upper, lower] = match is_exchanged {
        false => [[first.own, first.after, first.right], [second.before, second.own, second.right]],
        true => [[second.before, second.own, second.right], [first.own, first.after, first.right]],
    };
    if upper[0] == S::ZERO {
        return Err(singular(0));
    }
    let factor = lower[0] / upper[0];
    let pivot = lower[1] - factor * upper[1];
    if pivot == S::ZERO {
        return Err(singular(1));
    }
    if !pivot.is_finite() {
        return Err(breakdown(1));
    }
    let second = (lower[2] - factor * upper[2]) / pivot;
    Ok([(upper[2] - upper[1] * second) / upper[0], second])
}
