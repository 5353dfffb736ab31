//! The cases of quasi-tridiagonal systems, judged by their residual in f64.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::verdict::{Case, Verdict, bits, poison};
use trisolve::gpu::{DeviceVector, Gpu};
use trisolve::quasi_tridiagonal::{
    Algorithm, BhisaPolicy, Csr, DeviceSystem, HisaPolicy, Options, Policy, Preconditioner, QuasiTridiagonalPlan, Stop,
};
use trisolve::tridiagonal::Parameter;
use trisolve::{Error, Precision, Real, Result};

/// The positions of the entries beside the three diagonals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OffBand {
    /// There are none.
    Tridiagonal,
    /// At the same three distances in every row.
    Banded,
    /// Anywhere: fewer than six per row, in some rows 300.
    Irregular,
    /// In the first and last rows and columns.
    Arrow,
}

/// One iterative solve to check.
#[derive(Debug, Clone, PartialEq)]
pub struct QuasiCase {
    /// The method.
    pub options: Options,
    /// Rows.
    pub rows: usize,
    /// The entries beside the three diagonals.
    pub pattern: OffBand,
    /// Whether x overwrites the right-hand side.
    pub in_place: bool,
    /// Seed of the random input.
    pub seed: u64,
}

/// Sizes around the edges of slices, blocks and workgroups.
const SIZES: [usize; 18] = [1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 127, 129, 255, 256, 257, 1000, 2049];

/// Every method with each of its preconditioners.
pub fn quasi_methods() -> Vec<Options> {
    let mut all = vec![];
    for algorithm in Algorithm::ALL.into_iter().filter(|&algorithm| algorithm != Algorithm::Auto) {
        let options = Options::default().algorithm(algorithm);
        match algorithm.is_krylov() {
            true => all.extend(Preconditioner::ALL.map(|preconditioner| options.preconditioner(preconditioner))),
            false => all.push(options),
        }
    }
    all
}

/// The tolerance of the cases. In f32, rounding allows no smaller one in all cases.
fn tolerance<T: Real>() -> f64 {
    if T::PRECISION == Precision::F32 { 3e-5 } else { 1e-7 }
}

/// The cases with the policies that a plan chooses.
pub fn quasi_cases(seed: u64) -> Vec<QuasiCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut cases = Vec::new();
    for options in quasi_methods() {
        for rows in SIZES {
            let mut options = Options { mixed: random.random_range(0..3) == 0, ..options };
            if options.algorithm == Algorithm::Gmres {
                // Without a preconditioner, a small space stagnates.
                let few = options.preconditioner != Some(Preconditioner::None);
                let restarts = if few { [4, 5, 8, 30] } else { [25, 30, 50, 100] };
                options = options.restart(restarts[random.random_range(0..4)]);
            }
            let by_step = matches!(options.algorithm, Algorithm::Hisa | Algorithm::Bhisa | Algorithm::Jacobi);
            if by_step && !options.mixed && random.random_range(0..4) == 0 {
                options = options.stop(Stop::Step);
            }
            cases.push(case(&mut random, options, rows));
        }
    }
    cases
}

/// The cases with a policy: every legal one.
pub fn quasi_policy_cases(seed: u64) -> Vec<QuasiCase> {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut cases = Vec::new();
    let mut push = |policy: Policy, slice: usize| {
        let mixed = random.random_range(0..3) == 0;
        let stop = if !mixed && random.random_range(0..4) == 0 { Stop::Step } else { Stop::Residual };
        let options = Options { mixed, stop, ..Options::default().algorithm(policy.algorithm()).policy(policy) };
        let size = [slice - 1, 3 * slice, 3000][random.random_range(0..3)];
        cases.push(case(&mut random, options, size));
    };
    let bhisa = Policy::from(BhisaPolicy { block: 64, rows: 4, factored: false });
    let hisa = Policy::from(HisaPolicy { workgroup: 64, rows: 4 });
    for start in [bhisa, hisa] {
        for values in combinations(start.parameters()) {
            let slice = match start {
                Policy::Bhisa(_) => values[0],
                Policy::Hisa(_) => values[0] * values[1],
            };
            push(start.with_values(&values).expect("legal values"), slice as usize);
        }
    }
    cases
}

/// Every combination of legal values.
fn combinations(parameters: &[Parameter]) -> Vec<Vec<u32>> {
    parameters.iter().fold(vec![vec![]], |all, parameter| {
        let longer = |values: &Vec<u32>| {
            let with = |value: &u32| [&values[..], &[*value]].concat();
            parameter.legal.iter().map(with).collect::<Vec<_>>()
        };
        all.iter().flat_map(longer).collect()
    })
}

fn case(random: &mut SmallRng, options: Options, rows: usize) -> QuasiCase {
    let patterns = [OffBand::Tridiagonal, OffBand::Banded, OffBand::Irregular, OffBand::Irregular, OffBand::Arrow];
    QuasiCase {
        options,
        rows,
        pattern: patterns[random.random_range(0..patterns.len())],
        in_place: random.random_range(0..3) == 0,
        seed: random.random(),
    }
}

/// A matrix with entries of both signs, diagonally dominant by a factor of 1.5 in every row. With `indefinite`, which splitting
/// methods solve too, the diagonal has both signs, and the sizes of the rows differ by up to a factor of 100.
///
/// # Errors
/// [`Error::Shape`] for more rows than 32 bits can count.
pub fn quasi_matrix<T: Real>(rows: usize, pattern: OffBand, indefinite: bool, seed: u64) -> Result<Csr<T>> {
    let mut random = SmallRng::seed_from_u64(seed);
    let across = (rows as f64).sqrt() as usize + 2;
    let mut triplets = vec![];
    for row in 0..rows {
        let mut columns: Vec<usize> = vec![row.wrapping_sub(1), row + 1];
        match pattern {
            OffBand::Tridiagonal => {}
            OffBand::Banded => columns.extend([row + across, row.wrapping_sub(across), row + across + 3]),
            OffBand::Irregular => {
                let count = if random.random_range(0..200) == 0 { 300 } else { random.random_range(0..6) };
                columns.extend((0..count).map(|_| random.random_range(0..rows)));
            }
            OffBand::Arrow if row == 0 || row + 1 == rows => columns.extend(0..rows),
            OffBand::Arrow => columns.extend([0, rows - 1]),
        }
        let size: f64 = 10f64.powf(random.random_range(-1.0..1.0) * if indefinite { 1.0 } else { 0.2 });
        // The entries of a long row are smaller.
        let each = size * (8.0 / columns.len() as f64).min(1.0);
        let mut sum = 0.0;
        for column in columns.into_iter().filter(|&column| column < rows && column != row) {
            let value = T::from_f64(each * random.random_range(-1.0..1.0));
            // Duplicates are summed, so each counts.
            sum += value.to_f64().abs();
            triplets.push((row, column, value));
        }
        let diagonal = if sum > 0.0 { 1.5 * sum } else { size };
        triplets.push((row, row, T::from_f64(if indefinite && random.random() { -diagonal } else { diagonal })));
    }
    Csr::from_triplets(rows, triplets)
}

impl QuasiCase {
    /// The options in the precision T: f32 has no mixed mode.
    fn options_in<T: Real>(&self) -> Options {
        let mixed = self.options.mixed && T::PRECISION == Precision::F64;
        // GMRES with few columns needs many iterations.
        Options { mixed, ..self.options.tolerance(tolerance::<T>()).max_iterations(5000) }
    }

    /// Whether the device may refuse the case: its workgroups may have no room for such a block.
    fn may_be_refused(&self) -> bool {
        self.options.policy.is_some_and(|policy| policy.values()[0] > 256 || matches!(policy, Policy::Hisa(_)))
    }
}

impl Case for QuasiCase {
    fn group(&self) -> String {
        let Options { algorithm, preconditioner, .. } = self.options;
        format!("{algorithm} {}", preconditioner.map_or_else(String::new, |preconditioner| preconditioner.to_string()))
    }

    fn run<T: Real>(&self, gpu: &Gpu) -> Result<Verdict> {
        let options = self.options_in::<T>();
        let matrix = quasi_matrix::<T>(self.rows, self.pattern, !options.algorithm.is_krylov(), self.seed)?;
        let mut random = SmallRng::seed_from_u64(self.seed ^ 1);
        let scale = 10f64.powi(random.random_range(-6..6));
        let rhs: Vec<T> = (0..self.rows).map(|_| T::from_f64(scale * random.random_range(-1.0..1.0))).collect();
        let tolerance = tolerance::<T>();
        let plan = match QuasiTridiagonalPlan::new(gpu, &matrix, options) {
            Err(Error::Limit { .. }) if self.may_be_refused() => {
                return Ok(Verdict { error: 0.0, bound: tolerance, repeatable: true, untouched: true });
            }
            plan => plan?,
        };
        const BEHIND: usize = 5;
        let solve = || -> Result<(Vec<T>, bool)> {
            let mut contents = if self.in_place { rhs.clone() } else { vec![poison::<T>(); self.rows] };
            contents.extend([poison::<T>(); BEHIND]);
            let target = DeviceVector::from_slice(gpu, "x", &contents)?;
            let right = DeviceVector::from_slice(gpu, "rhs", &rhs)?;
            let x = target.slice(0, self.rows);
            let system = match self.in_place {
                true => DeviceSystem::in_place(x),
                false => DeviceSystem::new(right.as_slice(), x),
            };
            let (report, _) = plan.bind(&system)?.solve(&mut |_, _| {})?;
            report.check()?;
            let mut found = target.read(gpu)?;
            let behind = found.split_off(self.rows);
            Ok((found, behind.iter().all(|value| bits(&[*value]) == bits(&[poison::<T>()]))))
        };
        let (x, untouched) = solve()?;
        let (again, _) = solve()?;
        // The rounding of the residual on the device.
        let norm = |values: &mut dyn Iterator<Item = f64>| values.fold(0f64, f64::hypot);
        let right = norm(&mut rhs.iter().map(|value| value.to_f64()));
        let size = |row: usize| -> f64 { matrix.row(row).map(|(_, value)| value.to_f64().abs()).sum() };
        let term = |row: usize| -> f64 {
            let own = matrix.row(row).map(|(column, value)| (value.to_f64() * x[column].to_f64()).abs());
            own.sum::<f64>() + rhs[row].to_f64().abs()
        };
        let terms = norm(&mut (0..self.rows).map(term)) / right;
        // The residual is the step times the matrix of the splitting, which is no larger than A.
        let allowed = match options.stop {
            Stop::Residual => tolerance,
            Stop::Step => {
                let largest = (0..self.rows).map(size).fold(0.0, f64::max);
                let x = norm(&mut x.iter().map(|value| value.to_f64()));
                2.0 * tolerance * largest * x / right
            }
        };
        Ok(Verdict {
            error: matrix.relative_residual(&x, &rhs)?,
            bound: allowed + 8.0 * T::UNIT_ROUNDOFF * terms,
            repeatable: bits(&x) == bits(&again),
            untouched,
        })
    }
}
