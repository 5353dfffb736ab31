//! The search for the fastest policy.

use std::time::{Duration, Instant};

use trisolve::Result;
use trisolve_lab::search::{Bench, Found, fastest, neighbours};

/// A bench that measures with a function.
struct By<F>(F);

impl<F: FnMut(&[u32]) -> Option<f64>> Bench for By<F> {
    fn seconds(&mut self, values: &[u32], _: bool) -> Result<Option<f64>> {
        Ok(self.0(values))
    }
}

/// Searches from a start, with the legal values of each parameter.
fn search(start: &[u32], legal: &[&[u32]], measure: impl FnMut(&[u32]) -> Option<f64>) -> Option<Found> {
    let deadline = Instant::now() + Duration::from_secs(60);
    fastest(start, vec![], |at| neighbours(legal, at), deadline, 2, &mut By(measure)).unwrap()
}

#[test]
fn a_valley_along_a_product_is_found() {
    let powers: Vec<u32> = (0..8).map(|i| 1 << i).collect();
    // Fast where a = 32, at b = a / 4 only.
    let measure = |values: &[u32]| {
        let (a, b) = (values[0], values[1]);
        (a == 4 * b).then(|| 1.0 + (f64::from(a) / 32.0).log2().abs())
    };
    let found = search(&[4, 1], &[&powers, &powers], measure).unwrap();
    assert_eq!((found.values, found.seconds, found.start_seconds), (vec![32, 8], 1.0, 4.0));
}

#[test]
fn what_is_suggested_is_tried_in_any_case() {
    let measure = |values: &[u32]| Some(if values[0] > 6 { 1.0 } else { 2.0 });
    let suggested = vec![vec![5], vec![7]];
    let found = fastest(&[1], suggested, |_| vec![vec![8]], Instant::now(), 1, &mut By(measure)).unwrap();
    assert_eq!(found.map(|found| (found.values, found.tried)), Some((vec![7], 3)));
}

#[test]
fn near_values_of_all_parameters_come_first() {
    let at = neighbours(&[&[1, 2, 4, 8], &[0, 1]], &[2, 0]);
    assert_eq!(at[..4], [[4, 0], [2, 1], [1, 0], [8, 0]]);
    // Then one step of both parameters, if both have one.
    assert_eq!(at[4..], [[4, 1], [1, 1]]);
}

#[test]
fn noise_moves_nothing() {
    let mut turn = 0;
    let found = search(&[2], &[&[1, 2, 3]], |_| {
        turn += 1;
        Some(1.0 + 0.01 * f64::from(turn % 2))
    });
    assert_eq!(found.unwrap().values, [2]);
}

#[test]
fn a_lucky_measurement_is_measured_again() {
    let mut turn = 0;
    let found = search(&[2], &[&[2, 3]], |values| {
        turn += 1;
        Some(if values == [3] && turn < 4 { 0.5 } else { 1.0 })
    });
    let found = found.unwrap();
    assert_eq!((found.values, found.tried), (vec![2], 2));
}

#[test]
fn what_varies_has_to_gain_in_every_turn() {
    let mut turn = 0;
    let found = search(&[2], &[&[2, 3]], |values| {
        turn += 1;
        // The times of both candidates vary between 1 and 2.
        Some(if (turn + values[0]) % 3 == 0 { 2.0 } else { 1.0 })
    });
    let found = found.unwrap();
    assert_eq!((found.values, found.range), (vec![2], (1.0, 2.0)));
}

#[test]
fn a_start_that_cannot_run_finds_nothing() {
    assert_eq!(search(&[1], &[&[1, 2]], |_| None), None);
}
