//! A short draw of random hard systems of every family; `trisolve fuzz` draws as many as wanted.
#![cfg(feature = "testing")]

mod common;
#[path = "common/seed.rs"]
mod seed;

use common::gpu;
use seed::seed;
use trisolve::testing::fuzz::FAMILIES;
use trisolve::{FeatureSwitches, Precision};

/// Seeds per family and precision.
const DRAWS: u64 = 2;

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
