"""The headline claims of the TPR paper, beside what was measured."""

import math

from .common import mean, pick, table
from .tpr_accuracy import CLASSIC, accuracy, errors, falls
from .tpr_data import NAMES, data, methods, number, of_adapter, policy, power, shown
from .tpr_speed import CROSSOVERS, SPEED_UPS, STABLE_RATIOS, crossover, ratios, times


def verdict(holds):
    return "confirmed" if holds else "not here"


def published(average, best):
    """Speed-ups as the paper states them; None where it states none."""
    return ", ".join([f"{average}x on average"] * (average is not None) + [f"up to {best}x"] * (best is not None))


def over_cusparse(of, stated, by_size):
    least, average = min(by_size.values()), mean(by_size.values())
    if average <= 1.0:
        holds = "not here"
    elif least <= 1.0:
        holds = "on average, not for all N"
    else:
        holds = "confirmed" if average >= stated[0] else "for all N, by less"
    here = f"{average:.2f}x on average, {least:.2f}x to {max(by_size.values()):.2f}x"
    return [f"TPR outperforms cuSPARSE for all N, {of}", published(*stated), here, holds]


def over_wang_mou(of, stated, since, by_size):
    first = crossover(by_size)
    start = f"from {power(first)} rows on" if first else "not at the most rows"
    here = f"{start}, {mean(by_size.values()):.2f}x on average, up to {max(by_size.values()):.2f}x"
    holds = "not here" if not first else "from more rows on" if first > (since or first) else "confirmed"
    paper = (f"from {power(since)} rows on, " if since else "") + published(*stated)
    return [f"TPR outperforms WM for large N, {of}", paper, here, holds]


def of_speed(speeds):
    for (precision, batch), (cusparse, wang_mou) in SPEED_UPS.items():
        found = times(speeds, precision, batch)
        of = f"{precision}, G = {batch}"
        by_size = ratios(found, "gtsv2" if batch == 1 else "gtsv2StridedBatch", "tpr")
        if by_size:
            yield over_cusparse(of, cusparse, by_size)
        by_size = ratios(found, "wang-mou", "tpr")
        if by_size:
            yield over_wang_mou(of, wang_mou, CROSSOVERS.get(batch) if precision == "f32" else None, by_size)
    for batch, stated in STABLE_RATIOS.items():
        by_size = ratios(times(speeds, "f32", batch), "tpr stable", "tpr")
        if by_size:
            average = mean(by_size.values())
            here = f"{average:.2f}x on average"
            yield [f"TPR-fastest over TPR-stable, f32, G = {batch}", published(stated, None), here, verdict(average > 1.0)]


def of_structure():
    rows = [row for row in data("policies.csv") if policy(row["divided"])["shuffles"] == "1"]
    if rows:
        best = []
        for batch in sorted({int(row["batch"]) for row in rows}):
            own = policy(min(pick(rows, batch=batch), key=lambda row: float(row["median_us"]))["divided"])
            best.append(int(own["slice"]) // int(own["threads"]))
        here = "fastest P by G: " + ", ".join(map(str, best))
        yield ["two rows per thread are the best (section 4.4)", "P = 2", here, verdict(all(each == 2 for each in best))]
    rows = methods()
    moved = {row["method"]: row["bytes_per_row"] for row in rows if row["rows"] == max(row["rows"] for row in rows)}
    if moved:
        here = "bytes per row: " + ", ".join(f"{NAMES[own]} {moved[own]:.1f}" for own in ("tpr", "wang-mou", "cr", "pcr"))
        holds = ", ".join(("" if moved["tpr"] < moved[own] else "not ") + f"over {NAMES[own]}" for own in ("cr", "pcr", "wang-mou"))
        claim = "TPR moves less between memories than the others (sections 2.3, 3.3)"
        yield [claim, "WM moves three times as much", here, holds]


def of_accuracy():
    own = falls(errors(accuracy(CLASSIC)))
    if own:
        least, most = min(own.values()), max(own.values())
        here = f"the error falls by {least:.1f}x to {most:.1f}x per doubling of S in the paper's formulas"
        yield ["larger slices are more stable (figure 14)", "yes", here, verdict(least > 1.0)]
    rows = errors(accuracy("Table 6"))
    if rows:
        worst = max(number(row["TPR-fastest"]) for row in rows.values())
        claim = "TPR's errors in f32 are acceptable in most cases (table 6)"
        yield [claim, "TPR-fastest up to 5.5e-1, TPR-stable up to 1.9e-3", f"TPR-fastest up to {shown(worst)}", verdict(worst < 1e-3)]
    for which, precision in ((7, "f32"), (8, "f64")):
        rows = errors(accuracy(f"Table {which}: 512 rows, {precision}: relative error"))
        solved = [row for row in rows.values() if not math.isnan(number(row["gtsv, CPU"]))]
        close = [row for row in solved if number(row["TPR-stable"]) <= 10.0 * number(row["gtsv, CPU"])]
        if solved:
            claim = f"TPR's answers are in most cases like those with row exchanges, {precision} (tables 7 and 8)"
            here = f"within ten times the error of LAPACK's gtsv for {len(close)} of {len(solved)} matrices that gtsv solves"
            yield [claim, "\"most cases\"", here, verdict(2 * len(close) > len(solved))]


def claims():
    speeds = data("paper.csv")
    body = [*of_speed(speeds), *of_structure(), *of_accuracy()]
    return table(["claim", "paper", "here", "verdict"], body) + "\n" + of_adapter(speeds)
