//! |A^-1| g of a tridiagonal matrix A and a vector g that is not negative, without solving with A.

use crate::real::Wide;

/// The least size of a pivot in f64, and the inverse of the largest: rows have entries of size 1, and products of two such inverses are in
/// range.
const LEAST: f64 = 1e-150;

/// The pivots of elimination without exchanges from above and from below, of a matrix whose rows have entries of size 1.
///
/// Each computed pivot is the exact pivot of a matrix whose entries differ by a few units of roundoff, however large elements grow,
/// so no row exchanges are needed (the recurrence of Sturm sequences: Demmel, "Applied Numerical Linear Algebra", lemma 5.3).
pub(crate) struct Pivots<W> {
    above: Vec<W>,
    below: Vec<W>,
}

/// A number in place of a zero, with the effect of an entry that differs by as much.
fn nonzero<W: Wide>(pivot: W) -> W {
    if pivot == W::ZERO { W::TINY } else { pivot }
}

impl<W: Wide> Pivots<W> {
    /// Of n rows; `lower[0]` and `upper[n-1]` are not read. 6 n operations.
    pub fn new(lower: &[W], diag: &[W], upper: &[W]) -> Self {
        let n = diag.len();
        let (mut above, mut below) = (vec![W::ZERO; n], vec![W::ZERO; n]);
        // Two chains of divisions, side by side.
        for i in 0..n {
            let j = n - 1 - i;
            let [over, under] = match i {
                0 => [W::ZERO; 2],
                _ => [lower[i] * (upper[i - 1] / above[i - 1]), upper[j] * (lower[j + 1] / below[j + 1])],
            };
            above[i] = nonzero(diag[i] - over);
            below[j] = nonzero(diag[j] - under);
        }
        Self { above, below }
    }

    /// |A^-1| g, with relative errors of about the condition number in units of roundoff. 14 n operations.
    ///
    /// With the pivots d+ from above and d- from below, the inverse's diagonal is 1 / (d+ + d- - b), and its columns go on
    /// by -a / d- below the diagonal and by -c / d+ above it (Meurant, "A review on the inverse of symmetric tridiagonal and
    /// block tridiagonal matrices", 1992). All sums are of terms of one sign.
    pub fn absolute_inverse(&self, lower: &[W], diag: &[W], upper: &[W], g: &[W]) -> Vec<W> {
        let n = diag.len();
        let own = |i: usize| g[i] / nonzero(self.above[i] + self.below[i] - diag[i]).abs();
        let mut all = vec![W::ZERO; n];
        let mut sum = W::ZERO;
        for i in 0..n {
            if i > 0 {
                sum = sum * (lower[i] / self.below[i]).abs();
            }
            sum = sum + own(i);
            all[i] = sum;
        }
        sum = W::ZERO;
        for i in (0..n.saturating_sub(1)).rev() {
            sum = (upper[i] / self.above[i]).abs() * (sum + own(i + 1));
            all[i] = all[i] + sum;
        }
        all
    }
}

impl Pivots<f64> {
    /// Whether all pivots are far from both ends of the range. Otherwise elimination has met a zero, and what grows out of the number in its
    /// place is no small change of the matrix.
    pub fn are_in_range(&self) -> bool {
        self.above.iter().chain(&self.below).all(|pivot| (LEAST..=1.0 / LEAST).contains(&pivot.abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::gtsv;

    /// Column by column.
    fn by_solves(lower: &[f64], diag: &[f64], upper: &[f64], g: &[f64]) -> Vec<f64> {
        let n = diag.len();
        let mut all = vec![0.0; n];
        for (j, g) in g.iter().enumerate() {
            let mut unit = vec![0.0; n];
            unit[j] = 1.0;
            let column = gtsv(lower, diag, upper, &unit).unwrap();
            all.iter_mut().zip(&column).for_each(|(sum, entry)| *sum += entry.abs() * g);
        }
        all
    }

    #[test]
    fn of_matrices_that_need_exchanges() {
        for n in 1..40usize {
            for kind in 0..3 {
                let entry = |i: usize, k: usize| match kind {
                    // Zeros on the diagonal, small integers, numbers of no pattern.
                    0 if k == 1 => 0.0,
                    1 => ((i * i * 7 + 3 * i * k + k) % 3) as f64 - 1.0,
                    _ => ((i * 37 + k * 101 + i * i * k) % 19) as f64 / 9.0 - 0.97,
                };
                let [lower, diag, upper] = [0, 1, 2].map(|k| (0..n).map(|i| entry(i, k)).collect::<Vec<_>>());
                if gtsv(&lower, &diag, &upper, &vec![1.0; n]).is_err() {
                    continue;
                }
                let g: Vec<_> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
                let expected = by_solves(&lower, &diag, &upper, &g);
                let condition = expected.iter().fold(1.0f64, |most, &value| most.max(value));
                if condition > 1e10 {
                    continue;
                }
                let found = Pivots::new(&lower, &diag, &upper).absolute_inverse(&lower, &diag, &upper, &g);
                for (found, expected) in found.iter().zip(&expected) {
                    let off = (found - expected).abs() / (expected + 1e-3 * condition);
                    assert!(off < 1e-4, "n = {n}, kind {kind}: {found}, not {expected}");
                }
            }
        }
    }
}
