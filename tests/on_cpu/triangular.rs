//! Triangular systems.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use trisolve::triangular::{Diag, Options, Order, Shape, Trans, Uplo, solve_on_cpu};
use trisolve::{DoubleDouble, Error, Real, cpu};
use trisolve_lab::seed;

/// Around vector lanes (8), panels (128) and the least rows of several cores (512).
const SIZES: [usize; 26] =
    [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 65, 119, 120, 121, 127, 128, 129, 136, 255, 257, 383, 511, 512, 513, 641, 777];

/// Systems whose memory holds NaN wherever no entry is read.
#[derive(Debug)]
struct Drawn<T> {
    shape: Shape,
    options: Options,
    matrix: Vec<T>,
    rhs: Vec<T>,
}

fn options(random: &mut SmallRng) -> Options {
    Options {
        uplo: if random.random() { Uplo::Lower } else { Uplo::Upper },
        trans: if random.random() { Trans::No } else { Trans::Transpose },
        diag: if random.random() { Diag::NonUnit } else { Diag::Unit },
        order: if random.random() { Order::ColumnMajor } else { Order::RowMajor },
        ..Options::default()
    }
}

impl<T: Real> Drawn<T> {
    fn new(n: usize, random: &mut SmallRng) -> Self {
        let options = options(random);
        let few = if n > 300 { 2 } else { 5 };
        let mut shape = Shape::batch(n, random.random_range(1..=few)).with_columns(random.random_range(1..=few));
        shape =
            shape.with_leading(n + random.random_range(0..4)).with_increment([1, -1, 2, -3][random.random_range(0..4)]);
        if (options.uplo == Uplo::Lower) == (options.order == Order::ColumnMajor) && random.random() {
            shape = shape.with_stored(random.random_range(1..=n));
        }
        if random.random_range(0..4) == 0 {
            shape = shape.shared();
        }
        let mut drawn = Self {
            shape,
            options,
            matrix: vec![T::from_f64(f64::NAN); shape.matrix_len().unwrap()],
            rhs: vec![T::from_f64(f64::NAN); shape.vector_len().unwrap()],
        };
        // Sums of a row's entries beside the diagonal of up to 2: most systems lose no digit.
        let scale = 4.0 / n as f64;
        let share = [0.0, 0.1, 1.0][random.random_range(0..3)];
        for system in 0..if shape.matrix_stride == 0 { 1 } else { shape.batch } {
            for (along, over) in drawn.places() {
                let value = match along == over {
                    true => random.random_range(1.0..2.0) * if random.random() { 1.0 } else { -1.0 },
                    false if random.random_bool(share) => random.random_range(-1.0..1.0) * scale,
                    false => 0.0,
                };
                drawn.matrix[shape.matrix_index(system, along, over)] = T::from_f64(value);
            }
        }
        let zeros = if random.random() { 0 } else { random.random_range(0..n) };
        for (system, column) in (0..shape.batch).flat_map(|system| (0..shape.columns).map(move |c| (system, c))) {
            for row in 0..n {
                let value = if row < zeros { 0.0 } else { random.random_range(-1.0..1.0) };
                drawn.rhs[shape.vector_index(system, column, row)] = T::from_f64(value);
            }
        }
        drawn
    }

    /// Where entries are read, as `matrix_index` counts them.
    fn places(&self) -> Vec<(usize, usize)> {
        let Shape { n, stored, .. } = self.shape;
        let below = (self.options.uplo == Uplo::Lower) == (self.options.order == Order::ColumnMajor);
        let is_unit = self.options.diag == Diag::Unit;
        let place = |along: usize, over: usize| match along == over {
            true => !is_unit,
            false => (along > over) == below,
        };
        (0..stored).flat_map(|over| (0..n).map(move |along| (along, over))).filter(|&(i, j)| place(i, j)).collect()
    }

    /// Compares each answer with the reference, and whether all other places hold NaN.
    fn check(&self, x: &[T], forward_error: f64) {
        let Self { shape, options, .. } = *self;
        let wide: Vec<_> = self.matrix.iter().map(|entry| DoubleDouble::new(entry.to_f64())).collect();
        let mut read = 0;
        for system in 0..shape.batch {
            let triangle = shape.triangle(&options, &wide, system);
            for column in 0..shape.columns {
                let at = |row: usize| shape.vector_index(system, column, row);
                let rhs: Vec<_> = (0..shape.n).map(|row| DoubleDouble::new(self.rhs[at(row)].to_f64())).collect();
                let exact = cpu::trsv(&triangle, &rhs).unwrap();
                let size = exact.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
                for (row, exact) in exact.iter().enumerate() {
                    let off = (DoubleDouble::new(x[at(row)].to_f64()) - *exact).to_f64().abs();
                    assert!(
                        off <= forward_error * size,
                        "row {row}: {off:e} of {size:e}, {forward_error:e}: {shape:?} {options:?}"
                    );
                    read += 1;
                }
            }
        }
        assert_eq!(x.iter().filter(|x| x.is_finite()).count(), read, "{shape:?}");
    }
}

fn batches_of_any_layout_in<T: Real>(random: &mut SmallRng) {
    let pools = [1, 2, 3].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    for _ in 0..12 {
        let n = SIZES[random.random_range(0..SIZES.len())];
        let drawn = Drawn::<T>::new(n, random);
        let solve = || solve_on_cpu(&drawn.shape, &drawn.options, &drawn.matrix, &drawn.rhs).unwrap();
        let solution = solve();
        drawn.check(&solution.x, solution.forward_error);
        assert!(solution.forward_error < 1.1 * T::UNIT_ROUNDOFF, "{:e}", solution.forward_error);
        for pool in &pools {
            let again = pool.install(solve);
            let bytes = |x: &[T]| bytemuck::cast_slice::<T, u8>(x).to_vec();
            assert_eq!(bytes(&again.x), bytes(&solution.x), "{:?} {:?}", drawn.shape, drawn.options);
            assert_eq!(again.forward_error.to_bits(), solution.forward_error.to_bits());
        }
    }
}

#[test]
fn batches_of_any_layout() {
    let mut random = SmallRng::seed_from_u64(seed("triangular::batches_of_any_layout"));
    batches_of_any_layout_in::<f32>(&mut random);
    batches_of_any_layout_in::<f64>(&mut random);
}

/// Entries so large that answers lose digits in wider arithmetic too: the estimate holds, or the solve is an error.
#[test]
fn amplified_roundings() {
    let mut random = SmallRng::seed_from_u64(seed("triangular::amplified_roundings"));
    let (mut answered, mut refused) = (0, 0);
    for _ in 0..30 {
        let n = random.random_range(20..140);
        let mut drawn = Drawn::<f32>::new(n, &mut random);
        let scale = n as f32 * random.random_range(0.1..0.4);
        for (along, over) in drawn.places() {
            for system in 0..if drawn.shape.matrix_stride == 0 { 1 } else { drawn.shape.batch } {
                let at = drawn.shape.matrix_index(system, along, over);
                drawn.matrix[at] *= if along == over { 1.0 } else { scale };
            }
        }
        match solve_on_cpu(&drawn.shape, &drawn.options, &drawn.matrix, &drawn.rhs) {
            Ok(solution) => {
                // The reference has 53 bits more than f32's answers of 24.
                drawn.check(&solution.x, solution.forward_error);
                answered += 1;
            }
            Err(Error::NoDigits { .. } | Error::Overflow { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(answered > 0, "{refused} refused");
}

/// The entry that is not finite is named, whichever system of a batch has it.
#[test]
fn entries_that_are_no_numbers() {
    let mut random = SmallRng::seed_from_u64(seed("triangular::entries_that_are_no_numbers"));
    for _ in 0..60 {
        let n = SIZES[random.random_range(1..SIZES.len() - 6)];
        let mut drawn = Drawn::<f32>::new(n, &mut random);
        let (shape, options) = (drawn.shape, drawn.options);
        let value = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY][random.random_range(0..3)];
        let matrices = if shape.matrix_stride == 0 { 1 } else { shape.batch };
        let expected = if random.random() {
            let (system, column, row) =
                (random.random_range(0..shape.batch), random.random_range(0..shape.columns), random.random_range(0..n));
            drawn.rhs[shape.vector_index(system, column, row)] = value;
            Error::NonFiniteInput { vector: "rhs", system, row }
        } else {
            let places: Vec<_> = drawn.places().into_iter().filter(|(along, over)| along != over).collect();
            let Some(&(along, over)) = places.get(random.random_range(0..places.len().max(1))) else { continue };
            let system = random.random_range(0..matrices);
            drawn.matrix[shape.matrix_index(system, along, over)] = value;
            let row = if options.order == Order::ColumnMajor { along } else { over };
            Error::NonFiniteInput { vector: "the matrix", system, row }
        };
        let found = solve_on_cpu(&shape, &options, &drawn.matrix, &drawn.rhs);
        assert_eq!(found, Err(expected), "{shape:?} {options:?}");
    }
}
