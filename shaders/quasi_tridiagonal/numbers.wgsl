import roles::real::real;

@group(0) @binding(3) var<storage, read> numbers: array<real>;
