"""The tables of the page of DAC, and the paper's claims."""

from lookahead_analysis import papers, study_tables
from lookahead_analysis.study_tables import at_least, means_alone, near

PAPER = papers.of(__name__)
TABLES = {
    "map": ["kernel"],
    "places": ["map", "agreement"],
    "terms": [("terms", study_tables.with_column(__file__, PAPER, "designs", "fig16", "DAC", "DAC, our GTX 480, nvcc 13"))],
    "comparators": [("comparators", means_alone), ("instructions", means_alone)],
    "causes": ["causes"],
    "causes_medium": ["causes_medium"],
    "bases": ["bases"],
    "readings": ["readings"],
    "batches": ["batches"],
    "mta": [("mta", means_alone)],
    "designs": ["fig16", "fig17", *((f"{name}", means_alone) for name in (
        "fig18", "fig19", "fig20", "fig21", "parts", "predicates"))],
    "ablations": ["choices"],
    "sensitivity": ["sensitivity"],
    "classes": ["classes"],
    "machine": ["machine"],
    "bounds": ["bounds"],
}
COMPUTE, MEMORY, ALL = "mean, compute", "mean, memory", "mean, all"

figure, as_said = PAPER.table, study_tables.claims_of(PAPER)


def value(name, row, column):
    return lambda study: figure(name, study).loc[row, column]


def best_of_designs(study):
    row = figure("fig16", study).loc[ALL]
    return ", ".join(f"{name} {row[name]:.3f}" for name in ("DAC", "CAE", "MTA")), row.idxmax() == "DAC"


def cae_on_most(study):
    column = figure("fig16", study)["CAE"]
    column = column[[not str(name).startswith("mean") for name in column.index]]
    inside = int(((column >= 1.04) & (column <= 1.17)).sum())
    return f"{inside} of {len(column)}", 2 * inside > len(column)


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
    return f"{len(found)}, without a cause: {', '.join(left) or 'none'}", not left


def from_the_map(study):
    return figure("agreement", study).loc["the map", "mean absolute difference"]


# Name: study, the paper's words, and what is looked at.
CLAIMS = {
    "speed-up of 1.5 or more on figure 4's kernel with 8 warps per SM": ("map", "", at_least(value("kernel", "warps 8", "arithmetic 1"), 1.5)),
    "no speed-up on that kernel with 48 warps, within 0.05": ("map", "", near(value("kernel", "warps 48", "arithmetic 1"), 1, 0.05)),
    "the map of that kernel gives the workloads' gains within 0.1 on average": ("places", "", near(from_the_map, 0, 0.1)),
    "DAC is the best of the designs": ("designs", "1.407; CAE 1.11 to 1.15 on compute; MTA 1.16 on memory", best_of_designs),
    **{f"speed-up, {name.removeprefix('mean, ')}, on the paper's terms, within 0.05": as_said(
        "terms", name, "DAC", 0.05) for name in (ALL, COMPUTE, MEMORY)},
    "a cause for each workload below 1.2 there": ("causes", "", study_tables.all_have_causes("causes", PAPER)),
    "CAE on compute there, within 0.05": ("comparators", "1.11 to 1.15", near(value("comparators", COMPUTE, "CAE"), 1.13, 0.05)),
    "MTA on memory there, within 0.05": as_said("comparators", MEMORY, "MTA", 0.05),
    "coverage on compute there, 0.25 or more": ("comparators", "0.34", at_least(value("instructions", COMPUTE, "covered by DAC"), 0.25)),
    "CAE's coverage on compute there, 0.2 or more": ("comparators", "0.25", at_least(value("instructions", COMPUTE, "covered by CAE"), 0.2)),
    "speed-up, all, within 0.05": as_said("fig16", ALL, "DAC", 0.05),
    "speed-up, compute, within 0.05": as_said("fig16", COMPUTE, "DAC", 0.05),
    "speed-up, memory, within 0.05": as_said("fig16", MEMORY, "DAC", 0.05),
    "CAE on compute within 0.05": ("designs", "1.11 to 1.15", near(value("fig16", COMPUTE, "CAE"), 1.13, 0.05)),
    "CAE gains 4 to 17 % on most workloads, as in its own paper": ("designs", "Kim et al., ISCA 2013", cae_on_most),
    "MTA on memory within 0.05": as_said("fig16", MEMORY, "MTA", 0.05),
    "instructions, affine ones too, within 0.05": as_said(
        "fig17", ALL, "sum", 0.05, lambda study: figure("fig17", study).loc[ALL, ["other", "affine"]].sum()),
    "one affine instruction replaces nine, within one": ("designs", "9", near(
        lambda study: (1 - figure("fig17", study).loc[ALL, "other"]) / figure("fig17", study).loc[ALL, "affine"], 9, 1, "{:.1f}")),
    "coverage on compute, geometric mean, within 0.05": as_said(
        "fig18", COMPUTE, "DAC", 0.05, value("fig18", f"{COMPUTE}, geometric", "DAC")),
    "CAE's coverage on compute, geometric mean, within 0.05": as_said("fig18", COMPUTE, "CAE", 0.05, value("fig18", f"{COMPUTE}, geometric", "CAE")),
    "loads that the affine warp requests, memory, within 0.1": as_said("fig19", MEMORY, "early loads", 0.1),
    "predicates by one comparison for the CTA, within 0.1": as_said("predicates", ALL, "predicates, scalar", 0.1),
    "predicates by at most two comparisons, within 0.1": ("designs", "0.93", near(within_two, 0.93, 0.1)),
    "energy within 0.05": as_said("fig21", ALL, "total", 0.05),
    "dynamic energy within 0.05": as_said("fig21", ALL, "dynamic", 0.05),
    "static energy within 0.05": as_said("fig21", ALL, "static", 0.05),
    "arithmetic within 0.1": ("designs", "0.56", near(value("parts", ALL, "arithmetic"), 0.56, 0.1)),
    "register accesses within 0.1": ("designs", "0.83", near(value("parts", ALL, "register accesses"), 0.83, 0.1)),
    "DAC takes 2 % of the dynamic energy at most": ("designs", "0.0096", lambda study: (
        lambda ours: (f"{ours:.4f}", ours <= 0.02))(value("parts", ALL, "DAC's part of dynamic energy")(study))),
    "DAC gains as much with a large L1I, within 0.02": ("bounds", "", lambda study: (
        lambda alone, fetched: (f"{fetched:.3f} in place of {alone:.3f}", abs(fetched - alone) <= 0.02))(
            *figure("bounds", study).loc[ALL, ["DAC", "DAC over that"]])),
    "a cause for each workload 0.15 below its class's mean": ("bounds", "", explained),
    "classes by a perfect memory": ("classes", "by the paper's table", classes_as_in_paper),
}

# What the tests run at size tiny, and the claims that fail there.
TRIAL = study_tables.Trial(["hotspot", "pathfinder", "sgemm", "bfs"], {
    *(f"speed-up, {name}, within 0.05" for name in ("all", "compute", "memory")),
    *(f"speed-up, {name}, on the paper's terms, within 0.05" for name in ("all", "memory")), "MTA on memory there, within 0.05",
    "CAE gains 4 to 17 % on most workloads, as in its own paper", "MTA on memory within 0.05", "instructions, affine ones too, within 0.05",
    "one affine instruction replaces nine, within one", "coverage on compute, geometric mean, within 0.05", "CAE's coverage on compute, geometric mean, within 0.05",
    "loads that the affine warp requests, memory, within 0.1", "static energy within 0.05", "arithmetic within 0.1", "register accesses within 0.1",
    "the map of that kernel gives the workloads' gains within 0.1 on average", "classes by a perfect memory", "a cause for each workload 0.15 below its class's mean"}, {"map": ["dac_premise"]})
