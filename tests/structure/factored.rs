//! Matrices factored once.

use super::*;
use trisolve_lab::OnDevice;

/// Factored once and solved many times, for drawn structures: from the host, recorded, in place, and after the caller's
/// vectors have changed.
fn factored<T: Real>(gpu: &Gpu, seed: u64) {
    let mut random = SmallRng::seed_from_u64(seed);
    for (structure, periodic) in some_structures(&mut random, 2) {
        let n = [2, 5, 40, 130][random.random_range(0..4)];
        let (batch, columns) = ([1, 3][random.random_range(0..2)], [1, 2][random.random_range(0..2)]);
        let shape = Shape::contiguous(n, batch).with_columns(columns);
        let forms = if batch == 1 {
            forms(&mut random)
        } else {
            some(&mut random, &[Forms::default(), Forms::ENDS, Forms::CONSTANT], 1)[0]
        };
        let options = Options { structure, forms, periodic, ..Options::on_device() };
        let plan = TridiagonalPlan::<T>::new(gpu, shape, options).unwrap();
        // Dominant; none of them; some.
        for kind in 0..3 {
            let more = |at: usize| if kind == 0 || (kind == 2 && at == 0) { 4.0 } else { 0.0 };
            let given: Vec<_> = (0..batch)
                .map(|at| Given::<T>::random(n, (structure, forms), periodic, more(at), &mut random))
                .collect();
            // Vectors of few numbers are those of all matrices.
            let is_shared = forms != Forms::default();
            let of = |system: usize| if is_shared { &given[0] } else { &given[system] };
            let matrices = if is_shared { 1 } else { batch };
            let gathered = |vector: &dyn Fn(&Given<T>) -> &Vec<T>| -> Vec<T> {
                given[..matrices].iter().flat_map(|given| vector(given).clone()).collect()
            };
            let (lower, diag, upper) = (gathered(&|it| &it.lower), gathered(&|it| &it.diag), gathered(&|it| &it.upper));
            let system = System { structure, forms, periodic, ..System::new(&lower, &diag, &upper) };
            let name = format!("{structure:?} {forms:?} {periodic}, {shape:?}, kind {kind}");
            let condition_of = |at: usize| condition(&of(at).dense);
            let worst = (0..batch).map(condition_of).fold(0.0, f64::max);
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
    in_precisions!(&mut SmallRng::seed_from_u64(seed), &gpu, factored(&gpu, seed));
}

/// Long ones are solved slice by slice, at the bytes of the matrix and the vectors.
#[test]
fn factored_slices() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let n = 20_011;
    let (off, rhs) = (vec![-1.0f32; n], vec![1.0; n]);
    let plan = TridiagonalPlan::<f32>::new(&gpu, Shape::single(n), Options::on_device()).unwrap();
    // Alone; coupled; exchanged.
    let all = [(4.0, 20.0, Algorithm::Partition), (2.0, 36.0, Algorithm::Partition), (0.5, 36.0, Algorithm::Pivoting)];
    let mut random = SmallRng::seed_from_u64(seed("factored_slices"));
    for (diag, bytes, algorithm) in some(&mut random, &all, 1) {
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
        let constant = Options::on_device().forms(Forms::ENDS);
        assert_eq!(TridiagonalPlan::<f32>::new(&gpu, Shape::single(n), constant).unwrap().bytes_per_row(), 8.0);
    }
    // Elimination closes the ring; where it is known to be dominant, slices are solved alone, at 20 bytes, and 12 more for its
    // correction.
    let ring = System::new(&off, &[4.0; 20_011], &off).periodic();
    let plan_of_rings = TridiagonalPlan::<f32>::new(&gpu, Shape::single(n), Options::on_device().periodic()).unwrap();
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

/// Slices of one right-hand side per matrix have halos of 96 rows, which suffice. Four right-hand sides beside each other are solved with halos of 32
/// rows, which do not suffice: so the later dispatches have to stay.
#[test]
fn slices_are_solved_alone_only_if_the_plan_itself_finds_that_they_can() {
    let gpu = gpu(false, FeatureSwitches::ALL);
    let (n, batch, channels) = (20_000, 4, 4);
    let shape = Shape::pixels(n, batch, channels, Along::Rows);
    let [off, diag] = [-1.0f32, 2.2].map(|value| vec![value; n * batch]);
    let plan = TridiagonalPlan::<f32>::new(&gpu, shape, Options::on_device()).unwrap();
    let factored = plan.factor(&System::new(&off, &diag, &off)).unwrap();
    let rhs: Vec<f32> = (0..n * batch * channels).map(|at| if at % 3 == 0 { 1.0 } else { -0.5 }).collect();
    let right = DeviceVector::from_slice(&gpu, "rhs", &rhs).unwrap();
    let x = DeviceVector::from_slice(&gpu, "x", &vec![f32::NAN; rhs.len()]).unwrap();
    let bound = factored.bind(right.as_slice(), Some(x.as_slice())).unwrap();
    bound.submit().unwrap();
    bound.read_status().unwrap().check().unwrap();
    let found = x.read(&gpu).unwrap();
    let expected = solve_batch_on_cpu(&shape, &System::new(&off, &diag, &off), &rhs).unwrap().x;
    let most = found
        .iter()
        .zip(&expected)
        .map(|(x, want)| (x - want).abs())
        .fold(0.0, |most: f32, off| if off <= most { most } else { off });
    assert!(most < 1e-5, "{most:e}");
}
