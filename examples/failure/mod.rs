//! How the examples end after an error: they print its text. The exit code is 1, or 2 for wrong arguments.

use std::fmt::{Debug, Display, Formatter};

/// Any error that ends an example. Rust prints the `Debug` form of what `main` returns, which is the text here.
pub struct Failure(String);

impl<E: Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

impl Debug for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Ends an example whose arguments are wrong.
#[allow(dead_code, reason = "some examples take no arguments")]
pub fn refuse(message: impl Display) -> ! {
    eprintln!("Error: {message}");
    std::process::exit(2)
}
