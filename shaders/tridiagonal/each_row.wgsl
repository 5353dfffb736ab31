// role: kernel
import package::shared::problem::{params, systems_first};
import package::shared::workgroup::WORKGROUP;
import roles::visit::visit;

// Every row of every problem, ITEMS a thread, neighbours in memory by neighbouring threads.
const ITEMS = 4u;

fn run(w: u32, t: u32) {
    for (var i = 0u; i < ITEMS; i++) {
        let at = (w * ITEMS + i) * WORKGROUP + t;
        var problem = at / params.n;
        var row = at % params.n;
        if (systems_first()) {
            problem = at % params.problems;
            row = at / params.problems;
        }
        if (problem < params.problems && row < params.n) {
            visit(problem, row);
        }
    }
}
