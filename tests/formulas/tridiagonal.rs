//! Formulas of tridiagonal systems: the same as vectors of what they compute, and what is refused.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use trisolve::tridiagonal::{
    Algorithm, DeviceSystem, Diagonal, Form, Forms, Formulas, Options, Resource, Shape, Structure, System,
    TridiagonalPlan,
};
use trisolve::{DeviceSlice, DeviceVector, Error, FeatureSwitches, Gpu, Place, Real};
use trisolve_lab::{OnDevice, seed};

use crate::common::gpu;
use crate::draw::{in_precisions, some};

/// Conductances between cells, of which the formulas make all coefficients.
const CONDUCTANCES: [f64; 5] = [0.5, 1.0, 0.25, 0.75, 1.5];

fn conductance(cell: usize) -> f64 {
    CONDUCTANCES[cell.min(CONDUCTANCES.len() - 1)]
}

/// The formula of an input, by number, and its value on the host.
const FORMULAS: [&str; 4] = [
    "-0.5 * k((i + system) % 7u)",
    "0.25 + k(i % 4u)",
    "select(-0.5, real(-0.25), i % 3u == 1u)",
    "let sign = select(real(-1.0), real(1.0), (i + column) % 2u == 0u);\nreturn sign * (1.0 + 0.125 * real(system));",
];

fn value(input: usize, i: usize, system: usize, column: usize) -> f64 {
    match input {
        0 => -0.5 * conductance((i + system) % 7),
        1 => 0.25 + conductance(i % 4),
        2 => [-0.5, -0.25, -0.5][i % 3],
        _ => (1.0 + 0.125 * system as f64) * if (i + column).is_multiple_of(2) { 1.0 } else { -1.0 },
    }
}

fn formulas(computed: [bool; 4]) -> Formulas {
    let with = [Formulas::lower, Formulas::diag, Formulas::upper, Formulas::rhs];
    let all = computed.into_iter().zip(with).zip(FORMULAS).filter(|((computed, _), _)| *computed);
    let all = all.fold(Formulas::new(), |all, ((_, with), formula)| with(all, formula));
    // Only the first two read it.
    if computed[0] || computed[1] { all.vector("k") } else { all }
}

/// Every input of a shape as a vector.
fn vectors<T: Real>(gpu: &Gpu, shape: &Shape) -> [DeviceVector<T>; 4] {
    std::array::from_fn(|input| {
        let len = if input == 3 { shape.rhs_len() } else { shape.matrix_len() };
        let mut values = vec![T::from_f64(f64::NAN); len.unwrap()];
        for (system, column) in (0..shape.batch).flat_map(|s| (0..shape.columns).map(move |c| (s, c))) {
            for row in 0..shape.n {
                let at =
                    if input == 3 { shape.rhs_index(system, column, row) } else { shape.matrix_index(system, row) };
                values[at] = T::from_f64(value(input, row, system, column));
            }
        }
        DeviceVector::from_slice(gpu, "input", &values).unwrap()
    })
}

/// The unknowns, with what `bind` makes of them.
fn solved<T: Real>(
    gpu: &Gpu,
    shape: &Shape,
    bind: impl Fn(DeviceSlice<'_, T>) -> trisolve::tridiagonal::Bound,
) -> Vec<T> {
    let len = shape.rhs_len().unwrap();
    let x = DeviceVector::from_slice(gpu, "x", &vec![T::from_f64(f64::NAN); len]).unwrap();
    let bound = bind(x.as_slice());
    bound.submit().unwrap();
    bound.read_status().unwrap().check().unwrap();
    x.read(gpu).unwrap()
}

/// Drawn algorithms, shapes and inputs: a plan with formulas and one with vectors have the same answer, bit by bit, and the same residual.
fn as_vectors<T: Real>(gpu: &Gpu, seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    for algorithm in some(&mut random, &Algorithm::ALL, 4) {
        let n = [1, 3, 40, 300][random.random_range(0..4)];
        let shapes = [
            Shape::single(n),
            Shape::contiguous(n, 3).with_columns(2),
            Shape::interleaved(n, 5),
            Shape::padded(n, 3, n + 3),
        ];
        let shape = shapes[random.random_range(0..4)];
        let mut computed: [bool; 4] = random.random();
        computed[random.random_range(0..4)] = true;
        let excess = algorithm != Algorithm::Pivoting;
        let mut options = Options::on_device().algorithm(algorithm).untuned();
        if excess {
            options = options.diagonal(Diagonal::Excess);
        }
        let name = format!("{algorithm} {shape:?} {computed:?} {}", T::PRECISION);
        let given = vectors::<T>(gpu, &shape);
        let [lower, diag, upper, rhs] = given.each_ref().map(DeviceVector::as_slice);
        let plan = TridiagonalPlan::<T>::new(gpu, shape, options).unwrap();
        let system = DeviceSystem { lower, diag, upper, rhs, x: None };
        let expected = solved(gpu, &shape, |x| plan.bind(&DeviceSystem { x: Some(x), ..system }).unwrap());
        let by_formulas = TridiagonalPlan::<T>::with_formulas(gpu, shape, options, &formulas(computed))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let k = DeviceVector::from_slice(gpu, "k", &CONDUCTANCES.map(T::from_f64)).unwrap();
        let mut named: Vec<(&str, Resource<'_, T>)> = ["lower", "diag", "upper", "rhs"]
            .into_iter()
            .zip([lower, diag, upper, rhs])
            .zip(computed)
            .filter(|(_, computed)| !computed)
            .map(|((name, slice), _)| (name, slice.into()))
            .collect();
        if computed[0] || computed[1] {
            named.push(("k", k.as_slice().into()));
        }
        let found = solved(gpu, &shape, |x| by_formulas.bind_named(&named, Some(x.into())).unwrap());
        let bits = |values: &[T]| values.iter().map(|value| value.to_f64().to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&found), bits(&expected), "{name}");
        let read = computed.into_iter().filter(|computed| *computed).count();
        let (with, without) = (plan.bytes_per_row(), by_formulas.bytes_per_row());
        let least = (read as u64 * T::PRECISION.bytes()) as f64;
        let is_right = if plan.dispatches() == 1 { without == with - least } else { without <= with - least };
        assert!(is_right || algorithm == Algorithm::Scan, "{name}: {without}, {with}");
        // The residual's formulas are the same, too.
        let x = DeviceVector::from_slice(gpu, "x", &found).unwrap();
        let measured = plan.residuals(&DeviceSystem { x: Some(x.as_slice()), ..system }).unwrap();
        assert_eq!(by_formulas.residuals_named(&named, x.as_slice()).unwrap(), measured, "{name}");
    }
}

#[test]
fn formulas_are_as_vectors_of_what_they_compute() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("formulas_are_as_vectors_of_what_they_compute");
    in_precisions!(&mut SmallRng::seed_from_u64(seed), &gpu, as_vectors(&gpu, seed));
}

/// Symmetric and periodic, in place, and with numbers that are not finite.
#[test]
fn structures_statuses_and_places() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let n = 50;
    let options = Options::on_device().algorithm(Algorithm::Partition).structure(Structure::Symmetric).periodic();
    let formulas = Formulas::new().upper("-1.0 - 0.5 * real(i % 2u)").diag("4.0 + real(i % 3u)");
    let plan = TridiagonalPlan::<f32>::with_formulas(&gpu, Shape::single(n), options, &formulas).unwrap();
    let upper: Vec<f32> = (0..n).map(|i| -1.0 - 0.5 * (i % 2) as f32).collect();
    let diag: Vec<f32> = (0..n).map(|i| 4.0 + (i % 3) as f32).collect();
    let right: Vec<f32> = (0..n).map(|i| (i % 5) as f32 - 2.0).collect();
    let rhs = DeviceVector::from_slice(&gpu, "rhs", &right).unwrap();
    let bound = plan.bind_named(&[("rhs", rhs.as_slice().into())], None).unwrap();
    bound.submit().unwrap();
    bound.read_status().unwrap().check().unwrap();
    let found = rhs.read(&gpu).unwrap();
    let residual = System::symmetric(&diag, &upper).periodic().relative_residual(&found, &right).unwrap();
    assert!(residual < 1e-6, "{residual:e}");
    // A formula's infinity is an input that is not finite.
    let formulas = Formulas::new().diag("select(4.0, 1.0 / (real(i) - 7.0), i == 7u)").vector("k");
    let ones = DeviceVector::from_slice(&gpu, "ones", &vec![1.0f32; n]).unwrap();
    let plan = TridiagonalPlan::<f32>::with_formulas(&gpu, Shape::single(n), Options::on_device(), &formulas).unwrap();
    let x = DeviceVector::<f32>::new(&gpu, "x", n).unwrap();
    let one = Resource::from(ones.as_slice());
    let named = [("lower", one), ("upper", one), ("rhs", one), ("k", one)];
    let bound = plan.bind_named(&named, Some(x.as_slice().into())).unwrap();
    bound.submit().unwrap();
    assert_eq!(bound.read_status().unwrap().non_finite_input, Some((0, 7)));
}

/// Long systems without gaps, whose number of rows is no multiple of four: auto takes them as one only if nothing tells them apart.
#[test]
fn formulas_tell_systems_without_gaps_apart() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let (n, batch) = (20_011, 2);
    let shape = Shape::contiguous(n, batch);
    let formulas = Formulas::new().rhs("1.0 + real(system) + real(i % 2u) * real(systems)");
    let options = Options::on_device().forms(Forms::CONSTANT);
    let plan = TridiagonalPlan::<f32>::with_formulas(&gpu, shape, options, &formulas).unwrap();
    let [off, diag] = [-1.0f32, 4.0].map(|value| DeviceVector::from_slice(&gpu, "a number", &[value]).unwrap());
    let named = [("lower", &off), ("diag", &diag), ("upper", &off)].map(|(name, one)| (name, one.as_slice().into()));
    let found = solved(&gpu, &shape, |x| plan.bind_named(&named, Some(x.into())).unwrap());
    for (system, x) in found.chunks(n).enumerate() {
        let right: Vec<f32> = (0..n).map(|i| 1.0 + system as f32 + (i % 2 * batch) as f32).collect();
        let residual = System::new(&[-1.0], &[4.0], &[-1.0]).with_forms(Forms::CONSTANT).relative_residual(x, &right);
        assert!(residual.as_ref().is_ok_and(|residual| *residual < 1e-6), "system {system}: {residual:?}");
    }
    assert_eq!(plan.bytes_per_row(), 4.0);
}

/// The correction of a periodic system, and the pivots of a scan, are those of a matrix: of as many systems as the right-hand sides have.
#[test]
fn formulas_know_the_number_of_systems() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let (n, batch, columns) = (40, 2, 3);
    let shape = Shape::contiguous(n, batch).with_columns(columns);
    let formulas = Formulas::new().lower("select(-0.25, -1.0, systems == 2u)");
    let vector = |value: f32, len: usize| DeviceVector::from_slice(&gpu, "a vector", &vec![value; len]).unwrap();
    let (diag, upper, rhs) = (vector(3.0, n * batch), vector(-1.0, n * batch), vector(1.0, n * batch * columns));
    for (algorithm, periodic) in [(Algorithm::Partition, true), (Algorithm::Scan, false)] {
        let options = Options { periodic, ..Options::on_device().algorithm(algorithm) };
        let plan = TridiagonalPlan::<f32>::with_formulas(&gpu, shape, options, &formulas).unwrap();
        let named = [("diag", &diag), ("upper", &upper), ("rhs", &rhs)].map(|(name, v)| (name, v.as_slice().into()));
        let found = solved(&gpu, &shape, |x| plan.bind_named(&named, Some(x.into())).unwrap());
        let (off, own) = (vec![-1.0f32; n], vec![3.0; n]);
        let system = System { periodic, ..System::new(&off, &own, &off) };
        for x in found.chunks(n) {
            let residual = system.relative_residual(x, &vec![1.0; n]).unwrap();
            assert!(residual < 1e-6, "{algorithm}: {residual:e}");
        }
    }
}

/// A promise of dominance that a formula breaks is found.
#[test]
fn a_false_promise_is_found() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let shape = Shape::contiguous(20, 6);
    let formulas =
        Formulas::new().lower("-1.0").upper("-1.0").diag("select(3.0, 0.5, system == 4u && i == 9u)").rhs("1.0");
    let options = Options::on_device().dominant();
    let plan = TridiagonalPlan::<f32>::with_formulas(&gpu, shape, options, &formulas).unwrap();
    let x = DeviceVector::<f32>::new(&gpu, "x", 120).unwrap();
    let bound = plan.bind_named(&[], Some(x.as_slice().into())).unwrap();
    bound.submit().unwrap();
    let status = bound.read_status().unwrap();
    assert!(matches!(status.check(), Err(Error::NotDominant { system: 4 })), "{status:?}");
}

#[test]
fn what_plans_with_formulas_refuse() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let plan =
        |options, formulas: &Formulas| TridiagonalPlan::<f32>::with_formulas(&gpu, Shape::single(9), options, formulas);
    let refused = |error: Option<Error>| match error {
        Some(Error::Options(text)) => text,
        other => panic!("{other:?}"),
    };
    let on_device = Options::on_device();
    let computed = Formulas::new().diag("4.0");
    for (options, formulas, said) in [
        (on_device.forms(Forms::CONSTANT), computed.clone(), "diag has a formula, and Form::Constant"),
        (on_device.structure(Structure::Symmetric), Formulas::new().lower("1.0"), "reads `upper` for it"),
        (on_device.refinements(1), Formulas::new().rhs("1.0"), "ask for none"),
        (Options::default().place(Place::Cpu), computed.clone(), "formulas need the device"),
        (on_device, Formulas::new().diag("1.0").vector("rhs"), "can be called \"rhs\""),
        (on_device, Formulas::new().vector("k"), "no formula that would read k"),
        (on_device.forms(Forms { upper: Form::Computed, ..Forms::default() }), computed.clone(), "has no formula"),
    ] {
        let text = refused(plan(options, &formulas).err());
        assert!(text.contains(said), "{text}");
    }
    match plan(on_device, &Formulas::new().diag("4.0\n + column")).err() {
        Some(Error::Formula { coefficient: "diag", line: 2, column: 4, message, .. }) => {
            assert!(message.contains("i, system, n, systems, real"), "{message}");
        }
        other => panic!("{other:?}"),
    }
    let loops = Formulas::new().diag("var d = 4.0; for (var k = 0u; k < 9u; k++) { d += real(k); } return d;");
    if gpu.capabilities().software {
        assert!(matches!(plan(on_device, &loops), Err(Error::Unsupported { .. })));
    }
    // What a bind gives, and what plans with formulas do not have.
    let by_formula = plan(on_device, &Formulas::new().diag("k(i)").rhs("1.0").vector("k")).unwrap();
    let vector = DeviceVector::<f32>::new(&gpu, "a vector", 9).unwrap();
    let x = DeviceVector::<f32>::new(&gpu, "x", 9).unwrap();
    let slice = vector.as_slice();
    let one = Resource::from(slice);
    let bind = |named: &[(&str, Resource<'_, f32>)], x| refused(by_formula.bind_named(named, x).err());
    let all = [("lower", one), ("upper", one), ("k", one)];
    let target = Some(Resource::from(x.as_slice()));
    for (named, said) in [
        (&[("upper", one), ("k", one)][..], "no vector lower is given"),
        (&[all[0], all[1]], "the formulas have a vector k"),
        (&[all[0], all[1], all[2], ("diag", one)], "the plan computes diag"),
        (&[all[0], all[1], all[2], all[0]], "lower is given twice"),
        (&[all[0], all[1], all[2], all[2]], "k is given twice"),
        (&[all[0], all[1], all[2], ("depth", one)], "no vector or texture depth"),
    ] {
        let text = bind(named, target);
        assert!(text.contains(said), "{text}");
    }
    assert!(bind(&all, None).contains("give x"));
    let system = DeviceSystem { lower: slice, diag: slice, upper: slice, rhs: slice, x: Some(x.as_slice()) };
    assert!(refused(by_formula.bind(&system).err()).contains("bind_named"));
    assert!(refused(by_formula.residuals(&system).err()).contains("bind_named"));
    assert!(refused(by_formula.factor_device([slice; 3]).err()).contains("bind_named"));
    let numbers = [4.0f32; 9];
    assert!(refused(by_formula.solve(&System::new(&numbers, &numbers, &numbers), &numbers).err()).contains("Computed"));
    // A symmetric matrix has no lower, whatever computes its upper.
    let symmetric = plan(on_device.structure(Structure::Symmetric), &Formulas::new().upper("-1.0")).unwrap();
    assert!(refused(symmetric.bind(&system).err()).contains("computes upper"));
    let with_lower = [("lower", one), ("diag", one), ("rhs", one)];
    assert!(refused(symmetric.bind_named(&with_lower, target).err()).contains("lower is not read"));
    // x over a vector of the formulas.
    let over = by_formula.bind_named(&all, Some(one));
    assert!(matches!(over, Err(Error::Overlap { .. })), "{over:?}");
    // Vectors of formulas are bound where bindings may begin.
    let misaligned = vector.slice(1, 8);
    let named = [all[0], all[1], ("k", misaligned.into())];
    assert!(matches!(by_formula.bind_named(&named, target), Err(Error::Misaligned { .. })));
    // A plan without formulas takes vectors by name, too.
    let plain = TridiagonalPlan::<f32>::new(&gpu, Shape::single(9), on_device).unwrap();
    let named = [("rhs", one), ("diag", one), ("lower", one), ("upper", one)];
    assert!(plain.bind_named(&named, target).is_ok());
}
