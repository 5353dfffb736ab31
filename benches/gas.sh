#!/usr/bin/env bash
# Solves the ten cases of Li, Yang and Li (IEEE TPDS 2016) by every method, for their tables 6, 9 and 11:
#
#   benches/gas.sh [--brief | --quick] NAME [PROGRAM] [FOLDER]
#
# --brief  f64 without preconditioners alone, up to 10^6 rows: for processors
# --quick  as --brief, up to 10^4 rows: for software Vulkan
# NAME     of what it runs on; the results go to FOLDER/gas-NAME.csv
# PROGRAM  the program `trisolve`   (target/release/trisolve)
# FOLDER   benches/results
#
# `benches/gas_tables.py` makes the tables of what several machines gave.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
brief=
quick=
case ${1:-} in
--brief | --quick)
    brief=1
    [ "$1" = --brief ] || quick=1
    shift
    ;;
esac
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
[ -z "$quick" ] || small=(gas2000 gas10000a gas10000b)
large=(gas10000000a gas10000000b gas10000000c)
methods=(hisa jacobi gauss-seidel gmres bicg bicgstab tfqmr bicrstab)
# The paper's blocks, and the default ones.
blocks=(--algorithm bhisa --policy block=64,rows=4 block=256,rows=4)
if [ -n "$brief" ]; then
    common=(--system "${small[@]}" --preconditioner none --precision f64 --warm-up 0 --runs 2)
    measure 1-small --algorithm "${methods[@]}" "${common[@]}"
    measure 2-small-blocks "${blocks[@]}" "${common[@]}"
else
    common=(--system "${small[@]}" --precision f32 f64 mixed --runs 3 --warm-up 0.1)
    measure 1-small --algorithm "${methods[@]}" --preconditioner none jacobi tridiagonal --lu 10000 "${common[@]}"
    measure 2-small-blocks "${blocks[@]}" "${common[@]}"
    common=(--system "${large[@]}" --preconditioner none --precision f64 --runs 3)
    measure 3-large --algorithm "${methods[@]}" "${common[@]}"
    measure 4-large-blocks "${blocks[@]}" "${common[@]}"
fi
{
    head -n 1 "$work/1-small.csv"
    for part in "$work"/*.csv; do tail -n +2 "$part"; done
} >"$folder/gas-$name.csv"
