#!/usr/bin/env python3
"""Measures what a user waits for: host solves, and whole processes from a file to its solution.

    host.py [--quick] [--bin DIR] [--out DIR]

--quick    small sizes and few runs
--bin DIR  take the program `trisolve` from DIR; by default cargo builds it
--out DIR  where the results go (benches/results/host/ADAPTER)

Results: host.csv and host.svg (`trisolve bench host`), start-up.csv (a line per case, medians, in milliseconds), and about.csv (adapter,
driver, processor, date, commit: COMMIT, or else that of the Git repository).
"""

import argparse
import csv
import datetime
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# `plan` is a part of planning and compiling: what making the plan took, without the first solve.
PARTS = ["reading", "opening", "plan", "planning", "compiling", "uploading", "solving", "checking", "downloading", "writing", "total"]


def run(command, environment=None):
    """The standard output of a command, and its milliseconds."""
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    took = 1e3 * (time.perf_counter() - start)
    if done.returncode != 0:
        sys.exit(f"host.py: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout, took


def program(folder):
    if folder:
        return folder / "trisolve"
    subprocess.run(["cargo", "build", "--release", "--package", "trisolve-cli"], cwd=ROOT, check=True)
    return ROOT / "target/release/trisolve"


def caches(folder, **more):
    """An environment in which the program's kernels and the driver's cache are kept in a folder."""
    driver = folder / "driver"
    driver.mkdir(parents=True, exist_ok=True)
    places = {"TRISOLVE_KERNELS": str(folder / "kernels"), "__GL_SHADER_DISK_CACHE_PATH": str(driver), "MESA_SHADER_CACHE_DIR": str(driver)}
    return {**os.environ, **places, **more}


class StartUp:
    """The cases of start-up.csv."""

    def __init__(self, trisolve, scratch, runs):
        self.trisolve, self.scratch, self.runs, self.lines = trisolve, scratch, runs, []

    def matrix(self, rows, ending):
        path = self.scratch / f"{rows}{ending}"
        if not path.exists():
            run([self.trisolve, "generate", "--rows", str(rows), path])
        return path

    def measure(self, case, rows, place, environments, output=None):
        """One solve per environment; `rows` in a file."""
        command = [self.trisolve, "solve", self.matrix(rows, ".mtx"), "--place", place, "--timing", "--json"]
        command += ["--output", self.scratch / output] if output else []
        spent, took = [], []
        for environment in environments:
            text, milliseconds = run(command, environment)
            spent.append(json.loads(text)["timing"])
            took.append(milliseconds)
        line = {"case": case, "place": place, "rows": rows, "runs": len(took), "process_ms": round(statistics.median(took), 3)}
        for part in PARTS:
            line[f"{part}_ms"] = round(statistics.median(one[f"{part}_us"] for one in spent) / 1e3, 3)
        self.lines.append(line)
        print(f"{case}, {rows} rows: {line['process_ms']:.0f} ms", flush=True)

    def all(self, sizes, file_rows):
        for rows in sizes:
            fresh = [caches(self.scratch / f"fresh-{rows}-{at}") for at in range(self.runs)]
            self.measure("device, empty caches", rows, "device", fresh)
            kept = fresh[0]
            self.measure("device, second process", rows, "device", [kept] * self.runs)
            off = {"__GL_SHADER_DISK_CACHE": "0", "MESA_SHADER_CACHE_DISABLE": "1"}
            without = caches(self.scratch / f"fresh-{rows}-0", **off)
            self.measure("device, second process, driver's cache off", rows, "device", [without] * self.runs)
            self.measure("device, no caches", rows, "device", [{**without, "TRISOLVE_KERNELS": ""}] * self.runs)
            self.measure("cpu", rows, "cpu", [None] * self.runs)
        self.measure("cpu, solution to a file", file_rows, "cpu", [None] * self.runs, "x.mtx")


def write_csv(path, lines):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, lines[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def commit():
    known = os.environ.get("COMMIT")
    return known or run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"])[0].strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    trisolve = program(arguments.bin)
    adapters = json.loads(run([trisolve, "devices", "--json"])[0])
    if not adapters:
        sys.exit("host.py: no adapter: see trisolve devices")
    name = adapters[0]["name"]
    folder = name.split(" (")[0].lower().replace(" ", "-")
    out = arguments.out or ROOT / "benches/results/host" / folder
    out.mkdir(parents=True, exist_ok=True)
    scratch = pathlib.Path(tempfile.mkdtemp())
    try:
        sizes, file_rows, runs = ([1000], 10**5, 2) if arguments.quick else ([1000, 2**20], 10**6, 5)
        start_up = StartUp(trisolve, scratch, runs)
        start_up.all(sizes, file_rows)
        write_csv(out / "start-up.csv", start_up.lines)
        quick = ["--rows", "1000,2^16", "--runs", "3", "--warm-up", "0"] if arguments.quick else []
        table, _ = run([trisolve, "bench", "host", *quick, "--csv", out / "host.csv", "--plot", out / "host.svg"])
        print(table)
        with (out / "host.csv").open() as file:
            processor = next(csv.DictReader(file))["processor"]
        about = {"adapter": name, "driver": adapters[0]["driver"], "processor": processor, "cores": os.cpu_count()}
        write_csv(out / "about.csv", [{**about, "date": datetime.date.today().isoformat(), "commit": commit()}])
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"written to {out}")


if __name__ == "__main__":
    main()
