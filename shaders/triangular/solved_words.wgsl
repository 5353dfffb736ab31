import package::shared::sizes::INPUTS_WRITABLE;
import super::problem::params;
import super::sizes::{BLOCK, COLUMNS};
import roles::real::real;
import roles::words::{EMPTY, WORDS, word_of};

// Solved rows as workgroups tell them each other: words that carry their own flag, so that no order between them is
// needed.
//
// `words` has two halves, for even and odd launches. A launch writes to one, and makes the other empty again, which
// nobody reads any more.
@group(0) @binding(7) var<storage, read_write> words: array<atomic<u32>>;

// Block rows are taken in the order in which workgroups ask, so that those before one have been taken by
// workgroups that run, or have run. An even and an odd launch count on; the last of the odd one begins anew.
@group(0) @binding(8) var<storage, read_write> taken: array<atomic<u32>, 1>;

// The first word of a row of a block, by its place.
fn unknowns_word_at(parity: u32, number: u32, c: u32, place: u32, i: u32) -> u32 {
    return ((((parity * params.problems + number) * COLUMNS + c) * params.blocks + place) * BLOCK + i) * WORDS;
}

// Publishes a value; returns whether this thread may write it to x. If x overlaps the right-hand sides, a late
// workgroup may have read overwritten rows and must discard its values. All workgroups in time publish the same bits,
// so the one that publishes a number's first word decides.
fn tell(at: u32, value: real) -> bool {
    var counts = true;
    for (var part = 0u; part < WORDS; part++) { // unroll
        if (INPUTS_WRITABLE) {
            var told_unknowns = atomicCompareExchangeWeak(&words[at + part], EMPTY, word_of(value, part));
            // The weak exchange may fail spuriously, as Metal's does.
            for (var more = 0u; more < 16u && !told_unknowns.exchanged && told_unknowns.old_value == EMPTY; more++) {
                told_unknowns = atomicCompareExchangeWeak(&words[at + part], EMPTY, word_of(value, part));
            }
            counts = select(counts, told_unknowns.exchanged, part == 0u);
        } else {
            atomicStore(&words[at + part], word_of(value, part));
        }
    }
    return counts;
}

fn empty_unknowns(at: u32) {
    for (var part = 0u; part < WORDS; part++) { // unroll
        atomicStore(&words[at + part], EMPTY);
    }
}

// The words of a number, and whether all of them have been told_unknowns.
struct ToldUnknowns {
    words: vec2<u32>,
    there: bool,
}

fn told_unknowns(at: u32) -> ToldUnknowns {
    var both = vec2<u32>(0u, 0u);
    for (var part = 0u; part < WORDS; part++) { // unroll
        both[part] = atomicLoad(&words[at + part]);
    }
    return ToldUnknowns(both, all(both != vec2<u32>(EMPTY)));
}
