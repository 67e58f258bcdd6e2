#!/usr/bin/env python3
"""Writes the tables of README.md beside this file from what DAC's studies came to (results/*.csv).

    tables.py                                  # the page from the recorded studies
    tables.py --check                          # whether the page is that; exit code 1 if not
    tables.py --sweeps FOLDER                  # record the sweeps dac-STUDY.sweep in FOLDER first
    tables.py --sweeps FOLDER --part           # the same of sweeps with some of a study's points; the others stay
    tables.py --sweeps FOLDER --run            # run them before that; what has a result is not run again
    tables.py --sweeps FOLDER --run --size tiny --only dac/classes     # a trial

Needs h5py (to record), numpy and pandas. `undecoupled` beside this file writes the table of what decoupling leaves.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "analysis"))
from lookahead_analysis import dac_figures, study_tables  # noqa: E402
from lookahead_analysis.study_tables import means_alone, near  # noqa: E402

TABLES = {
    "dac/designs": ["dac/fig16", "dac/fig17", *((f"dac/{name}", means_alone) for name in (
        "fig18", "fig19", "fig20", "fig21", "parts", "predicates"))],
    "dac/ablations": ["dac/choices"],
    "dac/sensitivity": ["dac/sensitivity"],
    "dac/classes": ["dac/classes"],
    "dac/machine": ["dac/machine"],
    "dac/bounds": ["dac/bounds"],
}
COMPUTE, MEMORY, ALL = "mean, compute", "mean, memory", "mean, all"


figure = study_tables.figures_of(dac_figures)


def value(name, row, column):
    return lambda study: figure(name, study).loc[row, column]


def best_of_designs(study):
    row = figure("fig16", study).loc[ALL]
    return ", ".join(f"{name} {row[name]:.3f}" for name in ("DAC", "CAE", "MTA")), row.idxmax() == "DAC"


def within_two(study):
    row = figure("predicates", study).loc[ALL]
    return row["predicates, scalar"] + row["predicates, two_comparison"]


def classes_as_in_paper(study):
    table = figure("classes", study)
    table = table[table["class"] != ""]
    same = int((table["class"] == table["paper's"]).sum())
    return f"{same} of {len(table)}", same == len(table)


def explained(study):
    causes = figure("bounds", study)["what keeps it"]
    found = causes[causes != ""]
    left = [name.split()[0] for name in found.index[found.isin(["latency", "perfect alone"])]]
    return f"{len(found)}, of which without one: {', '.join(left) or 'none'}", not left


# Name: study, the paper's words, and what is looked at.
CLAIMS = {
    "DAC is the best of the designs": ("dac/designs", "1.407; CAE 1.11 to 1.15 on compute; MTA 1.16 on memory", best_of_designs),
    "speed-up, all, within 0.05": ("dac/designs", "1.407", near(value("fig16", ALL, "DAC"), 1.407, 0.05)),
    "speed-up, compute, within 0.05": ("dac/designs", "1.34", near(value("fig16", COMPUTE, "DAC"), 1.34, 0.05)),
    "speed-up, memory, within 0.05": ("dac/designs", "1.447", near(value("fig16", MEMORY, "DAC"), 1.447, 0.05)),
    "CAE on compute within 0.05": ("dac/designs", "1.11 to 1.15", near(value("fig16", COMPUTE, "CAE"), 1.13, 0.05)),
    "MTA on memory within 0.05": ("dac/designs", "1.16", near(value("fig16", MEMORY, "MTA"), 1.16, 0.05)),
    "instructions, affine ones too, within 0.05": ("dac/designs", "0.74", near(
        lambda study: figure("fig17", study).loc[ALL, ["other", "affine"]].sum(), 0.74, 0.05)),
    "one affine instruction replaces nine, within one": ("dac/designs", "9", near(
        lambda study: (1 - figure("fig17", study).loc[ALL, "other"]) / figure("fig17", study).loc[ALL, "affine"], 9, 1, "{:.1f}")),
    "coverage on compute, geometric mean, within 0.05": ("dac/designs", "0.34", near(
        value("fig18", f"{COMPUTE}, geometric", "DAC"), 0.34, 0.05)),
    "and CAE's": ("dac/designs", "0.25", near(value("fig18", f"{COMPUTE}, geometric", "CAE"), 0.25, 0.05)),
    "loads that the affine warp asks for, memory, within 0.1": ("dac/designs", "0.798", near(
        value("fig19", MEMORY, "early loads"), 0.798, 0.1)),
    "predicates by one comparison for the CTA, within 0.1": ("dac/designs", "0.64", near(
        value("predicates", ALL, "predicates, scalar"), 0.64, 0.1)),
    "and within two comparisons": ("dac/designs", "0.93", near(within_two, 0.93, 0.1)),
    "energy within 0.05": ("dac/designs", "0.798", near(value("fig21", ALL, "total"), 0.798, 0.05)),
    "dynamic energy within 0.05": ("dac/designs", "0.816", near(value("fig21", ALL, "dynamic"), 0.816, 0.05)),
    "static energy within 0.05": ("dac/designs", "0.71", near(value("fig21", ALL, "static"), 0.71, 0.05)),
    "arithmetic within 0.1": ("dac/designs", "0.56", near(value("parts", ALL, "arithmetic"), 0.56, 0.1)),
    "register accesses within 0.1": ("dac/designs", "0.83", near(value("parts", ALL, "register accesses"), 0.83, 0.1)),
    "DAC takes 2 % of the dynamic energy at most": ("dac/designs", "0.0096", lambda study: (
        lambda ours: (f"{ours:.4f}", ours <= 0.02))(value("parts", ALL, "DAC's part of dynamic energy")(study))),
    "DAC gains as much with a large L1I, within 0.02": ("dac/bounds", "", lambda study: (
        lambda alone, fetched: (f"{fetched:.3f} in place of {alone:.3f}", abs(fetched - alone) <= 0.02))(
            *figure("bounds", study).loc[ALL, ["DAC", "DAC over that"]])),
    "a cause for each workload 0.15 below its class's mean": ("dac/bounds", "", explained),
    "classes by a perfect memory": ("dac/classes", "by the paper's table", classes_as_in_paper),
}

PAGE = study_tables.Page(HERE, dac_figures, TABLES, CLAIMS)

if __name__ == "__main__":
    sys.exit(study_tables.main(PAGE, __doc__))
