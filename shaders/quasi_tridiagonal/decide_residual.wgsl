// The residual of the iterate that stands.
fn decide(sums: array<real, SUMS>) {
    let at = control[IN_CYCLE];
    control[IN_CYCLE] = at + 1u;
    let residual = f32(sqrt(sums[0])) * number(CYCLE_SCALE);
    judge(at, residual, residual);
}
