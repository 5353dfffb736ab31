// role: neighbours
import package::shared::problem::{has_neighbours, params};
import roles::real::real;
import roles::tree::root_problem;

// The unknowns beside a slice, as the level above left them; none beside a whole system.
@group(0) @binding(7) var<storage, read> neighbours: array<vec2<real>>;

fn outer_neighbours(t: u32, base: u32, slice: u32) -> vec2<real> {
    let problem = base + root_problem(t);
    if (has_neighbours() && problem < params.problems) {
        return neighbours[problem * params.slices + slice];
    }
    return vec2<real>(0.0, 0.0);
}
