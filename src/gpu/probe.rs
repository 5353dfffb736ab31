//! Tests whether subgroups have the layout that the shuffling kernels need.

use super::buffer::whole_buffer;
use super::capabilities::Capabilities;
use super::context::Gpu;
use super::kernel::Stage;
use crate::error::Result;
use crate::precision::Precision;
use crate::shader::{Permutation, parts};

parts! {
    PROBE = "shared/probe";
}

/// The kernel that tests how a device numbers invocations in subgroups.
pub fn probe_permutation(workgroup: u32, lanes: u32) -> Permutation {
    Permutation {
        kernel: "probe",
        precision: Precision::F32,
        writable_inputs: false,
        subgroups: true,
        parts: vec![PROBE],
        constants: vec![],
        overrides: vec![("WORKGROUP", workgroup), ("EXPECTED_LANES", lanes)],
        caller: None,
    }
}

/// The device's capabilities, without subgroups unless a workgroup's threads fill them in order. No specification promises this order, but
/// every tested driver has it. Submits a few tiny dispatches and waits for them.
pub(crate) fn proven(gpu: &Gpu) -> Result<Capabilities> {
    let claimed = gpu.capabilities().clone();
    if !claimed.features.subgroups {
        return Ok(claimed);
    }
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let misplaced = gpu.allocate("subgroup probe", 4, usage)?;
    let largest = claimed.limits.max_compute_invocations_per_workgroup.min(claimed.limits.max_compute_workgroup_size_x);
    let workgroups = [32, 64, 128, 256, 512, 1024].into_iter().filter(|&size| size <= largest);
    let permutations: Vec<_> = workgroups.map(|size| probe_permutation(size, claimed.subgroup_lanes)).collect();
    let kernels = gpu.kernels(&permutations)?.into_iter();
    let stage = |kernel| Stage::new(gpu, "subgroup probe", kernel, &[(0, whole_buffer(&misplaced))], 4);
    let stages = kernels.map(stage).collect::<Result<Vec<_>>>()?;
    gpu.submit_pass("the subgroup probe", |pass| stages.iter().for_each(|stage| stage.record(pass)))?;
    let count = gpu.start_reading::<f32>(&misplaced, 0, 1)?.wait(gpu)?[0].to_bits();
    let mut proven = claimed;
    if count > 0 {
        proven.features.subgroups = false;
        proven.subgroup_lanes = 1;
    }
    Ok(proven)
}
