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
    /// The sums of a row's entries of T beside the diagonal, and of S, if the diagonal is 1. With these sums Jacobi and HISA need
    /// the paper's iterations.
    sizes: [f64; 2],
}

macro_rules! cases {
    ($($name:literal $rows:literal $beside:literal [$($count:literal)*] $within:literal $outside:literal;)*) => {
        /// The ten cases. Their matrices are not public; these have their sizes, entries per row, and dominance.
        pub const GAS_CASES: [GasCase; 10] = [$(
            GasCase {
                name: $name,
                rows: $rows,
                beside: $beside,
                iterations: [$($count),*],
                sizes: [$within, $outside],
            },
        )*];
    };
}
cases! {
    "Gas2000" 2_000 3_991 [11 11 31 13 18 19 11 10 11] 0.459375 0.114844;
    "Gas10000a" 10_000 19_999 [11 12 31 13 18 19 11 11 11] 0.459375 0.114844;
    "Gas10000b" 10_000 29_991 [12 13 49 13 19 22 11 12 12] 0.589906 0.0960313;
    "Gas100000a" 100_000 199_993 [11 11 31 13 18 20 11 11 11] 0.459375 0.114844;
    "Gas100000b" 100_000 299_978 [12 13 49 14 20 21 11 11 11] 0.589906 0.0960313;
    "Gas1000000a" 1_000_000 999_999 [10 11 24 12 17 20 10 10 11] 0.4025 0.100625;
    "Gas1000000b" 1_000_000 1_999_974 [11 11 33 13 19 22 11 11 11] 0.475625 0.118906;
    "Gas10000000a" 10_000_000 9_999_999 [10 11 25 13 18 21 11 11 11] 0.410625 0.102656;
    "Gas10000000b" 10_000_000 19_999_709 [11 11 35 14 20 23 11 11 11] 0.501891 0.102797;
    "Gas10000000c" 10_000_000 29_999_106 [13 13 56 15 23 26 12 12 12] 0.605363 0.111043;
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

    /// The system: a grid of lines of 64 cells. The lines are the tridiagonal part, with weak entries from the end of one line to
    /// the start of the next; other entries couple the lines. The matrix is nonsymmetric, its rows have different sizes, and the
    /// solution varies about 1.
    ///
    /// # Errors
    /// None for these sizes.
    pub fn system(&self, seed: u64) -> Result<SparseSystem> {
        self.with_sizes(self.sizes, seed)
    }

    /// The system with other sums of the entries of T and S.
    ///
    /// # Errors
    /// As [`GasCase::system`].
    pub fn with_sizes(&self, [within, outside]: [f64; 2], seed: u64) -> Result<SparseSystem> {
        let Self { rows: n, beside, .. } = *self;
        let mut random = SmallRng::seed_from_u64(seed);
        const LINE: usize = 64;
        const FROM_LINE_TO_LINE: f64 = 0.5;
        let each = beside.div_ceil(n);
        // The last rows have one entry less, so that the number of entries is right.
        let full = n - (each * n - beside);
        let steps = [LINE, n - LINE, LINE + 3];
        let mut x = Vec::with_capacity(n);
        let (mut offsets, mut columns, mut values) = (vec![0], vec![], vec![]);
        for i in 0..n {
            let scale = random.random_range(0.9..1.1);
            let mut entry = |column: usize, size: f64| {
                columns.push(column as u32);
                values.push(-scale * size * random.random_range(0.5..1.5));
            };
            let along = |at_end: bool| within / 2.0 * if at_end { FROM_LINE_TO_LINE } else { 1.0 };
            if i > 0 {
                entry(i - 1, along(i % LINE == 0));
            }
            if i + 1 < n {
                entry(i + 1, along((i + 1) % LINE == 0));
            }
            for step in &steps[..if i < full { each } else { each - 1 }] {
                entry((i + step) % n, outside / each as f64);
            }
            columns.push(i as u32);
            values.push(scale);
            offsets.push(columns.len());
            x.push(1.0 + random.random_range(-0.5..0.5));
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
