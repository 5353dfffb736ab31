//! Formulas of coefficients: what is refused and where, and that all else runs.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/draw.rs"]
mod draw;
mod fuzz;
mod loops;
mod refusals;
mod solves;
mod textures;
mod tridiagonal;
