//! How a verb fails: the message, and the exit code.

use trisolve::Error;

use crate::output::tell;

/// Why a verb failed. The exit code tells a failed solve (1) from bad input (2).
pub enum Failure {
    /// Exit 1, after a message.
    Solver(String),
    /// Exit 2, after a message.
    Input(String),
    /// Exit 1; the verb has already printed the reason.
    Silent,
}

impl Failure {
    /// Prints the message and returns the exit code.
    pub fn exit(self) -> u8 {
        let (code, message) = match self {
            Self::Silent => (1, None),
            Self::Solver(message) => (1, Some(message)),
            Self::Input(message) => (2, Some(message)),
        };
        if let Some(message) = message {
            tell(&format!("trisolve: {message}"));
        }
        code
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Singular { .. }
            | Error::ZeroDiagonal { .. }
            | Error::Breakdown { .. }
            | Error::Inaccurate { .. }
            | Error::NearlySingular { .. }
            | Error::NoDigits { .. }
            | Error::Unverified { .. }
            | Error::Overflow { .. }
            | Error::NotConverged { .. }
            | Error::Underflow { .. }
            | Error::LongLoops { .. }
            | Error::EmptyRow { .. }
            | Error::ZeroOnDiagonal { .. }
            | Error::DeviceLost { .. }
            | Error::OutOfMemory { .. }
            | Error::Kernel { .. }
            | Error::Device { .. } => Self::Solver(error.to_string()),
            _ => Self::Input(error.to_string()),
        }
    }
}
