// Partial norms of d - A x and of d: each workgroup takes SEGMENT rows of one problem and
// writes scale and scaled sum of squares of both, so that no square overflows.
override WORKGROUP: u32 = 256u;

@group(0) @binding(6) var<storage, read> x: array<real>;
@group(0) @binding(7) var<storage, read_write> norms: array<real4>;

var<workgroup> shared_pair: array<vec2<real>, WORKGROUP>;

fn unknown(problem: u32, row: u32) -> real {
    return x[rhs_base(problem) + row * params.element_stride];
}

fn residual_of(problem: u32, row: u32) -> vec2<real> {
    let it = load_equation(problem, row);
    var sum = it.d - it.b * unknown(problem, row);
    if (row > 0u) {
        sum -= it.a * unknown(problem, row - 1u);
    }
    if (row + 1u < params.n) {
        sum -= it.c * unknown(problem, row + 1u);
    }
    return vec2<real>(sum, it.d);
}

fn add_up(t: u32) {
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (t < half) {
            shared_pair[t] += shared_pair[t + half];
        }
    }
    workgroupBarrier();
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) t: u32,
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    let w = workgroup_index(id, grid);
    if (w >= params.workgroups) {
        return;
    }
    let problem = w / params.slices;
    let start = (w % params.slices) * SEGMENT;
    let stop = min(start + SEGMENT, params.n);
    var scale = vec2<real>(0.0, 0.0);
    for (var i = start + t; i < stop; i += WORKGROUP) {
        scale = max(scale, abs(residual_of(problem, i)));
    }
    shared_pair[t] = scale;
    for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if (t < half) {
            shared_pair[t] = max(shared_pair[t], shared_pair[t + half]);
        }
    }
    workgroupBarrier();
    scale = max(shared_pair[0], vec2<real>(SMALLEST, SMALLEST));
    workgroupBarrier();
    var sum = vec2<real>(0.0, 0.0);
    for (var i = start + t; i < stop; i += WORKGROUP) {
        let scaled = residual_of(problem, i) / scale;
        sum += scaled * scaled;
    }
    shared_pair[t] = sum;
    add_up(t);
    if (t == 0u) {
        norms[w] = real4(scale.x, shared_pair[0].x, scale.y, shared_pair[0].y);
    }
}
