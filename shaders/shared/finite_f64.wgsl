// f64 runs on Vulkan only, where comparisons keep their IEEE meaning.
fn is_finite(x: real) -> bool {
    return abs(x) <= 1.7976931348623157e308;
}

fn all_finite(x: real4) -> bool {
    return all(abs(x) <= real4(1.7976931348623157e308));
}
