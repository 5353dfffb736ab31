// Freund (1993): tau is the norm of the residual, rho its product with the shadow residual.
fn decide(sums: array<real, SUMS>) {
    numbers[RHO] = sums[0];
    numbers[TAU] = sqrt(sums[2]);
    numbers[THETA] = 0.0;
    numbers[ETA] = 0.0;
    control[PHASE] = ITERATE;
}
