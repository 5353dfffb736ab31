// The slices' blocks from the workgroups that are at them, in the same dispatch: each publishes its
// own and waits for the others'. A word carries its own flag, so that no order between words is
// needed.
//
// That all workgroups run at once is likely where they are few, but nobody promises it. A workgroup
// that has waited long enough reduces the slices that are missing itself, by the same code, so
// nothing but time is lost. Where x lies over rhs, a slice's rows may be overwritten while they are
// read here; but then its block has been published before, which the barriers below keep in order,
// and is taken instead.
//
// `words` has two halves, for even and odd solves. The workgroups of a solve publish in one, and make
// their places in the other empty again, which nobody reads any more.
@group(0) @binding(7) var<storage, read_write> words: array<atomic<u32>>;

struct Counters {
    solves: atomic<u32>,
    finished: atomic<u32>,
}
@group(0) @binding(8) var<storage, read_write> counters: Counters;

// How often a thread looks for a block before it gives up waiting: an estimated 0.1
// ms on a large device.
const LOOKS: u32 = 256u;

var<workgroup> missing: atomic<u32>;
var<workgroup> missing_slice: u32;
var<workgroup> rescued_first: array<real4, LANES>;
var<workgroup> rescued_last: array<real4, LANES>;

// Word `part` of value k of a slice's block: neighbouring slices side by side.
fn word_at(turn: u32, slot: u32, k: u32, part: u32) -> u32 {
    let slots = params.problems * params.slices;
    return (((turn & 1u) * BLOCK_VALUES + k) * WORDS + part) * slots + slot;
}

fn value_of(block: Block, k: u32) -> real {
    return select(block.first[k % 4u], block.last[k % 4u], k >= 4u);
}

fn publish(turn: u32, slot: u32, block: Block) {
    for (var k = 0u; k < BLOCK_VALUES; k++) { // unroll
        for (var part = 0u; part < WORDS; part++) { // unroll
            atomicStore(&words[word_at(turn + 1u, slot, k, part)], EMPTY);
            atomicStore(&words[word_at(turn, slot, k, part)], word_of(value_of(block, k), part));
        }
    }
}

// As it is after a way through words.
fn as_published(relation: real4) -> real4 {
    var numbers = relation;
    for (var k = 0u; k < RELATION_VALUES; k++) { // unroll
        var both = vec2<u32>(0u, 0u);
        for (var part = 0u; part < WORDS; part++) { // unroll
            both[part] = word_of(relation[k], part);
        }
        numbers[k] = number_of(both);
    }
    return numbers;
}

struct Look {
    block: Block,
    found: bool,
}

// A plain load may be a cache's: what it has found is there, what it has not may be. An addition of
// nothing asks the memory itself.
fn look(turn: u32, slot: u32, again: bool) -> Look {
    var block: Block;
    var found = true;
    for (var k = 0u; k < BLOCK_VALUES; k++) { // unroll
        var both = vec2<u32>(0u, 0u);
        for (var part = 0u; part < WORDS; part++) { // unroll
            if (again) {
                both[part] = atomicAdd(&words[word_at(turn, slot, k, part)], 0u);
            } else {
                both[part] = atomicLoad(&words[word_at(turn, slot, k, part)]);
            }
            found = found && both[part] != EMPTY;
        }
        if (k < 4u) {
            block.first[k % 4u] = number_of(both);
        } else {
            block.last[k % 4u] = number_of(both);
        }
    }
    return Look(block, found);
}

// The blocks of this thread's family, waited for.
struct Waiting {
    blocks: array<Block, BLOCKS>,
    // A bit for each block that is there.
    found: u32,
}

fn outer_together(t: u32, share: Share, own: Block) -> vec2<real> {
    let here = place(t);
    let first_slot = share.problem * params.slices;
    let turn = atomicLoad(&counters.solves);
    let root_problem = share.base + root_lane(t);
    if (holds_root(t) && root_problem < params.problems) {
        publish(turn, root_problem * params.slices + share.slice, own);
    }
    // Before x is written anywhere.
    storageBarrier();
    var waiting: Waiting;
    waiting.found = 0u;
    for (var i = 0u; i < BLOCKS; i++) { // unroll
        let child = here.chunk * BLOCKS + i;
        if (child < params.slices) {
            for (var looks = 0u; looks < LOOKS; looks++) {
                let seen = look(turn, first_slot + child, looks > 0u);
                if (seen.found) {
                    waiting.blocks[i] = seen.block;
                    waiting.found |= 1u << i;
                    break;
                }
            }
        }
    }
    // At the most every slice is missing.
    for (var round = 0u; round < params.slices; round++) {
        if (t == 0u) {
            atomicStore(&missing, params.slices);
        }
        workgroupBarrier();
        for (var i = 0u; i < BLOCKS; i++) { // unroll
            let child = here.chunk * BLOCKS + i;
            if (child < params.slices && (waiting.found & (1u << i)) == 0u) {
                atomicMin(&missing, child);
            }
        }
        workgroupBarrier();
        if (t == 0u) {
            missing_slice = atomicLoad(&missing);
        }
        let rescued = workgroupUniformLoad(&missing_slice);
        if (rescued >= params.slices) {
            break;
        }
        let leaf = reduce_leaf(share.problem, rescued * CHUNKS + here.chunk);
        let root = ascend(t, leaf.block);
        if (holds_root(t)) {
            rescued_first[root_lane(t)] = as_published(root.first);
            rescued_last[root_lane(t)] = as_published(root.last);
        }
        workgroupBarrier();
        // After the rows have been read.
        storageBarrier();
        for (var i = 0u; i < BLOCKS; i++) { // unroll
            if (here.chunk * BLOCKS + i == rescued && (waiting.found & (1u << i)) == 0u) {
                let seen = look(turn, first_slot + rescued, true);
                waiting.blocks[i] = Block(rescued_first[here.lane], rescued_last[here.lane]);
                if (seen.found) {
                    waiting.blocks[i] = seen.block;
                }
                waiting.found |= 1u << i;
            }
        }
        // Before the tree's memory and the next round's `missing` are written.
        workgroupBarrier();
    }
    // Nobody reads this solve's words any more once all have come here; whoever comes last begins
    // the next solve's count.
    if (t == 0u && atomicAdd(&counters.finished, 1u) + 1u == params.workgroups) {
        atomicStore(&counters.finished, 0u);
        atomicStore(&counters.solves, turn + 1u);
    }
    var family: Family;
    family.block = empty_block();
    for (var i = 0u; i < BLOCKS; i++) { // unroll
        if (here.chunk * BLOCKS + i < params.slices) {
            append(&family, i, waiting.blocks[i]);
        }
    }
    return beside_slice(t, share.slice, family);
}
