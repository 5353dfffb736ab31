//! Vectors on their way to the device and back, around the edges of the buffers that carry them.

use std::sync::OnceLock;

use trisolve::filter::{self, Coefficients, FilterPlan};
use trisolve::tridiagonal::{self, Options, Shape, System, TridiagonalPlan};
use trisolve::{DeviceVector, Error, Gpu};
use trisolve_lab::OnDevice;

fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| Gpu::new().unwrap())
}

/// Numbers of 4 bytes: around the shortest upload through mapped buffers (2^18 bytes), a piece of a core (the same), a mapped buffer (2^22), and
/// all of them (2^26).
const LENGTHS: [usize; 12] = [
    0,
    1,
    (1 << 16) - 1,
    1 << 16,
    (1 << 16) + 1,
    (1 << 20) - 1,
    1 << 20,
    (1 << 20) + 1,
    3 << 20,
    (3 << 20) + (1 << 16) + 5,
    1 << 24,
    (1 << 24) + 3,
];

fn numbers(len: usize, start: usize) -> Vec<f32> {
    // Each is exact.
    (0..len).map(|i| ((i + start) % (1 << 24)) as f32).collect()
}

#[test]
fn vectors_of_any_length_arrive() {
    for len in LENGTHS {
        let sent = numbers(len, 1);
        let vector = DeviceVector::from_slice(gpu(), "sent", &sent).unwrap();
        assert!(vector.read(gpu()).unwrap() == sent, "{len} numbers");
    }
}

/// A long upload is followed by a short one into the same range, and the other way round.
#[test]
fn uploads_keep_their_order() {
    let len = 3 << 20;
    let vector = DeviceVector::<f32>::new(gpu(), "sent", len).unwrap();
    for round in 0..5 {
        vector.write(gpu(), 7, &[-1.0; 100]).unwrap();
        let mut sent = numbers(len, round);
        vector.write(gpu(), 0, &sent).unwrap();
        vector.write(gpu(), len - 50, &[-2.0; 50]).unwrap();
        sent[len - 50..].fill(-2.0);
        assert!(vector.read(gpu()).unwrap() == sent, "round {round}");
    }
}

/// More threads than mapped buffers, each of which uploads more than all of these hold.
#[test]
fn many_threads_upload() {
    std::thread::scope(|scope| {
        for thread in 0..20 {
            scope.spawn(move || {
                for round in 0..3 {
                    let sent = numbers((1 << 21) + 17 * thread, 1000 * thread + round);
                    let vector = DeviceVector::from_slice(gpu(), "sent", &sent).unwrap();
                    assert!(vector.read(gpu()).unwrap() == sent, "thread {thread}, round {round}");
                }
            });
        }
    });
}

/// A device keeps the plans of its last one-call solves: each call has the one of its length, structure and precision.
#[test]
fn calls_of_different_forms_in_turn() {
    let shapes = [(1000, false), (1000, true), (999, false), (1000, false), (1000, true), (999, false)];
    for (n, is_periodic) in shapes {
        let (off, diag, rhs) = (vec![-1f32; n], vec![2.5; n], vec![0.5; n]);
        let system = System::new(&off, &diag, &off);
        let system = if is_periodic { system.periodic() } else { system };
        let x = tridiagonal::solve_with(gpu(), &system, &rhs, Options::on_device()).unwrap();
        let plan = TridiagonalPlan::new(gpu(), Shape::single(n), Options::on_device().matching(&system)).unwrap();
        assert_eq!(x, plan.solve(&system, &rhs).unwrap(), "{n} rows, {is_periodic}");
    }
}

/// Filters of one length have plans of their own, by their coefficients.
#[test]
fn calls_of_different_filters_in_turn() {
    let x = numbers(1000, 1);
    for gain in [0.5, 0.25, 0.5, 0.25] {
        let coefficients = Coefficients::new(&[gain], &[1.0, gain - 1.0]).unwrap();
        let y = filter::solve(gpu(), &coefficients, &x, filter::Options::on_device()).unwrap();
        let plan = FilterPlan::new(gpu(), Shape::single(1000), &coefficients, filter::Options::on_device()).unwrap();
        assert_eq!(y, plan.solve(&x).unwrap(), "{gain}");
    }
}

#[test]
fn answers_go_to_the_callers_memory() {
    let n = (1 << 16) + 3;
    let (off, diag, rhs) = (vec![-1f32; n], vec![2.5; n], numbers(n, 5));
    let system = System::new(&off, &diag, &off);
    let plan = TridiagonalPlan::new(gpu(), Shape::single(n), Options::on_device()).unwrap();
    let factored = plan.factor(&system).unwrap();
    let mut x = vec![f32::NAN; n];
    plan.solve_into(&system, &rhs, &mut x).unwrap();
    assert_eq!(x, plan.solve(&system, &rhs).unwrap());
    let mut x = vec![f32::NAN; n];
    factored.solve_into(&rhs, &mut x).unwrap();
    assert_eq!(x, factored.solve(&rhs).unwrap());
    for len in [0, n - 1, n + 1] {
        let mut x = vec![0.0; len];
        for found in [plan.solve_into(&system, &rhs, &mut x), factored.solve_into(&rhs, &mut x)] {
            assert!(matches!(found, Err(Error::Length { vector: "x", .. })), "{len}: {found:?}");
        }
    }
}

/// A device that is lost while mapped buffers are free, and while they are in use.
#[test]
fn a_lost_device_is_named() {
    for (is_waiting, is_callers) in [(false, false), (true, false), (false, true), (true, true)] {
        let own = Gpu::new().unwrap();
        // Of a caller's device the library hears nothing.
        let callers = || Gpu::from_wgpu(own.device().clone(), own.queue().clone(), own.info().clone());
        let gpu = if is_callers { callers() } else { own.clone() };
        let vector = DeviceVector::<f32>::new(&gpu, "sent", 1 << 21).unwrap();
        let sent = numbers(1 << 21, 0);
        vector.write(&gpu, 0, &sent).unwrap();
        if is_waiting {
            gpu.wait().unwrap();
        }
        gpu.device().destroy();
        for _ in 0..20 {
            let found = vector.write(&gpu, 0, &sent);
            let is_named = matches!(found, Err(Error::DeviceLost { .. }));
            // The queue takes writes until it has done what was submitted before.
            assert!(is_named || found.is_ok(), "{found:?}");
        }
        let found = vector.read(&gpu);
        assert!(matches!(found, Err(Error::DeviceLost { .. })), "{found:?}");
    }
}
