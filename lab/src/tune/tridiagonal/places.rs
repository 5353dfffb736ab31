//! The shapes that tridiagonal systems are tuned for.

use trisolve::gpu::Gpu;
use trisolve::internals::plan::{Shape, systems_first};
use trisolve::tridiagonal::Algorithm;

/// The shapes to search at, and the shapes between those, which are only compared. The fastest policy changes slowly: rows grow by
/// factors of 4 and systems by 8 or more. For a single system rows grow by factors of 2, since its slices may or may not fit the
/// processors all at once.
///
/// A software adapter also gets shapes halfway between: powers of two fall into the same lines of its caches, and are not typical.
pub fn places(gpu: &Gpu, quick: bool) -> [Vec<Shape>; 2] {
    let software = gpu.info().device_type == wgpu::DeviceType::Cpu;
    let powers = |from: u32, to: u32, step: usize| (from..=to).step_by(step).map(|power| 1usize << power);
    let shapes = |rows: &mut dyn Iterator<Item = usize>, batch: usize| {
        // Larger batches keep a software adapter busy for a second; the time is better spent on the others.
        let most = if quick || software { 1 << 18 } else { 1 << 26 };
        let both = |n| {
            [Some(Shape::contiguous(n, batch)), (batch >= 64 && n <= 1 << 15).then(|| Shape::interleaved(n, batch))]
        };
        rows.filter(|&n| n * batch <= most).flat_map(both).flatten().collect::<Vec<_>>()
    };
    if quick {
        let rows = || [512, 1 << 16].into_iter();
        return [[1, 64].into_iter().flat_map(|batch| shapes(&mut rows(), batch)).collect(), vec![]];
    }
    let mut searched = shapes(&mut powers(7, 25, 1), 1);
    let mut between = Vec::new();
    for batch in [8, 64, 1024, 1 << 16] {
        searched.extend(shapes(&mut powers(7, 23, 2), batch));
        between.extend(shapes(&mut powers(8, 22, 2), batch));
    }
    for batch in [256, 1 << 13] {
        between.extend(shapes(&mut powers(7, 22, 1), batch));
    }
    if software {
        for batch in [1, 8, 64] {
            between.extend(shapes(&mut powers(5, 16, 1).map(|rows| 3 * rows), batch));
        }
    }
    [searched, between]
}

/// Whether an algorithm is worth tuning for a shape. Cyclic reduction has policies on chip only; Thomas is for interleaved
/// systems.
pub fn worthwhile(algorithm: Algorithm, shape: &Shape) -> bool {
    match algorithm {
        // For comparison only.
        Algorithm::Scan => false,
        // Its policy describes slices.
        Algorithm::Auto => shape.n > 2048 && !systems_first(shape),
        Algorithm::Thomas => systems_first(shape),
        Algorithm::Cr | Algorithm::Pcr | Algorithm::CrPcr => shape.n <= 2048,
        _ => true,
    }
}
