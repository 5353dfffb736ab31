#!/usr/bin/env bash
# Compiles every f32 kernel with Tint, the WGSL compiler of Chromium. Needs node and npm, and no GPU.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"

target=${CARGO_TARGET_DIR:-target}
folder=$target/tint
rm -rf "$folder/kernels"
mkdir -p "$folder"
cp scripts/tint/* "$folder"
npm ci --prefix "$folder" --no-audit --no-fund --loglevel=error
# As for the tests, so that nothing is built twice.
cargo build --quiet --workspace --all-features --tests
"$target/debug/trisolve" kernels --precision f32 --write "$folder/kernels"
node "$folder/check.mjs" "$folder/kernels"
