//! Memory that the C library keeps.

/// Gives the free memory of the C library's heaps back to the system. A software driver compiles kernels there; without this, gaps between kernels
/// that live stay resident.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn give_back() {
    // SAFETY: any thread may call it at any time; it moves nothing that is in use.
    unsafe { libc::malloc_trim(0) };
}

/// Nothing: other C libraries have no such call.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {}
