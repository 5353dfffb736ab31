// omega = (t, s) / (t, t), which makes the residual least; s = 0 needs none.
fn decide(sums: array<real, SUMS>) {
    numbers[OMEGA] = 0.0;
    if (sums[1] > 0.0) {
        numbers[OMEGA] = quotient(sums[0], sums[1]);
    }
}
