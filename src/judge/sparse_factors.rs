//! The triangles of a sparse matrix.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::answer::converted;
use super::sparse::Entries;
use crate::error::{Error, Result};
use crate::real::Wide;

/// A pivot is at least this share of its row's largest entry. Smaller shares leave more pivots to choose from, so fewer entries
/// fill up, and let entries grow more.
const PIVOT_SHARE: f64 = 0.25;

/// Operations of an elimination at most: about a second in f64.
const MOST_OPERATIONS: usize = 1 << 28;

/// Entries of both triangles at most: 64 MB in f64.
const MOST_ENTRIES: usize = 1 << 22;

/// A = L U with rows and columns in the order of the pivots.
#[derive(Debug)]
pub(super) struct SparseFactors<W> {
    pivots: Vec<Pivot<W>>,
    /// Per pivot, the remaining entries of its row: columns and entries.
    upper: Lists<W>,
    /// Per pivot, the rows from which its row was subtracted, and the factors.
    lower: Lists<W>,
}

#[derive(Debug)]
struct Pivot<W> {
    row: usize,
    column: usize,
    value: W,
}

/// Lists of indices and numbers, one after the other.
#[derive(Debug)]
struct Lists<W> {
    ends: Vec<usize>,
    all: Vec<(u32, W)>,
}

impl<W: Wide> Lists<W> {
    fn new() -> Self {
        Self { ends: vec![0], all: vec![] }
    }

    fn end(&mut self) {
        self.ends.push(self.all.len());
    }

    fn of(&self, at: usize) -> impl Iterator<Item = (usize, W)> {
        self.all[self.ends[at]..self.ends[at + 1]].iter().map(|&(index, value)| (index as usize, value))
    }
}

/// The rows and columns that are not eliminated yet.
struct Rest<W> {
    rows: Vec<Vec<(u32, W)>>,
    /// Per column, the rows that have, or had, an entry there.
    columns: Vec<Vec<u32>>,
    /// Per column, entries.
    counts: Vec<u32>,
    /// Rows by their number of entries. Outdated items are skipped.
    shortest: BinaryHeap<Reverse<(usize, usize)>>,
    /// Per column, one more than the place of its entry in the current row; 0 for none.
    places: Vec<u32>,
}

impl<W: Wide> Rest<W> {
    fn new(entries: &Entries) -> Self {
        let n = entries.n();
        let rows: Vec<Vec<_>> = (0..n)
            .map(|i| {
                let all = entries.row::<W>(i).filter(|(_, value)| *value != W::ZERO);
                all.map(|(column, value)| (column as u32, value)).collect()
            })
            .collect();
        let mut columns = vec![vec![]; n];
        for (i, row) in rows.iter().enumerate() {
            row.iter().for_each(|&(column, _)| columns[column as usize].push(i as u32));
        }
        let counts = columns.iter().map(|rows| rows.len() as u32).collect();
        let shortest = rows.iter().enumerate().map(|(i, row)| Reverse((row.len(), i))).collect();
        Self { rows, columns, counts, shortest, places: vec![0; n] }
    }

    /// Takes the row with the fewest entries. Among its entries that are large enough, takes those whose column has the fewest entries, and
    /// of these the largest: on a grid of 60 x 60, the first one instead let entries grow by 10^14.
    ///
    /// # Errors
    /// [`Error::Singular`].
    fn pivot(&mut self) -> Result<Pivot<W>> {
        // Each remaining row occurs once with its current number.
        let row = loop {
            match self.shortest.pop() {
                Some(Reverse((count, row))) if count == self.rows[row].len() => break row,
                Some(_) => {}
                None => return Err(Error::Singular { system: 0, row: 0 }),
            }
        };
        let entries = &self.rows[row];
        let least =
            entries.iter().fold(W::ZERO, |most, (_, value)| if value.abs() > most { value.abs() } else { most })
                * W::from(PIVOT_SHARE);
        let large = entries.iter().filter(|(_, value)| value.is_finite() && value.abs() >= least);
        let better = |best: &(u32, W), other: &(u32, W)| {
            let [of_best, of_other] = [best, other].map(|entry| self.counts[entry.0 as usize]);
            of_other < of_best || of_other == of_best && other.1.abs() > best.1.abs()
        };
        match large.copied().reduce(|best, other| if better(&best, &other) { other } else { best }) {
            Some((column, value)) => Ok(Pivot { row, column: column as usize, value }),
            None => Err(Error::Singular { system: 0, row }),
        }
    }

    /// Removes the pivot's row and column from the rest; returns the row's other entries.
    fn take(&mut self, pivot: &Pivot<W>) -> Vec<(u32, W)> {
        let mut row = std::mem::take(&mut self.rows[pivot.row]);
        row.retain(|entry| entry.0 as usize != pivot.column);
        row.iter().for_each(|entry| self.counts[entry.0 as usize] -= 1);
        row
    }

    /// Subtracts the pivot's row from row i, if that has an entry in its column; returns the factor.
    fn subtract(&mut self, pivot: &Pivot<W>, above: &[(u32, W)], i: usize) -> Option<W> {
        let at = self.rows[i].iter().position(|entry| entry.0 as usize == pivot.column)?;
        let own = &mut self.rows[i];
        let factor = own.swap_remove(at).1 / pivot.value;
        for (at, (column, _)) in own.iter().enumerate() {
            self.places[*column as usize] = at as u32 + 1;
        }
        for &(column, value) in above {
            let product = factor * value;
            match self.places[column as usize] {
                0 => {
                    own.push((column, -product));
                    self.columns[column as usize].push(i as u32);
                    self.counts[column as usize] += 1;
                }
                at => own[at as usize - 1].1 = own[at as usize - 1].1 - product,
            }
        }
        own.iter().for_each(|(column, _)| self.places[*column as usize] = 0);
        own.retain(|(column, value)| {
            let stays = *value != W::ZERO;
            self.counts[*column as usize] -= u32::from(!stays);
            stays
        });
        self.shortest.push(Reverse((own.len(), i)));
        Some(factor)
    }
}

impl<W: Wide> SparseFactors<W> {
    /// Gaussian elimination with pivots that are large in their rows and cause little fill-in (Markowitz, "The elimination form of the
    /// inverse", 1957).
    ///
    /// # Errors
    /// [`Error::Singular`]; [`Error::Unsupported`] if it takes more than 2^28 operations or 2^22 entries.
    pub fn new(entries: &Entries) -> Result<Self> {
        let n = entries.n();
        let mut rest = Rest::<W>::new(entries);
        let mut made = Self { pivots: Vec::with_capacity(n), upper: Lists::new(), lower: Lists::new() };
        let mut operations = 0;
        for _ in 0..n {
            let pivot = rest.pivot()?;
            let above = rest.take(&pivot);
            for i in std::mem::take(&mut rest.columns[pivot.column]) {
                operations += above.len() + rest.rows[i as usize].len();
                if let Some(factor) = rest.subtract(&pivot, &above, i as usize) {
                    made.lower.all.push((i, factor));
                }
            }
            made.upper.all.extend(above);
            made.pivots.push(pivot);
            made.lower.end();
            made.upper.end();
            if operations > MOST_OPERATIONS || made.upper.all.len() + made.lower.all.len() > MOST_ENTRIES {
                return Err(Error::Unsupported {
                    what: format!("elimination of these {n} rows on the CPU"),
                    hint: "its factors have too many entries; take an iterative method".into(),
                });
            }
        }
        Ok(made)
    }

    /// The largest number of rows that were subtracted from a single row.
    pub fn subtractions(&self) -> usize {
        let mut counts = vec![0; self.pivots.len()];
        self.lower.all.iter().for_each(|(row, _)| counts[*row as usize] += 1);
        counts.into_iter().max().unwrap_or(0)
    }

    /// |L| |U| v, which A's rows round relative to.
    pub fn grown<S: Wide>(&self, v: &[S]) -> Vec<S> {
        let size = |entry: W| converted::<W, S>(entry.abs());
        let mut all = vec![S::ZERO; v.len()];
        for (at, pivot) in self.pivots.iter().enumerate() {
            let own = size(pivot.value) * v[pivot.column];
            let upper = self.upper.of(at).fold(own, |sum, (column, value)| sum + size(value) * v[column]);
            all[pivot.row] = all[pivot.row] + upper;
            self.lower.of(at).for_each(|(row, factor)| all[row] = all[row] + size(factor) * upper);
        }
        all
    }

    /// A^-1 rhs.
    pub fn solved(&self, rhs: &[W]) -> Vec<W> {
        let mut left = rhs.to_vec();
        for (at, pivot) in self.pivots.iter().enumerate() {
            let known = left[pivot.row];
            self.lower.of(at).for_each(|(row, factor)| left[row] = left[row] - factor * known);
        }
        let mut y = vec![W::ZERO; rhs.len()];
        for (at, pivot) in self.pivots.iter().enumerate().rev() {
            let known = self.upper.of(at).fold(left[pivot.row], |left, (column, value)| left - value * y[column]);
            y[pivot.column] = known / pivot.value;
        }
        y
    }

    /// A^-T rhs.
    pub fn solved_transposed(&self, rhs: &[W]) -> Vec<W> {
        let mut left = rhs.to_vec();
        let mut y = vec![W::ZERO; rhs.len()];
        for (at, pivot) in self.pivots.iter().enumerate() {
            let known = left[pivot.column] / pivot.value;
            self.upper.of(at).for_each(|(column, value)| left[column] = left[column] - value * known);
            y[pivot.row] = known;
        }
        for (at, pivot) in self.pivots.iter().enumerate().rev() {
            y[pivot.row] = self.lower.of(at).fold(y[pivot.row], |left, (row, factor)| left - factor * y[row]);
        }
        y
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    use super::super::dense_factors::DenseFactors;
    use super::*;
    use crate::csr::Csr;
    use crate::real::DoubleDouble;
    use crate::real::Scalar;

    /// Tridiagonal entries, a few others, and zeros on the diagonal.
    fn random(n: usize, random: &mut SmallRng) -> Csr<f64> {
        let mut all = vec![];
        for i in 0..n {
            for j in [i.wrapping_sub(1), i, i + 1] {
                if j < n && !(j == i && random.random_range(0..3) == 0) {
                    all.push((i, j, random.random_range(-1.0..1.0)));
                }
            }
            all.push((i, random.random_range(0..n), random.random_range(-1.0..1.0)));
        }
        Csr::from_triplets(n, all).unwrap()
    }

    #[test]
    fn solutions_are_those_of_dense_factors() {
        let mut compared = 0;
        for n in 1..60 {
            let seed = n as u64;
            let mut source = SmallRng::seed_from_u64(seed);
            let matrix = random(n, &mut source);
            let rhs: Vec<_> = (0..n).map(|_| DoubleDouble::new(source.random_range(-1.0..1.0))).collect();
            let entries = Entries::new(&matrix);
            let dense = DenseFactors::<DoubleDouble, f64>::new(&entries);
            let (Ok(dense), Ok(sparse)) = (dense, SparseFactors::<DoubleDouble>::new(&entries)) else {
                continue;
            };
            compared += 1;
            // |A| = |L U| <= |L| |U|.
            let ones = vec![1.0; n];
            for grown in [dense.grown(&ones), sparse.grown(&ones)] {
                for (i, grown) in grown.iter().enumerate() {
                    let size: f64 = entries.row::<f64>(i).map(|(_, entry)| entry.abs()).sum();
                    assert!(*grown >= (1.0 - 1e-12) * size, "seed {seed}, row {i}: {grown:e}, not {size:e}");
                }
            }
            for transposed in [false, true] {
                // A^-T rhs by dense factors: their columns' inner products.
                let expected = match transposed {
                    false => dense.solved(&rhs),
                    true => {
                        let unit = |j: usize| {
                            (0..n).map(|i| DoubleDouble::from(f64::from(u8::from(i == j)))).collect::<Vec<_>>()
                        };
                        let column = |j| dense.solved(&unit(j)).into_iter().zip(&rhs);
                        (0..n)
                            .map(|j| column(j).fold(DoubleDouble::ZERO, |sum, (a, b)| sum + a * *b))
                            .collect::<Vec<_>>()
                    }
                };
                let found = if transposed { sparse.solved_transposed(&rhs) } else { sparse.solved(&rhs) };
                let largest = expected.iter().fold(0.0, |most: f64, x| most.max(x.to_f64().abs()));
                for (found, expected) in found.iter().zip(&expected) {
                    let off = (*found - *expected).to_f64().abs();
                    assert!(off <= 1e-20 * largest, "seed {seed}, transposed {transposed}: {off:e} of {largest:e}");
                }
            }
        }
        // Zeros on the diagonal make some of them singular.
        assert!(compared > 40, "{compared}");
    }

    #[test]
    fn chains_do_not_fill_up() {
        let n = 1000;
        let near = |i: usize| [i.wrapping_sub(1), i, i + 1].into_iter().filter(move |&j| j < n);
        let chain = (0..n).flat_map(|i| near(i).map(move |j| (i, j, if i == j { 2.0 } else { -1.0 })));
        let factors = SparseFactors::<f64>::new(&Entries::new(&Csr::from_triplets(n, chain).unwrap())).unwrap();
        assert_eq!((factors.lower.all.len(), factors.upper.all.len()), (n - 1, n - 1));
    }

    #[test]
    fn equal_rows_and_empty_columns_are_singular() {
        let equal = [(0, 0, 1.0), (0, 1, 3.0), (1, 0, 1.0), (1, 1, 3.0), (2, 2, 1.0)];
        let empty = [(0, 0, 1.0), (1, 0, 1.0), (1, 2, 2.0), (2, 2, 1.0)];
        for entries in [equal.to_vec(), empty.to_vec()] {
            let matrix = Csr::from_triplets(3, entries).unwrap();
            let found = SparseFactors::<f64>::new(&Entries::new(&matrix));
            assert!(matches!(found, Err(Error::Singular { .. })), "{found:?}");
        }
    }

    #[test]
    fn matrices_that_fill_up_are_left_to_others() {
        let mut random = SmallRng::seed_from_u64(1);
        let n = 10_000;
        let entries = (0..4 * n).map(|at| (at % n, random.random_range(0..n), random.random_range(-1.0..1.0)));
        let matrix = Csr::from_triplets(n, entries).unwrap();
        let start = std::time::Instant::now();
        let found = SparseFactors::<f64>::new(&Entries::new(&matrix));
        assert!(matches!(found, Err(Error::Unsupported { .. })), "{:?}", found.map(|_| ()));
        println!("given up after {:?}", start.elapsed());
    }
}
