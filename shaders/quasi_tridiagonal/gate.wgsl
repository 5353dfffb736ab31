import super::control::{PHASE, WORDS};

// Steps look whether they are wanted, and leave where they are not.
override GATE: u32 = 0u;
override GATE_TOO: u32 = GATE;

@group(0) @binding(1) var<storage, read> control: array<u32, WORDS>;

fn wanted() -> bool {
    let phase = control[PHASE];
    return phase == GATE || phase == GATE_TOO;
}
