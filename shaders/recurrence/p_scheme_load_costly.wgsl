// A factor that takes PAIRS multiplications and as many divisions, each waiting for the one before, instead of one
// from memory: the cases M and H of Wakatani 2013. Between 0.4 and 0.7; src/testing/p_scheme_cost.rs has it too.
alias element = real;

fn costly_factor(row: u32) -> real {
    var x = 0.4 + real(row % 1024u) * (0.2 / 1024.0);
    for (var done = 0u; done < PAIRS; done += TOGETHER) {
        for (var pair = 0u; pair < TOGETHER; pair++) { // unroll
            x = 0.25 / (x * (1.0 + 1.0 / 1024.0));
        }
    }
    return x;
}

fn row_at(problem: u32, row: u32) -> Row {
    let at = matrix_base(problem) + min(row, params.n - 1u) * params.element_stride;
    return Row(costly_factor(row), t[select(at, 0u, CONSTANT_T)]);
}

fn load_rows(problem: u32, start: u32) -> Rows {
    var rows: Rows;
    for (var i = 0u; i < ROWS; i++) { // unroll
        let row = row_at(problem, start + i);
        rows.s[i] = row.s;
        rows.t[i] = row.t;
    }
    return rows;
}

// What is not rearranged.
fn unmoved_factor(row: u32) -> real {
    return costly_factor(row);
}
