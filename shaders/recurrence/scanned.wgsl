// What the chunks of a slice come to.
struct Scanned {
    // What the chunks before this one make of the value before the slice.
    before: Affine,
    // What all of them make of it.
    whole: Affine,
}
