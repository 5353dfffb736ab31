// An iteration has ended with this residual.
fn decide(sums: array<real, SUMS>) {
    let at = control[IN_CYCLE] + 1u;
    control[IN_CYCLE] = at;
    let residual = f32(sqrt(sums[0])) * number(CYCLE_SCALE);
    judge(at, residual, residual);
}
