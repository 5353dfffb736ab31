//! The one error type: what was wrong, where, and what to do about it. One list, so that nobody has to search for an error: longer than
//! other files.

use std::fmt::Display;

use crate::precision::Precision;

/// What went wrong, in terms of the caller's data, device or request.
///
/// Each message says what was found and where; where there is a remedy, also what to do. Match on the variant; print the
/// value for a person. New variants may be added.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No adapter could be found at all. Solves on the CPU need none: `solve_on_cpu` of each family,
    /// [`solve_or_cpu`](crate::tridiagonal::solve_or_cpu).
    #[error(
        "no GPU adapter found ({reason}); install a Vulkan, Metal or DirectX 12 driver (on Debian or Ubuntu, \
         `apt-get install mesa-vulkan-drivers libvulkan1` gives a software one)"
    )]
    NoAdapter {
        /// What the backends said.
        reason: String,
    },

    /// An adapter was asked for by a name that none has.
    #[error("no adapter's name contains {name:?}; there are: {available}")]
    UnknownAdapter {
        /// The name asked for.
        name: String,
        /// The names there are.
        available: String,
    },

    /// The device lacks something that the request needs.
    #[error("{what} is not supported here: {hint}")]
    Unsupported {
        /// What is missing.
        what: String,
        /// What would serve instead.
        hint: String,
    },

    /// The device was lost, or stopped answering.
    #[error("the GPU device was lost ({reason}); create a new device and plan again")]
    DeviceLost {
        /// What the driver said.
        reason: String,
    },

    /// The device has no room for an allocation.
    #[error("out of device memory: {what} needs {bytes} bytes; solve fewer systems at a time or free other buffers")]
    OutOfMemory {
        /// What was to be allocated.
        what: String,
        /// Its size.
        bytes: u64,
    },

    /// A size goes past one of the device's limits.
    #[error(
        "{what} needs {needed}, but this device's {limit} is {available}; for a device of your own ask for \
         `trisolve::required_limits`, otherwise solve less at a time, or choose a smaller policy"
    )]
    Limit {
        /// What was asked for.
        what: String,
        /// How much of the limit it needs.
        needed: u64,
        /// The limit's name in `wgpu::Limits`, or this library's.
        limit: &'static str,
        /// The limit's value here.
        available: u64,
    },

    /// A shader did not compile: a defect of this library or of the driver.
    #[error("kernel {kernel} did not compile: {message}")]
    Kernel {
        /// Kernel and permutation.
        kernel: String,
        /// What the compiler said.
        message: String,
    },

    /// The device refused something: a defect of this library, or a buffer of another device.
    #[error("the device refused {what}: {message}")]
    Device {
        /// What was being done.
        what: String,
        /// What it said.
        message: String,
    },

    /// A size is zero, or strides let two entries share a place.
    #[error("bad shape: {0}")]
    Shape(String),

    /// A vector's length does not fit the shape.
    #[error("{vector} has {found} entries, but the shape needs {expected}")]
    Length {
        /// Which vector.
        vector: &'static str,
        /// Entries needed, in words where several lengths would do.
        expected: String,
        /// Entries there are.
        found: usize,
    },

    /// Options that contradict each other or the data.
    #[error("{0}")]
    Options(String),

    /// A formula of a computed coefficient that cannot be used.
    #[error(
        "the formula of {coefficient}, line {line}, column {column}: {message}{}",
        marked(formula, *line, *column)
    )]
    Formula {
        /// Which coefficient it is of.
        coefficient: &'static str,
        /// The line in the formula, counted from 1.
        line: usize,
        /// The character in the line, counted from 1.
        column: usize,
        /// What was found, and what should be there.
        message: String,
        /// The formula.
        formula: String,
    },

    /// A range of a buffer does not start at a multiple of what the device asks for.
    #[error("{vector} starts at byte {offset}, which is not a multiple of {alignment}")]
    Misaligned {
        /// Which vector.
        vector: &'static str,
        /// Its offset in its buffer.
        offset: u64,
        /// `min_storage_buffer_offset_alignment`, or an entry's size.
        alignment: u64,
    },

    /// A range reaches past the end of its buffer.
    #[error("{vector} reaches to byte {end} of a buffer of {size} bytes")]
    BufferTooSmall {
        /// Which vector.
        vector: &'static str,
        /// Where the range ends.
        end: u64,
        /// The buffer's size.
        size: u64,
    },

    /// A buffer was made without a usage that it needs.
    #[error("the buffer of {vector} was created without {usage}")]
    BufferUsage {
        /// Which vector.
        vector: &'static str,
        /// The usage to add to its descriptor.
        usage: &'static str,
    },

    /// Two ranges that must be apart share bytes.
    #[error(
        "{first} and {second} share bytes of one buffer; the solution may overlap only what it replaces (in a system rhs), and \
         only exactly: pass `x: None`"
    )]
    Overlap {
        /// One vector.
        first: &'static str,
        /// The other.
        second: &'static str,
    },

    /// NaN or infinity in the input.
    #[error("{vector} is not finite in row {row} of system {system}")]
    NonFiniteInput {
        /// Which vector, or "a coefficient or right-hand side" where the device did not say.
        vector: &'static str,
        /// The system, counted from 0.
        system: usize,
        /// The row, counted from 0.
        row: usize,
    },

    /// On a software driver that ends long loops, a formula gave NaN or infinity, or its loops were too long.
    #[error(
        "the formula of {vector} gives no finite number in row {row} of sequence {system}, or its loops take too many rounds ({adapter} \
         silently ends loops after 65535 rounds per subgroup); check the formula in this row, then shorten its loops, pass the coefficient \
         as a vector, or use a GPU"
    )]
    LongLoops {
        /// The coefficient: "s" or "t".
        vector: &'static str,
        /// The sequence, counted from 0.
        system: usize,
        /// The row, counted from 0.
        row: usize,
        /// The adapter's name.
        adapter: String,
    },

    /// The matrix has no inverse.
    #[error("system {system} is singular: elimination with pivoting finds no pivot in row {row}")]
    Singular {
        /// The system, counted from 0.
        system: usize,
        /// The first row of zeros, if there is one. Otherwise elimination found no pivot in this row; the cause is this row or a row above.
        /// Counted from 0.
        row: usize,
    },

    /// A triangular matrix with a zero on its diagonal.
    #[error("the triangular matrix of system {system} is singular: its diagonal is 0 in row {row}")]
    ZeroDiagonal {
        /// The system, counted from 0.
        system: usize,
        /// The row, counted from 0.
        row: usize,
    },

    /// A value of a Moebius recurrence is 0/0.
    #[error(
        "sequence {system} has no value in row {row}: a w + b and c w + d are both 0 there (the matrix (a b; c d) is singular, \
         and w before the row is its null vector)"
    )]
    Indeterminate {
        /// The sequence, counted from 0.
        system: usize,
        /// The row, counted from 0.
        row: usize,
    },

    /// Elimination met a zero pivot, an overflow or an underflow.
    #[error(
        "system {system} broke down near row {row}: a zero pivot, an overflow or an underflow; use auto or pivoting, which \
         exchange rows and close the ring of a periodic system, the CPU (`Place::Cpu`, in the program `--place cpu`), or \
         f64 for its wider range"
    )]
    Breakdown {
        /// The system, counted from 0.
        system: usize,
        /// First row of those a thread took where it showed, counted from 0.
        row: usize,
    },

    /// A tridiagonal system is not what its options promise.
    #[error(
        "system {system} is not diagonally dominant, as `Options::dominant` promises: leave the promise out, and rows are \
         exchanged where they have to be"
    )]
    NotDominant {
        /// The system, counted from 0.
        system: usize,
    },

    /// One partition of `pivoting`, some eight rows, is singular, or its rows depend on each other. Only recorded solves return it: a
    /// host solve takes the CPU's answer.
    #[error(
        "system {system}: one pivoting partition is singular; the matrix need not be. x is lost (with `Stability::Stable`, half of \
         its digits). Use `TridiagonalPlan::solve`, which takes the CPU's answer, or `solve_on_cpu`"
    )]
    SingularPartition {
        /// The system, counted from 0.
        system: usize,
    },

    /// The matrix is too ill-conditioned to solve in this precision.
    #[error(
        "system {system} is singular to working precision: its condition is about {condition:.0e}, which leaves no digit of x in \
         {precision}{}",
        if *precision == Precision::F32 && *condition < 1e15 { "; f64 may give correct digits" } else { "" }
    )]
    NearlySingular {
        /// The system, counted from 0.
        system: usize,
        /// Estimated: Skeel's condition cond(A, x) = || |A^-1| |A| |x| || / ||x|| in the maximum norm, or the least condition by any
        /// scaling of rows and columns (of sparse elimination: times the growth of entries), or (iterated answers of matrices that
        /// fill up in elimination) a probed norm of A^-1.
        condition: f64,
        /// What was solved in.
        precision: Precision,
    },

    /// A tridiagonal algorithm other than `auto` and `pivoting` lost the accuracy that the matrix allows: it exchanges no rows, and
    /// met small pivots, or opened a ring badly.
    #[error(
        "system {system} lost its accuracy to small pivots (forward error about {forward_error:.0e}): take `auto`, which \
         exchanges rows where it has to"
    )]
    Inaccurate {
        /// The system, counted from 0.
        system: usize,
        /// ||x^ - x|| / ||x|| in the maximum norm.
        forward_error: f64,
    },

    /// Rounding leaves no digit of an answer.
    #[error(
        "system {system}: the answer has no correct digit in {precision} (estimated forward error {forward_error:.0e}): {advice}"
    )]
    NoDigits {
        /// The system or sequence, counted from 0.
        system: usize,
        /// The estimated forward error, in the maximum norm.
        forward_error: f64,
        /// What was computed in.
        precision: Precision,
        /// What to do.
        advice: String,
    },

    /// No bound for the error of an iterated answer was found: solves that probe how much the matrix amplifies errors do not converge.
    #[error(
        "system {system}: the error of the answer is not known, because solves for the right-hand sides that probe how much the \
         matrix amplifies errors do not converge; the matrix may be singular, or another method may suit it better"
    )]
    Unverified {
        /// The system, counted from 0.
        system: usize,
    },

    /// A filter with poles outside the unit circle, or coefficients so large, that its powers leave the range.
    #[error(
        "the filter's response to one impulse grows past the range of {precision} within {rows} rows: up to {possible} \
         are possible; take fewer (in blocks, each from the final state of the one before){}, or `cpu::filter` (in the \
         program `--place cpu`)",
        if *precision == Precision::F32 { ", f64 with its wider range" } else { "" }
    )]
    Unstable {
        /// Rows of a sequence.
        rows: usize,
        /// How many there may be.
        possible: usize,
        /// What was to be computed in.
        precision: Precision,
    },

    /// A filter whose outputs rounding may move by more than one per cent: poles lie close together near the unit circle, or a section of a
    /// cascade suppresses what another one passes.
    #[error(
        "rounding in {precision} would be about {noise:.0e} times the filter's output over {rows} rows, since poles lie \
         close together near the unit circle, or a section of a cascade suppresses what another one passes: take {}fewer \
         rows, or a cascade of second-order sections in place of a direct form",
        if *precision == Precision::F32 { "f64, " } else { "" }
    )]
    Noisy {
        /// Rows of a sequence.
        rows: usize,
        /// Relative to the output: [`Cascade::rounding_noise`](crate::filter::Cascade::rounding_noise).
        noise: f64,
        /// What was to be computed in.
        precision: Precision,
    },

    /// A value of the answer is too large for the precision.
    #[error(
        "the answer of system {system} overflows {precision} in row {row}; scale its input down{}",
        if *precision == Precision::F32 { ", or take f64" } else { "" }
    )]
    Overflow {
        /// The system or sequence, counted from 0.
        system: usize,
        /// The row, counted from 0. Of a filter, the last row also if only the state after it is past the range.
        row: usize,
        /// What was computed in.
        precision: Precision,
    },

    /// An entry of a sparse matrix outside of it.
    #[error("entry ({row}, {column}) lies outside the matrix of {rows} x {rows}")]
    Index {
        /// Its row, counted from 0.
        row: usize,
        /// Its column, counted from 0.
        column: usize,
        /// Rows, and columns, of the matrix.
        rows: usize,
    },

    /// A row of a sparse matrix without entries, so that there is no solution.
    #[error("the matrix is singular: row {row} has no entries")]
    EmptyRow {
        /// The row, counted from 0.
        row: usize,
    },

    /// A row of a sparse matrix that does not survive its conversion to a narrower precision.
    #[error("row {row} of the matrix: {what} the range of {precision}; scale the matrix, or take f64, without `mixed`")]
    Narrowed {
        /// The row, counted from 0.
        row: usize,
        /// Which of its entries are what.
        what: &'static str,
        /// The narrower precision.
        precision: Precision,
    },

    /// A zero on the diagonal of a matrix that a method divides by.
    #[error(
        "the diagonal is 0 in row {row}, and {method} divides by it; reorder the rows, or on a device take gmres or \
         bicgstab with the preconditioner none"
    )]
    ZeroOnDiagonal {
        /// The row, counted from 0.
        row: usize,
        /// What divides by it.
        method: String,
    },

    /// An iteration that did not reach its tolerance.
    #[error(
        "{method} {} after {iterations} iteration{} (relative residual {residual:.1e}): {advice}{}",
        outcome.name(),
        if *iterations == 1 { "" } else { "s" },
        broken(*broken_rows, *first_broken)
    )]
    NotConverged {
        /// The method, with its preconditioner.
        method: String,
        /// How it ended.
        outcome: crate::outcome::Outcome,
        /// Iterations done.
        iterations: usize,
        /// ||b - A x|| / ||b|| at the end.
        residual: f64,
        /// Why, as far as that is known, and what else to try.
        advice: String,
        /// Rows that are not diagonally dominant, where the method relies on that.
        broken_rows: usize,
        /// The first of them, counted from 0.
        first_broken: Option<usize>,
    },

    /// The largest value of the answer is below the normal range of the precision.
    #[error(
        "the largest value of the answer is {}, too small for {precision} to hold with all its digits; scale the input up{}",
        if *largest == 0.0 { "nearly 0".into() } else { format!("about {largest:.0e}") },
        if *precision == Precision::F32 { ", or take f64" } else { "" }
    )]
    Underflow {
        /// About the largest |x|; 0 if that is below the range of f64.
        largest: f64,
        /// What was computed in.
        precision: Precision,
    },

    /// A file could not be read or written.
    #[error("{path}: {message}")]
    File {
        /// The file.
        path: String,
        /// What the system said.
        message: String,
    },

    /// A file does not hold what its format demands.
    #[error("{path}{}: {message}", in_line(*line))]
    Parse {
        /// The file.
        path: String,
        /// The line, counted from 1; 0 for the file as a whole.
        line: u64,
        /// What was found, and what should be there.
        message: String,
    },
}

impl Error {
    /// The error of one system, as that of a system of a batch.
    #[must_use]
    pub fn of_system(self, system: usize) -> Self {
        match self {
            Self::Singular { row, .. } => Self::Singular { system, row },
            Self::Breakdown { row, .. } => Self::Breakdown { system, row },
            Self::Overflow { row, precision, .. } => Self::Overflow { system, row, precision },
            Self::NearlySingular { condition, precision, .. } => Self::NearlySingular { system, condition, precision },
            Self::Unverified { .. } => Self::Unverified { system },
            Self::Indeterminate { row, .. } => Self::Indeterminate { system, row },
            Self::NoDigits { forward_error, precision, advice, .. } => {
                Self::NoDigits { system, forward_error, precision, advice }
            }
            other => other,
        }
    }
}

/// [`Error::Limit`] if more is needed than there is.
pub(crate) fn check_limit(what: impl Display, needed: u64, limit: &'static str, available: u64) -> Result<()> {
    if needed > available {
        return Err(Error::Limit { what: what.to_string(), needed, limit, available });
    }
    Ok(())
}

/// Which rows break the dominance.
fn broken(rows: usize, first: Option<usize>) -> String {
    match (rows, first) {
        (1, Some(first)) => format!(" (row {first} is not diagonally dominant)"),
        (_, Some(first)) => format!(" ({rows} rows are not diagonally dominant, the first is row {first})"),
        _ => String::new(),
    }
}

/// Which line of a file.
fn in_line(line: u64) -> String {
    if line == 0 { String::new() } else { format!(", line {line}") }
}

/// The line with the place marked below it, without what is far away from there.
fn marked(text: &str, line: usize, column: usize) -> String {
    const NEAR: usize = 60;
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let before = column.saturating_sub(1);
    let skipped = before.saturating_sub(NEAR);
    let shown: String = line.chars().skip(skipped).take(2 * NEAR).map(|c| if c == '\t' { ' ' } else { c }).collect();
    format!("\n  {shown}\n  {}^", " ".repeat(before - skipped))
}

/// Shorthand for results of this library.
pub type Result<T> = std::result::Result<T, Error>;
