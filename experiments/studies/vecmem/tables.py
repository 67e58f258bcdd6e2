#!/usr/bin/env python3
"""Writes the tables of README.md beside this file from what the studies of vector memory instructions came to (results/*.csv).

    tables.py                                  # the page from the recorded studies
    tables.py --check                          # whether the page is that; exit code 1 if not
    tables.py --sweeps FOLDER                  # record the sweeps vecmem-STUDY.sweep in FOLDER first
    tables.py --sweeps FOLDER --run            # run them before that; what has a result is not run again
    tables.py --sweeps FOLDER --run --size tiny --only vecmem/pass     # a trial

Needs h5py (to record), numpy and pandas.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "analysis"))
from lookahead_analysis import study_tables, vecmem_figures  # noqa: E402
from lookahead_analysis.study_tables import at_least, near  # noqa: E402
from lookahead_analysis.sweeps import geometric_mean  # noqa: E402
from lookahead_analysis.vecmem_figures import OF_BATCH, OF_BATCH_ON_TOP, OF_CCWS  # noqa: E402

TABLES = {
    "vecmem/instructions": [f"vecmem/fig{number}" for number in (8, 9, 10, 11, 12, 13, 14)],
    "vecmem/unroll_16": ["vecmem/unroll_16"],
    "vecmem/in_order": ["vecmem/orders", "vecmem/in_order"],
    "vecmem/in_order_small": ["vecmem/orders_small", "vecmem/in_order_small"],
    "vecmem/latches": ["vecmem/latches"],
    "vecmem/kinds": ["vecmem/fig15", "vecmem/fig16"],
    "vecmem/related": ["vecmem/fig17"],
    "vecmem/related_bounds": ["vecmem/ccws_bounds", "vecmem/batch_bounds"],
    "vecmem/memory": ["vecmem/memory"],
    "vecmem/pass": ["vecmem/pass"],
}

figure = study_tables.figures_of(vecmem_figures)


def mean(name, *column):
    return lambda study: figure(name, study).loc["mean", column if len(column) > 1 else column[0]]


def on(workloads, column, over=None, of="fig17"):
    """The mean of a figure's column over a technique's workloads, over vectors alone where `over` says so."""
    def value(study):
        table = figure(of, study)
        rows = table.loc[[name for name in workloads if name in table.index]]
        return float(geometric_mean((rows[column] / (rows[over] if over else 1)).to_frame()).iloc[0])
    return value


def pass_against_hand(study):
    """The best of the pass's designs beside the best by hand, workload by workload."""
    table = figure("pass", study).drop(index="mean")
    best = {kind: table[[name for name in table if name.startswith(kind)]].max(axis=1) for kind in ("pass", "length")}
    automatic, by_hand = (float(geometric_mean(best[kind].to_frame()).iloc[0]) for kind in ("pass", "length"))
    return f"{automatic:.3f}, by hand {by_hand:.3f}", automatic >= by_hand - 0.05


def part_of_gain(name, column, paper):
    def look(study):
        ours = figure(name, study).loc["mean", column]
        return "no gain to divide" if ours != ours else f"{ours:.2f}", abs(ours - paper) <= 0.1
    return look


# Name: study, the paper's words, and what is looked at.
CLAIMS = {
    "warp instructions within 0.03": ("vecmem/instructions", "0.67", near(mean("fig8", "all", ""), 0.67, 0.03)),
    "speed-up within 0.05": ("vecmem/instructions", "1.26", near(mean("fig10", "cycles"), 1.26, 0.05)),
    "speed-up of 1.15 or more": ("vecmem/instructions", "", at_least(mean("fig10", "cycles"), 1.15)),
    "speed-up of 1.15 or more with a perfect memory": ("vecmem/memory", "", at_least(mean("memory", "perfect"), 1.15)),
    "energy within 0.05": ("vecmem/instructions", "0.82", near(mean("fig12", "energy"), 0.82, 0.05)),
    "of functional units, within 0.05": ("vecmem/instructions", "0.82", near(mean("fig12", "functional_units"), 0.82, 0.05)),
    "of the register file, within 0.05": ("vecmem/instructions", "0.72", near(mean("fig12", "register_file"), 0.72, 0.05)),
    **{f"of {what}, within 0.05": ("vecmem/instructions", f"{paper:.2f}", near(mean("fig12", column), paper, 0.05))
       for what, column, paper in (("L1", "l1", 0.95), ("L2", "l2", 0.89), ("DRAM", "dram", 0.88), ("leakage", "static", 0.84))},
    "fewer instructions' part of the cycles saved, within 0.1": ("vecmem/instructions", "0.41", near(
        mean("fig11", "of what is saved: execute"), 0.41, 0.1)),
    "global memory's part of the gain, within 0.1": ("vecmem/kinds", "0.78", part_of_gain("fig15", "global's part", 0.78)),
    "indirect vectors' part, within 0.1": ("vecmem/kinds", "0.69", part_of_gain("fig16", "indirect's part", 0.69)),
    "energy x delay within 0.05": ("vecmem/instructions", "0.68", near(mean("fig13", "energy_delay"), 0.68, 0.05)),
    "misses of L1 within 0.05": ("vecmem/instructions", "0.88", near(mean("fig9", "l1_misses"), 0.88, 0.05)),
    "misses of L2 within 0.05": ("vecmem/instructions", "0.90", near(mean("fig9", "l2_misses"), 0.90, 0.05)),
    "misses of DRAM rows within 0.05": ("vecmem/instructions", "0.81", near(mean("fig9", "row_misses"), 0.81, 0.05)),
    **{f"{what} within 0.05, where nothing is scheduled": ("vecmem/in_order", f"{paper:.2f}", near(mean("in_order", column), paper, 0.05))
       for what, column, paper in (("speed-up", "speed-up", 1.26), ("energy", "energy", 0.82), ("energy x delay", "energy_delay", 0.68),
                                   ("misses of L1", "l1_misses", 0.88), ("misses of L2", "l2_misses", 0.90),
                                   ("misses of DRAM rows", "row_misses", 0.81))},
    "the pass within 0.05 of the form by hand": ("vecmem/pass", "no pass", pass_against_hand),
    "CCWS on its workloads within 0.05": ("vecmem/related", "1.18", near(on(OF_CCWS, "loops + CCWS"), 1.18, 0.05)),
    "BATCH on its workloads within 0.03": ("vecmem/related", "1.06", near(on(OF_BATCH, "loops + BATCH"), 1.06, 0.03)),
    "CCWS on the original forms within 0.05": ("vecmem/related_bounds", "1.18", near(mean("ccws_bounds", "original: CCWS"), 1.18, 0.05)),
    "a sixteenfold L1 gives CCWS's workloads 1.18": ("vecmem/related_bounds", "", at_least(mean("ccws_bounds", "loops: L1 x 16"), 1.18)),
    "free rows give BATCH's workloads 1.06": ("vecmem/related_bounds", "", at_least(
        on(OF_BATCH, "loops: free rows", of="batch_bounds"), 1.06)),
    "CCWS on top of vectors within 0.03": ("vecmem/related", "1.02 to 1.04", near(
        on(OF_CCWS, "vectors + CCWS", over="vectors"), 1.03, 0.03)),
    "BATCH on top of vectors within 0.03": ("vecmem/related", "up to 1.06", near(
        on(OF_BATCH_ON_TOP, "vectors + BATCH", over="vectors"), 1.03, 0.03)),
}

PAGE = study_tables.Page(HERE, vecmem_figures, TABLES, CLAIMS)

if __name__ == "__main__":
    sys.exit(study_tables.main(PAGE, __doc__))
