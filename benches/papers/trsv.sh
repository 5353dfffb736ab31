# shellcheck shell=bash disable=SC2154 # papers.sh sets them
# The measurements of dense triangular solves: a part of ../papers.sh, which has the functions and variables.
solves=(triangular --diag unit --untuned)

# Without inverses: blocks cached nowhere, in workgroup memory, in registers. With inverses from the fifth or second block row on. Small blocks.
never=invert_from=1048576
policies=("block=64,threads=256,precache=0,$never" "block=64,threads=256,precache=1,$never" "block=64,threads=256,precache=2,$never")
policies+=('block=64,threads=256,invert_from=4' 'block=64,threads=256,invert_from=1' 'block=32,threads=128,invert_from=1')
rows=$(either 64,256,1024 64,96,128,192,256,384,512,768,1024,1536,2048,3072,4096,6144,8192,12288,16384,23000,32000)
for precision in f32 f64; do
    part "figures 6 and 7: variants of the chained solve, $precision" bench "${solves[@]}" --algorithm chained --precision "$precision" \
        --rows "$rows" "${policies[@]/#/--policy=}"
    part "the same: launch-synced" bench "${solves[@]}" --algorithm launch-synced --precision "$precision" --rows "$rows"
done
few=(--precision f32,f64 --rows 32,64,96,128)
part "table 2.2: one workgroup" bench "${solves[@]}" --algorithm single "${few[@]}" \
    --policy groups=1 --policy 'groups=4,run=1' --policy 'groups=4,run=4' --policy 'groups=4,precache=1' --policy 'groups=8,precache=1'
part "the same: the chained solve" bench "${solves[@]}" --algorithm chained "${few[@]}" --policy 'block=32,threads=128'
join_parts triangular-variants.csv
# A step solves `rows` block rows of `block` rows: their product is the paper's nb.
policies=()
for block_rows in 1 2 4 8 16; do
    policies+=("block=32,threads=128,rows=$block_rows" "block=64,threads=256,rows=$block_rows")
done
rows=$(either 256,512,1024 128,256,512,1024,2048,4096,8192,16384)
step "figure 2: rows per step" bench "${solves[@]}" --algorithm launch-synced --precision f32,f64 --rows "$rows" \
    "${policies[@]/#/--policy=}" --csv "$out/triangular-launches.csv"
# A whole run takes the default sizes.
model_rows=()
[ -z "$quick" ] || model_rows=(--rows 64,96,128,192,256,384,512,768,1024,1536)
for precision in f32 f64; do
    step "figure 8, table 5.1: the model, $precision" "$trisolve" model triangular --precision "$precision" "${model_rows[@]}" \
        --plot "$out/triangular-model-$precision.svg" --csv "$out/triangular-model-$precision.csv"
done

rows=$(either 512,1024 512,1024,4096)
step "table 3.1: time per launch" bench "${solves[@]}" --algorithm launch-synced --precision f32,f64 --rows "$rows" \
    --csv "$out/launches.csv" --stages-csv "$out/steps.csv"
rm "$out/launches.csv"
for precision in f32 f64; do
    part "figures 3 and 5: the order of events, $precision" "$trisolve" trace triangular --rows "$(either 2048 10240)" \
        --precision "$precision"
done
join_parts trace.csv
rows=$(either 512,1024,1536 1024,2048,3072,4096,5120,6144,7168,8192,9216,10240)
step "figure 9: time per block row" bench "${solves[@]}" --algorithm chained --precision f32,f64 --rows "$rows" \
    --csv "$out/marginal.csv"
step "figures 10, 11, 13 to 15: cuBLAS and the host's BLAS" "$here/peers/trsv_curves.sh" ${quick:+--quick} "$trisolve" \
    "$out/curves.csv"

precisions=$(either f32 f32,f64)
# swept WHAT OPTION VALUES...: measures solves for each value of an option, into OPTION.csv, whose first column is the value.
swept() {
    local value
    for value in "${@:3}"; do
        part "$1: $value" bench "${solves[@]}" --algorithm chained,launch-synced "--$2" "$value" --rows "$(either 512 4096)" \
            --precision "$precisions"
        sed "1s/^/$2,/; 1!s/^/$value,/" "${parts[-1]}" >"$out/swept.csv"
        mv "$out/swept.csv" "${parts[-1]}"
    done
    join_parts "$2.csv"
}
read -ra values <<<"$(either '1 4' '1 2 4 8')"
swept "right-hand sides" columns "${values[@]}"
read -ra values <<<"$(either '32 128 512' '64 256 1024 4096')"
swept "supernodes, columns" stored "${values[@]}"
