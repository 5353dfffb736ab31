// role: told
import package::recurrence::exponent_words::{exponent_of_word, word_of_exponent};
import package::recurrence::sizes::{MAP_WORDS, VALUE_WORDS};
import super::map::Moebius;
import roles::map::Value;
import roles::words::{WORDS, number_of, word_of};

// Maps as words: where infinity goes, where 0 goes, and the exponent. A value is two numbers.

fn map_word(map: Moebius, k: u32) -> u32 {
    if (k < 2u * WORDS) {
        return value_word(map.of_infinity, k);
    }
    if (k < 4u * WORDS) {
        return value_word(map.of_zero, k - 2u * WORDS);
    }
    return word_of_exponent(map.e);
}

fn map_of_words(words: array<u32, MAP_WORDS>) -> Moebius {
    let infinity_x = number_of(vec2<u32>(words[0], words[WORDS - 1u]));
    let infinity_y = number_of(vec2<u32>(words[WORDS], words[2u * WORDS - 1u]));
    let zero_x = number_of(vec2<u32>(words[2u * WORDS], words[3u * WORDS - 1u]));
    let zero_y = number_of(vec2<u32>(words[3u * WORDS], words[4u * WORDS - 1u]));
    return Moebius(Value(infinity_x, infinity_y), Value(zero_x, zero_y), exponent_of_word(words[4u * WORDS]));
}

fn value_word(value: Value, k: u32) -> u32 {
    return word_of(select(value.y, value.x, k < WORDS), k % WORDS);
}

fn value_of_words(words: array<u32, VALUE_WORDS>) -> Value {
    return Value(
        number_of(vec2<u32>(words[0], words[WORDS - 1u])),
        number_of(vec2<u32>(words[WORDS], words[2u * WORDS - 1u])),
    );
}
