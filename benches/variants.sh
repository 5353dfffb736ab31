#!/usr/bin/env bash
# Measures the variants of the triangular solve that J. D. Hogg's paper compares, into CSVs, and fits its model:
#
#   benches/variants.sh [--quick] [PROGRAM] [FOLDER]
#
# --quick  small sizes and few runs: for software Vulkan
# PROGRAM  the program `trisolve`   (target/release/trisolve)
# FOLDER   where triangular-variants.csv, triangular-launches.csv, triangular-model-f32.svg and so on go
#          (benches/results/papers/trsv)
#
# `cargo run --example figures` draws the CSVs. benches/papers.sh trsv calls this script.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
quick=
if [ "${1:-}" = --quick ]; then
    quick=1
    shift
fi
program=${1:-$root/target/release/trisolve}
folder=${2:-$root/benches/results/papers/trsv}
command -v "$program" >/dev/null || {
    echo "variants.sh: no program $program: cargo build --release" >&2
    exit 2
}
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -n "$quick" ]; then
    rows=64,256,1024
    runs=3
    warm_up=0
    step_rows=256,512,1024
    model_rows=(--rows 64,96,128,192,256,384,512,768,1024,1536)
else
    rows=64,96,128,192,256,384,512,768,1024,1536,2048,3072,4096,6144,8192,12288,16384,23000,32000
    runs=15
    warm_up=0.1
    step_rows=128,256,512,1024,2048,4096,8192,16384
    model_rows=()
fi
parts=0
# measure ARGUMENTS...: one more part.
measure() {
    parts=$((parts + 1))
    "$program" bench triangular --diag unit --untuned --warm-up $warm_up --runs $runs "$@" \
        --csv "$work/$(printf %02d $parts).csv"
}
# joined FILE: joins the parts so far into FILE, and deletes them.
joined() {
    {
        head -qn 1 "$work"/*.csv | head -n 1
        for part in "$work"/*.csv; do tail -n +2 "$part"; done
    } >"$folder/$1"
    rm "$work"/*.csv
    parts=0
}
block=block=64,threads=256
never=invert_from=1048576
policies=($block,precache=0,$never $block,precache=1,$never $block,precache=2,$never
    $block,invert_from=4 $block,invert_from=1 block=32,threads=128,invert_from=1)
for precision in f32 f64; do
    measure --rows $rows --precision $precision --algorithm chained "${policies[@]/#/--policy=}"
    measure --rows $rows --precision $precision --algorithm launch-synced
done
few=(measure --rows 32,64,96,128 --precision f32,f64)
"${few[@]}" --algorithm single --policy groups=1 --policy groups=4,run=1 --policy groups=4,run=4 --policy groups=4,precache=1 \
    --policy groups=8,precache=1
"${few[@]}" --algorithm chained --policy block=32,threads=128
joined triangular-variants.csv

# A step solves `rows` block rows of `block` rows: their product is the paper's nb.
steps=()
for rows_each in 1 2 4 8 16; do
    steps+=(block=32,threads=128,rows=$rows_each block=64,threads=256,rows=$rows_each)
done
measure --rows $step_rows --precision f32,f64 --algorithm launch-synced "${steps[@]/#/--policy=}"
joined triangular-launches.csv

for precision in f32 f64; do
    "$program" model triangular --precision $precision "${model_rows[@]}" --plot "$folder/triangular-model-$precision.svg" \
        --csv "$folder/triangular-model-$precision.csv"
done
