// Multiplying by the inverse X of a block D rounds at most || |X| |D| || times as much as substitution does. Above this limit rows are substituted, or
// the blocks of a factored matrix halved.
const WELL_CONDITIONED: f32 = 64.0;
