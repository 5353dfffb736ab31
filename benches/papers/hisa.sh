# shellcheck shell=bash disable=SC2154 # papers.sh sets them
# The measurements of quasi-tridiagonal systems: a part of ../papers.sh, which has the functions and variables.
#
# gas.csv has the device's times, host.csv those of CPU cores; whole runs also write cupy.csv (needs CuPy) and ilu.csv (needs nvcc). The
# messages of these two peers go to peers.txt. A peer that does not build or run leaves no CSV.
small=(gas2000 gas10000a gas10000b)
[ -n "$quick" ] || small+=(gas100000a gas100000b gas1000000a gas1000000b)
large=()
# Software adapters take minutes for 10^7 rows, and most bind too little memory.
if [ -z "$quick" ] && [ "$(of_adapter kind)" != Cpu ]; then large=(gas10000000a gas10000000b gas10000000c); fi
timed=(--runs "$(either 2 3)")
methods=(--algorithm hisa,jacobi,gauss-seidel,gmres,bicg,bicgstab,tfqmr,bicrstab)
# The paper's blocks, and the default ones; the paper's form, in which each thread reduces a row, with step 1 in each iteration and once.
blocks=(--algorithm bhisa --policy 'block=64,rows=4' --policy 'block=256,rows=4' --policy 'block=64,rows=1,factored=0'
    --policy 'block=64,rows=1,factored=1')
# Algorithm 2: cyclic reduction of the whole T, through device memory.
cyclic=(--algorithm hisa --tridiagonal cr)
# on_device WHAT SYSTEMS ARGUMENTS...: SYSTEMS is the name of an array.
on_device() {
    local what=$1
    local -n systems=$2
    [ ${#systems[@]} -gt 0 ] || return 0
    part "$what" "$trisolve" bench quasi --precision f64 --warm-up "$(either 0 0.1)" "${timed[@]}" "${systems[@]/#/--system=}" "${@:3}"
}
for size in small large; do
    preconditioners=none
    [ -n "$quick" ] || [ $size = large ] || preconditioners+=,tridiagonal
    on_device "tables 6 and 11, $size cases" $size "${methods[@]}" --preconditioner $preconditioners
    on_device "the same: BHISA" $size "${blocks[@]}"
    on_device "the same: HISA by algorithm 2" $size "${cyclic[@]}"
done
join_parts gas.csv

part "tables 7 to 10: CPU cores, small cases" "$trisolve" bench quasi-host --lu 10000 "${small[@]/#/--system=}" --runs 3
if [ ${#large[@]} -gt 0 ]; then
    part "tables 7 to 10: CPU cores, large cases" "$trisolve" bench quasi-host "${large[@]/#/--system=}" --runs 1
fi
join_parts host.csv

if [ -z "$quick" ]; then
    : >"$out/peers.txt"
    peers=$(mktemp -d)
    # peer NAME COMMAND...: runs it, and keeps its CSV if it has more than the header.
    peer() {
        local name=$1
        shift
        "$@" >"$peers/$name.csv" 2>>"$out/peers.txt" || echo "$name failed, at least in part" >>"$out/peers.txt"
        if [ "$(wc -l <"$peers/$name.csv")" -gt 1 ]; then mv "$peers/$name.csv" "$out/$name.csv"; fi
    }
    files=()
    written() {
        for system in "${small[@]}" "${large[@]}"; do
            "$trisolve" generate --system "$system" --binary "$peers/$system.matrix" "$peers/$system.rhs"
            files+=(--file "${system/gas/Gas}" "$peers/$system.matrix" "$peers/$system.rhs")
        done
    }
    has_cupy=
    ! python3 -c 'import cupy; cupy.cuda.runtime.getDeviceCount()' 2>>"$out/peers.txt" || has_cupy=1
    has_ilu=
    if has_peers; then
        nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
        # shellcheck disable=SC2086 # NVCCFLAGS are words
        if "$nvcc" -O3 -std=c++17 -arch=native ${NVCCFLAGS:-} "$here/peers/ilu.cu" -lcusparse -lcublas -o "$peers/ilu" 2>"$peers/nvcc.txt"; then
            has_ilu=1
        else
            # A build that succeeds may still warn, of deprecated functions.
            cat "$peers/nvcc.txt" >>"$out/peers.txt"
        fi
    fi
    if [ -n "$has_cupy$has_ilu" ]; then step "the cases as files" written; fi
    [ -z "$has_cupy" ] || step "table 11: CuPy" peer cupy python3 "$here/peers/cupy_solvers.py" --runs 3 --warm-up 0.1 "${files[@]}"
    [ -z "$has_ilu" ] || step "table 11: cuSPARSE's incomplete LU" peer ilu "$peers/ilu" --runs 3 --warm-up 0.1 --limit 3 "${files[@]}"
    rm -r "$peers"
fi
