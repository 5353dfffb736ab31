//! One device per configuration for a whole test binary.

use std::sync::{Mutex, OnceLock};

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
