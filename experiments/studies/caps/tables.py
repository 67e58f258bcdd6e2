#!/usr/bin/env python3
"""Writes the tables of README.md beside this file from what CAPS's studies came to (results/*.csv).

    tables.py                                  # the page from the recorded studies
    tables.py --check                          # whether the page is that; exit code 1 if not
    tables.py --sweeps FOLDER                  # record the sweeps caps-STUDY.sweep in FOLDER first
    tables.py --sweeps FOLDER --run            # run them before that; what has a result is not run again
    tables.py --sweeps FOLDER --run --size tiny --only caps/parts      # a trial

Needs h5py (to record), numpy and pandas.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "analysis"))
from lookahead_analysis import caps_figures, study_tables  # noqa: E402
from lookahead_analysis.study_tables import means_alone  # noqa: E402

TABLES = {
    "caps/prefetchers": ["caps/fig10", "caps/workloads", *((f"caps/fig{name}", means_alone) for name in (
        "12a", "12b", "12c", "13a", "13b")), "caps/fig14a_demand", ("caps/fig15", means_alone)],
    "caps/issued": ["caps/issued"],
    "caps/schedulers": ["caps/ablation", ("caps/fig14a_wakeup", means_alone), "caps/fig14b"],
    "caps/parts": ["caps/fig10_parts"],
    "caps/instruction_cache": ["caps/fig10_l1i"],
    "caps/degree": ["caps/degree"],
    "caps/ctas": ["caps/fig11"],
    "caps/every_scheduler": ["caps/every_scheduler"],
    "caps/bounds": ["caps/bounds"],
    "caps/sensitivity": ["caps/sensitivity", "caps/consumed"],
    "caps/warp_distance": ["caps/fig1"],
    "caps/loads": ["caps/fig4", "caps/fig5"],
}


figure = study_tables.figures_of(caps_figures)


def of_means(name, judge, rows=("mean",)):
    """Our value of a claim about a figure: `judge` gets a row (or rows) of its means, and gives what to show and whether the
    claim holds."""
    return lambda study: judge(*(figure(name, study).loc[row] for row in rows))


def best(row):
    others = row.drop("caps")
    return f"CAPS {row['caps']:.3f}, next {others.idxmax()} {others.max():.3f}", row["caps"] > others.max()


def near(value, paper, within):
    return f"{value:.3f}", abs(value - paper) <= within


def grows(row):
    chosen = [row[f"caps, {name}"] for name in ("lrr", "two_level", "pas")]
    return ", ".join(f"{value:.0f}" for value in chosen), chosen == sorted(chosen) and len(set(chosen)) == 3


def one_cta(study):
    table = figure("fig11", study)
    row = table.loc[min(table.index, key=int)]
    return (f"none {row['none']:.3f}, CAPS {row['caps']:.3f}, INTRA {row['intra']:.3f}",
            abs(row["caps"] - row["none"]) < 0.005 and row["intra"] > row["caps"])


def wake_up(row):
    with_it, without = row["caps, pas"], row["caps, pas, no wake-up"]
    return f"{with_it:.3f}, {without:.3f} without", with_it <= without


# Name: study, the paper's words, and what is looked at.
CLAIMS = {
    "CAPS has the best mean of all": ("caps/prefetchers", "1.08", of_means("fig10", best)),
    "and the best median": ("caps/prefetchers", "", of_means("fig10", best, ["median"])),
    "mean speed-up within 0.03": ("caps/prefetchers", "1.08", of_means("fig10", lambda row: near(row["caps"], 1.08, 0.03))),
    "of the irregular ones, too": ("caps/prefetchers", "1.06", of_means(
        "fig10", lambda row: near(row["caps"], 1.06, 0.03), ["mean of irregular"])),
    "the prefetcher alone gains 2 % or more": ("caps/parts", "", of_means(
        "fig10_parts", lambda row: (f"{row['prefetcher alone']:.3f}", row["prefetcher alone"] >= 1.02), ["mean, 2 KB"])),
    "CAPS is better than gto without prefetches": ("caps/parts", "", of_means(
        "fig10_parts", lambda row: (f"{row['both']:.3f}, gto {row['gto']:.3f}", round(row["both"], 3) > round(row["gto"], 3)), ["mean, 2 KB"])),
    "the gain stays with a large L1I": ("caps/parts", "", of_means(
        "fig10_parts", lambda row: (f"{row['both']:.3f}", row["both"] >= 1.05), ["mean, 64 KB"])),
    "LAP and ORCH gain about 1 %": ("caps/prefetchers", "1.01", of_means("fig10", lambda row: (
        f"{row['lap']:.3f}, {row['orch']:.3f}", all(abs(row[name] - 1.01) <= 0.015 for name in ("lap", "orch"))))),
    "INTER loses": ("caps/prefetchers", "below 1", of_means(
        "fig10", lambda row: (f"{row['inter, all']:.3f}, to one warp {row['inter']:.3f}", row["inter, all"] < 1))),
    "coverage within 0.05": ("caps/prefetchers", "0.18", of_means("fig12a", lambda row: near(row["caps"], 0.18, 0.05))),
    "accuracy above 0.9": ("caps/prefetchers", "0.97", of_means(
        "fig12b", lambda row: (f"{row['caps']:.3f}", row["caps"] > 0.9))),
    "addresses are right in 0.9 of predictions": ("caps/prefetchers", "0.97", of_means(
        "workloads", lambda row: (f"{row['address right']:.3f}", row["address right"] > 0.9))),
    "and in 0.9 of issued prefetches": ("caps/issued", "0.97", of_means(
        "issued", lambda row: (f"{row['caps']:.3f}", row["caps"] > 0.9))),
    "INTER reads the most lines": ("caps/prefetchers", "over 2", of_means(
        "fig13a", lambda row: (f"{row['inter, all']:.2f}", row.idxmax() == "inter, all"))),
    "CAPS reads 3 % more at most": ("caps/prefetchers", "below 1.03", of_means(
        "fig13a", lambda row: (f"{row['caps']:.3f}", row["caps"] < 1.03))),
    "demand evicts 2 % of its lines at most": ("caps/prefetchers", "0.0091", lambda study: (
        lambda value: (f"{value:.4f}", value <= 0.02))(figure("fig14a_demand", study).loc["caps", "by demand, mean"])),
    "wake-up evicts fewer": ("caps/schedulers", "0.0091, 0.0116 without", of_means("fig14a_wakeup", wake_up)),
    "distance grows lrr, two-level, PAS": ("caps/schedulers", "64.3, 145.0, 172.7", of_means("fig14b", grows)),
    "energy falls": ("caps/prefetchers", "0.98", of_means("fig15", lambda row: (f"{row['caps']:.3f}", row["caps"] < 1))),
    "with one CTA CAPS gives nothing, and INTRA does": ("caps/ctas", "so", one_cta),
}

PAGE = study_tables.Page(HERE, caps_figures, TABLES, CLAIMS)

if __name__ == "__main__":
    sys.exit(study_tables.main(PAGE, __doc__))
