//! Fresh seeds, which a failing test shows.

use std::time::{SystemTime, UNIX_EPOCH};

/// A fresh seed, which is printed. The environment variable `TRISOLVE_SEED` repeats one.
pub fn seed(test: &str) -> u64 {
    let fixed = std::env::var("TRISOLVE_SEED").ok().and_then(|text| text.parse().ok());
    let seed = fixed.unwrap_or_else(|| {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64 % 1_000_000_007)
    });
    println!("{test}: TRISOLVE_SEED={seed}");
    seed
}
