// role: kernel
import package::shared::place::{CHUNKS, place, share_of};
import package::shared::sizes::ROWS;
import package::shared::workgroup::WORKGROUP;
import super::factors::{
    DOWN_BEFORE, DOWN_BEHIND, INVERSE, MULTIPLIER, NEXT, SCALE, UP_BEFORE, UP_BEHIND, chunk_number, step_place,
};
import super::factored_input::factor_at;
import super::factored_output::{step_squared, x_squared};
import super::gate::wanted;
import super::sizes::{CHUNK_STEPS, SUMS};
import super::sums::add_up;
import roles::factored_rows::{right_of, row_factors, step_to};
import roles::real::real;

// Steps 2 and 3 of algorithm 3, a thread a chunk of rows: T_j x_next = f - S x in every block j. The residual of x is T_j (x_next - x), with
// the entries of T_j from its factors. With three entries beside the tridiagonal, 8 rows per thread: 89 bytes per row in f64, 51 in f32.
var<workgroup> y: array<real, WORKGROUP>;

// What neighbouring chunks of the block have in `y`: 0 beyond the block.
fn y_before(t: u32, chunk: u32) -> real {
    return select(y[max(t, 1u) - 1u], real(0.0), chunk == 0u);
}

fn y_behind(t: u32, chunk: u32) -> real {
    return select(y[min(t + 1u, WORKGROUP - 1u)], real(0.0), chunk + 1u == CHUNKS);
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
    let multiplier = row_factors(MULTIPLIER, block, share.chunk);
    let inverse = row_factors(INVERSE, block, share.chunk);
    let next = row_factors(NEXT, block, share.chunk);
    var r = right_of(block, share.chunk);
    var p: array<real, ROWS>;
    var head = real(0.0);
    var through = real(1.0);
    var last = real(0.0);
    var last_p = real(1.0);
    for (var i = 0u; i < ROWS; i++) { // unroll
        last = inverse[i] * r[i] - multiplier[i] * last;
        last_p = -multiplier[i] * last_p;
        r[i] = last;
        p[i] = last_p;
        // The chunk's first row, in terms of its last.
        if (i + 1u < ROWS) {
            head += through * last;
            through *= next[i];
        }
    }
    y[t] = head;
    workgroupBarrier();
    let behind = y_behind(t, chunk);
    workgroupBarrier();
    y[t] = last + next[ROWS - 1u] * behind;
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
    let x_before = y_before(t, chunk);
    var x_behind = y[t];
    r[ROWS - 1u] = x_behind;
    for (var i = ROWS; i > 0u; i--) { // unroll
        if (i < ROWS) {
            x_behind = p[i - 1u] * x_before + next[i - 1u] * x_behind + r[i - 1u];
            r[i - 1u] = x_behind;
        }
    }
    let steps = step_to(block, share.chunk, r, share.owned);
    workgroupBarrier();
    y[t] = steps[ROWS - 1u];
    workgroupBarrier();
    var step_before = y_before(t, chunk);
    workgroupBarrier();
    y[t] = steps[0];
    workgroupBarrier();
    let step_behind = y_behind(t, chunk);
    var next_before = real(0.0);
    var residual_squared = real(0.0);
    for (var i = 0u; i < ROWS; i++) { // unroll
        var following = step_behind;
        if (i + 1u < ROWS) {
            following = steps[min(i + 1u, ROWS - 1u)];
        }
        let sum = multiplier[i] * (step_before - next_before * steps[i]) + (steps[i] - next[i] * following);
        let residual = sum / inverse[i];
        residual_squared += residual * residual;
        step_before = steps[i];
        next_before = next[i];
    }
    let counts = select(real(0.0), real(1.0), share.owned);
    add_up(w, t, array<real, SUMS>(counts * residual_squared, counts * step_squared, counts * x_squared));
}
