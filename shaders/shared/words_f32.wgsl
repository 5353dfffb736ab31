// role: words
import roles::real::real;

// Words of a number.
const WORDS = 1u;

// Numbers as words that say themselves whether they have been written: all ones, a NaN that no
// arithmetic gives, stands for "not yet".
const EMPTY: u32 = 0xffffffffu;

fn word_of(x: real, part: u32) -> u32 {
    let bits = bitcast<u32>(x);
    return select(bits, 0x7fc00000u, bits == EMPTY);
}

fn number_of(words: vec2<u32>) -> real {
    return bitcast<real>(words.x);
}
