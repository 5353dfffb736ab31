import super::params::params;
import super::scalars::TABLES;

// `count` columns at the most.
fn cosine_at(j: u32) -> u32 {
    return TABLES + j;
}

fn sine_at(j: u32) -> u32 {
    return TABLES + (params.count + 1u) + j;
}

fn gmres_right_at(j: u32) -> u32 {
    return TABLES + 2u * (params.count + 1u) + j;
}

fn solution_at(j: u32) -> u32 {
    return TABLES + 3u * (params.count + 1u) + j;
}

fn entry_at(i: u32, j: u32) -> u32 {
    return TABLES + (4u + j) * (params.count + 1u) + i;
}
