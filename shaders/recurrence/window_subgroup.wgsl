// role: window
import package::shared::place::{LOG_RUN, RUN};
import package::shared::problem::params;
import super::back::{LOOKS, back, forget_or_go_on};
import super::slice_words::{NOTHING, VALUE, nothing_told, told};
import roles::map::{identity, then, value_behind};
import roles::shuffle::from_behind;

// Looking back with shuffles: a lane a slice, whose maps are composed two by two.

// Takes in what is told by slices back.next - 1, back.next - 2, ... as far as it goes.
fn look_back(turn: u32, first: u32, t: u32, next: u32) {
    if (t >= RUN) {
        return;
    }
    var look = nothing_told();
    // The nearest slice that has told nothing, and the nearest that has told its value.
    var silent = RUN;
    var known = RUN;
    for (var looks = 0u; looks < LOOKS; looks++) {
        if (t < next && look.kind != VALUE) {
            look = told(turn, first + next - 1u - t);
        }
        silent = subgroupMin(select(RUN, t, look.kind == NOTHING));
        known = subgroupMin(select(RUN, t, look.kind == VALUE));
        // Slices far back are not waited for.
        if (known < silent || silent >= min(next, RUN)) {
            break;
        }
    }
    if (known == 0u) {
        // The slice right before, as mostly.
        if (t == 0u) {
            back.value = value_behind(back.map, look.value);
            back.done = true;
        }
    } else {
        let value = subgroupShuffle(look.value, min(known, RUN - 1u));
        var map = look.map;
        if (t >= min(silent, known)) {
            map = identity();
        }
        for (var level = 0u; level < LOG_RUN + params.zero; level++) {
            let earlier = from_behind(map, 1u << level);
            if (t + (1u << level) < RUN) {
                map = then(earlier, map);
            }
        }
        if (t == 0u) {
            map = then(map, back.map);
            if (known < silent) {
                back.value = value_behind(map, value);
                back.done = true;
            } else {
                forget_or_go_on(map, next - silent);
                back.missing = silent == 0u;
            }
        }
    }
}
