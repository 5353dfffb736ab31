"""Tables 3 and 4 of the TPR paper, and sections 4.3 and 4.4: occupancy and policies."""

import math

from .common import digits, parameters_of, pick, table
from .tpr_data import data, matrix, method, of_adapter, power


class Processor:
    """The limits of a streaming multiprocessor. `reserved` bytes of shared memory go to each block beside its own."""

    def __init__(self, shared, reserved):
        self.warps, self.blocks, self.registers = 64, 32, 65536
        self.shared, self.reserved = shared, reserved

    def resident(self, warps, registers, shared):
        """Blocks of so many warps at a time, with registers per thread (None: no limit) and bytes of shared memory per block."""
        limits = [self.warps // warps, self.blocks]
        if registers:
            # A warp takes registers in units of 256, and warps come in fours: the processor has four parts.
            per_warp = math.ceil(32 * registers / 256) * 256
            limits.append(self.registers // per_warp // 4 * 4 // warps)
        if shared + self.reserved:
            limits.append(self.shared // (shared + self.reserved))
        return min(limits)


MAXWELL = Processor(64 << 10, 0)
# An H200 (compute capability 9.0).
HOPPER = Processor(228 << 10, 1 << 10)

# Warps per block, registers per thread, shared memory per block, warp occupancy in percent, blocks.
TABLE_3 = [
    (1, 64, 2048, 50, 32),
    (2, 32, 2048, 100, 32),
    (2, 40, 2560, 75, 24),
    (4, 32, 4096, 100, 16),
    (4, 40, 5120, 75, 12),
    (8, 32, 8192, 100, 8),
    (8, 40, 10240, 75, 6),
    (16, 32, 16384, 100, 4),
    (32, 32, 32768, 100, 2),
]


def table_3():
    body = []
    for warps, registers, shared, occupancy, blocks in TABLE_3:
        computed = MAXWELL.resident(warps, registers, shared)
        body.append([warps, registers, shared, f"{occupancy}%", f"{100 * computed * warps // 64}%", blocks, computed])
    header = ["warps per block", "registers per thread", "shared memory per block"]
    return table([*header, "occupancy: paper", "computed", "blocks: paper", "computed"], body)


SUBGROUP = 32


def slice_memory(threads):
    """Bytes of workgroup memory that stage 1 takes for a slice in f32: a row of both sub-systems per thread, or one row in
    all if a subgroup holds the slice."""
    return 16 if threads == SUBGROUP else 32 * threads


def registers():
    """Registers per thread of stage 1 by S and L, where the driver tells."""
    found = {}
    for row in data("registers.csv"):
        own = parameters_of(row["policy"])
        if row["kernel"] == "tpr_reduce" and own["shuffles"] == "1" and row["statistic"].lower().startswith("register"):
            found[int(own["slice"]), int(own["threads"])] = int(row["value"])
    return found


def policies():
    """The most that each policy allows, beside its times."""
    rows = [row for row in data("policies.csv") if parameters_of(row["divided"])["shuffles"] == "1"]
    n = rows[0]["rows"] if rows else "0"
    batches = sorted({int(row["batch"]) for row in rows})
    seen = {}
    for row in rows:
        own = parameters_of(row["divided"])
        seen.setdefault((int(own["slice"]), int(own["threads"])), {})[int(row["batch"])] = float(row["median_us"])
    best = {batch: min(times[batch] for times in seen.values() if batch in times) for batch in batches}
    body, taken = [], registers()
    for (size, threads), times in sorted(seen.items()):
        each, warps = size // threads, math.ceil(threads / SUBGROUP)
        memory = slice_memory(threads)
        # The registers are those of the card; without them, they do not limit.
        own = taken.get((size, threads))
        blocks = HOPPER.resident(warps, own, memory)
        cells = []
        for batch in batches:
            cell = digits(times[batch], 3) if batch in times else ""
            cells.append(f"**{cell}**" if times.get(batch) == best[batch] else cell)
        steps = digits(math.log2(threads) / each, 2)
        percent = f"{100 * blocks * warps // 64}%"
        body.append([size, threads, each, memory, own or "", blocks, percent, blocks * size, steps, *cells])
    header = ["S", "L", "P", "workgroup memory", "registers", "workgroups per multiprocessor", "occupancy", "rows in flight"]
    header += ["steps among threads per row", *(f"us, G = {batch}" for batch in batches)]
    title = f"{power(n)} rows per system, f32, {matrix(rows)}; the fastest of each G is bold:\n\n"
    return title + table(header, body) + "\n" + fastest_threads(seen, batches) + of_adapter(rows)


def fastest_threads(seen, batches):
    """For the most systems the fastest P of each S."""
    fastest = {}
    for (size, threads), times in sorted(seen.items()):
        if batches and batches[-1] in times:
            us = times[batches[-1]]
            fastest[size] = min(fastest.get(size, (math.inf, 0)), (us, size // threads))
    if not fastest:
        return ""
    sizes = {}
    for size, (_, each) in fastest.items():
        sizes.setdefault(each, []).append(str(size))
    texts = [f"{each} for S = {', '.join(of)}" for each, of in sorted(sizes.items())]
    return f"Fastest P with G = {batches[-1]}: {'; '.join(texts)}.\n\n"


STAGES = {"tpr_reduce": "stage 1", "cyclic": "stage 2", "tpr_substitute": "stage 3", "tpr": "one slice"}


def stages():
    """Section 4.4, premise (iii): the balance between the kernels."""
    rows = data("stages.csv")
    found = {}
    for row in rows:
        found.setdefault(row["batch"], []).append(row)
    body = []
    for batch, steps in found.items():
        total = sum(float(step["us"]) for step in steps)
        for step in steps:
            us = float(step["us"])
            body.append([batch, STAGES.get(step["kernel"], step["kernel"]), f"{us:.1f}", f"{100 * us / total:.0f}%"])
    title = f"{rows[0]['rows']} rows per system, f32, the tuned policy:\n\n" if rows else ""
    return title + table(["G", "", "us, each stage in a pass of its own", "share"], body) + "\n" + of_adapter(rows)


def by_exchange(rows):
    """By S and L the times with shuffles ("1", G) and without ("0", G), where both were measured."""
    found = {}
    for row in rows:
        own = parameters_of(row["divided"])
        key = (int(own["slice"]), int(own["threads"]))
        found.setdefault(key, {})[own["shuffles"], int(row["batch"])] = float(row["median_us"])
    return {key: times for key, times in sorted(found.items()) if {of for of, _ in times} == {"0", "1"}}


def shuffle_gains():
    """How many times as fast a solve is with shuffles, over policies and G."""
    found = by_exchange(data("policies.csv")).values()
    return [times["0", batch] / us for times in found for (on, batch), us in times.items() if on == "1" and ("0", batch) in times]


def shuffles():
    """Section 4.3: the last steps with and without shuffles."""
    rows = data("policies.csv")
    batches = sorted({int(row["batch"]) for row in rows})
    body = []
    for (size, threads), times in by_exchange(rows).items():
        pairs = [[digits(times[on, batch], 3) if (on, batch) in times else "" for on in "10"] for batch in batches]
        body.append([size, threads, *(cell for pair in pairs for cell in pair)])
    header = ["S", "L", *(cell for batch in batches for cell in (f"us, G = {batch}, shuffles", "memory alone"))]
    title = f"{power(rows[0]['rows'])} rows per system, f32, {matrix(rows)}:\n\n" if body else ""
    return title + table(header, body) + "\n" + of_adapter(rows)


def papers_policy(n):
    """Table 4: S, L and (L_x, L_y) for N = 2^n, with the L_x of section 4.4's text."""
    threads = 64 if n <= 18 else 64 << (n - 18)
    across = max(1, (1 << n) // (2 * threads) // 2)
    return 2 * threads, threads, across, max(1, 64 // across)


def table_4():
    body, rows = [], data("table-4.csv")
    tuned = [row for row in data("paper.csv") if method(row) == "tpr" and row.get("divided")]
    for row in pick(rows, precision="f32", batch=1):
        size, threads, across, together = papers_policy(int(row["rows"]).bit_length() - 1)
        own = pick(tuned, precision="f32", batch=1, rows=row["rows"])
        default = parameters_of(row["divided"])
        cells = ["", "", ""]
        if own:
            taken = parameters_of(own[0]["divided"])
            gain = float(row["median_us"]) / float(own[0]["median_us"])
            slices = " (one slice)" if int(taken["slice"]) >= int(row["rows"]) else ""
            cells = [f"{taken['slice']}, {taken['threads']}{slices}", digits(own[0]["median_us"], 3), f"{gain:.2f}"]
        stated = f"{size}, {threads}, ({across}, {together})"
        untuned = f"{default['slice']}, {default['threads']}, ({default['overall_threads']}, {default['overall_systems']})"
        body.append([power(row["rows"]), stated, untuned, digits(row["median_us"], 3), *cells])
    header = ["N", "paper: S, L, (L_x, L_y)", "untuned default here", "us", "tuned: S, L", "us", "gain"]
    return f"One system, f32, {matrix(rows)}:\n\n" + table(header, body) + "\n" + of_adapter(rows)
