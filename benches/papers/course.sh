# shellcheck shell=bash disable=SC2154 # papers.sh sets them
# The measurements of Thomas, cyclic reduction and its parallel form: a part of ../papers.sh, which has the functions and variables.
# Quick cases take 15 runs too: they are so short that a median of fewer varies too much.
times_of() {
    "$trisolve" bench tridiagonal "$@" --precision f32 --warm-up "$(either 0.02 0.1)" --runs 15
}
as_json() {
    "$trisolve" methods --rows 8,1023,1024 --json >"$out/methods.json"
}
step "task 1: steps and operations" as_json
# Thomas solves each system by one thread, which takes milliseconds for a long one: the sizes with Thomas end at 4096 rows.
rows=$(either 32,128,1023 32,128,512,1023,1024,2048,4096)
for batch in $(either '1 64' '1 64 4096'); do
    layouts=contiguous
    [ "$batch" = 1 ] || layouts=contiguous,interleaved
    part "task 5: Thomas, CR, PCR and auto over n, systems: $batch" times_of --algorithm thomas,cr,pcr,auto \
        --layout "$layouts" --batch "$batch" --rows "$rows"
    if [ -z "$quick" ] && [ "$batch" != 4096 ]; then
        part "the same without Thomas, larger n" times_of --algorithm cr,pcr,auto --layout "$layouts" --batch "$batch" --rows 2^14,2^16
    fi
done
join_parts course.csv
# Each version has a line in benches/tables/course.py.
versions() {
    local algorithm=$1
    shift
    part "task 4: versions of $algorithm" times_of --algorithm "$algorithm" --untuned \
        --batch "$(either 64 1,4096)" --rows "$(either 32,128 32,128,512,1024)" "${@/#/--policy=}"
}
versions cr held=2,spread=0,systems=1 held=4096,spread=0,systems=1 held=4096,spread=1,systems=1 held=4096,spread=1,systems=4 \
    held=4096,spread=1,systems=1,threads=32
versions pcr held=2,systems=1 held=4096,lane_rows=0,systems=1 held=4096,lane_rows=0,systems=1,threads=32 \
    held=4096,lane_rows=16,systems=1,threads=32 held=4096,lane_rows=16,systems=4,threads=32 \
    held=4096,lane_rows=4,subgroups=32,spread=0,systems=1 held=4096,lane_rows=4,subgroups=32,spread=1,systems=1
versions cr-pcr held=4096,parallel=32,lane_rows=0,spread=0,systems=1 held=4096,parallel=32,lane_rows=1,spread=0,systems=1 \
    held=4096,parallel=32,lane_rows=1,spread=1,systems=1 held=4096,parallel=128,lane_rows=4,spread=0,systems=1 \
    held=4096,parallel=512,lane_rows=16,spread=0,systems=1 held=4096,parallel=256,lane_rows=4,subgroups=32,spread=1,systems=1
join_parts versions.csv
step "task 6: heat in a plate by each method" "$bin/heat_plate" "$out/heat_plate.png" "$(either 64 512)" thomas cr pcr
