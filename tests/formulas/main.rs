//! Formulas of coefficients: what is refused and where, and that all else runs.
#![cfg(feature = "testing")]

#[path = "../common/mod.rs"]
mod common;
mod fuzz;
mod refusals;
#[path = "../common/seed.rs"]
mod seed;
mod solves;
