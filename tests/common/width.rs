//! Subgroups of other sizes than the adapter's own.

/// Whether software Vulkan runs with another vector width than its own (see `scripts/test.sh`): then fewer cases are drawn.
pub fn is_other_width() -> bool {
    std::env::var_os("LP_NATIVE_VECTOR_WIDTH").is_some()
}
