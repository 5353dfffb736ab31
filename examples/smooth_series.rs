//! Exponential smoothing of a noisy series, forward and then backward.
//!
//! Ten years of daily temperatures, generated: a trend, the seasons, and noise. Simple exponential smoothing
//! (Brown, "Exponential smoothing for predicting demand", 1956) is a recurrence with a constant factor,
//!
//! ```text
//! w[i] = (1 - alpha) w[i-1] + alpha x[i]
//! ```
//!
//! which lags behind by (1 - alpha) / alpha days. The same from the last day to the first, over what came out,
//! lags as much the other way: the two together do not.
//!
//! `cargo run --example smooth_series [picture.svg]`

mod failure;
mod panels;

use std::f64::consts::PI;
use std::path::PathBuf;

use failure::Failure;
use panels::{Line, Panel, draw};
use trisolve::recurrence::{Coefficient, Direction, Options, Recurrence, RecurrencePlan, Shape};
use trisolve::{Gpu, Place, cpu};

const DAYS: usize = 3652;
/// The weight of a day's own value.
const ALPHA: f32 = 0.08;

/// Without noise.
fn climate(day: usize) -> f64 {
    let years = day as f64 / 365.25;
    9.0 + 0.05 * years - 10.0 * (2.0 * PI * years).cos()
}

/// With noise whose standard deviation is 4 degrees: a sum of uniform numbers, nearly normal.
fn measured() -> Vec<f32> {
    let mut random = 1u32;
    let mut uniform = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(random >> 8) / f64::from(1 << 24) - 0.5
    };
    (0..DAYS).map(|day| (climate(day) + 4.0 * (0..12).map(|_| uniform()).sum::<f64>()) as f32).collect()
}

/// One pass over a series, from its first value (the last, in reverse).
fn smoothed(gpu: &Gpu, x: &[f32], direction: Direction) -> Result<Vec<f32>, Failure> {
    // A single host solve is faster on the CPU, where it runs by default; here the device is shown.
    let options = Options::default().direction(direction).place(Place::Device);
    let plan = RecurrencePlan::<f32>::new(gpu, Shape::single(x.len()), options)?;
    let weighted: Vec<_> = x.iter().map(|x| ALPHA * x).collect();
    let reverse = direction == Direction::Reverse;
    let initial = if reverse { x[x.len() - 1] } else { x[0] };
    let w = plan.solve(&Recurrence {
        s: Coefficient::Constant(1.0 - ALPHA),
        t: Coefficient::Each(&weighted),
        initial: Coefficient::Constant(initial),
    })?;
    // The same one day after the other, in f64. The factor is below 1: roundings do not gather.
    let wide: Vec<_> = weighted.iter().map(|&t| f64::from(t)).collect();
    let exact = cpu::recurrence(&vec![f64::from(1.0 - ALPHA); x.len()], &wide, initial.into(), reverse)?;
    let off = w.iter().zip(&exact).map(|(w, exact)| (f64::from(*w) - exact).abs()).fold(0.0, f64::max);
    let large = w.iter().fold(0f32, |most, w| most.max(w.abs()));
    let bound = f64::from(f32::EPSILON * large / ALPHA) * 4.0;
    println!("  {direction:?}: at most {off:.1e} degrees from the CPU's answer, bound {bound:.1e}");
    if off <= bound { Ok(w) } else { Err("an error is larger than its bound".into()) }
}

/// How far from the climate in the mean square.
fn deviation(values: &[f32]) -> f64 {
    let squares = values.iter().enumerate().map(|(day, &value)| (f64::from(value) - climate(day)).powi(2));
    (squares.sum::<f64>() / values.len() as f64).sqrt()
}

fn main() -> Result<(), Failure> {
    let path = std::env::args().nth(1).map_or_else(|| PathBuf::from("target/smooth_series.svg"), PathBuf::from);
    let gpu = Gpu::new()?;
    println!("{DAYS} days on {}", gpu.info().name);
    let x = measured();
    let forward = smoothed(&gpu, &x, Direction::Forward)?;
    let both = smoothed(&gpu, &forward, Direction::Reverse)?;
    for (name, values) in [("measured", &x), ("forward", &forward), ("forward and backward", &both)] {
        println!("  {name}: {:.2} degrees from the climate", deviation(values));
    }
    let shown = 730..1461;
    let points = |values: &[f32]| shown.clone().map(|day| (day as f64 / 365.25, values[day].into())).collect();
    let exact: Vec<_> = shown.clone().map(|day| (day as f64 / 365.25, climate(day))).collect();
    let line = |name, width, points| Line { name, width, points };
    let panels = [
        Panel { y: "degrees", lines: vec![line("measured", 1, points(&x)), line("climate", 2, exact.clone())] },
        Panel {
            y: "degrees",
            lines: vec![
                line("forward", 2, points(&forward)),
                line("climate", 2, exact),
                line("forward and backward", 2, points(&both)),
            ],
        },
    ];
    draw(&path, "Exponential smoothing of daily temperatures", "years", &panels)?;
    println!("{}", path.display());
    Ok(())
}
