"""Figures of Collange and Kouyoumdjian, 2011 (affine vector cache)."""

import numpy as np
import pandas as pd

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


def tolerable_registers(sweep):
    """The least limit from which on, upwards, less than one access in 10 000 instructions goes below the caches. Empty:
    there is none among those that were run."""
    table = sweep.table("caches", "registers")
    table["registers"] = table["registers"].astype(int)
    rows = {}
    for (workload, caches), points in table.groupby(["workload", "caches"], sort=False):
        least = np.nan
        for _, point in points.sort_values("registers", ascending=False).iterrows():
            if point["traffic"] >= 1:
                break
            least = point["registers"]
        rows.setdefault(workload, {})[caches] = least
    return with_mean(pd.DataFrame.from_dict(rows, orient="index"), geometric=False)


# The axes of each study, with the values that its figures are made with.
STUDIES = {
    "avc/designs": {"design": [BASELINE]},
    "avc/occupancy": {"caches": [BASELINE]},
    "avc/operating_point": {"caches": [BASELINE]},
    "avc/registers": {"caches": [], "registers": []},
}

FIGURES = {
    "avc/fig6": ("avc/registers", "Private traffic below the caches at each register limit", traffic_by_registers,
                 "falls with an AVC, but for Heartwall at 7 registers", "accesses in 10 000 instructions"),
    "avc/table4": ("avc/registers", "The least register limit with under one access in 10 000 instructions",
                   tolerable_registers, "3.7, 4.3 and 3.7 registers fewer by the text, 2.6, 3.2 and 2.7 by the table's rows",
                   "registers"),
    "avc/fig7a": ("avc/operating_point", "Speed-up over 48 KB of L1 at half of r_base", over_baseline("caches", "cycles", True),
                  "32 + 16 KB: mean 1.057, Heartwall 0.997", "speed-up"),
    "avc/fig7b": ("avc/operating_point", "Energy over that with 48 KB of L1 at half of r_base", over_baseline("caches", "energy"),
                  "32 + 16 KB: mean 0.89, best 0.61", "energy, normalised"),
    "avc/traffic": ("avc/operating_point", "Private traffic below the caches at half of r_base", traffic("caches"),
                    "not in the paper", "accesses in 10 000 instructions"),
    "avc/designs": ("avc/designs", "Speed-up over 48 KB of L1 at half of r_base", over_baseline("design", "cycles", True),
                    "not in the paper", "speed-up"),
    "avc/designs_traffic": ("avc/designs", "Private traffic below the caches at half of r_base", traffic("design"),
                            "read-modify-write nullifies the benefits", "accesses in 10 000 instructions"),
    "avc/occupancy": ("avc/occupancy", "Speed-up over 48 KB of L1 with the occupancy of 16 registers",
                      over_baseline("caches", "cycles", True), "not in the paper", "speed-up"),
}
