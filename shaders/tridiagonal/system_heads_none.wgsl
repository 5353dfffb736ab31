// role: system_heads
import super::rows::LoadedRows;

// A system by itself.

fn starts_system(row: u32) -> bool {
    return false;
}

fn cut_at_heads(rows: ptr<function, LoadedRows>, start: u32) {
}
