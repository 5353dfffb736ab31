//! The feature ladder: a device's features, and rungs switched off for testing.

use wgpu::{AdapterInfo, DeviceType, Features, Limits};

/// Rungs of the feature ladder. [`Capabilities`] lists the rungs in use, [`GpuOptions`](crate::GpuOptions) the allowed ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FeatureSwitches {
    /// Subgroup shuffles, for any subgroup size.
    pub subgroups: bool,
    /// 64-bit floats (Vulkan only).
    pub f64: bool,
    /// 64-bit atomics.
    pub int64_atomics: bool,
    /// Buffers coherent across workgroups.
    pub coherent_memory: bool,
    /// Timestamps around a pass.
    pub timestamps: bool,
}

impl FeatureSwitches {
    /// Every rung allowed.
    pub const ALL: Self =
        Self { subgroups: true, f64: true, int64_atomics: true, coherent_memory: true, timestamps: true };
    /// Only features that every device has.
    pub const NONE: Self =
        Self { subgroups: false, f64: false, int64_atomics: false, coherent_memory: false, timestamps: false };

    fn features(self) -> Features {
        let mut features = Features::empty();
        features.set(Features::SUBGROUP, self.subgroups);
        features.set(Features::SHADER_F64, self.f64);
        features.set(Features::SHADER_INT64 | Features::SHADER_INT64_ATOMIC_ALL_OPS, self.int64_atomics);
        features.set(Features::MEMORY_DECORATION_COHERENT, self.coherent_memory);
        features.set(Features::TIMESTAMP_QUERY, self.timestamps);
        features
    }
}

impl Default for FeatureSwitches {
    fn default() -> Self {
        Self::ALL
    }
}

/// Features and limits of a device for the kernels.
#[derive(Debug, Clone)]
pub struct Capabilities {
    /// The rungs in use.
    pub features: FeatureSwitches,
    /// The least subgroup size that the adapter may choose; 1 without subgroups.
    pub subgroup_lanes: u32,
    /// The device's limits.
    pub limits: Limits,
    /// The adapter runs kernels on the CPU.
    pub software: bool,
}

impl Capabilities {
    pub(crate) fn of(features: Features, limits: Limits, info: &AdapterInfo, allowed: FeatureSwitches) -> Self {
        let has = |wanted: FeatureSwitches| features.contains(wanted.features());
        let lanes = info.subgroup_min_size;
        let usable = lanes >= 2 && lanes.is_power_of_two();
        let rungs = FeatureSwitches {
            subgroups: allowed.subgroups && usable && has(FeatureSwitches { subgroups: true, ..FeatureSwitches::NONE }),
            f64: allowed.f64 && has(FeatureSwitches { f64: true, ..FeatureSwitches::NONE }),
            int64_atomics: allowed.int64_atomics
                && has(FeatureSwitches { int64_atomics: true, ..FeatureSwitches::NONE }),
            coherent_memory: allowed.coherent_memory
                && has(FeatureSwitches { coherent_memory: true, ..FeatureSwitches::NONE }),
            timestamps: allowed.timestamps && has(FeatureSwitches { timestamps: true, ..FeatureSwitches::NONE }),
        };
        let software = info.device_type == DeviceType::Cpu;
        Self { features: rungs, subgroup_lanes: if rungs.subgroups { lanes } else { 1 }, limits, software }
    }
}

/// The features to request for a device of this adapter, so that trisolve can use all of them.
///
/// All are optional: without `SHADER_F64` there is no f64; without `PIPELINE_CACHE` the first plans of a process take longer; without the
/// others solves are slower.
pub fn wanted_features(adapter: &wgpu::Adapter) -> Features {
    (FeatureSwitches::ALL.features() | Features::PIPELINE_CACHE) & adapter.features()
}

/// The limits to request for a device of this adapter: the adapter's own for memory and workgroups, since wgpu's defaults are WebGPU's
/// minimum.
pub fn required_limits(adapter: &wgpu::Adapter) -> Limits {
    let own = adapter.limits();
    Limits {
        max_storage_buffer_binding_size: own.max_storage_buffer_binding_size,
        max_buffer_size: own.max_buffer_size,
        max_compute_workgroup_storage_size: own.max_compute_workgroup_storage_size,
        max_compute_invocations_per_workgroup: own.max_compute_invocations_per_workgroup,
        max_compute_workgroup_size_x: own.max_compute_workgroup_size_x,
        max_compute_workgroups_per_dimension: own.max_compute_workgroups_per_dimension,
        max_storage_buffers_per_shader_stage: own.max_storage_buffers_per_shader_stage.min(16),
        min_storage_buffer_offset_alignment: own.min_storage_buffer_offset_alignment,
        ..Limits::default().or_worse_values_from(&own)
    }
}
