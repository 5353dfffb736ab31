#!/usr/bin/env bash
# Runs all tests; those of the kernels on every subgroup size that software Vulkan offers.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/setup.sh"
cd "$root"

# Not what this machine's user has tuned.
export TRISOLVE_TUNING=

# Mesa's shader cache does not tell the widths below apart: code made for one would run, and
# answer wrongly, in another. So each gets a cache of its own.
cache() {
    export XDG_CACHE_HOME="$root/target/mesa-$1"
    mkdir -p "$XDG_CACHE_HOME"
}

# Mesa's software driver makes subgroups of 8 by default, of 4 and 16 by these; others ignore it.
other_widths() {
    for width in 128 512; do
        cache "$width"
        echo "LP_NATIVE_VECTOR_WIDTH=$width:"
        LP_NATIVE_VECTOR_WIDTH=$width cargo test --all-features --test tridiagonal -- all_algorithms_unchecked three_scans
        LP_NATIVE_VECTOR_WIDTH=$width cargo test --all-features --test recurrence -- f32_checked f64_both one_pass
        LP_NATIVE_VECTOR_WIDTH=$width cargo test --all-features --test moebius --test filter -- f32_checked
        LP_NATIVE_VECTOR_WIDTH=$width cargo test --all-features --test triangular -- chained
    done
}

# The driver compiles kernels one at a time, which leaves processors to another process.
cargo test --all-features --no-run
log=$(mktemp)
other_widths >"$log" 2>&1 &
others=$!
trap 'kill $others 2>/dev/null || true; rm -f "$log"' EXIT
cache default
passed=true
cargo test --all-features || passed=false
wait $others || passed=false
cat "$log"
$passed
