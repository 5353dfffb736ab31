// x = m y, from where the last iterate is, into the caller's vector.
@group(0) @binding(3) var<storage, read> numbers: array<real>;
@group(0) @binding(4) var<storage, read> y_even: array<real4>;
@group(0) @binding(5) var<storage, read> y_odd: array<real4>;
@group(0) @binding(6) var<storage, read_write> x: array<real>;

const LARGEST = 0u;

fn work(q: u32) {
    let m = numbers[LARGEST];
    var own = real4(0.0);
    if (m != 0.0 && control[OUTCOME] != RHS_NOT_FINITE) {
        if (control[X_AT] == 0u) {
            own = y_even[q] * m;
        } else {
            own = y_odd[q] * m;
        }
    }
    for (var i = 0u; i < 4u; i++) {
        if (4u * q + i < params.rows) {
            x[4u * q + i] = own[i];
        }
    }
}
