//! Charts of the residual over the iterations.

use trisolve_lab::chart::{Line, Names, Panel};

/// The line of one solve; it leaves out residuals of 0, which have no logarithm.
pub fn residuals(name: String, history: &[f64]) -> Line {
    let points = history.iter().enumerate().filter(|(_, value)| value.is_finite() && **value > 0.0);
    Line { name, points: points.map(|(iteration, &value)| (iteration as f64, value)).collect() }
}

/// A panel of these lines.
pub fn convergence(title: String, lines: Vec<Line>) -> Panel {
    Panel { title, x: ("iteration", None), y: "relative residual", names: Names::Above, lines }
}
