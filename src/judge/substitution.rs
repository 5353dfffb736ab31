//! Substitution in triangular systems, in vector lanes and on all cores.
//!
//! Unknowns are computed a panel at a time. The other cores help with the entries beside panels: if rows are contiguous, with those of the
//! panel's rows before each panel; if columns are contiguous, with those of the panel's columns behind it. Each sum has its terms in the
//! same order on any number of cores.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::extended_range::ExtendedRange;
use crate::cpu::Triangle;
use crate::real::{DoubleDouble, Real, Wide, two_sum};

/// Numbers side by side: eight rows or columns. Loops over lanes become vector instructions.
pub(super) const LANES: usize = 8;
/// Rows and columns of the triangles that one core solves; a multiple of [`LANES`].
const PANEL: usize = 128;
/// Columns that are subtracted from sums at once: each sum is then loaded and stored once per so many entries.
const COLUMNS: usize = 4;
/// Systems of fewer rows are solved on one core: others would wake too late to help.
const ROWS_OF_SEVERAL_CORES: usize = 512;
/// Entries that a core takes at least.
const ENTRIES_PER_JOB: usize = 1 << 14;

/// Numbers of which [`LANES`] are kept side by side.
pub(crate) trait InLanes: Copy {
    type Lanes: Copy + Send + Sync;
    /// The same in all lanes.
    fn all(self) -> Self::Lanes;
    fn get(lanes: &Self::Lanes, lane: usize) -> Self;
    fn set(lanes: &mut Self::Lanes, lane: usize, value: Self);
}

impl<W: Wide> InLanes for W {
    type Lanes = [W; LANES];
    #[inline(always)]
    fn all(self) -> Self::Lanes {
        [self; LANES]
    }
    #[inline(always)]
    fn get(lanes: &Self::Lanes, lane: usize) -> Self {
        lanes[lane]
    }
    #[inline(always)]
    fn set(lanes: &mut Self::Lanes, lane: usize, value: Self) {
        lanes[lane] = value;
    }
}

impl<X: InLanes, const N: usize> InLanes for [X; N] {
    type Lanes = [X::Lanes; N];
    #[inline(always)]
    fn all(self) -> Self::Lanes {
        self.map(X::all)
    }
    #[inline(always)]
    fn get(lanes: &Self::Lanes, lane: usize) -> Self {
        std::array::from_fn(|at| X::get(&lanes[at], lane))
    }
    #[inline(always)]
    fn set(lanes: &mut Self::Lanes, lane: usize, value: Self) {
        lanes.iter_mut().zip(value).for_each(|(lanes, value)| X::set(lanes, lane, value));
    }
}

macro_rules! tuple_in_lanes {
    ($($part:ident $at:tt),*) => {
        impl<$($part: InLanes),*> InLanes for ($($part,)*) {
            type Lanes = ($($part::Lanes,)*);
            #[inline(always)]
            fn all(self) -> Self::Lanes {
                ($(self.$at.all(),)*)
            }
            #[inline(always)]
            fn get(lanes: &Self::Lanes, lane: usize) -> Self {
                ($($part::get(&lanes.$at, lane),)*)
            }
            #[inline(always)]
            fn set(lanes: &mut Self::Lanes, lane: usize, value: Self) {
                $($part::set(&mut lanes.$at, lane, value.$at);)*
            }
        }
    };
}
tuple_in_lanes!(A 0, B 1);
tuple_in_lanes!(A 0, B 1, C 2);
tuple_in_lanes!(A 0, B 1, C 2, D 3);

/// Scalars that sums of products are computed in.
pub(crate) trait Summed: Wide {
    /// A sum that is not yet rounded.
    type Sum: InLanes;
    /// What a number consists of.
    type Parts: InLanes;
    /// Of the same range, with the digits of f64.
    type Narrow: Summed<Narrow = Self::Narrow>;
    fn parts(self) -> Self::Parts;
    fn whole(parts: Self::Parts) -> Self;
    fn narrow(parts: Self::Parts) -> Self::Narrow;
    fn begin(self) -> Self::Sum;
    /// sum - entry x.
    fn minus(sum: Self::Sum, entry: f64, x: Self::Parts) -> Self::Sum;
    fn joined(one: Self::Sum, other: Self::Sum) -> Self::Sum;
    fn total(sum: Self::Sum) -> Self;
}

impl Summed for f64 {
    type Sum = f64;
    type Parts = f64;
    type Narrow = f64;
    #[inline(always)]
    fn parts(self) -> f64 {
        self
    }
    #[inline(always)]
    fn whole(parts: f64) -> f64 {
        parts
    }
    #[inline(always)]
    fn narrow(parts: f64) -> f64 {
        parts
    }
    #[inline(always)]
    fn begin(self) -> f64 {
        self
    }
    #[inline(always)]
    fn minus(sum: f64, entry: f64, x: f64) -> f64 {
        sum - entry * x
    }
    #[inline(always)]
    fn joined(one: f64, other: f64) -> f64 {
        one + other
    }
    #[inline(always)]
    fn total(sum: f64) -> f64 {
        sum
    }
}

/// The two parts of a sum are a sum in f64 and the sum of its rounding errors, as in Dot2 (Ogita, Rump and Oishi, "Accurate sum and dot
/// product", 2005): half the operations of sums in double-double numbers, and as exact unless there are millions of terms.
impl Summed for DoubleDouble {
    type Sum = (f64, f64);
    type Parts = (f64, f64);
    type Narrow = f64;
    #[inline(always)]
    fn parts(self) -> (f64, f64) {
        self.parts()
    }
    #[inline(always)]
    fn whole((high, low): (f64, f64)) -> Self {
        Self::sum(high, low)
    }
    #[inline(always)]
    fn narrow((high, _): (f64, f64)) -> f64 {
        high
    }
    #[inline(always)]
    fn begin(self) -> (f64, f64) {
        self.parts()
    }
    #[inline(always)]
    fn minus((sum, errors): (f64, f64), entry: f64, (high, low): (f64, f64)) -> (f64, f64) {
        let product = entry * high;
        let rest = entry.mul_add(high, -product) + entry * low;
        let (sum, error) = two_sum(sum, -product);
        (sum, errors + (error - rest))
    }
    #[inline(always)]
    fn joined(one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
        let (sum, error) = two_sum(one.0, other.0);
        (sum, error + (one.1 + other.1))
    }
    #[inline(always)]
    fn total((sum, errors): (f64, f64)) -> Self {
        Self::sum(sum, errors)
    }
}

impl<W: Wide> Summed for ExtendedRange<W> {
    type Sum = Self;
    type Parts = Self;
    type Narrow = ExtendedRange<f64>;
    fn parts(self) -> Self {
        self
    }
    fn whole(parts: Self) -> Self {
        parts
    }
    fn narrow(parts: Self) -> ExtendedRange<f64> {
        parts.narrow()
    }
    fn begin(self) -> Self {
        self
    }
    fn minus(sum: Self, entry: f64, x: Self) -> Self {
        sum - Self::from(entry) * x
    }
    fn joined(one: Self, other: Self) -> Self {
        one + other
    }
    fn total(sum: Self) -> Self {
        sum
    }
}

/// A substitution: the sum per row over known unknowns, and the result per row.
pub(super) trait Substitution: Sync {
    /// Of a row, over the unknowns known so far.
    type Sum: InLanes;
    /// The result of a row.
    type Unknown: InLanes;
    /// The sum before the first entry of a row.
    fn begin(&self, row: usize) -> Self::Sum;
    fn add(sum: Self::Sum, entry: f64, unknown: Self::Unknown) -> Self::Sum;
    fn joined(one: Self::Sum, other: Self::Sum) -> Self::Sum;
    /// `terms`: how many entries beside the diagonal the row has.
    fn end(&self, row: usize, terms: usize, sum: Self::Sum, diagonal: f64) -> Self::Unknown;
    /// The sum of no terms, which changes no other.
    fn nothing() -> Self::Sum;
    /// An unknown that changes no sum.
    fn unknown() -> Self::Unknown;
}

type Sums<B> = <<B as Substitution>::Sum as InLanes>::Lanes;
type UnknownLanes<B> = <<B as Substitution>::Unknown as InLanes>::Lanes;

/// The result of each row.
pub(super) struct Unknowns<U: InLanes> {
    lanes: Vec<U::Lanes>,
    n: usize,
}

impl<U: InLanes> Unknowns<U> {
    pub fn get(&self, row: usize) -> U {
        U::get(&self.lanes[row / LANES], row % LANES)
    }

    pub fn iter(&self) -> impl Iterator<Item = U> {
        (0..self.n).map(|row| self.get(row))
    }
}

/// Takes the unknowns in their order.
pub(super) fn substitute<T: Real, B: Substitution>(triangle: &Triangle<'_, T>, by: &B) -> Unknowns<B::Unknown> {
    let n = triangle.n();
    let mut lanes = vec![B::unknown().all(); n.div_ceil(LANES)];
    let work = Work { triangle, by };
    let mut solve = || match triangle.has_contiguous_columns() {
        true => work.by_columns(&mut lanes),
        false => work.by_rows(&mut lanes),
    };
    match n < ROWS_OF_SEVERAL_CORES {
        true => solve(),
        // From a thread outside of the pool, each parallel step would wait for the pool to wake.
        false => rayon::scope(|_| solve()),
    }
    Unknowns { lanes, n }
}

struct Work<'a, T, B> {
    triangle: &'a Triangle<'a, T>,
    by: &'a B,
}

impl<T: Real, B: Substitution> Work<'_, T, B> {
    /// Rows of the panels, in their order.
    fn panels(&self) -> impl Iterator<Item = Range<usize>> {
        let (n, is_lower) = (self.triangle.n(), self.triangle.is_lower());
        let panels = n.div_ceil(PANEL);
        (0..panels).map(move |step| {
            let start = PANEL * if is_lower { step } else { panels - 1 - step };
            start..n.min(start + PANEL)
        })
    }

    fn by_columns(&self, known: &mut [UnknownLanes<B>]) {
        let (n, arch) = (self.triangle.n(), Arch::new());
        let begin = |pack: usize| {
            let mut sums = B::nothing().all();
            for lane in 0..LANES.min(n - pack * LANES) {
                B::Sum::set(&mut sums, lane, self.by.begin(pack * LANES + lane));
            }
            sums
        };
        let mut sums: Vec<_> = (0..known.len()).map(begin).collect();
        for panel in self.panels() {
            arch.dispatch(PanelOfColumns { work: self, panel: panel.clone(), sums: &mut sums, known });
            let rest = if self.triangle.is_lower() { panel.end..n } else { 0..panel.start };
            let packs = rest.start.div_ceil(LANES)..rest.end.div_ceil(LANES);
            let (first, known) = (packs.start, &*known);
            in_jobs(&mut sums[packs], LANES * panel.len(), |at, sums| {
                let first_row = LANES * (first + at);
                let rows = first_row..n.min(first_row + LANES * sums.len());
                arch.dispatch(BesidePanel { work: self, columns: panel.clone(), rows, sums, known });
            });
        }
    }

    fn by_rows(&self, known: &mut [UnknownLanes<B>]) {
        let (n, arch) = (self.triangle.n(), Arch::new());
        let mut sums = vec![B::nothing().all(); n.min(PANEL)];
        for panel in self.panels() {
            let columns = if self.triangle.is_lower() { 0..panel.start } else { panel.end..n };
            let sums = &mut sums[..panel.len()];
            let before = &*known;
            in_jobs(sums, columns.len(), |at, sums| {
                arch.dispatch(BeforePanel {
                    work: self,
                    first_row: panel.start + at,
                    columns: columns.clone(),
                    sums,
                    known: before,
                });
            });
            arch.dispatch(PanelOfRows { work: self, panel, sums, known });
        }
    }

    #[inline(always)]
    fn end(&self, row: usize, sum: B::Sum) -> B::Unknown {
        let terms = if self.triangle.is_lower() { row } else { self.triangle.n() - 1 - row };
        self.by.end(row, terms, sum, self.triangle.entry(row, row).to_f64())
    }
}

/// Calls `job` with parts of the items and the number of each part's first, on several cores if there is enough work.
fn in_jobs<X: Send>(items: &mut [X], entries_per_item: usize, job: impl Fn(usize, &mut [X]) + Sync) {
    if items.is_empty() || entries_per_item == 0 {
        return job(0, items);
    }
    let least = ENTRIES_PER_JOB.div_ceil(entries_per_item);
    if items.len() < 2 * least {
        return job(0, items);
    }
    let len = least.max(items.len().div_ceil(4 * rayon::current_num_threads()));
    items.par_chunks_mut(len).enumerate().for_each(|(part, items)| job(part * len, items));
}

/// Entries of a pack; zeros outside of `places`, which lie in the pack.
#[inline(always)]
fn some_entries<T: Real>(line: &[T], places: Range<usize>) -> [f64; LANES] {
    let mut entries = [0.0; LANES];
    for place in places {
        entries[place % LANES] = line[place].to_f64();
    }
    entries
}

#[inline(always)]
fn entries<T: Real>(line: &[T], first: usize) -> [f64; LANES] {
    let line = &line[first..first + LANES];
    std::array::from_fn(|lane| line[lane].to_f64())
}

#[inline(always)]
fn add<B: Substitution>(sums: &mut Sums<B>, entries: &[f64; LANES], unknowns: &UnknownLanes<B>) {
    for (lane, &entry) in entries.iter().enumerate() {
        let sum = B::add(B::Sum::get(sums, lane), entry, B::Unknown::get(unknowns, lane));
        B::Sum::set(sums, lane, sum);
    }
}

/// The packs of a range: those that it fills, and the places in the two others, before and behind these.
#[inline(always)]
fn packs(range: &Range<usize>) -> (Range<usize>, [Range<usize>; 2]) {
    let first = range.start.next_multiple_of(LANES);
    let last = range.end / LANES * LANES;
    match first <= last {
        true => (first / LANES..last / LANES, [range.start..first, last..range.end]),
        false => (0..0, [range.clone(), 0..0]),
    }
}

/// Adds a row's entries in some columns.
#[inline(always)]
fn add_row<T: Real, B: Substitution>(sums: &mut Sums<B>, line: &[T], columns: Range<usize>, known: &[UnknownLanes<B>]) {
    let (full, ends) = packs(&columns);
    let mut own = *sums;
    for pack in full {
        add::<B>(&mut own, &entries(line, pack * LANES), &known[pack]);
    }
    for places in ends {
        if !places.is_empty() {
            let pack = places.start / LANES;
            add::<B>(&mut own, &some_entries(line, places), &known[pack]);
        }
    }
    *sums = own;
}

/// Adds some columns' entries in some rows. `sums` begins with the pack of `first_row`.
#[inline(always)]
fn add_columns<T: Real, B: Substitution, const COUNT: usize>(
    sums: &mut [Sums<B>],
    first_row: usize,
    lines: [&[T]; COUNT],
    rows: Range<usize>,
    unknowns: [UnknownLanes<B>; COUNT],
) {
    let (full, ends) = packs(&rows);
    let first = first_row / LANES;
    for pack in full {
        let mut own = sums[pack - first];
        for (line, unknown) in lines.iter().zip(&unknowns) {
            add::<B>(&mut own, &entries(line, pack * LANES), unknown);
        }
        sums[pack - first] = own;
    }
    for places in ends {
        if !places.is_empty() {
            let sums = &mut sums[places.start / LANES - first];
            for (line, unknown) in lines.iter().zip(&unknowns) {
                add::<B>(sums, &some_entries(line, places.clone()), unknown);
            }
        }
    }
}

/// Computes the unknowns of a panel whose columns are contiguous.
struct PanelOfColumns<'a, T, B: Substitution> {
    work: &'a Work<'a, T, B>,
    panel: Range<usize>,
    sums: &'a mut [Sums<B>],
    known: &'a mut [UnknownLanes<B>],
}

impl<T: Real, B: Substitution> WithSimd for PanelOfColumns<'_, T, B> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { work, panel, sums, known } = self;
        let triangle = work.triangle;
        for step in 0..panel.len() {
            let column = if triangle.is_lower() { panel.start + step } else { panel.end - 1 - step };
            let (pack, lane) = (column / LANES, column % LANES);
            let unknown = work.end(column, B::Sum::get(&sums[pack], lane));
            B::Unknown::set(&mut known[pack], lane, unknown);
            if let Some(line) = triangle.line(column) {
                let rows = if triangle.is_lower() { column + 1..panel.end } else { panel.start..column };
                add_columns::<T, B, 1>(sums, 0, [line], rows, [unknown.all()]);
            }
        }
    }
}

/// Adds the entries of a panel's columns in rows outside of the panel.
struct BesidePanel<'a, T, B: Substitution> {
    work: &'a Work<'a, T, B>,
    columns: Range<usize>,
    rows: Range<usize>,
    sums: &'a mut [Sums<B>],
    known: &'a [UnknownLanes<B>],
}

impl<T: Real, B: Substitution> WithSimd for BesidePanel<'_, T, B> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { work, mut columns, rows, sums, known } = self;
        let triangle = work.triangle;
        let unknown = |column: usize| B::Unknown::get(&known[column / LANES], column % LANES).all();
        while let Some(line) = triangle.line(columns.start).filter(|_| !columns.is_empty()) {
            let at = columns.start;
            let more: [Option<&[T]>; COLUMNS - 1] = std::array::from_fn(|more| triangle.line(at + 1 + more));
            match more {
                [Some(a), Some(b), Some(c)] if columns.len() >= COLUMNS => {
                    let unknowns = std::array::from_fn(|more| unknown(at + more));
                    add_columns::<T, B, COLUMNS>(sums, rows.start, [line, a, b, c], rows.clone(), unknowns);
                    columns.start += COLUMNS;
                }
                _ => {
                    add_columns::<T, B, 1>(sums, rows.start, [line], rows.clone(), [unknown(at)]);
                    columns.start += 1;
                }
            }
        }
    }
}

/// Adds the entries of rows in columns outside of their panel.
struct BeforePanel<'a, T, B: Substitution> {
    work: &'a Work<'a, T, B>,
    first_row: usize,
    columns: Range<usize>,
    sums: &'a mut [Sums<B>],
    known: &'a [UnknownLanes<B>],
}

impl<T: Real, B: Substitution> WithSimd for BeforePanel<'_, T, B> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { work, first_row, columns, sums, known } = self;
        for (row, sums) in (first_row..).zip(sums) {
            *sums = B::nothing().all();
            B::Sum::set(sums, 0, work.by.begin(row));
            if let Some(line) = work.triangle.line(row) {
                add_row::<T, B>(sums, line, columns.clone(), known);
            }
        }
    }
}

/// Computes the unknowns of a panel whose rows are contiguous.
struct PanelOfRows<'a, T, B: Substitution> {
    work: &'a Work<'a, T, B>,
    panel: Range<usize>,
    sums: &'a mut [Sums<B>],
    known: &'a mut [UnknownLanes<B>],
}

impl<T: Real, B: Substitution> WithSimd for PanelOfRows<'_, T, B> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { work, panel, sums, known } = self;
        let triangle = work.triangle;
        for step in 0..panel.len() {
            let row = if triangle.is_lower() { panel.start + step } else { panel.end - 1 - step };
            let sums = &mut sums[row - panel.start];
            if let Some(line) = triangle.line(row) {
                let columns = if triangle.is_lower() { panel.start..row } else { row + 1..panel.end };
                add_row::<T, B>(sums, line, columns, known);
            }
            let mut lanes: [B::Sum; LANES] = std::array::from_fn(|lane| B::Sum::get(sums, lane));
            let mut count = LANES;
            while count > 1 {
                count /= 2;
                for lane in 0..count {
                    lanes[lane] = B::joined(lanes[lane], lanes[lane + count]);
                }
            }
            B::Unknown::set(&mut known[row / LANES], row % LANES, work.end(row, lanes[0]));
        }
    }
}
