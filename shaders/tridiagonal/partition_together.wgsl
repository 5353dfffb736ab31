// role: kernel
import package::shared::block::{Block, empty_block};
import package::shared::place::{CHUNKS, LOG_CHUNKS, LOG_RUN, place, share_of};
import package::shared::problem::params;
import package::shared::sizes::INPUTS_WRITABLE;
import super::family::{Family, append};
import super::neighbours_merge::beside_slice;
import super::neighbours_together::{finish, look, pass_through, publish, this_turn};
import super::sizes::BLOCKS;
import super::tree_subgroup::across_runs;
import roles::leaf::{Leaf, reduce_leaf};
import roles::leaf_solve::solve_leaf;
import roles::leaf_tree::{ascend_leaf, descend_leaf};
import roles::tree::holds_root;

// A system of several slices in one dispatch: a workgroup reduces its slice, tells its block to the
// others and learns theirs, and solves its rows, which stayed in registers: 16 bytes per row read and
// 4 written (f32).
//
// That all workgroups run at once is likely where they are few, but nobody promises it. A workgroup
// that has waited long enough reduces a slice that is missing itself and publishes that, by the same
// code and so with the same bits; different workgroups begin with different slices. Where x lies
// over rhs, a slice's rows may be overwritten while they are read here; but then its block has been
// published before, which the barriers below keep in order, and is taken instead.

// How often a thread looks for each of its blocks before its workgroup gives up waiting (an estimated
// 50 us on a large device), and later, when others have been reduced meanwhile.
const LOOKS: u32 = 64u;
const LOOKS_AGAIN: u32 = 2u;
const INSIST: u32 = 16u;

const NONE: u32 = 0xffffffffu;
var<workgroup> missing: atomic<u32>;
var<workgroup> missing_slice: u32;

// Slices in an order that differs from workgroup to workgroup; there are fewer than 2^16.
fn rank(child: u32, slice: u32) -> u32 {
    let scattered = (child * 0x9e3779b1u) ^ (slice * 0x85ebca6bu);
    return ((scattered * 0xc2b2ae35u) & 0xffff0000u) | child;
}

var<workgroup> root: Block;

// The block of a workgroup's only problem, from the thread that holds it.
fn known_to_all(t: u32, block: Block) -> Block {
    if (LOG_CHUNKS > LOG_RUN) {
        return block;
    }
    if (holds_root(t)) {
        root = block;
    }
    workgroupBarrier();
    return root;
}

fn run(w: u32, t: u32) {
    let here = place(t);
    let share = share_of(w, t);
    let turn = this_turn();
    let first_slot = share.problem * params.slices;
    var leaf: Leaf;
    var blocks: array<Block, BLOCKS>;
    // A bit for each block that is there.
    var found = 0u;
    // The workgroup's own slice first; then, one after the other, what is missing; if that was
    // anything, its own once more.
    let own_slice = w % params.slices;
    var slice = own_slice;
    // At the most every slice is missing.
    for (var round = 0u; round <= params.slices + 1u; round++) {
        leaf = reduce_leaf(share.problem, slice * CHUNKS + here.chunk);
        let block = known_to_all(t, ascend_leaf(t, leaf));
        if (t == 0u) {
            atomicStore(&missing, NONE);
        }
        let own = slice == own_slice;
        if (!own) {
            // After the rows have been read.
            storageBarrier();
        }
        publish(turn, first_slot + slice, t, block, own);
        workgroupBarrier();
        for (var i = 0u; i < BLOCKS; i++) { // unroll
            let child = here.chunk * BLOCKS + i;
            if (child < params.slices && (found & (1u << i)) == 0u) {
                for (var looks = 0u; looks < select(LOOKS_AGAIN, LOOKS, round == 0u); looks++) {
                    let seen = look(turn, first_slot + child, looks % INSIST == INSIST - 1u);
                    if (seen.found || child == slice) {
                        blocks[i] = block;
                        if (seen.found) {
                            blocks[i] = seen.block;
                        }
                        found |= 1u << i;
                        break;
                    }
                }
                if ((found & (1u << i)) == 0u) {
                    atomicMin(&missing, rank(child, own_slice));
                }
            }
        }
        workgroupBarrier();
        if (t == 0u) {
            missing_slice = atomicLoad(&missing);
        }
        let next = workgroupUniformLoad(&missing_slice);
        if (next == NONE && own) {
            break;
        }
        slice = select(next & 0xffffu, own_slice, next == NONE);
    }
    // Waited for only at the end.
    let through = pass_through(turn, first_slot + own_slice, t);
    var family: Family;
    family.block = empty_block();
    for (var i = 0u; i < BLOCKS; i++) { // unroll
        if (here.chunk * BLOCKS + i < params.slices) {
            append(&family, i, blocks[i]);
        }
    }
    // The slices' blocks merge with the same variables; the way down needs no others of the rows'.
    let own_across_runs = across_runs;
    let outer = beside_slice(t, own_slice, family);
    across_runs = own_across_runs;
    let beside_leaf = descend_leaf(t, outer);
    if (INPUTS_WRITABLE) {
        // The block is published before x is written anywhere.
        storageBarrier();
    }
    solve_leaf(leaf, share.problem, share.chunk, beside_leaf, share.owned);
    finish(through);
}
