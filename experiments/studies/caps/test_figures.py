#!/usr/bin/env python3
"""The figures of CAPS, of made tables: means that leave out the workloads that carry them, and the bases of ratios."""

import pathlib
import sys

import numpy as np
import pandas as pd

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tests/support"))
import lookahead_process as lookahead  # noqa: E402
from made_sweeps import Rows, papers  # noqa: E402

PAPER = papers.of(HERE.name)


def check_two_axes(checks):
    """Of these workloads `cp` has no baseline."""
    rows = [("bfs", "2", "none", 1.0), ("bfs", "2", "caps", 1.5), ("bfs", "10", "none", 2.0),
            ("bfs", "10", "caps", 3.0), ("scan", "2", "none", 4.0), ("scan", "2", "caps", 6.0),
            ("scan", "10", "none", 32.0), ("scan", "10", "caps", 48.0), ("cp", "2", "none", 7.0)]
    figure = PAPER.table("fig11", Rows(["workload", "ctas", "prefetcher", "ipc"], rows))
    expected = pd.DataFrame([[0.25, 0.375], [1.0, 1.5]], index=["2", "10"], columns=["none", "caps"])
    checks.check("two axes over the most CTAs", list(figure.index) == ["2", "10"] and np.allclose(figure, expected), figure)


def check_means(checks):
    """Figures that separate a mean from the workloads that carry it."""
    rows = [(workload, size, design, 100.0 if design == "two_level" else time)
            for workload, time in (("cp", 50.0), ("bfs", 100.0), ("fft", 12.5), ("kmeans", 25.0), ("kmeans-mars", 6.25))
            for size in ("2 KB", "64 KB")
            for design in ("two_level", "both")]
    table = PAPER.table("fig10_parts", Rows(["workload", "l1i", "design", "cycles"], rows))["both"]
    checks.check("fig10_parts", np.isclose(table["mean of regular, 2 KB"], 4) and np.isclose(table["mean of irregular, 64 KB"], 4)
          and np.isclose(table["mean of irregular, Rodinia's kmeans, 64 KB"], 2)
          and np.isclose(table["median, 2 KB"], 5) and np.isclose(table["mean, 2 KB"], 256 ** 0.25) and np.isclose(table["fft, 64 KB"], 8), table)
    rows = [(workload, prefetcher, 100.0 if prefetcher == "none" else time)
            for workload, time in (("cp", 50.0), ("pvr", 25.0), ("kmeans", 100.0), ("kmeans-mars", 6.25))
            for prefetcher in ("none", "caps")]
    table = PAPER.table("fig10", Rows(["workload", "prefetcher", "cycles"], rows))["caps"]
    checks.check("fig10, kmeans", np.isclose(table["mean of regular"], 2) and np.isclose(table["mean of irregular"], 8)
          and np.isclose(table["mean of irregular, Rodinia's kmeans"], 2) and np.isclose(table["mean"], 128 ** (1 / 3))
          and np.isclose(table["kmeans"], 1), table)

    columns = ["workload", "prefetcher", "issued", "early", "early_by_demand"]
    rows = [("cp", "caps", 9.0, 0.5, 0.1), ("bfs", "caps", 9.0, 0.3, 0.1), ("fft", "caps", 9.0, 0.1, 0.0),
            ("scan", "caps", 0.0, np.nan, np.nan)]
    table = PAPER.table("fig14a_demand", Rows(columns, rows)).loc["caps"]
    checks.check("fig14a_demand", np.isclose(table["by demand, mean"], 0.2 / 3) and np.isclose(table["by demand, median"], 0.1)
          and np.isclose(table["by anything, mean"], 0.3), table)

    columns = ["workload", "prefetcher", "cycles", "reads", "coverage", "consumed", "early"]
    rows = [("cp", "none", 100.0, 10.0, np.nan, np.nan, np.nan), ("cp", "inter, all", 50.0, 30.0, 0.5, 0.2, 0.1)]
    table = PAPER.table("degree", Rows(columns, rows)).loc["inter, all"]
    checks.check("degree", np.isclose(table["IPC"], 2) and np.isclose(table["lines read"], 3) and np.isclose(table["consumed, median"], 0.2), table)


def check_causes(checks):
    """The last causes: an oracle that gains less, too, and prefetches that come late."""
    found = {"cp": (100, 100, 50, 1), "bfs": (101, 101, 103, 1), "pvr": (101, 101, 100, 1), "fft": (101, 100, 100, 0.5), "scan": (101, 100, 100, 0.49)}
    rows = [(workload, change, cycles, late if change == "caps" else 1) for workload, (caps, oracle, perfect, late) in found.items()
            for change, cycles in (("base", 103), ("caps", caps), ("oracle", oracle), ("wide", 103), ("wide, caps", 101),
                                   ("perfect memory", perfect))]
    table = PAPER.table("causes", Rows(["workload", "change", "cycles", "late"], rows))
    checks.check("causes", table["what keeps it"].loc[list(found)].to_dict() == {
        "cp": "", "bfs": "no wait for memory", "pvr": "an oracle gains less, too", "fft": "prefetches are late", "scan": "?"}, table)


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, lookahead.Checks, check_two_axes, check_means, check_causes))
