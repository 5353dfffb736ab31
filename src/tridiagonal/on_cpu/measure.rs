//! What bounds the error of an answer: `residual_of` of `shaders/tridiagonal/residual.wgsl` on the CPU.

use pulp::{Simd, WithSimd};

use super::slicing::Slice;
use super::sweep::RowPerLane;
use super::tile::{LANES, Lanes, Source, Span, Tile};
use crate::judge::answer::moderate;
use crate::judge::thresholds::RESIDUAL_ROUNDINGS;
use crate::plan::Scattered;
use crate::real::{Real, Scalar};
use crate::tridiagonal::bounds::{Bounds, Dominance};

/// Maxima over rows, per lane.
struct Most<T> {
    size: Lanes<T>,
    error: Lanes<T>,
    /// 1 if a row is not dominant.
    not_dominant: Lanes<T>,
    /// 1 if an off-diagonal has the diagonal's sign.
    same_sign: Lanes<T>,
    /// 1 if a right-hand side has the diagonal's sign.
    along: Lanes<T>,
    /// 1 if a right-hand side has the opposite sign.
    against: Lanes<T>,
    /// 1 if the size of an entry may cause harmful underflow in elimination.
    immoderate: Lanes<T>,
}

#[inline(always)]
fn raise<T: Real>(most: &mut T, value: T) {
    *most = if value > *most { value } else { *most };
}

#[inline(always)]
fn one_if<T: Real>(is: bool) -> T {
    if is { T::ONE } else { T::ZERO }
}

/// Numbers that rows are compared with and multiplied by.
#[derive(Clone, Copy)]
struct Constants<T> {
    /// Of each term, so that their sum does not overflow.
    eighth: T,
    roundings: T,
    large: T,
    normal: T,
    /// The sizes of moderate entries.
    moderate: [T; 2],
}

impl<T: Real> Constants<T> {
    fn new() -> Self {
        Self {
            eighth: T::from_f64(0.125),
            roundings: T::from_f64(RESIDUAL_ROUNDINGS * T::UNIT_ROUNDOFF),
            large: T::from_f64(T::PRECISION.largest() / 32.0),
            normal: T::from_f64(T::PRECISION.least_normal() * 8.0),
            moderate: moderate::<T>().map(T::from_f64),
        }
    }
}

impl<T: Real> Most<T> {
    fn new() -> Self {
        let zeros = [T::ZERO; LANES];
        Self {
            size: zeros,
            error: zeros,
            not_dominant: zeros,
            same_sign: zeros,
            along: zeros,
            against: zeros,
            immoderate: zeros,
        }
    }

    #[inline(always)]
    fn take<const EXCESS: bool>(
        &mut self,
        rows: &RowPerLane<T>,
        lane: usize,
        [before, x, behind]: [T; 3],
        constants: Constants<T>,
    ) {
        let Constants { eighth, roundings, large, normal, moderate: [least, most] } = constants;
        let row = rows.row::<EXCESS>(lane);
        let terms = [row.b * x, row.a * before, row.c * behind];
        let residual = row.d - terms[0] - terms[1] - terms[2];
        let size = eighth * row.d.abs() + eighth * terms[0].abs() + eighth * terms[1].abs() + eighth * terms[2].abs();
        // Terms that overflow may leave NaN.
        let residual = if size < large { residual } else { large };
        let error = eighth * residual.abs() + roundings * size;
        let is_negative = row.b < T::ZERO;
        let regular = match is_negative {
            true => row.a >= T::ZERO && row.c >= T::ZERO,
            false => row.a <= T::ZERO && row.c <= T::ZERO,
        };
        let along = if is_negative { -row.d } else { row.d };
        raise(&mut self.size[lane], x.abs());
        raise(&mut self.error[lane], if row.e > normal { error / row.e } else { large });
        raise(&mut self.not_dominant[lane], one_if(!(row.e >= T::ZERO && row.b != T::ZERO)));
        raise(&mut self.same_sign[lane], one_if(!regular));
        raise(&mut self.along[lane], one_if(along > T::ZERO));
        raise(&mut self.against[lane], one_if(along < T::ZERO));
        let given = if EXCESS { row.e } else { row.b };
        for size in [row.a, given, row.c].map(Scalar::abs) {
            raise(&mut self.immoderate[lane], one_if((size != T::ZERO) & ((size < least) | (size > most))));
        }
    }

    fn bounds(&self, lane: usize) -> Bounds {
        let is = |ones: &Lanes<T>| ones[lane] == T::ONE;
        let dominance = match (is(&self.not_dominant), is(&self.same_sign)) {
            (true, _) => Dominance::None,
            (false, true) => Dominance::Irregular,
            (false, false) => Dominance::Regular,
        };
        Bounds {
            size: self.size[lane].to_f64(),
            error: self.error[lane].to_f64(),
            dominance,
            signs: [is(&self.along), is(&self.against)],
            is_valid: !is(&self.immoderate),
        }
    }
}

/// The bounds of the slices of a group, whose unknowns and neighbours' are in `x`.
pub struct Measure<'a, T, const EXCESS: bool> {
    source: &'a Source<'a, T>,
    slices: &'a [Slice; LANES],
    rows: usize,
    tile: &'a mut Tile<T>,
    x: &'a Scattered<'a, T>,
}

impl<'a, T: Real, const EXCESS: bool> Measure<'a, T, EXCESS> {
    /// `rows`: of the longest slice.
    ///
    /// # Safety
    /// While it runs, no other thread writes unknowns of these slices, or those beside them.
    pub unsafe fn new(
        source: &'a Source<'a, T>,
        slices: &'a [Slice; LANES],
        rows: usize,
        tile: &'a mut Tile<T>,
        x: &'a Scattered<'a, T>,
    ) -> Self {
        Self { source, slices, rows, tile, x }
    }
}

impl<T: Real, const EXCESS: bool> WithSimd for Measure<'_, T, EXCESS> {
    type Output = [Bounds; LANES];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Self { source, slices, rows, tile, x } = self;
        let (shape, constants) = (source.shape, Constants::new());
        let n = shape.n;
        let unknown = |slice: &Slice, row: Option<usize>| {
            let mut value = T::ZERO;
            if let Some(row) = row.filter(|row| *row < n) {
                let place = shape.rhs_index(slice.system, slice.column, row);
                // SAFETY: this unknown is beside a span's rows, so it is one of the slice or beside it (the promise of `Measure::new`).
                unsafe { x.read(place, 1, std::iter::once(&mut value)) };
            }
            value
        };
        let ring = |row: Option<usize>| if source.system.periodic { row } else { None };
        let mut most = Most::new();
        for span in Span::all(slices, rows) {
            source.load(span, tile);
            // SAFETY: these are unknowns of the slices (the promise of `Measure::new`).
            unsafe { source.load_unknowns(span, x, &mut tile.x) };
            let mut before: Lanes<T> = std::array::from_fn(|lane| {
                let slice = &slices[lane];
                unknown(slice, (slice.first_row + span.at).checked_sub(1).or(ring(Some(n - 1))))
            });
            let last: Lanes<T> = std::array::from_fn(|lane| {
                let slice = &slices[lane];
                let row = slice.first_row + slice.rows.min(span.at + span.count);
                unknown(slice, if row < n { Some(row) } else { ring(Some(0)) })
            });
            for i in 0..span.least {
                let (rows, own) = (tile.across(i), tile.x[i]);
                // Slices that end here have their neighbour behind.
                let ahead = if i + 1 < span.count { tile.x[i + 1] } else { last };
                let behind: Lanes<T> =
                    std::array::from_fn(|lane| if i + 1 < span.count_of(lane) { ahead[lane] } else { last[lane] });
                for lane in 0..LANES {
                    most.take::<EXCESS>(&rows, lane, [before[lane], own[lane], behind[lane]], constants);
                }
                before = own;
            }
            for i in span.least..span.count {
                let rows = tile.across(i);
                for lane in (0..LANES).filter(|lane| i < span.count_of(*lane)) {
                    let behind = if i + 1 < span.count_of(lane) { tile.x[i + 1][lane] } else { last[lane] };
                    most.take::<EXCESS>(&rows, lane, [before[lane], tile.x[i][lane], behind], constants);
                    before[lane] = tile.x[i][lane];
                }
            }
        }
        std::array::from_fn(|lane| most.bounds(lane))
    }
}
