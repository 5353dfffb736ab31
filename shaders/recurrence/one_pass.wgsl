// Everything in one launch (f32: 8 bytes a row read, 4 written): decoupled look-back (Merrill and
// Garland 2016) over affine maps. A workgroup reduces its slice, tells its map, looks back over the
// slices before until it meets a known value, tells the value behind its own slice, and solves its rows,
// which stayed in registers.
//
// Nobody promises that a workgroup goes on once it has begun. One that has waited long enough for a
// slice reduces that itself ("decoupled fallback"). Where w lies over an input, rows may be overwritten
// while they are read so; but then the slice's map has been told before, which the barriers below keep
// in order, and is taken instead.

// How often a thread looks for a slice before its workgroup gives up waiting.
const LOOKS: u32 = 64u;
// A slice that tells nobody anything, for tests: others have to do without. Over its own input it tells its map at
// last, since none may write before.
override WITHHELD: u32 = 0xffffffffu;
// Slices that are looked at together.
override WINDOW: u32 = min(WORKGROUP, 32u);

var<workgroup> ticket: u32;
var<workgroup> seen: array<real4, WINDOW>;
var<workgroup> kinds: array<u32, WINDOW>;

// What the look-back knows: the map from a value before slice `next` + 1 to this slice, or that value.
struct Back {
    map: real4,
    next: u32,
    missing: bool,
    value: real,
    done: bool,
}
var<workgroup> back: Back;

// Takes in what was seen of slices next, next - 1, ... as far as it goes.
fn take_in() {
    var map = unpacked(back.map);
    back.missing = true;
    for (var i = 0u; i < WINDOW; i++) {
        if (kinds[i] == NOTHING) {
            break;
        }
        back.missing = false;
        if (kinds[i] == VALUE) {
            back.value = value_behind(map, seen[i].x);
            back.done = true;
            break;
        }
        map = then(unpacked(seen[i]), map);
        // The first slice always tells a value in the end; its map serves as well.
        back.next -= 1u;
    }
    back.map = packed(map);
}

// The value before a slice.
fn value_before(turn: u32, share: Share, t: u32) -> real {
    let first = share.problem * params.slices;
    if (t == 0u) {
        back = Back(packed(identity()), share.slice, false, initial_of(share.problem), share.slice == 0u);
    }
    // Every round takes in a slice at least.
    for (var round = 0u; round <= params.slices; round++) {
        let known = workgroupUniformLoad(&back);
        if (known.done) {
            break;
        }
        if (known.next == 0u) {
            // All slices before have told their maps only.
            if (t == 0u) {
                back.value = value_behind(unpacked(back.map), initial_of(share.problem));
                back.done = true;
            }
            continue;
        }
        if (known.missing) {
            let missing = known.next - 1u;
            let map = scanned(t, map_of(load_chunk(share.problem, missing * CHUNKS + t))).whole;
            // After the rows have been read.
            storageBarrier();
            let now = told(turn, first + missing);
            // All threads have to know the same: the first one's.
            if (t == 0u) {
                kinds[0] = select(now.kind, MAP, now.kind == NOTHING);
                seen[0] = now.what;
                if (now.kind == NOTHING) {
                    seen[0] = packed(map);
                }
                for (var i = 1u; i < WINDOW; i++) {
                    kinds[i] = NOTHING;
                }
                take_in();
                back.missing = false;
            }
            continue;
        }
        if (t < WINDOW) {
            var look = Told(NOTHING, real4());
            if (t < known.next) {
                for (var looks = 0u; looks < LOOKS && look.kind == NOTHING; looks++) {
                    look = told(turn, first + known.next - 1u - t);
                }
            }
            kinds[t] = look.kind;
            seen[t] = look.what;
        }
        workgroupBarrier();
        if (t == 0u) {
            take_in();
        }
    }
    return workgroupUniformLoad(&back).value;
}

fn run(w: u32, t: u32) {
    if (t == 0u) {
        ticket = atomicAdd(&taken[0], 1u);
    }
    let number = workgroupUniformLoad(&ticket);
    let turn = number / params.workgroups;
    if (t == 0u && number + 1u == 2u * params.workgroups) {
        // Everyone has asked.
        atomicStore(&taken[0], 0u);
    }
    let share = share_of(number % params.workgroups, t);
    let slot = share.problem * params.slices + share.slice;
    let rows = load_chunk(share.problem, share.chunk);
    let maps = scanned(t, map_of(rows));
    let tells = share.slice != WITHHELD;
    if (tells) {
        tell_map(turn, slot, t, maps.whole);
    }
    make_empty(1u - turn, slot, t);
    let before = value_before(turn, share, t);
    if (tells) {
        tell_value(turn, slot, t, value_behind(maps.whole, before));
    }
    if (INPUTS_WRITABLE) {
        if (!tells) {
            tell_map(turn, slot, t, maps.whole);
        }
        // The map is told before w is written anywhere.
        storageBarrier();
    }
    solve_chunk(share.problem, share.chunk, rows, value_behind(maps.before, before), share.owned);
}
