// role: triad_runs
import super::wang_mou_triads::Triads;

// A run is one thread.
fn double_in_runs(t: u32, triads: ptr<function, Triads>) {}
