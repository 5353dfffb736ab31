//! The condition number of a tridiagonal matrix in the 2-norm.

use std::cmp::Ordering;

use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::big::Big;
use super::gallery::uniform;
use trisolve::cpu;

/// Rounds of the power method in f64. Where singular values lie densely at the end of their range, the norm comes out too small by about
/// 1 / (4 rounds).
const ROUNDS: usize = 1000;
/// Rounds in numbers of 1500 bits. The least singular value of a matrix that needs them lies far below the others: a few rounds find it.
const LONG_ROUNDS: usize = 20;
/// A smaller relative gain per round ends the power method.
const LEAST_GAIN: f64 = 1e-6;
/// Above this condition number, f64 solves have too few digits, and the solves take numbers of 1500 bits.
const MOST_IN_F64: f64 = 1e10;

/// sigma_max / sigma_min of the matrix, right to about three digits; infinite if the matrix is singular, or if the number is past the range of
/// f64. `lower[0]` and `upper[n-1]` are not read.
///
/// Both norms, of A and of its inverse, by the power method on A^T A and (A A^T)^-1: lower bounds that converge. Costs up to 1000 solves in
/// f64 and, past a condition number of 1e10, some solves in numbers of 1500 bits.
pub fn condition_number(lower: &[f64], diag: &[f64], upper: &[f64]) -> f64 {
    let n = diag.len();
    let matrix = Tridiagonal::new(lower, diag, upper);
    let both = [matrix.transposed(), matrix];
    let of = |transposed: bool| &both[usize::from(!transposed)];
    let Some(largest) = norm(n, ROUNDS, |x, transposed| Some(unit(&of(transposed).times(x)))) else {
        return f64::INFINITY;
    };
    let in_f64 = norm(n, ROUNDS, |x, transposed| {
        let Tridiagonal { lower, diag, upper } = of(transposed);
        Some(unit(&cpu::gtsv(lower, diag, upper, x).ok()?))
    });
    match in_f64.map(|inverse| largest * inverse) {
        Some(condition) if condition < MOST_IN_F64 => condition,
        _ => norm(n, LONG_ROUNDS, |x, transposed| of(transposed).solve(x))
            .map_or(f64::INFINITY, |inverse| largest * inverse),
    }
}

/// The 2-norm of B by up to `rounds` rounds of the power method on B^T B; `None` past the range of f64, or if `apply` fails.
/// `apply(x, transposed)` returns the norm of B x or B^T x, and the vector divided by it.
fn norm(n: usize, rounds: usize, mut apply: impl FnMut(&[f64], bool) -> Option<(f64, Vec<f64>)>) -> Option<f64> {
    let (_, mut x) = unit(&uniform(n, &mut SmallRng::seed_from_u64(n as u64)));
    let mut largest = 0f64;
    for _ in 0..rounds {
        let (there, y) = apply(&x, false)?;
        let (back, z) = apply(&y, true)?;
        x = z;
        let before = largest;
        largest = before.max(there).max(back);
        if !largest.is_finite() {
            return None;
        }
        if largest <= before * (1.0 + LEAST_GAIN) {
            break;
        }
    }
    Some(largest)
}

/// The norm of a vector, and the vector divided by it.
fn unit(x: &[f64]) -> (f64, Vec<f64>) {
    let norm = x.iter().fold(0f64, |norm, x| norm.hypot(*x));
    let divisor = if norm > 0.0 { norm } else { 1.0 };
    (norm, x.iter().map(|x| x / divisor).collect())
}

/// A tridiagonal matrix with corners of 0.
struct Tridiagonal {
    lower: Vec<f64>,
    diag: Vec<f64>,
    upper: Vec<f64>,
}

impl Tridiagonal {
    fn new(lower: &[f64], diag: &[f64], upper: &[f64]) -> Self {
        let (mut lower, diag, mut upper) = (lower.to_vec(), diag.to_vec(), upper.to_vec());
        if let (Some(first), Some(last)) = (lower.first_mut(), upper.last_mut()) {
            (*first, *last) = (0.0, 0.0);
        }
        Self { lower, diag, upper }
    }

    fn transposed(&self) -> Self {
        let (mut lower, mut upper) = (self.upper.clone(), self.lower.clone());
        // The last entry of `upper` is 0, and so is the first of `lower`.
        lower.rotate_right(1);
        upper.rotate_left(1);
        Self { lower, diag: self.diag.clone(), upper }
    }

    fn times(&self, x: &[f64]) -> Vec<f64> {
        let at = |i: Option<usize>| i.and_then(|i| x.get(i)).copied().unwrap_or(0.0);
        let row =
            |i: usize| self.lower[i] * at(i.checked_sub(1)) + self.diag[i] * x[i] + self.upper[i] * at(Some(i + 1));
        (0..x.len()).map(row).collect()
    }

    /// The norm of the solution for the right-hand side x, and the solution divided by it; `None` if the matrix is singular. Elimination with
    /// row exchanges, as [`cpu::gtsv`], in numbers of 1500 bits.
    fn solve(&self, x: &[f64]) -> Option<(f64, Vec<f64>)> {
        let n = x.len();
        let big = |values: &[f64]| values.iter().map(|&value| Big::new(value)).collect::<Vec<_>>();
        let zero = Big::new(0.0);
        let (mut first, mut second, mut x) = (big(&self.diag), big(&self.upper), big(x));
        let mut third = vec![zero.clone(); n];
        for row in 0..n - 1 {
            let mut below = Big::new(self.lower[row + 1]);
            if first[row].compare_size(&below) == Ordering::Less {
                std::mem::swap(&mut first[row], &mut below);
                (first[row + 1], second[row]) = (second[row].clone(), first[row + 1].clone());
                (third[row], second[row + 1]) = (second[row + 1].clone(), zero.clone());
                x.swap(row, row + 1);
            }
            if first[row].is_zero() {
                return None;
            }
            if below.is_zero() {
                continue;
            }
            let factor = below.over(&first[row]);
            first[row + 1] = first[row + 1].minus(&factor.times(&second[row]));
            second[row + 1] = second[row + 1].minus(&factor.times(&third[row]));
            x[row + 1] = x[row + 1].minus(&factor.times(&x[row]));
        }
        if first[n - 1].is_zero() {
            return None;
        }
        for row in (0..n).rev() {
            let mut sum = x[row].clone();
            for (entry, at) in [(&second[row], row + 1), (&third[row], row + 2)] {
                if at < n && !entry.is_zero() {
                    sum = sum.minus(&entry.times(&x[at]));
                }
            }
            x[row] = sum.over(&first[row]);
        }
        let largest = x.iter().max_by(|a, b| a.compare_size(b))?;
        if largest.is_zero() {
            return Some((0.0, vec![0.0; n]));
        }
        let (norm, x) = unit(&x.iter().map(|x| x.ratio(largest)).collect::<Vec<_>>());
        Some((norm * largest.value().abs(), x))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[track_caller]
    fn check(lower: &[f64], diag: &[f64], upper: &[f64], want: f64) {
        let found = condition_number(lower, diag, upper);
        assert!((found / want - 1.0).abs() < 2e-3, "{found:e}, not {want:e}");
    }

    #[test]
    fn of_matrices_whose_singular_values_are_known() {
        // (-1 2 -1): eigenvalues 4 sin^2(k pi / (2 n + 2)).
        for n in [1usize, 2, 3, 64, 512] {
            let angle = PI / (2.0 * (n as f64 + 1.0));
            let want = ((n as f64 * angle).sin() / angle.sin()).powi(2);
            check(&vec![-1.0; n], &vec![2.0; n], &vec![-1.0; n], want);
        }
        // The orthogonal matrix that exchanges neighbours.
        check(&[f64::NAN, 1.0, 0.0, 1.0], &[0.0; 4], &[1.0, 0.0, 1.0, f64::NAN], 1.0);
        // Not symmetric: the singular values of (1 1; 0 1) are the golden ratio and its inverse.
        let golden = (1.0 + 5f64.sqrt()) / 2.0;
        check(&[0.0, 0.0], &[1.0, 1.0], &[1.0, 0.0], golden * golden);
    }

    #[test]
    fn past_the_digits_of_f64() {
        check(&[0.0; 3], &[1.0, 1e-200, 3.0], &[0.0; 3], 3e200);
        // (1 b; 0 1) with large b: b^2.
        check(&[0.0; 2], &[1.0, 1.0], &[1e30, 0.0], 1e60);
        // Powers of the bidiagonal inverse: its corner is 10^(n-1).
        let n = 40;
        let found = condition_number(&vec![0.0; n], &vec![1.0; n], &vec![-10.0; n]);
        assert!((1e40..2e40).contains(&found), "{found:e}");
        assert!(condition_number(&[0.0, 1.0], &[1.0, 1.0], &[1.0, 0.0]).is_infinite());
    }
}
