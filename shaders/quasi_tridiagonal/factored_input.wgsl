import super::factors::block_number;
import roles::real::{real, real4};

@group(0) @binding(3) var<storage, read> factors: array<real4>;
@group(0) @binding(7) var<storage, read> f: array<real4>;

fn factor_at(at: u32) -> real {
    return factors[at / 4u][at % 4u];
}

// The entry that couples the first or last row of a block to the block beside it.
fn beside_block(plane: u32, block: u32) -> real {
    return factor_at(block_number(plane, block));
}
