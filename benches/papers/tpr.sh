# shellcheck shell=bash disable=SC2154 # papers.sh sets them
# The measurements of tree partitioning reduction: a part of ../papers.sh, which has the functions and variables.
methods() {
    "$trisolve" methods --json --rows 128,1024,2^14,2^19 >"$out/methods.json"
}
step "table 1: steps, operations, bytes, dispatches" methods
largest=$(either 2^13 2^19)
part "tables 6 to 8: accuracy" "$trisolve" accuracy --largest "$largest"
part "figure 14" "$trisolve" accuracy --table figure-14 --largest "$largest"
join_parts accuracy.csv
if has_peers; then
    step "tables 6 to 8: cuSPARSE's accuracy" "$here/peers/accuracy.sh" "$trisolve" "$out/accuracy-cusparse.csv"
fi
# The paper's matrix is (-1 2 -1).
few_rows=$(either 2^7,2^10,2^13 2^7,2^8,2^9,2^10,2^11,2^12,2^13,2^14)
rows=$few_rows$(either '' ,2^15,2^16,2^17,2^18,2^19)
batches=$(either 1,8 1,8,64)
toeplitz=(tridiagonal --entries poisson --precision "$(either f32 f32,f64)" --batch "$batches")
if has_peers; then
    step "figures 12, 13, 15, 16, with cuSPARSE" "$here/peers/compare.sh" --paper --warm-up 0.05 "$trisolve" "$out/paper.csv"
    # The page has the table.
    rm "$out/paper.md"
else
    part "figures 12, 13, 15, 16" bench "${toeplitz[@]}" --algorithm auto,wang-mou,partition,cr,pcr,cr-pcr --rows "$rows"
    part "figures 12, 13, 15, 16: TPR" bench "${toeplitz[@]}" --algorithm tpr --stability fastest,stable --rows "$rows"
    # One thread per system takes long for many rows.
    part "figures 12, 13: Thomas" bench "${toeplitz[@]}" --algorithm thomas --rows "$few_rows"
    join_parts paper.csv
fi
step "table 4: the paper's policies" bench tridiagonal --entries poisson --algorithm tpr --untuned --rows "$rows" \
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
step "table 3, section 4.4: slices and threads" bench tridiagonal --entries poisson --precision f32 --batch "$batches" \
    --rows "$(either 2^13 2^19)" --algorithm tpr "${policies[@]/#/--policy=}" --csv "$out/policies.csv"
stages() {
    local batch
    echo "rows,batch,kernel,us,adapter" >"$out/stages.csv"
    for batch in ${batches//,/ }; do
        bench tridiagonal --entries poisson --algorithm tpr --rows "$rows_of_stages" --batch "$batch" --stages 2>&1 >/dev/null |
            awk -v before="$rows_of_stages,$batch" -v adapter="$adapter" \
                '$2 == "us" { print before "," $3 "," $1 ",\"" adapter "\"" }' >>"$out/stages.csv"
    done
}
rows_of_stages=$(either 2^13 2^19)
step "section 4.4: the stages, each alone" stages
# Not all drivers report registers.
registers() {
    "$bin/kernel_statistics" tpr 524288 "${policies[@]}" >"$out/registers.csv" || rm "$out/registers.csv"
}
step "table 3: registers, if the driver tells" registers
