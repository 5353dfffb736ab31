//! How the rows of a sequence are divided among workgroups, for what is composed chunk by chunk.

use super::params::Params;
use super::tree::Tree;
use crate::gpu::Capabilities;
use crate::precision::Precision;

/// Sequences of fewer rows are taken as one, if there are no gaps between them; others if their number of rows is no multiple of four.
pub(crate) const PACKED_BELOW: u32 = 8;

/// Rows per thread: what it composes with the others' chunks costs the same for any number.
pub(crate) fn rows_each(precision: Precision) -> u32 {
    match precision {
        Precision::F32 => 16,
        Precision::F64 => 8,
    }
}

/// Threads per workgroup, where nobody says otherwise.
pub(crate) const WORKGROUP: u32 = 256;

/// Neighbouring sequences that a workgroup takes where sequences lie closer than rows.
const PROBLEMS_ABREAST: u32 = 16;

/// Threads of a workgroup that takes such sequences whole.
const LARGE_WORKGROUP: u32 = 1024;

/// Bytes of a memory line. A workgroup takes as many neighbouring interleaved sequences as fill one line per row.
const LINE: u32 = 128;

/// Bytes of workgroup memory that all threads share.
const SHARED_BYTES: u32 = 1024;

/// Threads of a workgroup, and its slices of the sequences.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SequenceSlicing {
    pub rows: u32,
    pub tree: Tree,
    pub slices: u32,
}

/// What is known of slices that a thread asks for at once.
pub(crate) const SLICES_AHEAD: u32 = 8;

/// No more threads per workgroup than the device has: a power of two.
pub(crate) fn workgroup(capabilities: &Capabilities, wanted: u32) -> u32 {
    let limits = &capabilities.limits;
    let most = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
    // Runs of lanes are composed by a run of lanes.
    let shuffled = match capabilities.subgroup_lanes {
        0 | 1 => u32::MAX,
        lanes => lanes.saturating_mul(lanes),
    };
    wanted.min(shuffled).min(1 << most.max(1).ilog2())
}

/// A workgroup whose threads go through many slices of one sequence: so many that each has to ask for them once.
/// Each thread takes so many bytes of workgroup memory.
pub(crate) fn propagating(capabilities: &Capabilities, bytes_each: u32, slices: u32) -> Tree {
    let memory = capabilities.limits.max_compute_workgroup_storage_size.saturating_sub(SHARED_BYTES);
    let held = (memory / bytes_each).clamp(1, 1024);
    let most = 1 << held.ilog2();
    let wanted = slices.div_ceil(SLICES_AHEAD).next_power_of_two().clamp(64.min(most), most);
    let workgroup = workgroup(capabilities, wanted);
    Tree { workgroup, log_chunks: workgroup.ilog2(), systems_first: false, log_run: 0 }
        .with_shuffles(capabilities.subgroup_lanes)
}

impl SequenceSlicing {
    /// The same with shuffles, where subgroups are large enough for them.
    pub fn with_shuffles(self, capabilities: &Capabilities) -> Self {
        Self { tree: self.tree.with_shuffles(capabilities.subgroup_lanes), ..self }
    }

    /// The parameters of launches over rows, and their workgroups.
    pub fn params(&self, params: Params) -> (Params, u64) {
        let workgroups = u64::from(params.problems.div_ceil(self.tree.problems())) * u64::from(self.slices);
        (Params { slices: self.slices, ..params }, workgroups)
    }

    /// Slices of all sequences.
    pub fn in_all(&self, params: &Params) -> u64 {
        u64::from(params.problems) * u64::from(self.slices)
    }
}

/// How a workgroup of at most `workgroup` threads divides chunks of `rows` rows. It takes several small problems whole, or one slice of a long
/// problem. If systems lie closer than rows, it takes `abreast` neighbouring problems.
pub(crate) fn chunks_over(rows: u32, workgroup: u32, abreast: u32, params: &Params) -> Tree {
    let needed = params.n.div_ceil(rows).next_power_of_two();
    let all = params.problems.next_power_of_two();
    let systems_first = params.systems_first();
    let abreast = if systems_first { abreast.min(all).min(workgroup) } else { 1 };
    let chunks = needed.min(workgroup / abreast);
    let problems = if chunks == needed { (workgroup / chunks).min(all) } else { abreast };
    Tree { workgroup: chunks * problems, log_chunks: chunks.ilog2(), systems_first, log_run: 0 }
}

/// For a shape, with at most `rows` rows per thread and `workgroup` threads.
pub(crate) fn sequence_slicing_over(rows: u32, workgroup: u32, params: &Params) -> SequenceSlicing {
    slicing_abreast(rows, workgroup, PROBLEMS_ABREAST, params)
}

/// The same with this number of neighbouring sequences.
fn slicing_abreast(rows: u32, workgroup: u32, abreast: u32, params: &Params) -> SequenceSlicing {
    let tree = chunks_over(rows, workgroup, abreast, params);
    SequenceSlicing { rows, tree, slices: params.n.div_ceil(rows * tree.chunks()) }
}

/// For a shape; `bytes_each`: bytes of workgroup memory per thread.
pub(crate) fn sequence_slicing(
    capabilities: &Capabilities,
    precision: Precision,
    params: &Params,
    bytes_each: u32,
) -> SequenceSlicing {
    let rows = rows_each(precision);
    if params.systems_first() {
        // A thread loads no rows that a short sequence does not have.
        let rows = rows.min(params.n.next_multiple_of(4));
        // A sequence that is one slice takes one launch.
        let limits = &capabilities.limits;
        let whole = sequence_slicing_over(rows, workgroup(capabilities, LARGE_WORKGROUP), params);
        // Recurrences keep a map per sequence as well.
        let maps = whole.tree.problems() * 4 * precision.bytes() as u32;
        let memory = whole.tree.workgroup * bytes_each + maps + SHARED_BYTES;
        if whole.slices == 1 && memory <= limits.max_compute_workgroup_storage_size {
            return whole;
        }
        let abreast = LINE / precision.bytes() as u32;
        return slicing_abreast(rows, workgroup(capabilities, WORKGROUP), abreast, params);
    }
    sequence_slicing_over(rows, workgroup(capabilities, WORKGROUP), params).with_shuffles(capabilities)
}
