//! Words that kernels and Rust exchange about dispatches and iterations.

use crate::shader::uniform_struct;

uniform_struct! {
    /// Parameters of a dispatch for kernels of quasi-tridiagonal systems (`shaders/quasi_tridiagonal/params.wgsl`).
    #[derive(Debug, Clone, Copy, PartialEq, Default)]
    pub struct QuasiParams {
        pub n: u32,
        pub problems: u32,
        pub slices: u32,
        pub log_chunks: u32,
        pub steps: u32,
        /// Always 0, but opaque to the compiler; used by `rounded`.
        pub zero: u32,
        pub workgroups: u32,
        pub rows: u32,
        pub quads: u32,
        pub columns_at: u32,
        pub partials: u32,
        pub first: u32,
        pub count: u32,
        pub most: u32,
        pub patience: u32,
        pub tolerance: f32,
        pub floor: f32,
        pub unused_0: u32,
        pub unused_1: u32,
        pub unused_2: u32,
    }
}

/// Words of `control`, by their place (`control.wgsl`).
pub(crate) mod word {
    pub const PHASE: usize = 0;
    pub const OUTCOME: usize = 1;
    pub const ITERATIONS: usize = 2;
    pub const CYCLES: usize = 5;
    pub const RESIDUAL: usize = 8;
    pub const STEP: usize = 14;
    pub const COUNT: usize = 20;
    /// Words for faults.
    pub const FAULTS: usize = 8;
}
