// role: kernel
import package::shared::workgroup::WORKGROUP;
import super::params::params;
import roles::outer::outer;
import roles::real::{is_finite, real};

// A = T + S on the device, a row a thread: from compressed sparse rows, in any order, into the three diagonals and slices
// that are all `count` entries wide. Entries of one place in T add up; those of S may stay apart.
struct Faults {
    // The first row whose offsets descend or leave the entries.
    offsets: atomic<u32>,
    // Which has an entry outside of the matrix.
    column: atomic<u32>,
    // With more entries beside the three diagonals than there is room for.
    long: atomic<u32>,
    // With an entry that is not finite.
    value: atomic<u32>,
    // With a zero on the diagonal.
    diagonal: atomic<u32>,
    // Without entries.
    empty: atomic<u32>,
    // That is not diagonally dominant, and how many are not.
    broken: atomic<u32>,
    broken_rows: atomic<u32>,
}

@group(0) @binding(1) var<storage, read> offsets: array<u32>;
@group(0) @binding(2) var<storage, read> columns: array<u32>;
@group(0) @binding(3) var<storage, read> values: array<outer>;
@group(0) @binding(4) var<storage, read_write> tri: array<real>;
@group(0) @binding(5) var<storage, read_write> index: array<u32>;
@group(0) @binding(6) var<storage, read_write> off: array<real>;
@group(0) @binding(7) var<storage, read_write> faults: Faults;

// Entry j of a row beside the diagonals.
fn entry_place(row: u32, j: u32) -> u32 {
    return (row / 32u * params.count + j) * 32u + row % 32u;
}

fn run(w: u32, t: u32) {
    let row = w * WORKGROUP + t;
    if (row >= params.rows) {
        return;
    }
    // Of 32 bits and beside each other, so that no row is read past the entries whatever the offsets are.
    let begin = min(offsets[row], params.first);
    let end = min(offsets[row + 1u], params.first);
    if (offsets[row] > offsets[row + 1u] || offsets[row + 1u] > params.first) {
        atomicMin(&faults.offsets, row);
    }
    var diagonals = array<real, 3>(0.0, 0.0, 0.0);
    var others = real(0.0);
    var count = 0u;
    var any = false;
    for (var k = begin; k < min(end, begin + params.most); k++) {
        let column = columns[k];
        let value = real(values[k]);
        if (column >= params.rows) {
            atomicMin(&faults.column, row);
            continue;
        }
        if (!is_finite(value)) {
            atomicMin(&faults.value, row);
        }
        if (value == 0.0) {
            continue;
        }
        any = true;
        if (column + 1u >= row && column <= row + 1u) {
            diagonals[column + 1u - row] += value;
        } else {
            others += abs(value);
            if (count < params.count) {
                index[4u * params.columns_at + entry_place(row, count)] = column;
                off[entry_place(row, count)] = value;
            }
            count++;
        }
    }
    if (count > params.count || end > begin + params.most) {
        atomicMin(&faults.long, row);
    }
    for (var j = count; j < params.count; j++) {
        index[4u * params.columns_at + entry_place(row, j)] = row;
        off[entry_place(row, j)] = 0.0;
    }
    if (!any) {
        atomicMin(&faults.empty, row);
    } else if (diagonals[1] == 0.0) {
        atomicMin(&faults.diagonal, row);
    }
    if (abs(diagonals[1]) < abs(diagonals[0]) + abs(diagonals[2]) + others) {
        atomicMin(&faults.broken, row);
        atomicAdd(&faults.broken_rows, 1u);
    }
    let padded = 4u * params.quads;
    tri[row] = diagonals[0];
    tri[padded + row] = diagonals[1];
    tri[2u * padded + row] = diagonals[2];
}
