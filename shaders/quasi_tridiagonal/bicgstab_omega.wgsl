// role: decision
import super::breakdown::checked_quotient;
import super::decide::numbers;
import super::scalars::OMEGA;
import super::sizes::SUMS;
import roles::real::real;

// omega = (t, s) / (t, t), which makes the residual least; s = 0 needs none.
fn decide(sums: array<real, SUMS>) {
    numbers[OMEGA] = 0.0;
    if (sums[1] > 0.0) {
        numbers[OMEGA] = checked_quotient(sums[0], sums[1]);
    }
}
