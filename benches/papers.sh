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
# --bin DIR  take the programs `trisolve` and `figures` (p-scheme: also `dpcm_decode`) from DIR; by default cargo builds them
# --out DIR  where the CSVs and SVGs go (benches/results/papers/NAME/ADAPTER)
#
# COMMIT names the commit where the folder has no repository. `benches/paper_pages.py` puts the results into docs/papers.
# With nvcc, whole runs of tpr also measure cuSPARSE, and those of trsv cuBLAS.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/.." && pwd)
fail() {
    echo "papers.sh: $1" >&2
    exit 2
}

name=
quick=
bin=
out=
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=1 ;;
    --bin | --out)
        [ $# -gt 1 ] || fail "$1: a folder is missing"
        if [ "$1" = --bin ]; then bin=$2; else out=$2; fi
        shift
        ;;
    -h | --help)
        sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    tpr | course | p-scheme | trsv | hisa | all) name=$1 ;;
    *) fail "$1: should be a paper (tpr, course, p-scheme, trsv, hisa, all) or an option; see --help" ;;
    esac
    shift
done
[ -n "$name" ] || fail "which paper? tpr, course, p-scheme, trsv, hisa or all; see --help"
if [ -z "$bin" ]; then
    (cd "$root" && cargo build --release --package trisolve-cli && cargo build --release --example figures --example dpcm_decode)
    bin=$(mktemp -d)
    trap 'rm -rf "$bin"' EXIT
    ln -s "$root/target/release/trisolve" "$root/target/release/examples/"{figures,dpcm_decode} "$bin"
fi
bin=$(cd "$bin" && pwd)
for program in trisolve figures; do
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
mkdir -p "$out"
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
        fail "$what failed; its output is in $log"
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
has_peers() {
    [ -z "$quick" ] && { command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; }
}

case $name in
tpr)
    step "table 1: steps, operations, bytes, dispatches" "$trisolve" methods --rows 128 1024 2^14 2^19
    largest=$(either 2^13 2^19)
    step "tables 6 to 8, figure 14: accuracy" "$trisolve" accuracy --largest "$largest" --csv "$out/accuracy.csv"
    step "figure 14" "$trisolve" accuracy --table figure-14 --largest "$largest" --csv "$out/figure-14.csv"
    tail -n +2 "$out/figure-14.csv" >>"$out/accuracy.csv"
    rm "$out/figure-14.csv"
    algorithms=(auto tpr wang-mou partition thomas cr pcr cr-pcr)
    if has_peers; then
        step "figures 12, 13, 15, 16, with cuSPARSE" "$here/peers/compare.sh" --paper --warm-up 0.1 "$trisolve" "$out/paper.csv"
    else
        read -ra rows <<<"$(either '2^7 2^10 2^13' '2^7 2^8 2^9 2^10 2^11 2^12 2^13 2^14 2^15 2^16 2^17 2^18 2^19')"
        read -ra precisions <<<"$(either f32 'f32 f64')"
        read -ra batches <<<"$(either '1 8' '1 8 64')"
        step "figures 12, 13, 15, 16" bench tridiagonal --algorithm "${algorithms[@]}" --stability fastest stable \
            --precision "${precisions[@]}" --batch "${batches[@]}" --rows "${rows[@]}" --csv "$out/paper.csv"
    fi
    ;;
course)
    # Thomas solves a system by one thread, which takes seconds for a long one. Therefore few systems end at 16384 rows.
    sizes=('1 32 64 128 256 512 1023 1024 2048 4096 16384' '64 32 128 512 1023 1024 4096 16384' '4096 32 128 512 1023 1024 4096')
    [ -z "$quick" ] || sizes=('1 32 128 512 1023' '64 32 128 512')
    for size in "${sizes[@]}"; do
        read -r batch rows <<<"$size"
        layouts=(contiguous interleaved)
        [ "$batch" != 1 ] || layouts=(contiguous)
        # shellcheck disable=SC2086 # the rows are words
        step "Thomas, CR and PCR over n, systems: $batch" bench tridiagonal --algorithm thomas cr pcr --precision f32 \
            --layout "${layouts[@]}" --batch "$batch" --rows $rows --csv "$out/course-$batch.csv"
    done
    {
        head -n 1 "$out/course-1.csv"
        for part in "$out"/course-*.csv; do tail -n +2 "$part"; done
    } >"$out/course.csv"
    rm "$out"/course-*.csv
    ;;
p-scheme)
    [ -x "$bin/dpcm_decode" ] || fail "$bin has no program dpcm_decode"
    read -ra rows <<<"$(either '2^14 2^16' '2^14 2^16 2^18 1000000')"
    step "figure 1" "$trisolve" bench p-scheme --host --rows "${rows[@]}" --warm-up 0.1 --runs 3 --csv "$out/host.csv"
    read -ra rows <<<"$(either 2^14 '2^18 1000000')"
    read -ra groups <<<"$(either '4 16 64' '16 32 64 128')"
    read -ra threads <<<"$(either '32 64' '16 32 64 128 256 512')"
    # Hundreds of policies run one after the other, so that the device stays warm.
    measuring=(--warm-up "$(either 0 0.02)" --runs "$(either 3 15)")
    step "figures 2 to 7, table I" "$trisolve" bench p-scheme --rows "${rows[@]}" --groups "${groups[@]}" \
        --threads "${threads[@]}" "${measuring[@]}" --csv "$out/p-scheme.csv"
    read -ra groups <<<"$(either '64 256' '64 256 1024 4096')"
    read -ra threads <<<"$(either '32 64' '32 64 128')"
    step "the same, propagated over groups of chunks" "$trisolve" bench p-scheme --grouped --rows "${rows[@]}" \
        --groups "${groups[@]}" --threads "${threads[@]}" "${measuring[@]}" --csv "$out/p-scheme-grouped.csv"
    rm -f "$out/tuned.json"
    step "the policy: measured choices" "$trisolve" tune p-scheme --precision f32 --output "$out/tuned.json"
    read -ra rows <<<"$(either '2^14 2^16' '2^14 2^16 2^18 2^20')"
    step "other algorithms for the same recurrences" bench recurrence --algorithm p-scheme three-launch one-pass \
        --coefficients both case-m case-h --rows "${rows[@]}" --csv "$out/recurrence.csv"
    step "the next step: Moebius recurrences" bench recurrence --moebius --rows "${rows[@]}" --csv "$out/moebius.csv"
    # One thread takes seconds for a long system.
    step "the next step: Thomas's method, one thread" bench tridiagonal --algorithm thomas --precision f32 \
        --rows 2^14 2^16 --csv "$out/thomas.csv"
    step "the next step: Thomas's method, three recurrences" bench tridiagonal --algorithm scan partition --precision f32 \
        --rows "${rows[@]}" --csv "$out/scan.csv"
    tail -n +2 "$out/scan.csv" >>"$out/thomas.csv"
    rm "$out/scan.csv"
    step "an application: DPCM" "$bin/dpcm_decode" "$out/dpcm.png" "$out/dpcm.csv"
    ;;
trsv)
    if [ -n "$quick" ]; then
        step "figures 6 and 7, table 2.2" "$here/variants.sh" --quick "$trisolve" "$out"
    else
        step "figures 6 to 8, table 2.2" "$here/variants.sh" "$trisolve" "$out"
    fi
    if has_peers; then
        step "figures 10, 11, 13 to 15, with cuBLAS" "$here/peers/compare.sh" --triangular --warm-up 0.4 "$trisolve" \
            "$out/triangular.csv"
    fi
    ;;
hisa)
    if [ -n "$quick" ]; then
        step "tables 6, 9 and 11" "$here/gas.sh" --quick quick "$trisolve" "$out"
    elif [ "$(of_adapter kind)" = Cpu ]; then
        step "tables 6, 9 and 11" "$here/gas.sh" --brief brief "$trisolve" "$out"
    else
        step "tables 6, 9 and 11" "$here/gas.sh" device "$trisolve" "$out"
    fi
    ;;
esac
# The tables of hisa need the CSVs of a GPU and of a CPU: gas_tables.py makes them.
[ "$name" = hisa ] || step "pictures" "$bin/figures" "$out"
echo "written to $out"
