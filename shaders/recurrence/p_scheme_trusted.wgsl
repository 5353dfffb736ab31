import roles::real::real;

// The largest value before each chunk with which its stored numbers give its values.
@group(0) @binding(10) var<storage, read_write> trusted: array<real>;
