// Exponents from -2^30 to 2^29 as words from 8388608 on, none of which is `EMPTY`.
const EXPONENT_BIAS: i32 = 1082130432;

fn word_of_exponent(e: i32) -> u32 {
    return u32(e + EXPONENT_BIAS);
}

fn exponent_of_word(word: u32) -> i32 {
    return i32(word) - EXPONENT_BIAS;
}
