import roles::real::real4;

// The iterate and the next step of an iteration that goes on from its last step.
@group(0) @binding(7) var<storage, read_write> d: array<real4>;
@group(0) @binding(8) var<storage, read_write> z_next: array<real4>;

// A cycle's first step, from its right-hand side.
override FIRST: bool = false;
