//! Solves on the cores of the CPU, against references in double-double arithmetic.

mod filter;
mod moebius;
mod recurrence;
mod triangular;
mod tridiagonal;
