#!/usr/bin/env python3
"""CuPy's iterative solvers on the systems of `trisolve bench quasi --system banded`, or on systems in files, as CSV on stdout.

    cupy_solvers.py [--runs N] [--warm-up SECONDS] [--case ROWS BESIDE PRECISION METHOD]... [--file NAME MATRIX RHS]...

--file  a system that `trisolve generate MATRIX RHS --binary` wrote, in f64, by every method

METHOD is bicgstab, cgs, gmres (restart 5; it reports multiples of 5 iterations), bicg, or jacobi (a loop of cuSPARSE products). Without cases and files,
10^5, 10^6 and 10^7 rows, with one to three entries per row beside the diagonals. Needs CuPy with cupyx.scipy and NumPy. The whole solve is timed by the wall
clock, from vectors in device memory to the end of the device's work: what its user waits for.

CuPy has no BiCGSTAB, BiCG, TFQMR or BiCRSTAB of its own (only CG, CGS, GMRES, MINRES): BiCGSTAB and BiCG are
written here, step by step with CuPy's operations as SciPy has them, and none is preconditioned.
"""

import argparse
import csv
import sys
import time

import cupy as cp
import numpy as np
from cupyx.scipy import sparse
from cupyx.scipy.sparse import linalg

TOLERANCE = {"f32": 1e-6, "f64": 1e-7}
TYPES = {"f32": np.float32, "f64": np.float64}
COLUMNS = "family,algorithm,preconditioner,precision,system,rows,entries,iterations,outcome,relative_residual,wall_ms,adapter"
MOST = 2000


def banded(rows, beside, dtype, seed=1):
    """a, c and entries at sqrt(n), -sqrt(n) and sqrt(n) + 3 in U(-1, 0); diagonal 1.3 times a row's others."""
    random = np.random.default_rng(seed)
    across = int(rows**0.5)
    offsets = [-1, 1, across, -across, across + 3][: 2 + beside]
    diagonals = [-random.random(rows - abs(offset)) for offset in offsets]
    others = np.zeros(rows)
    for offset, values in zip(offsets, diagonals):
        first = max(0, -offset)
        others[first : first + len(values)] += np.abs(values)
    matrix = sparse.diags([1.3 * others] + diagonals, [0] + offsets, format="csr").astype(dtype)
    x = random.uniform(-1, 1, rows).astype(dtype)
    return matrix, matrix @ cp.asarray(x), cp.asarray(1.3 * others, dtype=dtype)


def from_files(matrix, rhs):
    """What `trisolve generate --binary` wrote."""
    with open(matrix, "rb") as file:
        rows, entries = (int(count) for count in np.fromfile(file, "<u8", 2))
        starts = np.fromfile(file, "<u4", rows + 1).astype(np.int32)
        columns = np.fromfile(file, "<u4", entries).astype(np.int32)
        values = np.fromfile(file, "<f8", entries)
    made = sparse.csr_matrix((cp.asarray(values), cp.asarray(columns), cp.asarray(starts)), shape=(rows, rows))
    return made, cp.asarray(np.fromfile(rhs, "<f8", rows)), made.diagonal()


class Count:
    """Iterations, as a callback."""

    def __init__(self):
        self.count = 0

    def __call__(self, _):
        self.count += 1


def jacobi(matrix, rhs, diagonal, tolerance):
    x = cp.zeros_like(rhs)
    bound = tolerance * cp.linalg.norm(rhs)
    for iteration in range(MOST):
        residual = rhs - matrix @ x
        if cp.linalg.norm(residual) <= bound:
            return x, iteration
        x += residual / diagonal
    return x, MOST


def bicgstab(matrix, rhs, _, tolerance):
    x = cp.zeros_like(rhs)
    r = rhs.copy()
    shadow = r.copy()
    bound = tolerance * cp.linalg.norm(rhs)
    rho, p = None, None
    for iteration in range(MOST):
        if cp.linalg.norm(r) <= bound:
            return x, iteration
        rho, before = cp.dot(shadow, r), rho
        p = r.copy() if p is None else r + (rho / before) * (alpha / omega) * (p - omega * v)
        v = matrix @ p
        alpha = rho / cp.dot(shadow, v)
        s = r - alpha * v
        t = matrix @ s
        omega = cp.dot(t, s) / cp.dot(t, t)
        x += alpha * p + omega * s
        r = s - omega * t
    return x, MOST


def bicg(matrix, rhs, _, tolerance):
    transposed = matrix.T.tocsr()
    x = cp.zeros_like(rhs)
    r = rhs.copy()
    r_ = r.copy()
    bound = tolerance * cp.linalg.norm(rhs)
    rho, p = None, None
    for iteration in range(MOST):
        if cp.linalg.norm(r) <= bound:
            return x, iteration
        rho, before = cp.dot(r_, r), rho
        if p is None:
            p, p_ = r.copy(), r_.copy()
        else:
            p, p_ = r + (rho / before) * p, r_ + (rho / before) * p_
        q, q_ = matrix @ p, transposed @ p_
        alpha = rho / cp.dot(p_, q)
        x += alpha * p
        r -= alpha * q
        r_ -= alpha * q_
    return x, MOST


def library(function, **options):
    def solve(matrix, rhs, _, tolerance):
        count = Count()
        try:
            x, _ = function(matrix, rhs, rtol=tolerance, atol=0.0, maxiter=MOST, callback=count, **options)
        except TypeError:
            # Before CuPy 14 the relative tolerance had another name.
            x, _ = function(matrix, rhs, tol=tolerance, atol=0.0, maxiter=MOST, callback=count, **options)
        # GMRES calls back per restart.
        return x, count.count * options.get("restart", 1)

    return solve


METHODS = {
    # The library's own, where it has one.
    "bicgstab": library(linalg.bicgstab) if hasattr(linalg, "bicgstab") else bicgstab,
    "bicg": bicg,
    "cgs": library(linalg.cgs),
    "gmres": library(linalg.gmres, restart=5),
    "jacobi": jacobi,
}
SIZES = [(100_000, 2), (1_000_000, 1), (1_000_000, 3), (10_000_000, 1), (10_000_000, 3)]


def measure(solve, arguments):
    begun = time.perf_counter()
    while True:
        solve()
        cp.cuda.Device().synchronize()
        if time.perf_counter() - begun > arguments.warm_up:
            break
    seconds = []
    for _ in range(arguments.runs):
        start = time.perf_counter()
        x, iterations = solve()
        cp.cuda.Device().synchronize()
        seconds.append(time.perf_counter() - start)
    return x, iterations, sorted(seconds)[len(seconds) // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--warm-up", type=float, default=0.3)
    parser.add_argument("--case", nargs=4, action="append", metavar=("ROWS", "BESIDE", "PRECISION", "METHOD"))
    parser.add_argument("--file", nargs=3, action="append", metavar=("NAME", "MATRIX", "RHS"))
    arguments = parser.parse_args()
    cases = [(f"banded +{beside}", precision, method, (int(rows), int(beside))) for rows, beside, precision, method in arguments.case or []]
    cases += [(name, "f64", method, tuple(paths)) for name, *paths in arguments.file or [] for method in METHODS]
    if not cases:
        cases = [(f"banded +{size[1]}", precision, method, size) for size in SIZES for precision in TYPES for method in METHODS]
    writer = csv.writer(sys.stdout)
    writer.writerow(COLUMNS.split(","))
    adapter = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    made = None
    for name, precision, method, source in cases:
        tolerance = TOLERANCE[precision]
        try:
            if made is None or made[0] != (source, precision):
                made = None
                cp.get_default_memory_pool().free_all_blocks()
                is_file = isinstance(source[0], str)
                made = ((source, precision), from_files(*source) if is_file else banded(*source, TYPES[precision]))
            matrix, rhs, diagonal = made[1]
            x, iterations, seconds = measure(lambda: METHODS[method](matrix, rhs, diagonal, tolerance), arguments)
            wide = matrix.astype(np.float64)
            norm = cp.linalg.norm(rhs.astype(np.float64))
            residual = float(cp.linalg.norm(rhs.astype(np.float64) - wide @ x.astype(np.float64)) / norm)
        except Exception as error:
            print(f"cupy {method} {precision} {name}: {error}", file=sys.stderr)
            continue
        outcome = "converged" if residual <= 2 * tolerance else "has not converged"
        writer.writerow(
            ["quasi-tridiagonal", f"cupy {method}", "none", precision, name, matrix.shape[0], matrix.nnz, iterations, outcome]
            + [residual, seconds * 1e3, adapter]
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
