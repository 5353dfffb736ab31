//! Powers of the matrix that advances a state by one row.

use super::MAX_STATE;
use super::basis::Basis;
use super::cascade::Cascade;
use super::matrix::Matrix;
use crate::precision::Precision;
use crate::real::Real;

/// The powers of a filter's matrix, in the basis for composing states.
pub(super) struct Powers {
    order: usize,
    pub basis: Basis,
    /// The output of a row of input 0, for 1 in each number of the state in this basis.
    pub output: [f64; MAX_STATE],
}

impl Powers {
    pub fn new(filter: &Cascade) -> Self {
        let order = filter.order();
        let (advancing, outputs) = Matrix::advancing(filter);
        let basis = Basis::new(&advancing, order);
        Self { order, basis, output: basis.back.times_row(&outputs) }
    }

    /// By repeated squaring.
    pub fn of(&self, exponent: u64) -> Matrix {
        let mut power = Matrix::identity(self.order);
        for bit in (0..u64::BITS - exponent.leading_zeros()).rev() {
            power = power.times(&power);
            if exponent >> bit & 1 == 1 {
                power = power.times(&self.basis.one);
            }
        }
        power
    }

    /// The powers of a power, from exponent 0 to `last`.
    pub fn of_power(&self, exponent: u64, last: u32) -> Vec<Matrix> {
        let mut all = vec![Matrix::identity(self.order), self.of(exponent)];
        for j in 2..=last as usize {
            let (half, rest) = (all[j / 2], all[j - j / 2]);
            all.push(half.times(&rest));
        }
        all.truncate(last as usize + 1);
        all
    }

    /// The most rows, up to `wanted`, for which no power leaves the range of T.
    pub fn rows_within<T: Real>(&self, wanted: u64) -> u64 {
        let fits = |exponent| self.of(exponent).size() <= largest(T::PRECISION);
        let doublings = std::iter::successors(Some(1u64), |rows| rows.checked_mul(2)).take_while(|rows| *rows < wanted);
        let Some(mut past) = doublings.chain([wanted]).find(|rows| !fits(*rows)) else {
            return wanted;
        };
        let mut within = past / 2;
        while past - within > 1 {
            let middle = within + (past - within) / 2;
            if fits(middle) { within = middle } else { past = middle }
        }
        within
    }

    /// A matrix as kernels read it, row by row and padded to whole quads. Entries past the range belong to powers over more rows than
    /// exist; they multiply 0 or unused states, so any number serves.
    pub fn entries<T: Real>(&self, power: &Matrix) -> impl Iterator<Item = T> {
        let (order, rows) = (self.order, power.rows);
        let entry = move |at: usize| if at < order * order { rows[at / order][at % order] } else { 0.0 };
        (0..matrix_quads(order) as usize * 4).map(move |at| within(entry(at)))
    }
}

impl Powers {
    /// A row of as many numbers as a state, padded to whole quads.
    pub fn row<T: Real>(&self, row: [f64; MAX_STATE]) -> impl Iterator<Item = T> {
        row.into_iter().take(row_quads(self.order) as usize * 4).map(within::<T>)
    }

    /// The number of slices behind which nothing is left of a state, if a sequence has as many: all entries are 0 then.
    pub fn forgotten<T: Real>(&self, slice_rows: u64, slices: u32) -> Option<u32> {
        let nothing = |power: &Matrix| self.entries::<T>(power).all(|entry| entry == T::ZERO);
        let one = self.of(slice_rows);
        let powers = std::iter::successors(Some(one), |power| Some(power.times(&one)));
        (1..=slices).zip(powers).find(|(_, power)| nothing(power)).map(|(count, _)| count)
    }

    /// The number of slices behind which the power, of the filter's own states, has no entry above `least`, up to `most`.
    pub fn faded(&self, slice_rows: u64, most: u32, least: f64) -> Option<u32> {
        let one = self.of(slice_rows);
        let of_states = |power: &Matrix| self.basis.back.times(power).times(&self.basis.into);
        let is_faded = |power: &Matrix| of_states(power).rows.iter().flatten().all(|entry| entry.abs() <= least);
        let powers = std::iter::successors(Some(one), |power| Some(power.times(&one)));
        (1..=most).zip(powers).find(|(_, power)| is_faded(power)).map(|(count, _)| count)
    }
}

/// A number in the range of T.
fn within<T: Real>(value: f64) -> T {
    let most = largest(T::PRECISION);
    T::from_f64(if value.is_nan() { 0.0 } else { value.clamp(-most, most) })
}

/// Quads of numbers that a matrix takes.
pub(super) fn matrix_quads(order: usize) -> u32 {
    (order * order).div_ceil(4) as u32
}

/// Quads of numbers that a row of a matrix takes.
pub(super) fn row_quads(order: usize) -> u32 {
    order.div_ceil(4) as u32
}

/// The largest number.
fn largest(precision: Precision) -> f64 {
    match precision {
        Precision::F32 => f32::MAX.into(),
        Precision::F64 => f64::MAX,
    }
}
