//! A short draw of random hard systems of every family; `trisolve fuzz` draws as many as wanted.

mod common;

use common::gpu;
use trisolve::{FeatureSwitches, Precision};
use trisolve_lab::fuzz::FAMILIES;
use trisolve_lab::seed;

/// Seeds per family and precision.
const DRAWS: u64 = 1;

#[test]
fn no_answer_is_wrong() {
    let first = seed("no_answer_is_wrong");
    let gpu = gpu(false, FeatureSwitches::ALL);
    let mut wrong = vec![];
    for family in FAMILIES {
        for precision in [Precision::F32, Precision::F64] {
            for seed in first..first + DRAWS {
                wrong.extend((family.draw)(&gpu, precision, seed).wrong);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
