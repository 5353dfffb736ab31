#!/usr/bin/env bash
# Runs trisolve's benchmark and cuSPARSE's (cusparse.cu), CUB's (cub.cu), cuBLAS's (cublas.cu) or CuPy's (cupy_solvers.py, cupy_filter.py)
# on the same cases in one go,
# and joins them into one CSV and one Markdown table, which is also printed.
#
#   benches/peers/compare.sh [--all | --sweep | --paper | --interleaved | --shapes | --pivoting | --recurrence | --filter | --recurrence-shapes | --filter-shapes | --triangular | --quasi] [--runs N] [--warm-up SECONDS] [PROGRAM] [CSV]
#
# PROGRAM  the program `trisolve`            (target/release/trisolve)
# CSV      the joined CSV; the table goes beside it as .md
#                                            (benches/results/tridiagonal.csv)
# --all    every table below but --paper and --quasi, one after the other; CSV is then a folder
#                                            (benches/results)
# --sweep  one f32 system of 2^10 to 2^27 rows instead of the table's cases
#                                            (benches/results/tridiagonal-sweep.csv)
# --paper  the comparison in the TPR paper's figures 12, 13, 15 and 16: (-1 2 -1), 128 to 524288 rows, 1, 8 and
#          64 systems, f32 and f64, several algorithms, Thomas up to 16384 rows (benches/results/paper.csv)
# --interleaved  interleaved batches, by auto and by the partition; one in f64, one of random entries, by auto and by pivoting
#          (benches/results/interleaved.csv)
# --shapes  2^24 rows in all as 2 to 2^20 rows per system, contiguous and interleaved, without a peer
#          (benches/results/shapes.csv)
# --recurrence-shapes, --filter-shapes  as --shapes, for recurrences and for filters of order 4
# --pivoting  auto and pivoting on dominant systems, constant coefficients, matrices that are factored before, beside
#          gtsv2, which pivots (benches/results/pivoting.csv)
# --recurrence  linear recurrences, beside CUB's scan, and Moebius recurrences (benches/results/recurrence.csv)
# --filter  IIR filters, beside CuPy's lfilter (benches/results/filter.csv)
# --triangular  dense triangular systems, beside cuBLAS's trsv and trsmBatched (benches/results/triangular.csv)
# --quasi  quasi-tridiagonal systems, beside CuPy's iterative solvers (benches/results/quasi-tridiagonal.csv)
#
# `benches/pages.py` puts the figures into README.md and docs/guide; `cargo run --example figures` draws what the two have measured.
#
# Without nvcc, or where the peer does not build or run, the table has trisolve alone.
# NVCCFLAGS is passed to nvcc, for a cuSPARSE in an unusual place.
set -euo pipefail

fail() {
    echo "compare.sh: $1" >&2
    exit 2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cases_of=tridiagonal
common=()
words=()
while [ $# -gt 0 ]; do
    case $1 in
    --all) cases_of=all ;;
    --sweep) cases_of=tridiagonal-sweep ;;
    --paper) cases_of=paper ;;
    --interleaved) cases_of=interleaved ;;
    --shapes) cases_of=shapes ;;
    --pivoting) cases_of=pivoting ;;
    --recurrence) cases_of=recurrence ;;
    --filter) cases_of=filter ;;
    --recurrence-shapes) cases_of=recurrence-shapes ;;
    --filter-shapes) cases_of=filter-shapes ;;
    --triangular) cases_of=triangular ;;
    --quasi) cases_of=quasi-tridiagonal ;;
    --runs | --warm-up)
        [ $# -gt 1 ] || fail "$1: a value is missing"
        common+=("$1" "$2")
        shift
        ;;
    -h | --help)
        sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    -*) fail "no option $1" ;;
    *) words+=("$1") ;;
    esac
    shift
done
[ ${#words[@]} -le 2 ] || fail "two arguments at most: PROGRAM and CSV"
program=${words[0]:-$root/target/release/trisolve}
csv=${words[1]:-$root/benches/results/$cases_of.csv}

if [ "$cases_of" = all ]; then
    folder=${words[1]:-$root/benches/results}
    failed=()
    for mode in "" --interleaved --pivoting --recurrence --filter --triangular --shapes --recurrence-shapes --filter-shapes --sweep; do
        name=${mode#--}
        case $mode in
        "") name=tridiagonal ;;
        --sweep) name=tridiagonal-sweep ;;
        esac
        "$0" ${mode:+"$mode"} ${common[@]+"${common[@]}"} "$program" "$folder/$name.csv" || failed+=("$name")
    done
    [ ${#failed[@]} -eq 0 ] || fail "not measured, see above: ${failed[*]}"
    exit
fi

command -v python3 >/dev/null || fail "python3 is needed to join the results"
command -v "$program" >/dev/null || fail "no program $program: cargo build --release"
mkdir -p "$(dirname "$csv")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ours NAME ARGUMENTS...: one call, one CSV.
family=tridiagonal
peer=cusparse
flags=-lcusparse
peer_options=()
ours() {
    local part=$1
    shift
    "$program" bench "$family" "$@" ${common[@]+"${common[@]}"} --csv "$work/ours-$part.csv" >&2
}

cases=()
case $cases_of in
tridiagonal-sweep)
    rows=()
    for power in {10..27}; do
        rows+=("2^$power")
        for function in gtsv2 gtsv2_nopivot; do
            cases+=(--case "$function" f32 contiguous "2^$power" 1)
        done
    done
    ours sweep --precision f32 --layout contiguous --batch 1 "${rows[@]/#/--rows=}"
    ;;
paper)
    rows=()
    for power in {7..19}; do
        rows+=("2^$power")
        for precision in f32 f64; do
            for function in gtsv2 gtsv2_nopivot; do
                cases+=(--case "$function" "$precision" contiguous "2^$power" 1)
            done
            for batch in 8 64; do
                cases+=(--case gtsv2StridedBatch "$precision" contiguous "2^$power" "$batch")
            done
        done
    done
    peer_options=(--entries poisson)
    systems=(--entries poisson --precision f32,f64 --batch 1,8,64)
    ours 1-auto --algorithm auto "${systems[@]}" "${rows[@]/#/--rows=}"
    ours 2-tpr --algorithm tpr --stability fastest,stable "${systems[@]}" "${rows[@]/#/--rows=}"
    ours 3-others --algorithm wang-mou,partition,cr,pcr,cr-pcr "${systems[@]}" "${rows[@]/#/--rows=}"
    # One thread per system takes long for many rows.
    ours 4-thomas --algorithm thomas "${systems[@]}" --rows 2^7,2^8,2^9,2^10,2^11,2^12,2^13,2^14
    ;;
interleaved)
    for size in "33 100000" "64 65536" "100 100000" "256 65536" "365 50000" "1000 10000" "1024 65536" "4096 4096"; do
        read -r rows batch <<<"$size"
        cases+=(--case gtsvInterleavedBatch-thomas f32 interleaved "$rows" "$batch")
        cases+=(--case gtsvInterleavedBatch-qr f32 interleaved "$rows" "$batch")
        ours "$rows" --algorithm auto,partition --layout interleaved --rows "$rows" --batch "$batch"
    done
    cases+=(--case gtsvInterleavedBatch-thomas f64 interleaved 256 65536 --case gtsvInterleavedBatch-qr f64 interleaved 256 65536)
    ours f64 --algorithm auto,partition --layout interleaved --precision f64 --rows 256 --batch 65536
    ours random --algorithm auto,pivoting --entries random --layout interleaved --rows 1000 --batch 10000
    ;;
shapes | recurrence-shapes | filter-shapes)
    peer=
    if [ "$cases_of" != shapes ]; then family=${cases_of%-shapes}; fi
    # Half octaves, rounded.
    sizes=2,3,4,6,8,11,16,22,32,45,64,91,128,181,256,362,512,724,1024,1448,2048,2896,4096,5793,8192,11585,16384,23170,32768,46341
    sizes+=,65536,92682,131072,185364,262144,370728,524288,741455,1048576
    ours all --layout contiguous,interleaved --rows "$sizes" --total 2^24
    ;;
pivoting)
    for size in "f32 2^27" "f32 2^20" "f64 2^26" "f64 2^20"; do
        read -r precision rows <<<"$size"
        cases+=(--case gtsv2 "$precision" contiguous "$rows" 1 --case gtsv2_nopivot "$precision" contiguous "$rows" 1)
        ours "$precision-$rows" --algorithm auto,pivoting --precision "$precision" --rows "$rows"
        ours "$precision-$rows-constant" --structure constant --precision "$precision" --rows "$rows"
        ours "$precision-$rows-factored" --factored --precision "$precision" --rows "$rows"
    done
    ours symmetric --structure symmetric --rows 2^27
    cases+=(--case gtsv2StridedBatch f32 contiguous 256 65536)
    ours many --algorithm auto,pivoting --precision f32 --layout contiguous --batch 65536 --rows 256
    ;;
recurrence)
    family=recurrence
    peer=cub
    flags=
    cases=(--default)
    ours 1-one --precision f32 --rows 2^27,2^24,2^20,1024
    ours 2-constant --precision f32 --coefficients constant-s --rows 2^27
    ours 3-f64 --precision f64 --rows 2^26
    ours 4-many --precision f32 --layout contiguous,interleaved --rows 65536 --batch 1536
    ours 5-moebius --moebius --rows 2^24
    ;;
filter)
    family=filter
    peer=
    ours 1-one --rows 2^27,2^24,2^20 --algorithm auto,three-launch
    ours 2-orders --rows 2^24 --order 1,2,3
    ours 3-many --rows 65536 --batch 1024 --layout contiguous,interleaved
    ours 4-f64 --precision f64 --rows 2^24
    ours 5-cascades --rows 2^24,2^27 --sections 2,3,4
    ours 6-bank --rows 65536 --batch 256 --order 2 --bank own
    ours 7-one-signal --rows 65536 --batch 256 --order 2 --bank one
    ours 8-alike --rows 65536 --batch 256 --order 2
    ours 9-cascades-f64 --precision f64 --rows 2^24 --sections 2,4
    if ! python3 "$here/cupy_filter.py" ${common[@]+"${common[@]}"} >"$work/theirs.csv"; then
        echo "compare.sh: CuPy's lfilter did not run: trisolve alone" >&2
    fi
    ;;
triangular)
    family=triangular
    peer=cublas
    flags=-lcublas
    cases=(--default)
    for trans in n t; do
        ours "1-f32-$trans" --diag unit --uplo lower,upper --trans "$trans" --rows 256,1024,4096,16384,32000
        ours "2-f64-$trans" --diag unit --uplo lower,upper --trans "$trans" --precision f64 --rows 256,1024,4096,16384,23000
        ours "3-many-$trans" --diag unit --trans "$trans" --rows 64 --batch 8192 --columns 64
        ours "4-many-$trans" --diag unit --trans "$trans" --rows 256 --batch 2048 --columns 16
    done
    ours 5-f32-factored --diag unit --factored --rows 256,1024,4096,16384,32000
    ours 6-f64-factored --diag unit --factored --precision f64 --rows 256,1024,4096,16384,23000
    ;;
quasi-tridiagonal)
    family=quasi
    splittings=(--algorithm auto,hisa,jacobi,gauss-seidel)
    krylov=(--algorithm gmres,bicg,bicgstab,tfqmr,bicrstab --preconditioner none,tridiagonal)
    sizes=("1 100000 2" "2 1000000 1" "3 1000000 3" "4 10000000 1" "5 10000000 3")
    for size in "${sizes[@]}"; do
        read -r place rows beside <<<"$size"
        ours "$place-splittings" --rows "$rows" --beside "$beside" "${splittings[@]}" --precision f32,f64,mixed
        ours "$place-krylov" --rows "$rows" --beside "$beside" "${krylov[@]}" --precision f32,f64
    done
    if ! python3 "$here/cupy_solvers.py" ${common[@]+"${common[@]}"} >"$work/theirs.csv"; then
        echo "compare.sh: CuPy's solvers did not run: trisolve alone" >&2
    fi
    python3 "$here/join_iterations.py" --csv "$csv" "$work"/ours-*.csv "$work/theirs.csv"
    exit
    ;;
*)
    cases=(--default)
    ours 1-one --precision f32 --layout contiguous --batch 1 --rows 2^27,2^24,2^20,1024
    ours 2-many --precision f32 --layout contiguous,interleaved --batch 65536 --rows 64,256,1024
    ours 3-f64 --precision f64 --layout contiguous --batch 1 --rows 2^25
    for size in "33 100000" "17 1000000" "3000 3000"; do
        read -r rows batch <<<"$size"
        cases+=(--case gtsv2StridedBatch f32 contiguous "$rows" "$batch")
        ours "4-$rows" --precision f32 --layout contiguous --rows "$rows" --batch "$batch"
    done
    ;;
esac

nvcc=$(command -v nvcc || true)
if [ -z "$nvcc" ] && [ -x /usr/local/cuda/bin/nvcc ]; then nvcc=/usr/local/cuda/bin/nvcc; fi
# shellcheck disable=SC2086 # NVCCFLAGS and the flags are words
if [ -z "$peer" ]; then
    :
elif [ -z "$nvcc" ]; then
    echo "compare.sh: no nvcc, so no $peer: trisolve alone" >&2
elif ! "$nvcc" -O3 -std=c++17 -arch=native ${NVCCFLAGS:-} "$here/$peer.cu" $flags -o "$work/$peer" >&2; then
    echo "compare.sh: $peer.cu does not build here: trisolve alone" >&2
elif ! "$work/$peer" "${cases[@]}" ${peer_options[@]+"${peer_options[@]}"} ${common[@]+"${common[@]}"} >"$work/theirs.csv"; then
    echo "compare.sh: some of $peer's cases failed, see above; the table has the others" >&2
fi

results=("$work"/ours-*.csv)
if [ -e "$work/theirs.csv" ]; then results+=("$work/theirs.csv"); fi
python3 "$here/join.py" --csv "$csv" "${results[@]}"
