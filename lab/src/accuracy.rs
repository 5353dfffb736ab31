//! The accuracy tables of Diéguez, Amor and Doallo (TOMS 2019), on a device.

use super::accuracy_table::{AccuracyTable, Measured, relative_error, wide};
use super::device_solver::DeviceSolver;
use super::exact::exact;
use super::matrices::{MATRICES, matrix};
use super::published::{TABLE_6, TABLE_7, TABLE_8};
use super::systems::{HostSystem, diffusion, poisson};
use trisolve::cpu;
use trisolve::gpu::Gpu;
use trisolve::tridiagonal::{Algorithm, Diagonal, Options, Stability, TprPolicy};
use trisolve::{Error, Real, Result};

/// The legend of the tables, but not of the figure.
macro_rules! solvers {
    () => {
        "TPR-stable has the largest slices, TPR-fastest the fastest; WM is Wang and Mou. All solvers on the device \
                       carry the dominance, including \"Thomas, GPU, carried\", one thread per system, and scan, Thomas's \
                       recurrences as scans. \"Thomas sequential\" is the textbook's and \"gtsv, CPU\" LAPACK's, with row \
                       exchanges, both in the same precision on the CPU. \"paper: ...\" are the published errors, computed \
                       with other random numbers. failed: no finite solution; no reference: the baseline has no solution, \
                       or the matrix is singular."
    };
}
const SOLVERS: &str = solvers!();
/// The legend of the tables that compare with the paper's differences.
const SOLVERS_AND_PAPER: &str = concat!(
    solvers!(),
    " Some differences are more than ten times the paper's. 2: both differences are below a unit of roundoff. 8 and 11: the \
     condition number is 1e15, which leaves no digit (gtsv, with row exchanges, is no closer to the true solution), so chance \
     decides, and the random numbers are not the paper's. 4 and 12: the matrices are not dominant, and the reduction multiplies \
     ratios of neighbours far above 1, where back substitution alone is exact. 13: the baseline itself is wrong; see the true \
     solution's table. 14 to 16: the diagonals are next to 0 and need row exchanges."
);
const SLICES: &str = "Figure 14: the error by the rows S of TPR's slices. If the matrix is dominant, larger slices bring little: the dominance is \
                      carried, and only rounding is left. They may help if it is not. too large: more threads or memory than \
                      the device has.";

/// A solver to compare: on the device, or sequential on the CPU.
#[derive(Clone, Copy)]
enum Solver {
    Device(Algorithm, Stability),
    /// Gaussian elimination as in textbooks.
    Thomas,
    /// Gaussian elimination with row exchanges, as in LAPACK.
    Gtsv,
}

const TPR_STABLE: (&str, Solver) = ("TPR-stable", Solver::Device(Algorithm::Tpr, Stability::Stable));
const TPR_FASTEST: (&str, Solver) = ("TPR-fastest", Solver::Device(Algorithm::Tpr, Stability::Fastest));
const THOMAS: (&str, Solver) = ("Thomas sequential", Solver::Thomas);
const GTSV: (&str, Solver) = ("gtsv, CPU", Solver::Gtsv);
const WANG_MOU: (&str, Solver) = ("WM", Solver::Device(Algorithm::WangMou, Stability::Fastest));
const OTHERS: [(&str, Solver); 6] = [
    ("partition", Solver::Device(Algorithm::Partition, Stability::Fastest)),
    ("CR", Solver::Device(Algorithm::Cr, Stability::Fastest)),
    ("PCR", Solver::Device(Algorithm::Pcr, Stability::Fastest)),
    ("CR-PCR", Solver::Device(Algorithm::CrPcr, Stability::Fastest)),
    ("Thomas, GPU, carried", Solver::Device(Algorithm::Thomas, Stability::Fastest)),
    ("scan", Solver::Device(Algorithm::Scan, Stability::Fastest)),
];

impl Solver {
    /// The solution, finite or not; `None` if the solver refuses the system.
    fn solve<T: Real>(self, gpu: &Gpu, system: &HostSystem<T>, kind: Diagonal) -> Result<Option<Vec<f64>>> {
        let HostSystem { lower, diag, upper, excess, rhs } = system;
        let found = match (self, kind) {
            (Self::Device(algorithm, stability), kind) => {
                let options = Options::default().algorithm(algorithm).stability(stability).diagonal(kind);
                Some(DeviceSolver::new(gpu, system.diag.len(), options)?.solve(system)?)
            }
            (Self::Thomas, _) => cpu::thomas(lower, diag, upper, rhs).ok(),
            (Self::Gtsv, Diagonal::Value) => cpu::gtsv(lower, diag, upper, rhs).ok(),
            (Self::Gtsv, Diagonal::Excess) => cpu::thomas_excess(lower, excess, upper, rhs).ok(),
        };
        Ok(found.map(|x| wide(&x)))
    }
}

/// The errors of several solvers for one system.
fn errors<T: Real>(
    gpu: &Gpu,
    solvers: &[(&'static str, Solver)],
    system: &HostSystem<T>,
    kind: Diagonal,
    reference: Option<&[f64]>,
) -> Result<Vec<Measured>> {
    let Some(reference) = reference else {
        return Ok(vec![Measured::NoReference; solvers.len()]);
    };
    solvers
        .iter()
        .map(|(_, solver)| {
            let found = solver.solve(gpu, system, kind)?;
            Ok(found.map_or(Measured::Failed, |x| relative_error(&x, reference)))
        })
        .collect()
}

fn names(solvers: &[(&'static str, Solver)]) -> Vec<String> {
    solvers.iter().map(|solver| solver.0.to_owned()).collect()
}

/// The names of the paper's columns.
fn paper_names(columns: [&str; 3]) -> impl Iterator<Item = String> {
    columns.into_iter().map(|name| format!("paper: {name}"))
}

/// A row of the paper's columns.
fn paper_row(row: [f64; 3]) -> impl Iterator<Item = Measured> {
    row.into_iter().map(Measured::Error)
}

/// The sizes of table 6.
fn sizes(largest: usize) -> impl Iterator<Item = usize> {
    (7..20).map(|power| 1 << power).filter(move |&n| n <= largest)
}

/// Table 6 up to `largest` rows (524288 in the paper): TPR's two configurations, sequential Thomas, and all other algorithms on the
/// Toeplitz matrix (-1 2 -1). Cyclic reduction is exact on this matrix, which flatters every method that is built on it. So there
/// are two more tables, for a diffusion matrix with conductances over four decades: by its rounded diagonal, and by its excess.
///
/// # Errors
/// The errors of a solve, except those that the matrices themselves cause.
pub fn table_6<T: Real>(gpu: &Gpu, largest: usize, seed: u64) -> Result<Vec<AccuracyTable>> {
    let solvers = [&[TPR_STABLE, TPR_FASTEST, THOMAS, WANG_MOU][..], &OTHERS].concat();
    let table = |title: &str| AccuracyTable {
        title: format!("{title}, {}: ||x^ - x|| / ||x||", T::PRECISION),
        legend: SOLVERS,
        row: "N",
        solvers: names(&solvers),
        rows: vec![],
        verdict: None,
    };
    let mut toeplitz = table("Table 6: Toeplitz -1 2 -1, solution ones");
    let mut by_value = table("Diffusion, couplings over four decades, diagonal rounded; x of the rounded matrix");
    let mut by_excess = table("Diffusion, couplings over four decades, diagonal given as its excess");
    let published = T::PRECISION == trisolve::Precision::F32;
    if published {
        toeplitz.solvers.extend(paper_names(["TPR-stable", "TPR-fastest", "Thomas sequential"]));
    }
    for (n, printed) in sizes(largest).zip(TABLE_6) {
        let ones = vec![1.0; n];
        let system = poisson::<T>(n);
        let mut row = errors(gpu, &solvers, &system, Diagonal::Value, Some(&ones))?;
        if published {
            row.extend(paper_row(printed));
        }
        toeplitz.rows.push((n.to_string(), row));

        let system = diffusion::<T>(n, seed);
        let (lower, upper, rhs) = (wide(&system.lower), wide(&system.upper), wide(&system.rhs));
        // In f64 with the dominance carried, which is right to about 1e-16 for these entries.
        let x = cpu::thomas_carried(&lower, &wide(&system.diag), &upper, &rhs).ok();
        by_value.rows.push((n.to_string(), errors(gpu, &solvers, &system, Diagonal::Value, x.as_deref())?));
        let x = cpu::thomas_excess(&lower, &wide(&system.excess), &upper, &rhs).ok();
        by_excess.rows.push((n.to_string(), errors(gpu, &solvers, &system, Diagonal::Excess, x.as_deref())?));
    }
    Ok(vec![toeplitz, by_value, by_excess])
}

/// Table 7 (f32) or 8 (f64): the sixteen matrices with `n` rows (512 in the paper). The first table compares with sequential Thomas,
/// as the paper does, which says little if Thomas itself is wrong. The second compares with the true solution.
///
/// # Errors
/// As [`table_6`].
pub fn table_7_8<T: Real>(gpu: &Gpu, n: usize, seed: u64) -> Result<Vec<AccuracyTable>> {
    let (number, printed) = if T::PRECISION == trisolve::Precision::F32 { (7, TABLE_7) } else { (8, TABLE_8) };
    let against_thomas = [&[TPR_STABLE, WANG_MOU, GTSV][..], &OTHERS].concat();
    let against_truth = [&[TPR_STABLE, WANG_MOU, THOMAS, GTSV][..], &OTHERS].concat();
    let table = |what: &str, solvers: &[(&'static str, Solver)]| AccuracyTable {
        title: format!("Table {number}: {n} rows, {}: {what}", T::PRECISION),
        legend: SOLVERS_AND_PAPER,
        row: "matrix",
        solvers: names(solvers),
        rows: vec![],
        verdict: None,
    };
    let mut relative = table("relative difference to sequential Thomas", &against_thomas);
    let mut forward = table("relative error against the true solution", &against_truth);
    relative.solvers.extend(paper_names(["TPR", "WM", "cuSPARSE"]));
    for (at, what) in MATRICES.iter().enumerate() {
        let system = matrix::<T>(at + 1, n, seed);
        let HostSystem { lower, diag, upper, rhs, .. } = &system;
        let name = format!("{} {what}", at + 1);
        let thomas = cpu::thomas(lower, diag, upper, rhs).ok().map(|x| wide(&x));
        let mut row = errors(gpu, &against_thomas, &system, Diagonal::Value, thomas.as_deref())?;
        row.extend(paper_row(printed[at]));
        relative.rows.push((name.clone(), row));
        let truth = exact(lower, diag, upper, rhs).ok();
        forward.rows.push((name, errors(gpu, &against_truth, &system, Diagonal::Value, truth.as_deref())?));
    }
    Ok(vec![relative, forward])
}

/// Figure 14: TPR's error by the size of its slices, for several N up to `largest`, on the matrices of table 6 and on matrix 1 of
/// table 9, which is not dominant.
///
/// # Errors
/// As [`table_6`].
pub fn figure_14<T: Real>(gpu: &Gpu, largest: usize, seed: u64) -> Result<Vec<AccuracyTable>> {
    let sizes: Vec<usize> = [10, 13, 16, 19].into_iter().map(|power| 1 << power).filter(|&n| n <= largest).collect();
    type Reference = fn(&[f64], &[f64], &[f64], &[f64]) -> Result<Vec<f64>>;
    type Make<T> = fn(usize, u64) -> HostSystem<T>;
    // Exact arithmetic takes too long for more rows. For f32, a solution in f64 is accurate enough.
    let general: Reference = |lower, diag, upper, rhs| match diag.len() {
        ..=1024 => exact(lower, diag, upper, rhs),
        _ if T::PRECISION == trisolve::Precision::F32 => cpu::gtsv(lower, diag, upper, rhs),
        _ => Ok(vec![]),
    };
    let kinds: [(&str, Make<T>, Reference); 3] = [
        ("Toeplitz -1 2 -1, solution ones", |n, _| poisson(n), |_, diag, _, _| Ok(vec![1.0; diag.len()])),
        ("diffusion, diagonal rounded", diffusion, cpu::thomas_carried),
        (MATRICES[0], |n, seed| matrix(1, n, seed), general),
    ];
    let per_thread = if T::PRECISION == trisolve::Precision::F32 { 2 } else { 4 };
    let mut tables = Vec::new();
    for (what, make, solve) in kinds {
        let systems: Vec<_> = sizes
            .iter()
            .map(|&n| {
                let system = make(n, seed);
                let HostSystem { lower, diag, upper, rhs, .. } = &system;
                let x = solve(&wide(lower), &wide(diag), &wide(upper), &wide(rhs)).unwrap_or_default();
                (system, x)
            })
            .collect();
        let mut rows = Vec::new();
        for slice in (3..=11).map(|power| 1 << power) {
            let threads = slice / per_thread;
            let policy = TprPolicy { slice, threads, overall_threads: 256, overall_systems: 1, shuffles: true };
            let options = Options::default().algorithm(Algorithm::Tpr).policy(policy);
            let errors = systems
                .iter()
                .map(|(system, x)| {
                    match DeviceSolver::new(gpu, system.diag.len(), options).and_then(|solver| solver.solve(system)) {
                        Ok(_) if x.is_empty() => Ok(Measured::NoReference),
                        Ok(found) => Ok(relative_error(&wide(&found), x)),
                        Err(Error::Limit { .. }) => Ok(Measured::TooLarge),
                        Err(error) => Err(error),
                    }
                })
                .collect::<Result<_>>()?;
            rows.push((slice.to_string(), errors));
        }
        tables.push(AccuracyTable {
            title: format!("{what}, {}", T::PRECISION),
            legend: SLICES,
            row: "S",
            solvers: sizes.iter().map(|n| format!("N = {n}")).collect(),
            rows,
            verdict: None,
        });
    }
    Ok(tables)
}
