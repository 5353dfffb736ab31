//! Tridiagonal systems.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use trisolve::internals::tridiagonal::{form_len, form_place};
use trisolve::tridiagonal::{
    CpuFactored, CpuSolution, Diagonal, Form, Forms, Layout, Shape, Structure, System, solve_batch_on_cpu, solve_on_cpu,
};
use trisolve::{DoubleDouble, Error, Real, cpu};
use trisolve_lab::{forms, own_right, seed};

pub const STRUCTURES: [Structure; 3] = [Structure::General, Structure::Transposed, Structure::Symmetric];

/// Matrices and right-hand sides of a batch, with their entries in rows.
pub struct Drawn<T> {
    pub shape: Shape,
    kind: Diagonal,
    structure: Structure,
    forms: Forms,
    periodic: bool,
    lower: Vec<T>,
    diag: Vec<T>,
    upper: Vec<T>,
    pub rhs: Vec<T>,
}

/// How dominant rows are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Dominance {
    Strict,
    /// The excess is zero in most rows.
    Weak,
    /// Entries of any sign and size.
    None,
}

impl<T: Real> Drawn<T> {
    pub fn new(
        shape: Shape,
        (structure, forms): (Structure, Forms),
        periodic: bool,
        kind: Dominance,
        random: &mut SmallRng,
    ) -> Self {
        let excess_of_row = |random: &mut SmallRng| -> f64 {
            match kind {
                Dominance::Strict => random.random_range(0.05..1.0),
                Dominance::Weak if random.random_range(0..4) == 0 => random.random_range(0.0..0.1),
                Dominance::Weak | Dominance::None => 0.0,
            }
        };
        let excess = structure != Structure::Transposed && kind != Dominance::None && random.random();
        let of_vectors = [forms.lower, forms.diag, forms.upper];
        // Places between systems hold NaN.
        let mut vectors = of_vectors.map(|form| vec![f64::NAN; form_len(form, &shape).unwrap()]);
        // Multiples of 2^-10, so that sums of sizes are exact.
        let entry = |random: &mut SmallRng| (random.random_range(-1.0f64..1.0) * 1024.0).round() / 1024.0;
        let n = shape.n;
        for system in 0..shape.batch {
            let place = |form: Form, row: usize| form_place(form, &shape, system, row);
            for row in 0..n {
                for at in [0, 2] {
                    let own = &mut vectors[at][place(of_vectors[at], row)];
                    // Entries that rows share are drawn once.
                    if own.is_nan() {
                        *own = entry(random);
                    }
                }
            }
            for row in 0..n {
                let lower = |row| vectors[0][place(forms.lower, row)];
                let upper = |row| vectors[2][place(forms.upper, row)];
                let sizes = match structure {
                    Structure::General => [lower(row), upper(row)],
                    Structure::Symmetric => [upper((row + n - 1) % n), upper(row)],
                    Structure::Transposed => [upper((row + n - 1) % n), lower((row + 1) % n)],
                };
                let own = (excess_of_row(random) * 1024.0).round() / 1024.0;
                // A diagonal of few numbers dominates the rows of all systems.
                let sum = if forms.diag == Form::Each { sizes.iter().map(|size| size.abs()).sum::<f64>() } else { 2.0 };
                let at = &mut vectors[1][place(forms.diag, row)];
                if at.is_nan() {
                    *at = match (kind, excess) {
                        (Dominance::None, _) => entry(random),
                        // A row of zeros would be singular.
                        (_, true) => own.max(if sum == 0.0 { 0.5 } else { 0.0 }),
                        (_, false) => (own + sum).max(0.5) * if random.random() { 1.0 } else { -1.0 },
                    };
                }
            }
        }
        if !periodic {
            // Corners that are not read.
            for system in 0..shape.batch {
                for (at, form, row) in [(0, forms.lower, 0), (2, forms.upper, n - 1)] {
                    if form != Form::Constant {
                        vectors[at][form_place(form, &shape, system, row)] = f64::NAN;
                    }
                }
            }
        }
        let mut rhs = vec![f64::NAN; shape.rhs_len().unwrap()];
        for (system, column) in (0..shape.batch).flat_map(|s| (0..shape.columns).map(move |c| (s, c))) {
            for row in 0..n {
                rhs[shape.rhs_index(system, column, row)] = random.random_range(-1.0..1.0);
            }
        }
        let narrow = |values: &[f64]| values.iter().map(|value| T::from_f64(*value)).collect::<Vec<_>>();
        let [lower, diag, upper] = vectors.map(|values| narrow(&values));
        let lower = if structure == Structure::Symmetric { vec![] } else { lower };
        let kind = if excess { Diagonal::Excess } else { Diagonal::Value };
        Self { shape, kind, structure, forms, periodic, lower, diag, upper, rhs: narrow(&rhs) }
    }

    pub fn system(&self) -> System<'_, T> {
        let Self { kind, structure, forms, periodic, .. } = *self;
        System { kind, structure, forms, periodic, ..System::new(&self.lower, &self.diag, &self.upper) }
    }

    /// The entry of the diagonal's vector.
    fn own(&self, system: usize, row: usize) -> DoubleDouble {
        DoubleDouble::new(self.diag[form_place(self.forms.diag, &self.shape, system, row)].to_f64())
    }

    /// Row `row` of a system, in twice the digits.
    fn row(&self, system: usize, row: usize) -> [DoubleDouble; 3] {
        let n = self.shape.n;
        let lower = |row| self.lower[form_place(self.forms.lower, &self.shape, system, row)];
        let upper = |row| self.upper[form_place(self.forms.upper, &self.shape, system, row)];
        let (before, behind) = ((row + n - 1) % n, (row + 1) % n);
        let (left, right) = match self.structure {
            Structure::General => (lower(row), upper(row)),
            Structure::Transposed => (upper(before), lower(behind)),
            Structure::Symmetric => (upper(before), upper(row)),
        };
        let wide = |value: T| DoubleDouble::new(value.to_f64());
        let zero = DoubleDouble::new(0.0);
        let left = if row > 0 || self.periodic { wide(left) } else { zero };
        let right = if row + 1 < n || self.periodic { wide(right) } else { zero };
        let own = self.own(system, row);
        let size = |value: DoubleDouble| if value < zero { -value } else { value };
        match self.kind {
            Diagonal::Value => [left, own, right],
            Diagonal::Excess => [left, own + size(left) + size(right), right],
        }
    }

    /// The solution of a right-hand side; `None` if elimination finds no pivot.
    fn reference(&self, kind: Dominance, system: usize, column: usize) -> Option<Vec<f64>> {
        let rows: Vec<_> = (0..self.shape.n).map(|row| self.row(system, row)).collect();
        let [lower, diag, upper] = [0, 1, 2].map(|at| rows.iter().map(|row| row[at]).collect::<Vec<_>>());
        let rhs: Vec<_> = (0..self.shape.n)
            .map(|row| DoubleDouble::new(self.rhs[self.shape.rhs_index(system, column, row)].to_f64()))
            .collect();
        // Without carried dominance, weakly dominant rows would lose digits; rings have only `periodic_gtsv`.
        let x = match (self.periodic, kind == Dominance::None, self.kind) {
            (true, ..) => cpu::periodic_gtsv(&lower, &diag, &upper, &rhs),
            (false, true, _) => cpu::gtsv(&lower, &diag, &upper, &rhs),
            (false, false, Diagonal::Value) => cpu::thomas_carried(&lower, &diag, &upper, &rhs),
            (false, false, Diagonal::Excess) => {
                let excess: Vec<_> = (0..self.shape.n).map(|row| self.own(system, row)).collect();
                cpu::thomas_excess(&lower, &excess, &upper, &rhs)
            }
        };
        x.ok().map(|x| x.into_iter().map(|x| x.to_f64()).collect())
    }

    /// At once, and by factors.
    fn found(&self) -> [Result<CpuSolution<T>, Error>; 2] {
        let by_factors = CpuFactored::new(&self.shape, &self.system()).and_then(|factored| {
            let found = factored.solve_reported(&self.rhs);
            let mut x = vec![T::ONE; self.rhs.len()];
            let into = factored.solve_into(&self.rhs, &mut x);
            assert_eq!(into.is_ok(), found.is_ok());
            if let Ok(found) = &found {
                // Places between systems are left as they are.
                assert!(x.iter().zip(&found.x).all(|(x, found)| x == found || *x == T::ONE && *found == T::ZERO));
            }
            found
        });
        [solve_batch_on_cpu(&self.shape, &self.system(), &self.rhs), by_factors]
    }

    /// Solves, and compares each right-hand side. Returns how many of them wider arithmetic solved.
    fn check(&self, kind: Dominance, name: &str) -> usize {
        self.found().into_iter().map(|found| self.check_one(found, kind, name)).sum()
    }

    fn check_one(&self, found: Result<CpuSolution<T>, Error>, kind: Dominance, name: &str) -> usize {
        let found = match found {
            // Random entries may come to any condition, and rings without excess are singular.
            Err(Error::NearlySingular { .. } | Error::Singular { .. } | Error::Overflow { .. })
                if kind != Dominance::Strict =>
            {
                return 0;
            }
            found => found.unwrap_or_else(|e| panic!("{name}: {e}")),
        };
        let shape = &self.shape;
        for (system, column) in (0..shape.batch).flat_map(|s| (0..shape.columns).map(move |c| (s, c))) {
            let Some(x) = self.reference(kind, system, column) else { continue };
            let of = |row| found.x[shape.rhs_index(system, column, row)].to_f64();
            let size = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let off = x.iter().enumerate().fold(0.0, |most: f64, (row, x)| most.max((of(row) - x).abs()));
            let error = off / size;
            assert!(
                error <= 2.0 * found.forward_error,
                "{name}: {system}, {column}: {error:e}, not {:e}",
                found.forward_error
            );
        }
        found.widened
    }
}

pub fn layout(n: usize, batch: usize, random: &mut SmallRng) -> Shape {
    if random.random_range(0..3) == 0 {
        return own_right(n, batch, random).1;
    }
    let shape = match random.random_range(0..5) {
        0 => Shape::contiguous(n, batch),
        1 => Shape::padded(n, batch, n + random.random_range(1..5)),
        2 => Shape::interleaved(n, batch),
        3 => Shape::strided(n, batch, batch + random.random_range(1..4), 1),
        _ => {
            let group = batch.div_ceil(2);
            let layout = Layout { element_stride: group, system_stride: 1, group, group_stride: n * group + 3 };
            Shape::with_layout(n, batch, layout)
        }
    };
    let columns = if random.random_range(0..3) == 0 { random.random_range(2..4) } else { 1 };
    match columns {
        1 => shape,
        _ => Shape { columns, column_stride: shape.matrix_len().unwrap() + random.random_range(0..3), ..shape },
    }
}

/// Strides that no second entry needs may be 0, or as large as can be.
#[test]
fn strides_of_single_entries() {
    let mut random = SmallRng::seed_from_u64(seed("strides_of_single_entries"));
    for (batch, element_stride, system_stride) in [(1, 0, 0), (3, 0, 1), (1, usize::MAX, usize::MAX), (20_000, 0, 1)] {
        let shape = Shape::strided(1, batch, element_stride, system_stride);
        for structure in STRUCTURES {
            let forms = forms(&mut random);
            Drawn::<f32>::new(shape, (structure, forms), false, Dominance::Strict, &mut random)
                .check(Dominance::Strict, "strides");
        }
    }
}

/// Sizes around 8 lanes, the shortest slice (16 rows), a tile (64 rows), 8 slices of those lengths (128 and 512) and the most rows of a system in
/// one lane (2048).
const SIZES: [usize; 36] = [
    1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 130, 255, 257, 511, 512, 513, 1000,
    1023, 1024, 1025, 2047, 2048, 2049, 8193, 16_401,
];

fn batches<T: Real>(random: &mut SmallRng) {
    let mut widened = 0;
    for n in SIZES {
        for kind in [Dominance::Strict, Dominance::Weak, Dominance::None] {
            for structure in STRUCTURES {
                let most = if n > 2000 { 3 } else { 20 };
                let batch = if random.random() { 1 } else { random.random_range(2..most) };
                let periodic = n > 1 && random.random_range(0..3) == 0;
                let shape = layout(n, batch, random);
                let forms = forms(random);
                let drawn = Drawn::<T>::new(shape, (structure, forms), periodic, kind, random);
                let form = format!("{structure:?} {forms:?} {:?} {periodic}", drawn.kind);
                let name = format!("{} {kind:?} {form} {shape:?}", T::PRECISION);
                let solved = drawn.check(kind, &name);
                // No strictly dominant system needs wider arithmetic.
                assert!(kind != Dominance::Strict || solved == 0, "{name}: {solved} in wider arithmetic");
                widened += solved;
            }
        }
    }
    assert!(widened > 0);
}

#[test]
fn batches_of_any_layout() {
    let mut random = SmallRng::seed_from_u64(seed("batches_of_any_layout"));
    batches::<f32>(&mut random);
    batches::<f64>(&mut random);
}

/// On all cores, each system of a batch has the same bits, and its error the same bound, as on one core, of a batch of eight.
fn large_batch<T: Real>(n: usize, periodic: bool, random: &mut SmallRng) {
    let shape = layout(n, (1 << 15) / n + random.random_range(0..8), random);
    let drawn = Drawn::<T>::new(shape, <_>::default(), periodic, Dominance::Strict, random);
    let small = Shape::contiguous(n, 8);
    let mut errors = [0.0f64; 2];
    let [at_once, by_factors] = drawn.found().map(Result::unwrap);
    for (first, column) in (0..shape.batch).step_by(8).flat_map(|s| (0..shape.columns).map(move |c| (s, c))) {
        // The last eight systems may repeat some.
        let systems = first.min(shape.batch - 8)..;
        let part = |values: &[T], place: &dyn Fn(usize, usize) -> usize| -> Vec<T> {
            systems.clone().take(8).flat_map(|system| (0..n).map(move |row| values[place(system, row)])).collect()
        };
        let of_matrix = |values| part(values, &|system, row| shape.matrix_index(system, row));
        let of_rhs = |values| part(values, &|system, row| shape.rhs_index(system, column, row));
        let eight = Drawn {
            shape: small,
            lower: of_matrix(&drawn.lower),
            diag: of_matrix(&drawn.diag),
            upper: of_matrix(&drawn.upper),
            rhs: of_rhs(&drawn.rhs),
            ..drawn
        };
        for ((alone, found), error) in eight.found().into_iter().zip([&at_once, &by_factors]).zip(&mut errors) {
            let alone = alone.unwrap();
            assert_eq!(of_rhs(&found.x), alone.x, "{} {periodic} {shape:?}: {first}, {column}", T::PRECISION);
            *error = error.max(alone.forward_error);
        }
    }
    assert_eq!([at_once.forward_error, by_factors.forward_error], errors, "{} {periodic} {shape:?}", T::PRECISION);
}

#[test]
fn large_batches_as_small_ones() {
    let mut random = SmallRng::seed_from_u64(seed("large_batches_as_small_ones"));
    for n in [1, 5, 64, 100, 257] {
        for periodic in [false, n > 1] {
            large_batch::<f32>(n, periodic, &mut random);
            large_batch::<f64>(n, periodic, &mut random);
        }
    }
}

/// No row has an excess, so the matrix is singular. Elimination may find a pivot of rounding errors, and unknowns of any size.
#[test]
fn singular_rows_without_excess() {
    let (n, lower, upper) = (512, [0.0, -0.423_828_13, -0.523_437_5], [-0.004_882_812_5, -0.466_796_88, 0.0f32]);
    let mut random = SmallRng::seed_from_u64(seed("singular_rows_without_excess"));
    for _ in 0..40 {
        let rhs: Vec<f32> = (0..n).map(|_| random.random_range(-1.0..1.0)).collect();
        let system = System::with_excess(&lower, &[0.0; 3], &upper).with_forms(Forms::ENDS);
        let found = solve_on_cpu(&system, &rhs);
        let is_named = matches!(found, Err(Error::Singular { .. } | Error::NearlySingular { .. }));
        assert!(is_named, "{found:?}");
    }
}

/// Of a batch, the first entry that is not finite is named; the others are solved as if alone.
#[test]
fn entries_that_are_no_numbers() {
    let mut random = SmallRng::seed_from_u64(seed("entries_that_are_no_numbers"));
    for _ in 0..60 {
        let n = SIZES[random.random_range(0..SIZES.len() - 6)];
        let shape = layout(n, random.random_range(1..12), &mut random);
        let structure = [Structure::General, Structure::Transposed, Structure::Symmetric][random.random_range(0..3)];
        let mut drawn = Drawn::<f32>::new(shape, (structure, Forms::default()), false, Dominance::Strict, &mut random);
        let (system, row) = (random.random_range(0..shape.batch), random.random_range(0..n));
        let value = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY][random.random_range(0..3)];
        let column = random.random_range(0..shape.columns);
        let vector = ["lower", "diag", "upper", "rhs"][random.random_range(0..4)];
        // Corners are not read.
        let is_missing = vector == "lower" && (row == 0 || structure == Structure::Symmetric);
        if is_missing || vector == "upper" && row + 1 == n {
            continue;
        }
        match vector {
            "lower" => drawn.lower[shape.matrix_index(system, row)] = value,
            "diag" => drawn.diag[shape.matrix_index(system, row)] = value,
            "upper" => drawn.upper[shape.matrix_index(system, row)] = value,
            _ => drawn.rhs[shape.rhs_index(system, column, row)] = value,
        }
        for found in drawn.found() {
            assert_eq!(found, Err(Error::NonFiniteInput { vector, system, row }), "{value} in {shape:?}");
        }
    }
}
