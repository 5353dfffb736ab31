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
