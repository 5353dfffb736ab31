//! Blocks of consecutive rows as their neighbours see them: `shaders/shared/block.wgsl` on the CPU.

use rayon::prelude::*;

use crate::real::{Real, Scalar};

/// x = p x_prev + q x_next + r with its complement c = 1 - |p| - |q|, which is carried instead of computed: of dominant rows every update
/// adds terms that are not negative (Grassmann, Taksar and Heyman 1985; Alfa, Xue and Ye 2002).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relation<T> {
    pub p: T,
    pub q: T,
    pub r: T,
    pub c: T,
}

/// a x_prev + b x + c x_next = d with the excess e = |b| - |a| - |c|.
#[derive(Clone, Copy)]
pub struct Row<T> {
    pub a: T,
    pub b: T,
    pub c: T,
    pub d: T,
    pub e: T,
}

/// The relations of the first and the last unknown of a block to the unknowns beside it.
#[derive(Debug, Clone, Copy)]
pub struct Block<T> {
    pub first: Relation<T>,
    pub last: Relation<T>,
}

#[inline(always)]
fn twice<T: Scalar>(x: T) -> T {
    x + x
}

/// A zero may count as either sign: what depends on it then agrees.
#[inline(always)]
fn opposite<T: Scalar>(a: T, b: T) -> bool {
    (a < T::ZERO) != (b < T::ZERO)
}

/// |x| + |y| - |x + y|
#[inline(always)]
fn cancelled<T: Scalar>(x: T, y: T) -> T {
    let (x_size, y_size) = (x.abs(), y.abs());
    let least = if x_size < y_size { x_size } else { y_size };
    if opposite(x, y) { twice(least) } else { T::ZERO }
}

impl<T: Scalar> Relation<T> {
    /// "x is x_prev".
    pub const PREVIOUS: Self = Self { p: T::ONE, q: T::ZERO, r: T::ZERO, c: T::ZERO };
    /// "x is x_next".
    pub const NEXT: Self = Self { p: T::ZERO, q: T::ONE, r: T::ZERO, c: T::ZERO };

    /// "x is this number".
    #[inline(always)]
    pub fn known(x: T) -> Self {
        Self { p: T::ZERO, q: T::ZERO, r: x, c: T::ONE }
    }

    /// Of the pivot of a row, given the relation of the row before it.
    #[inline(always)]
    pub fn inverse(self, row: Row<T>) -> T {
        let t = row.a * self.q;
        let turn = opposite(t, row.b);
        let a = row.a.abs();
        let size = if turn { row.e + row.c.abs() + a * (self.p.abs() + self.c) } else { row.b.abs() + t.abs() };
        let magnitude = T::ONE / size;
        if row.b < T::ZERO { -magnitude } else { magnitude }
    }

    /// The relation of a row to x_prev and x_next, given that of the row before it to x_prev and to this row's unknown.
    #[inline(always)]
    pub fn eliminated(self, row: Row<T>) -> Self {
        let turn = opposite(row.a * self.q, row.b);
        let gain = if turn { self.c } else { self.c + twice(self.q.abs()) };
        let inverse = self.inverse(row);
        let (a, magnitude) = (row.a.abs(), inverse.abs());
        Self {
            p: -row.a * self.p * inverse,
            q: -row.c * inverse,
            r: (row.d - row.a * self.r) * inverse,
            c: (row.e + a * gain) * magnitude,
        }
    }

    /// This relation with its x_next replaced by the relation `x`.
    #[inline(always)]
    pub fn through_next(self, x: Self) -> Self {
        let s = self.q * x.p;
        Self {
            p: self.p + s,
            q: self.q * x.q,
            r: self.r + self.q * x.r,
            c: self.c + self.q.abs() * x.c + cancelled(self.p, s),
        }
    }

    /// This relation with its x_prev replaced by the relation `x`.
    fn through_previous(self, x: Self) -> Self {
        let s = self.p * x.q;
        Self {
            p: self.p * x.p,
            q: self.q + s,
            r: self.r + self.p * x.r,
            c: self.c + self.p.abs() * x.c + cancelled(self.q, s),
        }
    }

    /// The unknowns at the seam of two blocks, eliminated from each other: `self` is the last of the block before, `first` the first of the block behind.
    fn joined(self, first: Self) -> [Self; 2] {
        let last = self;
        let turn = opposite(last.q, first.p);
        let (a, b) = (last.q.abs(), first.p.abs());
        let size = if turn { T::ONE + a * b } else { (last.p.abs() + last.c) + a * (first.q.abs() + first.c) };
        let k = T::ONE / size;
        let [more_a, more_b] = if turn { [twice(a), twice(b)] } else { [T::ZERO; 2] };
        [
            Self {
                p: k * last.p,
                q: k * (last.q * first.q),
                r: k * (last.q * first.r + last.r),
                c: k * (last.c + a * (first.c + more_b)),
            },
            Self {
                p: k * (first.p * last.p),
                q: k * first.q,
                r: k * (first.p * last.r + first.r),
                c: k * (first.c + b * (last.c + more_a)),
            },
        ]
    }
}

impl<T: Scalar> Block<T> {
    /// The same block with other right-hand sides.
    pub fn with_summands(self, first: T, last: T) -> Self {
        Self { first: Relation { r: first, ..self.first }, last: Relation { r: last, ..self.last } }
    }

    /// Both blocks as one.
    fn merged(self, behind: Self) -> Self {
        let [last, first] = self.last.joined(behind.first);
        Self { first: self.first.through_next(first), last: behind.last.through_previous(last) }
    }

    /// The first and the last unknown of a periodic system that consists of this block.
    fn closed(self) -> [T; 2] {
        let Self { first, last } = self;
        // (1 - first.q) x_first - first.p x_last = first.r and (1 - last.p) x_last - last.q x_first = last.r: each diagonal and its excess.
        let own = |near: T, far: T, c: T| match near < T::ZERO {
            true => (T::ONE - near, c + twice(near.abs())),
            false => (far.abs() + c, c),
        };
        let (a, excess_a) = own(first.q, first.p, first.c);
        let (b, excess_b) = own(last.p, last.q, last.c);
        let product = first.p * last.q;
        let determinant = if product < T::ZERO { a * b - product } else { a * excess_b + last.q.abs() * excess_a };
        [(first.r * b + first.p * last.r) / determinant, (a * last.r + last.q * first.r) / determinant]
    }
}

impl<T: Real> Block<T> {
    /// In f64. Roundings move |p| + |q| + c off 1; normalizing keeps this error from growing over many equal blocks.
    fn widened(&self) -> Block<f64> {
        let wide = |Relation { p, q, r, c }: Relation<T>| {
            let [p, q, r, c] = [p, q, r, c].map(Real::to_f64);
            let sum = p.abs() + q.abs() + c;
            Relation { p: p / sum, q: q / sum, r, c: c / sum }
        };
        Block { first: wide(self.first), last: wide(self.last) }
    }
}

/// Blocks whose relations one core merges.
const TOGETHER: usize = 1024;

/// The unknowns before and behind each of consecutive blocks; `periodic`: the first block follows the last.
pub fn beside<T: Real>(blocks: &[Block<T>], periodic: bool) -> Vec<[T; 2]> {
    let merged = |blocks: &[Block<T>]| blocks.iter().map(Block::widened).reduce(Block::merged);
    let larger: Vec<_> = match blocks.len() > TOGETHER {
        true => blocks.par_chunks(TOGETHER).filter_map(merged).collect(),
        false => (if periodic { merged(blocks) } else { None }).into_iter().collect(),
    };
    let ring = larger.iter().copied().reduce(Block::merged).filter(|_| periodic);
    let [first, last] = ring.map_or([0.0; 2], Block::closed);
    if blocks.len() <= TOGETHER {
        return between(blocks.iter().map(Block::widened), last, first);
    }
    let beside: Vec<[f64; 2]> = between(larger.into_iter(), last, first);
    let within = |(blocks, [before, behind]): (&[Block<T>], [f64; 2])| {
        between(blocks.iter().map(Block::widened), before, behind)
    };
    blocks.par_chunks(TOGETHER).zip(beside).flat_map_iter(within).collect()
}

/// The unknowns before and behind each of consecutive blocks, given those before the first and behind the last.
fn between<T: Real>(blocks: impl Iterator<Item = Block<f64>>, before: f64, behind: f64) -> Vec<[T; 2]> {
    // The last unknown before each block, by the first one behind it.
    let mut before = Relation::known(before);
    let seams: Vec<_> = blocks
        .map(|block| {
            let [last, first] = before.joined(block.first);
            before = block.last.through_previous(last);
            [[last.q, last.r], [first.q, first.r]]
        })
        .collect();
    let mut behind = behind;
    let mut found: Vec<_> = seams
        .iter()
        .rev()
        .map(|[[last_q, last_r], [first_q, first_r]]| {
            let unknowns = [last_q * behind + last_r, behind];
            behind = first_q * behind + first_r;
            unknowns.map(T::from_f64)
        })
        .collect();
    found.reverse();
    found
}
