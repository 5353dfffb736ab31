//! Tiles of rows in vector lanes: read from, and written to, vectors of any layout.

use super::slicing::Slice;
use crate::plan::{Scattered, Shape};
use crate::real::Real;
use crate::tridiagonal::options::{Diagonal, Form, Structure};
use crate::tridiagonal::system::{System, kind_of};

/// Slices side by side. Loops over lanes become vector instructions.
pub const LANES: usize = 8;
/// Rows per tile, which stays in a cache of 32 KB. A slice of a sliced system is no longer, since roundings grow with its length.
pub const TILE: usize = 64;

/// A number per lane.
pub type Lanes<T> = [T; LANES];

/// A number per row and lane.
pub type TileVector<T> = Box<[Lanes<T>; TILE]>;

/// Rows of a group of slices: of each row, a number per lane.
pub struct Tile<T> {
    pub lower: TileVector<T>,
    /// The diagonal, or its excess.
    pub own: TileVector<T>,
    pub upper: TileVector<T>,
    pub rhs: TileVector<T>,
    pub x: TileVector<T>,
}

impl<T: Real> Tile<T> {
    pub fn new() -> Self {
        let zeros = Box::new([[T::ZERO; LANES]; TILE]);
        Self { lower: zeros.clone(), own: zeros.clone(), upper: zeros.clone(), rhs: zeros.clone(), x: zeros }
    }
}

/// The rows of a group's slices that a tile holds.
#[derive(Clone, Copy)]
pub struct Span<'a> {
    pub slices: &'a [Slice; LANES],
    /// The first of them, counted from the slice's first row.
    pub at: usize,
    /// Of the longest slice.
    pub count: usize,
    /// Of the shortest.
    pub least: usize,
}

impl<'a> Span<'a> {
    fn new(slices: &'a [Slice; LANES], at: usize, rows: usize) -> Self {
        let count = TILE.min(rows - at);
        let least = slices.iter().map(|slice| slice.rows.saturating_sub(at)).fold(count, usize::min);
        Self { slices, at, count, least }
    }

    /// Those of a group, whose longest slice has `rows` rows.
    pub fn all(slices: &'a [Slice; LANES], rows: usize) -> impl DoubleEndedIterator<Item = Self> {
        (0..rows.div_ceil(TILE)).map(move |tile| Self::new(slices, tile * TILE, rows))
    }

    fn is_full(&self) -> bool {
        self.least == self.count
    }

    /// Rows of a lane.
    #[inline(always)]
    pub fn count_of(&self, lane: usize) -> usize {
        self.count.min(self.slices[lane].rows.saturating_sub(self.at))
    }
}

/// The vectors of a batch.
pub struct Source<'a, T> {
    pub shape: &'a Shape,
    pub system: &'a System<'a, T>,
    pub rhs: &'a [T],
    /// The entries left and right of the diagonal.
    lower: Entries<'a, T>,
    upper: Entries<'a, T>,
}

/// A vector of a matrix as one diagonal reads it.
#[derive(Clone, Copy)]
struct Entries<'a, T> {
    values: &'a [T],
    form: Form,
    /// How many rows ahead the entry of a row stands.
    ahead: isize,
    /// Whether the entry of the first row is omitted.
    without_corner: bool,
}

impl<'a, T: Real> Source<'a, T> {
    pub fn new(shape: &'a Shape, system: &'a System<'a, T>, rhs: &'a [T]) -> Self {
        let forms = system.forms;
        let without_corner = system.without_corner(shape, (system.lower, forms.lower));
        let lower = |ahead| Entries { values: system.lower, form: forms.lower, ahead, without_corner };
        let upper = |ahead| Entries { values: system.upper, form: forms.upper, ahead, without_corner: false };
        let (lower, upper) = match system.structure {
            Structure::General => (lower(0), upper(0)),
            Structure::Transposed => (upper(-1), lower(1)),
            Structure::Symmetric => (upper(-1), upper(0)),
        };
        Self { shape, system, rhs, lower, upper }
    }

    pub fn is_excess(&self) -> bool {
        self.system.kind == Diagonal::Excess
    }

    /// Fills a tile with rows. Those behind a slice's end are not defined.
    #[inline(always)]
    pub fn load(&self, span: Span<'_>, tile: &mut Tile<T>) {
        let Shape { n, .. } = *self.shape;
        let Span { slices, at, .. } = span;
        self.load_rhs(span, &mut tile.rhs);
        let System { diag, forms, .. } = *self.system;
        let own = Entries { values: diag, form: forms.diag, ahead: 0, without_corner: false };
        self.load_entries(self.lower, span, &mut tile.lower);
        self.load_entries(own, span, &mut tile.own);
        self.load_entries(self.upper, span, &mut tile.upper);
        for (lane, slice) in slices.iter().enumerate() {
            let (first, count) = (slice.first_row + at, span.count_of(lane));
            if first == 0 {
                tile.lower[0][lane] = self.corner(slice.system, 0);
            }
            if count > 0 && first + count == n {
                tile.upper[count - 1][lane] = self.corner(slice.system, n - 1);
            }
        }
    }

    /// Fills a tile's vector with entries of the matrix; those of corners are not defined.
    #[inline(always)]
    fn load_entries(&self, entries: Entries<'_, T>, span: Span<'_>, vector: &mut TileVector<T>) {
        let Entries { values, form, ahead, without_corner } = entries;
        let Span { slices, at, .. } = span;
        match form {
            Form::Each => {
                let bases = slices.map(|slice| self.shape.matrix_index(slice.system, slice.first_row + at));
                let ahead = ahead - isize::from(without_corner);
                self.read((values, ahead), (bases, self.shape.layout.element_stride), span, vector);
            }
            // Systems in host memory have no formulas.
            Form::Computed => {}
            Form::Constant => vector[..span.count].fill([values[0]; LANES]),
            Form::Ends => {
                let n = self.shape.n;
                for (lane, slice) in slices.iter().enumerate() {
                    for (i, lanes) in vector[..span.count_of(lane)].iter_mut().enumerate() {
                        // Beside an end, that of the other is a corner.
                        let row = (slice.first_row + at + i).wrapping_add_signed(ahead).min(n - 1);
                        lanes[lane] = values[kind_of(row, n)];
                    }
                }
            }
        }
    }

    /// Fills a tile's vector with right-hand sides.
    #[inline(always)]
    pub fn load_rhs(&self, span: Span<'_>, vector: &mut TileVector<T>) {
        self.read((self.rhs, 0), (self.rhs_bases(span), self.right_stride()), span, vector);
    }

    /// Where each slice's rows begin in the right-hand sides, and in the unknowns.
    fn rhs_bases(&self, span: Span<'_>) -> [usize; LANES] {
        span.slices.map(|slice| self.shape.rhs_index(slice.system, slice.column, slice.first_row + span.at))
    }

    /// From a row to the next in the right-hand sides, and in the unknowns.
    fn right_stride(&self) -> usize {
        self.shape.right_layout().element_stride
    }

    /// The entry left of the first row or right of the last.
    fn corner(&self, system: usize, row: usize) -> T {
        match (self.system.periodic, row) {
            (false, _) => T::ZERO,
            (true, 0) => self.system.row(self.shape, system, 0).0,
            (true, _) => self.system.row(self.shape, system, row).2,
        }
    }

    #[inline(always)]
    fn read(
        &self,
        (values, ahead): (&[T], isize),
        (bases, stride): ([usize; LANES], usize),
        span: Span<'_>,
        vector: &mut TileVector<T>,
    ) {
        let ahead = ahead * stride as isize;
        let vector = &mut vector[..span.count];
        if span.is_full() && are_adjacent(&bases) && span.count > 1 {
            let start = bases[0] as isize + ahead;
            // The first or the last of these rows may have a corner, which may lie outside of the vector.
            let inside = |row: &usize| {
                let start = start + (row * stride) as isize;
                start >= 0 && start as usize + LANES <= values.len()
            };
            let (first, last) = (0, span.count - 1);
            let rows = usize::from(!inside(&first))..span.count - usize::from(!inside(&last));
            for row in rows {
                let start = (start + (row * stride) as isize) as usize;
                vector[row].copy_from_slice(&values[start..][..LANES]);
            }
            return;
        }
        for (lane, base) in bases.into_iter().enumerate() {
            let count = span.count_of(lane);
            // Corners may lie outside of the vector.
            let start = base as isize + ahead;
            let skipped = usize::from(start < 0);
            let start = (start + (skipped * stride) as isize) as usize;
            let Some(given) = values.get(start..).filter(|_| count > skipped) else { continue };
            let rows = vector[skipped..count].iter_mut();
            match stride {
                1 => rows.zip(given).for_each(|(row, value)| row[lane] = *value),
                _ => rows.zip(given.iter().step_by(stride.max(1))).for_each(|(row, value)| row[lane] = *value),
            }
        }
    }

    /// Writes a tile's unknowns to `x`, which is laid out as the right-hand sides.
    #[inline(always)]
    pub fn store(&self, span: Span<'_>, vector: &TileVector<T>, x: &Scattered<'_, T>) {
        let stride = self.right_stride();
        let starts = self.rhs_bases(span);
        if span.is_full() && are_adjacent(&starts) {
            for (i, row) in vector[..span.count].iter().enumerate() {
                x.write(starts[0] + i * stride, 1, row.iter().copied());
            }
            return;
        }
        for (lane, start) in starts.into_iter().enumerate() {
            x.write(start, stride, vector[..span.count_of(lane)].iter().map(|row| row[lane]));
        }
    }

    /// Fills a tile's vector with the unknowns that [`Source::store`] wrote.
    ///
    /// # Safety
    /// No other thread writes unknowns of these slices meanwhile.
    #[inline(always)]
    pub unsafe fn load_unknowns(&self, span: Span<'_>, x: &Scattered<'_, T>, vector: &mut TileVector<T>) {
        let stride = self.right_stride();
        let starts = self.rhs_bases(span);
        if span.is_full() && are_adjacent(&starts) {
            for (i, row) in vector[..span.count].iter_mut().enumerate() {
                // SAFETY: these are unknowns of the slices, one per lane.
                unsafe { x.read(starts[0] + i * stride, 1, row.iter_mut()) };
            }
            return;
        }
        for (lane, start) in starts.into_iter().enumerate() {
            let values = vector[..span.count_of(lane)].iter_mut().map(|row| &mut row[lane]);
            // SAFETY: these are unknowns of this lane's slice.
            unsafe { x.read(start, stride, values) };
        }
    }
}

/// Whether each lane's place is one behind that of the lane before.
#[inline(always)]
fn are_adjacent(starts: &[usize; LANES]) -> bool {
    starts.iter().enumerate().all(|(lane, start)| *start == starts[0] + lane)
}
