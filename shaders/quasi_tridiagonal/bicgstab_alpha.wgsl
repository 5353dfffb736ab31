// van der Vorst (1992): alpha = rho / (v, shadow).
fn decide(sums: array<real, SUMS>) {
    check_shadow(sums[0], sums[2]);
    numbers[ALPHA] = quotient(numbers[RHO], sums[0]);
}
