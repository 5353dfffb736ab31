// The value before a slice.
fn value_before(turn: u32, share: Share, t: u32) -> real {
    let first = share.problem * params.slices;
    if (t == 0u) {
        back = Back(identity(), share.slice, false, initial_of(share.problem), share.slice == 0u);
    }
    var known = workgroupUniformLoad(&back);
    // Every round takes in a slice at least.
    for (var round = 0u; round <= params.slices && !known.done; round++) {
        if (known.next == 0u) {
            // All slices before have told their maps only.
            return value_behind(known.map, initial_of(share.problem));
        }
        if (known.missing) {
            let missing = known.next - 1u;
            let chunk = missing * CHUNKS + t;
            var map = scanned(t, map_of(share.problem, chunk, load_chunk(share.problem, chunk))).whole;
            // After the rows have been read.
            storageBarrier();
            let now = told(turn, first + missing);
            // All threads have to know the same: the first one's.
            if (t == 0u) {
                if (now.kind == VALUE) {
                    back.value = value_behind(known.map, now.value);
                    back.done = true;
                } else {
                    if (now.kind == MAP) {
                        map = now.map;
                    }
                    forget_or_go_on(then(map, known.map), missing);
                }
            }
        } else {
            look_back(turn, first, t, known.next);
        }
        known = workgroupUniformLoad(&back);
    }
    return known.value;
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
    let maps = scanned(t, map_of(share.problem, share.chunk, rows));
    let tells = share.slice != WITHHELD;
    // Nothing of the value before is left behind most slices.
    let forgetful = forgets(maps.whole);
    if (tells && forgetful) {
        tell_value(turn, slot, t, narrow(maps.whole.t));
    } else if (tells) {
        tell_map(turn, slot, t, maps.whole);
    }
    let before = value_before(turn, share, t);
    if (tells && !forgetful) {
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
    make_empty(1u - turn, slot, t);
}
