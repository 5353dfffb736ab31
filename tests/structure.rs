//! Structured matrices (transposed, symmetric, of constant coefficients, periodic) against dense elimination.

mod common;

use common::gpu;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use trisolve::tridiagonal::{
    self, Algorithm, DeviceSystem, Diagonal, Options, Shape, Structure, System, TridiagonalPlan, solve_on_cpu,
    solve_or_cpu,
};
use trisolve::{DeviceVector, Error, FeatureSwitches, Gpu, Real, cpu};
use trisolve_lab::seed;

const STRUCTURES: [Structure; 4] =
    [Structure::General, Structure::Transposed, Structure::Symmetric, Structure::Constant];

/// Structures and whether they are periodic: a half of all, as the seed has it, for the kernels that they take to compile.
fn half_of_all(random: &mut SmallRng) -> Vec<(Structure, bool)> {
    let all = STRUCTURES.into_iter().flat_map(|structure| [(structure, false), (structure, true)]);
    let mut all: Vec<_> = all.collect();
    all.shuffle(random);
    all.truncate(4);
    all
}

/// Vectors as a structure has them, and the dense matrix that they mean.
struct Given<T> {
    lower: Vec<T>,
    diag: Vec<T>,
    upper: Vec<T>,
    structure: Structure,
    periodic: bool,
    dense: Vec<Vec<f64>>,
}

impl<T: Real> Given<T> {
    /// Entries in (-1, 1), `more` added to the diagonal; NaN where nothing is to be read.
    fn random(n: usize, structure: Structure, periodic: bool, more: f64, random: &mut SmallRng) -> Self {
        let len = if structure == Structure::Constant { 3 } else { n };
        let mut vector =
            |low: f64, high: f64| -> Vec<T> { (0..len).map(|_| T::from_f64(random.random_range(low..high))).collect() };
        let [mut lower, diag, mut upper] = [vector(-1.0, 1.0), vector(more - 1.0, more + 1.0), vector(-1.0, 1.0)];
        let kind = |row: usize| match structure {
            Structure::Constant if row == 0 => 0,
            Structure::Constant if row + 1 == n => 2,
            Structure::Constant => 1,
            _ => row,
        };
        let mut dense = vec![vec![0.0; n]; n];
        for row in 0..n {
            let (before, behind) = ((row + n - 1) % n, (row + 1) % n);
            dense[row][row] += diag[kind(row)].to_f64();
            // What stands in a row of the vectors, and where it belongs.
            let entries = [(row > 0, before, lower[kind(row)]), (row + 1 < n, behind, upper[kind(row)])];
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
            if let Some(corner) = lower.first_mut() {
                *corner = nan;
            }
            if structure != Structure::Constant || n > 1 {
                *upper.last_mut().unwrap() = nan;
            }
        }
        Self { lower, diag, upper, structure, periodic, dense }
    }

    fn system(&self) -> System<'_, T> {
        let Self { lower, diag, upper, structure, periodic, .. } = self;
        System { structure: *structure, periodic: *periodic, ..System::new(lower, diag, upper) }
    }

    fn times(&self, x: &[f64]) -> Vec<T> {
        self.dense.iter().map(|row| T::from_f64(row.iter().zip(x).map(|(a, x)| a * x).sum())).collect()
    }
}

/// Gaussian elimination with partial pivoting, and how much it can be off by one unit of roundoff: the norm of the inverse
/// and the matrix.
fn dense_solve(matrix: &[Vec<f64>], rhs: &[f64]) -> (Vec<f64>, f64) {
    let n = rhs.len();
    // The right-hand side, and the identity behind it.
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| [&matrix[i][..], &[rhs[i]], &(0..n).map(|j| f64::from(u8::from(i == j))).collect::<Vec<_>>()].concat())
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
    let x = (0..n).map(|i| rows[i][n] / rows[i][i]).collect();
    let inverse = (0..n).map(|i| rows[i][n + 1..].iter().map(|e| (e / rows[i][i]).abs()).sum::<f64>());
    let norm = matrix.iter().map(|row| row.iter().map(|e| e.abs()).sum::<f64>()).fold(0.0, f64::max);
    (x, norm * inverse.fold(0.0, f64::max))
}

fn error(found: &[impl Real], want: &[f64]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f64>| values.fold(0f64, |norm, value| norm.hypot(value));
    norm(&mut found.iter().zip(want).map(|(found, want)| found.to_f64() - want)) / norm(&mut want.iter().copied())
}

/// Solves from the host, of so many sizes each, of matrices dominant and not; by the CPU of all.
fn against_dense<T: Real>(gpu: &Gpu, sizes: usize, seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    for structure in STRUCTURES {
        for periodic in [false, true] {
            let all = [1, 2, 3, 4, 5, 8, 13, 40];
            let solved: Vec<_> = (0..sizes).map(|_| all[random.random_range(0..all.len())]).collect();
            for n in all {
                let (more, algorithm) = match random.random() {
                    true => (0.0, [Algorithm::Auto, Algorithm::Pivoting][random.random_range(0..2)]),
                    false => (4.0, Algorithm::ALL[random.random_range(0..Algorithm::ALL.len())]),
                };
                let algorithms = if solved.contains(&n) { vec![algorithm] } else { vec![] };
                let given = Given::<T>::random(n, structure, periodic && n > 1, more, &mut random);
                let x: Vec<f64> = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
                let rhs = given.times(&x);
                let wide: Vec<_> = rhs.iter().map(|v| v.to_f64()).collect();
                let (want, condition) = dense_solve(&given.dense, &wide);
                if condition > 0.001 / T::UNIT_ROUNDOFF {
                    continue;
                }
                let bound = 20.0 * condition * T::UNIT_ROUNDOFF;
                let system = given.system();
                let by_cpu = solve_on_cpu(&system, &rhs).unwrap();
                let off = error(&by_cpu, &want);
                assert!(off < bound, "{structure:?} {periodic}, n = {n}, cpu: {off:e}, not {bound:e}");
                for algorithm in algorithms {
                    let options = Options::default().algorithm(algorithm).matching(&system);
                    let plan = TridiagonalPlan::<T>::new(gpu, Shape::single(n), options).unwrap();
                    let found = plan.solve(&system, &rhs);
                    let found = found.unwrap_or_else(|e| panic!("{structure:?} {periodic}, n = {n}, {algorithm}: {e}"));
                    let off = error(&found, &want);
                    assert!(off < bound, "{structure:?} {periodic}, n = {n}, {algorithm}: {off:e}, not {bound:e}");
                }
            }
        }
    }
}

#[test]
fn as_dense_elimination_has_it() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("as_dense_elimination_has_it");
    against_dense::<f32>(&gpu, 2, seed);
    if gpu.capabilities().features.f64 {
        against_dense::<f64>(&gpu, 1, seed + 1);
    }
}

/// Long systems, of many slices: dominant, and of random entries, that rows are exchanged for.
#[test]
fn long_systems() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let mut random = SmallRng::seed_from_u64(seed("long_systems"));
    for (structure, periodic) in half_of_all(&mut random) {
        let n = random.random_range(10_000..30_000);
        let len = if structure == Structure::Constant { 3 } else { n };
        let mut vector = |low: f32, high: f32| (0..len).map(|_| random.random_range(low..high)).collect::<Vec<f32>>();
        let (lower, upper) = (vector(-1.0, 1.0), vector(-1.0, 1.0));
        // A random matrix of constant coefficients may be of any condition.
        let diagonals = match structure {
            Structure::Constant => vec![vector(2.1, 3.0)],
            _ => vec![vector(2.1, 3.0), vector(-1.0, 1.0)],
        };
        for diag in diagonals {
            let lower = if structure == Structure::Symmetric { &[][..] } else { &lower };
            let system = System { structure, periodic, ..System::new(lower, &diag, &upper) };
            let rhs: Vec<f32> = (0..n).map(|row| (row % 7) as f32 - 2.5).collect();
            let name = format!("{structure:?}, periodic {periodic}, n = {n}, dominant {}", diag[0] > 1.0);
            let x = match tridiagonal::solve(&gpu, &system, &rhs) {
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
    for (structure, periodic, in_place) in [
        (Structure::Constant, false, false),
        (Structure::Constant, true, true),
        (Structure::Symmetric, false, true),
        (Structure::Symmetric, true, false),
        (Structure::Transposed, true, true),
        (Structure::General, true, true),
    ] {
        let n = random.random_range(40..60);
        let (batch, columns) = (3, 2);
        let shape = Shape::contiguous(n, batch).with_columns(columns);
        let refinements = if in_place { 0 } else { random.random_range(0..3) };
        let options = Options { structure, periodic, refinements, ..Options::default() };
        let plan = TridiagonalPlan::<f32>::new(&gpu, shape, options).unwrap();
        let constant = structure == Structure::Constant;
        let all: Vec<_> = (0..batch).map(|_| Given::<f32>::random(n, structure, periodic, 4.0, &mut random)).collect();
        let of = |system: usize| if constant { &all[0] } else { &all[system] };
        let matrices = if constant { 1 } else { batch };
        let gathered = |vector: &dyn Fn(&Given<f32>) -> Vec<f32>| -> Vec<f32> {
            (0..matrices).flat_map(|system| vector(&all[system])).collect()
        };
        let upper = exact(&gathered(&|given| given.upper.clone()));
        let diag = exact(&gathered(&|given| given.diag.clone()));
        let lower = match structure {
            Structure::Symmetric => upper.clone(),
            _ => exact(&gathered(&|given| given.lower.clone())),
        };
        let x: Vec<f64> = (0..n * batch * columns).map(|_| random.random_range(-1.0..1.0)).collect();
        let values: Vec<f32> = x.chunks(n).enumerate().flat_map(|(at, x)| of(at % batch).times(x)).collect();
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
        assert!(off < 1e-5, "{structure:?}, periodic {periodic}, in place {in_place}: {off:e}");
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
    let transposed = Options::default().structure(Structure::Transposed).diagonal(Diagonal::Excess);
    assert!(options(plan(Shape::single(9), transposed).unwrap_err()).contains("columns"));
    assert!(options(plan(Shape::single(1), Options::default().periodic()).unwrap_err()).contains("2 rows"));
    let (off, diag, rhs) = ([1.0f32; 9], [4.0f32; 9], [1.0f32; 9]);
    // A plan for another form, by name.
    let general = plan(Shape::single(9), Options::default()).unwrap();
    let text = options(general.solve(&System::symmetric(&diag, &off), &rhs).unwrap_err());
    assert!(text.contains("Symmetric") && text.contains("General"), "{text}");
    let text = options(general.solve(&System::new(&off, &diag, &off).periodic(), &rhs).unwrap_err());
    assert!(text.contains("periodic"), "{text}");
    // Lengths.
    let length = |system: System<'_, f32>| match tridiagonal::solve(&gpu, &system, &rhs).unwrap_err() {
        Error::Length { vector, .. } => vector,
        other => panic!("{other}"),
    };
    assert_eq!(length(System::new(&off[..8], &diag, &off).periodic()), "lower");
    assert_eq!(length(System { lower: &off, ..System::symmetric(&diag, &off) }), "lower");
    assert_eq!(length(System { upper: &off, ..System::constant(&[1.0; 3], &[4.0; 3], &[1.0; 3]) }), "upper");
    assert_eq!(length(System { diag: &diag[..2], ..System::constant(&[1.0; 3], &[4.0; 3], &[1.0; 3]) }), "diag");
    // A device vector of too few coefficients.
    let constant = plan(Shape::single(9), Options::default().structure(Structure::Constant)).unwrap();
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
}

/// NaN in a corner counts where the corner does; a singular ring is an error, and near it.
#[test]
fn rings_that_are_not_solvable() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    for n in [2, 3, 9, 700, 20_011] {
        let (mut lower, mut upper) = (vec![-1.0f32; n], vec![-1.0; n]);
        let (diag, rhs) = (vec![4.0; n], vec![1.0; n]);
        (lower[0], upper[n - 1]) = (f32::NAN, -1.0);
        let solve = |lower: &[f32], diag: &[f32], upper: &[f32], periodic| {
            let system = System { periodic, ..System::new(lower, diag, upper) };
            tridiagonal::solve(&gpu, &system, &rhs)
        };
        solve(&lower, &diag, &upper, false).unwrap();
        match solve(&lower, &diag, &upper, true).unwrap_err() {
            Error::NonFiniteInput { vector: "lower", system: 0, row: 0 } => {}
            other => panic!("n = {n}: {other}"),
        }
        (lower[0], upper[n - 1]) = (-1.0, f32::INFINITY);
        match solve(&lower, &diag, &upper, true).unwrap_err() {
            Error::NonFiniteInput { vector: "upper", system: 0, row } if row == n - 1 => {}
            other => panic!("n = {n}: {other}"),
        }
        // All rows sum to 0.
        upper[n - 1] = -1.0;
        let found = solve(&lower, &vec![2.0; n], &upper, true);
        let said = matches!(
            found,
            Err(Error::Singular { .. }
                | Error::NearlySingular { .. }
                | Error::Breakdown { .. }
                | Error::Inaccurate { .. })
        );
        assert!(said, "n = {n}: {:?}", found.map(|x| x[0]));
    }
}

/// Rings that no algorithm solves that opens them: shifts, upwind differences, zero diagonals; around every edge of partitions
/// and slices, recorded, in place, of several right-hand sides.
fn rings<T: Real>(gpu: &Gpu, lengths: &[usize], seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    for &n in lengths {
        let (batch, columns) = (random.random_range(1..4), random.random_range(1..3));
        let interleaved = random.random();
        let shape = if interleaved { Shape::interleaved(n, batch) } else { Shape::contiguous(n, batch) };
        let shape = shape.with_columns(columns);
        let algorithm = [Algorithm::Auto, Algorithm::Pivoting][random.random_range(0..2)];
        let plan = TridiagonalPlan::<T>::new(gpu, shape, Options::default().algorithm(algorithm).periodic()).unwrap();
        let kinds: [[f64; 3]; 6] = [
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0],
            [-1.0, 1.25, 0.0],
            [0.0, 1.25, -1.0],
            [-1.0, -0.5, 1.0],
            [1.0, 0.5, -0.25],
        ];
        let of: Vec<[f64; 3]> = (0..batch).map(|_| kinds[random.random_range(0..kinds.len())]).collect();
        let mut matrix = [vec![T::ZERO; n * batch], vec![T::ZERO; n * batch], vec![T::ZERO; n * batch]];
        let x: Vec<f64> = (0..n * batch * columns).map(|_| random.random_range(-1.0..1.0)).collect();
        let mut rhs = vec![T::from_f64(f64::NAN); n * batch * columns];
        for (system, row) in (0..batch).flat_map(|system| (0..n).map(move |row| (system, row))) {
            // A row's own size, which a pivot is measured by.
            let size = 2f64.powi(random.random_range(-3..4));
            let entries = of[system].map(|entry| size * entry);
            matrix
                .iter_mut()
                .zip(entries)
                .for_each(|(to, entry)| to[shape.matrix_index(system, row)] = T::from_f64(entry));
            for column in 0..columns {
                let of = |row: usize| x[shape.rhs_index(system, column, row)];
                let sum = entries[0] * of((row + n - 1) % n) + entries[1] * of(row) + entries[2] * of((row + 1) % n);
                rhs[shape.rhs_index(system, column, row)] = T::from_f64(sum);
            }
        }
        let name = format!("{n} rows, {algorithm}, {of:?}, interleaved {interleaved}, {columns} columns");
        let [lower, diag, upper] = &matrix;
        let system = System::new(lower, diag, upper).periodic();
        // Circulants but for powers of two: their eigenvalues are no more than 9 times apart.
        let bound = 200.0 * T::UNIT_ROUNDOFF;
        let found = plan.solve_reported(&system, &rhs).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(found.algorithm, Algorithm::Pivoting, "{name}");
        let off = error(&found.x, &x);
        assert!(off < bound, "{name}: {off:e}");
        let vector = |values: &[T]| DeviceVector::from_slice(gpu, "a vector", values).unwrap();
        let [lower, diag, upper] = [vector(lower), vector(diag), vector(upper)];
        let (right, target) = (vector(&rhs), vector(&vec![T::from_f64(f64::NAN); rhs.len()]));
        for in_place in [false, true] {
            let system = DeviceSystem {
                lower: lower.as_slice(),
                diag: diag.as_slice(),
                upper: upper.as_slice(),
                rhs: right.as_slice(),
                x: (!in_place).then(|| target.as_slice()),
            };
            let bound_once = plan.bind(&system).unwrap();
            bound_once.submit().unwrap();
            let status = bound_once.read_status().unwrap();
            // A shift has inner rows without an unknown of their own: said, and solved.
            assert!(status.non_finite_result.is_none() && status.non_finite_input.is_none(), "{name}: {status:?}");
            let found = if in_place { &right } else { &target }.read(gpu).unwrap();
            let off = error(&found, &x);
            assert!(off < bound, "{name}, in place {in_place}: {off:e}");
        }
    }
}

#[test]
fn rings_that_are_not_dominant() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("rings_that_are_not_dominant");
    rings::<f32>(&gpu, &[2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 256, 2047, 2050, 20_011], seed);
    if gpu.capabilities().features.f64 {
        rings::<f64>(&gpu, &[4, 11, 129, 5000], seed + 1);
    }
}

/// A ring that is regular, though it is not once it has been opened: an error of the algorithms that open it.
#[test]
fn a_ring_that_opens_singular() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    // T = (2 2; 1 1).
    let system = System::new(&[1.0f32, 1.0], &[1.0, 0.0], &[2.0, 1.0]).periodic();
    let rhs = [5.0, 3.0];
    let by = |algorithm, system: &System<'_, f32>, rhs: &[f32]| {
        let options = Options::default().algorithm(algorithm).matching(system);
        TridiagonalPlan::new(&gpu, Shape::single(rhs.len()), options).unwrap().solve(system, rhs)
    };
    let found = by(Algorithm::Partition, &system, &rhs);
    assert!(matches!(found, Err(Error::Breakdown { .. } | Error::Inaccurate { .. })), "{found:?}");
    for x in [tridiagonal::solve(&gpu, &system, &rhs).unwrap(), solve_or_cpu(Some(&gpu), &system, &rhs).unwrap()] {
        assert!(error(&x, &[1.5, 3.5 / 3.0]) < 1e-6, "{x:?}");
    }
    // The diagonal that it opens to is past the range: an error that does not blame the input.
    let (large, diag) = ([-1e38f32; 3], [2.5e38f32; 3]);
    let found = by(Algorithm::Partition, &System::new(&large, &diag, &large).periodic(), &[1.0; 3]);
    assert!(matches!(found, Err(Error::Breakdown { .. })), "{found:?}");
    // Both ways the CPU has.
    let dominant = System::with_excess(&[-1.0f64; 5], &[0.5; 5], &[-1.0; 5]).periodic();
    let by_excess = solve_on_cpu(&dominant, &[1.0; 5]).unwrap();
    let by_value = cpu::periodic_gtsv(&[-1.0; 5], &[2.5; 5], &[-1.0; 5], &[1.0; 5]).unwrap();
    assert!(error(&by_excess, &by_value) < 1e-14 && error(&by_value, &[2.0; 5]) < 1e-14);
}

/// Factored once and solved many times, of every structure: from the host, recorded, in place, and after the caller's
/// vectors have changed.
fn factored<T: Real>(gpu: &Gpu, structures: usize, sizes: &[usize], seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    for (structure, periodic) in half_of_all(&mut random).into_iter().take(structures) {
        let n = sizes[random.random_range(0..sizes.len())];
        let (batch, columns) = ([1, 3][random.random_range(0..2)], [1, 2][random.random_range(0..2)]);
        let shape = Shape::contiguous(n, batch).with_columns(columns);
        let options = Options { structure, periodic, ..Options::default() };
        let plan = TridiagonalPlan::<T>::new(gpu, shape, options).unwrap();
        // Dominant; none of them; some.
        for kind in 0..3 {
            let more = |at: usize| if kind == 0 || (kind == 2 && at == 0) { 4.0 } else { 0.0 };
            let given: Vec<_> =
                (0..batch).map(|at| Given::<T>::random(n, structure, periodic, more(at), &mut random)).collect();
            let of = |system: usize| if structure == Structure::Constant { &given[0] } else { &given[system] };
            let matrices = if structure == Structure::Constant { 1 } else { batch };
            let gathered = |vector: &dyn Fn(&Given<T>) -> &Vec<T>| -> Vec<T> {
                given[..matrices].iter().flat_map(|given| vector(given).clone()).collect()
            };
            let (lower, diag, upper) = (gathered(&|it| &it.lower), gathered(&|it| &it.diag), gathered(&|it| &it.upper));
            let system = System { structure, periodic, ..System::new(&lower, &diag, &upper) };
            let name = format!("{structure:?} {periodic}, {shape:?}, kind {kind}");
            let condition = |at: usize| dense_solve(&of(at).dense, &vec![0.0; n]).1;
            let worst = (0..batch).map(condition).fold(0.0, f64::max);
            if worst > 0.001 / T::UNIT_ROUNDOFF {
                continue;
            }
            let bound = 20.0 * worst * T::UNIT_ROUNDOFF;
            // From the host, or from vectors that are gone when it is used.
            let kept = if kind == 1 {
                let vector = |values: &[T]| DeviceVector::from_slice(gpu, "a vector", values).unwrap();
                let (upper, diag) = (vector(&upper), vector(&diag));
                let lower = if structure == Structure::Symmetric { upper.clone() } else { vector(&lower) };
                let kept = plan.factor_device([lower.as_slice(), diag.as_slice(), upper.as_slice()]);
                diag.write(gpu, 0, &vec![T::ZERO; diag.len()]).unwrap();
                kept
            } else {
                plan.factor(&system)
            };
            let kept = kept.unwrap_or_else(|e| panic!("{name}: {e}"));
            if kind == 0 {
                assert_eq!(kept.algorithm(), Algorithm::Partition, "{name}");
            }
            for turn in 0..2 {
                let x: Vec<f64> = (0..n * batch * columns).map(|_| random.random_range(-1.0..1.0)).collect();
                let rhs: Vec<T> = x.chunks(n).enumerate().flat_map(|(at, x)| of(at % batch).times(x)).collect();
                let off = error(&kept.solve(&rhs).unwrap_or_else(|e| panic!("{name}: {e}")), &x);
                assert!(off < bound, "{name}: {off:e}, not {bound:e}");
                let right = DeviceVector::from_slice(gpu, "rhs", &rhs).unwrap();
                let target = DeviceVector::<T>::new(gpu, "x", rhs.len()).unwrap();
                let in_place = turn == 1;
                let bound_once = kept.bind(right.as_slice(), (!in_place).then(|| target.as_slice())).unwrap();
                bound_once.submit().unwrap();
                let status = bound_once.read_status().unwrap();
                match status.check() {
                    Ok(()) => {}
                    // Random rows may make a partition singular; recorded solves report it.
                    Err(Error::SingularPartition { .. }) if kind != 0 => continue,
                    Err(error) => panic!("{name}, turn {turn}, {:?}: {error}", kept.algorithm()),
                }
                let found = if in_place { &right } else { &target }.read(gpu).unwrap();
                // Without a refinement.
                let off = error(&found, &x);
                assert!(off < 50.0 * bound, "{name}, in place {in_place}: {off:e}, not {bound:e}");
            }
        }
    }
}

#[test]
fn factored_once() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let seed = seed("factored_once");
    factored::<f32>(&gpu, 2, &[2, 5, 40, 130], seed);
    if gpu.capabilities().features.f64 {
        factored::<f64>(&gpu, 1, &[40], seed + 1);
    }
}

/// Long ones are solved slice by slice, at the bytes of the matrix and the vectors.
#[test]
fn factored_slices() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let n = 20_011;
    let (off, rhs) = (vec![-1.0f32; n], vec![1.0; n]);
    let plan = TridiagonalPlan::<f32>::new(&gpu, Shape::single(n), Options::default()).unwrap();
    // Alone; coupled; exchanged.
    for (diag, bytes, algorithm) in
        [(4.0, 20.0, Algorithm::Partition), (2.0, 36.0, Algorithm::Partition), (0.5, 36.0, Algorithm::Pivoting)]
    {
        let diag = vec![diag; n];
        let kept = plan.factor(&System::new(&off, &diag, &off)).unwrap();
        assert_eq!(kept.algorithm(), algorithm);
        assert!((kept.bytes_per_row() - bytes).abs() < 1.0, "{}", kept.bytes_per_row());
        let x = kept.solve(&rhs).unwrap();
        let residual = System::new(&off, &diag, &off).relative_residual(&x, &rhs).unwrap();
        let limit = if diag[0] == 2.0 { 20.0 } else { 1e-5 };
        assert!(residual < limit, "{residual:e}");
    }
    // Three vectors of three numbers: right-hand sides and unknowns alone move, whatever auto divides the rows into.
    for n in [100, 4000, 20_011] {
        let constant = Options { structure: Structure::Constant, ..Options::default() };
        assert_eq!(TridiagonalPlan::<f32>::new(&gpu, Shape::single(n), constant).unwrap().bytes_per_row(), 8.0);
    }
    // Elimination closes the ring; where it is known to be dominant, slices are solved alone, at 20 bytes, and 12 more for its
    // correction.
    let ring = System::new(&off, &[4.0; 20_011], &off).periodic();
    let plan_of_rings = TridiagonalPlan::<f32>::new(&gpu, Shape::single(n), Options::default().periodic()).unwrap();
    assert!((plan_of_rings.bytes_per_row() - 36.0).abs() < 1.0, "{}", plan_of_rings.bytes_per_row());
    assert_eq!(plan_of_rings.factor(&ring).unwrap().bytes_per_row(), 32.0);
    // What is wrong with a matrix is said when it is factored.
    let mut diag = vec![4.0; n];
    diag[77] = f32::NAN;
    match plan.factor(&System::new(&off, &diag, &off)).unwrap_err() {
        Error::NonFiniteInput { vector: "diag", system: 0, row: 77 } => {}
        other => panic!("{other}"),
    }
    let singular = plan.factor(&System::new(&vec![0.0; n], &vec![0.0; n], &vec![0.0; n]));
    assert!(matches!(singular, Err(Error::Singular { system: 0, row: 0 })), "{:?}", singular.err());
    let kept = plan.factor(&System::new(&off, &vec![4.0; n], &off)).unwrap();
    assert!(matches!(kept.solve(&rhs[1..]), Err(Error::Length { vector: "rhs", .. })));
}
