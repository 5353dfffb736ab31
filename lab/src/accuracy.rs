//! The accuracy tables of Diéguez, Amor and Doallo (TOMS 2019), on a device.

use super::accuracy_table::{AccuracyTable, Measured, relative_error, wide};
use super::condition::condition_number;
use super::device_solver::DeviceSolver;
use super::exact::exact;
use super::matrices::{MATRICES, matrix};
use super::published::{TABLE_6, TABLE_7, TABLE_8, TABLE_9};
use super::systems::{HostSystem, diffusion, poisson};
use crate::on_device::OnDevice;
use trisolve::cpu;
use trisolve::gpu::Gpu;
use trisolve::tridiagonal::{Algorithm, Diagonal, Options, Policy, Shape, Stability, TridiagonalPlan};
use trisolve::{Error, Real, Result};

/// The legend of all tables.
macro_rules! solvers {
    () => {
        "TPR-stable has the largest slices, TPR-fastest the fastest; WM is Wang and Mou. All solvers on the device except pivoting, and \
         auto where it pivots, carry the dominance, including \"Thomas, GPU, carried\", one thread per system, and scan, Thomas's \
         recurrences as scans. \"Thomas sequential\" is the textbook's and \"gtsv, CPU\" LAPACK's, with row exchanges, both in the \
         same precision on the CPU. \"paper: ...\" are the published errors, computed with other random numbers. failed: no finite \
         solution; no reference: the baseline has no solution, or the matrix is singular."
    };
}
/// The legend of table 6.
const SOLVERS: &str = concat!(
    solvers!(),
    " \"classic\" is TPR with the slices of TPR-stable and TPR-fastest, in the paper's formulas and the same precision on the CPU."
);
/// The legend of the tables that compare with the paper's differences.
const SOLVERS_AND_PAPER: &str = concat!(
    solvers!(),
    " condition: the condition number in the 2-norm of the matrix in this precision; above 1e10 computed in numbers of 1500 bits. \
     \"paper: condition\" is its table 9; 13 and 15 have no random numbers, but numbers above 1e16 are out of reach of f64. Some \
     differences are more than ten times the paper's. 2: both differences are below a unit of roundoff. 8 to 11: at this condition \
     number chance decides, and the random numbers are not the paper's: in f64, over 40 seeds, Thomas sequential, gtsv and TPR \
     classic of one slice differ by up to 6e-5 (8 and 10), 3e-3 (9) and 11 (11). The paper's 4.7e5 (9) and 4.4e13 (10) are the same \
     for its three solvers and both precisions: its baseline differs from all three. 4 and 12: the matrices are not dominant, and the \
     reduction multiplies ratios of neighbours far above 1, where back substitution alone is exact. 13: the baseline itself is wrong; \
     see the true solution's table. 14 to 16: the diagonals are next to 0 and need row exchanges."
);

/// A solver to compare: on the device, or sequential on the CPU.
#[derive(Clone, Copy)]
enum Solver {
    Device(Algorithm, Stability),
    /// TPR in the classic formulas, with the slices of the device's plan.
    TprClassic(Stability),
    /// Gaussian elimination as in textbooks.
    Thomas,
    /// Gaussian elimination with row exchanges, as in LAPACK.
    Gtsv,
}

const TPR_STABLE: (&str, Solver) = ("TPR-stable", Solver::Device(Algorithm::Tpr, Stability::Stable));
const TPR_FASTEST: (&str, Solver) = ("TPR-fastest", Solver::Device(Algorithm::Tpr, Stability::Fastest));
const TPR_CLASSIC: [(&str, Solver); 2] = [
    ("TPR-stable, classic", Solver::TprClassic(Stability::Stable)),
    ("TPR-fastest, classic", Solver::TprClassic(Stability::Fastest)),
];
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

/// The solvers for systems of any kind, in tables 7 and 8.
const GENERAL: [(&str, Solver); 2] = [
    ("auto", Solver::Device(Algorithm::Auto, Stability::Fastest)),
    ("pivoting", Solver::Device(Algorithm::Pivoting, Stability::Fastest)),
];

impl Solver {
    /// The solution, finite or not; `None` if the solver refuses the system.
    fn solve<T: Real>(self, gpu: &Gpu, system: &HostSystem<T>, kind: Diagonal) -> Result<Option<Vec<f64>>> {
        let HostSystem { lower, diag, upper, excess, rhs } = system;
        let found = match (self, kind) {
            (Self::Device(algorithm, stability), kind) => {
                let options = Options::on_device().algorithm(algorithm).stability(stability).diagonal(kind);
                Some(DeviceSolver::new(gpu, system.diag.len(), options)?.solve(system)?)
            }
            (Self::TprClassic(stability), _) => {
                classic_tpr(system, slice_rows::<T>(gpu, system.diag.len(), stability)?)
            }
            (Self::Thomas, _) => cpu::thomas(lower, diag, upper, rhs).ok(),
            (Self::Gtsv, Diagonal::Value) => cpu::gtsv(lower, diag, upper, rhs).ok(),
            (Self::Gtsv, Diagonal::Excess) => cpu::thomas_excess(lower, excess, upper, rhs).ok(),
        };
        Ok(found.map(|x| wide(&x)))
    }
}

/// The rows per slice (S) of the device's plan.
fn slice_rows<T: Real>(gpu: &Gpu, n: usize, stability: Stability) -> Result<usize> {
    let options = Options::on_device().algorithm(Algorithm::Tpr).stability(stability);
    match TridiagonalPlan::<T>::new(gpu, Shape::single(n), options)?.policy() {
        Policy::Tpr(policy) => Ok(policy.slice as usize),
        other => Err(Error::Options(format!("{other} is not a policy of tpr"))),
    }
}

/// TPR in the classic formulas, with slices of up to `slice` rows; `None` if it breaks down.
pub(super) fn classic_tpr<T: Real>(system: &HostSystem<T>, slice: usize) -> Option<Vec<T>> {
    let HostSystem { lower, diag, upper, rhs, .. } = system;
    // A longer slice would only add rows x = 0.
    let slice = slice.min(diag.len().next_power_of_two()).max(2);
    cpu::tree_partitioning_reduction(lower, diag, upper, rhs, slice).ok()
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
fn paper_names<const N: usize>(columns: [&str; N]) -> impl Iterator<Item = String> {
    columns.into_iter().map(|name| format!("paper: {name}"))
}

/// A row of the paper's columns.
fn paper_row<const N: usize>(row: [f64; N]) -> impl Iterator<Item = Measured> {
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
    let solvers = [&[TPR_STABLE, TPR_FASTEST][..], &TPR_CLASSIC, &[THOMAS, WANG_MOU], &OTHERS].concat();
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
    let against_thomas = [&[TPR_STABLE, WANG_MOU, GTSV][..], &GENERAL, &OTHERS].concat();
    let against_truth = [&[TPR_STABLE, WANG_MOU, THOMAS, GTSV][..], &GENERAL, &OTHERS].concat();
    let table = |what: &str, solvers: &[(&'static str, Solver)]| AccuracyTable {
        title: format!("Table {number}: {n} rows, {}: {what}", T::PRECISION),
        legend: SOLVERS_AND_PAPER,
        row: "matrix",
        solvers: ["condition".to_owned()].into_iter().chain(names(solvers)).collect(),
        rows: vec![],
        verdict: None,
    };
    let mut relative = table("relative difference to sequential Thomas", &against_thomas);
    let mut forward = table("relative error against the true solution", &against_truth);
    relative.solvers.extend(paper_names(["TPR", "WM", "cuSPARSE", "condition"]));
    for (at, what) in MATRICES.iter().enumerate() {
        let system = matrix::<T>(at + 1, n, seed);
        let HostSystem { lower, diag, upper, rhs, .. } = &system;
        let name = format!("{} {what}", at + 1);
        let thomas = cpu::thomas(lower, diag, upper, rhs).ok().map(|x| wide(&x));
        let condition = [Measured::Error(condition_number(&wide(lower), &wide(diag), &wide(upper)))];
        let row = errors(gpu, &against_thomas, &system, Diagonal::Value, thomas.as_deref())?;
        let [tpr, wang_mou, cusparse] = printed[at];
        let published = paper_row([tpr, wang_mou, cusparse, TABLE_9[at]]);
        relative.rows.push((name.clone(), condition.into_iter().chain(row).chain(published).collect()));
        let truth = exact(lower, diag, upper, rhs).ok();
        let row = errors(gpu, &against_truth, &system, Diagonal::Value, truth.as_deref())?;
        forward.rows.push((name, condition.into_iter().chain(row).collect()));
    }
    Ok(vec![relative, forward])
}
