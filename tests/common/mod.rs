//! One device a configuration for a whole test binary, and seeds that a failure shows.

use std::sync::{Mutex, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use trisolve::{FeatureSwitches, Gpu, GpuOptions};

type Opened = Vec<((bool, FeatureSwitches), Gpu)>;

/// The shared device of a configuration.
pub fn gpu(checked: bool, allowed: FeatureSwitches) -> Gpu {
    static OPENED: OnceLock<Mutex<Opened>> = OnceLock::new();
    let mut opened = OPENED.get_or_init(Mutex::default).lock().unwrap_or_else(|e| e.into_inner());
    let key = (checked, allowed);
    if let Some((_, gpu)) = opened.iter().find(|(k, _)| *k == key) {
        return gpu.clone();
    }
    let gpu = Gpu::with_options(GpuOptions { checked, allowed, ..GpuOptions::default() })
        .expect("a GPU adapter: scripts/setup.sh installs a software one");
    opened.push((key, gpu.clone()));
    gpu
}

/// A fresh seed, printed; `TRISOLVE_SEED` repeats one.
#[allow(dead_code, reason = "not every test binary draws")]
pub fn seed(test: &str) -> u64 {
    let fixed = std::env::var("TRISOLVE_SEED").ok().and_then(|text| text.parse().ok());
    let seed = fixed.unwrap_or_else(|| {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_nanos() as u64 % 1_000_000_007)
    });
    println!("{test}: TRISOLVE_SEED={seed}");
    seed
}
