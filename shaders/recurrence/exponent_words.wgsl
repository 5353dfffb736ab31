// Exponents as words that are never `EMPTY`: their size is at most half of this.
const EXPONENT_BIAS: i32 = 1082130432;

fn word_of_exponent(e: i32) -> u32 {
    return u32(e + EXPONENT_BIAS);
}

fn exponent_of_word(word: u32) -> i32 {
    return i32(word) - EXPONENT_BIAS;
}
