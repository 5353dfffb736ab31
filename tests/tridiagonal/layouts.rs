//! Right-hand sides and unknowns in a layout of their own, and vectors that start at any entry of a buffer.

use super::*;
use draw::some;
use rand::Rng;
use trisolve::DeviceSlice;
use trisolve::tridiagonal::solve_batch_on_cpu;
use trisolve_lab::{dominant_vectors, own_right, own_right_cases};

/// Each form of kernel that loads or stores rows, for right-hand sides that lie otherwise than the matrix.
#[test]
fn right_hand_sides_lie_otherwise() {
    let seed = seed("right_hand_sides_lie_otherwise");
    let (through_memory, others): (Vec<_>, Vec<_>) =
        own_right_cases(seed).into_iter().partition(|case| case.policy.is_some());
    let drawn = some(&mut SmallRng::seed_from_u64(seed), &others, 5);
    run_all::<f32>(&gpu(false, FeatureSwitches::ALL), [through_memory, drawn].concat());
}

/// Refinement and residuals, with right-hand sides in a layout of their own, in ranges of one buffer that start anywhere.
#[test]
fn refined_and_measured_where_vectors_start_anywhere() {
    let mut random = SmallRng::seed_from_u64(seed("refined_and_measured_where_vectors_start_anywhere"));
    let gpu = gpu(true, FeatureSwitches::ALL);
    for _ in 0..3 {
        let (n, batch) = (random.random_range(3..90), random.random_range(1..6));
        let (name, shape) = own_right(n, batch, &mut random);
        let (matrix, right) = (shape.matrix_len().expect("a length"), shape.rhs_len().expect("a length"));
        let [lower, diag, upper, _] = dominant_vectors::<f32>(matrix.max(right), random.random());
        let rhs: Vec<f32> = (0..right).map(|_| random.random_range(-1.0..1.0)).collect();
        let mut contents = vec![f32::NAN; random.random_range(1..9)];
        let mut starts = Vec::new();
        for values in [&lower[..matrix], &diag[..matrix], &upper[..matrix], &rhs, &vec![0.0; right]] {
            starts.push(contents.len());
            contents.extend_from_slice(values);
            contents.extend(vec![f32::NAN; random.random_range(0..5)]);
        }
        let arena = DeviceVector::from_slice(&gpu, "arena", &contents).expect("an arena");
        let range = |at: usize, len| DeviceSlice::new(arena.buffer(), 4 * starts[at] as u64, len);
        let [lower_range, diag_range, upper_range] = [0, 1, 2].map(|at| range(at, matrix));
        let system = DeviceSystem {
            lower: lower_range,
            diag: diag_range,
            upper: upper_range,
            rhs: range(3, right),
            x: Some(range(4, right)),
        };
        let plan = TridiagonalPlan::<f32>::new(&gpu, shape, Options::on_device().refinements(1)).expect("a plan");
        let bound = plan.bind(&system).expect("bound");
        bound.submit().expect("a solve");
        bound.read_status().expect("a status").check().expect("no event");
        let residuals = plan.residuals(&system).expect("residuals");
        assert!(residuals.backward_error < 1e-6, "{name} {shape:?}: {residuals:?}");
        let found = arena.read(&gpu).expect("the arena");
        let given = System::new(&lower[..matrix], &diag[..matrix], &upper[..matrix]);
        let x = &found[starts[4]..starts[4] + right];
        let on_host = solve_batch_on_cpu(&shape, &given, &rhs).expect("a solution").x;
        for (system, column) in (0..batch).flat_map(|at| (0..shape.columns).map(move |column| (at, column))) {
            for row in 0..n {
                let at = shape.rhs_index(system, column, row);
                assert!((x[at] - on_host[at]).abs() < 1e-5, "{name} {shape:?}: {at}: {} {}", x[at], on_host[at]);
            }
        }
    }
}
