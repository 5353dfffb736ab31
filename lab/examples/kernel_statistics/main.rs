//! Prints the Vulkan driver's statistics of the kernels of policies as CSV: registers per thread, spills, and others that the driver counts.
//!
//!     cargo run --release -p trisolve-lab --example kernel_statistics ALGORITHM ROWS POLICY...
//!
//! ALGORITHM is one of `trisolve bench tridiagonal`, POLICY its --policy; the precision is f32. The driver needs the extension
//! VK_KHR_pipeline_executable_properties.

// wgpu has no Vulkan there.
#[cfg(not(target_vendor = "apple"))]
#[path = "../../../examples/failure/mod.rs"]
mod failure;
#[cfg(not(target_vendor = "apple"))]
mod vulkan;

#[cfg(not(target_vendor = "apple"))]
fn main() -> Result<(), failure::Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [algorithm, rows, policies @ ..] = &arguments[..] else {
        failure::refuse("the arguments should be ALGORITHM ROWS POLICY..., as tpr 524288 slice=256,threads=32");
    };
    vulkan::print_statistics(algorithm.parse()?, rows.parse()?, policies)
}

#[cfg(target_vendor = "apple")]
fn main() {
    eprintln!("kernel_statistics: needs a Vulkan driver");
}
