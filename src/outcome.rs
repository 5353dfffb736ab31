//! How iterations end.

/// How a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The tolerance is met.
    Converged,
    /// The residual grows.
    Diverged,
    /// The residual falls no more.
    Stagnated,
    /// The residual is what rounding leaves, and the tolerance below that. Where that tolerance is the default one, and the
    /// residual at most 0.01, this is as good as converged.
    Rounded,
    /// The most iterations have been done.
    Exhausted,
    /// A recurrence divides by zero, from the true residual too.
    BrokeDown,
    /// The residual is not finite: a zero pivot of T, or an overflow.
    NotFinite,
    /// No iteration brought it there, but elimination on the CPU.
    Eliminated,
}

impl Outcome {
    /// A word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Diverged => "diverged",
            Self::Stagnated => "stagnated",
            Self::Rounded => "stopped where rounding does",
            Self::Exhausted => "has not converged",
            Self::BrokeDown => "broke down",
            Self::NotFinite => "left the range of numbers",
            Self::Eliminated => "eliminated on the CPU",
        }
    }
}
