//! A short draw of random hard systems of every family; `trisolve fuzz` draws as many as wanted.

#[path = "common/draw.rs"]
mod draw;

mod common;

use common::gpu;
use draw::precisions;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use trisolve::FeatureSwitches;
use trisolve_lab::fuzz::FAMILIES;
use trisolve_lab::seed;

/// Seeds per family and precision.
const DRAWS: u64 = 1;

#[test]
fn no_answer_is_wrong() {
    let first = seed("no_answer_is_wrong");
    let gpu = gpu(false, FeatureSwitches::ALL);
    let mut random = SmallRng::seed_from_u64(first);
    let mut wrong = vec![];
    for family in FAMILIES {
        for precision in precisions(&mut random, &gpu) {
            for seed in first..first + DRAWS {
                wrong.extend((family.draw)(&gpu, precision, seed).wrong);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
