// van der Vorst (1992): alpha = rho / (v, shadow).
fn decide(sums: array<real, SUMS>) {
    numbers[ALPHA] = quotient(numbers[RHO], sums[0]);
}
