//! Shapes: what is accepted has room for every entry, and a place of its own for each.

mod common;

use std::collections::HashSet;

use common::gpu;
use proptest::prelude::*;
use trisolve::recurrence::RecurrencePlan;
use trisolve::tridiagonal::{Along, Layout, Options, Shape, System, TridiagonalPlan};
use trisolve::{Error, FeatureSwitches, filter, recurrence};
use trisolve_lab::OnDevice;

/// Every place in `rhs`, in no order; `None` where two entries share one.
fn places(shape: &Shape) -> Option<HashSet<usize>> {
    let mut all = HashSet::new();
    for system in 0..shape.batch {
        for column in 0..shape.columns {
            for row in 0..shape.n {
                if !all.insert(shape.rhs_index(system, column, row)) {
                    return None;
                }
            }
        }
    }
    Some(all)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn accepted_shapes_are_injective_and_large_enough(
        n in 1usize..9,
        batch in 1usize..7,
        columns in 1usize..4,
        column_stride in 0usize..80,
        element_stride in 0usize..12,
        system_stride in 0usize..30,
        group in 1usize..5,
        group_stride in 0usize..60,
        own_right in any::<bool>(),
    ) {
        let layout = Layout { element_stride, system_stride, group, group_stride };
        let shape = match own_right {
            true => Shape::contiguous(n, batch).with_right(layout, columns, column_stride),
            false => Shape { columns, column_stride, ..Shape::with_layout(n, batch, layout) },
        };
        let gpu = gpu(false, FeatureSwitches::ALL);
        match TridiagonalPlan::<f32>::new(&gpu, shape, Options::on_device()) {
            Ok(_) => {
                let places = places(&shape);
                prop_assert!(places.is_some(), "entries share a place: {shape:?}");
                let largest = places.and_then(|places| places.into_iter().max());
                prop_assert!(largest.map(|at| at + 1) <= shape.rhs_len(), "{shape:?}");
            }
            Err(error) => prop_assert!(matches!(error, Error::Shape(_)), "{shape:?}: {error}"),
        }
    }

    #[test]
    fn any_numbers_make_a_plan_or_an_error(
        n in any::<usize>(),
        batch in any::<usize>(),
        columns in any::<usize>(),
        strides in any::<[usize; 5]>(),
        own_right in any::<bool>(),
    ) {
        let [element_stride, system_stride, group, group_stride, column_stride] = strides;
        let layout = Layout { element_stride, system_stride, group, group_stride };
        let shape = match own_right {
            true => Shape::contiguous(n, batch).with_right(layout, columns, column_stride),
            false => Shape { columns, column_stride, ..Shape::with_layout(n, batch, layout) },
        };
        let gpu = gpu(false, FeatureSwitches::ALL);
        let plan = TridiagonalPlan::<f32>::new(&gpu, shape, Options::on_device());
        prop_assert!(matches!(plan, Err(Error::Shape(_) | Error::Limit { .. })), "{shape:?}");
    }

    #[test]
    fn axes_cover_an_array(dims in proptest::collection::vec(1usize..6, 1..5), pick in any::<prop::sample::Index>()) {
        let axis = pick.index(dims.len());
        let shape = Shape::axis(&dims, axis).unwrap();
        let total: usize = dims.iter().product();
        let places = places(&shape);
        prop_assert_eq!(places.map(|places| places.len()), Some(total));
        prop_assert_eq!(shape.matrix_len(), Some(total));
    }
}

/// As the documentation of `Shape::pixels` says.
#[test]
fn pixels_share_the_matrix_of_their_line() {
    let (width, height, channels) = (7, 5, 3);
    for along in [Along::Rows, Along::Columns] {
        let shape = Shape::pixels(width, height, channels, along);
        assert_eq!((shape.matrix_len(), shape.rhs_len()), (Some(width * height), Some(width * height * channels)));
        for (row, column) in (0..height).flat_map(|row| (0..width).map(move |column| (row, column))) {
            let (line, step) = if along == Along::Rows { (row, column) } else { (column, row) };
            assert_eq!(shape.matrix_index(line, step), row * width + column);
            for channel in 0..channels {
                assert_eq!(shape.rhs_index(line, channel, step), (row * width + column) * channels + channel);
            }
        }
    }
}

/// What shares places, or has no place, in either layout is refused; sequences have one layout.
#[test]
fn layouts_of_right_hand_sides_are_checked() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let refused = |shape: Shape, word: &str| {
        let error = TridiagonalPlan::<f32>::new(&gpu, shape, Options::on_device()).map(drop).expect_err("a refusal");
        assert!(matches!(&error, Error::Shape(what) if what.contains(word)), "{error}");
    };
    let right = Layout { element_stride: 4, system_stride: 20, group: 3, group_stride: 0 };
    let shape = Shape::contiguous(5, 3);
    refused(shape.with_right(right, 5, 1), "rhs and x");
    refused(shape.with_right(Layout { group: 0, ..right }, 4, 1), "right.group");
    refused(Shape::padded(5, 3, 4).with_right(right, 4, 1), "lower, diag and upper");
    refused(Shape::pixels(usize::MAX, 2, 4, Along::Columns), "address");
    let shape = shape.with_right(right, 1, 0);
    let is_refused = |found: Result<(), Error>| matches!(found, Err(Error::Shape(what)) if what.contains("right"));
    let options = recurrence::Options::on_device();
    assert!(is_refused(RecurrencePlan::<f32>::new(&gpu, shape, options).map(drop)));
    let smoothing = filter::Coefficients::new(&[0.5], &[1.0, -0.5]).unwrap();
    let options = filter::Options::on_device();
    assert!(is_refused(filter::FilterPlan::<f32>::new(&gpu, shape, &smoothing, options).map(drop)));
    let entries = [0.5f32; 15];
    let direction = recurrence::Direction::Forward;
    let sequences = recurrence::Recurrence::new(&entries, &entries);
    assert!(is_refused(recurrence::solve_batch_on_cpu(&shape, &sequences, direction).map(drop)));
    assert!(is_refused(filter::solve_batch_on_cpu(&shape, &smoothing, &entries, &[], direction).map(drop)));
    // Neither have sequences several columns.
    let columns = Shape::contiguous(5, 3).with_columns(2);
    let two = [0.5f32; 30];
    let sequences = recurrence::Recurrence::new(&two, &two);
    let of_columns = |found: Result<(), Error>| matches!(found, Err(Error::Shape(what)) if what.contains("columns"));
    assert!(of_columns(recurrence::solve_batch_on_cpu(&columns, &sequences, direction).map(drop)));
    assert!(of_columns(filter::solve_batch_on_cpu(&columns, &smoothing, &two, &[], direction).map(drop)));
}

/// The partial norms of many small systems are larger than the systems.
#[test]
fn residuals_of_as_many_systems_as_a_plan_takes() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let most = gpu.capabilities().limits.max_storage_buffer_binding_size as usize / 4;
    let batch = most.min(3 << 20);
    let shape = Shape::contiguous(1, batch);
    let plan = TridiagonalPlan::<f32>::new(&gpu, shape, Options::on_device()).unwrap();
    let diag = vec![2f32; batch];
    let x = plan.solve(&System::new(&diag, &diag, &diag), &vec![1f32; batch]).unwrap();
    assert!(x.iter().all(|x| *x == 0.5));
}
