// A quotient of recurrences; where there is none, the method breaks down and begins anew from the true residual.
fn quotient(a: real, b: real) -> real {
    let value = a / b;
    if (b == 0.0 || !is_finite(value)) {
        end(BROKE_DOWN);
        return 0.0;
    }
    return value;
}
