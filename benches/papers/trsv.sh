# shellcheck shell=bash disable=SC2154 # papers.sh sets them
# The measurements of dense triangular solves: a part of ../papers.sh, which has the functions and variables.
# traces ROWS: the order of events of the chained solve, in both precisions.
traces() {
    local precision
    for precision in f32 f64; do
        "$trisolve" trace triangular --rows "$1" --precision "$precision" --csv "$out/trace-$precision.csv"
    done
    joined "$out/trace.csv" "$out"/trace-f*.csv
}
# swept OPTION VALUES ARGUMENTS...: measures triangular systems for each value of an option, into OPTION.csv, whose first column is the value.
swept() {
    local option=$1 value head=
    for value in $2; do
        bench triangular --diag unit --untuned --algorithm chained,launch-synced "--$option" "$value" "${@:3}" --csv "$out/one.csv"
        [ -n "$head" ] || sed "1s/^/$option,/;q" "$out/one.csv" >"$out/$option.csv"
        head=1
        tail -n +2 "$out/one.csv" | sed "s/^/$value,/" >>"$out/$option.csv"
    done
    rm "$out/one.csv"
}

step "figures 2, 6 to 8, tables 2.2 and 5.1" "$here/variants.sh" ${quick:+--quick} "$trisolve" "$out"
step "table 3.1: time per launch" bench triangular --diag unit --untuned --algorithm launch-synced \
    --precision f32,f64 --rows "$(either 512,1024 512,1024,4096)" --csv "$out/launches.csv" \
    --stages-csv "$out/steps.csv"
rm "$out/launches.csv"
step "figures 3 and 5: the order of events" traces "$(either 2048 10240)"
rows=$(either 512,1024,1536 1024,2048,3072,4096,5120,6144,7168,8192,9216,10240)
step "figure 9: time per block row" bench triangular --diag unit --untuned --algorithm chained \
    --precision f32,f64 --rows "$rows" --csv "$out/marginal.csv"
step "figures 10, 11, 13 to 15: cuBLAS and the host's BLAS" "$here/peers/trsv_curves.sh" ${quick:+--quick} "$trisolve" \
    "$out/curves.csv"
precisions=$(either f32 f32,f64)
step "several right-hand sides" swept columns "$(either '1 4' '1 2 4 8')" --rows "$(either 512 4096)" --precision "$precisions"
step "supernodes" swept stored "$(either '32 128 512' '64 256 1024 4096')" --rows "$(either 512 4096)" --precision "$precisions"
