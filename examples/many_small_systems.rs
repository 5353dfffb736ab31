//! Many small systems at once: vertical mixing in the columns of an ocean or atmosphere model.
//!
//! Each of 65536 columns of 64 levels takes one implicit diffusion step with mixing
//! coefficients of its own, so each has its own matrix. The same numbers are solved in the two
//! layouts that such models have:
//!
//! - contiguous, an array `[column, level]`: a column's levels lie side by side;
//! - interleaved, an array `[level, column]`: neighbouring columns lie side by side.
//!
//! Both are one `Shape` each; the code is the same. Timed on the device, beside the rate at
//! which the same device copies memory, since that is what limits a good solver.
//!
//! `cargo run --example many_small_systems [columns]`

mod failure;

use std::time::Duration;

use failure::{Failure, refuse};
use trisolve::gpu::{PassTimer, copy_bandwidth};
use trisolve::tridiagonal::{DeviceSystem, Diagonal, Options, Shape, TridiagonalPlan};
use trisolve::{DeviceVector, Gpu, cpu};

const LEVELS: usize = 64;
/// Columns that are compared with f64 on the CPU.
const COMPARED: usize = 16;
/// The devices' clocks rise with time, not with the number of runs.
const WARM_UP: Duration = Duration::from_millis(500);
const RUNS: usize = 15;

/// The largest mixing below.
const STRONG: f32 = 56.0;

/// Mixing between a level and the next deeper one, as a rate per time step. Strong down to a
/// depth that differs from column to column, weak below: four decades in one matrix.
fn mixing(column: usize, level: usize) -> f32 {
    let mixed_layer = 10 + column % 40;
    if level < mixed_layer { STRONG - (column % 7) as f32 } else { 1e-4 * STRONG }
}

/// One row: lower, excess, upper, right-hand side.
///
/// Diffusion's off-diagonals are minus the mixing on either side and the diagonal is 1 plus
/// both: what it has more than |lower| + |upper|, its excess, is exactly 1. Given as the
/// excess, no digit of that 1 is rounded away beside a large mixing, and the ends (through
/// which nothing mixes) need no case of their own.
fn row(column: usize, level: usize) -> [f32; 4] {
    let above = if level > 0 { mixing(column, level - 1) } else { 0.0 };
    let below = if level + 1 < LEVELS { mixing(column, level) } else { 0.0 };
    let temperature = 20.0 - 15.0 * level as f32 / LEVELS as f32 + (column % 11) as f32 * 0.1;
    [-above, 1.0, -below, temperature]
}

/// The four vectors of all columns in any layout: `matrix_index` says where a row lies.
fn vectors(shape: &Shape) -> [Vec<f32>; 4] {
    let mut all = [(); 4].map(|()| vec![0.0; shape.n * shape.batch]);
    for column in 0..shape.batch {
        for level in 0..shape.n {
            let at = shape.matrix_index(column, level);
            for (vector, value) in all.iter_mut().zip(row(column, level)) {
                vector[at] = value;
            }
        }
    }
    all
}

/// The largest error of some columns, relative to the largest unknown, against f64.
fn error(shape: &Shape, x: &[f32]) -> trisolve::Result<f64> {
    let mut largest: f64 = 0.0;
    for column in (0..shape.batch).step_by(shape.batch.div_ceil(COMPARED)) {
        let rows: Vec<_> = (0..LEVELS).map(|level| row(column, level).map(f64::from)).collect();
        let lower: Vec<_> = rows.iter().map(|r| r[0]).collect();
        let diag: Vec<_> = rows.iter().map(|r| r[0].abs() + r[2].abs() + r[1]).collect();
        let upper: Vec<_> = rows.iter().map(|r| r[2]).collect();
        let rhs: Vec<_> = rows.iter().map(|r| r[3]).collect();
        let expected = cpu::gtsv(&lower, &diag, &upper, &rhs)?;
        let scale = expected.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        for (level, expected) in expected.iter().enumerate() {
            let found = f64::from(x[shape.matrix_index(column, level)]);
            // `max` would drop a NaN.
            let error = (found - expected).abs() / scale;
            largest = if error > largest || error.is_nan() { error } else { largest };
        }
    }
    Ok(largest)
}

fn main() -> Result<(), Failure> {
    let columns = match std::env::args().nth(1) {
        None => 65536,
        Some(count) => count.parse().unwrap_or_else(|error| refuse(format!("columns {count:?}: {error}"))),
    };
    let gpu = Gpu::new()?;
    let timer = PassTimer::new(&gpu)?;
    let copy = copy_bandwidth(&gpu, 64 << 20, WARM_UP, RUNS)?;
    println!("on {}, which copies {:.1} GB/s", gpu.info().name, copy * 1e-9);
    println!(
        "{columns} systems of {LEVELS} rows, f32, by {}",
        if timer.is_device_time() { "device time" } else { "host time" }
    );

    let layouts =
        [("contiguous", Shape::contiguous(LEVELS, columns)), ("interleaved", Shape::interleaved(LEVELS, columns))];
    for (name, shape) in layouts {
        let [lower, excess, upper, rhs] = vectors(&shape);
        let lower = DeviceVector::from_slice(&gpu, "lower", &lower)?;
        let excess = DeviceVector::from_slice(&gpu, "excess", &excess)?;
        let upper = DeviceVector::from_slice(&gpu, "upper", &upper)?;
        let rhs = DeviceVector::from_slice(&gpu, "rhs", &rhs)?;
        let x = DeviceVector::new(&gpu, "x", rhs.len())?;
        let system = DeviceSystem {
            lower: lower.as_slice(),
            diag: excess.as_slice(),
            upper: upper.as_slice(),
            rhs: rhs.as_slice(),
            x: Some(x.as_slice()),
        };

        let plan = TridiagonalPlan::<f32>::new(&gpu, shape, Options::default().diagonal(Diagonal::Excess))?;
        let bound = plan.bind(&system)?;
        let seconds = timer.measure(WARM_UP, RUNS, |pass| bound.record(pass))?.median();

        // The answer of the timed runs themselves.
        bound.read_status()?.check()?;
        let residual = plan.residuals(&system)?.relative;
        let error = error(&shape, &x.read(&gpu)?)?;

        let rows = shape.n as f64 * shape.batch as f64;
        let bandwidth = plan.bytes_per_row() * rows / seconds;
        println!(
            "{name:>12}: {:9.1} us, {:6.1} million systems/s, {:.0}% of the copy rate; largest residual {residual:.1e}, \
             error {error:.1e}",
            seconds * 1e6,
            columns as f64 / seconds * 1e-6,
            100.0 * bandwidth / copy,
        );
        // x rounded to f32 has this residual, even if exact before: ||A|| ||x|| epsilon / ||d||,
        // where ||x|| <= ||d||. Allow four such roundings.
        let norm = 1.0 + 4.0 * f64::from(STRONG);
        if residual.is_nan() || residual > 4.0 * norm * f64::from(f32::EPSILON) {
            return Err(format!("{name}: the residual is too large").into());
        }
        // An elimination without cancellation: each row adds its roundings, none of which grows.
        if error.is_nan() || error > LEVELS as f64 * f64::from(f32::EPSILON) {
            return Err(format!("{name}: the error is too large").into());
        }
    }
    Ok(())
}
