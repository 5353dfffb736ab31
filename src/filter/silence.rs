//! Filters whose outputs are all exactly 0, as those of a DC blocker that starts from its steady state.

use super::{Cascade, Coefficients};
use crate::real::ExactSum;

/// Whether every output of every section is certainly 0.
pub(super) fn is_silent(filter: &Cascade, x: &[f64], initial: &[f64]) -> bool {
    let zeros = vec![0.0; x.len()];
    let (mut inputs, mut states) = (x, initial);
    filter.sections().iter().all(|section| {
        let (own, rest) = states.split_at(section.order());
        let is_silent = is_silent_section(section, inputs, own);
        (inputs, states) = (&zeros, rest);
        is_silent
    })
}

/// Whether every output is certainly 0. While all earlier outputs are 0, `a[0] y[i]` is a sum of products of the numerator with inputs, and of
/// `a[0]` with a number of the initial state. The sums are exact.
fn is_silent_section(coefficients: &Coefficients, x: &[f64], initial: &[f64]) -> bool {
    let (b, a) = coefficients.given();
    (0..x.len()).all(|i| {
        let inputs = x[..=i].iter().rev();
        let state = initial.get(i).map(|&z| (a[0], z));
        is_zero(b.iter().copied().zip(inputs.copied()).chain(state))
    })
}

/// Sizes of products whose rounding errors, and sums, are in the range of f64.
const EXACT: std::ops::Range<f64> = 1e-280..1e300;

/// Whether a sum of products is certainly 0.
fn is_zero(products: impl Iterator<Item = (f64, f64)>) -> bool {
    let mut sum = ExactSum::default();
    for (a, b) in products.filter(|&(a, b)| a != 0.0 && b != 0.0) {
        let product = a * b;
        if !EXACT.contains(&product.abs()) {
            return false;
        }
        sum.add(a.mul_add(b, -product));
        sum.add(product);
    }
    sum.is_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_zeros_are_silent() {
        let silent = |b: &[f64], a: &[f64], x: &[f64], initial: &[f64]| {
            is_silent_section(&Coefficients::new(b, a).expect("a filter"), x, initial)
        };
        assert!(silent(&[1.0, -1.0], &[1.0, -0.5], &[0.1; 9], &[-0.1]));
        assert!(silent(&[2.0, -2.0], &[2.0, -0.5], &[3.0; 9], &[-3.0]));
        assert!(!silent(&[1.0, -1.0], &[1.0, -0.5], &[0.1; 9], &[-0.1 * (1.0 + f64::EPSILON)]));
        assert!(!silent(&[1.0, -1.0], &[1.0, -0.5], &[0.1, 0.1, 0.1 + 1e-17, 0.2], &[-0.1]));
        assert!(silent(&[1e-100, -1e-100], &[1.0, -0.5], &[3.0; 9], &[-3e-100]));
        assert!(!silent(&[1e-200, -1e-200], &[1.0, -0.5], &[1e-100; 9], &[-1e-300]));
        // 0.1 * 3.0 is not 0.3.
        assert!(!silent(&[0.1, -0.3], &[1.0, 0.0], &[3.0, 1.0], &[-0.1 * 3.0]));
        // 1e30 swallows 1 in f64, and in the sum of two.
        assert!(!silent(&[1e30, 1.0, -1e30], &[1.0, 0.0, 0.0], &[1.0, 1.0, 1.0], &[-1e30, -1e30]));
    }
}
