//! Errors that the estimates missed: steps that cancelled, factors left out.

use super::*;
use trisolve::filter::{self, Coefficients};
use trisolve::recurrence::moebius;
use trisolve_lab::OnDevice;

/// Row, column and value.
type Triplets = &'static [(usize, usize, f64)];

/// A step of refinement that cancels is short, though the unknowns are far off.
#[test]
fn matrices_whose_steps_of_refinement_cancel() {
    let near = |found: &[f64], want: &[f64], stated: f64| {
        let size = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |most: f64, value| most.max(value.abs()));
        let off = size(&mut found.iter().zip(want).map(|(found, want)| found - want)) / size(&mut want.iter().copied());
        assert!(off <= 10.0 * stated, "{found:?}, not {want:?}: {off:e}, stated {stated:e}");
    };
    let sparse: [(Triplets, [f64; 3], [f64; 3]); 3] = [
        (
            &[(0, 0, 4.2e-39), (1, 1, -3.7e-140), (1, 2, -6e-44), (2, 0, -3e72), (2, 1, 1e-67)],
            [1e-109, 0.1, 0.0],
            [2.380952380952381e-71, 7.142857142857143e68, -1.6666666666666667e42],
        ),
        (
            &[(0, 0, 1e72), (1, 0, 1e136), (1, 1, 3e17), (2, 1, 1e-215), (2, 2, 1e-126)],
            [0.0, 1e103, 1e-40],
            [0.0, 3.3333333333333333e85, 1e86],
        ),
        (
            &[(0, 0, 2.5844e83), (1, 0, -3.9969e-39), (1, 1, -8.612e-100), (2, 0, -4.2183e93), (2, 2, 1e-31)],
            [0.0, 6e-95, 0.1],
            [0.0, -69670.22758941013, 1e30],
        ),
    ];
    for (triplets, rhs, want) in sparse {
        let matrix = Csr::from_triplets(3, triplets.iter().copied()).unwrap();
        let found = quasi_tridiagonal::solve_directly(&matrix, &rhs).unwrap();
        near(&found.x, &want, found.forward_error);
    }
    let [lower, diag, upper] = [[0.0, -2e54, 1e-133, 1e-109], [1e61, 0.0, 0.0, 1e-22], [1e-21, 1e-92, 0.0, 0.0]];
    let open = System::new(&lower, &diag, &upper);
    let found = tridiagonal::solve_on_cpu_reported(&open, &[1e-59, 0.0, 0.0, -1.0]).unwrap();
    near(&found.x, &[1e-120, 0.0, 2e26, -1e22], found.forward_error);
    let [lower, diag, upper] =
        [[1e47, 1e51, 4.043926122178284e-55, 0.0], [1e60, 0.0, 0.0, 9e52], [0.01, 1.8e23, 1e12, 0.0]];
    let ring = System::new(&lower, &diag, &upper).periodic();
    let found = tridiagonal::solve_on_cpu_reported(&ring, &[1.3e56, 0.0, 1e-31, 0.0]).unwrap();
    near(&found.x, &[1.3e-4, 2.4728443838665982e23, -7.222222222222223e23, 0.0], found.forward_error);
}

/// Large coefficients of the denominator multiply the errors of outputs.
#[test]
fn final_states_behind_large_denominators() {
    let forward = filter::Direction::Forward;
    let zi = -3.333333333333333e19;
    // b, a, x, and the initial state.
    let all: [[&[f64]; 4]; 3] = [
        [&[1e20, 0.0, 1.3653333333333333e27], &[3.0, 0.0, 1e24], &[1.0], &[zi, 0.0]],
        [&[1e20, 0.0, 1.3653333333333334e19], &[3.0, 0.0, 1e16], &[1.0], &[zi, 0.0]],
        [
            &[1.0, -518109.3000087807, 444782983553.19214],
            &[0.1, -51810.93000087807, 44478298355.319214],
            &[1.0, 0.0],
            &[0.0, 0.0],
        ],
    ];
    for [b, a, x, zi] in all {
        let coefficients = Coefficients::new(b, a).unwrap();
        let wide = |values: &[f64]| values.iter().map(|&value| DoubleDouble::new(value)).collect::<Vec<_>>();
        let mut state = wide(zi);
        cpu::filter(&wide(b), &wide(a), &wide(x), &mut state, false).unwrap();
        match filter::solve_on_cpu::<f64>(&coefficients, x, zi, forward) {
            Ok(found) => {
                let size = found.y.iter().chain(&found.final_state).fold(0.0, |most: f64, z| most.max(z.abs()));
                for (found_z, z) in found.final_state.iter().zip(&state) {
                    let off = (found_z - z.to_f64()).abs() / size;
                    assert!(off <= 10.0 * found.forward_error, "{found:?}, not {state:?}");
                }
            }
            Err(error) => assert!(matches!(error, Error::NoDigits { .. }), "{error}"),
        }
    }
}

/// Near the limit of the condition, residuals in double-double arithmetic round too.
#[test]
fn roundings_of_residuals_of_ill_conditioned_systems() {
    let system = System::new(&[0.0, 0.0], &[1.0, 11.0], &[9.21e17, 0.0]);
    if let Ok(found) = tridiagonal::solve_on_cpu_reported(&system, &[6.2628e16, 0.748]) {
        let off: f64 = found.x[0] / 0.14872951355342098 - 1.0;
        assert!(off.abs() <= 10.0 * found.forward_error, "{found:?}");
    }
}

/// A value that does not follow from the previous value is never kept. Devices may take the initial value for 0.
#[test]
fn moebius_values_of_tiny_initial_values() {
    use moebius::{Moebius, MoebiusPlan};
    let gpu = gpu(false, FeatureSwitches::ALL);
    let plan = MoebiusPlan::<f32>::new(&gpu, recurrence::Shape::single(1), moebius::Options::on_device()).unwrap();
    for ([a, b, c, d], want) in [([0.0, 1e-30, 1e25, 0.0f32], 7.136e-11f32), ([1e30, 0.0, 0.0, 1e-20], 140129.86)] {
        let [a, b, c, d] = [a, b, c, d].map(Coefficient::Constant);
        let system = Moebius { a, b, c, d, initial: Coefficient::Constant(1e-45) };
        if let Ok(w) = plan.solve(&system) {
            assert!((w[0] / want - 1.0).abs() < 1e-3, "{w:?}, not {want}");
        }
    }
}

/// A value far below the size of its terms is not taken for exactly 0.
#[test]
fn a_moebius_recurrence_that_reads_a_tiny_value_alone() {
    use moebius::{Moebius, MoebiusPlan};
    let gpu = gpu(false, FeatureSwitches::ALL);
    if !gpu.capabilities().features.f64 {
        return;
    }
    let [a, b, c, d] = [[7e-271, 1e284], [-9.1e-271, 0.0], [0.0, 0.0], [1.0, 1.0]];
    let [a, b, c, d] = [&a, &b, &c, &d].map(|values| Coefficient::Each(&values[..]));
    let system = Moebius { a, b, c, d, initial: Coefficient::Constant(1.3) };
    let plan = MoebiusPlan::<f64>::new(&gpu, recurrence::Shape::single(2), moebius::Options::on_device()).unwrap();
    match plan.solve(&system) {
        Ok(w) => assert!((w[1] + 0.0031959).abs() < 1e-6, "{w:?}"),
        Err(error) => assert!(matches!(error, Error::NoDigits { .. }), "{error}"),
    }
}
