#!/usr/bin/env bash
# Errors of cuSPARSE's gtsv2 and gtsv2_nopivot, and of Thomas's algorithm on the CPU, on the systems of `trisolve accuracy`: the sixteen
# matrices of the TPR paper in f32 and f64, with the same entries, and the Toeplitz matrix (-1 2 -1) in f32.
#
#   benches/peers/accuracy.sh PROGRAM CSV
#
# PROGRAM  the program `trisolve`, which writes the matrices
# CSV      the result: matrix,rows,algorithm,precision,difference_to_thomas,relative_error
#
# Needs nvcc, and a GPU for cuSPARSE. NVCCFLAGS is passed to nvcc.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -eq 2 ] || {
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
    exit 2
}
program=$1
csv=$2
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || {
    echo "accuracy.sh: no nvcc" >&2
    exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2086 # NVCCFLAGS are words
"$nvcc" -O3 -std=c++17 -arch=native ${NVCCFLAGS:-} "$here/cusparse.cu" -lcusparse -o "$work/cusparse" >&2

# The rows and the seed of `trisolve accuracy`. A matrix that is singular in this precision has no solution.
systems=()
for number in {1..16}; do
    for precision in f32 f64; do
        name=$work/$number-$precision
        system=(--system "tpr-$number" --rows 512 --seed 20260101 --precision "$precision")
        {
            "$program" generate "${system[@]}" "$name".mtx "$name"-rhs.mtx "$name"-x.mtx 2>/dev/null ||
                "$program" generate "${system[@]}" "$name".mtx "$name"-rhs.mtx 2>/dev/null
        } &
        systems+=("$number" "$precision" "$name")
    done
done
wait
arguments=()
for ((at = 0; at < ${#systems[@]}; at += 3)); do
    name=${systems[at + 2]}
    solution=-
    [ ! -s "$name"-x.mtx ] || solution=$name-x.mtx
    arguments+=(--system "${systems[at]}" "${systems[at + 1]}" "$name".mtx "$name"-rhs.mtx "$solution")
done
"$work/cusparse" --accuracy "${arguments[@]}" >"$csv"
