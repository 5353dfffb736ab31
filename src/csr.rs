//! Sparse matrices on the host.

use crate::arithmetic::{exponent, times_power};
use crate::error::{Error, Result};
use crate::precision::Precision;
use crate::real::{ExactSum, Real, Scalar};

/// Rows whose largest entries differ by no more than this power of two stay as they are.
const NEAR: i32 = 4;

/// A square sparse matrix, row by row (compressed sparse rows): the columns of a row ascend, each at most once.
#[derive(Debug, Clone, PartialEq)]
pub struct Csr<T> {
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<T>,
}

impl<T: Real> Csr<T> {
    /// From its three arrays: `offsets` has a number more than there are rows, and row i has the entries from
    /// `offsets[i]` to `offsets[i + 1]`. Columns may come in any order; entries of one place are added up exactly, and the
    /// sum is rounded to f64, then to `T`.
    ///
    /// # Errors
    /// [`Error::Length`] where the arrays do not fit each other; [`Error::Index`] for a column outside of the matrix;
    /// [`Error::NonFiniteInput`]; [`Error::Shape`] for more rows or entries than 32 bits can count.
    pub fn new(offsets: &[usize], columns: &[u32], values: &[T]) -> Result<Self> {
        let Some(rows) = offsets.len().checked_sub(1) else {
            return Err(Error::Length { vector: "offsets", expected: "rows + 1".into(), found: 0 });
        };
        check_count(rows, values.len())?;
        if columns.len() != values.len() {
            let expected = format!("as many as values, {}", values.len());
            return Err(Error::Length { vector: "columns", expected, found: columns.len() });
        }
        if offsets[0] != 0 || offsets[rows] != values.len() || offsets.windows(2).any(|pair| pair[0] > pair[1]) {
            let message =
                "the offsets of a sparse matrix should begin with 0, not descend, and end with the number of entries";
            return Err(Error::Shape(message.into()));
        }
        let mut made = Self { offsets: Vec::with_capacity(rows + 1), columns: vec![], values: vec![] };
        made.offsets.push(0);
        made.columns.reserve(values.len());
        made.values.reserve(values.len());
        let mut sorted = Vec::new();
        for row in 0..rows {
            let range = offsets[row]..offsets[row + 1];
            let entries = || columns[range.clone()].iter().copied().zip(values[range.clone()].iter().copied());
            if let Some((column, _)) = entries().find(|&(column, _)| column as usize >= rows) {
                return Err(Error::Index { row, column: column as usize, rows });
            }
            if columns[range.clone()].windows(2).all(|pair| pair[0] < pair[1]) {
                made.columns.extend_from_slice(&columns[range.clone()]);
                made.values.extend_from_slice(&values[range.clone()]);
            } else {
                sorted.clear();
                sorted.extend(entries());
                sorted.sort_by_key(|entry| entry.0);
                made.push_sorted(&sorted);
            }
            made.offsets.push(made.columns.len());
            let own = &made.values[made.offsets[row]..];
            if own.iter().any(|value| !value.is_finite()) {
                return Err(Error::NonFiniteInput { vector: "the matrix", system: 0, row });
            }
        }
        Ok(made)
    }

    /// From entries (row, column, value) in any order; those of one place are added up as by [`Csr::new`].
    ///
    /// # Errors
    /// As [`Csr::new`]; [`Error::Index`] for a row outside too.
    pub fn from_triplets(rows: usize, triplets: impl IntoIterator<Item = (usize, usize, T)>) -> Result<Self> {
        let mut all = Vec::new();
        for (row, column, value) in triplets {
            if row >= rows || column >= rows {
                return Err(Error::Index { row, column, rows });
            }
            all.push((row, column, value));
        }
        check_count(rows, all.len())?;
        // By row, as they come: the sort of each row is `new`'s.
        let mut offsets = vec![0; rows + 1];
        for entry in &all {
            offsets[entry.0 + 1] += 1;
        }
        for row in 0..rows {
            offsets[row + 1] += offsets[row];
        }
        let mut next = offsets.clone();
        let mut columns = vec![0; all.len()];
        let mut values = vec![T::ZERO; all.len()];
        for (row, column, value) in all {
            columns[next[row]] = column as u32;
            values[next[row]] = value;
            next[row] += 1;
        }
        Self::new(&offsets, &columns, &values)
    }

    fn push_sorted(&mut self, sorted: &[(u32, T)]) {
        for place in sorted.chunk_by(|one, next| one.0 == next.0) {
            let value = match place {
                [(_, value)] => *value,
                _ => {
                    let mut sum = ExactSum::default();
                    place.iter().for_each(|(_, value)| sum.add(value.to_f64()));
                    T::from_f64(sum.rounded())
                }
            };
            self.columns.push(place[0].0);
            self.values.push(value);
        }
    }

    /// The matrix in another precision. Entries may become 0 where they vanish beside others of their row.
    ///
    /// # Errors
    /// [`Error::Narrowed`] for an entry past its range, and for a diagonal entry, or all of a row, below its normal numbers.
    pub fn converted<U: Real>(&self) -> Result<Csr<U>> {
        let converted = self.mapped(|value| U::from_f64(value.to_f64()));
        let least = U::PRECISION.least_normal();
        for row in 0..self.rows() {
            let refuse = |what| Err(Error::Narrowed { row, what, precision: U::PRECISION });
            let largest = converted.row(row).fold(0.0, |largest, (_, value)| f64::max(largest, value.to_f64().abs()));
            let lost = |((column, wide), (_, own)): ((usize, T), (usize, U))| {
                column == row && wide != T::ZERO && own.to_f64().abs() < least
            };
            if largest.is_infinite() {
                return refuse("an entry is past");
            }
            if largest < least && self.row(row).any(|(_, value)| value != T::ZERO) {
                return refuse("all its entries are below");
            }
            if self.row(row).zip(converted.row(row)).any(lost) {
                return refuse("its diagonal entry is below");
            }
        }
        Ok(converted)
    }

    /// The same numbers in f64.
    pub(crate) fn widened(&self) -> Csr<f64> {
        self.mapped(T::to_f64)
    }

    /// Powers of two that make the largest entry of every row about 1; `None` where those are of one size already.
    pub(crate) fn row_scaling(&self) -> Option<Vec<i32>> {
        let size = |row| self.row(row).filter_map(|(_, value)| exponent(value.to_f64())).max();
        let sizes: Vec<_> = (0..self.rows()).map(|row| size(row).unwrap_or(0)).collect();
        let (least, most) = (sizes.iter().min()?, sizes.iter().max()?);
        // Powers that T holds.
        let most_power = if T::PRECISION == Precision::F32 { 126 } else { 1022 };
        let power = |size: i32| (-size).clamp(-most_power, most_power);
        (most - least > NEAR).then(|| sizes.iter().map(|&size| power(size)).collect())
    }

    /// The matrix with its rows multiplied by powers of two.
    pub(crate) fn scaled(&self, powers: &[i32]) -> Self {
        let mut scaled = self.clone();
        for (row, power) in powers.iter().enumerate() {
            for value in &mut scaled.values[self.offsets[row]..self.offsets[row + 1]] {
                *value = T::from_f64(times_power(value.to_f64(), *power));
            }
        }
        scaled
    }

    /// A vector multiplied likewise.
    pub(crate) fn scaled_vector(powers: &[i32], vector: &[T]) -> Vec<T> {
        let entries = vector.iter().zip(powers);
        entries.map(|(value, power)| T::from_f64(times_power(value.to_f64(), *power))).collect()
    }

    /// A x, added up in f64.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn times(&self, x: &[T]) -> Result<Vec<T>> {
        self.check_vector("x", x.len())?;
        let row = |row| self.row(row).map(|(column, value)| value.to_f64() * x[column].to_f64()).sum();
        Ok((0..self.rows()).map(|at| T::from_f64(row(at))).collect())
    }

    /// ||b - A x|| / ||b||, added up in f64, of rows scaled by powers of two where their sizes differ by more than 16, so that no large row
    /// hides the others; of b = 0 the norm of A x.
    ///
    /// # Errors
    /// [`Error::Length`].
    pub fn relative_residual(&self, x: &[T], rhs: &[T]) -> Result<f64> {
        self.check_vector("x", x.len())?;
        self.check_vector("rhs", rhs.len())?;
        let powers = self.row_scaling();
        let power = |row: usize| powers.as_ref().map_or(0, |powers| powers[row]);
        let right_of = |row: usize| times_power(rhs[row].to_f64(), power(row));
        let largest = (0..rhs.len()).fold(0f64, |largest, row| largest.max(right_of(row).abs()));
        let scale = if largest > 0.0 { largest } else { 1.0 };
        let (mut residual, mut norm) = (0f64, 0f64);
        for row in 0..rhs.len() {
            let term =
                |(column, value): (usize, T)| times_power(value.to_f64(), power(row)) * (x[column].to_f64() / scale);
            let own: f64 = self.row(row).map(term).sum();
            let right = right_of(row) / scale;
            residual += (right - own).powi(2);
            norm += right * right;
        }
        Ok(if norm > 0.0 { (residual / norm).sqrt() } else { residual.sqrt() })
    }
}

impl<T: Scalar> Csr<T> {
    /// Rows, and columns.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Entries in all.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Columns and values of a row, of which there are [`Csr::rows`].
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, T)> + Clone {
        let range = match self.offsets.get(row..row + 2) {
            Some(pair) => pair[0]..pair[1],
            None => 0..0,
        };
        let columns = self.columns[range.clone()].iter().map(|&column| column as usize);
        columns.zip(self.values[range].iter().copied())
    }

    /// The transpose.
    pub fn transposed(&self) -> Self {
        let rows = self.rows();
        let mut offsets = vec![0; rows + 1];
        for &column in &self.columns {
            offsets[column as usize + 1] += 1;
        }
        for row in 0..rows {
            offsets[row + 1] += offsets[row];
        }
        let mut next = offsets.clone();
        let mut columns = vec![0; self.entries()];
        let mut values = vec![T::ZERO; self.entries()];
        for row in 0..rows {
            for (column, value) in self.row(row) {
                columns[next[column]] = row as u32;
                values[next[column]] = value;
                next[column] += 1;
            }
        }
        Self { offsets, columns, values }
    }

    /// The entries whose row and column are `wanted`.
    pub(crate) fn filtered(&self, wanted: impl Fn(usize, usize) -> bool) -> Self {
        let rows = self.rows();
        let wanted = &wanted;
        let own = |row| self.row(row).filter(move |&(column, _)| wanted(row, column));
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        let mut count = 0;
        for row in 0..rows {
            count += own(row).count();
            offsets.push(count);
        }
        let (mut columns, mut values) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (column, value) in (0..rows).flat_map(own) {
            columns.push(column as u32);
            values.push(value);
        }
        Self { offsets, columns, values }
    }

    /// The same pattern with other numbers, which should be finite.
    pub(crate) fn mapped<U>(&self, convert: impl Fn(T) -> U) -> Csr<U> {
        let values = self.values.iter().map(|&value| convert(value)).collect();
        Csr { offsets: self.offsets.clone(), columns: self.columns.clone(), values }
    }

    pub(crate) fn check_vector(&self, vector: &'static str, found: usize) -> Result<()> {
        match found == self.rows() {
            true => Ok(()),
            false => Err(Error::Length { vector, expected: self.rows().to_string(), found }),
        }
    }
}

/// Rows, and what may lie behind them in a vector, are counted by 32 bits.
fn check_count(rows: usize, entries: usize) -> Result<()> {
    const MOST: usize = 1 << 31;
    match rows.max(entries) <= MOST {
        true => Ok(()),
        false => Err(Error::Shape(format!(
            "a sparse matrix of {rows} rows and {entries} entries: indices are u32, and up to {MOST} of each are taken"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_are_added_up_exactly() {
        let matrix = Csr::new(&[0, 3], &[0, 0, 0], &[1e8f32, 5.0, -1e8]).expect("a matrix");
        assert_eq!(matrix.row(0).collect::<Vec<_>>(), [(0, 5.0)]);
        let entries = [(1, 1, 1e17), (0, 0, 2.0), (1, 1, 5.0), (1, 0, 3.0), (1, 1, 1e-9), (1, 1, -1e17), (1, 1, -5.0)];
        let matrix = Csr::from_triplets(2, entries).expect("a matrix");
        assert_eq!(matrix.row(1).collect::<Vec<_>>(), [(0, 3.0), (1, 1e-9)]);
        let past = Csr::from_triplets(1, [(0, 0, 3e38f32), (0, 0, 3e38)]);
        assert!(matches!(past, Err(Error::NonFiniteInput { row: 0, .. })));
    }
}
