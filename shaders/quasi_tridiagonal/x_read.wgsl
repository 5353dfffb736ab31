// role: unknowns
import roles::real::real4;

@group(0) @binding(6) var<storage, read> x: array<real4>;
