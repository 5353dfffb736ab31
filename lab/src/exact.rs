//! The true solution of a tridiagonal system, by exact arithmetic.

use num_bigint::{BigInt, Sign};

use trisolve::internals::cpu::check_finite;
use trisolve::{Error, Real, Result};

/// The solution of one system, each unknown right to about the last bit, for any nonsingular matrix, however ill-conditioned. The
/// numbers grow to about n words, so n should be at most a few thousand.
///
/// Cramer's rule with continuants: theta_i are the determinants of the leading blocks, phi_i those of the trailing blocks; delta and
/// epsilon are these determinants with the right-hand side in the last and the first column. Then
/// x_i det A = phi_{i+1} delta_i - c_i theta_{i-1} epsilon_{i+1}. Rows are scaled by powers of two, so all numbers are integers.
///
/// # Errors
/// [`Error::Singular`], [`Error::NonFiniteInput`]; `lower[0]` and `upper[n-1]` are not read.
pub fn exact<T: Real>(lower: &[T], diag: &[T], upper: &[T], rhs: &[T]) -> Result<Vec<f64>> {
    let n = diag.len();
    check_finite(lower, diag, upper, rhs)?;
    let rows: Vec<[BigInt; 4]> = (0..n)
        .map(|i| {
            let a = if i > 0 { lower[i].to_f64() } else { 0.0 };
            let c = if i + 1 < n { upper[i].to_f64() } else { 0.0 };
            scaled([a, diag[i].to_f64(), c, rhs[i].to_f64()])
        })
        .collect();
    let one = || BigInt::from(1);
    let zero = || BigInt::from(0);
    // theta[i] and delta[i] of the first i rows.
    let (mut theta, mut delta) = (vec![one()], vec![zero()]);
    for (i, [a, b, _, d]) in rows.iter().enumerate() {
        let coupled = if i > 0 { a * &rows[i - 1][2] * &theta[i - 1] } else { zero() };
        delta.push(d * &theta[i] - a * &delta[i]);
        theta.push(b * &theta[i] - coupled);
    }
    // phi[i] and epsilon[i] of the rows from i.
    let (mut phi, mut epsilon) = (vec![one(); n + 1], vec![zero(); n + 1]);
    for (i, [_, b, c, d]) in rows.iter().enumerate().rev() {
        let coupled = if i + 1 < n { c * &rows[i + 1][0] * &phi[i + 2] } else { zero() };
        epsilon[i] = d * &phi[i + 1] - c * &epsilon[i + 1];
        phi[i] = b * &phi[i + 1] - coupled;
    }
    let determinant = &theta[n];
    if determinant.sign() == Sign::NoSign {
        return Err(Error::Singular { system: 0, row: n - 1 });
    }
    Ok((0..n)
        .map(|i| {
            let numerator = &phi[i + 1] * &delta[i + 1] - &rows[i][2] * &theta[i] * &epsilon[i + 1];
            quotient(&numerator, determinant)
        })
        .collect())
}

/// Mantissa and exponent: value = mantissa 2^exponent.
pub(super) fn parts(value: f64) -> (i64, i32) {
    let bits = value.to_bits();
    let biased = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let mantissa = if biased == 0 { fraction } else { fraction | 1 << 52 };
    (if value < 0.0 { -mantissa } else { mantissa }, biased.max(1) - 1075)
}

/// The numbers times the power of two that makes all of them integers.
fn scaled(values: [f64; 4]) -> [BigInt; 4] {
    let parts = values.map(parts);
    let least = parts.iter().filter(|part| part.0 != 0).map(|part| part.1).min().unwrap_or(0);
    parts.map(
        |(mantissa, exponent)| {
            if mantissa == 0 { BigInt::from(0) } else { BigInt::from(mantissa) << (exponent - least) as usize }
        },
    )
}

/// The nearest f64, or a neighbour of it: computed from 64 bits.
fn quotient(numerator: &BigInt, denominator: &BigInt) -> f64 {
    quotient_times(numerator, denominator, 0)
}

/// The quotient times a power of two, as f64.
pub(super) fn quotient_times(numerator: &BigInt, denominator: &BigInt, power: i64) -> f64 {
    let shift = 64 + denominator.bits() as i64 - numerator.bits() as i64;
    let digits = if shift >= 0 {
        (numerator << shift as usize) / denominator
    } else {
        numerator / (denominator << -shift as usize)
    };
    let (sign, digits) = (
        digits.sign(),
        digits.magnitude().iter_u64_digits().rev().fold(0.0, |sum, digit| sum * 2f64.powi(64) + digit as f64),
    );
    let size = (power - shift).clamp(-2200, 2200) as i32;
    // In two steps: the power alone may be out of range.
    let value = digits * 2f64.powi(size / 2) * 2f64.powi(size - size / 2);
    if sign == Sign::Minus { -value } else { value }
}
