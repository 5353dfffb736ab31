//! Matrices of Matlab's `gallery`, by its formulas, and random entries.

use std::f64::consts::TAU;

use rand::Rng;
use rand::rngs::SmallRng;

/// Lower, diagonal, upper: n entries each; the corner entries have any value.
pub type Diagonals = (Vec<f64>, Vec<f64>, Vec<f64>);

/// Numbers from U(-1,1).
pub(super) fn uniform(count: usize, random: &mut SmallRng) -> Vec<f64> {
    (0..count).map(|_| random.random_range(-1.0..1.0)).collect()
}

/// Numbers that are 0 or from U(-1,1), each with probability 1/2.
pub(super) fn uniform_or_zero(count: usize, random: &mut SmallRng) -> Vec<f64> {
    let (values, coins) = (uniform(count, random), uniform(count, random));
    values.iter().zip(coins).map(|(&value, coin)| if coin < 0.0 { 0.0 } else { value }).collect()
}

/// A number from the normal distribution N(0,1) (Box and Muller 1958).
pub(super) fn normal(random: &mut SmallRng) -> f64 {
    let (u, v): (f64, f64) = (random.random_range(f64::MIN_POSITIVE..1.0), random.random());
    (-2.0 * u.ln()).sqrt() * (TAU * v).cos()
}

/// `gallery('lesp', n)`: real eigenvalues, smoothly distributed.
pub(super) fn lesp(n: usize) -> Diagonals {
    (
        (1..=n).map(|i| 1.0 / i as f64).collect(),
        (1..=n).map(|i| -(2.0 * i as f64 + 3.0)).collect(),
        (1..=n).map(|i| i as f64 + 1.0).collect(),
    )
}

/// `inv(gallery('kms', n, rho))`, the inverse of the Kac-Murdock-Szego matrix.
pub(super) fn inverse_kms(n: usize, rho: f64) -> Diagonals {
    let scale = 1.0 / (1.0 - rho * rho);
    let inside = |i: usize| if i == 0 || i + 1 == n { scale } else { (1.0 + rho * rho) * scale };
    (vec![-rho * scale; n], (0..n).map(inside).collect(), vec![-rho * scale; n])
}

/// `gallery('dorr', n, theta)`: diffusion with theta against convection that changes its direction in
/// the middle (F. W. Dorr 1971).
pub fn dorr(n: usize, theta: f64) -> Diagonals {
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

/// The distribution of the singular values of [`randsvd`] between 1 and 1 / condition number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SingularValues {
    OneLarge,
    OneSmall,
    Geometric,
    Arithmetic,
}

/// `gallery('randsvd', n, condition, mode, 1, 1)`: singular values between random orthogonal matrices, reduced to tridiagonal form by
/// Matlab's `bandred`: reflections from both sides, a column and then a row at a time. Matlab's orthogonal matrices also have random signs of
/// rows, which change signs of the entries only.
///
/// Costs n^3 operations. The rounding of the dense matrix moves singular values by about 1e-15, so a condition number of 1e15 is met within
/// its order of magnitude.
pub fn randsvd(n: usize, condition: f64, mode: SingularValues, random: &mut SmallRng) -> Diagonals {
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
    // distributed over the orthogonal matrices, up to signs of rows (Stewart 1980).
    for at in (0..n - 1).rev() {
        let [left, right] = [(); 2].map(|()| reflection((at..n).map(|_| normal(random)).collect()));
        // The other rows and columns are still diagonal.
        dense.reflect_rows(&left, at, at);
        dense.reflect_columns(&right, at, at);
    }
    for at in 0..n.saturating_sub(2) {
        // The column below the first off-diagonal, then the row right of it.
        let column = (at + 1..n).map(|row| dense.values[row * n + at]).collect();
        dense.reflect_rows(&reflection(column), at + 1, at);
        let row = dense.values[at * n + at + 1..(at + 1) * n].to_vec();
        dense.reflect_columns(&reflection(row), at, at + 1);
    }
    let at = |row: usize, column: usize| dense.values[row * n + column];
    (
        (0..n).map(|i| if i > 0 { at(i, i - 1) } else { 0.0 }).collect(),
        (0..n).map(|i| at(i, i)).collect(),
        (0..n).map(|i| if i + 1 < n { at(i, i + 1) } else { 0.0 }).collect(),
    )
}

/// The unit vector of the reflection that maps a vector to its first axis.
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

    /// A <- A (I - 2 v v') over the rows from `row` and the columns from `column`.
    fn reflect_columns(&mut self, v: &[f64], row: usize, column: usize) {
        for line in self.values.chunks_mut(self.n).skip(row) {
            let product: f64 = line[column..].iter().zip(v).map(|(value, factor)| value * factor).sum();
            line[column..].iter_mut().zip(v).for_each(|(value, factor)| *value -= 2.0 * product * factor);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    /// The singular values of a dense matrix, ascending (one-sided Jacobi; Hestenes 1958).
    fn singular_values(mut columns: Vec<Vec<f64>>) -> Vec<f64> {
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        for _ in 0..20 {
            for i in 0..columns.len() {
                for j in 0..i {
                    let [own, other, both] = [(i, i), (j, j), (i, j)].map(|(i, j)| product(&columns[i], &columns[j]));
                    if both == 0.0 {
                        continue;
                    }
                    let zeta = (other - own) / (2.0 * both);
                    let tangent = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
                    let cosine = 1.0 / tangent.hypot(1.0);
                    let sine = cosine * tangent;
                    let (before, after) = columns.split_at_mut(i);
                    for (a, b) in after[0].iter_mut().zip(&mut before[j]) {
                        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
                    }
                }
            }
        }
        let mut values: Vec<_> = columns.iter().map(|column| product(column, column).sqrt()).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    /// All singular values of the three diagonals are those of Matlab's modes 1 to 4: none is lost outside the band.
    #[test]
    fn randsvd_has_the_singular_values_of_its_mode() {
        let (n, condition) = (24, 1e6f64);
        for (mode, kind) in [
            (1, SingularValues::OneLarge),
            (2, SingularValues::OneSmall),
            (3, SingularValues::Geometric),
            (4, SingularValues::Arithmetic),
        ] {
            for seed in 0..5 {
                let (lower, diag, upper) = randsvd(n, condition, kind, &mut SmallRng::seed_from_u64(seed));
                let mut columns = vec![vec![0.0; n]; n];
                for i in 0..n {
                    columns[i][i] = diag[i];
                    if i > 0 {
                        (columns[i - 1][i], columns[i][i - 1]) = (lower[i], upper[i - 1]);
                    }
                }
                // As in the text of randsvd.m, with p = n.
                let share = |i: usize| i as f64 / (n - 1) as f64;
                let mut want: Vec<_> = (0..n)
                    .map(|i| match mode {
                        1 => {
                            if i == 0 {
                                1.0
                            } else {
                                1.0 / condition
                            }
                        }
                        2 => {
                            if i == n - 1 {
                                1.0 / condition
                            } else {
                                1.0
                            }
                        }
                        3 => condition.powf(-1.0 / (n - 1) as f64).powi(i as i32),
                        _ => 1.0 - share(i) * (1.0 - 1.0 / condition),
                    })
                    .collect();
                want.sort_by(f64::total_cmp);
                for (found, want) in singular_values(columns).into_iter().zip(want) {
                    assert!((found - want).abs() < 1e-14, "mode {mode}, seed {seed}: {found:e}, not {want:e}");
                }
            }
        }
    }
}
