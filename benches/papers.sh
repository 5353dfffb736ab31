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
# --bin DIR  take the programs from DIR: `trisolve`, `figures`; for course `heat_plate`; for tpr `kernel_statistics`, if it is there;
#            by default cargo builds them
# --out DIR  where the CSVs and SVGs go (benches/results/papers/NAME/ADAPTER)
#
# COMMIT names the commit where the folder has no repository. `benches/paper_pages.py` puts the results into docs/papers.
# With nvcc, whole runs of tpr and hisa also measure cuSPARSE, and those of trsv cuBLAS; with CuPy, those of hisa its solvers; with a C
# compiler, those of trsv the BLAS of the host.
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
    programs=(figures heat_plate dpcm_decode kernel_statistics)
    (cd "$root" && cargo build --release --package trisolve-cli &&
        cargo build --release --package trisolve --package trisolve-lab "${programs[@]/#/--example=}")
    bin=$(mktemp -d)
    trap 'rm -rf "$bin"' EXIT
    ln -s "$root/target/release/trisolve" "${programs[@]/#/$root/target/release/examples/}" "$bin"
fi
bin=$(cd "$bin" && pwd)
programs=(trisolve figures)
case $name in course | all) programs+=(heat_plate) ;; esac
for program in "${programs[@]}"; do
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
# joined OUT PARTS...: the CSVs PARTS as one, instead of them.
joined() {
    head -n 1 "$2" >"$1"
    for part in "${@:2}"; do tail -n +2 "$part" >>"$1"; done
    rm "${@:2}"
}
has_peers() {
    [ -z "$quick" ] && { command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; }
}

# traces ROWS: the chained solve's, in both precisions.
traces() {
    local precision
    for precision in f32 f64; do
        "$trisolve" trace triangular --rows "$1" --precision "$precision" --csv "$out/trace-$precision.csv"
    done
    {
        cat "$out/trace-f32.csv"
        tail -n +2 "$out/trace-f64.csv"
    } >"$out/trace.csv"
    rm "$out"/trace-f*.csv
}
# swept OPTION VALUES ARGUMENTS...: triangular systems for each value of an option, which is the first column of OPTION.csv.
swept() {
    local option=$1 value head=
    for value in $2; do
        bench triangular --diag unit --untuned --algorithm chained launch-synced "--$option" "$value" "${@:3}" --csv "$out/one.csv"
        [ -n "$head" ] || sed "1s/^/$option,/;q" "$out/one.csv" >"$out/$option.csv"
        head=1
        tail -n +2 "$out/one.csv" | sed "s/^/$value,/" >>"$out/$option.csv"
    done
    rm "$out/one.csv"
}

case $name in
tpr)
    methods() {
        "$trisolve" methods --json --rows 128 1024 2^14 2^19 >"$out/methods.json"
    }
    step "table 1: steps, operations, bytes, dispatches" methods
    largest=$(either 2^13 2^19)
    step "tables 6 to 8: accuracy" "$trisolve" accuracy --largest "$largest" --csv "$out/accuracy-1.csv"
    step "figure 14" "$trisolve" accuracy --table figure-14 --largest "$largest" --csv "$out/accuracy-2.csv"
    joined "$out/accuracy.csv" "$out"/accuracy-[12].csv
    if has_peers; then
        step "tables 6 to 8: cuSPARSE's accuracy" "$here/peers/accuracy.sh" "$trisolve" "$out/accuracy-cusparse.csv"
    fi
    # The paper's matrix is (-1 2 -1).
    read -ra rows <<<"$(either '2^7 2^10 2^13' '2^7 2^8 2^9 2^10 2^11 2^12 2^13 2^14 2^15 2^16 2^17 2^18 2^19')"
    read -ra precisions <<<"$(either f32 'f32 f64')"
    read -ra batches <<<"$(either '1 8' '1 8 64')"
    toeplitz=(tridiagonal --entries poisson --precision "${precisions[@]}" --batch "${batches[@]}")
    if has_peers; then
        step "figures 12, 13, 15, 16, with cuSPARSE" "$here/peers/compare.sh" --paper --warm-up 0.05 "$trisolve" "$out/paper.csv"
        # The page has the table.
        rm "$out/paper.md"
    else
        step "figures 12, 13, 15, 16" bench "${toeplitz[@]}" --algorithm auto wang-mou partition cr pcr cr-pcr \
            --rows "${rows[@]}" --csv "$out/paper-1.csv"
        step "figures 12, 13, 15, 16: TPR" bench "${toeplitz[@]}" --algorithm tpr --stability fastest stable --rows "${rows[@]}" \
            --csv "$out/paper-2.csv"
        # One thread per system takes long for many rows.
        step "figures 12, 13: Thomas" bench "${toeplitz[@]}" --algorithm thomas --rows "${rows[@]:0:8}" --csv "$out/paper-3.csv"
        joined "$out/paper.csv" "$out"/paper-[123].csv
    fi
    step "table 4: the paper's policies" bench tridiagonal --entries poisson --algorithm tpr --untuned --rows "${rows[@]}" \
        --csv "$out/table-4.csv"
    policies=()
    for slice in 64 128 256 512 1024 2048; do
        for each in 2 4 8; do
            policies+=("slice=$slice,threads=$((slice / each)),overall_threads=256,overall_systems=1,shuffles=1")
        done
    done
    # Section 4.3: without shuffles.
    for slices in 256,32 256,128 1024,128; do
        policies+=("slice=${slices%,*},threads=${slices#*,},overall_threads=256,overall_systems=1,shuffles=0")
    done
    step "table 3, section 4.4: slices and threads" bench tridiagonal --entries poisson --precision f32 --batch "${batches[@]}" \
        --rows "$(either 2^13 2^19)" --algorithm tpr --policy "${policies[@]}" --csv "$out/policies.csv"
    stages() {
        local batch
        echo "rows,batch,kernel,us,adapter" >"$out/stages.csv"
        for batch in "${batches[@]}"; do
            bench tridiagonal --entries poisson --algorithm tpr --rows "$rows_of_stages" --batch "$batch" --stages 2>&1 >/dev/null |
                awk -v before="$rows_of_stages,$batch" -v adapter="$adapter" \
                    '$2 == "us" { print before "," $3 "," $1 ",\"" adapter "\"" }' >>"$out/stages.csv"
        done
    }
    rows_of_stages=$(either 2^13 2^19)
    step "section 4.4: the stages, each alone" stages
    # Not all drivers tell.
    registers() {
        "$bin/kernel_statistics" tpr 524288 "${policies[@]}" >"$out/registers.csv" || rm "$out/registers.csv"
    }
    [ ! -x "$bin/kernel_statistics" ] || step "table 3: registers, if the driver tells" registers
    ;;
course)
    as_json() {
        "$trisolve" methods --rows 8 1023 1024 --json >"$out/methods.json"
    }
    step "task 1: steps and operations" as_json
    # Thomas solves a system by one thread, which takes milliseconds for a long one: few systems end at 4096 rows there.
    rows=$(either '32 128 1023' '32 128 512 1023 1024 2048 4096')
    parts=()
    for batch in $(either '1 64' '1 64 4096'); do
        layouts=contiguous
        [ "$batch" = 1 ] || layouts='contiguous interleaved'
        parts+=("$out/course-$batch.csv")
        # shellcheck disable=SC2086 # the rows and layouts are words
        step "task 5: Thomas, CR, PCR and auto over n, systems: $batch" bench tridiagonal --algorithm thomas cr pcr auto \
            --precision f32 --layout $layouts --batch "$batch" --rows $rows --csv "${parts[-1]}"
        if [ -z "$quick" ] && [ "$batch" != 4096 ]; then
            parts+=("$out/course-$batch-long.csv")
            # shellcheck disable=SC2086
            step "the same without Thomas, larger n" bench tridiagonal --algorithm cr pcr auto --precision f32 \
                --layout $layouts --batch "$batch" --rows 2^14 2^16 --csv "${parts[-1]}"
        fi
    done
    joined "$out/course.csv" "${parts[@]}"
    # Each version has a line in benches/paper_tables/course.py.
    parts=()
    versions() {
        local algorithm=$1
        shift
        parts+=("$out/versions-$algorithm.csv")
        # shellcheck disable=SC2046 # the rows and batches are words
        step "task 4: versions of $algorithm" bench tridiagonal --algorithm "$algorithm" --untuned --precision f32 \
            --batch $(either 64 '1 4096') --rows $(either '32 128' '32 128 512 1024') --policy "$@" --csv "${parts[-1]}"
    }
    versions cr held=2,systems=1 held=4096,spread=0,systems=1 held=4096,spread=1,systems=1 held=4096,spread=1,systems=4 \
        held=4096,spread=1,systems=1,threads=32
    versions pcr held=2,systems=1 held=4096,lane_rows=0,systems=1 held=4096,lane_rows=0,systems=1,threads=32 \
        held=4096,lane_rows=16,systems=1,threads=32 held=4096,lane_rows=16,systems=4,threads=32 \
        held=4096,lane_rows=4,subgroups=32,spread=0,systems=1 held=4096,lane_rows=4,subgroups=32,spread=1,systems=1
    versions cr-pcr held=4096,parallel=32,lane_rows=0,systems=1 held=4096,parallel=32,lane_rows=1,systems=1 \
        held=4096,parallel=32,lane_rows=1,spread=1,systems=1 held=4096,parallel=128,lane_rows=4,systems=1 \
        held=4096,parallel=512,lane_rows=16,systems=1 held=4096,parallel=256,lane_rows=4,subgroups=32,spread=1,systems=1
    joined "$out/versions.csv" "${parts[@]}"
    step "task 6: heat in a plate by each method" "$bin/heat_plate" "$out/heat_plate.png" "$(either 64 512)" thomas cr pcr
    ;;
p-scheme)
    [ -x "$bin/dpcm_decode" ] || fail "$bin has no program dpcm_decode"
    read -ra rows <<<"$(either '2^14 2^16' '2^14 2^16 2^18 1000000')"
    step "figure 1" "$trisolve" bench p-scheme --host --rows "${rows[@]}" --warm-up 0.1 --runs 3 --csv "$out/substitution.csv"
    read -ra rows <<<"$(either 2^14 '2^18 1000000')"
    read -ra groups <<<"$(either '4 16 64' '16 32 64 128')"
    read -ra threads <<<"$(either '32 64' '16 32 64 128 256 512')"
    step "figures 2 to 7, table I" bench p-scheme --rows "${rows[@]}" --groups "${groups[@]}" \
        --threads "${threads[@]}" --csv "$out/p-scheme.csv"
    read -ra groups <<<"$(either '64 256' '16 64 256 1024 4096')"
    read -ra threads <<<"$(either '32 64' '32 64 128 256')"
    step "the same, propagated over groups of chunks" bench p-scheme --grouped --rows "${rows[@]}" \
        --groups "${groups[@]}" --threads "${threads[@]}" --csv "$out/p-scheme-grouped.csv"
    rm -f "$out/tuned.json"
    step "the policy: measured choices" "$trisolve" tune p-scheme --precision f32 --output "$out/tuned.json"
    read -ra rows <<<"$(either '2^14 2^16' '2^14 2^16 2^18 2^20')"
    step "other algorithms for the same recurrences" bench recurrence --algorithm p-scheme three-launch one-pass \
        --coefficients both case-m case-h --rows "${rows[@]}" --csv "$out/recurrence.csv"
    step "the next step: Moebius recurrences" bench recurrence --moebius --rows "${rows[@]}" --csv "$out/moebius.csv"
    step "the next step: Thomas's method" bench tridiagonal --algorithm thomas scan partition --precision f32 \
        --rows "${rows[@]}" --csv "$out/thomas.csv"
    step "an application: DPCM" "$bin/dpcm_decode" "$out/dpcm.png" "$out/dpcm.csv"
    ;;
trsv)
    step "figures 2, 6 to 8, tables 2.2 and 5.1" "$here/variants.sh" ${quick:+--quick} "$trisolve" "$out"
    read -ra rows <<<"$(either '512 1024' '512 1024 4096')"
    step "table 3.1: time per launch" bench triangular --diag unit --untuned --algorithm launch-synced \
        --precision f32 f64 --rows "${rows[@]}" --csv "$out/launches.csv" \
        --stages-csv "$out/steps.csv"
    rm "$out/launches.csv"
    step "figures 3 and 5: the order of events" traces "$(either 2048 10240)"
    read -ra rows <<<"$(either '512 1024 1536' '1024 2048 3072 4096 5120 6144 7168 8192 9216 10240')"
    step "figure 9: time per block row" bench triangular --diag unit --untuned --algorithm chained \
        --precision f32 f64 --rows "${rows[@]}" --csv "$out/marginal.csv"
    step "figures 10, 11, 13 to 15: cuBLAS and the host's BLAS" "$here/peers/trsv_curves.sh" ${quick:+--quick} "$trisolve" \
        "$out/curves.csv"
    read -ra precisions <<<"$(either f32 'f32 f64')"
    step "several right-hand sides" swept columns "$(either '1 4' '1 2 4 8')" --rows "$(either 512 4096)" --precision "${precisions[@]}"
    step "supernodes" swept stored "$(either '32 128 512' '64 256 1024 4096')" --rows "$(either 512 4096)" --precision "${precisions[@]}"
    ;;
hisa)
    size=()
    if [ -n "$quick" ]; then
        size=(--quick)
    elif [ "$(of_adapter kind)" = Cpu ]; then
        size=(--brief)
    fi
    step "tables 6 to 11: the ten cases on the device and on CPU cores, and peers" \
        "$here/gas.sh" ${size[@]+"${size[@]}"} "$trisolve" "$out"
    ;;
esac
step "pictures" "$bin/figures" "$out"
echo "written to $out"
