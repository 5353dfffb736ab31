//! Quasi-tridiagonal systems: the ten cases of Li et al., banded systems to compare libraries, and stencils.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::accuracy_table::wide;
use super::exact::exact;
use super::matrices::{MATRICES, matrix};
use super::rpts::{MOST_DENSE_ROWS, RPTS_MATRICES, rpts_matrix};
use super::systems::HostSystem;
use trisolve::quasi_tridiagonal::{Algorithm, Csr};
use trisolve::tridiagonal::{System, solve_on_cpu};
use trisolve::{Error, Real, Result};

/// A system with its solution.
#[derive(Debug, Clone)]
pub struct SparseSystem {
    /// The matrix A.
    pub matrix: Csr<f64>,
    /// The right-hand side: A x, but for [`SparseSystem::of_tpr`].
    pub rhs: Vec<f64>,
    /// The solution x, exact up to the rounding of A x; of [`SparseSystem::of_tpr`] the solution for this right-hand side, empty if it is not
    /// known.
    pub x: Vec<f64>,
}

impl SparseSystem {
    fn new(matrix: Csr<f64>, x: Vec<f64>) -> Result<Self> {
        let rhs = matrix.times(&x)?;
        Ok(Self { matrix, rhs, x })
    }

    /// Matrix `number` of [`RPTS_MATRICES`](super::RPTS_MATRICES) with n rows, as [`rpts_matrix`](super::rpts_matrix) makes it.
    ///
    /// # Errors
    /// [`Error::Shape`](trisolve::Error::Shape) if the number is not 1 to 22, for fewer than 2 rows, and for more than 2048 rows of
    /// matrices 8 to 11.
    pub fn of_rpts(number: usize, n: usize, seed: u64) -> Result<Self> {
        let made = match (1..=RPTS_MATRICES.len()).contains(&number) && n > 1 {
            true => rpts_matrix::<f64>(number, n, seed),
            false => None,
        };
        let (system, x) = made.ok_or_else(|| {
            Error::Shape(format!(
                "rpts-{number} with {n} rows: there are rpts-1 to rpts-22, with at least 2 rows; 8 to 11 have at most 2048"
            ))
        })?;
        Ok(Self { matrix: csr(&system)?, rhs: system.rhs, x })
    }

    /// Matrix `number` of [`MATRICES`](super::MATRICES) with n rows and a right-hand side from U(-1,1), as [`matrix`](super::matrix) makes
    /// them, rounded to `T`. The solution, of the rounded system, is exact, and empty if the matrix is singular; with more than 2048 rows, for
    /// which exact arithmetic takes too long, it comes from the CPU's solve in wider arithmetic, and is empty if this solve determines no digit.
    ///
    /// # Errors
    /// [`Error::Shape`](trisolve::Error::Shape) if the number is not 1 to 16, for fewer than 2 rows, and for more than 2048 rows of
    /// matrices 8 to 11.
    pub fn of_tpr<T: Real>(number: usize, n: usize, seed: u64) -> Result<Self> {
        let is_dense = (8..=11).contains(&number);
        if !(1..=MATRICES.len()).contains(&number) || n < 2 || is_dense && n > MOST_DENSE_ROWS {
            return Err(Error::Shape(format!(
                "tpr-{number} with {n} rows: there are tpr-1 to tpr-16, with at least 2 rows; 8 to 11 have at most {MOST_DENSE_ROWS}"
            )));
        }
        let HostSystem { lower, diag, upper, excess, rhs } = matrix::<T>(number, n, seed);
        let [lower, diag, upper, excess, rhs] = [lower, diag, upper, excess, rhs].map(|values| wide(&values));
        let system = HostSystem { lower, diag, upper, excess, rhs };
        let HostSystem { lower, diag, upper, rhs, .. } = &system;
        let x = match n {
            ..=MOST_EXACT_ROWS => exact(lower, diag, upper, rhs),
            _ => solve_on_cpu(&System::new(lower, diag, upper), rhs),
        };
        Ok(Self { matrix: csr(&system)?, x: x.unwrap_or_default(), rhs: system.rhs })
    }
}

/// Most rows for which exact arithmetic finds the solution.
const MOST_EXACT_ROWS: usize = 2048;

/// The matrix as a sparse one.
fn csr(system: &HostSystem<f64>) -> Result<Csr<f64>> {
    let n = system.diag.len();
    let (mut offsets, mut columns, mut values) = (vec![0], vec![], vec![]);
    for i in 0..n {
        let before = (i > 0).then(|| (i - 1, system.lower[i]));
        let behind = (i + 1 < n).then(|| (i + 1, system.upper[i]));
        for (column, value) in before.into_iter().chain([(i, system.diag[i])]).chain(behind) {
            columns.push(column as u32);
            values.push(value);
        }
        offsets.push(columns.len());
    }
    Csr::new(&offsets, &columns, &values)
}

/// One of the ten cases of Li, Yang and Li (2016), with the data of their Tables 5 and 6.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GasCase {
    /// The paper's name.
    pub name: &'static str,
    /// Rows.
    pub rows: usize,
    /// Entries beside the three diagonals.
    pub beside: usize,
    /// The paper's iterations of HISA, BHISA, Jacobi, Gauss-Seidel, GMRES(5), BiCG, BiCGSTAB, TFQMR, BiCRSTAB (of Lis).
    pub iterations: [u32; 9],
    couplings: Couplings,
}

/// The sizes of a case's entries beside the diagonal, if the diagonal is 1. Each entry varies about its size.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Couplings {
    /// Of T in even rows: to the row before, and to the row behind.
    even: [f64; 2],
    /// Of T in odd rows.
    odd: [f64; 2],
    /// Of the entries in S.
    beside: f64,
    /// The share by which entries to the other row of a pair vary: rows 0 and 1, 2 and 3, ...
    variation: f64,
    /// The share by which the solution varies about 1.
    solution: f64,
    /// In the rings of four rows: to the row before in the ring. None without rings.
    ring: Option<f64>,
}

/// One entry beside T; Jacobi in 24 iterations.
const ONE_BESIDE: Couplings = Couplings {
    even: [0.2381, 0.2299],
    odd: [0.2686, 0.0344],
    beside: 0.1003,
    variation: 0.799,
    solution: 0.0815,
    ring: None,
};
/// One entry beside T; Jacobi in 25 iterations.
const ONE_BESIDE_25: Couplings = Couplings {
    even: [0.2836, 0.2172],
    odd: [0.2952, 0.0272],
    beside: 0.1009,
    variation: 0.574,
    solution: 0.069,
    ring: None,
};
/// Two entries beside T; Jacobi in 31 iterations.
const TWO_BESIDE: Couplings = Couplings {
    even: [0.284, 0.2347],
    odd: [0.3228, 0.059],
    beside: 0.05756,
    variation: 0.476,
    solution: 0.061,
    ring: None,
};
/// Two entries beside T; Jacobi in 33 iterations.
const TWO_BESIDE_33: Couplings = Couplings {
    even: [0.2859, 0.2397],
    odd: [0.3547, 0.0578],
    beside: 0.0587,
    variation: 0.5067,
    solution: 0.058,
    ring: None,
};
/// Two entries beside T; Jacobi in 35 iterations.
const TWO_BESIDE_35: Couplings = Couplings {
    even: [0.2694, 0.237],
    odd: [0.3861, 0.0561],
    beside: 0.0569,
    variation: 0.519,
    solution: 0.057,
    ring: None,
};
/// Three entries beside T, and rings; Jacobi in 49 iterations.
const THREE_BESIDE: Couplings = Couplings {
    even: [0.2118, 0.0683],
    odd: [0.2711, 0.063],
    beside: 0.03494,
    variation: 0.903,
    solution: 0.14,
    ring: Some(0.7456),
};
/// Three entries beside T, and rings; Jacobi in 56 iterations.
const THREE_BESIDE_56: Couplings = Couplings {
    even: [0.185, 0.1732],
    odd: [0.2538, 0.0804],
    beside: 0.02314,
    variation: 0.99,
    solution: 0.0623,
    ring: Some(0.7665),
};

macro_rules! cases {
    ($($name:literal $rows:literal $beside:literal [$($count:literal)*] $couplings:ident;)*) => {
        /// The ten cases. Their matrices are not public; these have their sizes and entries per row, and couplings found by a search, with
        /// which all methods need about the paper's iterations (benches/results/quasi-tridiagonal-log.md).
        pub const GAS_CASES: [GasCase; 10] = [$(
            GasCase {
                name: $name,
                rows: $rows,
                beside: $beside,
                iterations: [$($count),*],
                couplings: $couplings,
            },
        )*];
    };
}
cases! {
    "Gas2000" 2_000 3_991 [11 11 31 13 18 19 11 10 11] TWO_BESIDE;
    "Gas10000a" 10_000 19_999 [11 12 31 13 18 19 11 11 11] TWO_BESIDE;
    "Gas10000b" 10_000 29_991 [12 13 49 13 19 22 11 12 12] THREE_BESIDE;
    "Gas100000a" 100_000 199_993 [11 11 31 13 18 20 11 11 11] TWO_BESIDE;
    "Gas100000b" 100_000 299_978 [12 13 49 14 20 21 11 11 11] THREE_BESIDE;
    "Gas1000000a" 1_000_000 999_999 [10 11 24 12 17 20 10 10 11] ONE_BESIDE;
    "Gas1000000b" 1_000_000 1_999_974 [11 11 33 13 19 22 11 11 11] TWO_BESIDE_33;
    "Gas10000000a" 10_000_000 9_999_999 [10 11 25 13 18 21 11 11 11] ONE_BESIDE_25;
    "Gas10000000b" 10_000_000 19_999_709 [11 11 35 14 20 23 11 11 11] TWO_BESIDE_35;
    "Gas10000000c" 10_000_000 29_999_106 [13 13 56 15 23 26 12 12 12] THREE_BESIDE_56;
}

impl GasCase {
    /// The case of this name, in upper or lower case.
    pub fn named(name: &str) -> Option<Self> {
        GAS_CASES.into_iter().find(|case| case.name.eq_ignore_ascii_case(name))
    }

    /// The paper's iterations of a method.
    pub fn iterations_of(&self, algorithm: Algorithm) -> Option<u32> {
        use Algorithm::{Bhisa, Bicg, Bicgstab, Bicrstab, GaussSeidel, Gmres, Hisa, Jacobi, Tfqmr};
        let of = [Hisa, Bhisa, Jacobi, GaussSeidel, Gmres, Bicg, Bicgstab, Tfqmr, Bicrstab];
        of.iter().position(|&named| named == algorithm).map(|at| self.iterations[at])
    }

    /// The system: pairs of neighbouring rows, which T couples more strongly than others, and entries of S at distances of 64 and 67 rows. In
    /// cases with rings, every 32nd group of four rows is a ring, nearly apart from the others: each row depends on the row before, and the
    /// first row on the last. A circular flow has this form. The matrix is nonsymmetric, and its rows have different sizes.
    ///
    /// For a ring with a coupling r, the iteration matrix of Jacobi has the eigenvalues r times the fourth roots of 1, and those of Gauss-Seidel
    /// and HISA have r^4: an iteration shrinks the error by r or r^4. A Krylov method sees four eigenvalues for all rings, which are equal.
    ///
    /// # Errors
    /// None for these sizes.
    pub fn system(&self, seed: u64) -> Result<SparseSystem> {
        let Self { rows: n, beside, couplings, .. } = *self;
        let mut random = SmallRng::seed_from_u64(seed);
        const LINE: usize = 64;
        const RING: usize = 4;
        const GROUPS_PER_RING: usize = 32;
        /// The couplings of rings to the others.
        const BETWEEN: f64 = 0.002;
        const VARIATION: f64 = 0.5;
        let each = beside.div_ceil(n);
        // The last rows have one entry less, so that the number of entries is right.
        let full = n - (each * n - beside);
        let steps = [LINE, n - LINE, LINE + 3];
        let mut x = Vec::with_capacity(n);
        let (mut offsets, mut columns, mut values) = (Vec::with_capacity(n + 1), vec![], vec![]);
        offsets.push(0);
        for i in 0..n {
            let ring =
                couplings.ring.filter(|_| (i / RING).is_multiple_of(GROUPS_PER_RING) && i / RING * RING + RING <= n);
            // Rings are alike.
            let scale = if ring.is_some() { 1.0 } else { random.random_range(0.9..1.1) };
            let mut entry = |column: usize, size: f64, variation: f64| {
                columns.push(column as u32);
                values.push(-scale * size * (1.0 + variation * random.random_range(-1.0..1.0)));
            };
            let is_even = i.is_multiple_of(2);
            let is_first = i.is_multiple_of(RING);
            let [before, behind] = match ring {
                Some(r) if !is_first => [(r, 0.0), (BETWEEN, VARIATION)],
                Some(_) => [(BETWEEN, VARIATION); 2],
                None if is_even => [(couplings.even[0], VARIATION), (couplings.even[1], couplings.variation)],
                None => [(couplings.odd[0], couplings.variation), (couplings.odd[1], VARIATION)],
            };
            if i > 0 {
                entry(i - 1, before.0, before.1);
            }
            if i + 1 < n {
                entry(i + 1, behind.0, behind.1);
            }
            for (at, step) in steps[..if i < full { each } else { each - 1 }].iter().enumerate() {
                match ring {
                    Some(r) if is_first && at == 0 => entry(i + RING - 1, r, 0.0),
                    Some(_) => entry((i + step) % n, BETWEEN, VARIATION),
                    None => entry((i + step) % n, couplings.beside, VARIATION),
                }
            }
            columns.push(i as u32);
            values.push(scale);
            offsets.push(columns.len());
            x.push(1.0 + couplings.solution * random.random_range(-1.0..1.0));
        }
        SparseSystem::new(Csr::new(&offsets, &columns, &values)?, x)
    }
}

/// A system to compare libraries: entries between -1 and 0 next to the diagonal and at up to three distances, sqrt(n), -sqrt(n) and
/// sqrt(n) + 3. The diagonal is 1.3 times the sum of the row's other absolute values. The solution is random.
///
/// # Errors
/// [`Error::Shape`](trisolve::Error::Shape) for more rows than 32 bits can count.
pub fn banded(n: usize, beside: usize, seed: u64) -> Result<SparseSystem> {
    let mut random = SmallRng::seed_from_u64(seed);
    let across = (n as f64).sqrt() as isize;
    let steps = [-1, 1, across, -across, across + 3];
    let (mut offsets, mut columns, mut values, mut x) = (vec![0], vec![], vec![], vec![]);
    for i in 0..n {
        let mut sum = 0.0;
        for step in &steps[..2 + beside.min(3)] {
            let column = i as isize + step;
            let value: f64 = random.random_range(-1.0..0.0);
            if (0..n as isize).contains(&column) && column != i as isize {
                columns.push(column as u32);
                values.push(value);
                sum += value.abs();
            }
        }
        columns.push(i as u32);
        values.push(if sum > 0.0 { 1.3 * sum } else { 1.0 });
        offsets.push(columns.len());
        x.push(random.random_range(-1.0..1.0));
    }
    SparseSystem::new(Csr::new(&offsets, &columns, &values)?, x)
}

/// Steady convection and diffusion on a grid of `counts` cells: the sum of -u'' + v u' over the axes, plus a reaction `loss`.
/// Central differences for the diffusion, upwind differences for the convection; `velocity` holds the cells' Peclet numbers.
/// Neighbours along axis `line` are neighbouring rows. Axes with one cell do not count. u = 0 outside the grid.
///
/// # Errors
/// [`Error::Shape`](trisolve::Error::Shape) for more cells than 32 bits can count.
pub fn convection_diffusion(
    counts: [usize; 3],
    velocity: [f64; 3],
    loss: f64,
    line: usize,
    seed: u64,
) -> Result<SparseSystem> {
    let mut random = SmallRng::seed_from_u64(seed);
    // The axis of the lines comes first, then the others in order.
    let mut order = vec![line % 3];
    order.extend((0..3).filter(|&axis| axis != line % 3));
    let mut strides = [0; 3];
    let mut n = 1;
    for axis in order {
        strides[axis] = n;
        n *= counts[axis];
    }
    let mut triplets = Vec::with_capacity(7 * n);
    for row in 0..n {
        let mut diagonal = loss;
        for axis in 0..3 {
            if counts[axis] < 2 {
                continue;
            }
            let place = row / strides[axis] % counts[axis];
            let (before, behind) = (1.0 + velocity[axis].max(0.0), 1.0 + (-velocity[axis]).max(0.0));
            diagonal += before + behind;
            if place > 0 {
                triplets.push((row, row - strides[axis], -before));
            }
            if place + 1 < counts[axis] {
                triplets.push((row, row + strides[axis], -behind));
            }
        }
        triplets.push((row, row, diagonal));
    }
    let x = (0..n).map(|_| 1.0 + random.random_range(-0.5..0.5)).collect();
    SparseSystem::new(Csr::from_triplets(n, triplets)?, x)
}
