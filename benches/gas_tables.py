#!/usr/bin/env python3
"""Tables 6, 9 and 11 of Li, Yang and Li (IEEE TPDS 2016) of what `benches/gas.sh` measured.

    gas_tables.py --out OUT.md --gpu GPU.csv --cpu CPU.csv

Iterations in f64 without preconditioners, beside the paper's in brackets; and seconds of the whole solve beside the paper's
BHISA's. The systems have the sizes of the paper's and entries such that Jacobi and HISA need as many iterations.
"""

import argparse
import csv
import pathlib

METHODS = ["hisa", "bhisa", "jacobi", "gauss-seidel", "gmres", "bicg", "bicgstab", "tfqmr", "bicrstab"]
# Seconds of the paper's BHISA, by a multi-core CPU (table 9) and by a K20c (table 11).
PAPER = {
    "Gas2000": (0.025, 0.021),
    "Gas10000a": (0.053, 0.031),
    "Gas10000b": (0.062, 0.046),
    "Gas100000a": (0.121, 0.103),
    "Gas100000b": (0.146, 0.107),
    "Gas1000000a": (1.274, 1.220),
    "Gas1000000b": (1.732, 1.306),
    "Gas10000000a": (11.914, 8.166),
    "Gas10000000b": (16.572, 10.640),
    "Gas10000000c": (22.175, 12.939),
}


class Results:
    def __init__(self, path):
        with path.open(newline="") as file:
            self.lines = list(csv.DictReader(file))
        self.adapter = next(line["adapter"] for line in self.lines if "LU" not in line["algorithm"])
        self.systems = list(dict.fromkeys(line["system"] for line in self.lines))

    def find(self, system, algorithm, block=None, preconditioner="none", precision="f64"):
        """The line of a method; of BHISA with blocks of so many rows."""
        for line in self.lines:
            same = (line["system"], line["algorithm"], line["preconditioner"], line["precision"])
            blocked = block is None or line["divided"].startswith(f"block={block},")
            if same == (system, algorithm, preconditioner, precision) and blocked:
                return line
        return None


def table(header, rows):
    return ["| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows]] + [""]


def count(line):
    if line is None:
        return ""
    failed = "" if line["outcome"] == "converged" else " " + line["outcome"]
    return f"{line['iterations']} ({line['paper_iterations']}){failed}"


def milliseconds(line):
    if line is None:
        return ""
    failed = "" if line["outcome"] == "converged" else " " + line["outcome"]
    return f"{float(line['wall_ms']):.3g}{failed}"


def iterations(results):
    columns = [(method, 64 if method == "bhisa" else None) for method in METHODS]
    columns.insert(2, ("bhisa", 256))
    name = {"gmres": "gmres(5)"}
    header = ["system"] + [name.get(method, method) + (f", {block}" if block else "") for method, block in columns]
    rows = []
    sums = {}
    for system in results.systems:
        found = [results.find(system, *column) for column in columns]
        rows.append([system] + [count(line) for line in found])
        for column, line in zip(columns, found):
            for at, key in enumerate(["iterations", "paper_iterations"]):
                sums.setdefault(column, [0, 0])[at] += int(line[key]) if line else 0
    rows.append(["all"] + [f"{own} ({paper})" for own, paper in sums.values()])
    return table(header, rows)


def times(results, at, methods):
    header = ["system", "bhisa, 64", "bhisa, 256"] + methods + ["gmres(5), T", "bicgstab, T", "sparse LU, CPU", "the paper's bhisa"]
    rows = []
    for system in results.systems:
        lines = [results.find(system, "bhisa", 64), results.find(system, "bhisa", 256)]
        lines += [results.find(system, method.replace("(5)", "")) for method in methods]
        lines += [results.find(system, method, None, "tridiagonal") for method in ("gmres", "bicgstab")]
        lines.append(results.find(system, "cpu sparse LU"))
        rows.append([system] + [milliseconds(line) for line in lines] + [f"{1000 * PAPER[system][at]:.0f}"])
    filled = [column for column in range(len(header)) if any(row[column] for row in rows)]
    return table([header[column] for column in filled], [[row[column] for column in filled] for row in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--out", "--gpu", "--cpu"):
        parser.add_argument(option, required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    gpu, cpu = Results(arguments.gpu), Results(arguments.cpu)
    others = [method.replace("gmres", "gmres(5)") for method in METHODS if method != "bhisa"]
    text = ["# The tables of Li, Yang and Li (IEEE TPDS 2016) redone", ""]
    text += [
        "Its matrices are not public: these have their sizes and entries per row, and a dominance with which Jacobi and HISA",
        "need about as many iterations as there. f64, relative residual 1e-7. BHISA with blocks of 64 rows, as in the paper,",
        "and of 256, the default. Made by `benches/gas.sh` and `benches/gas_tables.py`.",
        "",
    ]
    text += [f"## Table 6: iterations (the paper's), on {gpu.adapter}", ""] + iterations(gpu)
    text += [f"## Table 9: milliseconds of the whole solve on a CPU ({cpu.adapter})", ""]
    text += ["By software Vulkan on two cores, whose bindings of 128 MiB hold no 10^7 rows in f64.", ""] + times(cpu, 0, others)
    text += [f"## Table 11: milliseconds of the whole solve on {gpu.adapter}", ""] + times(gpu, 1, others)
    arguments.out.write_text("\n".join(text))
    print("\n".join(text))


if __name__ == "__main__":
    main()
