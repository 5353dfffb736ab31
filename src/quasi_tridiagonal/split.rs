//! A = T + S in the kernels' format (`shaders/quasi_tridiagonal/matrix.wgsl`).

use super::device_csr::Pattern;
use super::dominance::Dominance;
use crate::csr::Csr;
use crate::error::{Error, Result};
use crate::real::Real;

/// Rows per slice; their entries are adjacent.
const SLICE: usize = 32;
/// Rows per lane.
const QUAD: usize = 4;
/// Entries per piece of a row that is too long for a slice.
pub(crate) const PIECE: usize = 1024;
/// Limits of entries for rows in slices.
const WIDTHS: [usize; 5] = [8, 16, 32, 64, 128];

/// The tridiagonal part and the rest.
#[derive(Debug, Clone)]
pub(crate) struct Split<T> {
    pub rows: usize,
    /// Number of rows including padding.
    pub padded: usize,
    /// The three diagonals, each of `padded` entries.
    pub tri: Vec<T>,
    /// Starts of slices, then columns.
    pub index: Vec<u32>,
    /// Start of the columns in `index`.
    pub columns_at: usize,
    /// Entries, in the order of the columns.
    pub off: Vec<T>,
    /// Start of the pieces in `off`.
    pub pieces_at: usize,
    /// Pieces per level of long rows: the pieces of a level gather rows and pieces of earlier levels.
    pub levels: Vec<usize>,
    /// Entries of S.
    pub beside: usize,
    /// Of a matrix in host memory.
    pub dominance: Option<Dominance>,
}

/// Entries of a row beside the three diagonals.
type Row<T> = Vec<(u32, T)>;

impl<T: Real> Split<T> {
    /// Splits a matrix; the number of rows is padded to a multiple of `multiple`, itself a multiple of a slice.
    ///
    /// # Errors
    /// [`Error::Shape`] for no rows; [`Error::EmptyRow`].
    pub fn new(matrix: &Csr<T>, multiple: usize) -> Result<Self> {
        let rows = matrix.rows();
        if rows == 0 {
            return Err(Error::Shape("the matrix has no rows".into()));
        }
        let padded = rows.next_multiple_of(multiple);
        let mut tri = vec![T::ZERO; 3 * padded];
        tri[padded + rows..2 * padded].fill(T::ONE);
        let is_beside = |row: usize, column: usize, value: T| row.abs_diff(column) > 1 && value != T::ZERO;
        let mut lengths = vec![0; padded];
        for row in 0..rows {
            let mut is_empty = true;
            for (column, value) in matrix.row(row) {
                is_empty &= value == T::ZERO;
                if row.abs_diff(column) <= 1 {
                    tri[(column + 1 - row) * padded + row] = value;
                } else {
                    lengths[row] += usize::from(is_beside(row, column, value));
                }
            }
            if is_empty {
                return Err(Error::EmptyRow { row });
            }
        }
        let most = best_width(&lengths);
        let mut long = LongRows { behind: padded, most, levels: vec![] };
        // Rows that are too long are replaced by their pieces.
        let row_of = |row: usize| -> Row<T> {
            let entries = matrix.row(row).filter(|&(column, value)| is_beside(row, column, value));
            entries.map(|(column, value)| (column as u32, value)).collect()
        };
        let mut folded = std::collections::HashMap::new();
        for (row, length) in lengths.iter_mut().enumerate().filter(|(_, length)| **length > most) {
            let entries = long.fold(row_of(row));
            *length = entries.len();
            folded.insert(row, entries);
        }
        long.place(&mut folded);
        let slices = padded / SLICE;
        let begins: Vec<u32> = std::iter::once(0)
            .chain(lengths.chunks(SLICE).scan(0, |at, slice| {
                *at += slice.iter().copied().max().unwrap_or(0) as u32;
                Some(*at)
            }))
            .collect();
        let columns_at = (slices + 1).next_multiple_of(QUAD);
        let pieces_at = begins[slices] as usize * SLICE;
        let pieces: usize = long.levels.iter().map(Vec::len).sum();
        let len = pieces_at + pieces * PIECE;
        // Never empty: an empty binding is illegal.
        let len = len.max(QUAD);
        if (len as u64) > u64::from(u32::MAX) / 2 {
            return Err(Error::Shape(format!(
                "{len} entries beside the diagonals, with what fills rows up, are too many"
            )));
        }
        let mut index = vec![0; columns_at + len];
        index[..=slices].copy_from_slice(&begins);
        let mut off = vec![T::ZERO; len];
        for row in 0..rows {
            let begin = begins[row / SLICE] as usize * SLICE;
            let own = folded.remove(&row).unwrap_or_else(|| row_of(row));
            let at = |j: usize| begin + j * SLICE + row % SLICE;
            for (j, (column, value)) in own.into_iter().enumerate() {
                index[columns_at + at(j)] = column;
                off[at(j)] = value;
            }
        }
        let levels = long.levels.iter().map(Vec::len).collect();
        for (piece, entries) in long.levels.into_iter().flatten().enumerate() {
            for (j, (column, value)) in entries.into_iter().enumerate() {
                let at = pieces_at + piece * PIECE + j;
                index[columns_at + at] = column;
                off[at] = value;
            }
        }
        let beside =
            (0..rows).map(|row| matrix.row(row).filter(|&(column, value)| is_beside(row, column, value)).count()).sum();
        Ok(Self {
            rows,
            padded,
            tri,
            index,
            columns_at,
            off,
            pieces_at,
            levels,
            beside,
            dominance: Some(Dominance::of(matrix)),
        })
    }

    /// Without entries so far: each row has room for `width` entries beside the three diagonals.
    ///
    /// # Errors
    /// [`Error::Shape`] for no rows, and for more entries than can be counted.
    pub fn for_pattern(pattern: &Pattern, multiple: usize) -> Result<Self> {
        let Pattern { rows, width, .. } = *pattern;
        if rows == 0 {
            return Err(Error::Shape("the matrix has no rows".into()));
        }
        let padded = rows.next_multiple_of(multiple);
        let slices = padded / SLICE;
        let pieces_at = padded.saturating_mul(width);
        let len = pieces_at.max(QUAD);
        if len as u64 > u64::from(u32::MAX) / 2 {
            return Err(Error::Shape(format!(
                "{width} entries beside the diagonals in each of {rows} rows are too many"
            )));
        }
        let columns_at = (slices + 1).next_multiple_of(QUAD);
        let mut index = vec![0; columns_at + len];
        for (slice, begin) in index[..=slices].iter_mut().enumerate() {
            *begin = (slice * width) as u32;
        }
        let mut tri = vec![T::ZERO; 3 * padded];
        tri[padded..2 * padded].fill(T::ONE);
        let (off, levels) = (vec![T::ZERO; len], vec![]);
        let beside = rows * width;
        Ok(Self { rows, padded, tri, index, columns_at, off, pieces_at, levels, beside, dominance: None })
    }

    /// Pieces of all levels.
    pub fn pieces(&self) -> usize {
        self.levels.iter().sum()
    }

    /// Length of a vector for a multiplication.
    pub fn vector_len(&self) -> usize {
        (self.padded + self.pieces()).next_multiple_of(QUAD)
    }

    /// The first row with 0 on its diagonal.
    pub fn zero_diagonal(&self) -> Option<usize> {
        self.tri[self.padded..self.padded + self.rows].iter().position(|&value| value == T::ZERO)
    }
}

/// The slice width that minimises the entries in slices and pieces.
fn best_width(lengths: &[usize]) -> usize {
    let cost = |most: usize| -> usize {
        let width = |slice: &[usize]| slice.iter().map(|&length| length.min(most)).max().unwrap_or(0);
        let in_slices: usize = lengths.chunks(SLICE).map(|slice| SLICE * width(slice)).sum();
        let in_pieces: usize =
            lengths.iter().filter(|&&length| length > most).map(|&l| l.next_multiple_of(PIECE)).sum();
        // Pieces cost another launch, and sums through memory.
        in_slices + 2 * in_pieces
    };
    WIDTHS.into_iter().min_by_key(|&most| cost(most)).unwrap_or(WIDTHS[0])
}

struct LongRows<T> {
    /// Start of the pieces' sums in a vector.
    behind: usize,
    most: usize,
    levels: Vec<Vec<Row<T>>>,
}

/// Marks a column as a piece of a level, until the number of pieces on earlier levels is known.
const LEVEL_SHIFT: u32 = 28;

impl<T: Real> LongRows<T> {
    /// The rest of a row after its pieces are gathered: entries of 1 for the pieces.
    fn fold(&mut self, mut row: Row<T>) -> Row<T> {
        let mut level = 0;
        while row.len() > self.most {
            if self.levels.len() == level {
                self.levels.push(vec![]);
            }
            let pieces = &mut self.levels[level];
            let first = pieces.len();
            pieces.extend(row.chunks(PIECE).map(<[_]>::to_vec));
            let mark = (level as u32 + 1) << LEVEL_SHIFT;
            row = (first..pieces.len()).map(|piece| (mark | piece as u32, T::ONE)).collect();
            level += 1;
        }
        row
    }

    /// Replaces marks by the places of pieces, in folded rows and in pieces of pieces.
    fn place(&mut self, folded: &mut std::collections::HashMap<usize, Row<T>>) {
        let mut before = vec![self.behind];
        for level in &self.levels {
            before.push(before[before.len() - 1] + level.len());
        }
        let placed = |level: usize, piece: u32| (before[level] as u32) + piece;
        let unmark = |entry: &mut (u32, T), level: usize| entry.0 = placed(level, entry.0 & ((1 << LEVEL_SHIFT) - 1));
        for row in folded.values_mut() {
            for entry in row {
                let level = (entry.0 >> LEVEL_SHIFT) as usize;
                unmark(entry, level - 1);
            }
        }
        for (level, pieces) in self.levels.iter_mut().enumerate().skip(1) {
            for entry in pieces.iter_mut().flatten() {
                unmark(entry, level - 1);
            }
        }
    }
}
