// role: kernel
import package::shared::place::share_of;
import package::shared::sizes::ROWS;
import super::wang_mou_put::put_unknowns;
import super::wang_mou_steps::double_all;
import super::wang_mou_triads::triads_of;
import roles::own_rows::own_rows;
import roles::real::real;

// Wang and Mou's method on chip: reads 16 bytes per row, writes 4 (f32).
fn run(w: u32, t: u32) {
    let share = share_of(w, t);
    let start = share.chunk * ROWS;
    var triads = triads_of(own_rows(share.problem, start));
    double_all(t, &triads);
    put_unknowns(share.problem, start, triads.own, vec2<real>(0.0, 0.0), share.owned);
}
