//! The costs of P-scheme's phases, as tables keep them.

use serde::{Deserialize, Serialize};

/// The costs of P-scheme's phases, in seconds. For a sequence of N rows in P chunks (Wakatani 2013, equations 3 to 7) t = alpha N / P +
/// beta P + gamma N / P.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PSchemeModel {
    /// Pre-computation, per row of a chunk.
    pub alpha: f64,
    /// Propagation, per chunk.
    pub beta: f64,
    /// Determination, per row of a chunk.
    pub gamma: f64,
    /// Rearranging, per row, for any P; not among the paper's three phases.
    pub rearranging: f64,
}

/// The model per arrangement of the arrays.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PSchemeFit {
    /// Without rearranged arrays.
    pub direct: PSchemeModel,
    /// Arrays rearranged by launches of their own, through workgroup memory.
    pub rearranged: PSchemeModel,
    /// Arrays rearranged by the phases.
    pub staged: PSchemeModel,
}

impl PSchemeFit {
    /// Whether a policy can be derived from all costs.
    pub(crate) fn is_sound(&self) -> bool {
        [self.direct, self.rearranged, self.staged].iter().all(|model| {
            let PSchemeModel { alpha, beta, gamma, rearranging } = *model;
            [alpha, beta, gamma].iter().all(|cost| *cost > 0.0 && cost.is_finite())
                && rearranging >= 0.0
                && rearranging.is_finite()
        })
    }
}
