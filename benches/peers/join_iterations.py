#!/usr/bin/env python3
"""Joins CSVs of `trisolve bench quasi` and of cupy_solvers.py into one CSV and one table.

    join_iterations.py --csv OUT.csv IN.csv...

Writes OUT.csv and the Markdown table OUT.md, and prints the table: for each system and precision, milliseconds of the whole
solve by the wall clock, and how many times as fast that is as CuPy's method of the same name without a preconditioner, or,
where CuPy has none, as the fastest of its methods. An input may be empty; what has not converged is marked.
"""

import argparse
import csv
import pathlib
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--csv", required=True, type=pathlib.Path)
    parser.add_argument("inputs", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    lines = []
    for path in arguments.inputs:
        with path.open(newline="") as file:
            lines += list(csv.DictReader(file))
    if not lines:
        sys.exit("join_iterations.py: no results")
    columns = list(dict.fromkeys(column for line in lines for column in line))
    with arguments.csv.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)

    cases = list(dict.fromkeys((int(line["rows"]), line["system"]) for line in lines))
    text = [f"On {lines[0]['adapter']}; milliseconds of the whole solve by the wall clock (iterations).", ""]
    for rows, system in sorted(cases):
        own = [line for line in lines if (int(line["rows"]), line["system"]) == (rows, system)]
        text += [f"## {system}: {rows} rows, {own[0]['entries']} entries", ""]
        text += ["| method | preconditioner | f32 | f64 | mixed | beside CuPy, f32 | f64 |"]
        text += ["| --- | --- | --- | --- | --- | --- | --- |"]
        methods = list(dict.fromkeys((line["algorithm"], line["preconditioner"]) for line in own))
        peers = {(line["algorithm"], line["precision"]): float(line["wall_ms"]) for line in own if "cupy" in line["algorithm"]}
        for algorithm, preconditioner in methods:
            cells = [algorithm, preconditioner]
            times = {}
            for precision in ("f32", "f64", "mixed"):
                found = [
                    line
                    for line in own
                    if (line["algorithm"], line["preconditioner"], line["precision"]) == (algorithm, preconditioner, precision)
                ]
                if not found:
                    cells.append("")
                    continue
                line = found[0]
                times[precision] = float(line["wall_ms"])
                outcome = "" if line["outcome"] == "converged" else " " + line["outcome"]
                cells.append(f"{times[precision]:.3g} ({line['iterations']}){outcome}")
            for precision in ("f32", "f64"):
                same = peers.get((f"cupy {algorithm}", precision))
                best = min((ms for (_, at), ms in peers.items() if at == precision), default=None)
                beside = same or best
                if algorithm.startswith("cupy") or beside is None or precision not in times:
                    cells.append("")
                else:
                    cells.append(f"{beside / times[precision]:.1f}x" + ("" if same else " the best"))
            text.append("| " + " | ".join(cells) + " |")
        text.append("")
    table = "\n".join(text)
    arguments.csv.with_suffix(".md").write_text("# Quasi-tridiagonal systems beside CuPy\n\n" + table)
    print(table)


if __name__ == "__main__":
    main()
