//! Shapes: what is accepted has room for every entry, and a place of its own for each.

mod common;

use std::collections::HashSet;

use common::gpu;
use proptest::prelude::*;
use trisolve::tridiagonal::{Layout, Options, Shape, System, TridiagonalPlan};
use trisolve::{Error, FeatureSwitches};
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
    ) {
        let layout = Layout { element_stride, system_stride, group, group_stride };
        let shape = Shape { columns, column_stride, ..Shape::with_layout(n, batch, layout) };
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
    ) {
        let [element_stride, system_stride, group, group_stride, column_stride] = strides;
        let layout = Layout { element_stride, system_stride, group, group_stride };
        let shape = Shape { columns, column_stride, ..Shape::with_layout(n, batch, layout) };
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
