#!/usr/bin/env bash
# Solves the ten cases of Li, Yang and Li (IEEE TPDS 2016) by every method, for their tables 6 to 11 and figures 4 and 5:
#
#   benches/gas.sh [--brief | --quick] [PROGRAM] [FOLDER]
#
# --brief  f64 without preconditioners alone, up to 10^6 rows: for processors
# --quick  as --brief, up to 10^4 rows: for software Vulkan
# PROGRAM  the program `trisolve`   (target/release/trisolve)
# FOLDER   of the results           (.)
#
# Writes gas.csv (the device), host.csv (CPU cores), and, of whole runs, cupy.csv with CuPy and ilu.csv with nvcc. What a peer says goes to
# peers.txt. A peer that does not build or run has no file.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/.." && pwd)
size=whole
case ${1:-} in
--brief | --quick)
    size=${1#--}
    shift
    ;;
-h | --help)
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
esac
program=${1:-$root/target/release/trisolve}
folder=${2:-.}
command -v "$program" >/dev/null || {
    echo "gas.sh: no program $program: cargo build --release" >&2
    exit 2
}
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Joins the parts of a CSV.
join() {
    local parts=("$work/$1"-*.csv)
    head -n 1 "${parts[0]}"
    for part in "${parts[@]}"; do tail -n +2 "$part"; done
}
device() {
    local part=$1
    shift
    "$program" bench quasi "$@" --csv "$work/gas-$part.csv"
}
host() {
    local part=$1
    shift
    "$program" bench quasi-host "$@" --csv "$work/host-$part.csv"
}
small=(gas2000 gas10000a gas10000b gas100000a gas100000b gas1000000a gas1000000b)
[ "$size" != quick ] || small=(gas2000 gas10000a gas10000b)
large=(gas10000000a gas10000000b gas10000000c)
methods=(hisa jacobi gauss-seidel gmres bicg bicgstab tfqmr bicrstab)
# The paper's blocks, and the default ones; the paper's form, in which each thread reduces a row, with step 1 in each iteration and once.
blocks=(--algorithm bhisa --policy block=64,rows=4 block=256,rows=4 block=64,rows=1,factored=0 block=64,rows=1,factored=1)
# Algorithm 2: cyclic reduction of the whole T, through device memory.
cyclic=(--algorithm hisa --tridiagonal cr)
if [ "$size" = whole ]; then
    common=(--system "${small[@]}" --precision f64 --runs 3 --warm-up 0.1)
    device 1 --algorithm "${methods[@]}" --preconditioner none tridiagonal "${common[@]}"
    device 2 "${blocks[@]}" "${common[@]}"
    device 3 "${cyclic[@]}" "${common[@]}"
    common=(--system "${large[@]}" --preconditioner none --precision f64 --runs 3 --warm-up 0)
    device 4 --algorithm "${methods[@]}" "${common[@]}"
    device 5 "${blocks[@]}" "${common[@]}"
    device 6 "${cyclic[@]}" "${common[@]}"
    host 1 --system "${small[@]}" --lu 10000 --runs 3
    host 2 --system "${large[@]}" --runs 1
else
    common=(--system "${small[@]}" --preconditioner none --precision f64 --warm-up 0 --runs 2)
    device 1 --algorithm "${methods[@]}" "${common[@]}"
    device 2 "${blocks[@]}" "${common[@]}"
    device 3 "${cyclic[@]}" "${common[@]}"
    host 1 --system "${small[@]}" --lu 10000 --runs 3
fi
join gas >"$folder/gas.csv"
join host >"$folder/host.csv"

# peer NAME COMMAND...: its CSV, or a word why there is none.
peer() {
    local name=$1
    shift
    "$@" >"$work/$name.csv" 2>>"$folder/peers.txt" || echo "gas.sh: $name failed, at least in part: see peers.txt" >&2
    if [ "$(wc -l <"$work/$name.csv")" -gt 1 ]; then mv "$work/$name.csv" "$folder/$name.csv"; fi
}
if [ "$size" = whole ]; then
    : >"$folder/peers.txt"
    nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
    has_cupy=
    ! python3 -c 'import cupy; cupy.cuda.runtime.getDeviceCount()' 2>>"$folder/peers.txt" || has_cupy=1
    has_ilu=
    if [ -x "$nvcc" ]; then
        # shellcheck disable=SC2086 # NVCCFLAGS are words
        ! "$nvcc" -O3 -std=c++17 -arch=native ${NVCCFLAGS:-} "$here/peers/ilu.cu" -lcusparse -lcublas -o "$work/ilu" \
            2>>"$folder/peers.txt" || has_ilu=1
    fi
    files=()
    if [ -n "$has_cupy$has_ilu" ]; then
        for system in "${small[@]}" "${large[@]}"; do
            "$program" generate --system "$system" --binary "$work/$system.matrix" "$work/$system.rhs"
            files+=(--file "${system/gas/Gas}" "$work/$system.matrix" "$work/$system.rhs")
        done
    fi
    [ -z "$has_cupy" ] || peer cupy python3 "$here/peers/cupy_solvers.py" --runs 3 --warm-up 0.1 "${files[@]}"
    [ -z "$has_ilu" ] || peer ilu "$work/ilu" --runs 3 --warm-up 0.1 --limit 10 "${files[@]}"
fi
