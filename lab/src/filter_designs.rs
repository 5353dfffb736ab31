//! Designs of filters to test and measure.

use rand::Rng;
use rand::rngs::SmallRng;
use std::f64::consts::PI;

use trisolve::filter::{Cascade, Coefficients};

/// The position of a filter's poles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Poles {
    /// At 0: the impulse response is finite.
    None,
    /// At a distance below 0.9 from the origin.
    Inside,
    /// Close together near 1: powers are large before they decay.
    Close,
    /// On the unit circle, at a distance from each other.
    Circle,
}

/// The product of two polynomials.
pub(super) fn product(all: &[f64], factor: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; all.len() + factor.len() - 1];
    for (i, value) in all.iter().enumerate() {
        factor.iter().enumerate().for_each(|(j, factor)| product[i + j] += value * factor);
    }
    product
}

/// The polynomial in 1/z with the roots r e^(+-i angle) given, and one real root if the order is odd.
fn polynomial(order: usize, mut pair: impl FnMut() -> (f64, f64), real: f64) -> Vec<f64> {
    let mut all = vec![1.0];
    for _ in 0..order / 2 {
        let (r, angle) = pair();
        all = product(&all, &[1.0, -2.0 * r * angle.cos(), r * r]);
    }
    if order % 2 == 1 { product(&all, &[1.0, -real]) } else { all }
}

/// A random filter of an order, not normalised.
pub(super) fn design(order: usize, poles: Poles, random: &mut SmallRng) -> (Vec<f64>, Vec<f64>) {
    let mut a = match poles {
        Poles::None => vec![1.0],
        Poles::Inside => {
            let real = random.random_range(-0.9..0.9);
            polynomial(order, || (random.random_range(0.1..0.9), random.random_range(0.0..PI)), real)
        }
        Poles::Close => {
            let real = random.random_range(0.9..0.95);
            polynomial(order, || (random.random_range(0.9..0.95), random.random_range(0.0..0.1 * PI)), real)
        }
        Poles::Circle => {
            // One pair in each half of the circle, and an integrator.
            let mut at = [0.2 * PI, 0.6 * PI].into_iter();
            let mut angle = || at.next().unwrap_or_default() + random.random_range(0.0..0.2 * PI);
            polynomial(order, || (1.0, angle()), 1.0)
        }
    };
    // Some numerators are shorter.
    let taps = if poles == Poles::None { order + 1 } else { random.random_range(1..=order + 1) };
    let mut b: Vec<_> = (0..taps).map(|_| random.random_range(-1.0..1.0)).collect();
    let scale = random.random_range(0.5..2.0);
    b.iter_mut().chain(&mut a).for_each(|value| *value *= scale);
    (b, a)
}

/// Butterworth's low-pass of an order from 1 to 4, with its cutoff at `share` of half the sampling rate: the analog
/// poles (equally apart on a half circle) by the bilinear transform, zeros at -1 (Oppenheim and Schafer,
/// "Discrete-Time Signal Processing", section 7.2).
///
/// # Errors
/// As [`Coefficients::new`].
pub fn butterworth(order: usize, share: f64) -> trisolve::Result<Coefficients> {
    let mut pairs = pole_pairs(order, share).into_iter();
    low_pass(order, || pairs.next().unwrap_or_default(), moved(PI, share).0)
}

/// The same low-pass of order 2, 4, 6 or 8, as second-order sections of gain 1 each.
///
/// # Errors
/// As [`Cascade::new`].
pub fn butterworth_sections(sections: usize, share: f64) -> trisolve::Result<Cascade> {
    let pairs = pole_pairs(2 * sections, share).into_iter();
    Cascade::new(&pairs.map(|pair| low_pass(2, || pair, 0.0)).collect::<trisolve::Result<Vec<_>>>()?)
}

/// The analog pole at an angle on the circle goes from p to (1 + p) / (1 - p).
fn moved(angle: f64, share: f64) -> (f64, f64) {
    let width = (0.5 * PI * share).tan();
    let (re, im) = (width * angle.cos(), width * angle.sin());
    let size = (1.0 - re).powi(2) + im * im;
    ((1.0 - re * re - im * im) / size, 2.0 * im / size)
}

/// Sizes and angles of the poles above the real axis.
fn pole_pairs(order: usize, share: f64) -> Vec<(f64, f64)> {
    let pair = |k: usize| {
        let (re, im) = moved(PI * (2 * k + order + 1) as f64 / (2 * order) as f64, share);
        (re.hypot(im), im.atan2(re))
    };
    (0..order / 2).map(pair).collect()
}

/// With these poles, zeros at -1 and a gain of 1 for constant signals.
fn low_pass(order: usize, pair: impl FnMut() -> (f64, f64), real: f64) -> trisolve::Result<Coefficients> {
    let a = polynomial(order, pair, real);
    let zeros = polynomial(order, || (1.0, PI), -1.0);
    let gain = a.iter().sum::<f64>() / zeros.iter().sum::<f64>();
    Coefficients::new(&zeros.iter().map(|b| b * gain).collect::<Vec<_>>(), &a)
}
