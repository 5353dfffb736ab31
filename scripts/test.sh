#!/usr/bin/env bash
# Runs all tests; those of the kernels on two of the subgroup sizes that software Vulkan offers, or on all with TRISOLVE_ALL_CASES.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/setup.sh"
cd "$root"

# Not what this machine's user has tuned.
export TRISOLVE_TUNING=

# Each line: vector width in bits; a test program, `tint` or `doc`; its arguments. The longest runs first. Mesa's software driver makes subgroups
# of 4, 8 and 16 with 128, 256 (its default) and 512 bits, and compiles the first fastest; other drivers ignore the width. The kernels'
# tests run again at 256 or 512 bits, whichever is drawn, or at both with TRISOLVE_ALL_CASES.
runs() {
    local first="triangular command_line tint filter tridiagonal pivoting formulas quasi_tridiagonal portability structure" name width
    for name in $first; do
        [ "$name" = tint ] && ! command -v npm >/dev/null || echo "128 $name"
    done
    for name in "tridiagonal all_algorithms_unchecked three_scans" "recurrence sweep one_pass" "moebius sweep" "filter sweep" \
        "triangular chained"; do
        local widths=(256 512)
        [ -n "${TRISOLVE_ALL_CASES+set}" ] || widths=("${widths[RANDOM % 2]}")
        for width in "${widths[@]}"; do
            echo "$width $name"
        done
    done
    for name in $(sed -n 's/^ *Executable .*[\\/]\([a-z_]*\)-[0-9a-f]*\(\.exe\)\{0,1\})$/\1/p' "$built"); do
        [[ " $first " = *" $name "* ]] || echo "128 $name"
    done
    echo "128 doc"
}

# Runs a test program in its package's folder, as cargo does, but skips cargo's check for changes, which takes a second.
program() {
    local name=$1 folder path
    shift
    path=$(sed -n "s/^ *Executable .*(\(.*[\\\\/]$name-[0-9a-f]*\(\.exe\)\{0,1\}\))$/\1/p" "$built")
    path=${path//\\//}
    for folder in cli lab .; do
        [ ! -e "$folder/tests/$name.rs" ] && [ ! -e "$folder/tests/$name" ] || break
    done
    [[ "$path" = /* || "$path" = ?:* ]] || path="$PWD/$path"
    (cd "$folder" && "$path" "$@")
}

# Says how a run went; all of it where it failed.
one() {
    local width=$1 name=$2 log start=$SECONDS passed=true
    shift 2
    # Mesa's shader cache does not tell the widths apart: code made for one would run, and answer wrongly, in another. So each
    # gets a cache of its own.
    export XDG_CACHE_HOME="$PWD/target/mesa-$width"
    mkdir -p "$XDG_CACHE_HOME"
    export LP_NATIVE_VECTOR_WIDTH=$width
    [ "$width" = 128 ] || export TRISOLVE_FEWER_CASES=1
    # Without the driver's optimisations: they take a fifth of the time, and pay only where kernels run longer than they compile.
    [ "$name" = quasi_tridiagonal ] || export GALLIVM_PERF=nopt
    log=$(mktemp)
    case $name in
    tint) scripts/tint/run.sh >"$log" 2>&1 || passed=false ;;
    doc) cargo test --workspace --all-features --doc >"$log" 2>&1 || passed=false ;;
    # Its workgroups wait for each other, and so must not wait long for a processor.
    triangular) program "$name" "$@" >"$log" 2>&1 || passed=false ;;
    *) nice -n 10 bash -c 'program "$@"' program "$name" "$@" >"$log" 2>&1 || passed=false ;;
    esac
    if $passed; then
        echo "passed in $((SECONDS - start)) s: $name $* ($width)"
    else
        printf 'FAILED: %s (%s)\n%s\n' "$name $*" "$width" "$(cat "$log")"
    fi
    rm -f "$log"
    $passed
}
export -f one program

# Without the examples, which `.ci/run` builds.
built=$(mktemp)
export built
trap 'rm -f "$built"' EXIT
cargo test --workspace --all-features --no-run --tests 2>&1 | tee "$built"
# The driver compiles kernels one at a time, and that is what takes the time of the others: so as many programs run at once as
# there are processors.
runs | xargs -P "${NUMBER_OF_PROCESSORS:-$(getconf _NPROCESSORS_ONLN)}" -I {} bash -c 'one {}'
command -v npm >/dev/null ||
    echo "npm is not there: Tint, a second WGSL compiler, is left out (install node to include it)"
echo "All tests passed."
