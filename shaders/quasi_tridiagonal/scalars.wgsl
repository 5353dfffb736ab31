// The scalars of the Krylov methods, by their place.
const RHO = 0u;
const ALPHA = 1u;
const BETA = 2u;
const OMEGA = 3u;
const THETA = 4u;
const ETA = 5u;
const TAU = 6u;
// What the update direction of TFQMR keeps of the one before.
const KEPT = 7u;
// Of the terms of (w, shadow), in TFQMR.
const SIZES = 9u;
// GMRES: 1 / the norm of a new basis vector; then cosines, sines, the turned right-hand side, the solution of the small
// system, and the columns of the triangular matrix, each of `columns` + 1.
const INVERSE_NORM = 8u;
const TABLES = 16u;
