//! Quasi-tridiagonal systems: the paper's ten cases, those of a comparison with other libraries, and stencils.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::rpts::{RPTS_MATRICES, rpts_matrix};
use trisolve::quasi_tridiagonal::{Algorithm, Csr};
use trisolve::{Error, Result};

/// A system whose solution is known but for rounding.
#[derive(Debug, Clone)]
pub struct SparseSystem {
    /// A.
    pub matrix: Csr<f64>,
    /// A x.
    pub rhs: Vec<f64>,
    /// x.
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
    /// [`Error::Shape`](trisolve::Error::Shape) where it is not made: for a number that is not 1 to 22, fewer rows than 2, or, of
    /// 8 to 11, more than 2048.
    pub fn of_rpts(number: usize, n: usize, seed: u64) -> Result<Self> {
        let made = match (1..=RPTS_MATRICES.len()).contains(&number) && n > 1 {
            true => rpts_matrix::<f64>(number, n, seed),
            false => None,
        };
        let (system, x) = made.ok_or_else(|| {
            Error::Shape(format!(
                "rpts-{number} with {n} rows: there are 1 to 22, of 2 rows at least, 8 to 11 of 2048 at most"
            ))
        })?;
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
        Ok(Self { matrix: Csr::new(&offsets, &columns, &values)?, rhs: system.rhs, x })
    }
}

/// One of the ten cases of Li, Yang and Li (2016): what their Tables 5 and 6 say of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GasCase {
    /// As the paper calls it.
    pub name: &'static str,
    /// Rows.
    pub rows: usize,
    /// Entries beside the three diagonals.
    pub beside: usize,
    /// Iterations of HISA, BHISA, Jacobi, Gauss-Seidel, GMRES(5), BiCG, BiCGSTAB, TFQMR, BiCRSTAB (of Lis).
    pub iterations: [u32; 9],
    /// What the entries of T beside the diagonal, and those of S, come to in a row, of 1 on the diagonal: with these Jacobi
    /// and HISA need what the paper says.
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
    /// The case of a name, whatever its capitals.
    pub fn named(name: &str) -> Option<Self> {
        GAS_CASES.into_iter().find(|case| case.name.eq_ignore_ascii_case(name))
    }

    /// Iterations of a method in the paper.
    pub fn iterations_of(&self, algorithm: Algorithm) -> Option<u32> {
        use Algorithm::{Bhisa, Bicg, Bicgstab, Bicrstab, GaussSeidel, Gmres, Hisa, Jacobi, Tfqmr};
        let of = [Hisa, Bhisa, Jacobi, GaussSeidel, Gmres, Bicg, Bicgstab, Tfqmr, Bicrstab];
        of.iter().position(|&named| named == algorithm).map(|at| self.iterations[at])
    }

    /// The system: a grid of lines of 64 cells, which are the tridiagonal part but for weak entries from the end of one to
    /// the beginning of the next, with entries up and down the grid; nonsymmetric, rows of different sizes, a solution that
    /// varies about 1.
    ///
    /// # Errors
    /// None, of the sizes that there are.
    pub fn system(&self, seed: u64) -> Result<SparseSystem> {
        self.with_sizes(self.sizes, seed)
    }

    /// With other sizes of the entries of T and S.
    ///
    /// # Errors
    /// As [`GasCase::system`].
    pub fn with_sizes(&self, [within, outside]: [f64; 2], seed: u64) -> Result<SparseSystem> {
        let Self { rows: n, beside, .. } = *self;
        let mut random = SmallRng::seed_from_u64(seed);
        const LINE: usize = 64;
        const FROM_LINE_TO_LINE: f64 = 0.5;
        let each = beside.div_ceil(n);
        // The last rows have one less, as many as it takes.
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

/// Rows of a comparison with other libraries: entries of -1 to 0 on both sides of the diagonal and at up to three distances,
/// sqrt(n), -sqrt(n) and sqrt(n) + 3; a diagonal of 1.3 times the sizes of a row's others; a random solution.
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

/// Steady convection and diffusion on a grid of `counts` cells, by central differences of the diffusion and upwind ones of
/// the convection: sum of -u'' + v u' along each axis, with `velocity` cells' Peclet numbers, and a reaction of `loss`.
/// Neighbours along axis `line` are neighbouring rows. Axes of one cell are not there. u = 0 outside.
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
    // The axis of lines first, the others in their order.
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
