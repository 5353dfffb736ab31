//! The oracle's arithmetic, its solves, and matrices with known properties.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use trisolve::Error;
use trisolve_lab::big::Big;
use trisolve_lab::gallery::{SingularValues, dorr, randsvd};
use trisolve_lab::{dominant, exact};

#[test]
fn keeps_what_f64_does_not() {
    let [one, third, tiny] = [1.0, 1.0 / 3.0, 5e-324].map(Big::new);
    assert_eq!(third.value(), 1.0 / 3.0);
    assert_eq!(one.plus(&tiny).minus(&one).value(), 5e-324);
    assert_eq!(tiny.times(&tiny).over(&tiny).value(), 5e-324);
    assert_eq!(one.over(&Big::new(3.0)).value(), 1.0 / 3.0);
    assert_eq!(one.over(&tiny).value(), f64::INFINITY);
    assert_eq!(one.over(&tiny).times(&Big::new(-1e-320)).value(), -1e-320 / 5e-324);
    assert!(one.minus(&one).is_zero());
    assert_eq!(Big::new(-0.75).abs().ratio(&Big::new(0.5)), 1.5);
}

#[test]
fn agrees_where_f64_is_good_enough() {
    for n in [1, 2, 3, 50] {
        let system = dominant::<f32>(n, 3);
        let wide = |values: &[f32]| values.iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
        let (lower, diag, upper) = (wide(&system.lower), wide(&system.diag), wide(&system.upper));
        let expected = trisolve::cpu::gtsv(&lower, &diag, &upper, &wide(&system.rhs)).unwrap();
        let x = exact(&system.lower, &system.diag, &system.upper, &system.rhs).unwrap();
        for (x, expected) in x.iter().zip(&expected) {
            approx::assert_relative_eq!(x, expected, max_relative = 1e-13);
        }
    }
}

/// x = (1, 3): a leading block of zero, numbers far apart, and a singular matrix.
#[test]
fn small_systems() {
    let nan = f64::NAN;
    assert_eq!(exact(&[nan, 2.0], &[0.0, 1.0], &[4.0, nan], &[12.0, 5.0]).unwrap(), [1.0, 3.0]);
    let tiny = 1e-300;
    assert_eq!(exact(&[nan, 0.0], &[tiny, 1.0], &[0.0, nan], &[tiny, 3.0]).unwrap(), [1.0, 3.0]);
    assert_eq!(exact(&[nan], &[3.0], &[nan], &[-1.0]).unwrap(), [-1.0 / 3.0]);
    assert!(matches!(exact(&[nan, 1.0], &[1.0, 1.0], &[1.0, nan], &[1.0, 2.0]), Err(Error::Singular { .. })));
}

/// The reflections keep the sum of the squares of the singular values, and the determinant.
#[test]
fn randsvd_keeps_norms() {
    let n = 24;
    for mode in
        [SingularValues::OneLarge, SingularValues::OneSmall, SingularValues::Geometric, SingularValues::Arithmetic]
    {
        let (lower, diag, upper) = randsvd(n, 1e3, mode, &mut SmallRng::seed_from_u64(1));
        // The sum of squares of all entries is that of all singular values.
        let squares = |values: &[f64]| values.iter().map(|v| v * v).sum::<f64>();
        let entries = squares(&lower) + squares(&diag) + squares(&upper);
        let share = |i: usize| i as f64 / 23.0;
        let wanted: f64 = match mode {
            SingularValues::OneLarge => 1.0 + 23e-6,
            SingularValues::OneSmall => 23.0 + 1e-6,
            SingularValues::Geometric => (0..n).map(|i| 1e-6f64.powf(share(i))).sum(),
            SingularValues::Arithmetic => (0..n).map(|i| (1.0 - share(i) * (1.0 - 1e-3)).powi(2)).sum(),
        };
        approx::assert_relative_eq!(entries, wanted, max_relative = 1e-12);
        // The product of all singular values is the determinant's size.
        let determinant = (0..n).fold((1.0, 0.0), |(last, before): (f64, f64), i| {
            let coupling = if i > 0 { lower[i] * upper[i - 1] } else { 0.0 };
            (diag[i] * last - coupling * before, last)
        });
        let wanted: f64 = match mode {
            SingularValues::OneLarge => 1e-3f64.powi(23),
            SingularValues::OneSmall => 1e-3,
            SingularValues::Geometric => (0..n).map(|i| 1e-3f64.powf(share(i))).product(),
            SingularValues::Arithmetic => (0..n).map(|i| 1.0 - share(i) * (1.0 - 1e-3)).product(),
        };
        // The roundings are as large as those of the largest singular value.
        let scale = if mode == SingularValues::OneLarge { 1e3 } else { 1.0 };
        assert!((determinant.0.abs() / wanted - 1.0).abs() < 1e-9 * scale, "{mode:?}: {determinant:?} {wanted}");
    }
}

#[test]
fn dorr_is_dominant() {
    let (lower, diag, upper) = dorr(512, 1e-4);
    for i in 0..512 {
        let off = if i > 0 { lower[i].abs() } else { 0.0 } + if i < 511 { upper[i].abs() } else { 0.0 };
        assert!(diag[i] >= off * (1.0 - 1e-15), "row {i}");
    }
}
