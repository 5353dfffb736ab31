import package::shared::block::Equation;
import package::shared::problem::{matrix_base, params, rhs_base, right_place};
import super::equations::equation_from;
import super::form::EXCESS;
import roles::entries::{diag_entry, lower_entry, rhs_entry, upper_entry};
import roles::real::real;

// What a row's coefficients are in the caller's vectors, and in a periodic system, which comes to a tridiagonal one.
//
// A ring of rows A, whose corners are alpha (of the first row) and beta (of the last), is T + u v^T with
//
//   u = (gamma, 0, .., 0, beta),   v = (1, 0, .., 0, alpha / gamma),   gamma = -|alpha| with the sign of the first diagonal:
//
// T has no corners, the first diagonal less gamma and the last less alpha beta / gamma, which leaves dominant rows dominant.
override STRUCTURE: u32 = GENERAL;
const GENERAL = 0u;
// The matrix whose rows the vectors hold is transposed.
const TRANSPOSED = 1u;
// `upper` stands for `lower` as well.
const SYMMETRIC = 2u;
// The first row's, all others' and the last row's.
const CONSTANT = 3u;
override PERIODIC: bool = false;
// The right-hand side is u instead.
override CORRECTING: bool = false;

// What is read row by row.
override MATRIX_READ: bool = STRUCTURE != CONSTANT;
override LOWER_READ: bool = MATRIX_READ && STRUCTURE != SYMMETRIC;
override RHS_READ: bool = !CORRECTING;

// Of the matrix's vectors.
fn place_in(base: u32, row: u32) -> u32 {
    return base + row * params.element_stride;
}

fn row_before(row: u32) -> u32 {
    return select(row, params.n, row == 0u) - 1u;
}

fn row_behind(row: u32) -> u32 {
    return select(row + 1u, 0u, row + 1u == params.n);
}

// Of constant coefficients.
fn kind_of(row: u32) -> u32 {
    return select(select(1u, 2u, row + 1u == params.n), 0u, row == 0u);
}

// The coefficients of a row of the system whose entries begin at `base`, with those of the corners.
fn left_coefficient(base: u32, row: u32) -> real {
    if (STRUCTURE == CONSTANT) {
        return lower_entry(kind_of(row));
    }
    if (STRUCTURE == TRANSPOSED || STRUCTURE == SYMMETRIC) {
        return upper_entry(place_in(base, row_before(row)));
    }
    return lower_entry(place_in(base, row));
}

fn own_coefficient(base: u32, row: u32) -> real {
    if (STRUCTURE == CONSTANT) {
        return diag_entry(kind_of(row));
    }
    return diag_entry(place_in(base, row));
}

fn right_coefficient(base: u32, row: u32) -> real {
    if (STRUCTURE == CONSTANT) {
        return upper_entry(kind_of(row));
    }
    if (STRUCTURE == TRANSPOSED) {
        return lower_entry(place_in(base, row_behind(row)));
    }
    return upper_entry(place_in(base, row));
}

// Of a ring whose first row has this corner and diagonal (or excess).
fn gamma_of(alpha: real, first: real) -> real {
    var size = abs(alpha);
    if (size == 0.0) {
        // Whatever it is then, the last diagonal stays.
        size = select(abs(first), real(1.0), first == 0.0);
    }
    return select(-size, size, first < 0.0 && !EXCESS);
}

fn gamma_at(base: u32) -> real {
    return gamma_of(left_coefficient(base, 0u), own_coefficient(base, 0u));
}

// What opening the ring adds to the diagonal of the first or last row, or to its excess.
fn opened(base: u32, row: u32) -> real {
    let alpha = left_coefficient(base, 0u);
    let gamma = gamma_at(base);
    if (row == 0u) {
        return select(-gamma, abs(alpha) - gamma, EXCESS);
    }
    let beta = right_coefficient(base, row);
    // The quotient is -1, 0 or 1.
    let taken = alpha / gamma * beta;
    return select(-taken, abs(beta) - taken, EXCESS);
}

// u.
fn correcting_at(base: u32, row: u32) -> real {
    if (row == 0u) {
        return gamma_at(base);
    }
    if (row + 1u == params.n) {
        return right_coefficient(base, row);
    }
    return 0.0;
}

// A row as it is solved, but for its corners: those of T.
fn given_row(base: u32, row: u32) -> vec3<real> {
    var own = own_coefficient(base, row);
    if (PERIODIC && (row == 0u || row + 1u == params.n)) {
        own += opened(base, row);
    }
    return vec3<real>(left_coefficient(base, row), own, right_coefficient(base, row));
}

fn load_equation(problem: u32, row: u32) -> Equation {
    let last = min(row, params.n - 1u);
    let base = matrix_base(problem);
    let it = given_row(base, last);
    if (CORRECTING) {
        return equation_from(row, it.x, it.y, it.z, correcting_at(base, last));
    }
    return equation_from(row, it.x, it.y, it.z, rhs_entry(right_place(rhs_base(problem), last)));
}
