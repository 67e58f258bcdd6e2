"""The tables of the page of CAPS, and the paper's claims."""

from lookahead_analysis import papers, study_tables
from lookahead_analysis.study_tables import at_least, means_alone, near

PAPER = papers.of(__name__)
TABLES = {
    "map": ["kernel", "kernel_prefetcher", "kernel_scheduler"],
    "places": ["map", "agreement"],
    "terms": [("terms", study_tables.with_column(__file__, PAPER, "prefetchers", "fig10", "caps", "caps, our GTX 480, nvcc 13"))],
    "causes": ["causes"],
    "inputs": ["inputs"],
    "bases": ["bases"],
    "prefetchers": ["fig10", "workloads", *((f"fig{name}", means_alone) for name in (
        "12a", "12b", "12c", "13a", "13b")), "fig14a_demand", ("fig15", means_alone)],
    "issued": ["issued"],
    "schedulers": ["ablation", ("fig14a_wakeup", means_alone), "fig14b"],
    "parts": ["fig10_parts"],
    "instruction_cache": ["fig10_l1i"],
    "degree": ["degree"],
    "ctas": ["fig11"],
    "every_scheduler": ["every_scheduler"],
    "bounds": ["bounds"],
    "sensitivity": ["sensitivity", "consumed"],
    "warp_distance": ["fig1"],
    "loads": ["fig4", "fig5"],
}

figure, as_said = PAPER.table, study_tables.claims_of(PAPER)


def of_means(name, judge, rows=("mean",)):
    """Our value of a claim about a figure: `judge` gets a row (or rows) of its means, and gives what to show and whether the
    claim holds."""
    return lambda study: judge(*(figure(name, study).loc[row] for row in rows))


def said(name, *columns):
    """The paper's means, as text."""
    return ", ".join(str(PAPER.said(name, "mean", column)) for column in columns)


def best(row):
    others = row.drop("caps")
    return f"CAPS {row['caps']:.3f}, next {others.idxmax()} {others.max():.3f}", row["caps"] > others.max()


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


def from_the_map(study):
    return figure("agreement", study).loc["the map", "mean absolute difference"]


def best_of_kernel(study):
    return figure("kernel", study).to_numpy().max()


# Name: study, the paper's words, and what is looked at.
CLAIMS = {
    "gain of 5 % or more at some place of the map": ("map", "", at_least(best_of_kernel, 1.05)),
    "the map of that kernel gives the workloads' gains within 0.1 on average": ("places", "", near(from_the_map, 0, 0.1)),
    "CAPS has the best mean of all": ("prefetchers", said("fig10", "caps"), of_means("fig10", best)),
    "CAPS has the best median of all": ("prefetchers", "", of_means("fig10", best, ["median"])),
    "mean speed-up on the paper's terms, within 0.03": as_said("terms", "mean", "caps", 0.03),
    "a cause for each workload below 1.03 there": ("causes", "", study_tables.all_have_causes("causes", PAPER)),
    "mean speed-up within 0.03": as_said("fig10", "mean", "caps", 0.03),
    "mean speed-up of the irregular workloads within 0.03": as_said("fig10", "mean of irregular", "caps", 0.03),
    "the prefetcher alone gains 2 % or more": ("parts", "", of_means(
        "fig10_parts", lambda row: (f"{row['prefetcher alone']:.3f}", row["prefetcher alone"] >= 1.02), ["mean, 2 KB"])),
    "CAPS is better than gto without prefetches": ("parts", "", of_means(
        "fig10_parts", lambda row: (f"{row['both']:.3f}, gto {row['gto']:.3f}", round(row["both"], 3) > round(row["gto"], 3)), ["mean, 2 KB"])),
    "the gain stays with a large L1I": ("parts", "", of_means(
        "fig10_parts", lambda row: (f"{row['both']:.3f}", row["both"] >= 1.05), ["mean, 64 KB"])),
    "LAP and ORCH gain about 1 %": ("prefetchers", said("fig10", "lap"), of_means("fig10", lambda row: (
        f"{row['lap']:.3f}, {row['orch']:.3f}",
        all(abs(row[name] - PAPER.said("fig10", "mean", name)) <= 0.015 for name in ("lap", "orch"))))),
    "ORCH over LAP, both under two-level, within 0.03 of its own paper": ("prefetchers", "1.07 (Jog et al., ISCA 2013)", of_means(
        "fig10", lambda row: (f"{row['orch'] / row['lap']:.3f}", abs(row["orch"] / row["lap"] - 1.07) <= 0.03))),
    "INTER loses": ("prefetchers", "below 1", of_means(
        "fig10", lambda row: (f"{row['inter, all']:.3f}, to one warp {row['inter']:.3f}", row["inter, all"] < 1))),
    "coverage within 0.05": as_said("fig12a", "mean", "caps", 0.05),
    "accuracy above 0.9": ("prefetchers", said("fig12b", "caps"), of_means(
        "fig12b", lambda row: (f"{row['caps']:.3f}", row["caps"] > 0.9))),
    "addresses are right in 0.9 of predictions": ("prefetchers", said("fig12b", "caps"), of_means(
        "workloads", lambda row: (f"{row['address right']:.3f}", row["address right"] > 0.9))),
    "addresses are right in 0.9 of issued prefetches": ("issued", said("fig12b", "caps"), of_means(
        "issued", lambda row: (f"{row['caps']:.3f}", row["caps"] > 0.9))),
    "INTER reads the most lines": ("prefetchers", "over 2", of_means(
        "fig13a", lambda row: (f"{row['inter, all']:.2f}", row.idxmax() == "inter, all"))),
    "CAPS reads 3 % more at most": ("prefetchers", "below 1.03", of_means(
        "fig13a", lambda row: (f"{row['caps']:.3f}", row["caps"] < 1.03))),
    "demand evicts 2 % of its lines at most": ("prefetchers", said("fig14a", "caps"), lambda study: (
        lambda value: (f"{value:.4f}", value <= 0.02))(figure("fig14a_demand", study).loc["caps", "by demand, mean"])),
    "with wake-up fewer prefetched lines are evicted": ("schedulers", said("fig14a_wakeup", "caps, pas", "caps, pas, no wake-up") + " without", of_means(
        "fig14a_wakeup", wake_up)),
    "the distance grows from lrr to two-level to PAS": ("schedulers", said("fig14b", "caps, lrr", "caps, two_level", "caps, pas"), of_means(
        "fig14b", grows)),
    "energy falls": ("prefetchers", said("fig15", "caps"), of_means(
        "fig15", lambda row: (f"{row['caps']:.3f}", row["caps"] < 1))),
    "with one CTA CAPS gains nothing, but INTRA does": ("ctas", "so", one_cta),
}

# What the tests run at size tiny, and the claims that fail there.
TRIAL = study_tables.Trial(["matrixMul", "stencil", "histogram", "bfs"], {
    "CAPS has the best mean of all", "CAPS has the best median of all", "mean speed-up within 0.03", "mean speed-up of the irregular workloads within 0.03",
    "mean speed-up on the paper's terms, within 0.03", "a cause for each workload below 1.03 there", "ORCH over LAP, both under two-level, within 0.03 of its own paper",
    "the prefetcher alone gains 2 % or more", "CAPS is better than gto without prefetches", "the gain stays with a large L1I",
    "LAP and ORCH gain about 1 %", "INTER loses", "coverage within 0.05", "accuracy above 0.9",
    "addresses are right in 0.9 of predictions", "addresses are right in 0.9 of issued prefetches", "CAPS reads 3 % more at most", "demand evicts 2 % of its lines at most"}, {"map": ["caps_premise"]})
