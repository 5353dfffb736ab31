//! Formulas with loops, which software drivers may end early.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use trisolve::recurrence::{
    Coefficient, DeviceCoefficient, DeviceRecurrence, Formulas, Options, Recurrence, RecurrencePlan, Shape,
};
use trisolve::{DeviceVector, Error, FeatureSwitches};
use trisolve_lab::{OnDevice, seed};

use crate::common::gpu;
use crate::draw::some;

/// Loops of few rows, behind which a driver that ends loops early ends the kernel's own: an error, or the right values.
#[test]
fn loops_that_a_driver_ends_are_noticed() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let n = 40;
    // Rounds that all threads take together, and rounds of single rows or of each thread by itself.
    let all = [
        (0, 8000, "i == 5u || i == n - 1u"),
        (0, 20000, "i == 5u || i == n - 1u"),
        (0, 2000, "true"),
        (200, 0, "false"),
        (2400, 0, "false"),
        (4000, 0, "false"),
        (600, 1500, "i == 5u || i == n - 1u"),
        (100, 400, "true"),
    ];
    let mut random = SmallRng::seed_from_u64(seed("loops_that_a_driver_ends_are_noticed"));
    for (together, rounds, rows) in some(&mut random, &all, 3) {
        let formula = format!(
            "var c = 0u; for (var k = 0u; k < {together}u; k++) {{ c += 1u; }} \
             if ({rows}) {{ var k = 0u; loop {{ if (k >= {rounds}u) {{ break; }} c += 1u; k += 1u; }} }} return real(c);"
        );
        let formulas = Formulas::new().t(&formula);
        let of = |i: usize| {
            let is_row = rows == "true" || (rows != "false" && (i == 5 || i == n - 1));
            (together + if is_row { rounds } else { 0 }) as f32
        };
        for s in [0.5, 0.0] {
            let mut right: Vec<f32> = vec![];
            (0..n).for_each(|i| right.push(if i == 0 { of(0) } else { s * right[i - 1] + of(i) }));
            let is_right = |w: &[f32]| {
                w.iter().zip(&right).all(|(w, right)| (w - right).abs() <= 1e-3 * (together + rounds) as f32)
            };
            let plan = RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(n), Options::on_device(), &formulas)
                .expect("a plan");
            let recurrence = Recurrence {
                s: Coefficient::Constant(s),
                t: Coefficient::Computed(&[]),
                initial: Coefficient::Constant(0.0),
            };
            match plan.solve(&recurrence) {
                Ok(w) => assert!(is_right(&w), "{together} rounds, {rounds} if {rows}, s = {s}: {w:?}"),
                Err(error) => {
                    assert!(matches!(error, Error::LongLoops { .. } | Error::Unsupported { .. }), "{error}");
                    assert!(together + rounds > 200, "{together} rounds, {rounds} if {rows}: {error}");
                }
            }
            let w = DeviceVector::from_slice(&gpu, "w", &vec![7.5f32; n]).expect("a vector");
            let bound = plan
                .bind(&DeviceRecurrence {
                    s: DeviceCoefficient::Constant(s),
                    t: DeviceCoefficient::Computed(&[]),
                    initial: DeviceCoefficient::Constant(0.0),
                    w: Some(w.as_slice()),
                })
                .expect("a bind");
            bound.submit().expect("a solve");
            if bound.read_status().expect("a status").non_finite_input.is_none() {
                let w = w.read(&gpu).expect("values");
                assert!(is_right(&w), "{together} rounds, {rounds} if {rows}, s = {s}, recorded: {w:?}");
            }
        }
    }
}

/// The check that ends a loop counts for the driver, and so does a loop that takes no round.
#[test]
fn loops_without_rounds_count() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let several = |count, text: &str| vec![text; count].concat();
    let all = [
        // One row in sixteen takes rounds.
        (
            128,
            "if (i % 16u == i / 16u) { for (var k = 0u; k < 4500u; k++) { c += 1u; for (var a = 0u; a < i / 999u; a++) { c += 1u; } } }"
                .to_owned(),
            4500.0,
        ),
        (
            16,
            format!(
                "for (var k = 0u; k < 1200u; k++) {{ c += 1u; {} }}",
                several(3, "for (var a = 0u; a < n - 16u; a++) { c += 1u; } ")
            ),
            1200.0,
        ),
        (
            16,
            format!(
                "for (var k = 0u; k < 600u; k++) {{ c += 1u; {} }}",
                several(8, "for (var a = 0u; a < i / 99u; a++) { c += 1u; } ")
            ),
            600.0,
        ),
        (
            16,
            format!(
                "var k = 0u; while (k < 300u + i / 99u) {{ k++; c += 1u; {} }}",
                several(16, "for (var a = 0u; a < i / 99u; a++) { c += 1u; } ")
            ),
            300.0,
        ),
        // `return` may not leave a `continuing` block.
        (
            16,
            "loop { if (c > 30u) { break; } continuing { for (var k = 0u; k < 3u; k++) { c++; } } } c -= 3u;".to_owned(),
            30.0,
        ),
    ];
    let mut random = SmallRng::seed_from_u64(seed("loops_without_rounds_count"));
    for (n, loops, rounds) in some(&mut random, &all, 2) {
        let formulas = Formulas::new().t(format!("var c = 0u; {loops} return real(c);"));
        let plan = RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(n), Options::on_device(), &formulas)
            .expect("a plan");
        let recurrence = Recurrence {
            s: Coefficient::Constant(0.0),
            t: Coefficient::Computed(&[]),
            initial: Coefficient::Constant(0.0),
        };
        match plan.solve(&recurrence) {
            Ok(w) => {
                for (i, w) in w.iter().enumerate() {
                    let is_row = n == 16 || i % 16 == i / 16;
                    assert_eq!(*w, if is_row { rounds } else { 0.0 }, "{loops}, row {i}");
                }
            }
            Err(error) => assert!(matches!(error, Error::LongLoops { .. } | Error::Unsupported { .. }), "{error}"),
        }
    }
}

/// Mesa's llvmpipe runs lanes that take no part, and their loops, with parameters of 0.
#[test]
fn loops_of_lanes_without_a_part_end_nothing() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let formulas = Formulas::new().t(
        "var c = 0u; for (var k = 0u; k < sequence * 20000u; k++) { c += 1u; } return real(c) * real(0.001) + real(1.0);",
    );
    for n in [8, 40] {
        let plan = RecurrencePlan::<f32>::with_formulas(&gpu, Shape::single(n), Options::on_device(), &formulas)
            .expect("a plan");
        let recurrence = Recurrence {
            s: Coefficient::Constant(0.5),
            t: Coefficient::Computed(&[]),
            initial: Coefficient::Constant(0.5),
        };
        match plan.solve(&recurrence) {
            Ok(w) => assert!(
                w.iter().enumerate().all(|(i, w)| (w - 2.0 + 0.75 * 0.5f32.powi(i as i32)).abs() < 1e-5),
                "{w:?}"
            ),
            Err(error) => assert!(matches!(error, Error::LongLoops { .. } | Error::Unsupported { .. }), "{error}"),
        }
    }
}
