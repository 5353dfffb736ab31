//! The vectors of a batch of systems, on the host and on the device.

use super::options::{Diagonal, Form, Forms, MatrixForm, Structure};
use crate::cpu;
use crate::error::{Error, Result};
use crate::gpu::DeviceSlice;
use crate::judge::answer::is_moderate;
use crate::judge::tridiagonal::{Judge, Matrix};
use crate::plan::{Shape, Starts, Vector, Vectors};
use crate::real::Real;

/// The matrices of a batch, in host memory, laid out as the plan's [`Shape`] says.
///
/// Row i of a system is `lower[i] x[i-1] + diag[i] x[i] + upper[i] x[i+1] = rhs[i]`, unless `structure` defines it otherwise. Only periodic
/// matrices use `lower` of the first row and `upper` of the last. In a single system that is not periodic, `lower` and `upper` may omit
/// these entries and have n-1 entries.
#[derive(Debug, Clone, Copy)]
pub struct System<'a, T> {
    /// Entries left of the diagonal.
    pub lower: &'a [T],
    /// The diagonal or its excess, as `kind` says.
    pub diag: &'a [T],
    /// Entries right of the diagonal.
    pub upper: &'a [T],
    /// What `diag` holds.
    pub kind: Diagonal,
    /// Contents of the vectors.
    pub structure: Structure,
    /// Entries of each vector: one per row, one number, or three.
    pub forms: Forms,
    /// Whether the corners couple the first row to the last unknown, and the last row to the first.
    pub periodic: bool,
}

impl<'a, T: Real> System<'a, T> {
    /// Whether the entries' sizes exclude harmful underflow in elimination.
    pub(crate) fn is_moderate(&self) -> bool {
        [self.lower, self.diag, self.upper].iter().all(|values| is_moderate(values))
    }

    /// Matrices given by their diagonals.
    pub fn new(lower: &'a [T], diag: &'a [T], upper: &'a [T]) -> Self {
        let (structure, forms) = (Structure::default(), Forms::default());
        Self { lower, diag, upper, kind: Diagonal::Value, structure, forms, periodic: false }
    }

    /// Matrices given by their off-diagonals and excess: diag = |lower| + |upper| + excess.
    pub fn with_excess(lower: &'a [T], excess: &'a [T], upper: &'a [T]) -> Self {
        Self { kind: Diagonal::Excess, ..Self::new(lower, excess, upper) }
    }

    /// Symmetric matrices, given by the diagonal and the entries right of it.
    pub fn symmetric(diag: &'a [T], upper: &'a [T]) -> Self {
        Self { structure: Structure::Symmetric, ..Self::new(&[], diag, upper) }
    }

    /// One matrix of constant coefficients for all systems: each array holds the entry of the first row, of every middle row, and of the
    /// last row.
    pub fn constant(lower: &'a [T; 3], diag: &'a [T; 3], upper: &'a [T; 3]) -> Self {
        Self { forms: Forms::ENDS, ..Self::new(lower, diag, upper) }
    }

    /// The transposes of matrices given by their diagonals.
    pub fn transposed(lower: &'a [T], diag: &'a [T], upper: &'a [T]) -> Self {
        Self { structure: Structure::Transposed, ..Self::new(lower, diag, upper) }
    }

    /// The same matrices with vectors of these forms: one entry per row, one for all, or three (first, inner and last row), in any
    /// combination.
    ///
    /// ```
    /// use trisolve::tridiagonal::{self, Form, Forms, System};
    ///
    /// // -x[i-1] + (2 + excess[i]) x[i] - x[i+1] = 1
    /// let excess = [1.0f64, 2.0, 3.0, 4.0, 5.0];
    /// let forms = Forms { diag: Form::Each, ..Forms::CONSTANT };
    /// let system = System::with_excess(&[-1.0], &excess, &[-1.0]).with_forms(forms);
    /// let x = tridiagonal::solve_on_cpu(&system, &[1.0; 5])?;
    /// assert!((2.0 * x[0] - x[1] - 1.0).abs() < 1e-14 && (7.0 * x[4] - x[3] - 1.0).abs() < 2.0, "{x:?}");
    /// # Ok::<(), trisolve::Error>(())
    /// ```
    pub fn with_forms(self, forms: Forms) -> Self {
        Self { forms, ..self }
    }

    /// The same matrices, but periodic (cyclic): the corners count.
    #[doc(alias = "cyclic")]
    pub fn periodic(self) -> Self {
        Self { periodic: true, ..self }
    }

    /// ||d - A x|| / ||d|| of a single system of `rhs.len()` rows, in 2-norms, accumulated in f64; 0 for a zero residual.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Shape`] for no rows.
    pub fn relative_residual(&self, x: &[T], rhs: &[T]) -> Result<f64> {
        let shape = self.single(rhs);
        shape.validate()?;
        self.check_lengths(&shape, rhs)?;
        if x.len() != rhs.len() {
            return Err(Error::Length { vector: "x", expected: rhs.len().to_string(), found: x.len() });
        }
        let (lower, diag, upper) = self.diagonals(&shape, 0);
        let excess = self.kind == Diagonal::Excess;
        Ok(cpu::measures([&lower, &diag, &upper], x, rhs, excess, self.periodic).relative_residual)
    }

    /// Whether one system of a shape is dominant and has no zero on its diagonal: |diag| >= |lower| + |upper| in every row.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Shape`], also for a system index out of range.
    pub fn is_dominant(&self, shape: &Shape, system: usize) -> Result<bool> {
        let [lower, diag, upper] = self.checked_matrix(shape, system)?;
        Ok(cpu::is_dominant(&lower, &diag, &upper))
    }

    /// Skeel's condition number cond(A, x) = || |A^-1| |A| |x| || / ||x|| in the maximum norm, of one system of a shape with n unknowns x:
    /// the factor by which relative errors of the entries may grow in x. Computed by sweeps in f64 on the CPU, about 60 ns per row;
    /// accurate up to about 1e15.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Shape`], also for a system index out of range; [`Error::Singular`] if elimination finds a column without
    /// a pivot.
    pub fn condition(&self, shape: &Shape, system: usize, x: &[T]) -> Result<f64> {
        self.checked_matrix(shape, system)?;
        if x.len() != shape.n {
            return Err(Error::Length { vector: "x", expected: shape.n.to_string(), found: x.len() });
        }
        self.judge(shape, system).condition(x)
    }

    fn checked_matrix(&self, shape: &Shape, system: usize) -> Result<[Vec<f64>; 3]> {
        shape.validate()?;
        self.check_matrix_lengths(shape)?;
        if system >= shape.batch {
            return Err(Error::Shape(format!("system {system} of {}", shape.batch)));
        }
        Ok(self.wide_matrix(shape, system))
    }

    /// The shape of a single system with this right-hand side: the diagonal determines n if it has an entry per row.
    pub(crate) fn single(&self, rhs: &[T]) -> Shape {
        Shape::single(if self.forms.diag == Form::Each { self.diag.len() } else { rhs.len() })
    }

    pub(crate) fn form(&self) -> MatrixForm {
        let Self { kind, structure, forms, periodic, .. } = *self;
        MatrixForm { diagonal: kind, structure, forms, periodic }
    }

    /// Whether a vector of this form omits its unused corner.
    pub(crate) fn without_corner(&self, shape: &Shape, (vector, form): (&[T], Form)) -> bool {
        form == Form::Each
            && !self.periodic
            && shape.batch == 1
            && shape.layout.element_stride == 1
            && vector.len() + 1 == shape.n
    }

    pub(crate) fn check_lengths(&self, shape: &Shape, rhs: &[T]) -> Result<()> {
        let right = shape.rhs_len().ok_or_else(|| shape.past_addresses())?;
        if rhs.len() != right {
            return Err(Error::Length { vector: "rhs", expected: right.to_string(), found: rhs.len() });
        }
        self.check_matrix_lengths(shape)
    }

    pub(crate) fn check_matrix_lengths(&self, shape: &Shape) -> Result<()> {
        if let Some((vector, _)) = self.forms.named().into_iter().find(|(_, form)| *form == Form::Computed) {
            return Err(Error::Options(format!(
                "a system in host memory whose {vector} is of Form::Computed: only kernels compute formulas; see \
                 TridiagonalPlan::bind_named"
            )));
        }
        let len = |form: Form| form.len(shape).ok_or_else(|| shape.past_addresses());
        let expected = len(self.forms.diag)?;
        if self.diag.len() != expected {
            return Err(Error::Length { vector: "diag", expected: expected.to_string(), found: self.diag.len() });
        }
        if self.structure == Structure::Symmetric && !self.lower.is_empty() {
            let expected = "0, since upper stands for it in symmetric matrices".into();
            return Err(Error::Length { vector: "lower", expected, found: self.lower.len() });
        }
        let given = match self.structure {
            Structure::Symmetric => &[("upper", self.upper, self.forms.upper)][..],
            _ => &[("lower", self.lower, self.forms.lower), ("upper", self.upper, self.forms.upper)],
        };
        for &(vector, entries, form) in given {
            let len = len(form)?;
            if entries.len() != len && !self.without_corner(shape, (entries, form)) {
                let expected = match (shape.batch, form) {
                    (1, Form::Each) if !self.periodic => {
                        format!("{len}, or {} without the unused corner", len - 1)
                    }
                    (_, Form::Each) => len.to_string(),
                    _ => format!("{len} for Form::{form:?}"),
                };
                return Err(Error::Length { vector, expected, found: entries.len() });
            }
        }
        Ok(())
    }

    /// The three diagonals of one system in f64, n entries each, zeros at unused corners; the diagonal as values, not excess.
    pub(crate) fn wide_matrix(&self, shape: &Shape, system: usize) -> [Vec<f64>; 3] {
        let (lower, diag, upper) = self.diagonals(shape, system);
        let [lower, mut diag, upper] = [lower, diag, upper].map(|v| v.iter().map(|v| v.to_f64()).collect::<Vec<_>>());
        if self.kind == Diagonal::Excess {
            for (diag, (lower, upper)) in diag.iter_mut().zip(lower.iter().zip(&upper)) {
                *diag += lower.abs() + upper.abs();
            }
        }
        [lower, diag, upper]
    }

    /// The three diagonals of one system, n entries each, zeros at unused corners.
    pub(crate) fn diagonals(&self, shape: &Shape, system: usize) -> (Vec<T>, Vec<T>, Vec<T>) {
        let mut all = (Vec::with_capacity(shape.n), Vec::with_capacity(shape.n), Vec::with_capacity(shape.n));
        for row in 0..shape.n {
            let (lower, diag, upper) = self.row(shape, system, row);
            all.0.push(lower);
            all.1.push(diag);
            all.2.push(upper);
        }
        all
    }

    /// The vector, and the row of it, that hold the entries of a row: left of the diagonal, on it, and right of it.
    fn places(&self, shape: &Shape, row: usize) -> [(&'static str, usize); 3] {
        let (before, behind) = ((row + shape.n - 1) % shape.n, (row + 1) % shape.n);
        match self.structure {
            Structure::General => [("lower", row), ("diag", row), ("upper", row)],
            Structure::Transposed => [("upper", before), ("diag", row), ("lower", behind)],
            Structure::Symmetric => [("upper", before), ("diag", row), ("upper", row)],
        }
    }

    /// The entry of a row that is not finite, if there is one: of the matrix, or of a right-hand side.
    pub(crate) fn not_finite(&self, shape: &Shape, rhs: &[T], system: usize, row: usize) -> Option<Error> {
        let (left, own, right) = self.row(shape, system, row);
        let in_matrix = self.places(shape, row).into_iter().zip([left, own, right]);
        let in_rhs = (0..shape.columns).map(|column| (("rhs", row), rhs[shape.rhs_index(system, column, row)]));
        let ((vector, row), _) = in_matrix.chain(in_rhs).find(|(_, value)| !value.is_finite())?;
        Some(Error::NonFiniteInput { vector, system, row })
    }

    /// Finds the first system, and its first row, with an entry that is not finite.
    pub(crate) fn check_finite(&self, shape: &Shape, rhs: &[T]) -> Result<()> {
        let rows = (0..shape.batch).flat_map(|system| (0..shape.n).map(move |row| (system, row)));
        rows.filter_map(|(system, row)| self.not_finite(shape, rhs, system, row)).next().map_or(Ok(()), Err)
    }

    /// The judge of one system.
    pub(crate) fn judge(&self, shape: &Shape, system: usize) -> Judge<T> {
        let (lower, diag, upper) = self.diagonals(shape, system);
        let is_excess = self.kind == Diagonal::Excess;
        Judge::new(Matrix { system, lower, diag, upper, is_excess, periodic: self.periodic })
    }

    /// (lower, diag, upper) of a row, zeros at unused corners.
    pub(crate) fn row(&self, shape: &Shape, system: usize, row: usize) -> (T, T, T) {
        let n = shape.n;
        let (before, behind) = ((row + n - 1) % n, (row + 1) % n);
        let Forms { lower, diag, upper } = self.forms;
        let shift = usize::from(self.without_corner(shape, (self.lower, lower)));
        let lower = |row| self.lower[lower.place(shape, system, row) - shift];
        let upper = |row| self.upper[upper.place(shape, system, row)];
        let (has_left, has_right) = (self.periodic || row > 0, self.periodic || row + 1 < n);
        let left = |entry: &dyn Fn(usize) -> T, row| if has_left { entry(row) } else { T::ZERO };
        let right = |entry: &dyn Fn(usize) -> T, row| if has_right { entry(row) } else { T::ZERO };
        let (left, right) = match self.structure {
            Structure::General => (left(&lower, row), right(&upper, row)),
            Structure::Transposed => (left(&upper, before), right(&lower, behind)),
            Structure::Symmetric => (left(&upper, before), right(&upper, row)),
        };
        (left, self.diag[diag.place(shape, system, row)], right)
    }
}

/// Index into three coefficients: of the first row, the inner rows, or the last row.
pub fn kind_of(row: usize, n: usize) -> usize {
    match row {
        0 => 0,
        _ if row + 1 == n => 2,
        _ => 1,
    }
}

/// Everything a solve reads and writes, in device memory.
///
/// The ranges hold the entries that the plan's [`Shape`] spans: rows of `lower`, `diag`, `upper` by [`Shape::matrix_index`], of `rhs` and
/// `x` by [`Shape::rhs_index`]. They may be ranges of one buffer; x may share bytes with none of the others. For symmetric matrices give
/// `upper` for `lower` too: it is bound but not read. A vector of [`Form::Constant`] has 1 to 4 entries, of which the first is read; one of
/// [`Form::Ends`] has 3 or 4, of which the first three are read. If its buffer has room for 4, kernels load four entries of the other vectors at once.
#[derive(Debug, Clone, Copy)]
pub struct DeviceSystem<'a, T> {
    /// Entries left of the diagonal; the entry of a first row is not used.
    pub lower: DeviceSlice<'a, T>,
    /// The diagonal or its excess, as the plan's options say.
    pub diag: DeviceSlice<'a, T>,
    /// Entries right of the diagonal; the entry of a last row is not used.
    pub upper: DeviceSlice<'a, T>,
    /// Right-hand sides.
    pub rhs: DeviceSlice<'a, T>,
    /// Destination of the unknowns; `None` overwrites `rhs`.
    pub x: Option<DeviceSlice<'a, T>>,
}

/// Refuses a vector of another form than [`Form::Each`] with more than 4 entries: it is probably one of all rows, and a solve would read
/// few of them.
pub(crate) fn check_forms<T: Real>(form: &MatrixForm, matrix: [Option<DeviceSlice<'_, T>>; 3]) -> Result<()> {
    let given = form.bound().named().into_iter().zip(matrix).filter_map(|(named, slice)| Some((named, slice?)));
    for ((vector, form), slice) in given {
        if form != Form::Each && slice.len() > 4 {
            let expected = match form {
                Form::Ends => {
                    "3 for Form::Ends: of the first row, of inner rows, of the last row (a fourth is not read)"
                }
                _ => "1 for Form::Constant (up to three more are not read)",
            };
            return Err(Error::Length { vector, expected: expected.into(), found: slice.len() });
        }
    }
    Ok(())
}

/// The inputs of a solve: `lower`, `diag`, `upper` and `rhs`, where they are given, and the vectors of formulas.
pub(super) struct Inputs<'a, T> {
    pub given: [Option<DeviceSlice<'a, T>>; 4],
    pub of_formulas: Vec<DeviceSlice<'a, T>>,
    pub textures: Vec<&'a wgpu::TextureView>,
    /// Destination of the unknowns; `None` overwrites `rhs`.
    pub x: Option<DeviceSlice<'a, T>>,
}

impl<'a, T: Real> From<&DeviceSystem<'a, T>> for Inputs<'a, T> {
    fn from(&DeviceSystem { lower, diag, upper, rhs, x }: &DeviceSystem<'a, T>) -> Self {
        Self { given: [lower, diag, upper, rhs].map(Some), of_formulas: vec![], textures: vec![], x }
    }
}

impl<'a, T: Real> Inputs<'a, T> {
    /// The vectors of a solve of this shape, which the plan has checked.
    ///
    /// # Errors
    /// As [`check_forms`]; [`Error::Options`] if x should replace a right-hand side that is not given.
    pub fn vectors(&self, shape: &Shape, form: &MatrixForm) -> Result<Vectors<'a, T>> {
        let [lower, diag, upper, rhs] = self.given;
        check_forms(form, [lower, diag, upper])?;
        let forms = form.bound().named();
        let right = shape.rhs_len().unwrap_or(usize::MAX);
        let of_matrix = forms.into_iter().zip([lower, diag, upper]).map(|((name, form), slice)| {
            slice.map(|slice| Vector { name, slice, len: form.len(shape).unwrap_or(usize::MAX), in_rows: true })
        });
        let rhs_vector = rhs.map(|slice| Vector { name: "rhs", slice, len: right, in_rows: true });
        let (name, slice) = match (self.x, rhs) {
            (Some(x), _) => ("x", x),
            (None, Some(rhs)) => ("rhs (in place)", rhs),
            (None, None) => {
                let message =
                    "the right-hand side has a formula, so there is no rhs that x could replace: give x".into();
                return Err(Error::Options(message));
            }
        };
        Ok(Vectors {
            inputs: of_matrix.chain([rhs_vector]).flatten().chain(Vector::of_formulas(&self.of_formulas)).collect(),
            output: Vector { name, slice, len: right, in_rows: true },
            in_place: self.x.is_none().then_some("rhs"),
            starts: Starts::Anywhere,
            textures: self.textures.clone(),
        })
    }
}
