"""The tables of docs/papers/course.md: the course project on Thomas, CR and PCR."""

from .common import adapters_with, digits, first, lines, measured_on, parameters_of, read_json, table

PAPER = "course"
METHODS = ["thomas", "cr", "pcr"]
NAMES = {"thomas": "Thomas", "cr": "CR", "pcr": "PCR", "cr-pcr": "CR-PCR", "auto": "`auto`"}
FOLDER = "../../benches/results/papers/course"

# Task 4: the versions that papers.sh measures, in the order of the text: what sets the policy apart, and the name.
VERSIONS = {
    "cr": [
        ({"held": "2"}, "all steps through device memory, a dispatch each"),
        ({"held": "4096", "spread": "0"}, "one dispatch, rows in workgroup memory in their order"),
        ({"held": "4096", "spread": "1", "systems": "1"}, "the same, rows spread over the banks"),
        ({"held": "4096", "spread": "1", "systems": "1", "threads": "32"}, "the same, 32 threads"),
        ({"held": "4096", "spread": "1", "systems": "4"}, "spread, 4 systems per workgroup"),
    ],
    "pcr": [
        ({"held": "2"}, "all steps through device memory, a dispatch each"),
        ({"held": "4096", "lane_rows": "0"}, "one dispatch, rows in workgroup memory"),
        ({"held": "4096", "lane_rows": "0", "threads": "32"}, "the same, 32 threads of several rows each"),
        ({"lane_rows": "16", "systems": "1"}, "registers and shuffles in one subgroup, up to 16 rows per lane"),
        ({"lane_rows": "16", "systems": "4"}, "the same, 4 systems per workgroup"),
        ({"lane_rows": "4", "spread": "0"}, "registers and shuffles in several subgroups, up to 4 rows per lane"),
        ({"lane_rows": "4", "spread": "1"}, "the same, rows spread over the banks"),
    ],
    "cr-pcr": [
        ({"parallel": "32", "lane_rows": "0"}, "PCR of 32 rows in workgroup memory"),
        ({"parallel": "32", "lane_rows": "1", "spread": "0"}, "PCR of 32 rows by shuffles, one row per lane"),
        ({"parallel": "32", "lane_rows": "1", "spread": "1"}, "the same, rows spread over the banks"),
        ({"parallel": "128", "lane_rows": "4"}, "PCR of 128 rows by shuffles, 4 rows per lane"),
        ({"parallel": "512", "lane_rows": "16"}, "PCR of 512 rows by shuffles, 16 rows per lane"),
        ({"parallel": "256", "subgroups": "32"}, "PCR of 256 rows by shuffles in several subgroups, spread"),
    ],
}

# What a step of the optimisation changes: its name, the version before and the version after.
GAINS = [
    ("CR: workgroup memory instead of device memory", ("cr", 0), ("cr", 1)),
    ("CR: rows spread over the banks", ("cr", 1), ("cr", 2)),
    ("CR: 4 systems per workgroup", ("cr", 2), ("cr", 4)),
    ("PCR: workgroup memory instead of device memory", ("pcr", 0), ("pcr", 1)),
    ("PCR: registers and shuffles in one subgroup instead", ("pcr", 1), ("pcr", 3)),
    ("PCR: in several subgroups instead of workgroup memory", ("pcr", 1), ("pcr", 5)),
    ("PCR: several subgroups, rows spread over the banks", ("pcr", 5), ("pcr", 6)),
    ("CR-PCR: the last 32 rows by shuffles", ("cr-pcr", 0), ("cr-pcr", 1)),
    ("CR-PCR instead of CR, both in workgroup memory", ("cr", 1), ("cr-pcr", 0)),
]


def adapters():
    """The adapters whose results are there, the GPU first."""
    return adapters_with(PAPER, "about.csv")


def main_adapter():
    return first(adapters(), PAPER, "about.csv")


def per_adapter(make):
    """A part per adapter, below the adapter's name."""

    def block():
        parts = []
        for adapter in adapters():
            name = lines(PAPER, adapter, "about.csv")[0]["adapter"]
            parts.append(f"**{name}**\n\n{make(adapter).strip()}\n")
        return "\n".join(parts)

    return block


def method_of(row):
    """The method of a line. What `auto` took may follow its name."""
    return row["algorithm"].split(" ")[0]


def places(rows):
    """The batches and layouts of course.csv in their order."""
    found = []
    for row in rows:
        place = (int(row["batch"]), row["layout"])
        if place not in found:
            found.append(place)
    return found


def title(batch, layout):
    return "one system" if batch == 1 else f"{batch} systems, {layout}"


def times(rows, batch, layout):
    """Microseconds by n, then by method."""
    by_rows = {}
    for row in rows:
        if (int(row["batch"]), row["layout"]) == (batch, layout):
            by_rows.setdefault(int(row["rows"]), {})[method_of(row)] = float(row["median_us"])
    return dict(sorted(by_rows.items()))


def fastest(of_methods):
    """The fastest of the three methods that were run, and how many times longer the next takes; None if it is alone."""
    ranked = sorted((time, method) for method, time in of_methods.items() if method in METHODS)
    return ranked[0][1], ranked[1][0] / ranked[0][0] if len(ranked) > 1 else None


def counts():
    """Task 1, from the first adapter: the counts are the same on all."""
    return [row for row in read_json(PAPER, main_adapter(), "methods.json") if row["method"] in METHODS]


def project_steps(method, n):
    """Steps down to systems of 2 unknowns, their solution as one step, and steps back (figures 1 and 2)."""
    if method == "thomas" or n & (n - 1):
        return "-"
    halvings = n.bit_length() - 1
    return 2 * halvings - 1 if method == "cr" else halvings


def steps():
    rows = []
    for row in counts():
        n, method = row["rows"], row["method"]
        expected = {"thomas": f"8n = {8 * n}", "cr": f"17n = {17 * n}"}
        if not n & (n - 1):
            expected["pcr"] = f"12 n log2 n = {12 * n * (n.bit_length() - 1)}"
        rows.append([n, NAMES[method], project_steps(method, n), row["steps"], expected.get(method, "-"), row["operations"]])
    return table(["n", "method", "steps, figures 1 and 2", "steps here", "operations, usual formula", "operations here"], rows)


def comparison(adapter):
    rows = lines(PAPER, adapter, "course.csv")
    parts = []
    for batch, layout in places(rows):
        out = []
        for n, of_methods in times(rows, batch, layout).items():
            winner, lead = fastest(of_methods)
            cells = [digits(of_methods[method]) if method in of_methods else "-" for method in [*METHODS, "auto"]]
            lead = "-" if lead is None else f"{lead:.2f}"
            out.append([n, *cells, NAMES[winner], lead])
        header = ["n", *(f"{NAMES[method]}, us" for method in [*METHODS, "auto"]), "fastest of the three", "next takes, times"]
        parts.append(f"{title(batch, layout)}:\n\n{table(header, out)}")
    return "\n".join(parts)


def winners(adapter):
    rows = lines(PAPER, adapter, "course.csv")
    by_place = {place: times(rows, *place) for place in places(rows)}
    sizes = sorted({n for found in by_place.values() for n in found})
    out = []
    for n in sizes:
        cells = [NAMES[fastest(found[n])[0]] if n in found else "-" for found in by_place.values()]
        out.append([n, *cells])
    return table(["n", *(title(*place) for place in by_place)], out)


def version_cases(rows):
    """Systems and rows that the versions were measured with."""
    return sorted({(int(row["batch"]), int(row["rows"])) for row in rows})


def version_times(rows, algorithm):
    """Microseconds of each of the VERSIONS of an algorithm, by case."""
    own = [(row, parameters_of(row["divided"])) for row in rows if method_of(row) == algorithm]
    found = []
    for wanted, _ in VERSIONS[algorithm]:
        of_cases = {}
        for row, parameters in own:
            # The default number of threads depends on n: the first line is the one without a number of its own.
            if all(parameters.get(key) == value for key, value in wanted.items()):
                of_cases.setdefault((int(row["batch"]), int(row["rows"])), float(row["median_us"]))
        found.append(of_cases)
    return found


def versions(adapter):
    rows = lines(PAPER, adapter, "versions.csv")
    cases = version_cases(rows)
    parts = []
    for algorithm, known in VERSIONS.items():
        found = version_times(rows, algorithm)
        best = {case: min(times[case] for times in found if case in times) for case in cases}
        out = []
        for (_, name), of_cases in zip(known, found):
            cells = []
            for case in cases:
                text = digits(of_cases[case]) if case in of_cases else "-"
                cells.append(f"**{text}**" if of_cases.get(case) == best[case] else text)
            out.append([name, *cells])
        header = [f"{NAMES[algorithm]}, us", *(f"{batch} x {n}" for batch, n in cases)]
        parts.append(table(header, out))
    return "\n".join(parts)


def gains(adapter):
    rows = lines(PAPER, adapter, "versions.csv")
    cases = version_cases(rows)
    found = {algorithm: version_times(rows, algorithm) for algorithm in VERSIONS}
    out = []
    for name, before, after in GAINS:
        slow, fast = (found[algorithm][number] for algorithm, number in (before, after))
        out.append([name, *(f"{slow[case] / fast[case]:.2f}" if case in slow and case in fast else "-" for case in cases)])
    return table(["times as fast by", *(f"{batch} x {n}" for batch, n in cases)], out)


def plate(adapter):
    rows = lines(PAPER, adapter, "heat_plate.csv")
    out = [
        [
            NAMES[row["algorithm"]],
            digits(row["step_us"]),
            digits(row["largest_error"], 2),
            f"{100 * float(row['of_bound']):.0f} %",
            digits(row["difference"], 2),
        ]
        for row in rows
    ]
    grid, count = rows[0]["grid"], rows[0]["steps"]
    header = ["method", "us per step", "largest error", "of its bound", "differs from Thomas by"]
    return f"{grid} x {grid} nodes, {count} steps:\n\n{table(header, out)}\n![temperatures]({FOLDER}/{adapter}/heat_plate.png)"


def picture(name, of):
    def make(adapter):
        return f"![{of}]({FOLDER}/{adapter}/{name})"

    return make


def patterns():
    return picture("course-patterns.svg", "Which equations each step of CR and PCR reads, for 8 unknowns")(main_adapter())


def claims():
    """What the project says of the methods, beside what was counted and measured."""
    counted = {(row["method"], row["rows"]): row for row in counts()}
    adapter = main_adapter()
    name = lines(PAPER, adapter, "about.csv")[0]["adapter"]
    rows = lines(PAPER, adapter, "course.csv")
    n = 1024 if any(row["rows"] == "1024" for row in rows) else 1023
    one = times(rows, 1, "contiguous")[n]
    ratio = one["thomas"] / one["cr"]

    def operations(method, n):
        return counted[method, n]["operations"]

    def verdict(holds):
        return "holds" if holds else "does not hold here"

    return table(
        ["claim", "here", "verdict"],
        [
            [
                "Thomas's method takes O(n) operations",
                f"{operations('thomas', 8)} for 8 rows, {operations('thomas', 1023)} for 1023, {operations('thomas', 1024)} for 1024: 8n - 7",
                verdict(operations("thomas", 1024) == 8 * 1024 - 7 and operations("thomas", 8) == 57),
            ],
            [
                "CR is suitable for parallelization",
                f"one system of {n} rows on {name}: Thomas takes {digits(ratio, 2)} times as long as CR",
                verdict(ratio > 1),
            ],
            [
                "each step of CR's first phase halves the system, down to 2 unknowns",
                f"down to 1, by {(counted['cr', 1024]['steps'] - 1) // 2} steps for 1024 rows; then one division, and as many steps back",
                "holds; one more step each way",
            ],
            [
                "each step of PCR reduces each system to two of half the size",
                f"{counted['pcr', 1024]['steps'] - 1} steps reduce 1024 rows to 1024 systems of 1 row; then one division",
                "holds; one more step",
            ],
            [
                "PCR has only the forward phase",
                f"{counted['pcr', 1024]['steps']} steps for 1024 rows against {counted['cr', 1024]['steps']} of CR, for "
                f"{operations('pcr', 1024) / operations('cr', 1024):.1f} times the operations",
                verdict(counted["pcr", 1024]["steps"] < counted["cr", 1024]["steps"]),
            ],
            [
                "PCR can take a size that is no power of two, as 1023",
                f"{counted['pcr', 1023]['steps']} steps and {operations('pcr', 1023)} operations; CR {counted['cr', 1023]['steps']} and "
                f"{operations('cr', 1023)}",
                "holds for all three methods",
            ],
        ],
    )


BLOCKS = {
    "measured on": lambda: measured_on(PAPER, adapters()),
    "claims": claims,
    "steps": steps,
    "patterns": patterns,
    "gains": per_adapter(gains),
    "versions": per_adapter(versions),
    "comparison": per_adapter(comparison),
    "winners": per_adapter(winners),
    "course picture": per_adapter(picture("course.svg", "Rows per second of Thomas, CR, PCR and auto over n")),
    "plate": per_adapter(plate),
}
