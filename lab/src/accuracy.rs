//! The accuracy tables of Diéguez, Amor and Doallo (TOMS 2019), on a device.

use std::fmt;

use super::device_solver::DeviceSolver;
use super::exact::exact;
use super::matrices::{MATRICES, matrix};
use super::published::{TABLE_6, TABLE_7, TABLE_8};
use super::systems::{HostSystem, diffusion, poisson};
use trisolve::cpu;
use trisolve::gpu::Gpu;
use trisolve::tridiagonal::{Algorithm, Diagonal, Options, Stability, TprPolicy};
use trisolve::{Error, Real, Result};

/// Errors of several solvers for several systems.
#[derive(Debug, Clone, PartialEq)]
pub struct AccuracyTable {
    /// What was solved, and how the error is measured.
    pub title: String,
    /// What a reader has to know beside it.
    pub legend: &'static str,
    /// What the rows are named by.
    pub row: &'static str,
    /// The solvers, or what else the columns are.
    pub solvers: Vec<String>,
    /// A name and what each solver came to.
    pub rows: Vec<(String, Vec<Measured>)>,
    /// What the errors come to, where something is asked of them.
    pub verdict: Option<String>,
}

/// What a solver came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measured {
    /// Its error; NaN is the paper's.
    Error(f64),
    /// It refused, or its solution is not finite.
    Failed,
    /// There is nothing to compare with: the baseline failed, or the matrix is singular.
    NoReference,
    /// More than this device takes.
    TooLarge,
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Error(error) if error.is_nan() => f.write_str("NaN"),
            Self::Error(error) => write!(f, "{error:.1e}"),
            Self::Failed => f.write_str("failed"),
            Self::NoReference => f.write_str("no reference"),
            Self::TooLarge => f.write_str("too large"),
        }
    }
}

/// Of all tables but the figure's.
macro_rules! solvers {
    () => {
        "TPR-stable has the largest slices, TPR-fastest the fastest; WM is Wang and Mou. All on the \
                       device carry the dominance, also \"Thomas, GPU, carried\", a thread a system, and scan, \
                       Thomas's recurrences as scans. \"Thomas \
                       sequential\" is the textbook's and \"gtsv, CPU\" LAPACK's with row exchanges, both in the \
                       same precision on the CPU. \"paper: ...\" are the published errors, of other random numbers \
                       where there are any. failed: no finite solution; no reference: the baseline has none, or the \
                       matrix is singular."
    };
}
const SOLVERS: &str = solvers!();
/// Of those that compare with the paper's differences.
const SOLVERS_AND_PAPER: &str = concat!(
    solvers!(),
    " More than ten times the paper's difference: of 2 both are below a unit of roundoff; 8 and 11, of \
     condition 1e15, have no digits to agree in (gtsv, with row exchanges, is as far from the true solution or \
     farther), so chance decides, with random numbers that are not the paper's; 4 and 12 are not dominant, and \
     reducing them multiplies ratios of neighbours far above 1, where back substitution alone is exact; of 13 the \
     baseline itself is wrong, see the true solution's table; 14 to 16 have diagonals next to 0 and need row \
     exchanges."
);
const SLICES: &str = "Figure 14: the error by the rows S of TPR's slices. Larger ones bring little where the matrix is dominant, since that is carried: only rounding is \
                      left. They may where it is not. too large: more threads or memory than the device has.";

/// What is compared: on the device, and one after the other.
#[derive(Clone, Copy)]
enum Solver {
    Device(Algorithm, Stability),
    /// Gaussian elimination as the textbooks have it.
    Thomas,
    /// With row exchanges, as LAPACK does it.
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
    /// What it finds, finite or not; nothing where it refuses.
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

pub(super) fn wide<T: Real>(values: &[T]) -> Vec<f64> {
    values.iter().map(|value| value.to_f64()).collect()
}

/// ||x - reference|| / ||reference||.
pub(super) fn relative_error(x: &[f64], reference: &[f64]) -> Measured {
    let norm = |values: &mut dyn Iterator<Item = f64>| {
        values.fold(0f64, |norm, v| if v.is_finite() { norm.hypot(v) } else { f64::NAN })
    };
    let error = norm(&mut x.iter().zip(reference).map(|(x, y)| x - y)) / norm(&mut reference.iter().copied());
    if error.is_nan() { Measured::Failed } else { Measured::Error(error) }
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

/// The paper's columns: their names, or a row of them.
fn paper_names(columns: [&str; 3]) -> impl Iterator<Item = String> {
    columns.into_iter().map(|name| format!("paper: {name}"))
}

fn paper_row(row: [f64; 3]) -> impl Iterator<Item = Measured> {
    row.into_iter().map(Measured::Error)
}

/// The sizes of table 6.
fn sizes(largest: usize) -> impl Iterator<Item = usize> {
    (7..20).map(|power| 1 << power).filter(move |&n| n <= largest)
}

/// Table 6 up to `largest` rows (524288 in the paper): TPR's two configurations and sequential Thomas
/// on the Toeplitz matrix (-1 2 -1), beside all other algorithms; and on a diffusion matrix with
/// conductances over four decades, once by its rounded diagonal and once by its excess, since cyclic
/// reduction is exact on that one Toeplitz matrix and flatters every method that is built on it.
///
/// # Errors
/// Those of a solve, but for what the matrices themselves lead to.
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
        // In f64, with the dominance carried: good to some 1e-16 for the given entries.
        let x = cpu::thomas_carried(&lower, &wide(&system.diag), &upper, &rhs).ok();
        by_value.rows.push((n.to_string(), errors(gpu, &solvers, &system, Diagonal::Value, x.as_deref())?));
        let x = cpu::thomas_excess(&lower, &wide(&system.excess), &upper, &rhs).ok();
        by_excess.rows.push((n.to_string(), errors(gpu, &solvers, &system, Diagonal::Excess, x.as_deref())?));
    }
    Ok(vec![toeplitz, by_value, by_excess])
}

/// Table 7 (f32) or 8 (f64): the sixteen matrices with `n` rows (512 in the paper). First against
/// sequential Thomas, as the paper has it, which says little where Thomas itself is wrong; then against
/// the true solution.
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

/// Figure 14: TPR's error by the size of its slices, for several N up to `largest`: on table 6's
/// matrices, and on matrix 1 of table 9, which is not dominant.
///
/// # Errors
/// As [`table_6`].
pub fn figure_14<T: Real>(gpu: &Gpu, largest: usize, seed: u64) -> Result<Vec<AccuracyTable>> {
    let sizes: Vec<usize> = [10, 13, 16, 19].into_iter().map(|power| 1 << power).filter(|&n| n <= largest).collect();
    type Reference = fn(&[f64], &[f64], &[f64], &[f64]) -> Result<Vec<f64>>;
    type Make<T> = fn(usize, u64) -> HostSystem<T>;
    // What is computed in f64 is as good as the truth for f32; exact arithmetic takes too long for more rows.
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
