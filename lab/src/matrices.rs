//! The sixteen matrices of the TPR paper, on which tridiagonal solvers are compared.
//!
//! L.-W. Chang, J. A. Stratton, H.-S. Kim, W. W. Hwu, "A Scalable, Numerically Stable,
//! High-performance Tridiagonal Solver Using GPUs", SC 2012; table 9 of Diéguez, Amor and Doallo (TOMS
//! 2019).

use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::gallery::{SingularValues, dorr, inverse_kms, lesp, randsvd, uniform, uniform_or_zero};
use super::systems::HostSystem;
use trisolve::Real;

/// The descriptions of the matrices 1 to 16.
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

/// Matrix `number`, from 1 to 16, with n rows, at least 2. The right-hand side is from U(-1,1), as in the paper.
/// Entries are computed in f64 and rounded once.
pub fn matrix<T: Real>(number: usize, n: usize, seed: u64) -> HostSystem<T> {
    let mut random = SmallRng::seed_from_u64(seed.wrapping_add(number as u64));
    let random = &mut random;
    let rhs = uniform(n, random);
    let size = n as f64;
    let (lower, diag, upper) = match number {
        2 | 6 | 14 | 16 => {
            let diag = [1e8, 64.0, 1e-8, 0.0][[2, 6, 14, 16].iter().position(|&at| at == number).unwrap_or(0)];
            let off = uniform(2, random);
            (vec![off[0]; n], vec![diag; n], vec![off[1]; n])
        }
        3 => lesp(n),
        5 => {
            let diag = uniform(n, random);
            let off = uniform_or_zero(2 * n, random);
            (off[..n].to_vec(), diag, off[n..].to_vec())
        }
        7 => inverse_kms(n, 0.5),
        8..=11 => {
            let mode = [
                SingularValues::OneSmall,
                SingularValues::Geometric,
                SingularValues::OneLarge,
                SingularValues::Arithmetic,
            ];
            randsvd(n, 1e15, mode[number - 8], random)
        }
        13 => dorr(n, 1e-4),
        15 => ((0..n).map(|i| size - i as f64).collect(), vec![0.0; n], (0..n).map(|i| i as f64 + 1.0).collect()),
        _ => {
            let (mut lower, diag, upper) = (uniform(n, random), uniform(n, random), uniform(n, random));
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
