"""The tables of the page of the affine vector cache, and the paper's claims."""

from lookahead_analysis import papers, study_tables
from lookahead_analysis.packages import pandas as pd
from lookahead_analysis.study_tables import at_least, near

PAPER = papers.of(__name__)


def beside_paper(table):
    """Our registers, and in brackets the paper's; means are of the kernels that the paper has."""
    paper = pd.DataFrame.from_dict(PAPER.values("table4"), orient="index")
    paper = paper[paper.index.isin(table.index)]
    paper.loc["mean"] = paper.mean()
    paper = paper.reindex(columns=table.columns)  # it has no L1 of valid words alone
    texts = lambda value, its: "" if pd.isna(value) else f"{value:.3g}" + ("" if pd.isna(its) else f" ({its:.3g})")  # noqa: E731
    return pd.DataFrame({column: [texts(value, paper[column].get(row)) for row, value in table[column].items()]
                         for column in table}, index=table.index)


TABLES = {
    "map": ["kernel"],
    "places": ["map", "agreement"],
    "terms": ["terms"],
    "operating_point": ["fig7a", "fig7b", "fig7b_dynamic", "traffic"],
    "reasons": ["reasons", "reasons_energy", "reasons_each"],
    "designs": ["designs", "designs_traffic"],
    "occupancy": ["occupancy"],
    "pointers": ["pointers"],
    "registers": [("table4", beside_paper), "gain", "best"],
    "valid_words": [("valid_words", beside_paper)],
    "whole_gpu": ["whole_gpu", "whole_gpu_limits"],
}
CACHES = ["40 + 8 KB", "32 + 16 KB", "24 + 24 KB"]
POINT = "32 + 16 KB"  # the paper's operating point

figure, as_said = PAPER.table, study_tables.claims_of(PAPER)


def least(name, paper, within):
    """The lowest value of all workloads."""
    def look(study):
        column = figure(name, study).drop(index="mean")[POINT]
        return f"{column.min():.2f} ({column.idxmin()})", abs(column.min() - paper) <= within
    return look


def gains(row, paper, within, digits):
    """Registers that the three kinds of caches hold more."""
    def look(study):
        ours = figure("gain", study).loc[row, CACHES]
        return " / ".join(f"{value:.{digits}f}" for value in ours), all(
            abs(value - its) <= within for value, its in zip(ours, paper))
    return look


def registers_of_nw(study):
    """The registers of nw's first kernel, as in the paper's table: without an AVC nearly as many as without spills."""
    row = figure("table4", study).loc["nw_first_half"]
    base, without, with_avc = row["r_base"], row[PAPER.module.BASELINE], row[POINT]
    return f"{without:.0f} of {base:.0f}, and {with_avc:.0f}", without >= base - 2 and with_avc == 3


# Name: study, the paper's words, and what is looked at.
CLAIMS = {
    "speed-up of 1.5 or more on a kernel with 32 private words, half of them affine": (
        "map", "", at_least(lambda study: figure("kernel", study).loc["affine 4", "words 32"], 1.5)),
    "a loss on that kernel with 12 words, none affine": ("map", "", lambda study: (
        lambda value: (f"{value:.3f}", value < 1))(figure("kernel", study).loc["affine 0", "words 12"])),
    "the map of that kernel gives the workloads' gains within 0.1 on average": ("places", "", near(
        lambda study: figure("agreement", study).loc["the map", "mean absolute difference"], 0, 0.1)),
    "performance with code of the time, within 0.03": as_said("terms", "mean", POINT, 0.03),
    "performance within 0.03": as_said("fig7a", "mean", POINT, 0.03),
    "Heartwall's performance within 0.02": as_said("fig7a", "heartwall", POINT, 0.02),
    "dynamic energy within 0.05": as_said("fig7b_dynamic", "mean", POINT, 0.05),
    "the best workload's dynamic energy within 0.05": ("operating_point", "0.61", least("fig7b_dynamic", 0.61, 0.05)),
    "registers by kernel that the three sizes save, within one": ("registers", "2.6 / 3.2 / 2.7", gains(
        "mean", (2.6, 3.2, 2.7), 1, 1)),
    "capacity, percent, within 10": ("registers", "50 / 59 / 50", gains("capacity, percent", (50, 59, 50), 10, 0)),
    "nw's registers without an AVC, and with one": ("registers", "22 of 24, and 3", registers_of_nw),
}

# What the tests run at size tiny, and the claims that fail there.
TRIAL = study_tables.Trial(["heartwall", "nw"], {
    "performance with code of the time, within 0.03", "performance within 0.03", "dynamic energy within 0.05", "the best workload's dynamic energy within 0.05",
    "registers by kernel that the three sizes save, within one", "capacity, percent, within 10"}, {"registers": ["nw"], "map": ["avc_premise"]})
