//! Solves on the cores of the CPU, against references in double-double arithmetic; and where host solves run.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/draw.rs"]
mod draw;
mod filter;
mod moebius;
mod places;
mod recurrence;
mod triangular;
mod tridiagonal;
