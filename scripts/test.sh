#!/usr/bin/env bash
# Runs all tests; those of the kernels on every subgroup size that software Vulkan offers.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/setup.sh"
cd "$root"

# Not what this machine's user has tuned.
export TRISOLVE_TUNING=

# A line per run, the longest first: bits of a vector, or `own`, and what cargo is given. Mesa's software driver makes subgroups
# of 8 by default, of 4 and 16 by 128 and 512 bits; others ignore it.
runs() {
    local test
    for test in command_line tridiagonal quasi_tridiagonal formulas structure pivoting portability; do
        echo "own --test $test"
    done
    for width in 512 128; do
        echo "$width --test tridiagonal -- all_algorithms_unchecked three_scans"
        echo "$width --test recurrence -- f32_checked f64_both one_pass"
        echo "$width --test moebius --test filter -- f32_checked"
        echo "$width --test triangular -- chained"
    done
    for test in tests/*.rs tests/*/main.rs lab/tests/*.rs; do
        test=${test#lab/}
        test=${test#tests/}
        test=${test%/main.rs}
        case ${test%.rs} in
        command_line | tridiagonal | quasi_tridiagonal | formulas | structure | pivoting | portability | triangular) ;;
        *) echo "own --test ${test%.rs}" ;;
        esac
    done
    echo "own --lib"
    echo "own --doc"
}

# Says how a run went; all of it where it failed.
one() {
    local width=$1 log start=$SECONDS passed=true
    shift
    # Mesa's shader cache does not tell the widths apart: code made for one would run, and answer wrongly, in another. So each
    # gets a cache of its own.
    export XDG_CACHE_HOME="$PWD/target/mesa-$width"
    mkdir -p "$XDG_CACHE_HOME"
    [ "$width" = own ] || export LP_NATIVE_VECTOR_WIDTH=$width
    # Without the driver's optimisations: they take a fifth of the time, and pay only where kernels run longer than they compile.
    [[ "$*" =~ quasi_tridiagonal|shapes|fuzz ]] || export GALLIVM_PERF=nopt
    log=$(mktemp)
    cargo test --workspace --all-features "$@" >"$log" 2>&1 || passed=false
    if $passed; then
        echo "passed in $((SECONDS - start)) s: $* ($width)"
    else
        printf 'FAILED: %s (%s)\n%s\n' "$*" "$width" "$(cat "$log")"
    fi
    rm -f "$log"
    $passed
}
export -f one

# Without the examples, which clippy checks.
cargo test --workspace --all-features --no-run --lib --tests
# Its workgroups wait for each other: slow where they share the processors with another program.
one own --test triangular
# The driver compiles kernels one at a time, and that is what takes the time of the others: so as many programs run at once as
# there are processors.
runs | xargs -P "${NUMBER_OF_PROCESSORS:-$(getconf _NPROCESSORS_ONLN)}" -I {} bash -c 'one {}'
if command -v npm >/dev/null; then
    scripts/tint/run.sh
else
    echo "npm is not there: Tint, a second WGSL compiler, is left out (install node to include it)"
fi
echo "All tests passed."
