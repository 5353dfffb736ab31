import package::shared::block::Equation;
import package::shared::problem::{matrix_base, params, rhs_base, system_of};
import super::equations::equation_from;
import super::form::EXCESS;
import roles::diag::{DIAG_FORM, diag_at};
import roles::lower::{LOWER_FORM, LOWER_READ, lower_at};
import roles::real::real;
import roles::rhs::right_side_at;
import roles::upper::{UPPER_FORM, UPPER_READ, upper_at};

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
override PERIODIC: bool = false;
// The right-hand side is u instead.
override CORRECTING: bool = false;

// Forms of vectors of the matrix: an entry per row, one for all rows, or those of the first row, of all inner rows and of the last row.
const EACH = 0u;
const CONSTANT = 1u;
const ENDS = 2u;

// Whether the entries left or right of the diagonal are read row by row.
override LEFT_READ: bool = (STRUCTURE == GENERAL && LOWER_READ) || (STRUCTURE != GENERAL && UPPER_READ);
override RIGHT_READ: bool = (STRUCTURE == TRANSPOSED && LOWER_READ) || (STRUCTURE != TRANSPOSED && UPPER_READ);

// Whether these entries are those of the first row, of all inner rows, and of the last row.
override LEFT_ENDS: bool = STRUCTURE == GENERAL && LOWER_FORM == ENDS;
override DIAG_ENDS: bool = DIAG_FORM == ENDS;
override RIGHT_ENDS: bool = STRUCTURE != TRANSPOSED && UPPER_FORM == ENDS;

// Whether these entries of all inner rows are alike.
override LEFT_ALIKE: bool = LEFT_ENDS || (STRUCTURE == GENERAL && LOWER_FORM == CONSTANT) || (STRUCTURE != GENERAL && UPPER_FORM == CONSTANT);
override DIAG_ALIKE: bool = DIAG_FORM != EACH;
override RIGHT_ALIKE: bool = RIGHT_ENDS || (STRUCTURE == TRANSPOSED && LOWER_FORM == CONSTANT) || (STRUCTURE != TRANSPOSED && UPPER_FORM == CONSTANT);

// A system's matrix: where its entries begin, and which system it is.
struct System {
    base: u32,
    number: u32,
}

fn system_at(problem: u32) -> System {
    return System(matrix_base(problem), system_of(problem));
}

// Of the matrix's vectors.
fn place_in(system: System, row: u32) -> u32 {
    return system.base + row * params.element_stride;
}

fn place_by(form: u32, system: System, row: u32) -> u32 {
    if (form == EACH) {
        return place_in(system, row);
    }
    if (form == CONSTANT) {
        return 0u;
    }
    return kind_of(row);
}

fn row_before(row: u32) -> u32 {
    return select(row, params.n, row == 0u) - 1u;
}

fn row_behind(row: u32) -> u32 {
    return select(row + 1u, 0u, row + 1u == params.n);
}

// Which of three entries.
fn kind_of(row: u32) -> u32 {
    return select(select(1u, 2u, row + 1u == params.n), 0u, row == 0u);
}

// The coefficients of a row, with those of the corners.
fn left_coefficient(system: System, row: u32) -> real {
    if (STRUCTURE == GENERAL) {
        return lower_at(system, row);
    }
    return upper_at(system, row_before(row));
}

fn own_coefficient(system: System, row: u32) -> real {
    return diag_at(system, row);
}

fn right_coefficient(system: System, row: u32) -> real {
    if (STRUCTURE == TRANSPOSED) {
        return lower_at(system, row_behind(row));
    }
    return upper_at(system, row);
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

fn gamma_at(system: System) -> real {
    return gamma_of(left_coefficient(system, 0u), own_coefficient(system, 0u));
}

// What opening the ring adds to the diagonal of the first or last row, or to its excess.
fn opened(system: System, row: u32) -> real {
    let alpha = left_coefficient(system, 0u);
    let gamma = gamma_at(system);
    if (row == 0u) {
        return select(-gamma, abs(alpha) - gamma, EXCESS);
    }
    let beta = right_coefficient(system, row);
    // The quotient is -1, 0 or 1.
    let taken = alpha / gamma * beta;
    return select(-taken, abs(beta) - taken, EXCESS);
}

// u.
fn correcting_at(system: System, row: u32) -> real {
    if (row == 0u) {
        return gamma_at(system);
    }
    if (row + 1u == params.n) {
        return right_coefficient(system, row);
    }
    return 0.0;
}

// A row as it is solved, but for its corners: those of T.
fn given_row(system: System, row: u32) -> vec3<real> {
    var own = own_coefficient(system, row);
    if (PERIODIC && (row == 0u || row + 1u == params.n)) {
        own += opened(system, row);
    }
    return vec3<real>(left_coefficient(system, row), own, right_coefficient(system, row));
}

fn load_equation(problem: u32, row: u32) -> Equation {
    let last = min(row, params.n - 1u);
    let system = system_at(problem);
    let it = given_row(system, last);
    if (CORRECTING) {
        return equation_from(row, it.x, it.y, it.z, correcting_at(system, last));
    }
    return equation_from(row, it.x, it.y, it.z, right_side_at(problem, rhs_base(problem), last));
}
