//! Matrix Market files (Boisvert, Pozo, Remington 1996): coordinate and array format, real and
//! integer, general and symmetric.
//!
//! Read in blocks of lines on all cores. Every error names its line, the first faulty one of the file. Memory grows with the
//! file, not with the sizes that its header declares.

mod lines;
mod numbers;
mod reader;
mod records;
mod sparse;
mod sums;
mod triangular;
mod tridiagonal;
mod writer;

pub use numbers::number;
pub use reader::{Entries, Format, read, read_from};
pub use sparse::sparse;
pub use triangular::{check_square, square, trapezoid, triangle};
pub use tridiagonal::{Tridiagonal, columns, periodic, tridiagonal};
pub use writer::{write_array, write_coordinate};
