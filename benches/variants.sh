#!/usr/bin/env bash
# Measures the variants of the triangular solve that J. D. Hogg's paper compares, into one CSV, and fits its model:
#
#   benches/variants.sh [--quick] [PROGRAM] [FOLDER]
#
# --quick  small sizes, without the model: for software Vulkan
# PROGRAM  the program `trisolve`   (target/release/trisolve)
# FOLDER   where triangular-variants.csv and triangular-model-f32.svg and so on go (benches/results)
#
# `cargo run --example figures` draws the CSV.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
quick=
if [ "${1:-}" = --quick ]; then
    quick=1
    shift
fi
program=${1:-$root/target/release/trisolve}
folder=${2:-$root/benches/results}
command -v "$program" >/dev/null || {
    echo "variants.sh: no program $program: cargo build --release" >&2
    exit 2
}
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

measure() {
    local part=$1
    shift
    "$program" bench triangular --diag unit --untuned --warm-up 0.1 ${quick:+--runs 3} "$@" --csv "$work/$part.csv"
}
if [ -n "$quick" ]; then
    rows=(64 256)
else
    rows=(64 96 128 192 256 384 512 768 1024 1536 2048 3072 4096 6144 8192 12288 16384 23000 32000)
fi
large=block=64,threads=256
never=invert_from=1048576
measure 1-caching --rows "${rows[@]}" --algorithm chained \
    --policy $large,precache=0,$never $large,precache=1,$never $large,precache=2,$never
measure 2-inverting --rows "${rows[@]}" --algorithm chained \
    --policy $large,invert_from=4 $large,invert_from=1 block=32,threads=128,invert_from=1
measure 3-launches --rows "${rows[@]}" --algorithm launch-synced --policy $large
measure 4-single --rows 32 64 96 128 --precision f32 f64 --algorithm single \
    --policy groups=1 groups=4,run=1 groups=4,run=4 groups=4,precache=1
{
    head -n 1 "$work/1-caching.csv"
    for part in "$work"/*.csv; do tail -n +2 "$part"; done
} >"$folder/triangular-variants.csv"
[ -z "$quick" ] || exit 0
for precision in f32 f64; do
    "$program" model triangular --precision $precision --plot "$folder/triangular-model-$precision.svg" \
        --csv "$folder/triangular-model-$precision.csv"
done
