// role: words
import roles::real::real;

// Words of a number.
const WORDS = 2u;

// Numbers as pairs of words that say themselves whether they have been written: all ones stands for
// "not yet". A low word of all ones gives up its last bit, the smallest there is.
const EMPTY: u32 = 0xffffffffu;

fn word_of(x: real, part: u32) -> u32 {
    let bits = bitcast<u64>(x);
    if (part == 0u) {
        return min(u32(bits & 0xfffffffflu), 0xfffffffeu);
    }
    let high = u32(bits >> 32u);
    return select(high, 0x7ff80000u, high == EMPTY);
}

fn number_of(words: vec2<u32>) -> real {
    return bitcast<real>((u64(words.y) << 32u) | u64(words.x));
}
