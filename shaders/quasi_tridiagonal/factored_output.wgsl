import roles::real::{real, real4};

@group(0) @binding(8) var<storage, read_write> x_next: array<real4>;

var<private> step_squared: real;
var<private> x_squared: real;
