//! Copies between host memory and mapped memory, by all cores if they are long.

use rayon::prelude::*;
use wgpu::WriteOnly;

use crate::real::Real;

/// Bytes that one core copies.
const PIECE: usize = 1 << 18;

/// A part of mapped memory, and the bytes copied into it.
struct Piece<'a> {
    target: WriteOnly<'a, [u8]>,
    source: &'a [u8],
}

// SAFETY: the target is a write-only `&mut [u8]`, which is Send. (wgpu declares it for sized types only.)
unsafe impl Send for Piece<'_> {}

/// To mapped memory. The lengths are equal.
pub fn to_mapped(mut target: WriteOnly<'_, [u8]>, source: &[u8]) {
    if source.len() <= PIECE {
        return target.copy_from_slice(source);
    }
    let mut pieces = vec![];
    for source in source.chunks(PIECE) {
        let (start, behind) = target.split_at(source.len());
        pieces.push(Piece { target: start, source });
        target = behind;
    }
    pieces.into_par_iter().for_each(|mut piece| piece.target.copy_from_slice(piece.source));
}

/// From mapped memory. The lengths are equal.
pub fn from_mapped(target: &mut [u8], source: &[u8]) {
    match source.len() <= PIECE {
        true => target.copy_from_slice(source),
        false => target.par_chunks_mut(PIECE).zip(source.par_chunks(PIECE)).for_each(|(t, s)| t.copy_from_slice(s)),
    }
}

/// Numbers of mapped memory, in memory of their own, which is not cleared before.
pub fn values_from_mapped<T: Real>(source: &[u8]) -> Vec<T> {
    let size = size_of::<T>();
    if source.len() <= PIECE {
        return source.chunks_exact(size).map(bytemuck::pod_read_unaligned).collect();
    }
    let mut values = vec![];
    let numbers = source.par_chunks_exact(size).with_min_len(PIECE / size);
    numbers.map(bytemuck::pod_read_unaligned).collect_into_vec(&mut values);
    values
}
