#!/usr/bin/env bash
# Measures trsv over the number of rows: trisolve, cuBLAS (with nvcc) and the host's BLAS (with a C compiler), into one CSV.
#
#   benches/peers/trsv_curves.sh [--quick] [PROGRAM] [CSV]
#
# --quick  few sizes, and no cuBLAS: for software Vulkan
# PROGRAM  the program `trisolve`   (target/release/trisolve)
# CSV      the result          (benches/results/papers/trsv/curves.csv)
#
# The host's BLAS is HOST_BLAS, a shared library with cblas_dtrsv; else an OpenBLAS or MKL that the loader knows, or the OpenBLAS of NumPy or
# SciPy. Without any, a plain substitution on one core takes its place (host_trsv.c).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=benches/csv.sh
. "$here/../csv.sh"
quick=
if [ "${1:-}" = --quick ]; then
    quick=1
    shift
fi
program=${1:-$root/target/release/trisolve}
csv=${2:-$root/benches/results/papers/trsv/curves.csv}
command -v "$program" >/dev/null || {
    echo "trsv_curves.sh: no program $program: cargo build --release" >&2
    exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -n "$quick" ]; then
    rows_f32=(16 64 256 1024)
    rows_f64=("${rows_f32[@]}")
    measuring=(--runs 3 --warm-up 0)
else
    rows_f64=(16 32 64 96 128 256 512 1024 2048 4096 8192 16384)
    rows_f32=("${rows_f64[@]}" 32000)
    rows_f64+=(23000)
    measuring=(--runs 15 --warm-up 0.3)
fi

parts=()
ours() {
    parts+=("$work/part-${#parts[@]}.csv")
    "$program" bench triangular --diag unit "${measuring[@]}" "$@" --csv "${parts[-1]}" >&2
}
for precision in f32 f64; do
    declare -n rows=rows_$precision
    for trans in n t; do
        # Where the tables know the adapter, auto is tuned.
        ours --precision $precision --trans $trans "${rows[@]/#/--rows=}"
    done
done

# peer COMMAND...: a part by a program that prints a CSV without the last column, the policy.
peer() {
    parts+=("$work/part-${#parts[@]}.csv")
    "$@" | sed 's/$/,/' >"${parts[-1]}"
}
nvcc=$(command -v nvcc || true)
if [ -z "$nvcc" ] && [ -x /usr/local/cuda/bin/nvcc ]; then nvcc=/usr/local/cuda/bin/nvcc; fi
# shellcheck disable=SC2086 # NVCCFLAGS are words
if [ -n "$quick" ] || [ -z "$nvcc" ]; then
    echo "trsv_curves.sh: without cuBLAS" >&2
elif ! "$nvcc" -O3 -std=c++17 -arch=native ${NVCCFLAGS:-} "$here/cublas.cu" -lcublas -o "$work/cublas" >&2; then
    echo "trsv_curves.sh: cublas.cu does not build here: without cuBLAS" >&2
else
    cases=()
    for precision in f32 f64; do
        for trans in N T; do
            declare -n rows=rows_$precision
            for n in "${rows[@]}"; do cases+=(--case lower "$trans" "$precision" "$n"); done
        done
    done
    peer "$work/cublas" "${cases[@]}" "${measuring[@]}"
fi

# library: the path of a shared library with a BLAS, or nothing.
library() {
    python3 - <<'END'
import ctypes.util
import glob
import importlib.util
import os

for name in ["mkl_rt", "openblas", "openblas64_"]:
    found = ctypes.util.find_library(name)
    if found:
        print(found)
        raise SystemExit
for package in ["numpy", "scipy"]:
    spec = importlib.util.find_spec(package)
    if spec and spec.origin:
        folder = os.path.dirname(os.path.dirname(spec.origin))
        for found in sorted(glob.glob(os.path.join(folder, package + ".libs", "lib*openblas*.so*"))):
            print(found)
            raise SystemExit
END
}
compiler=$(command -v cc || command -v gcc || true)
if [ -z "$compiler" ]; then
    echo "trsv_curves.sh: no C compiler: without the host's BLAS" >&2
elif ! "$compiler" -O3 -march=native "$here/host_trsv.c" -ldl -lm -o "$work/host" >&2; then
    echo "trsv_curves.sh: host_trsv.c does not build here: without the host's BLAS" >&2
else
    blas=${HOST_BLAS:-$(library)}
    for precision in f32 f64; do
        for trans in N T; do
            declare -n rows=rows_$precision
            peer "$work/host" ${blas:+--library "$blas"} "${measuring[@]:0:2}" $trans $precision "${rows[@]}"
        done
    done
fi
join_csvs "$csv" "${parts[@]}"
