// What is not rearranged.
fn unmoved_factor(row: u32) -> real {
    return s[0];
}
