//! Structured matrices (transposed, symmetric, of constant coefficients, periodic) against the dense matrix.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/draw.rs"]
mod draw;
mod factored;
mod rings;

use common::gpu;
use draw::{in_precisions, some};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use trisolve::tridiagonal::{
    self, Algorithm, Along, DeviceSystem, Diagonal, Form, Forms, Options, Shape, Structure, System, TridiagonalPlan,
    solve_batch_on_cpu, solve_on_cpu, solve_or_cpu,
};
use trisolve::{DeviceVector, Error, FeatureSwitches, Gpu, LazyGpu, Real, cpu};
use trisolve_lab::{OnDevice, forms, seed};

const STRUCTURES: [Structure; 3] = [Structure::General, Structure::Transposed, Structure::Symmetric];

/// `count` structures, each periodic or not.
fn some_structures(random: &mut SmallRng, count: usize) -> Vec<(Structure, bool)> {
    let all: Vec<_> = STRUCTURES.into_iter().flat_map(|structure| [(structure, false), (structure, true)]).collect();
    some(random, &all, count)
}

/// Entries of a vector of this form for `n` rows.
fn len(form: Form, n: usize) -> usize {
    match form {
        Form::Each | Form::Computed => n,
        Form::Constant => 1,
        Form::Ends => 3,
    }
}

/// The place of a row's entry.
fn place(form: Form, n: usize, row: usize) -> usize {
    match form {
        Form::Each | Form::Computed => row,
        Form::Constant => 0,
        Form::Ends if row == 0 => 0,
        Form::Ends if row + 1 == n => 2,
        Form::Ends => 1,
    }
}

/// Vectors as a structure has them, and the dense matrix that they mean.
struct Given<T> {
    lower: Vec<T>,
    diag: Vec<T>,
    upper: Vec<T>,
    structure: Structure,
    forms: Forms,
    periodic: bool,
    dense: Vec<Vec<f64>>,
}

impl<T: Real> Given<T> {
    /// Entries in (-1, 1), `more` added to the diagonal; NaN where nothing is to be read.
    fn random(
        n: usize,
        (structure, forms): (Structure, Forms),
        periodic: bool,
        more: f64,
        random: &mut SmallRng,
    ) -> Self {
        let mut vector = |form: Form, low: f64, high: f64| -> Vec<T> {
            (0..len(form, n)).map(|_| T::from_f64(random.random_range(low..high))).collect()
        };
        let mut lower = vector(forms.lower, -1.0, 1.0);
        let diag = vector(forms.diag, more - 1.0, more + 1.0);
        let mut upper = vector(forms.upper, -1.0, 1.0);
        let mut dense = vec![vec![0.0; n]; n];
        for row in 0..n {
            let (before, behind) = ((row + n - 1) % n, (row + 1) % n);
            dense[row][row] += diag[place(forms.diag, n, row)].to_f64();
            // What stands in a row of the vectors, and where it belongs.
            let entries = [
                (row > 0, before, lower[place(forms.lower, n, row)]),
                (row + 1 < n, behind, upper[place(forms.upper, n, row)]),
            ];
            for (at, (inside, column, entry)) in entries.into_iter().enumerate() {
                if !inside && !periodic {
                    continue;
                }
                match (structure, at) {
                    (Structure::Transposed, _) => dense[column][row] += entry.to_f64(),
                    (Structure::Symmetric, 0) => {}
                    (Structure::Symmetric, _) => {
                        dense[row][column] += entry.to_f64();
                        dense[column][row] += entry.to_f64();
                    }
                    _ => dense[row][column] += entry.to_f64(),
                }
            }
        }
        if structure == Structure::Symmetric {
            lower.clear();
        }
        if !periodic {
            let nan = T::from_f64(f64::NAN);
            if let Some(corner) = lower.first_mut().filter(|_| forms.lower != Form::Constant) {
                *corner = nan;
            }
            if forms.upper == Form::Each || forms.upper == Form::Ends && n > 1 {
                *upper.last_mut().unwrap() = nan;
            }
        }
        Self { lower, diag, upper, structure, forms, periodic, dense }
    }

    fn system(&self) -> System<'_, T> {
        let Self { lower, diag, upper, structure, forms, periodic, .. } = self;
        System { structure: *structure, forms: *forms, periodic: *periodic, ..System::new(lower, diag, upper) }
    }

    fn times(&self, x: &[f64]) -> Vec<T> {
        self.dense.iter().map(|row| T::from_f64(row.iter().zip(x).map(|(a, x)| a * x).sum())).collect()
    }
}

/// The condition number in the maximum norm, by the inverse (Gauss and Jordan's, with partial pivoting).
fn condition(matrix: &[Vec<f64>]) -> f64 {
    let n = matrix.len();
    // The identity stands behind the matrix.
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| [&matrix[i][..], &(0..n).map(|j| f64::from(u8::from(i == j))).collect::<Vec<_>>()].concat())
        .collect();
    for k in 0..n {
        let best = (k..n).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs())).unwrap();
        rows.swap(k, best);
        let pivot = rows[k].clone();
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = row[k] / pivot[k];
            row.iter_mut().zip(&pivot).for_each(|(entry, other)| *entry -= factor * other);
        }
    }
    let inverse = (0..n).map(|i| rows[i][n..].iter().map(|e| (e / rows[i][i]).abs()).sum::<f64>());
    let norm = matrix.iter().map(|row| row.iter().map(|e| e.abs()).sum::<f64>()).fold(0.0, f64::max);
    norm * inverse.fold(0.0, f64::max)
}

fn error(found: &[impl Real], want: &[f64]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f64>| values.fold(0f64, |norm, value| norm.hypot(value));
    norm(&mut found.iter().zip(want).map(|(found, want)| found.to_f64() - want)) / norm(&mut want.iter().copied())
}

/// Matrices dominant and not. The CPU solves every size; the device solves one size, for half of the structures.
fn against_dense<T: Real>(gpu: &Gpu, seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    let on_device = some_structures(&mut random, 4);
    for structure in STRUCTURES {
        for periodic in [false, true] {
            let all = [1, 2, 3, 4, 5, 8, 13, 40];
            let solved = on_device.contains(&(structure, periodic)).then(|| all[random.random_range(0..all.len())]);
            for n in all {
                let (more, algorithm) = match random.random() {
                    true => (0.0, [Algorithm::Auto, Algorithm::Pivoting][random.random_range(0..2)]),
                    false => (4.0, Algorithm::ALL[random.random_range(0..Algorithm::ALL.len())]),
                };
                let by_device = (solved == Some(n)).then_some(algorithm);
                let forms = forms(&mut random);
                let given = Given::<T>::random(n, (structure, forms), periodic && n > 1, more, &mut random);
                let x: Vec<f64> = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
                let rhs = given.times(&x);
                let condition = condition(&given.dense);
                if condition > 0.001 / T::UNIT_ROUNDOFF {
                    continue;
                }
                let bound = 20.0 * condition * T::UNIT_ROUNDOFF;
                let system = given.system();
                let by_cpu = solve_on_cpu(&system, &rhs).unwrap();
                let off = error(&by_cpu, &x);
                assert!(off < bound, "{structure:?} {forms:?} {periodic}, n = {n}, cpu: {off:e}, not {bound:e}");
                if let Some(algorithm) = by_device {
                    let options = Options::on_device().algorithm(algorithm).matching(&system);
                    let plan = TridiagonalPlan::<T>::new(gpu, Shape::single(n), options).unwrap();
                    let found = plan.solve(&system, &rhs);
                    let found = found
                        .unwrap_or_else(|e| panic!("{structure:?} {forms:?} {periodic}, n = {n}, {algorithm}: {e}"));
                    let off = error(&found, &x);
                    assert!(
                        off < bound,
                        "{structure:?} {forms:?} {periodic}, n = {n}, {algorithm}: {off:e}, not {bound:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn solutions_are_those_of_the_dense_matrix() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("solutions_are_those_of_the_dense_matrix");
    in_precisions!(&mut SmallRng::seed_from_u64(seed), &gpu, against_dense(&gpu, seed));
}

/// Long systems, of many slices: dominant, and of random entries, that rows are exchanged for.
#[test]
fn long_systems() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let mut random = SmallRng::seed_from_u64(seed("long_systems"));
    for (structure, periodic) in some_structures(&mut random, 3) {
        let n = random.random_range(10_000..30_000);
        let forms = forms(&mut random);
        let mut vector = |form: Form, low: f32, high: f32| {
            (0..len(form, n)).map(|_| random.random_range(low..high)).collect::<Vec<f32>>()
        };
        let (lower, upper) = (vector(forms.lower, -1.0, 1.0), vector(forms.upper, -1.0, 1.0));
        // A random matrix of few numbers may be of any condition.
        let diagonals = match forms == Forms::default() {
            false => vec![vector(forms.diag, 2.1, 3.0)],
            true => vec![vector(forms.diag, 2.1, 3.0), vector(forms.diag, -1.0, 1.0)],
        };
        for diag in diagonals {
            let lower = if structure == Structure::Symmetric { &[][..] } else { &lower };
            let system = System { structure, forms, periodic, ..System::new(lower, &diag, &upper) };
            let rhs: Vec<f32> = (0..n).map(|row| (row % 7) as f32 - 2.5).collect();
            let name = format!("{structure:?}, {forms:?}, periodic {periodic}, n = {n}, dominant {}", diag[0] > 1.0);
            let x = match tridiagonal::solve_with(&gpu, &system, &rhs, Options::on_device()) {
                // Random entries may come to any condition.
                Err(Error::NearlySingular { .. }) if diag[0] < 1.0 => continue,
                found => found.unwrap_or_else(|e| panic!("{name}: {e}")),
            };
            let residual = system.relative_residual(&x, &rhs).unwrap();
            let by_cpu = solve_on_cpu(&system, &rhs).unwrap();
            let least = system.relative_residual(&by_cpu, &rhs).unwrap();
            assert!(residual <= 10.0 * least.max(1e-6), "{name}: residual {residual:e}, on the CPU {least:e}");
        }
    }
}

/// Into buffers of the caller's, some as small as they can be, and in place of the right-hand side.
#[test]
fn recorded_and_in_place() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let mut random = SmallRng::seed_from_u64(seed("recorded_and_in_place"));
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
    let exact = |values: &[f32]| {
        let size = 4 * values.len() as u64;
        let descriptor = wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false };
        let buffer = gpu.device().create_buffer(&descriptor);
        gpu.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(values));
        buffer
    };
    let all = [
        (Structure::General, false, false),
        (Structure::Symmetric, false, true),
        (Structure::Symmetric, true, false),
        (Structure::Transposed, true, true),
        (Structure::General, true, true),
    ];
    for (structure, periodic, in_place) in some(&mut random, &all, 2) {
        let n = random.random_range(40..60);
        let (batch, columns) = (3, 2);
        let shape = Shape::contiguous(n, batch).with_columns(columns);
        let refinements = if in_place { 0 } else { random.random_range(0..3) };
        let forms = forms(&mut random);
        let options = Options { structure, forms, periodic, refinements, ..Options::on_device() };
        let plan = TridiagonalPlan::<f32>::new(&gpu, shape, options).unwrap();
        // Vectors of few numbers are one matrix's; the others' repeat.
        let given = Given::<f32>::random(n, (structure, forms), periodic, 4.0, &mut random);
        let gathered = |form, values: &[f32]| if form == Form::Each { values.repeat(batch) } else { values.to_vec() };
        let upper = exact(&gathered(forms.upper, &given.upper));
        let diag = exact(&gathered(forms.diag, &given.diag));
        let lower = match structure {
            Structure::Symmetric => upper.clone(),
            _ => exact(&gathered(forms.lower, &given.lower)),
        };
        let x: Vec<f64> = (0..n * batch * columns).map(|_| random.random_range(-1.0..1.0)).collect();
        let values: Vec<f32> = x.chunks(n).flat_map(|x| given.times(x)).collect();
        let rhs = exact(&values);
        let target = exact(&vec![f32::NAN; values.len()]);
        let slice = |buffer| trisolve::DeviceSlice::<f32>::whole(buffer);
        let system = DeviceSystem {
            lower: slice(&lower),
            diag: slice(&diag),
            upper: slice(&upper),
            rhs: slice(&rhs),
            x: (!in_place).then(|| slice(&target)),
        };
        let bound = plan.bind(&system).unwrap();
        bound.submit().unwrap();
        bound.read_status().unwrap().check().unwrap();
        let found = slice(if in_place { &rhs } else { &target }).read(&gpu).unwrap();
        let off = error(&found, &x);
        assert!(off < 1e-5, "{structure:?}, {forms:?}, periodic {periodic}, in place {in_place}: {off:e}");
    }
}

/// What does not go together, and what is wrong with the vectors, is said.
#[test]
fn refusals() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let plan = |shape, options| TridiagonalPlan::<f32>::new(&gpu, shape, options);
    let options = |error: Error| match error {
        Error::Options(text) => text,
        other => panic!("{other}"),
    };
    let transposed = Options::on_device().structure(Structure::Transposed).diagonal(Diagonal::Excess);
    assert!(options(plan(Shape::single(9), transposed).unwrap_err()).contains("columns"));
    assert!(options(plan(Shape::single(1), Options::on_device().periodic()).unwrap_err()).contains("2 rows"));
    let (off, diag, rhs) = ([1.0f32; 9], [4.0f32; 9], [1.0f32; 9]);
    // A plan for another form, by name.
    let general = plan(Shape::single(9), Options::on_device()).unwrap();
    let text = options(general.solve(&System::symmetric(&diag, &off), &rhs).unwrap_err());
    assert!(text.contains("Symmetric") && text.contains("General"), "{text}");
    let text = options(general.solve(&System::new(&off, &diag, &off).periodic(), &rhs).unwrap_err());
    assert!(text.contains("periodic"), "{text}");
    // Lengths.
    let length = |system: System<'_, f32>| match tridiagonal::solve_with(&gpu, &system, &rhs, Options::on_device())
        .unwrap_err()
    {
        Error::Length { vector, .. } => vector,
        other => panic!("{other}"),
    };
    assert_eq!(length(System::new(&off[..8], &diag, &off).periodic()), "lower");
    assert_eq!(length(System { lower: &off, ..System::symmetric(&diag, &off) }), "lower");
    assert_eq!(length(System { upper: &off, ..System::constant(&[1.0; 3], &[4.0; 3], &[1.0; 3]) }), "upper");
    assert_eq!(length(System { diag: &diag[..2], ..System::constant(&[1.0; 3], &[4.0; 3], &[1.0; 3]) }), "diag");
    // A device vector of too few coefficients.
    let constant = plan(Shape::single(9), Options::on_device().forms(Forms::ENDS)).unwrap();
    let vector = |len| DeviceVector::<f32>::new(&gpu, "a vector", len).unwrap();
    let (two, three, nine, x) = (vector(2), vector(3), vector(9), vector(9));
    let system = DeviceSystem {
        lower: three.as_slice(),
        diag: two.as_slice(),
        upper: three.as_slice(),
        rhs: nine.as_slice(),
        x: Some(x.as_slice()),
    };
    assert!(matches!(constant.bind(&system), Err(Error::Length { vector: "diag", .. })));
    // `diag` has one entry per row; a solve would read only three.
    let system = DeviceSystem { diag: nine.as_slice(), ..system };
    assert!(matches!(constant.bind(&system), Err(Error::Length { vector: "diag", found: 9, .. })));
    let matrix = [three.as_slice(), nine.as_slice(), three.as_slice()];
    assert!(matches!(constant.factor_device(matrix), Err(Error::Length { vector: "diag", found: 9, .. })));
}
