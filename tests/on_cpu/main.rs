//! Solves on the cores of the CPU, against references in double-double arithmetic.

mod recurrence;
mod triangular;
mod tridiagonal;
