// The caller's vectors. `element` is real, or real4 where rows lie side by side.
@group(0) @binding(1) var<storage, INPUT_ACCESS> lower: array<element>;
@group(0) @binding(2) var<storage, INPUT_ACCESS> diag: array<element>;
@group(0) @binding(3) var<storage, INPUT_ACCESS> upper: array<element>;
@group(0) @binding(4) var<storage, INPUT_ACCESS> rhs: array<element>;

// Whether `diag` holds the excess.
override EXCESS: bool = false;

// Past the end a row says x = 0, so that a block may be longer than its system. The
// corners' values are dropped here, whatever they are, unless they stay.
fn equation_from(row: u32, a: real, b: real, c: real, d: real) -> Equation {
    if (row >= params.n) {
        return Equation(0.0, 1.0, 0.0, 0.0, 1.0);
    }
    let first = !CLOSED && row == 0u;
    let last = !CLOSED && row + 1u == params.n;
    return equation(select(a, real(0.0), first), b, select(c, real(0.0), last), d);
}

fn equation_is_finite(it: Equation) -> bool {
    return all_finite(real4(it.a, it.e, it.c, it.d)) && is_finite(it.b);
}

fn check_equation(problem: u32, row: u32, it: Equation) {
    if (!equation_is_finite(it)) {
        report_input(problem, row);
    }
}
