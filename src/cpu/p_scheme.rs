//! P-scheme, chunk by chunk.
//!
//! A. Wakatani, "Evaluation of P-Scheme/G Algorithm for Solving Recurrence Equations", 2013. Pre-computation solves each chunk with 0 as
//! the value before it; propagation computes the values before the chunks in order; determination adds their contribution to the chunks'
//! rows. On a device, the first and the last phase process all chunks at once, with rearranged arrays.

use crate::error::{Error, Result};
use crate::real::Scalar;

/// Chunks between the phases.
#[derive(Debug, Clone)]
pub struct PScheme<S> {
    /// Each row's value, for 0 as the value before its chunk.
    values: Vec<S>,
    /// The product of the chunk's factors up to each row.
    products: Vec<S>,
    each: usize,
}

impl<S: Scalar> PScheme<S> {
    /// The pre-computation of `chunks` chunks, each of ceil(n / chunks) rows (the last ones may have fewer, or none):
    /// 3 (n - chunks) operations if all are full.
    ///
    /// # Errors
    /// [`Error::Shape`] for no rows or no chunks, [`Error::Length`] where s and t differ in length.
    pub fn new(s: &[S], t: &[S], chunks: usize) -> Result<Self> {
        for (what, count) in [("n", s.len()), ("chunks", chunks)] {
            if count == 0 {
                return Err(Error::Shape(format!("{what} is 0; it must be at least 1")));
            }
        }
        if t.len() != s.len() {
            return Err(Error::Length { vector: "t", expected: s.len().to_string(), found: t.len() });
        }
        let each = s.len().div_ceil(chunks);
        let mut phases = Self { values: t.to_vec(), products: s.to_vec(), each };
        phases.precompute(|i| s[i], t)?;
        Ok(phases)
    }

    /// Repeats the pre-computation in the same memory, with other factors and summands: `factor` computes the factor of a row from its index,
    /// counted from 0. 3 (n - chunks) operations beside those of `factor`.
    ///
    /// # Errors
    /// [`Error::Length`] if `t` has another number of rows.
    pub fn precompute(&mut self, factor: impl Fn(usize) -> S, t: &[S]) -> Result<()> {
        let n = self.values.len();
        if t.len() != n {
            return Err(Error::Length { vector: "t", expected: n.to_string(), found: t.len() });
        }
        let each = self.each;
        let chunks = self.values.chunks_mut(each).zip(self.products.chunks_mut(each)).zip(t.chunks(each));
        for (chunk, ((values, products), t)) in chunks.enumerate() {
            let start = chunk * each;
            // The value before the chunk counts as 0.
            let (mut value, mut product) = (t[0], factor(start));
            (values[0], products[0]) = (value, product);
            let rows = values.iter_mut().zip(products).zip(t).enumerate().skip(1);
            for (i, ((own_value, own_product), &t)) in rows {
                let s = factor(start + i);
                value = s * value + t;
                product = s * product;
                (*own_value, *own_product) = (value, product);
            }
        }
        Ok(())
    }

    /// The propagation: the value before each chunk, and the last chunk's last. 2 operations per chunk.
    pub fn propagate(&self, initial: S) -> Vec<S> {
        let ends = self.values.chunks(self.each).zip(self.products.chunks(self.each));
        let mut before = vec![initial];
        let mut value = initial;
        for (values, products) in ends {
            let last = values.len() - 1;
            value = values[last] + products[last] * value;
            before.push(value);
        }
        before
    }

    /// The determination, with the result of [`PScheme::propagate`]: 2 (n - chunks) operations if all chunks are full. The last value of each
    /// chunk is known.
    pub fn determine(&mut self, before: &[S]) {
        let chunks = self.values.chunks_mut(self.each).zip(self.products.chunks(self.each));
        for ((values, products), ends) in chunks.zip(before.windows(2)) {
            let last = values.len() - 1;
            for (value, product) in values[..last].iter_mut().zip(products) {
                *value = *value + *product * ends[0];
            }
            values[last] = ends[1];
        }
    }

    /// The value of each row. Before the determination: as if the value before its chunk were 0.
    pub fn values(&self) -> &[S] {
        &self.values
    }
}

/// w\[i\] = s\[i\] w\[i-1\] + t\[i\] by P-scheme, with `initial` as the value before the first: 5 n - 3 chunks operations
/// for full chunks, against 2 n of [`recurrence`](super::recurrence). Products that leave the scalar's range are not
/// caught, as they are on a device.
///
/// # Errors
/// As [`PScheme::new`].
pub fn p_scheme<S: Scalar>(s: &[S], t: &[S], initial: S, chunks: usize) -> Result<Vec<S>> {
    let mut phases = PScheme::new(s, t, chunks)?;
    let before = phases.propagate(initial);
    phases.determine(&before);
    Ok(phases.values)
}
