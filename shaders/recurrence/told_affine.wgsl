// role: told
import super::affine::{Affine, Wide};
import super::exponent_words::{exponent_of_word, word_of_exponent};
import super::sizes::{MAP_WORDS, VALUE_WORDS};
import roles::real::real;
import roles::words::{WORDS, number_of, word_of};

// Affine maps as words: factor, summand, and the exponent of each.

fn map_word(map: Affine, k: u32) -> u32 {
    if (k < 2u * WORDS) {
        return word_of(select(map.t.x, map.s.x, k < WORDS), k % WORDS);
    }
    return word_of_exponent(select(map.t.e, map.s.e, k == 2u * WORDS));
}

fn map_of_words(words: array<u32, MAP_WORDS>) -> Affine {
    let s = number_of(vec2<u32>(words[0], words[WORDS - 1u]));
    let t = number_of(vec2<u32>(words[WORDS], words[2u * WORDS - 1u]));
    return Affine(
        Wide(s, exponent_of_word(words[2u * WORDS])),
        Wide(t, exponent_of_word(words[2u * WORDS + 1u])),
    );
}

fn value_word(value: real, k: u32) -> u32 {
    return word_of(value, k);
}

fn value_of_words(words: array<u32, VALUE_WORDS>) -> real {
    return number_of(vec2<u32>(words[0], words[WORDS - 1u]));
}
