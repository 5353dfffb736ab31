//! A four-pole low-pass over a batch of sounds, and the CPU's answer beside it.
//!
//! Each signal is a tone that glides up through the filter's cutoff, with noise over it. The filter is Butterworth's of
//! order 4: two second-order sections (Bristow-Johnson, "Audio EQ Cookbook"; the Q of its two pairs of poles) multiplied
//! out to one filter in direct form. The signals go through in blocks, each from the state that the one before has
//! left, as a program that plays them would have it; block and states stay on the device.
//!
//! `cargo run --release --example four_pole_filter [picture.svg] [signals] [samples]`
//!
//! 64 signals of 2^18 samples unless given. It fails where an output is off by more than 1e-4 of full scale (-80 dB).

mod failure;
mod panels;

use std::f64::consts::PI;
use std::path::PathBuf;
use std::time::Instant;

use failure::{Failure, refuse};
use panels::{Line, Panel, draw};
use trisolve::filter::{Coefficients, DeviceSignals, FilterPlan, Options, Shape};
use trisolve::{DeviceVector, Gpu, cpu};

/// Samples a second.
const RATE: f64 = 48_000.0;
/// Where the filter lets half of the power through.
const CUTOFF: f64 = 3_000.0;
/// Blocks that a signal goes through in.
const BLOCKS: usize = 2;

/// A second-order low-pass: numerator and denominator.
fn section(q: f64) -> ([f64; 3], [f64; 3]) {
    let angle = 2.0 * PI * CUTOFF / RATE;
    let alpha = angle.sin() / (2.0 * q);
    let b = (1.0 - angle.cos()) / 2.0;
    ([b, 2.0 * b, b], [1.0 + alpha, -2.0 * angle.cos(), 1.0 - alpha])
}

/// The product of two polynomials of degree 2.
fn product(p: [f64; 3], q: [f64; 3]) -> [f64; 5] {
    let mut all = [0.0; 5];
    for (i, p) in p.into_iter().enumerate() {
        q.into_iter().enumerate().for_each(|(j, q)| all[i + j] += p * q);
    }
    all
}

fn low_pass() -> trisolve::Result<Coefficients> {
    // The pairs of poles lie at 22.5 and 67.5 degrees from the real axis.
    let [(b, a), (d, c)] = [PI / 8.0, 3.0 * PI / 8.0].map(|angle| section(1.0 / (2.0 * angle.cos())));
    Coefficients::new(&product(b, d), &product(a, c))
}

/// A tone from 200 Hz up to 10 kHz, higher in each signal, and noise.
fn sound(signal: usize, samples: usize) -> Vec<f32> {
    let mut random = signal as u32 + 1;
    let mut phase = 0.0;
    let sample = |at: usize| {
        let share = at as f64 / samples as f64;
        phase += 2.0 * PI * (200.0 + 10.0 * signal as f64) * 50f64.powf(share) / RATE;
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = f64::from(random >> 8) / f64::from(1 << 24) - 0.5;
        (0.6 * phase.sin() + 0.4 * noise) as f32
    };
    (0..samples).map(sample).collect()
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().map_or_else(|| PathBuf::from("target/four_pole_filter.svg"), PathBuf::from);
    let mut number = |name: &str, default: usize| match arguments.next() {
        None => default,
        Some(text) => text.parse().unwrap_or_else(|error| refuse(format!("{name} {text:?}: {error}"))),
    };
    let (signals, samples) = (number("signals", 64), number("samples", 1 << 18));
    if signals == 0 || samples < 1024 || samples % BLOCKS != 0 {
        refuse(format!(
            "{signals} signals of {samples} samples: take at least 1 signal, and an even number of samples, at least 1024"
        ));
    }
    let coefficients = low_pass()?;
    let order = coefficients.order();
    let x: Vec<_> = (0..signals).flat_map(|signal| sound(signal, samples)).collect();

    let gpu = Gpu::new()?;
    println!("{signals} signals of {samples} samples on {}", gpu.info().name);
    let n = samples / BLOCKS;
    // What a block of all signals reads lies `samples` apart.
    let shape = Shape::padded(n, signals, samples);
    let plan = FilterPlan::<f32>::new(&gpu, shape, &coefficients, Options::default())?;
    let sound = DeviceVector::from_slice(&gpu, "sound", &x)?;
    let filtered = DeviceVector::new(&gpu, "filtered", x.len())?;
    let states = DeviceVector::new(&gpu, "states", signals * order)?;
    let reach = (signals - 1) * samples + n;
    let bound = (0..BLOCKS)
        .map(|block| {
            plan.bind(&DeviceSignals {
                x: sound.slice(block * n, reach),
                y: Some(filtered.slice(block * n, reach)),
                initial: Some(states.as_slice()),
                last: Some(states.as_slice()),
            })
        })
        .collect::<trisolve::Result<Vec<_>>>()?;
    let run = || -> trisolve::Result<f64> {
        states.write(&gpu, 0, &vec![0.0; signals * order])?;
        let clock = Instant::now();
        for block in &bound {
            block.submit()?;
            block.read_status()?.check()?;
        }
        Ok(clock.elapsed().as_secs_f64())
    };
    // The first run may still be compiling.
    run()?;
    let seconds = run()?;
    let y = filtered.read(&gpu)?;

    let clock = Instant::now();
    let mut exact = Vec::with_capacity(x.len());
    for signal in x.chunks(samples) {
        let signal: Vec<_> = signal.iter().map(|&x| f64::from(x)).collect();
        exact.extend(cpu::filter(coefficients.b(), coefficients.a(), &signal, &mut [0.0; 4], false)?);
    }
    let cpu_seconds = clock.elapsed().as_secs_f64();

    let off: Vec<_> = y.iter().zip(&exact).map(|(y, exact)| f64::from(*y) - exact).collect();
    // `max` would drop a NaN.
    let largest = off.iter().fold(0.0, |most: f64, off| if off.abs() <= most { most } else { off.abs() });
    println!("  on the device, in f32: {:.3} ms in {BLOCKS} blocks, waiting for each", seconds * 1e3);
    println!("  on one CPU core, in f64: {:.3} ms", cpu_seconds * 1e3);
    println!("  largest difference {largest:.1e} of full scale");

    // A stretch around the seam of the blocks.
    let shown = n - 150..n + 150;
    let points = |value: &dyn Fn(usize) -> f64| shown.clone().map(|at| (at as f64 / RATE * 1e3, value(at))).collect();
    let line = |name, width, points| Line { name, width, points };
    let panels = [
        Panel { y: "amplitude", lines: vec![line("input", 1, points(&|at| x[at].into()))] },
        Panel {
            y: "amplitude",
            lines: vec![
                line("output on the CPU, f64", 7, points(&|at| exact[at])),
                line("output on the device, f32", 2, points(&|at| y[at].into())),
            ],
        },
        Panel { y: "difference", lines: vec![line("device - CPU", 1, points(&|at| off[at]))] },
    ];
    let title = format!("Low-pass of order 4 at {CUTOFF} Hz, around the seam of two blocks");
    draw(&path, &title, "time in ms", &panels)?;
    println!("{}", path.display());
    if largest <= 1e-4 { Ok(()) } else { Err("an output is off by more than 1e-4".into()) }
}
