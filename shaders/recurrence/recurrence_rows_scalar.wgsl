// role: recurrence_rows
import package::shared::problem::matrix_base;
import package::shared::sizes::ROWS;
import super::recurrence_rows::AffineRows;
import roles::s::s_at;
import roles::t::t_at;

// AffineRows start..start+ROWS as they lie.
fn load_affine_rows(problem: u32, start: u32) -> AffineRows {
    var rows: AffineRows;
    let base = matrix_base(problem);
    for (var i = 0u; i < ROWS; i++) { // unroll
        rows.s[i] = s_at(problem, start + i, base);
        rows.t[i] = t_at(problem, start + i, base);
    }
    return rows;
}
