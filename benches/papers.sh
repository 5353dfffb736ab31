#!/usr/bin/env bash
# Repeats the measurements of a paper on this machine, and draws its figures:
#
#   benches/papers.sh NAME [--quick] [--bin DIR] [--out DIR]
#
# NAME       tpr       tree partitioning reduction (Diéguez, Amor and Doallo 2019)
#            course    Thomas, cyclic reduction and its parallel form (the course project)
#            p-scheme  linear recurrences (Wakatani 2013)
#            trsv      dense triangular solves (Hogg 2013)
#            hisa      quasi-tridiagonal systems (Li, Yang and Li 2016)
#            all       one after the other
# --quick    small sizes and few runs: within ten minutes on software Vulkan
# --bin DIR  take the programs from DIR or DIR/examples: `trisolve` and the examples `figures`, `heat_plate` (course), `dpcm_decode` (p-scheme) and
#            `kernel_statistics` (tpr); by default cargo builds them
# --out DIR  where the CSVs and SVGs go (benches/results/papers/NAME/ADAPTER)
#
# about.csv names the adapter, the date and the commit: COMMIT, or else that of the Git repository. `benches/pages.py` puts the results
# into docs/papers.
# With nvcc, whole runs of tpr and hisa also measure cuSPARSE, and those of trsv cuBLAS; with CuPy, those of hisa its solvers; with a C
# compiler, those of trsv the BLAS of the host.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/.." && pwd)
# shellcheck source=benches/csv.sh
. "$here/csv.sh"
fail() {
    echo "papers.sh: $1" >&2
    exit 2
}

name=
quick=
bin=
out=
built=
results=
# The results of a run that failed or was interrupted are kept apart.
ended() {
    [ -z "$built" ] || rm -rf "$built"
    [ -n "$results" ] || return 0
    rm -rf "$results/partial"
    [ ! -d "$out" ] || mv "$out" "$results/partial"
}
trap ended EXIT
trap 'echo "papers.sh: interrupted; the results until then are in $results/partial" >&2; exit 130' INT TERM
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=1 ;;
    --bin | --out)
        [ -n "${2:-}" ] || fail "$1: a folder is missing"
        if [ "$1" = --bin ]; then bin=$2; else out=$2; fi
        shift
        ;;
    -h | --help)
        sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    tpr | course | p-scheme | trsv | hisa | all)
        [ -z "$name" ] || fail "$name and $1: name one paper, or all"
        name=$1
        ;;
    *) fail "$1: should be a paper (tpr, course, p-scheme, trsv, hisa, all) or an option; see --help" ;;
    esac
    shift
done
[ -n "$name" ] || fail "which paper? tpr, course, p-scheme, trsv, hisa or all; see --help"
# The examples that this paper runs.
case $name in
course) examples=(figures heat_plate) ;;
p-scheme) examples=(figures dpcm_decode) ;;
tpr) examples=(figures kernel_statistics) ;;
all) examples=(figures heat_plate dpcm_decode kernel_statistics) ;;
*) examples=(figures) ;;
esac
if [ -z "$bin" ]; then
    (cd "$root" && cargo build --release --package trisolve-cli &&
        cargo build --release --package trisolve --package trisolve-lab "${examples[@]/#/--example=}")
    bin=$root/target/release
fi
[ -d "$bin" ] || fail "--bin $bin: no such folder"
bin=$(cd "$bin" && pwd)
if [ -d "$bin/examples" ]; then
    # As cargo builds: all programs in one folder.
    built=$(mktemp -d)
    ln -s "$bin/trisolve" "${examples[@]/#/$bin/examples/}" "$built"
    bin=$built
fi
for program in trisolve "${examples[@]}"; do
    [ -x "$bin/$program" ] || fail "$bin has no program $program"
done
trisolve=$bin/trisolve
if [ "$name" = all ]; then
    for one in tpr course p-scheme trsv hisa; do
        "${BASH_SOURCE[0]}" "$one" ${quick:+--quick} --bin "$bin" ${out:+--out "$out/$one"}
    done
    exit
fi
# of_adapter FIELD: of the first adapter, which the programs take.
of_adapter() {
    "$trisolve" devices --json | grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4
}
adapter=$(of_adapter name) || true
[ -n "$adapter" ] || fail "no adapter: see trisolve devices"
if [ -z "$out" ]; then
    # llvmpipe names its LLVM version in brackets.
    folder=$(tr 'A-Z ' 'a-z-' <<<"${adapter%% (*}")
    out=$here/results/papers/$name/$folder
fi
mkdir -p "$out" 2>/dev/null || fail "--out $out: cannot be made"
# The folder gets the results when all are there.
results=$(cd "$out" && pwd)
out=$(mktemp -d)
commit=${COMMIT:-$(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo unknown)}
{
    echo "adapter,driver,date,commit,run"
    echo "\"$adapter\",\"$(of_adapter driver)\",$(date +%F),$commit,$(if [ -n "$quick" ]; then echo quick; else echo whole; fi)"
} >"$out/about.csv"

# step WHAT COMMAND...: says what runs, and how long it took; its table goes to the log.
log=$out/log.txt
: >"$log"
steps=0
step() {
    local what=$1 start=$SECONDS
    shift
    steps=$((steps + 1))
    echo "[$steps] $what" | tee -a "$log"
    "$@" >>"$log" 2>"$out/errors.txt" || {
        cat "$out/errors.txt" >&2
        fail "$what failed; its output is in $results/partial/log.txt"
    }
    rm -f "$out/errors.txt"
    echo "    $((SECONDS - start)) s"
}
# What a quick run takes in place of the whole one.
either() {
    if [ -n "$quick" ]; then echo "$1"; else echo "$2"; fi
}
bench() {
    "$trisolve" bench "$@" --warm-up "$(either 0 0.1)" --runs "$(either 3 15)"
}
# part WHAT COMMAND...: a step whose CSV is a part of a larger one.
parts=()
part() {
    parts+=("$out/part-${#parts[@]}.csv")
    step "$@" --csv "${parts[-1]}"
}
# join_parts FILE: joins the parts so far into FILE.
join_parts() {
    join_csvs "$out/$1" "${parts[@]}"
    parts=()
}
has_peers() {
    [ -z "$quick" ] && { command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; }
}

# shellcheck source=/dev/null
. "$here/papers/$name.sh"
step "pictures" "$bin/figures" "$out"
cp "$out"/* "$results"
rm -r "$out"
echo "written to $results"
