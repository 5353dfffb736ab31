#!/usr/bin/env python3
"""CuPy's lfilter on the signals of `trisolve bench filter`, as CSV on stdout.

    cupy_filter.py [--runs N] [--warm-up SECONDS] [--case PRECISION ROWS BATCH]...

The filter is Butterworth's low-pass of order 4 with a cut-off at 0.2 of half the sampling rate, the signals are random and
contiguous. Without cases: f32, 2^20, 2^24 and 2^27 rows, and 1024 signals of 65536. Needs CuPy with cupyx.scipy. Device time by
events around the call, medians.
"""

import argparse
import csv
import sys
import time

import cupy as cp
from cupyx.scipy.signal import lfilter

TYPES = {"f32": cp.float32, "f64": cp.float64}
COLUMNS = (
    "family,algorithm,precision,layout,rows,batch,median_us,min_us,rows_per_s,bytes_per_row,gb_per_s,"
    "copy_gb_per_s,share_of_copy,relative_residual,adapter"
).split(",")
# scipy.signal.butter(4, 0.2).
B = [0.004824343357716228, 0.019297373430864913, 0.028946060146297369, 0.019297373430864913, 0.004824343357716228]
A = [1.0, -2.369513007182038, 2.313988414415879, -1.054665405878567, 0.187379492368184]


def timed(work, runs, warm_up):
    """Seconds of each run."""
    end = time.monotonic() + warm_up
    while True:
        work()
        cp.cuda.Device().synchronize()
        if time.monotonic() >= end:
            break
    seconds = []
    for _ in range(runs):
        start, stop = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        work()
        stop.record()
        stop.synchronize()
        seconds.append(cp.cuda.get_elapsed_time(start, stop) / 1e3)
    return sorted(seconds)


def residual(x, y):
    """||a * y - b * x|| / ||y|| over all rows, for filters at rest."""
    off = cp.zeros(x.shape, dtype=cp.float64)
    for lag, (b, a) in enumerate(zip(B, A)):
        rows = x.shape[-1] - lag
        off[..., lag:] += a * y[..., :rows].astype(cp.float64) - b * x[..., :rows].astype(cp.float64)
    return float(cp.linalg.norm(off) / cp.linalg.norm(y.astype(cp.float64)))


def copy_bandwidth(runs, warm_up):
    """Bytes read and written per second by a copy of 1 GiB."""
    source = cp.zeros(1 << 30, dtype=cp.uint8)
    target = cp.empty_like(source)
    seconds = timed(lambda: cp.copyto(target, source), runs, warm_up)
    return 2 * source.nbytes / seconds[len(seconds) // 2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--warm-up", type=float, default=0.3)
    parser.add_argument("--case", nargs=3, action="append", metavar=("PRECISION", "ROWS", "BATCH"))
    arguments = parser.parse_args()
    cases = arguments.case or [("f32", 1 << 20, 1), ("f32", 1 << 24, 1), ("f32", 1 << 27, 1), ("f32", 65536, 1024)]
    adapter = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    copy = copy_bandwidth(arguments.runs, max(arguments.warm_up, 0.5))
    out = csv.DictWriter(sys.stdout, COLUMNS)
    out.writeheader()
    for precision, rows, batch in cases:
        rows, batch = int(rows), int(batch)
        dtype = TYPES[precision]
        x = cp.random.default_rng(7).random((batch, rows), dtype=dtype) * 2 - 1
        b, a = cp.asarray(B, dtype=dtype), cp.asarray(A, dtype=dtype)
        seconds = timed(lambda: lfilter(b, a, x, axis=-1), arguments.runs, arguments.warm_up)
        median, all_rows, least = seconds[len(seconds) // 2], rows * batch, 2 * x.itemsize
        out.writerow(
            {
                "family": "filter of order 4",
                "algorithm": "cupy lfilter",
                "precision": precision,
                "layout": "contiguous",
                "rows": rows,
                "batch": batch,
                "median_us": median * 1e6,
                "min_us": seconds[0] * 1e6,
                "rows_per_s": all_rows / median,
                "bytes_per_row": least,
                "gb_per_s": least * all_rows / median / 1e9,
                "copy_gb_per_s": copy / 1e9,
                "share_of_copy": least * all_rows / median / copy,
                "relative_residual": residual(x, lfilter(b, a, x, axis=-1)),
                "adapter": adapter,
            }
        )


if __name__ == "__main__":
    main()
