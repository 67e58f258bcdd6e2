#!/usr/bin/env python3
"""The figures of the affine vector cache, of made tables and result files."""

import pathlib
import sys

import h5py
import numpy as np
import pandas as pd

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tests/support"))
import lookahead_process as lookahead  # noqa: E402
from made_sweeps import Rows, papers, write_counters  # noqa: E402

PAPER = papers.of(HERE.name)


class Registers:
    """Stands for a sweep over caches and register limits, of two workloads. lud_internal's traffic rises and sinks
    again, but never below the bar with 32 KB of L1. Below 24 registers there are private accesses, but none in
    nw_small, whose r_base is too low to count, and in nw_large one at 22 alone; with fewer registers a workload takes
    longer by its traffic, but less for the warps that fit."""

    points = pd.DataFrame({"workload": ["nw", "lud"], "caches": ["48 KB", "32 + 16 KB"]})

    TRAFFIC = {("nw", "48 KB"): {24: 0.0, 22: 0.99, 21: 1.0, 3: 50.0}, ("nw", "32 + 16 KB"): {24: 0.0, 22: 0.0, 21: 0.0, 3: 0.5},
               ("lud", "48 KB"): {24: 0.0, 22: 0.5, 21: 2.0, 3: 0.1}, ("lud", "32 + 16 KB"): {24: 1.0, 22: 1.0, 21: 2.0, 3: 9.0}}
    KERNEL = {"nw": "nw_first_half", "lud": "lud_internal"}

    def table(self, *axes):
        rows = []
        for (workload, caches), by_limit in self.TRAFFIC.items():
            for registers, traffic in by_limit.items():
                rows.append({"workload": workload, **dict(zip(axes, (caches, str(registers)))), "traffic": traffic,
                             "cycles": 10 * registers + 2 * traffic,
                             f"private: {self.KERNEL[workload]}": 0.0 if registers == 24 else 7.0,
                             f"traffic: {self.KERNEL[workload]}": traffic})
                if workload == "nw":
                    rows[-1] |= {"private: nw_small": 0.0, "traffic: nw_small": 0.0,
                                 "private: nw_large": float(registers < 24), "traffic: nw_large": 8.0 * (registers < 22)}
        return pd.DataFrame(rows)


class Machines:
    """Stands for a sweep over caches of two machines and register limits."""

    CYCLES = {"a: 16 KB": {63: 100.0, 20: 80.0}, "a: 12 + 4 KB": {63: 90.0, 20: 40.0}, "b: 48 KB": {63: 70.0, 20: 70.0},
              "b: 36 + 8 KB": {63: 60.0, 20: 140.0}}
    points = pd.DataFrame({"workload": "nw", "caches": list(CYCLES)})

    def table(self, *axes):
        return pd.DataFrame([("nw", caches, str(limit), cycles) for caches, by_limit in self.CYCLES.items()
                             for limit, cycles in by_limit.items()], columns=["workload", *axes, "cycles"])


# Of sweeps over caches at one register limit, and over changes and caches.
CACHES = Rows(["workload", "caches", "cycles", "energy", "dynamic"],
              [("nw", "48 KB", 1000.0, 4.0, 2.0), ("nw", "32 + 16 KB", 500.0, 1.0, 1.0), ("lud", "48 KB", 1000.0, 4.0, 3.0),
               ("lud", "32 + 16 KB", 2000.0, 4.0, 3.0)])

CHANGES = Rows(["workload", "change", "caches", "cycles"],
               [("nw", "as it is", "48 KB", 1000.0), ("nw", "as it is", "32 + 16 KB", 500.0), ("lud", "as it is", "48 KB", 1000.0),
                ("lud", "as it is", "32 + 16 KB", 2000.0), ("nw", "other", "48 KB", 1000.0), ("nw", "other", "32 + 16 KB", 250.0),
                ("lud", "other", "48 KB", 10.0), ("lud", "other", "32 + 16 KB", 10.0)])


def check_avc(checks):
    table = PAPER.table("table4", Registers())
    expected = pd.DataFrame([[24, 3, np.nan], [24, 22, 3], [24, 22, 22], [24, 12.5, 3]],
                            index=["lud_internal", "nw_first_half", "nw_large", "mean"],
                            columns=["r_base", "48 KB", "32 + 16 KB"])
    checks.check("table4", list(table.index) == list(expected.index) and np.allclose(table, expected, equal_nan=True), table)
    curve = PAPER.table("fig6", Registers())
    checks.check("fig6", curve.loc[("nw", 3), "48 KB"] == 50 and list(curve.loc["nw"].index) == [24, 22, 21, 3], curve)
    gain = PAPER.table("gain", Registers())["32 + 16 KB"]
    checks.check("gain", gain["nw_first_half"] == 19 and np.isnan(gain["lud_internal"]) and np.isnan(gain["median without nw"])
          and gain["mean"] == gain["median"] == gain["mean where 48 KB do not hold all"] == 19
          and gain["mean of r_base 8 and more"] == gain["mean, by limits from which on all hold"] == 19
          and np.isnan(gain["mean without nw"]) and gain["mean of all"] == 9.5 and np.isclose(gain["capacity, percent"], 1900 / 11.5), gain)
    points = pd.DataFrame({"registers": [3, 4, 5, 6], "traffic": [0.0, 1.0, 0.9, 0.0]})
    checks.check("least limits", PAPER.module.least(points) == 3 and PAPER.module.least_from_there_on(points) == 5
          and PAPER.module.least_from_there_on(points[points["registers"] != 4]) == 3, points)
    best = PAPER.table("best", Registers())["32 + 16 KB"]
    checks.check("best", best["nw"] == 130 / 31 and np.isclose(best["lud"], 30.2 / 48), best)
    whole = PAPER.table("whole_gpu", Machines())
    checks.check("whole_gpu", list(whole.columns) == ["a: 12 + 4 KB", "b: 36 + 8 KB"] and list(whole.loc["nw"]) == [2, 70 / 60], whole)
    limits = PAPER.table("whole_gpu_limits", Machines())
    checks.check("whole_gpu_limits", list(limits.loc["nw"]) == [20, 20, 63, 63], limits)
    reasons = PAPER.table("reasons", CHANGES)
    checks.check("reasons", list(reasons.index) == ["as it is", "other"] and np.isclose(reasons.loc["as it is", "32 + 16 KB"], 1)
          and np.isclose(reasons.loc["other", "32 + 16 KB"], 2), reasons)
    each = PAPER.table("reasons_each", CHANGES)
    checks.check("reasons_each", each.loc["nw", "as it is"] == 2 and each.loc["lud", "other"] == 1, each)
    for figure, mean, nw in (("fig7a", 1.0, 2.0), ("fig7b", 0.5, 0.25), ("fig7b_dynamic", 2**-0.5, 0.5)):
        table = PAPER.table(f"{figure}", CACHES)
        checks.check(f"{figure}", list(table.columns) == ["32 + 16 KB"] and np.isclose(table.loc["mean"].iloc[0], mean)
              and table.loc["nw"].iloc[0] == nw, table)
    # Of each workload: cycles with a small and the paper's AVC over 104 without one; accesses below 48 KB and the paper's.
    found = {"nw": (101, 100, 9.0, 9.0), "lud": (101, 101, 0.9, 0.9), "cfd": (100, 101, 9.0, 9.0), "hotspot": (101, 101, 9.0, 4.5),
             "backprop": (101, 101, 9.0, 4.4)}
    rows = [row for workload, (small, paper, without, below) in found.items()
            for row in ((workload, "48 KB", 104.0, without), (workload, "40 + 8 KB", small, 0.0), (workload, "32 + 16 KB", paper, below))]
    terms = PAPER.table("terms", Rows(["workload", "caches", "cycles", "traffic"], rows))
    checks.check("terms", list(terms["what keeps it"]) == ["", "all values fit", "generic values need the room", "generic values",
                                                           "saved accesses cost little time", ""]
          and terms.loc["nw", "32 + 16 KB"] == 1.04 and terms.loc["hotspot", "accesses below 32 + 16 KB"] == 4.5, terms)
    path = checks.folder / "avc.h5"
    with h5py.File(path, "w") as run:
        run.attrs["cycles"] = 10
        write_counters(run, {"sm/warp_instructions": 20_000, "l1d/local_misses": 3, "l1d/write_backs": 2, "l1d/store_fetches": 4,
                             "avc/write_backs": 5})
    with h5py.File(path, "r") as run:
        checks.check("traffic below the caches", PAPER.module.facts(run)["traffic"] == 7, PAPER.module.facts(run))
        checks.check("private accesses", PAPER.module.facts(run)["private"] == 3, PAPER.module.facts(run))
    with h5py.File(path, "a") as run:
        run["kernels/id"], run["kernels/name"] = np.arange(3), ["first", "second", "first"]
        run["kernel_counters/kernel"] = np.arange(3)
        run["kernel_counters/counter"] = ["sm.warp_instructions", "l1d.local_hits", "l1d.local_misses", "l1d.store_fetches",
                                          "avc.write_backs"]
        run["kernel_counters/counts"] = np.array([[10_000, 2, 3, 2, 1], [10_000, 0, 0, 0, 0], [10_000, 0, 4, 0, 0]],
                                                 dtype=np.uint64)
    with h5py.File(path, "r") as run:
        its = PAPER.module.facts_by_kernel(run)
        checks.check("facts by kernel", [its[f"{name}: {kernel}"] for kernel in ("first", "second") for name in ("private", "traffic")]
              == [9, 5, 0, 0] and its["traffic"] == 7, its)


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, lookahead.Checks, check_avc))
