//! Colours of rows: no row has an entry in the column of another row of its colour, so Gauss-Seidel updates a whole colour at once.

use crate::csr::Csr;
use crate::error::{Error, Result};
use crate::real::Real;

/// The rows in the order of their colours, and their entries (`shaders/quasi_tridiagonal/sweep.wgsl`).
#[derive(Debug, Clone, Default)]
pub(crate) struct Colours<T = ()> {
    /// The first place of each colour, and its number of rows.
    pub places: Vec<(u32, u32)>,
    /// Starts of slices, then their rows from `rows_at`, and columns from `columns_at`.
    pub index: Vec<u32>,
    pub rows_at: u32,
    pub columns_at: u32,
    /// A row's diagonal, then its other entries.
    pub off: Vec<T>,
}

/// Rows of a slice.
const SLICE: usize = 32;
/// Most entries of a row that a thread adds sequentially.
const MOST_ENTRIES: usize = 4096;
/// Launches of a sweep.
const MOST_COLOURS: usize = 256;

impl<T: Real> Colours<T> {
    /// Gives every row the least colour that none of its neighbours has.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a row with too many entries for a thread, and for too many colours, each of which takes a launch.
    pub fn new(matrix: &Csr<T>) -> Result<Self> {
        let rows = matrix.rows();
        let transposed = matrix.transposed();
        let hint = || "take bhisa or a Krylov method".to_owned();
        let lengths: Vec<_> =
            (0..rows).map(|row| matrix.row(row).filter(|&(column, _)| column != row).count()).collect();
        if let Some(row) = lengths.iter().position(|&length| length >= MOST_ENTRIES) {
            let what = format!("gauss-seidel with a row of {} entries", lengths[row] + 1);
            return Err(Error::Unsupported { what, hint: hint() });
        }
        const NONE: u32 = u32::MAX;
        let mut colours = vec![NONE; rows];
        let mut last_seen: Vec<usize> = vec![];
        for row in 0..rows {
            for (column, _) in matrix.row(row).chain(transposed.row(row)) {
                if column != row && colours[column] != NONE {
                    last_seen[colours[column] as usize] = row + 1;
                }
            }
            let colour = last_seen.iter().position(|&seen| seen != row + 1).unwrap_or(last_seen.len());
            if colour == last_seen.len() {
                last_seen.push(0);
            }
            colours[row] = colour as u32;
        }
        if last_seen.len() > MOST_COLOURS {
            let what = format!("gauss-seidel with {} colours of rows that depend on each other", last_seen.len());
            return Err(Error::Unsupported { what, hint: hint() });
        }
        let mut of_colour = vec![vec![]; last_seen.len()];
        for row in 0..rows {
            of_colour[colours[row] as usize].push(row);
        }
        let mut order: Vec<usize> = vec![];
        let mut places = vec![];
        for mut own in of_colour {
            // Rows of similar lengths share slices.
            own.sort_by_key(|&row| std::cmp::Reverse(lengths[row]));
            places.push((order.len() as u32, own.len() as u32));
            order.extend(own);
            order.resize(order.len().next_multiple_of(SLICE), rows);
        }
        Ok(Self::laid_out(matrix, places, &order))
    }

    /// Entries of the rows in this order; places without a row have none.
    fn laid_out(matrix: &Csr<T>, places: Vec<(u32, u32)>, order: &[usize]) -> Self {
        let rows = matrix.rows();
        let entries = |row: usize| matrix.row(row).filter(move |&(column, _)| column != row);
        let width = |slice: &[usize]| slice.iter().map(|&row| 1 + entries(row).count()).max().unwrap_or(1) as u32;
        let begins: Vec<u32> = std::iter::once(0)
            .chain(order.chunks(SLICE).scan(0, |at, slice| {
                *at += width(slice);
                Some(*at)
            }))
            .collect();
        let rows_at = begins.len();
        let columns_at = (rows_at + order.len()).next_multiple_of(4);
        let len = begins[begins.len() - 1] as usize * SLICE;
        let mut index = vec![0; columns_at + len];
        index[..rows_at].copy_from_slice(&begins);
        let mut off = vec![T::ZERO; len];
        for (place, &row) in order.iter().enumerate().filter(|(_, row)| **row < rows) {
            index[rows_at + place] = row as u32;
            let at = |j: usize| begins[place / SLICE] as usize * SLICE + j * SLICE + place % SLICE;
            off[at(0)] = matrix.row(row).find(|&(column, _)| column == row).map_or(T::ZERO, |(_, value)| value);
            for (j, (column, value)) in entries(row).enumerate() {
                index[columns_at + at(j + 1)] = column as u32;
                off[at(j + 1)] = value;
            }
        }
        Self { places, index, rows_at: rows_at as u32, columns_at: columns_at as u32, off }
    }

    /// Without the entries.
    pub fn plan(&self) -> Colours {
        let Self { places, rows_at, columns_at, .. } = self;
        Colours { places: places.clone(), index: vec![], rows_at: *rows_at, columns_at: *columns_at, off: vec![] }
    }
}
