// alpha = rho / (A p, p~).
fn decide(sums: array<real, SUMS>) {
    check_shadow(sums[0], sums[2]);
    numbers[ALPHA] = quotient(numbers[RHO], sums[0]);
}
