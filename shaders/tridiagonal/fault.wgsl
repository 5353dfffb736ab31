// role: report
import package::shared::problem::params;
import package::shared::sizes::ROWS;
import package::shared::status::{report_input, report_result};
import super::equations::equation_is_finite;
import super::structure::load_equation;

// Says what spoilt a chunk whose unknowns are not all finite: inputs, or the elimination.
// Rare, so it reads the rows again; before x is written, which may lie over rhs.
fn report_chunk(problem: u32, start: u32) {
    var sound = true;
    for (var row = start; row < min(start + ROWS, params.n); row++) {
        if (!equation_is_finite(load_equation(problem, row))) {
            report_input(problem, row);
            sound = false;
        }
    }
    if (sound) {
        report_result(problem, start);
    }
}
