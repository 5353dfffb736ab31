//! The order of events in [`Algorithm::Chained`](super::Algorithm::Chained) (`shaders/triangular/trace_order.wgsl`).

use super::programs::Program;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::plan::Slot;

/// Words per block row.
const EVENTS: usize = 5;

/// The events of a block row, numbered from 1 in the order in which all workgroups took a number; 0 for one that did not happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedRow {
    /// Its workgroup began.
    pub start: u32,
    /// Its workgroup had waited for another one's unknowns for the first time: it has caught up.
    pub first_wait_over: u32,
    /// All products were summed up.
    pub products: u32,
    /// Its unknowns were told.
    pub end: u32,
    /// Blocks whose unknowns its workgroup had to wait for.
    pub waits: u32,
}

/// Adds the memory of the events to a program.
pub(super) fn add(program: &mut Program) {
    let rows: u64 = program.steps.iter().map(|step| step.workgroups).sum();
    let index = program.kept_scratch(4 * (1 + EVENTS as u64 * rows), 0);
    program.steps.iter_mut().for_each(|step| step.slots.push(Slot::Scratch { binding: 4, index }));
}

/// Reads the events, and clears them.
pub(super) fn read(gpu: &Gpu, words: &wgpu::Buffer) -> Result<Vec<TracedRow>> {
    let count = (words.size() / 4) as usize;
    let found: Vec<f32> = gpu.start_reading(words, 0, count)?.wait(gpu)?;
    gpu.guarded("a trace", 0, || gpu.queue().write_buffer(words, 0, &vec![0; 4 * count]))?;
    let found: Vec<u32> = found[1..].iter().map(|word| word.to_bits()).collect();
    let row = |row: &[u32]| TracedRow {
        start: row[0],
        first_wait_over: row[1],
        products: row[2],
        end: row[3],
        waits: row[4],
    };
    Ok(found.chunks_exact(EVENTS).map(row).collect())
}
