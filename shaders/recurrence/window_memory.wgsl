// role: window
import package::shared::workgroup::WORKGROUP;
import super::back::{LOOKS, back, forget_or_go_on};
import super::slice_words::{MAP, NOTHING, Told, VALUE, nothing_told, told};
import roles::map::{then, value_behind};

// Looking back without shuffles: a thread a slice, and one that takes in what they saw.
override WINDOW: u32 = min(WORKGROUP, 32u);
var<workgroup> seen: array<Told, WINDOW>;

// Takes in what is told by slices back.next - 1, back.next - 2, ... as far as it goes.
fn look_back(turn: u32, first: u32, t: u32, next: u32) {
    if (t < WINDOW) {
        var look = nothing_told();
        if (t < next) {
            for (var looks = 0u; looks < LOOKS && look.kind == NOTHING; looks++) {
                look = told(turn, first + next - 1u - t);
            }
        }
        seen[t] = look;
    }
    workgroupBarrier();
    if (t == 0u) {
        var map = back.map;
        var count = 0u;
        for (; count < WINDOW && seen[count].kind == MAP; count++) {
            map = then(seen[count].map, map);
        }
        if (count < WINDOW && seen[count].kind == VALUE) {
            back.value = value_behind(map, seen[count].value);
            back.done = true;
        } else {
            forget_or_go_on(map, next - count);
            back.missing = count == 0u;
        }
    }
}
