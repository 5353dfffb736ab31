//! Figure 14 of Diéguez, Amor and Doallo (TOMS 2019): TPR's error by the size of its slices.

use super::accuracy::classic_tpr;
use super::accuracy_table::{AccuracyTable, Measured, relative_error, wide};
use super::device_solver::DeviceSolver;
use super::exact::exact;
use super::matrices::{MATRICES, matrix};
use super::systems::{HostSystem, diffusion, poisson};
use crate::on_device::OnDevice;
use trisolve::cpu;
use trisolve::gpu::Gpu;
use trisolve::tridiagonal::{Algorithm, Options, TprPolicy};
use trisolve::{Error, Real, Result};

const SLICES: &str = "Figure 14: the error by the rows S of TPR's slices. In the classic formulas, which the paper uses, the error on the \
                      Toeplitz matrix falls about fourfold per doubling of S, with jumps, since all slices round alike. The device carries \
                      the dominance: if the matrix is dominant, only rounding is left, and larger slices bring little. They may help if \
                      it is not. too large: more threads or memory than the device has.";

/// The rows per slice (S).
fn slices() -> impl Iterator<Item = u32> {
    (3..=11).map(|power| 1 << power)
}

fn empty(sizes: &[usize]) -> AccuracyTable {
    AccuracyTable {
        title: String::new(),
        legend: SLICES,
        row: "S",
        solvers: sizes.iter().map(|n| format!("N = {n}")).collect(),
        rows: vec![],
        verdict: None,
    }
}

/// The errors of the classic formulas on the CPU.
fn classic<T: Real>(sizes: &[usize]) -> AccuracyTable {
    let systems: Vec<_> = sizes.iter().map(|&n| (poisson::<T>(n), vec![1.0; n])).collect();
    let error = |slice: u32, (system, ones): &(HostSystem<T>, Vec<f64>)| {
        classic_tpr(system, slice as usize).map_or(Measured::Failed, |x| relative_error(&wide(&x), ones))
    };
    AccuracyTable {
        title: format!("Toeplitz -1 2 -1, solution ones, classic formulas on the CPU, {}", T::PRECISION),
        rows: slices()
            .map(|slice| (slice.to_string(), systems.iter().map(|system| error(slice, system)).collect()))
            .collect(),
        ..empty(sizes)
    }
}

/// Figure 14: TPR's error by the size of its slices, for several N up to `largest`: in the classic formulas on the CPU, as in the paper, on
/// the Toeplitz matrix (-1 2 -1); and on the device, on the matrices of table 6 and on matrix 1 of table 9, which is not dominant.
///
/// # Errors
/// As [`table_6`](super::table_6).
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
    let mut tables = vec![classic::<T>(&sizes)];
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
        for slice in slices() {
            let threads = slice / per_thread;
            let policy = TprPolicy { slice, threads, overall_threads: 256, overall_systems: 1, shuffles: true };
            let options = Options::on_device().algorithm(Algorithm::Tpr).policy(policy);
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
        tables.push(AccuracyTable { title: format!("{what}, {}", T::PRECISION), rows, ..empty(&sizes) });
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's law. All slices round alike, so the error jumps between some sizes.
    #[test]
    fn errors_of_the_classic_formulas_fall_fourfold_per_doubling() {
        let table = classic::<f32>(&[1 << 13, 1 << 15, 1 << 19]);
        let error = |slice: usize, column: usize| {
            let (_, errors) = table.rows.iter().find(|row| row.0 == slice.to_string()).expect("the slice's row");
            match errors[column] {
                Measured::Error(error) => error,
                other => panic!("S = {slice}: {other}"),
            }
        };
        // Eight doublings. Of 2^19 rows, small slices leave no digit.
        for column in 0..2 {
            let fall = (error(8, column) / error(2048, column)).powf(1.0 / 8.0);
            assert!((3.0..5.0).contains(&fall), "{table:?}");
        }
        for column in 1..3 {
            for slice in [512, 1024] {
                let fall = error(slice, column) / error(2 * slice, column);
                assert!((3.5..4.5).contains(&fall), "S = {slice}: {table:?}");
            }
        }
    }
}
