//! A closed cubic spline through points that an engine holds as `[f32; 3]`, one after the other.
//!
//! The spline's slopes solve a periodic system: `slope[i-1] + 4 slope[i] + slope[i+1] = 3 (point[i+1] - point[i-1])`. The matrix is two numbers,
//! the right-hand side a formula of the points, and x, y and z are three right-hand sides of one matrix. The slopes come as `[f32; 3]`, too.
//! Between two points the path is then the cubic with these ends and slopes.
//!
//! Beside it: the same from vectors, which the engine has to compute and to lay out first.
//!
//! `cargo run --example spline_path [POINTS]`

mod failure;

use std::time::Duration;

use failure::{Failure, refuse};
use trisolve::gpu::PassTimer;
use trisolve::tridiagonal::{
    Algorithm, DeviceSystem, Diagonal, Forms, Formulas, Layout, Options, Shape, TridiagonalPlan,
};
use trisolve::{DeviceVector, Gpu};

/// A point of a trefoil knot, which closes after one turn, and the direction in which the path leaves it.
fn knot(turn: f64) -> [[f64; 3]; 2] {
    let t = turn * std::f64::consts::TAU;
    let point = [t.sin() + 2.0 * (2.0 * t).sin(), t.cos() - 2.0 * (2.0 * t).cos(), -(3.0 * t).sin()];
    let direction = [t.cos() + 4.0 * (2.0 * t).cos(), -t.sin() + 4.0 * (2.0 * t).sin(), -3.0 * (3.0 * t).cos()];
    [point, direction]
}

fn main() -> Result<(), Failure> {
    let n = match std::env::args().nth(1) {
        None => 100_000,
        Some(text) => match text.parse() {
            Ok(n @ 8..=10_000_000usize) => n,
            _ => refuse(format!("{text:?} is no number of points from 8 to 10000000")),
        },
    };
    let gpu = Gpu::new()?;
    let points: Vec<f32> = (0..n).flat_map(|i| knot(i as f64 / n as f64)[0]).map(|x| x as f32).collect();
    let points = DeviceVector::from_slice(&gpu, "points", &points)?;
    let slopes = DeviceVector::<f32>::new(&gpu, "slopes", 3 * n)?;

    // x, y and z lie side by side; from a row to the next there are three numbers.
    let triples = Layout { element_stride: 3, system_stride: 3 * n, group: 1, group_stride: 0 };
    let shape = Shape::single(n).with_right(triples, 3, 1);
    // 4 is an excess of 2 over the sum of its neighbours.
    let options = Options::default().algorithm(Algorithm::Partition).diagonal(Diagonal::Excess).periodic();
    let formulas = Formulas::new()
        .lower("real(1.0)")
        .diag("real(2.0)")
        .upper("real(1.0)")
        .rhs(
            "let behind = select(i + 1u, 0u, i + 1u == n);
             let before = select(i, n, i == 0u) - 1u;
             return 3.0 * (point(3u * behind + column) - point(3u * before + column));",
        )
        .vector("point");
    let plan = TridiagonalPlan::<f32>::with_formulas(&gpu, shape, options, &formulas)?;
    let by_formulas = plan.bind_named(&[("point", points.as_slice().into())], Some(slopes.as_slice().into()))?;
    by_formulas.submit()?;
    by_formulas.read_status()?.check()?;

    // The slope per point is the direction times the turn from a point to the next.
    let step = std::f64::consts::TAU / n as f64;
    let found = slopes.read(&gpu)?;
    let off = found.chunks(3).enumerate().map(|(i, slope)| {
        let [_, direction] = knot(i as f64 / n as f64);
        (0..3).map(|k| (f64::from(slope[k]) - step * direction[k]).abs()).fold(0.0, f64::max)
    });
    let worst = off.fold(0.0, f64::max) / step;
    // Points rounded to f32 differ by 2^-23 of their size, slopes by as much divided by the step; the cubic itself errs by its fourth power.
    let allowed = 4.0 * 3.0 / 2f64.powi(23) / step + step.powi(4);
    println!("{n} points, {}: the slopes are off by {worst:.1e} of the knot's speed", gpu.info().name);
    if worst.is_nan() || worst > allowed {
        return Err(format!("the slopes are off by {worst:e}, more than {allowed:e}").into());
    }

    // The same from vectors of three right-hand sides, one behind the other, as an engine without formulas would lay them out.
    let shape = Shape::single(n).with_columns(3);
    let plan = TridiagonalPlan::<f32>::new(&gpu, shape, options.forms(Forms::CONSTANT))?;
    let [one, two] = [1.0f32, 2.0].map(|value| DeviceVector::from_slice(&gpu, "a number", &[value; 4]));
    let (one, two) = (one?, two?);
    let [rhs, x] = ["rhs", "x"].map(|label| DeviceVector::<f32>::new(&gpu, label, 3 * n));
    let (rhs, x) = (rhs?, x?);
    let system = DeviceSystem {
        lower: one.as_slice(),
        diag: two.as_slice(),
        upper: one.as_slice(),
        rhs: rhs.as_slice(),
        x: Some(x.as_slice()),
    };
    let by_vectors = plan.bind(&system)?;
    let timer = PassTimer::new(&gpu)?;
    let us = |bound: &trisolve::tridiagonal::Bound| -> Result<f64, Failure> {
        Ok(1e6 * timer.measure(Duration::from_millis(50), 15, |pass| bound.record(pass))?.median())
    };
    println!("  from [f32; 3] to [f32; 3], by formulas            {:8.1} us", us(&by_formulas)?);
    println!("  from vectors, without the copies to and from them {:8.1} us", us(&by_vectors)?);
    Ok(())
}
