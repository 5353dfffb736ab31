//! The twenty matrices of the RPTS paper, and two more.
//!
//! C. Klein, R. Strzodka, "Tridiagonal GPU Solver with Scaled Partial Pivoting at Maximum Bandwidth", ICPP 2021, table 1.

use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::gallery::{Diagonals, SingularValues, dorr, inverse_kms, lesp, normal, randsvd, uniform, uniform_or_zero};
use super::systems::HostSystem;
use trisolve::Real;

/// The descriptions of the matrices 1 to 22. a, b, c are lower, diag, upper; U is U(-1,1), drawn per entry. The last two are not the
/// paper's: they are well-conditioned, but no solver without row exchanges can solve them.
pub const RPTS_MATRICES: [&str; 22] = [
    "a, b, c: U",
    "b = 1e8; a, c: U",
    "lesp",
    "a, b, c: U, a[n/2] times 1e-50",
    "a, b, c: U, each of a and c 0 with 50%",
    "b = 64; a, c: U",
    "inverse of kms, rho 0.5",
    "randsvd, condition 1e15, one small singular value",
    "randsvd, condition 1e15, geometrically distributed",
    "randsvd, condition 1e15, one large singular value",
    "randsvd, condition 1e15, arithmetically distributed",
    "a, b, c: U, a times 1e-50",
    "dorr, theta 1e-4",
    "b = 1e-8; a, c: U",
    "b = 0; a, c: U",
    "(1, 1e-8, 1)",
    "(1, 1e8, 1)",
    "(-1, 4, -1)",
    "(-1, 4, 1)",
    "(-1, 4, U)",
    "blocks (0 1; 1 0), with U/4 between them",
    "1, and then blocks (0 1; -1 U/4), with U/4 between them",
];

/// The most rows of matrices 8 to 11, which need a dense matrix and n^3 operations.
pub(super) const MOST_DENSE_ROWS: usize = 2048;

/// Matrix `number`, from 1 to 22, with n rows, at least 2, and a solution from N(3,1), both rounded to T. The right-hand side is
/// their product in f64, rounded to T. `None` for 8 to 11 with more than 2048 rows.
pub fn rpts_matrix<T: Real>(number: usize, n: usize, seed: u64) -> Option<(HostSystem<T>, Vec<f64>)> {
    let mut random = SmallRng::seed_from_u64(seed.wrapping_mul(64).wrapping_add(number as u64));
    let random = &mut random;
    let (lower, diag, upper) = diagonals(number, n, random)?;
    let narrow = |values: Vec<f64>| values.into_iter().map(T::from_f64).collect::<Vec<_>>();
    let [lower, diag, upper] = [lower, diag, upper].map(narrow);
    let x: Vec<f64> = (0..n).map(|_| T::from_f64(3.0 + normal(random)).to_f64()).collect();
    let product = |i: usize| {
        let before = if i > 0 { lower[i].to_f64() * x[i - 1] } else { 0.0 };
        let after = if i + 1 < n { upper[i].to_f64() * x[i + 1] } else { 0.0 };
        T::from_f64(before + diag[i].to_f64() * x[i] + after)
    };
    let rhs = (0..n).map(product).collect();
    Some((HostSystem::of(lower, diag, upper, rhs), x))
}

/// The three diagonals of matrix `number`.
fn diagonals(number: usize, n: usize, random: &mut SmallRng) -> Option<Diagonals> {
    let constant = |value: f64| vec![value; n];
    Some(match number {
        2 => (uniform(n, random), constant(1e8), uniform(n, random)),
        3 => lesp(n),
        4 => {
            let mut lower = uniform(n, random);
            lower[n / 2] *= 1e-50;
            (lower, uniform(n, random), uniform(n, random))
        }
        5 => (uniform_or_zero(n, random), uniform(n, random), uniform_or_zero(n, random)),
        6 => (uniform(n, random), constant(64.0), uniform(n, random)),
        7 => inverse_kms(n, 0.5),
        8..=11 if n > MOST_DENSE_ROWS => return None,
        8 => randsvd(n, 1e15, SingularValues::OneSmall, random),
        9 => randsvd(n, 1e15, SingularValues::Geometric, random),
        10 => randsvd(n, 1e15, SingularValues::OneLarge, random),
        11 => randsvd(n, 1e15, SingularValues::Arithmetic, random),
        12 => (uniform(n, random).iter().map(|v| v * 1e-50).collect(), uniform(n, random), uniform(n, random)),
        13 => dorr(n, 1e-4),
        14 => (uniform(n, random), constant(1e-8), uniform(n, random)),
        15 => (uniform(n, random), constant(0.0), uniform(n, random)),
        16 => (constant(1.0), constant(1e-8), constant(1.0)),
        17 => (constant(1.0), constant(1e8), constant(1.0)),
        18 => (constant(-1.0), constant(4.0), constant(-1.0)),
        19 => (constant(-1.0), constant(4.0), constant(1.0)),
        20 => (constant(-1.0), constant(4.0), uniform(n, random)),
        21 | 22 => blocks(n, number - 21, random),
        _ => (uniform(n, random), uniform(n, random), uniform(n, random)),
    })
}

/// Blocks of two rows after the first `start` rows; a 1 if half a block is left.
fn blocks(n: usize, start: usize, random: &mut SmallRng) -> Diagonals {
    let quarter = |values: Vec<f64>| values.into_iter().map(|v| v / 4.0).collect::<Vec<_>>();
    let [mut lower, mut diag, mut upper] = [(); 3].map(|()| quarter(uniform(n, random)));
    let of_block = |row: usize| row >= start && row + (row - start + 1) % 2 < n;
    for row in 0..n {
        match (of_block(row), (row + start) % 2) {
            (true, 0) => (diag[row], upper[row]) = (0.0, 1.0),
            (true, _) if start == 0 => (lower[row], diag[row]) = (1.0, 0.0),
            (true, _) => lower[row] = -1.0,
            (false, _) => diag[row] = 1.0,
        }
    }
    (lower, diag, upper)
}
