#!/usr/bin/env python3
"""Writes the tables of README.md beside this file from what P-mode's studies came to (results/*.csv).

    tables.py                                  # the page from the recorded studies
    tables.py --check                          # whether the page is that; exit code 1 if not
    tables.py --sweeps FOLDER                  # record the sweeps pmode-STUDY.sweep in FOLDER first
    tables.py --sweeps FOLDER --run            # run them before that; what has a result is not run again
    tables.py --sweeps FOLDER --run --size tiny --only pmode/sizes     # a trial

Needs h5py (to record), numpy and pandas.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "analysis"))
from lookahead_analysis import pmode_figures, study_tables  # noqa: E402
from lookahead_analysis.study_tables import means_alone  # noqa: E402

TABLES = {
    "pmode/designs": ["pmode/fig12", "pmode/fig12_without", *((f"pmode/{name}", means_alone) for name in (
        "fig10", "fig11", "fig13_raw", "fig14", "fig15")), "pmode/fig16", "pmode/fig17", ("pmode/fig7_pmode", means_alone),
        ("pmode/reasons", means_alone)],
    "pmode/limits": ["pmode/fig2", ("pmode/fig3", means_alone), "pmode/fig3_stalls", "pmode/fig4", ("pmode/fig7", means_alone),
                     "pmode/opttb"],
    "pmode/thread_blocks": [("pmode/fig12_opttb", means_alone)],
    "pmode/latency": ["pmode/latency"],
    "pmode/hoisting": ["pmode/hoisting", "pmode/hoisting_cycles"],
    "pmode/memory": ["pmode/fig18"],
    "pmode/sizes": [("pmode/sizes", means_alone)],
    "pmode/prefetchers": ["pmode/prefetchers"],
    "pmode/schedulers": ["pmode/schedulers"],
}
TYPE_L, TYPE_M, ALL = "mean, Type-L", "mean, Type-M", "mean, all"


figure = study_tables.figures_of(pmode_figures)


def of(name, judge, *rows):
    """Our value of a claim about a figure: `judge` gets its rows, and gives what to show and whether the claim holds."""
    def look(study):
        table = figure(name, study)
        return judge(*(table.loc[row] for row in rows))
    return look


def above(column, least):
    return lambda row: (f"{row[column]:.3f}", row[column] >= least)


def near(column, paper, within):
    return lambda row: (f"{row[column]:.3f}", abs(row[column] - paper) <= within)


def falls(row):
    return f"{row['base']:.2f} to {row['pmode']:.2f}", row["pmode"] <= row["base"] * 2 / 3


def better(first, second):
    return lambda row: (f"{row[first]:.3f}, {row[second]:.3f}", round(row[first], 3) > round(row[second], 3))


def least_of_type_m(study):
    table = figure("fig12", study)
    rows = [f"{workload} ({name})" for workload, name in pmode_figures.TYPE_M.items()]
    pmode = table.loc[[row for row in rows if row in table.index], "pmode"]
    return f"{pmode.min():.3f} ({pmode.idxmin()})", pmode.min() >= 0.97


# Name: study, the paper's words, and what is looked at.
DESIGNS, COMMON = "pmode/designs", "pmode, Type-L"
CLAIMS = {
    "Type-L gains more than Type-M": (DESIGNS, "so", of("fig12", lambda long, other: (
        f"{long['pmode']:.3f}, {other['pmode']:.3f}", long["pmode"] > other["pmode"]), TYPE_L, TYPE_M)),
    "Type-L gains 10 % or more": (DESIGNS, "1.23", of("fig12", above("pmode", 1.10), TYPE_L)),
    "and without LI, FD and MC": (DESIGNS, "", of("fig12_without", above("pmode", 1.10), "mean, Type-L without LI, FD, MC")),
    "and in the median": (DESIGNS, "", of("fig12_without", above("pmode", 1.10), "median, Type-L")),
    "all 28 within 0.05": (DESIGNS, "1.13", of("fig12", near("pmode", 1.13, 0.05), ALL)),
    "no Type-M kernel loses more than 3 %": (DESIGNS, "none loses", least_of_type_m),
    "long-latency RAW of Type-L within 0.05": ("pmode/limits", "0.40", of("fig2", near("long_latency", 0.40, 0.05), TYPE_L)),
    "it falls by a third": (DESIGNS, "0.40 to 0.24", of("fig13_raw", falls, TYPE_L)),
    "pre-executed a switch within 2": (DESIGNS, "8.4", of("fig10", near("executed a switch", 8.4, 2), ALL)),
    "skipped a switch within 4": (DESIGNS, "17.3", of("fig10", near("skipped a switch", 17.3, 4), ALL)),
    "long-latency instructions pre-loaded within 0.05, Type-L": (DESIGNS, "0.21", of(
        "fig11", near("long: pre-loaded", 0.21, 0.05), TYPE_L)),
    "L1 hits and merges of Type-L rise by a fifth": (DESIGNS, "0.24 to 0.33", of("fig14", lambda row: (
        f"{row['base']:.2f} to {row['pmode']:.2f}", row["pmode"] >= 1.2 * row["base"]), TYPE_L)),
    "traffic does not rise, Type-L": (DESIGNS, "0.98", of("fig15", lambda row: (
        f"{row['pmode']:.3f}", row["pmode"] <= 1.01), TYPE_L)),
    "net energy within 0.05": (DESIGNS, "1.027", lambda study: (
        lambda value: (f"{value:.3f}", abs(value - 1.027) <= 0.05))(figure("fig16", study).loc[("all", "pmode"), "total"])),
    "P-mode is better than DirectPrefetch, Type-L": (DESIGNS, "so", of("fig12", better("pmode", "DirectPrefetch"), TYPE_L)),
    "P-mode is better than twice the warps": (DESIGNS, "1.13, 1.09", of("fig12", better("pmode", "2xTLP"), ALL)),
    "16 entries are a little better than 8": (DESIGNS, "so", of("fig12", better("pmode, 16 entries", "pmode"), ALL)),
    "OptTB adds to P-mode, Type-L": ("pmode/thread_blocks", "1.23, with it 1.36", of(
        "fig12_opttb", better("pmode + OptTB", "pmode"), TYPE_L)),
    "twice the memory's bandwidth adds to P-mode": ("pmode/memory", "1.20, with P-mode 1.33", of("fig18", lambda base, pmode: (
        f"{base['speed-up']:.3f}, {pmode['speed-up']:.3f}", pmode["speed-up"] > base["speed-up"]), "2x, base", "2x, pmode")),
    "over one baseline, P-mode in program order is not ahead of P-mode with early loads, Type-L": (
        "pmode/hoisting", "", of("hoisting", lambda early, late: (
            f"{late[COMMON]:.3f}, {early[COMMON]:.3f}", late[COMMON] <= early[COMMON]), "early", "in order")),
}

PAGE = study_tables.Page(HERE, pmode_figures, TABLES, CLAIMS)

if __name__ == "__main__":
    sys.exit(study_tables.main(PAGE, __doc__))
