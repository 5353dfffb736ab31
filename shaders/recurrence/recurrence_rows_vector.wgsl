// role: recurrence_rows
import package::shared::problem::matrix_base;
import package::shared::sizes::QUADS;
import super::recurrence_rows::AffineRows;
import roles::s::s_four;
import roles::t::t_four;

// AffineRows start..start+ROWS as they lie, four a load; start is divisible by 4.
fn load_affine_rows(problem: u32, start: u32) -> AffineRows {
    var rows: AffineRows;
    let base = matrix_base(problem);
    for (var i = 0u; i < QUADS; i++) { // unroll
        let a = s_four(problem, start + 4u * i, base);
        let b = t_four(problem, start + 4u * i, base);
        rows.s[4u * i + 0u] = a.x;
        rows.s[4u * i + 1u] = a.y;
        rows.s[4u * i + 2u] = a.z;
        rows.s[4u * i + 3u] = a.w;
        rows.t[4u * i + 0u] = b.x;
        rows.t[4u * i + 1u] = b.y;
        rows.t[4u * i + 2u] = b.z;
        rows.t[4u * i + 3u] = b.w;
    }
    return rows;
}
