//! Filters whose outputs are exactly 0.

use super::*;
use trisolve::filter::{self, Coefficients};
use trisolve_lab::OnDevice;

/// Beside outputs that are exactly 0, the final state counts alone.
#[test]
fn final_states_beside_outputs_of_zero() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let forward = filter::Direction::Forward;
    let underflows =
        |found: Result<Vec<f64>, Error>| assert!(matches!(found, Err(Error::Underflow { .. })), "{found:?}");
    let delayed = |b: f64, a: &[f64]| Coefficients::new(&[0.0, b], a).unwrap();
    // 4e-46, which f32 holds as 0, and 1.3e-323.
    let small = filter::solve_on_cpu::<f32>(&delayed(1e-9, &[1.0, -0.5]), &[4e-37], &[], forward);
    underflows(small.map(|found| found.final_state.into_iter().map(f64::from).collect()));
    underflows(
        filter::solve_on_cpu::<f64>(&delayed(1e-10, &[1.0]), &[1.3e-313], &[], forward).map(|found| found.final_state),
    );
    let small = filter::solve(&gpu, &delayed(1e-9, &[1.0, -0.5]), &[4e-37f32], filter::Options::on_device());
    underflows(small.map(|y| y.into_iter().map(f64::from).collect()));
    // A DC blocker in its steady state: no rounding, so no error.
    let blocker = Coefficients::new(&[1.0, -1.0], &[1.0, -0.5]).unwrap();
    let x = [[1f32; 40], [0.1; 40]].concat();
    let plan =
        filter::FilterPlan::<f32>::new(&gpu, Shape::contiguous(40, 2), &blocker, filter::Options::on_device()).unwrap();
    let found = plan.solve_from(&x, Some(&[-1.0, -0.1])).unwrap();
    assert!(found.y.iter().all(|y| *y == 0.0) && found.forward_error.unwrap() < 1e-6, "{found:?}");
    assert_eq!(found.final_states, [-1.0, -0.1]);
    // One unit in the last place off.
    let off = filter::solve_on_cpu(&blocker, &[0.1f32; 4], &[-0.1f32.next_down()], forward).unwrap();
    assert_eq!(off.y[0], 0.1 - 0.1f32.next_down());
}
