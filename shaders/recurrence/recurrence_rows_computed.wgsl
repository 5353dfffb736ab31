// role: recurrence_rows
import package::shared::problem::matrix_base;
import package::shared::sizes::QUADS;
import super::recurrence_rows::AffineRows;
import roles::s::s_four;
import roles::t::t_four;

// AffineRows start..start+ROWS as they lie, four a round: drivers write the rounds of short formulas out, and should
// leave those of long ones, whose code would not be short any more.
fn load_affine_rows(problem: u32, start: u32) -> AffineRows {
    var rows: AffineRows;
    let base = matrix_base(problem);
    for (var round = 0u; round < QUADS; round++) {
        let a = s_four(problem, start + 4u * round, base);
        let b = t_four(problem, start + 4u * round, base);
        // No index that is not constant: it would put the values into memory.
        for (var i = 0u; i < QUADS; i++) { // unroll
            let now = i == round;
            rows.s[4u * i + 0u] = select(rows.s[4u * i + 0u], a.x, now);
            rows.s[4u * i + 1u] = select(rows.s[4u * i + 1u], a.y, now);
            rows.s[4u * i + 2u] = select(rows.s[4u * i + 2u], a.z, now);
            rows.s[4u * i + 3u] = select(rows.s[4u * i + 3u], a.w, now);
            rows.t[4u * i + 0u] = select(rows.t[4u * i + 0u], b.x, now);
            rows.t[4u * i + 1u] = select(rows.t[4u * i + 1u], b.y, now);
            rows.t[4u * i + 2u] = select(rows.t[4u * i + 2u], b.z, now);
            rows.t[4u * i + 3u] = select(rows.t[4u * i + 3u], b.w, now);
        }
    }
    return rows;
}
