//! The sixteen matrices that tridiagonal solvers are compared on.
//!
//! L.-W. Chang, J. A. Stratton, H.-S. Kim, W. W. Hwu, "A Scalable, Numerically Stable,
//! High-performance Tridiagonal Solver Using GPUs", SC 2012; table 9 of Diéguez, Amor and Doallo (TOMS
//! 2019). Those that Matlab's `gallery` makes are made here by its formulas.

use std::f64::consts::TAU;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::systems::HostSystem;
use crate::real::Real;

/// What the matrices are, numbered from 1.
pub const MATRICES: [&str; 16] = [
    "entries from U(-1,1)",
    "Toeplitz, diagonal 1e8, off-diagonals from U(-1,1)",
    "lesp: real eigenvalues, smoothly distributed",
    "entries from U(-1,1), the 256th of lower times 1e-50",
    "diagonal from U(-1,1), off-diagonals 0 or from U(-1,1)",
    "Toeplitz, diagonal 64, off-diagonals from U(-1,1)",
    "inverse of Kac-Murdock-Szego, rho 0.5",
    "randsvd, condition 1e15, one small singular value",
    "randsvd, condition 1e15, geometrically distributed",
    "randsvd, condition 1e15, one large singular value",
    "randsvd, condition 1e15, arithmetically distributed",
    "entries from U(-1,1), lower times 1e-50",
    "dorr, theta 1e-4: ill-conditioned, dominant",
    "Toeplitz, diagonal 1e-8, off-diagonals from U(-1,1)",
    "clement: diagonal 0, eigenvalues -(n-1), -(n-3) .. n-1",
    "Toeplitz, diagonal 0, off-diagonals from U(-1,1)",
];

/// Matrix `number`, from 1 to 16, with n rows, at least 2; the right-hand side from U(-1,1), as in the
/// paper. Entries are computed in f64 and rounded once.
pub fn matrix<T: Real>(number: usize, n: usize, seed: u64) -> HostSystem<T> {
    let mut random = SmallRng::seed_from_u64(seed.wrapping_add(number as u64));
    let mut draw = || random.random_range(-1.0..1.0);
    let mut drawn = |count: usize| -> Vec<f64> { (0..count).map(|_| draw()).collect() };
    let rhs = drawn(n);
    let size = n as f64;
    let (lower, diag, upper): (Vec<f64>, Vec<f64>, Vec<f64>) = match number {
        2 | 6 | 14 | 16 => {
            let diag = [1e8, 64.0, 1e-8, 0.0][[2, 6, 14, 16].iter().position(|&at| at == number).unwrap_or(0)];
            let off = drawn(2);
            (vec![off[0]; n], vec![diag; n], vec![off[1]; n])
        }
        3 => (
            (1..=n).map(|i| 1.0 / i as f64).collect(),
            (1..=n).map(|i| -(2.0 * i as f64 + 3.0)).collect(),
            (1..=n).map(|i| i as f64 + 1.0).collect(),
        ),
        5 => {
            let (diag, off, coins) = (drawn(n), drawn(2 * n), drawn(2 * n));
            let off: Vec<_> = off.iter().zip(&coins).map(|(&v, &coin)| if coin < 0.0 { 0.0 } else { v }).collect();
            (off[..n].to_vec(), diag, off[n..].to_vec())
        }
        7 => {
            let rho = 0.5;
            let scale = 1.0 / (1.0 - rho * rho);
            let inside = |i: usize| if i == 0 || i + 1 == n { scale } else { (1.0 + rho * rho) * scale };
            (vec![-rho * scale; n], (0..n).map(inside).collect(), vec![-rho * scale; n])
        }
        8..=11 => {
            let mode = [
                SingularValues::OneSmall,
                SingularValues::Geometric,
                SingularValues::OneLarge,
                SingularValues::Arithmetic,
            ];
            randsvd(n, 1e15, mode[number - 8], &mut random)
        }
        13 => dorr(n, 1e-4),
        15 => ((0..n).map(|i| size - i as f64).collect(), vec![0.0; n], (0..n).map(|i| i as f64 + 1.0).collect()),
        _ => {
            let (mut lower, diag, upper) = (drawn(n), drawn(n), drawn(n));
            match number {
                // The 256th entry below the diagonal stands in row 257.
                4 if n > 256 => lower[256] *= 1e-50,
                12 => lower.iter_mut().for_each(|v| *v *= 1e-50),
                _ => {}
            }
            (lower, diag, upper)
        }
    };
    let narrow = |values: Vec<f64>| values.into_iter().map(T::from_f64).collect::<Vec<_>>();
    HostSystem::of(narrow(lower), narrow(diag), narrow(upper), narrow(rhs))
}

/// `gallery('dorr', n, theta)`: diffusion with theta against convection that changes its direction in
/// the middle (F. W. Dorr 1971).
fn dorr(n: usize, theta: f64) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let h = 1.0 / (n as f64 + 1.0);
    let middle = n.div_ceil(2);
    let term = theta / (h * h);
    let (mut lower, mut diag, mut upper) = (Vec::new(), Vec::new(), Vec::new());
    for i in 1..=n {
        let drift = (0.5 - i as f64 * h) / h;
        let (c, e) = if i <= middle { (-term, -term - drift) } else { (-term + drift, -term) };
        lower.push(c);
        diag.push(-(c + e));
        upper.push(e);
    }
    (lower, diag, upper)
}

/// How the singular values of [`randsvd`] lie between 1 and 1 over the condition number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SingularValues {
    OneLarge,
    OneSmall,
    Geometric,
    Arithmetic,
}

/// `gallery('randsvd', n, condition, mode, 1, 1)`: singular values between random orthogonal matrices,
/// brought to tridiagonal form by reflections from both sides.
fn randsvd(n: usize, condition: f64, mode: SingularValues, random: &mut SmallRng) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let share = |i: usize| i as f64 / (n as f64 - 1.0);
    let value = |i: usize| match mode {
        SingularValues::OneLarge => {
            if i == 0 {
                1.0
            } else {
                1.0 / condition
            }
        }
        SingularValues::OneSmall => {
            if i + 1 == n {
                1.0 / condition
            } else {
                1.0
            }
        }
        SingularValues::Geometric => condition.powf(-share(i)),
        SingularValues::Arithmetic => 1.0 - share(i) * (1.0 - 1.0 / condition),
    };
    let mut dense = Square { n, values: vec![0.0; n * n] };
    (0..n).for_each(|i| dense.values[i * n + i] = value(i));
    // Products of reflections of normally distributed vectors, ever shorter, are uniformly
    // distributed over the orthogonal matrices (Stewart 1980).
    let mut normal = || {
        let (u, v): (f64, f64) = (random.random_range(f64::MIN_POSITIVE..1.0), random.random());
        (-2.0 * u.ln()).sqrt() * (TAU * v).cos()
    };
    for at in (0..n - 1).rev() {
        for _ in 0..2 {
            let vector: Vec<f64> = (at..n).map(|_| normal()).collect();
            dense.reflect_rows(&reflection(vector), at, 0);
            dense.transpose();
        }
    }
    for at in 0..n.saturating_sub(2) {
        // The column below its first off-diagonal, then the row right of it.
        for _ in 0..2 {
            let column: Vec<f64> = (at + 1..n).map(|row| dense.values[row * n + at]).collect();
            dense.reflect_rows(&reflection(column), at + 1, at);
            dense.transpose();
        }
    }
    let at = |row: usize, column: usize| dense.values[row * n + column];
    (
        (0..n).map(|i| if i > 0 { at(i, i - 1) } else { 0.0 }).collect(),
        (0..n).map(|i| at(i, i)).collect(),
        (0..n).map(|i| if i + 1 < n { at(i, i + 1) } else { 0.0 }).collect(),
    )
}

/// The unit vector of the reflection that turns a vector along its first axis.
fn reflection(mut vector: Vec<f64>) -> Vec<f64> {
    let norm = |v: &[f64]| v.iter().fold(0f64, |norm, x| norm.hypot(*x));
    vector[0] += norm(&vector).copysign(vector[0]);
    let length = norm(&vector);
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
    vector
}

/// A dense matrix, row by row.
struct Square {
    n: usize,
    values: Vec<f64>,
}

impl Square {
    /// A <- (I - 2 v v') A over the rows from `row` and the columns from `column`.
    fn reflect_rows(&mut self, v: &[f64], row: usize, column: usize) {
        let n = self.n;
        let mut products = vec![0.0; n - column];
        for (at, factor) in v.iter().enumerate() {
            let line = &self.values[(row + at) * n + column..(row + at + 1) * n];
            products.iter_mut().zip(line).for_each(|(sum, value)| *sum += factor * value);
        }
        for (at, factor) in v.iter().enumerate() {
            let line = &mut self.values[(row + at) * n + column..(row + at + 1) * n];
            line.iter_mut().zip(&products).for_each(|(value, sum)| *value -= 2.0 * factor * sum);
        }
    }

    fn transpose(&mut self) {
        for row in 0..self.n {
            for column in row + 1..self.n {
                self.values.swap(row * self.n + column, column * self.n + row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// det(A' A - s^2 I) = 0 for a singular value s: the least of |A x| / |x| is not below the least
    /// one, nor is the largest entry above the largest.
    #[test]
    fn randsvd_keeps_norms() {
        let n = 24;
        for mode in
            [SingularValues::OneLarge, SingularValues::OneSmall, SingularValues::Geometric, SingularValues::Arithmetic]
        {
            let (lower, diag, upper) = randsvd(n, 1e3, mode, &mut SmallRng::seed_from_u64(1));
            // The sum of squares of all entries is that of all singular values.
            let squares = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
            let entries = squares(&lower) + squares(&diag) + squares(&upper);
            let share = |i: usize| i as f64 / 23.0;
            let wanted: f64 = match mode {
                SingularValues::OneLarge => 1.0 + 23e-6,
                SingularValues::OneSmall => 23.0 + 1e-6,
                SingularValues::Geometric => (0..n).map(|i| 1e-6f64.powf(share(i))).sum(),
                SingularValues::Arithmetic => (0..n).map(|i| (1.0 - share(i) * (1.0 - 1e-3)).powi(2)).sum(),
            };
            approx::assert_relative_eq!(entries, wanted, max_relative = 1e-12);
            // The product of all singular values is the determinant's size.
            let determinant = (0..n).fold((1.0, 0.0), |(last, before): (f64, f64), i| {
                let coupling = if i > 0 { lower[i] * upper[i - 1] } else { 0.0 };
                (diag[i] * last - coupling * before, last)
            });
            let wanted: f64 = match mode {
                SingularValues::OneLarge => 1e-3f64.powi(23),
                SingularValues::OneSmall => 1e-3,
                SingularValues::Geometric => (0..n).map(|i| 1e-3f64.powf(share(i))).product(),
                SingularValues::Arithmetic => (0..n).map(|i| 1.0 - share(i) * (1.0 - 1e-3)).product(),
            };
            // Rounding enters at the size of the largest singular value.
            let scale = if mode == SingularValues::OneLarge { 1e3 } else { 1.0 };
            assert!((determinant.0.abs() / wanted - 1.0).abs() < 1e-9 * scale, "{mode:?}: {determinant:?} {wanted}");
        }
    }

    #[test]
    fn dorr_is_dominant() {
        let (lower, diag, upper) = dorr(512, 1e-4);
        for i in 0..512 {
            let off = if i > 0 { lower[i].abs() } else { 0.0 } + if i < 511 { upper[i].abs() } else { 0.0 };
            assert!(diag[i] >= off * (1.0 - 1e-15), "row {i}");
        }
    }
}
