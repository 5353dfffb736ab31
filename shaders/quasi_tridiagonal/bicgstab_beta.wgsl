// beta = (rho' / rho) (alpha / omega).
fn decide(sums: array<real, SUMS>) {
    let at = control[IN_CYCLE] + 1u;
    control[IN_CYCLE] = at;
    let residual = f32(sqrt(sums[0])) * number(CYCLE_SCALE);
    judge(at, residual, residual);
    if (control[PHASE] == ITERATE) {
        numbers[BETA] = quotient(sums[1], numbers[RHO]) * quotient(numbers[ALPHA], numbers[OMEGA]);
        numbers[RHO] = sums[1];
        check_shadow(sums[1], sums[2]);
    }
}
