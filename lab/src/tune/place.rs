//! The crossover of host solves between the CPU and a device.

use std::hint::black_box;
use std::time::{Duration, Instant};

use super::search::TuneProgress;
use crate::crossing::Crossing;
use crate::on_device::OnDevice;
use crate::systems::dominant_vectors;
use crate::wall_clock::wall_clock;
use trisolve::tridiagonal::{Options, Shape, System, TridiagonalPlan, solve_batch_on_cpu};
use trisolve::tuning::Crossover;
use trisolve::{Gpu, Real, Result};

/// The times of one system, in seconds, from and to host vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaceTimes {
    /// Rows of the system.
    pub rows: usize,
    /// `solve_batch_on_cpu`, on all cores.
    pub cpu: f64,
    /// `TridiagonalPlan::solve` of a kept plan, on the device.
    pub device: f64,
}

/// The crossover, from these times of one precision.
pub fn crossover<T: Real>(times: &[PlaceTimes]) -> Crossover {
    let ratios: Vec<_> = times.iter().map(|PlaceTimes { rows, cpu, device }| (*rows, device / cpu)).collect();
    let Crossing { faster_from, at } = Crossing::of(&ratios);
    let rows = faster_from.map(|fewest| at.map_or(fewest as u64, |at| at.ceil() as u64));
    Crossover { family: "tridiagonal".into(), precision: T::PRECISION.name().into(), rows }
}

/// Measures dominant systems of these numbers of rows in both places, in steady state: medians of `runs` runs. Ends early once the device is
/// four times as fast.
///
/// # Errors
/// Those of the plans and of the solves.
pub fn measure_places<T: Real>(
    gpu: &Gpu,
    sizes: &[usize],
    runs: usize,
    mut progress: impl FnMut(TuneProgress),
) -> Result<Vec<PlaceTimes>> {
    const WARM_UP: Duration = Duration::from_millis(30);
    let mut all = vec![];
    for (done, &rows) in sizes.iter().enumerate() {
        progress(TuneProgress { done, of: sizes.len(), next: format!("{} {rows} rows", T::PRECISION) });
        let [lower, diag, upper, rhs] = dominant_vectors::<T>(rows, 7);
        let (shape, system) = (Shape::single(rows), System::new(&lower, &diag, &upper));
        let plan = TridiagonalPlan::<T>::new(gpu, shape, Options::on_device())?;
        let timed = |run: &dyn Fn() -> Result<Vec<T>>| {
            wall_clock(WARM_UP, runs, || {
                let begun = Instant::now();
                let x = black_box(run()?);
                let seconds = begun.elapsed().as_secs_f64();
                drop(x);
                Ok([seconds])
            })
            .map(|([median], _)| median)
        };
        let cpu = timed(&|| solve_batch_on_cpu(&shape, &system, &rhs).map(|solution| solution.x))?;
        let device = timed(&|| plan.solve(&system, &rhs))?;
        all.push(PlaceTimes { rows, cpu, device });
        if 4.0 * device < cpu {
            break;
        }
    }
    Ok(all)
}
