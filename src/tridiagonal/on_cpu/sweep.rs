//! Elimination and substitution in a group of slices.

use pulp::{Simd, WithSimd};

use super::relation::{Block, Relation, Row};
use super::slicing::Slice;
use super::tile::{LANES, Lanes, Source, Span, Tile};
use crate::cpu::excess_of;
use crate::plan::Scattered;
use crate::real::{Real, Scalar};

/// A relation per lane.
#[derive(Clone, Copy)]
pub struct Relations<T> {
    p: Lanes<T>,
    q: Lanes<T>,
    r: Lanes<T>,
    c: Lanes<T>,
}

impl<T: Scalar> Relations<T> {
    pub fn all(Relation { p, q, r, c }: Relation<T>) -> Self {
        Self { p: [p; LANES], q: [q; LANES], r: [r; LANES], c: [c; LANES] }
    }

    #[inline(always)]
    pub fn get(&self, lane: usize) -> Relation<T> {
        Relation { p: self.p[lane], q: self.q[lane], r: self.r[lane], c: self.c[lane] }
    }

    #[inline(always)]
    fn set(&mut self, lane: usize, Relation { p, q, r, c }: Relation<T>) {
        self.p[lane] = p;
        self.q[lane] = q;
        self.r[lane] = r;
        self.c[lane] = c;
    }
}

impl<T: Real> Tile<T> {
    #[inline(always)]
    pub fn across(&self, i: usize) -> RowPerLane<T> {
        RowPerLane { lower: self.lower[i], own: self.own[i], upper: self.upper[i], rhs: self.rhs[i] }
    }
}

/// One row per lane.
pub struct RowPerLane<T> {
    lower: Lanes<T>,
    own: Lanes<T>,
    upper: Lanes<T>,
    rhs: Lanes<T>,
}

impl<T: Real> RowPerLane<T> {
    #[inline(always)]
    pub fn row<const EXCESS: bool>(&self, lane: usize) -> Row<T> {
        let (a, own, c, d) = (self.lower[lane], self.own[lane], self.upper[lane], self.rhs[lane]);
        let (b, e) = match EXCESS {
            true => (a.abs() + c.abs() + own, own),
            false => (own, excess_of(a, own, c)),
        };
        Row { a, b, c, d, e }
    }
}

/// The relations of the last rows so far.
pub struct Elimination<T> {
    pub last: Relations<T>,
    /// 1 for each lane with a row that is not dominant, or whose diagonal is 0 or not finite.
    pub marks: Lanes<T>,
}

impl<T: Real> Elimination<T> {
    pub fn new(last: Relations<T>) -> Self {
        Self { last, marks: [T::ZERO; LANES] }
    }

    /// Eliminates a lane's next row.
    #[inline(always)]
    pub fn take<const EXCESS: bool>(&mut self, rows: &RowPerLane<T>, lane: usize) -> Relation<T> {
        let row = rows.row::<EXCESS>(lane);
        let is_dominant = row.e >= T::ZERO && row.b != T::ZERO && row.b.is_finite();
        self.marks[lane] = if is_dominant { self.marks[lane] } else { T::ONE };
        let relation = self.last.get(lane).eliminated(row);
        self.last.set(lane, relation);
        relation
    }
}

/// Reduces the slices of a group to blocks; `None` for slices with rows that are not dominant.
pub struct Reduce<'a, T, const EXCESS: bool> {
    pub source: &'a Source<'a, T>,
    pub slices: &'a [Slice; LANES],
    /// Of the longest slice.
    pub rows: usize,
    pub tile: &'a mut Tile<T>,
}

impl<T: Real, const EXCESS: bool> WithSimd for Reduce<'_, T, EXCESS> {
    type Output = [Option<Block<T>>; LANES];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Self { source, slices, rows, tile } = self;
        let mut elimination = Elimination::new(Relations::all(Relation::PREVIOUS));
        let mut first = Relations::all(Relation::NEXT);
        for span in Span::all(slices, rows) {
            source.load(span, tile);
            for i in 0..span.least {
                let rows = tile.across(i);
                for lane in 0..LANES {
                    elimination.take::<EXCESS>(&rows, lane);
                }
                for lane in 0..LANES {
                    first.set(lane, first.get(lane).through_next(elimination.last.get(lane)));
                }
            }
            for i in span.least..span.count {
                let rows = tile.across(i);
                for lane in (0..LANES).filter(|lane| i < span.count_of(*lane)) {
                    let relation = elimination.take::<EXCESS>(&rows, lane);
                    first.set(lane, first.get(lane).through_next(relation));
                }
            }
        }
        let Elimination { last, marks } = elimination;
        std::array::from_fn(|lane| {
            (marks[lane] == T::ZERO).then(|| Block { first: first.get(lane), last: last.get(lane) })
        })
    }
}

/// A group of slices to solve.
pub struct Unsolved<'a, T> {
    pub source: &'a Source<'a, T>,
    pub slices: &'a [Slice; LANES],
    /// The unknowns beside each slice.
    pub beside: &'a [[T; 2]; LANES],
    pub tile: &'a mut Tile<T>,
    pub x: &'a Scattered<'a, T>,
}

/// Solves the slices of a group. Returns whether each slice has dominant rows and finite unknowns.
pub struct Solve<'a, T, const EXCESS: bool> {
    pub unsolved: Unsolved<'a, T>,
    /// Of the longest slice.
    pub rows: usize,
    /// x = q x_next + r of each row and lane.
    pub relations: &'a mut [Vec<Lanes<T>>; 2],
}

impl<T: Real, const EXCESS: bool> WithSimd for Solve<'_, T, EXCESS> {
    type Output = [bool; LANES];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Self { unsolved: Unsolved { source, slices, beside, tile, x }, rows, relations: [q, r] } = self;
        q.resize(rows, [T::ZERO; LANES]);
        r.resize(rows, [T::ZERO; LANES]);
        let mut known = Relations::all(Relation::known(T::ZERO));
        known.r = beside.map(|[before, _]| before);
        let mut elimination = Elimination::new(known);
        for span in Span::all(slices, rows) {
            source.load(span, tile);
            let (q, r) = (&mut q[span.at..][..span.count], &mut r[span.at..][..span.count]);
            for (i, (q, r)) in q.iter_mut().zip(r).enumerate() {
                let rows = tile.across(i);
                if i < span.least {
                    for lane in 0..LANES {
                        elimination.take::<EXCESS>(&rows, lane);
                    }
                    (*q, *r) = (elimination.last.q, elimination.last.r);
                } else {
                    // Behind a slice's end, x is x_next.
                    (*q, *r) = ([T::ONE; LANES], [T::ZERO; LANES]);
                    for lane in (0..LANES).filter(|lane| i < span.count_of(*lane)) {
                        let relation = elimination.take::<EXCESS>(&rows, lane);
                        (q[lane], r[lane]) = (relation.q, relation.r);
                    }
                }
            }
        }
        let mut next = beside.map(|[_, behind]| behind);
        // 0 as long as all are finite.
        let mut probe = [T::ZERO; LANES];
        for span in Span::all(slices, rows).rev() {
            let (q, r) = (&q[span.at..][..span.count], &r[span.at..][..span.count]);
            for ((q, r), x) in q.iter().zip(r).zip(&mut tile.x[..span.count]).rev() {
                for lane in 0..LANES {
                    next[lane] = r[lane] + q[lane] * next[lane];
                    probe[lane] = probe[lane] + next[lane] * T::ZERO;
                }
                *x = next;
            }
            source.store(span, &tile.x, x);
        }
        std::array::from_fn(|lane| elimination.marks[lane] == T::ZERO && probe[lane] == T::ZERO)
    }
}
