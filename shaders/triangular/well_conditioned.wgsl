// A product with the inverse X of a block D rounds |X| |D| times as much as substitution at the most: where the block's condition || |X| |D| ||
// is larger than this, rows are substituted.
const WELL_CONDITIONED: f32 = 64.0;
