//! Tuning: the search for the fastest policies of a device, per family.

mod p_scheme;
mod place;
mod quasi_tridiagonal;
pub mod search;
mod triangular;
mod tridiagonal;

pub(crate) use p_scheme::phases;
pub use p_scheme::{fit_p_scheme, tune_p_scheme};
pub use place::{PlaceTimes, crossover, measure_places};
pub use quasi_tridiagonal::tune_quasi_tridiagonal;
pub use search::{TuneOptions, TuneProgress, Tuned};
pub use triangular::tune_triangular;
pub use tridiagonal::tune_tridiagonal;
