#!/usr/bin/env bash
# Runs all tests; those of the kernels on every subgroup size that software Vulkan offers.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/setup.sh"
cd "$root"

# Mesa's shader cache does not tell the widths below apart: code made for one would run, and
# answer wrongly, in another. So each gets a cache of its own.
cache() {
    export XDG_CACHE_HOME="$root/target/mesa-$1"
    mkdir -p "$XDG_CACHE_HOME"
}

cache default
cargo test --all-features
# Mesa's software driver makes subgroups of 8 by default, of 4 and 16 by these; others ignore it.
for width in 128 512; do
    cache "$width"
    LP_NATIVE_VECTOR_WIDTH=$width cargo test --all-features --test tridiagonal all_algorithms_unchecked
done
