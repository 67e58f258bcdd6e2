"""The tables of the page of vector memory instructions, and the paper's claims."""

from lookahead_analysis import papers, study_tables
from lookahead_analysis.study_tables import at_least, near
from lookahead_analysis.sweeps import geometric_mean

PAPER = papers.of(__name__)
OF_BATCH, OF_BATCH_ON_TOP, OF_CCWS = PAPER.module.OF_BATCH, PAPER.module.OF_BATCH_ON_TOP, PAPER.module.OF_CCWS

TABLES = {
    "map": ["kernel"],
    "places": ["map", "agreement"],
    "instructions": [f"fig{number}" for number in (8, 9, 10, 11, 12, 13, 14)],
    "unroll_16": ["unroll_16"],
    "in_order": ["orders", "in_order"],
    "in_order_small": ["orders_small", "in_order_small"],
    "latches": ["latches"],
    "kinds": ["fig15", "fig16"],
    "related": ["fig17"],
    "rows": ["rows"],
    "related_bounds": ["ccws_bounds", "batch_bounds"],
    "memory": ["memory"],
    "pass": ["pass"],
}

figure, as_said = PAPER.table, study_tables.claims_of(PAPER)


def mean(name, *column):
    return lambda study: figure(name, study).loc["mean", column if len(column) > 1 else column[0]]


def harmonic_mean_of_ccws(study):
    table = figure("fig17", study)
    return 1 / (1 / table.loc[[name for name in OF_CCWS if name in table.index], "loops + CCWS"]).mean()


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


def part_of_gain(name, column):
    said = PAPER.said(name, "mean", column)

    def look(study):
        ours = figure(name, study).loc["mean", column]
        return "no gain to divide" if ours != ours else f"{ours:.2f}", abs(ours - said) <= 0.1
    return "kinds", str(said), look


# Name: study, the paper's words, and what is looked at.
CLAIMS = {
    "speed-up of 1.5 or more on a kernel with strides and data in L1": ("map", "", at_least(
        lambda study: figure("kernel", study).loc["distinct 8", "arithmetic 1"], 1.5)),
    "no speed-up on that kernel with data in DRAM, within 0.05": ("map", "", near(
        lambda study: figure("kernel", study).loc["distinct 2048", "arithmetic 1"], 1, 0.05)),
    "the map of that kernel gives the workloads' gains within 0.1 on average": ("places", "", near(
        lambda study: figure("agreement", study).loc["the map", "mean absolute difference"], 0, 0.1)),
    "warp instructions within 0.03": as_said("fig8", "mean", "all", 0.03, mean("fig8", "all", "")),
    "speed-up within 0.05": as_said("fig10", "mean", "cycles", 0.05),
    "speed-up of 1.15 or more": ("instructions", "", at_least(mean("fig10", "cycles"), 1.15)),
    "speed-up of 1.15 or more with a perfect memory": ("memory", "", at_least(mean("memory", "perfect"), 1.15)),
    "energy within 0.05": as_said("fig12", "mean", "energy", 0.05),
    **{f"energy of {what} within 0.05": as_said("fig12", "mean", column, 0.05) for what, column in (
        ("functional units", "functional_units"), ("the register file", "register_file"), ("L1", "l1"), ("L2", "l2"),
        ("DRAM", "dram"), ("leakage", "static"))},
    "fewer instructions' part of the cycles saved, within 0.1": as_said(
        "fig11", "mean", "of what is saved: execute", 0.1),
    "global memory's part of the gain, within 0.1": part_of_gain("fig15", "global's part"),
    "indirect vectors' part of the gain, within 0.1": part_of_gain("fig16", "indirect's part"),
    "energy x delay within 0.05": as_said("fig13", "mean", "energy_delay", 0.05),
    "misses of L1 within 0.05": as_said("fig9", "mean", "l1_misses", 0.05),
    "misses of L2 within 0.05": as_said("fig9", "mean", "l2_misses", 0.05),
    "misses of DRAM rows within 0.05": as_said("fig9", "mean", "row_misses", 0.05),
    **{f"{what} within 0.05, without scheduling": as_said(
        name, "mean", said, 0.05, mean("in_order", {"cycles": "speed-up"}.get(said, said)), "in_order") for what, name, said in (
            ("speed-up", "fig10", "cycles"), ("energy", "fig12", "energy"), ("energy x delay", "fig13", "energy_delay"),
            ("misses of L1", "fig9", "l1_misses"), ("misses of L2", "fig9", "l2_misses"), ("misses of DRAM rows", "fig9", "row_misses"))},
    "the pass within 0.05 of the form by hand": ("pass", "no pass", pass_against_hand),
    "CCWS on its workloads within 0.05": ("related", "1.18", near(on(OF_CCWS, "loops + CCWS"), 1.18, 0.05)),
    "CCWS on them within 0.05 of its own paper's harmonic mean": ("related", "1.24 (Rogers et al., MICRO 2012)", near(
        harmonic_mean_of_ccws, 1.24, 0.05)),
    "BATCH on its workloads within 0.03": ("related", "1.06", near(on(OF_BATCH, "loops + BATCH"), 1.06, 0.03)),
    "CCWS on the original forms within 0.05": ("related_bounds", "1.18", near(mean("ccws_bounds", "original: CCWS"), 1.18, 0.05)),
    "a sixteenfold L1 gives CCWS's workloads 1.18": ("related_bounds", "", at_least(mean("ccws_bounds", "loops: L1 x 16"), 1.18)),
    "free rows give BATCH's workloads 1.06": ("related_bounds", "", at_least(
        on(OF_BATCH, "loops: free rows", of="batch_bounds"), 1.06)),
    "CCWS on top of vectors within 0.03": ("related", "1.02 to 1.04", near(
        on(OF_CCWS, "vectors + CCWS", over="vectors"), 1.03, 0.03)),
    "BATCH on top of vectors within 0.03": ("related", "up to 1.06", near(
        on(OF_BATCH_ON_TOP, "vectors + BATCH", over="vectors"), 1.03, 0.03)),
}

# What the tests run at size tiny, and the claims that fail there.
TRIAL = study_tables.Trial(["spsum", "bfs", "sgemm"], {
    "no speed-up on that kernel with data in DRAM, within 0.05", "the map of that kernel gives the workloads' gains within 0.1 on average",
    "speed-up within 0.05", "speed-up of 1.15 or more", "energy within 0.05", "energy of functional units within 0.05",
    "energy of L2 within 0.05", "energy of DRAM within 0.05", "energy of leakage within 0.05", "fewer instructions' part of the cycles saved, within 0.1",
    "global memory's part of the gain, within 0.1", "indirect vectors' part of the gain, within 0.1",
    "energy x delay within 0.05", "misses of L1 within 0.05", "misses of L2 within 0.05", "misses of DRAM rows within 0.05",
    "speed-up within 0.05, without scheduling", "misses of L1 within 0.05, without scheduling",
    "misses of L2 within 0.05, without scheduling", "misses of DRAM rows within 0.05, without scheduling",
    "CCWS on its workloads within 0.05", "BATCH on its workloads within 0.03", "CCWS on the original forms within 0.05",
    "a sixteenfold L1 gives CCWS's workloads 1.18", "free rows give BATCH's workloads 1.06", "CCWS on top of vectors within 0.03",
    "BATCH on top of vectors within 0.03",
    "CCWS on them within 0.05 of its own paper's harmonic mean"}, {"memory": ["sgemm"], "related_bounds": ["bfs"], "map": ["vecmem_premise"]})
