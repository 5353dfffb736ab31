// role: source
import package::shared::block::relation;
import super::equations::check_equation;
import super::structure::load_equation;
import roles::real::real4;

// Cyclic reduction's rows straight from the caller's vectors.
fn source(problem: u32, row: u32) -> real4 {
    let it = load_equation(problem, row);
    check_equation(problem, row, it);
    return relation(it);
}
