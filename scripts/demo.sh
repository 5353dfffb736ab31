#!/usr/bin/env bash
# Builds the program and shows its main job: a system from a file to a checked solution.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
"$root/scripts/setup.sh"
cd "$root"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Mesa asks for one, and says so where there is none.
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-$folder}"

trisolve() {
    cargo run --quiet --release -- "$@"
}

heading() {
    printf '\n== %s\n' "$*"
}

heading "Building"
cargo build --release

heading "Adapters"
trisolve devices

temperatures() {
    awk 'NR > 2 && (NR - 3) % 45 == 0 { printf "  cell %3d  %8.4f degrees Celsius\n", NR - 2, $1 }' "$1"
}

heading "One time step of heat conduction in a layered bar, in f32"
trisolve solve data/heat_bar.mtx data/heat_bar_rhs.mtx --output "$folder/bar.mtx" 2>&1
temperatures "$folder/bar.mtx"

heading "The same in f32, with the excess of the diagonal given, which keeps more digits"
trisolve solve data/heat_bar_excess.mtx data/heat_bar_rhs.mtx --diagonal excess --output "$folder/bar.mtx" 2>&1
temperatures "$folder/bar.mtx"

heading "A generated system of 2^20 rows, from a file"
# A chain of conductances between 0.5 and 1.5, each node with a loss of 0.5.
awk 'function coupling(i) { return 1 + 0.5 * sin(i) }
BEGIN {
    n = 2 ^ 20
    print "%%MatrixMarket matrix coordinate real symmetric"
    printf "%d %d %d\n", n, n, 2 * n - 1
    for (i = 1; i <= n; i++) {
        left = i > 1 ? coupling(i - 1) : 0
        right = i < n ? coupling(i) : 0
        if (i > 1) printf "%d %d %.9g\n", i, i - 1, -left
        printf "%d %d %.9g\n", i, i, left + right + 0.5
    }
}' >"$folder/large.mtx"
trisolve solve "$folder/large.mtx" --output "$folder/x.mtx" 2>&1

heading "2^20 rows again, warmed up, against the adapter's copy bandwidth"
trisolve bench tridiagonal --rows 2^20
