// alpha = rho / (A p, p~).
fn decide(sums: array<real, SUMS>) {
    numbers[ALPHA] = quotient(numbers[RHO], sums[0]);
}
