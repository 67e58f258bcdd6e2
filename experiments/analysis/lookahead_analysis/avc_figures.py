"""Figures of Collange and Kouyoumdjian, 2011 (affine vector cache)."""

import numpy as np

from .packages import pandas as pd
from .sweeps import normalised, ratio, total, with_mean

BASELINE = "48 KB"


def facts(run):
    """Traffic below L1 and AVC: lines of private memory that are fetched and messages that are written back. A message
    with words of both caches is the AVC's."""
    instructions = total(run, "sm", "warp_instructions")
    accesses = total(run, "l1d", "local_misses") + total(run, "l1d", "write_backs") + total(run, "avc", "write_backs")
    return {
        "cycles": float(run.attrs["cycles"]),
        "energy": float(run["energy"].attrs["total_j"]) if "energy" in run else np.nan,
        "dynamic": float(run["energy"].attrs["dynamic_j"]) if "energy" in run else np.nan,
        "private": total(run, "l1d", "local_hits") + total(run, "l1d", "local_misses") + total(run, "avc", "accesses"),
        "traffic": 10_000 * ratio(accesses, instructions),
    }


def over_baseline(axis, column, invert=False):
    """Applications weigh equally."""
    def figure(sweep):
        table = normalised(sweep.table(axis), column, axis, BASELINE, invert)
        return with_mean(table.drop(columns=BASELINE), geometric=True)
    return figure


def traffic(axis):
    def figure(sweep):
        return sweep.table(axis).pivot_table(index="workload", columns=axis, values="traffic", sort=False)
    return figure


def traffic_by_registers(sweep):
    table = sweep.table("caches", "registers")
    table["registers"] = table["registers"].astype(int)
    wide = table.pivot_table(index=["workload", "registers"], columns="caches", values="traffic", sort=False)
    return wide.sort_index(level="registers", ascending=False, sort_remaining=False).sort_index(
        level="workload", sort_remaining=False, kind="stable")


def by_registers(sweep):
    table = sweep.table("caches", "registers")
    table["registers"] = table["registers"].astype(int)
    return table


def least_limit(points, holds):
    """The least limit from which on, upwards, it holds; none if it does not of the highest that was run."""
    least = np.nan
    for _, point in points.sort_values("registers", ascending=False).iterrows():
        if not holds(point):
            break
        least = point["registers"]
    return least


def least_limits(sweep):
    """Of each workload: `r_base`, with no private access at all, and for each kind of caches the least limit from which on
    less than one access in 10 000 instructions goes below them. Empty: there is none among those that were run."""
    rows = {}
    for (workload, caches), points in by_registers(sweep).groupby(["workload", "caches"], sort=False):
        row = rows.setdefault(workload, {})
        if caches == BASELINE:
            row["r_base"] = least_limit(points, lambda point: point["private"] == 0)
        row[caches] = least_limit(points, lambda point: point["traffic"] < 1)
    return pd.DataFrame.from_dict(rows, orient="index")


def tolerable_registers(sweep):
    return with_mean(least_limits(sweep), geometric=False)


def capacity_gain(sweep):
    """Registers of each thread that the caches hold more than the baseline's L1, and over all workloads by how many percent
    that raises what it holds, r_base less its own limit."""
    limits = least_limits(sweep)
    more = limits.drop(columns=["r_base", BASELINE]).rsub(limits[BASELINE], axis=0)
    held = (limits["r_base"] - limits[BASELINE]).mean()
    table = with_mean(more, geometric=False)
    others = [name for name in more.index if name != "nw"]
    table.loc["median"] = more.median()
    table.loc["median without nw"] = more.loc[others].median()
    table.loc["capacity, percent"] = 100 * more.mean() / held
    return table


def best_against_best(sweep):
    """Each at the limit at which it takes fewest cycles."""
    best = by_registers(sweep).groupby(["workload", "caches"], sort=False)["cycles"].min().unstack()
    best = best.reindex(sweep.points["workload"].unique())
    return with_mean(best.rdiv(best[BASELINE], axis=0).drop(columns=BASELINE), geometric=True)


def gains_by_change(column, invert=False):
    """Means over the workloads, for each change and kind of caches, over the same machine with 48 KB of L1."""
    def figure(sweep):
        table, rows = sweep.table("change", "caches"), {}
        for change, points in table.groupby("change", sort=False):
            mean = with_mean(normalised(points, column, "caches", BASELINE, invert).drop(columns=BASELINE), geometric=True)
            rows[change] = mean.loc["mean"]
        return pd.DataFrame.from_dict(rows, orient="index")
    return figure


def each_by_change(caches):
    """Speed-ups of one kind of caches, by workload and change."""
    def figure(sweep):
        table, columns = sweep.table("change", "caches"), {}
        for change, points in table.groupby("change", sort=False):
            columns[change] = normalised(points, "cycles", "caches", BASELINE, True)[caches]
        return with_mean(pd.DataFrame(columns), geometric=True)
    return figure


def gains_by_pointers(sweep):
    """Speed-ups over 48 KB of L1 with pointers of the same width."""
    parts = {f"{width} bits": normalised(part, "cycles", "caches", BASELINE, invert=True).drop(columns=BASELINE)
             for width, part in sweep.table("pointers", "caches").groupby("pointers", sort=False)}
    table = pd.concat(parts, axis=1)
    table.columns = [f"{caches}, {width}" for width, caches in table.columns]
    return with_mean(table, geometric=True)


# The axes of each study, with the values that its figures are made with.
STUDIES = {
    "avc/designs": {"design": [BASELINE]},
    "avc/occupancy": {"caches": [BASELINE]},
    "avc/operating_point": {"caches": [BASELINE]},
    "avc/pointers": {"pointers": ["32", "64"], "caches": [BASELINE]},
    "avc/reasons": {"change": [], "caches": [BASELINE, "32 + 16 KB"]},
    "avc/registers": {"caches": [], "registers": []},
}

FIGURES = {
    "avc/fig6": ("avc/registers", "Private traffic below the caches at each register limit", traffic_by_registers,
                 "falls with an AVC, but for Heartwall at 7 registers", "accesses in 10 000 instructions"),
    "avc/table4": ("avc/registers", "The least register limit with under one access in 10 000 instructions",
                   tolerable_registers, "3.7, 4.3 and 3.7 registers fewer by the text, 2.6, 3.2 and 2.7 by the table's rows",
                   "registers"),
    "avc/gain": ("avc/registers", "Registers of a thread that the caches hold more than 48 KB of L1", capacity_gain,
                 "3.7, 4.3 and 3.7 by the text, 2.6, 3.2 and 2.7 by the table's rows; capacity 50, 59 and 50 percent",
                 "registers"),
    "avc/best": ("avc/registers", "Speed-up over 48 KB of L1, each at the register limit that suits it best",
                 best_against_best, "not in the paper", "speed-up"),
    "avc/reasons": ("avc/reasons", "Speed-up over 48 KB of L1 at half of r_base, means", gains_by_change("cycles", True),
                    "32 + 16 KB: 1.057", "speed-up"),
    "avc/reasons_energy": ("avc/reasons", "Dynamic energy over that with 48 KB of L1, means", gains_by_change("dynamic"),
                           "32 + 16 KB: 0.89", "energy, normalised"),
    "avc/reasons_each": ("avc/reasons", "Speed-up of 32 + 16 KB over 48 KB of L1 at half of r_base",
                         each_by_change("32 + 16 KB"), "mean 1.057, Heartwall 0.997", "speed-up"),
    "avc/fig7a": ("avc/operating_point", "Speed-up over 48 KB of L1 at half of r_base", over_baseline("caches", "cycles", True),
                  "32 + 16 KB: mean 1.057, Heartwall 0.997", "speed-up"),
    "avc/fig7b": ("avc/operating_point", "Energy over that with 48 KB of L1 at half of r_base", over_baseline("caches", "energy"),
                  "32 + 16 KB: mean 0.89, best 0.61", "energy, normalised"),
    "avc/fig7b_dynamic": ("avc/operating_point", "Dynamic energy over that with 48 KB of L1 at half of r_base",
                          over_baseline("caches", "dynamic"), "32 + 16 KB: mean 0.89, best 0.61", "energy, normalised"),
    "avc/traffic": ("avc/operating_point", "Private traffic below the caches at half of r_base", traffic("caches"),
                    "not in the paper", "accesses in 10 000 instructions"),
    "avc/designs": ("avc/designs", "Speed-up over 48 KB of L1 at half of r_base", over_baseline("design", "cycles", True),
                    "not in the paper", "speed-up"),
    "avc/designs_traffic": ("avc/designs", "Private traffic below the caches at half of r_base", traffic("design"),
                            "read-modify-write nullifies the benefits", "accesses in 10 000 instructions"),
    "avc/occupancy": ("avc/occupancy", "Speed-up over 48 KB of L1 with the occupancy of 16 registers",
                      over_baseline("caches", "cycles", True), "not in the paper", "speed-up"),
    "avc/pointers": ("avc/pointers", "Speed-up over 48 KB of L1 at half of r_base, by the width of pointers", gains_by_pointers,
                     "32 bits; 64 are not in the paper", "speed-up"),
}
