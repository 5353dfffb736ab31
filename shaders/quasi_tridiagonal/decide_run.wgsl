// All is ready for the iteration.
fn decide(sums: array<real, SUMS>) {
    numbers[RHO] = sums[0];
    numbers[SHADOW] = sqrt(sums[1]);
    control[PHASE] = ITERATE;
}
