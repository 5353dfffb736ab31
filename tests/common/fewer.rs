//! Runs at further subgroup sizes, which need fewer cases.

/// Whether `scripts/test.sh` runs a test again at another subgroup size.
pub fn fewer_cases() -> bool {
    std::env::var_os("TRISOLVE_FEWER_CASES").is_some()
}
