"""The tables of the page of P-mode, and the paper's claims."""

from lookahead_analysis import papers, study_tables
from lookahead_analysis.study_tables import means_alone, near

PAPER = papers.of(__name__)
TABLES = {
    "map": ["kernel"],
    "places": ["map", "agreement"],
    "terms": [("terms", study_tables.with_column(__file__, PAPER, "designs", "fig12", "pmode", "pmode, our GTX 480, nvcc 13"))],
    "causes": ["causes"],
    "causes_medium": ["causes_medium"],
    "inputs": ["inputs"],
    "bases": ["bases"],
    "designs": ["fig12", "fig12_without", *((f"{name}", means_alone) for name in (
        "fig10", "fig11", "fig13_raw", "fig14", "fig15")), "fig16", "fig17", ("fig7_pmode", means_alone),
        ("reasons", means_alone)],
    "limits": ["fig2", ("fig3", means_alone), "fig3_stalls", "fig4", ("fig7", means_alone),
                     "opttb"],
    "thread_blocks": [("fig12_opttb", means_alone)],
    "latency": ["latency"],
    "hoisting": ["hoisting", "hoisting_cycles"],
    "memory": ["fig18"],
    "sizes": [("sizes", means_alone)],
    "prefetchers": ["prefetchers"],
    "schedulers": ["schedulers"],
}
TYPE_L, TYPE_M, ALL = "mean, Type-L", "mean, Type-M", "mean, all"

figure, as_said = PAPER.table, study_tables.claims_of(PAPER)


def of(name, judge, *rows):
    """Our value of a claim about a figure: `judge` gets its rows, and gives what to show and whether the claim holds."""
    def look(study):
        table = figure(name, study)
        return judge(*(table.loc[row] for row in rows))
    return look


def above(column, least):
    return lambda row: (f"{row[column]:.3f}", row[column] >= least)


def said(name, rows, *columns, between=", "):
    """The paper's values in these rows and columns."""
    return between.join(str(PAPER.said(name, row, column)) for row in rows for column in columns)


def falls(row):
    return f"{row['base']:.2f} to {row['pmode']:.2f}", row["pmode"] <= row["base"] * 2 / 3


def better(first, second):
    return lambda row: (f"{row[first]:.3f}, {row[second]:.3f}", round(row[first], 3) > round(row[second], 3))


def least_of_type_m(study):
    table = figure("fig12", study)
    rows = [f"{workload} ({name})" for workload, name in PAPER.module.TYPE_M.items()]
    pmode = table.loc[[row for row in rows if row in table.index], "pmode"]
    return f"{pmode.min():.3f} ({pmode.idxmin()})", pmode.min() >= 0.97


def from_the_map(study):
    return figure("agreement", study).loc["the map", "mean absolute difference"]


# Name: study, the paper's words, and what is looked at.
DESIGNS, COMMON = "designs", "pmode, Type-L"
CLAIMS = {
    "figure 5's kernel with 8 warps per SM at least twice as fast": ("map", "", of("kernel", above("arithmetic 0", 2), "warps 8")),
    "a smaller gain on that kernel with 48 warps": ("map", "", of("kernel", lambda few, many: (
        f"{few['arithmetic 0']:.3f}, {many['arithmetic 0']:.3f}", many["arithmetic 0"] < few["arithmetic 0"]), "warps 8", "warps 48")),
    "the map of that kernel gives the workloads' gains within 0.1 on average": ("places", "", near(from_the_map, 0, 0.1)),
    "Type-L gains more than Type-M": (DESIGNS, "so", of("fig12", lambda long, other: (
        f"{long['pmode']:.3f}, {other['pmode']:.3f}", long["pmode"] > other["pmode"]), TYPE_L, TYPE_M)),
    "Type-L on the paper's terms, within 0.05": as_said("terms", TYPE_L, "pmode", 0.05),
    "all 28 on the paper's terms, within 0.05": as_said("terms", ALL, "pmode", 0.05),
    "a cause for each Type-L workload below 1.17 there": ("causes", "", study_tables.all_have_causes("causes", PAPER, list(PAPER.module.TYPE_L))),
    "Type-L gains 10 % or more": (DESIGNS, said("fig12", [TYPE_L], "pmode"), of("fig12", above("pmode", 1.10), TYPE_L)),
    "Type-L gains 10 % or more without LI, FD and MC": (DESIGNS, "", of("fig12_without", above("pmode", 1.10), "mean, Type-L without LI, FD, MC")),
    "Type-L gains 10 % or more in the median": (DESIGNS, "", of("fig12_without", above("pmode", 1.10), "median, Type-L")),
    "all 28 within 0.05": as_said("fig12", ALL, "pmode", 0.05),
    "no Type-M kernel loses more than 3 %": (DESIGNS, "none loses", least_of_type_m),
    "long-latency RAW of Type-L within 0.05": as_said("fig2", TYPE_L, "long_latency", 0.05),
    "long-latency RAW of Type-L falls by a third": (DESIGNS, said("fig13_raw", [TYPE_L], "base", "pmode", between=" to "), of("fig13_raw", falls, TYPE_L)),
    "pre-executed per switch within 2": as_said("fig10", ALL, "executed a switch", 2),
    "skipped per switch within 4": as_said("fig10", ALL, "skipped a switch", 4),
    "long-latency instructions pre-loaded within 0.05, Type-L": as_said(
        "fig11", TYPE_L, "long: pre-loaded", 0.05),
    "L1 hits and merges of Type-L rise by a fifth": (DESIGNS, said("fig14", [TYPE_L], "base", "pmode", between=" to "), of("fig14", lambda row: (
        f"{row['base']:.2f} to {row['pmode']:.2f}", row["pmode"] >= 1.2 * row["base"]), TYPE_L)),
    "traffic does not rise, Type-L": (DESIGNS, said("fig15", [TYPE_L], "pmode"), of("fig15", lambda row: (
        f"{row['pmode']:.3f}", row["pmode"] <= 1.01), TYPE_L)),
    "net energy within 0.05": (DESIGNS, "1.027", lambda study: (
        lambda value: (f"{value:.3f}", abs(value - 1.027) <= 0.05))(figure("fig16", study).loc[("all", "pmode"), "total"])),
    "P-mode is better than DirectPrefetch, Type-L": (DESIGNS, "so", of("fig12", better("pmode", "DirectPrefetch"), TYPE_L)),
    "P-mode is better than twice the warps": (DESIGNS, said("fig17", ("pmode", "2xTLP"), "speed-up"), of("fig12", better("pmode", "2xTLP"), ALL)),
    "16 entries are a little better than 8": (DESIGNS, "so", of("fig12", better("pmode, 16 entries", "pmode"), ALL)),
    "OptTB adds to P-mode, Type-L": ("thread_blocks", said(
        "fig12_opttb", [TYPE_L], "pmode", "pmode + OptTB", between=", with it "), of(
        "fig12_opttb", better("pmode + OptTB", "pmode"), TYPE_L)),
    "twice the memory's bandwidth adds to P-mode": ("memory", said("fig18", ("2x, base", "2x, pmode"), "speed-up", between=", with P-mode "), of("fig18", lambda base, pmode: (
        f"{base['speed-up']:.3f}, {pmode['speed-up']:.3f}", pmode["speed-up"] > base["speed-up"]), "2x, base", "2x, pmode")),
    "over one baseline, P-mode in program order is not ahead of P-mode with early loads, Type-L": (
        "hoisting", "", of("hoisting", lambda early, late: (
            f"{late[COMMON]:.3f}, {early[COMMON]:.3f}", late[COMMON] <= early[COMMON]), "early", "in order")),
}

# What the tests run at size tiny, and the claims that fail there.
TRIAL = study_tables.Trial(["sgemm", "spmv", "FDTD3d", "stencil"], {
    "Type-L on the paper's terms, within 0.05", "all 28 on the paper's terms, within 0.05", "all 28 within 0.05", "long-latency RAW of Type-L within 0.05", "pre-executed per switch within 2",
    "skipped per switch within 4", "long-latency instructions pre-loaded within 0.05, Type-L", "net energy within 0.05",
    "16 entries are a little better than 8",
    "the map of that kernel gives the workloads' gains within 0.1 on average", "OptTB adds to P-mode, Type-L"}, {"map": ["pmode_premise"]})
