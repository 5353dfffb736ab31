// role: kernel
import package::shared::place::{CHUNKS, place, share_of};
import package::shared::sizes::{QUADS, ROWS};
import package::shared::workgroup::WORKGROUP;
import super::factors::{
    DOWN_BEFORE, DOWN_BEHIND, INVERSE, MULTIPLIER, NEXT, SCALE, UP_BEFORE, UP_BEHIND, chunk_number, row_quad, step_place,
};
import super::factored_input::{factor_at, factors};
import super::gate::wanted;
import super::params::params;
import super::sizes::{CHUNK_STEPS, SUMS};
import super::sums::add_up;
import roles::factored_rows::{put_step, residual_squared, step_squared, take_residual, x_squared};
import roles::real::{real, real4};

// Steps 2 and 3 of algorithm 3, a thread a chunk of rows: z_next = -T_j^-1 (S z) in every block j, d += z. The residual of d is -S z, since
// z solved T z = (the residual before). With three entries beside the tridiagonal, 4 rows per thread: 110 bytes per row in f64, 61 in f32.
var<workgroup> y: array<real, WORKGROUP>;

fn set_four(numbers: ptr<function, array<real, ROWS>>, i: u32, four: real4) {
    (*numbers)[4u * i + 0u] = four.x;
    (*numbers)[4u * i + 1u] = four.y;
    (*numbers)[4u * i + 2u] = four.z;
    (*numbers)[4u * i + 3u] = four.w;
}

fn run(w: u32, t: u32) {
    if (!wanted()) {
        return;
    }
    let share = share_of(w, t);
    let here = place(t);
    let block = share.problem;
    let chunk = here.chunk;
    // All factors of the chunks, asked for before they are needed.
    var down: array<vec2<real>, CHUNK_STEPS>;
    var up: array<vec3<real>, CHUNK_STEPS>;
    for (var step = 0u; step < CHUNK_STEPS; step++) { // unroll
        if (chunk < (CHUNKS >> (step + 1u))) {
            let at = step_place(step, chunk);
            down[step] = vec2<real>(
                factor_at(chunk_number(DOWN_BEFORE, block, at)),
                factor_at(chunk_number(DOWN_BEHIND, block, at)),
            );
            up[step] = vec3<real>(
                factor_at(chunk_number(UP_BEFORE, block, at)),
                factor_at(chunk_number(UP_BEHIND, block, at)),
                factor_at(chunk_number(SCALE, block, at)),
            );
        }
    }
    let last_scale = factor_at(chunk_number(SCALE, block, CHUNKS - 1u));
    var r = take_residual(block, share.chunk, share.owned);
    var p: array<real, ROWS>;
    var next: array<real, ROWS>;
    if (ROWS > 1u) {
        var multiplier: array<real, ROWS>;
        var inverse: array<real, ROWS>;
        for (var i = 0u; i < QUADS; i++) { // unroll
            let q = (block * params.n + share.chunk * ROWS) / 4u + i;
            set_four(&multiplier, i, factors[row_quad(MULTIPLIER, q)]);
            set_four(&inverse, i, factors[row_quad(INVERSE, q)]);
            set_four(&next, i, factors[row_quad(NEXT, q)]);
        }
        var head = real(0.0);
        var through = real(1.0);
        var before = real(0.0);
        var before_p = real(1.0);
        for (var i = 0u; i < ROWS; i++) { // unroll
            before = inverse[i] * r[i] - multiplier[i] * before;
            before_p = -multiplier[i] * before_p;
            r[i] = before;
            p[i] = before_p;
            // The chunk's first row, in terms of its last.
            if (i + 1u < ROWS) {
                head += through * before;
                through *= next[i];
            }
        }
        y[t] = head;
        workgroupBarrier();
        var behind = real(0.0);
        if (chunk + 1u < CHUNKS) {
            behind = y[t + 1u];
        }
        workgroupBarrier();
        y[t] = before + next[ROWS - 1u] * behind;
    } else {
        y[t] = r[0];
    }
    let base = t - chunk;
    for (var step = 0u; step < CHUNK_STEPS; step++) { // unroll
        workgroupBarrier();
        let u = 1u << step;
        if (chunk < (CHUNKS >> (step + 1u))) {
            let j = base + (chunk + 1u) * 2u * u - 1u;
            // Behind the last chunk nothing is taken in: its factor is 0.
            let high = select(y[min(j + u, WORKGROUP - 1u)], real(0.0), j + u >= base + CHUNKS);
            y[j] += down[step].x * y[j - u] + down[step].y * high;
        }
    }
    workgroupBarrier();
    if (chunk + 1u == CHUNKS) {
        y[t] *= last_scale;
    }
    for (var back = CHUNK_STEPS; back > 0u; back--) { // unroll
        workgroupBarrier();
        let step = back - 1u;
        let u = 1u << step;
        if (chunk < (CHUNKS >> (step + 1u))) {
            let j = chunk * 2u * u + u - 1u;
            var low = real(0.0);
            if (j >= u) {
                low = y[base + j - u];
            }
            y[base + j] = up[step].x * low + up[step].y * y[base + j + u] + up[step].z * y[base + j];
        }
    }
    workgroupBarrier();
    var x_before = real(0.0);
    if (chunk > 0u) {
        x_before = y[t - 1u];
    }
    var x_next = y[t];
    r[ROWS - 1u] = x_next;
    for (var i = ROWS; i > 0u; i--) { // unroll
        if (i < ROWS) {
            x_next = p[i - 1u] * x_before + next[i - 1u] * x_next + r[i - 1u];
            r[i - 1u] = x_next;
        }
    }
    put_step(block, share.chunk, r, share.owned);
    let counts = select(real(0.0), real(1.0), share.owned);
    add_up(w, t, array<real, SUMS>(counts * residual_squared, counts * step_squared, counts * x_squared));
}
