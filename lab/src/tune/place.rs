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

/// The times of one shape, in seconds, from and to host vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaceTimes {
    /// Rows of all systems.
    pub rows: usize,
    /// `solve_batch_on_cpu`, on all cores.
    pub cpu: f64,
    /// `TridiagonalPlan::solve` of a kept plan, on the device.
    pub device: f64,
}

/// The crossover of a family, from these times of one precision.
pub fn crossover<T: Real>(family: &str, times: &[PlaceTimes]) -> Crossover {
    let ratios: Vec<_> = times.iter().map(|PlaceTimes { rows, cpu, device }| (*rows, device / cpu)).collect();
    let Crossing { faster_from, at } = Crossing::of(&ratios);
    let rows = faster_from.map(|fewest| at.map_or(fewest as u64, |at| at.ceil() as u64));
    Crossover { family: family.into(), precision: T::PRECISION.name().into(), rows }
}

/// Measures dominant systems of these shapes, the fewest rows first, in both places, in steady state: medians of `runs` runs. Ends early once
/// the device is four times as fast.
///
/// # Errors
/// Those of the plans and of the solves.
pub fn measure_places<T: Real>(
    gpu: &Gpu,
    shapes: &[Shape],
    runs: usize,
    mut progress: impl FnMut(TuneProgress),
) -> Result<Vec<PlaceTimes>> {
    const WARM_UP: Duration = Duration::from_millis(30);
    let mut all = vec![];
    for (done, &shape) in shapes.iter().enumerate() {
        let Shape { n, batch, .. } = shape;
        progress(TuneProgress { done, of: shapes.len(), next: format!("{} {n} rows x {batch}", T::PRECISION) });
        let rows = n * batch;
        let [lower, diag, upper, rhs] = dominant_vectors::<T>(rows, 7);
        let system = System::new(&lower, &diag, &upper);
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
