#!/usr/bin/env bash
# Solves the ten cases of Li, Yang and Li (IEEE TPDS 2016) by every method, for their tables 6, 9 and 11:
#
#   benches/gas.sh [--brief] NAME [PROGRAM] [FOLDER]
#
# --brief  f64 without preconditioners alone, up to 10^6 rows: for processors
# NAME     of what it runs on; the results go to FOLDER/gas-NAME.csv
# PROGRAM  the program `trisolve`   (target/release/trisolve)
# FOLDER   benches/results
#
# `benches/gas_tables.py` makes the tables of what several machines gave.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
brief=
if [ "${1:-}" = --brief ]; then
    brief=1
    shift
fi
name=${1:?"gas.sh: a name for what it runs on, see the top of this file"}
program=${2:-$root/target/release/trisolve}
folder=${3:-$root/benches/results}
command -v "$program" >/dev/null || {
    echo "gas.sh: no program $program: cargo build --release" >&2
    exit 2
}
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

measure() {
    local part=$1
    shift
    "$program" bench quasi "$@" --csv "$work/$part.csv"
}
small=(gas2000 gas10000a gas10000b gas100000a gas100000b gas1000000a gas1000000b)
large=(gas10000000a gas10000000b gas10000000c)
methods=(hisa bhisa jacobi gauss-seidel gmres bicg bicgstab tfqmr bicrstab)
# The paper's blocks, and the default ones.
blocks=(--policy block=64,rows=4 block=256,rows=4)
if [ -n "$brief" ]; then
    common=(--preconditioner none --precision f64 --warm-up 0)
    measure 1-small --system "${small[@]}" --algorithm "${methods[@]}" "${common[@]}" "${blocks[@]}" --runs 2
else
    measure 1-small --system "${small[@]}" --algorithm "${methods[@]}" --preconditioner none jacobi tridiagonal \
        --precision f32 f64 mixed "${blocks[@]}" --runs 3 --warm-up 0.1 --lu 10000
    measure 2-large --system "${large[@]}" --algorithm "${methods[@]}" --preconditioner none --precision f64 \
        "${blocks[@]}" --runs 3
fi
{
    head -n 1 "$work/1-small.csv"
    for part in "$work"/*.csv; do tail -n +2 "$part"; done
} >"$folder/gas-$name.csv"
