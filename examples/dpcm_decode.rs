//! Pictures from their DPCM code: every line is a linear recurrence, all lines are decoded at once.
//!
//! Differential pulse-code modulation (Cutler, US patent 2605361, 1952) sends the difference between a pixel and its prediction from the
//! pixel before, as it was decoded:
//!
//! ```text
//! encoder:  r[i] = round((x[i] - s[i] w[i-1]) / STEP)       s: the predictor's coefficient, one per 32 pixels
//! decoder:  w[i] = s[i] w[i-1] + STEP r[i]
//! ```
//!
//! The decoder is w\[i\] = s\[i\] w\[i-1\] + t\[i\] with t = STEP r. A. Wakatani names it among the applications of P-scheme ("Evaluation of
//! P-Scheme/G Algorithm for Solving Recurrence Equations", 2013). The host encodes 16 moving pictures; the device decodes them by P-scheme
//! and in one pass, and the program compares both with the encoder's own values. Coefficients are at most 63/64, so that a rounding, or a
//! bit that is lost on the way, fades.
//!
//! `cargo run --example dpcm_decode [picture.png] [figures.csv]`
//!
//! The picture shows the first of the 16: as it was, what is sent, and decoded.

mod failure;

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use failure::{Failure, refuse};
use image::{GrayImage, Luma};
use trisolve::gpu::PassTimer;
use trisolve::recurrence::{
    Algorithm, Coefficient, DeviceCoefficient, DeviceRecurrence, Options, Recurrence, RecurrencePlan, Shape,
};
use trisolve::{DeviceVector, Gpu};

/// An idle GPU needs this long to raise its clock.
const WARM_UP: Duration = Duration::from_millis(500);
const WIDTH: usize = 384;
const HEIGHT: usize = 192;
const PICTURES: usize = 16;
/// Pixels that share a coefficient of the predictor.
const BLOCK: usize = 32;
/// Coefficients are multiples of 1/64, so that they are sent in 6 bits.
const FRACTION: f32 = 64.0;
/// The quantisation step in grey levels.
const STEP: f32 = 5.0;
/// The middle grey, which the code leaves out.
const GREY: f32 = 128.0;
/// The largest difference from the encoder's values that rounding explains: a few units of roundoff of 128, summed over 1 / (1 - 63/64)
/// pixels.
const TOLERATED: f32 = 8.0 * f32::EPSILON * GREY * FRACTION;

/// A pixel, 0 to 255: rings that become finer, a disc with a soft shadow, and a sky that moves.
fn pixel(picture: usize, line: usize, column: usize) -> f32 {
    let (x, y) = (column as f32 / HEIGHT as f32, line as f32 / HEIGHT as f32);
    let time = picture as f32 / PICTURES as f32;
    let rings = {
        let (x, y) = (x - 0.5, y - 0.5);
        50.0 * (90.0 * (x * x + y * y) + 2.0 * time).cos() * (-3.0 * (x * x + y * y)).exp()
    };
    let disc = ((x - 1.4 - 0.1 * time).powi(2) + (y - 0.45).powi(2)).sqrt();
    let sky = 120.0 + 60.0 * (2.0 * y - 0.3 * x + time).sin() + 6.0 * (40.0 * x + 9.0 * (7.0 * y).sin()).sin();
    let value =
        if disc < 0.3 { 225.0 - 400.0 * disc * disc } else { sky + rings - 50.0 * (-20.0 * (disc - 0.3)).exp() };
    value.round().clamp(0.0, 255.0)
}

/// The predictor's coefficient for a block: its correlation of neighbours, as it is sent.
fn coefficient(block: &[f32]) -> f32 {
    let products: f32 = block.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let squares: f32 = block.iter().map(|x| x * x).sum();
    let correlation = if squares > 0.0 { products / squares } else { 0.0 };
    (correlation * FRACTION).round().clamp(0.0, FRACTION - 1.0) / FRACTION
}

/// What is sent, as the decoder takes it, and the values that it should come to.
struct Code {
    s: Vec<f32>,
    t: Vec<f32>,
    decoded: Vec<f32>,
}

fn encode(x: &[f32]) -> Code {
    let (mut s, mut t, mut decoded) = (vec![], vec![], vec![]);
    for line in x.chunks(WIDTH) {
        let mut before = 0.0;
        for block in line.chunks(BLOCK) {
            let factor = coefficient(block);
            for x in block {
                let residual = STEP * ((x - factor * before) / STEP).round();
                before = factor * before + residual;
                s.push(factor);
                t.push(residual);
                decoded.push(before);
            }
        }
    }
    Code { s, t, decoded }
}

/// Bits per value that an ideal code of single values takes.
fn entropy(values: impl Iterator<Item = f32>) -> f64 {
    let mut counts = std::collections::BTreeMap::<i64, usize>::new();
    values.for_each(|value| *counts.entry(value as i64).or_default() += 1);
    let all = counts.values().sum::<usize>() as f64;
    counts.values().map(|&count| count as f64 / all).map(|share| -share * share.log2()).sum()
}

fn to_grey(value: f32) -> u8 {
    (value + GREY).round().clamp(0.0, 255.0) as u8
}

fn main() -> Result<(), Failure> {
    let odd = std::env::args().enumerate().find(|(at, argument)| argument.starts_with('-') || *at > 2);
    if let Some((_, argument)) = odd {
        refuse(format!("{argument:?}: should be one of two paths; usage: dpcm_decode [PICTURE.png] [FIGURES.csv]"));
    }
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let path = arguments.next().unwrap_or_else(|| "target/dpcm_decode.png".into());
    let figures = arguments.next();

    let pixels = (0..PICTURES * HEIGHT * WIDTH).map(|at| (at / WIDTH, at % WIDTH));
    let x: Vec<_> = pixels.map(|(line, column)| pixel(line / HEIGHT, line % HEIGHT, column) - GREY).collect();
    let Code { s, t, decoded } = encode(&x);
    let raw = entropy(x.iter().copied());
    let sent = entropy(t.iter().map(|t| t / STEP)) + f64::from(FRACTION.log2()) / BLOCK as f64;
    let squares: f64 = x.iter().zip(&decoded).map(|(x, w)| f64::from(x - w).powi(2)).sum();
    let noise = 10.0 * (255f64.powi(2) * x.len() as f64 / squares).log10();

    let gpu = Gpu::new()?;
    let shape = Shape::contiguous(WIDTH, PICTURES * HEIGHT);
    println!("{PICTURES} pictures of {WIDTH} x {HEIGHT} on {}", gpu.info().name);
    println!("  {raw:.2} bits per pixel, of DPCM {sent:.2}; peak signal to noise {noise:.1} dB");
    let (s_vector, t_vector) = (DeviceVector::from_slice(&gpu, "s", &s)?, DeviceVector::from_slice(&gpu, "t", &t)?);
    let values = DeviceVector::new(&gpu, "decoded", x.len())?;
    let initial = 0.0;
    let mut table = String::from(
        "algorithm,pictures,width,height,median_us,difference,bits_per_pixel,bits_sent,noise_db,adapter\n",
    );
    let mut shown = vec![];
    let mut largest = 0f32;
    for algorithm in [Algorithm::PScheme, Algorithm::OnePass] {
        let plan = RecurrencePlan::<f32>::new(&gpu, shape, Options::default().algorithm(algorithm))?;
        let (s, t) = (Coefficient::Each(&s[..]), Coefficient::Each(&t[..]));
        // As a decoder would call it, with vectors in host memory.
        let w = plan.solve(&Recurrence { s, t, initial: Coefficient::Constant(initial) })?;
        // `max` would drop a NaN.
        let difference = w
            .iter()
            .zip(&decoded)
            .fold(0f32, |most, (w, value)| if (w - value).abs() <= most { most } else { (w - value).abs() });
        let bound = plan.bind(&DeviceRecurrence {
            s: DeviceCoefficient::Each(s_vector.as_slice()),
            t: DeviceCoefficient::Each(t_vector.as_slice()),
            initial: DeviceCoefficient::Constant(initial),
            w: Some(values.as_slice()),
        })?;
        let samples = PassTimer::new(&gpu)?.measure(WARM_UP, 5, |pass| bound.record(pass))?;
        bound.read_status()?.check()?;
        let us = samples.median() * 1e6;
        println!("  {algorithm}: {us:.1} us, at most {difference:.1e} grey levels from the encoder's values");
        let adapter = &gpu.info().name;
        writeln!(
            table,
            "{algorithm},{PICTURES},{WIDTH},{HEIGHT},{us},{difference},{raw},{sent},{noise},\"{adapter}\""
        )?;
        largest = if difference <= largest { largest } else { difference };
        shown = w;
    }
    if let Some(figures) = figures {
        std::fs::write(&figures, table).map_err(|error| format!("{}: {error}", figures.display()))?;
    }

    // Residuals four times as strong, around the middle grey.
    let panels: [&dyn Fn(usize) -> f32; 3] = [&|at| x[at], &|at| 4.0 * t[at], &|at| shown[at]];
    let image = GrayImage::from_fn(WIDTH as u32, (panels.len() * HEIGHT) as u32, |column, line| {
        let (column, line) = (column as usize, line as usize);
        Luma([to_grey(panels[line / HEIGHT]((line % HEIGHT) * WIDTH + column))])
    });
    image.save(&path)?;
    println!("{}", path.display());
    if largest <= TOLERATED { Ok(()) } else { Err(format!("a pixel is off by more than {TOLERATED:.1e}").into()) }
}
