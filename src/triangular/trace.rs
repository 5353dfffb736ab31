//! The order of events in [`Algorithm::Chained`](super::Algorithm::Chained) (`shaders/triangular/trace_order.wgsl`).

use super::programs::Program;
use crate::error::Result;
use crate::gpu::Gpu;
use crate::plan::Slot;

/// Words per block row.
const EVENTS: usize = 6;

/// The events of a block row, numbered from 1 in the order in which the workgroups took a number; 0 for an event that did not happen. Some
/// numbers are missing: a workgroup takes one per wait, and notes the first only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedRow {
    /// A workgroup began it.
    pub start: u32,
    /// The end of the first wait for unknowns: the workgroup has caught up with the block rows before.
    pub first_wait_over: u32,
    /// All products were summed up.
    pub products: u32,
    /// Its unknowns were told.
    pub end: u32,
    /// Waits of the workgroup's first thread. Far from the diagonal it takes the unknowns of several blocks, and may wait for the first block
    /// only: the number is at most that of the blocks waited for.
    pub waits: u32,
    /// How often it was begun: more than once after a wait in vain.
    pub begun: u32,
}

/// Adds the memory of the events to a program.
pub(super) fn add(program: &mut Program) {
    let index = program.kept_scratch(4 * words(program) as u64, 0);
    program.steps.iter_mut().for_each(|step| step.slots.push(Slot::Scratch { binding: 4, index }));
}

/// Words of the counter and of all block rows.
fn words(program: &Program) -> usize {
    1 + EVENTS * program.steps.iter().map(|step| step.workgroups as usize).sum::<usize>()
}

/// Reads the events, and clears them.
pub(super) fn read(gpu: &Gpu, program: &Program, buffer: &wgpu::Buffer) -> Result<Vec<TracedRow>> {
    let count = words(program);
    let found: Vec<f32> = gpu.start_reading(buffer, 0, count)?.wait(gpu)?;
    gpu.guarded("a trace", 0, || gpu.queue().write_buffer(buffer, 0, &vec![0; 4 * count]))?;
    let found: Vec<u32> = found[1..].iter().map(|word| word.to_bits()).collect();
    let row = |row: &[u32]| TracedRow {
        start: row[0],
        first_wait_over: row[1],
        products: row[2],
        end: row[3],
        waits: row[4],
        begun: row[5],
    };
    Ok(found.chunks_exact(EVENTS).map(row).collect())
}
