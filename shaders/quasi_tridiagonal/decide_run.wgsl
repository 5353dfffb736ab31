// All is ready for the iteration.
fn decide(sums: array<real, SUMS>) {
    numbers[RHO] = sums[0];
    control[PHASE] = ITERATE;
}
