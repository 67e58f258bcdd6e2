#!/usr/bin/env python3
"""The figures of P-mode, of a sweep that is made by hand and of made tables, to the digit."""

import pathlib
import sys

import h5py
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tests/support"))
import lookahead_process as lookahead  # noqa: E402
from made_sweeps import Rows, images, make_sweep, papers, show, write_counters  # noqa: E402

PAPER = papers.of(HERE.name)

CAUSES = ["issued", "extension_issued", "slot_held", "held_back", "memory_unit_full", "unit_full", "memory_wait", "constant_wait",
          "fence", "short_latency", "buffer_empty", "barrier", "no_instruction_left", "no_cta"]

# Of each run's cycles of waiting for memory, those that lie in no long wait.
SHORT_WAIT = 7

# Workload, design: cycles, and of 1000 scheduler cycles with CTAs those of long latency.
PMODE = {("sgemm", "base"): (1000, 640), ("sgemm", "pmode"): (500, 60), ("sgemm", "2xTLP"): (800, 500),
         ("aes", "base"): (1000, 100), ("aes", "pmode"): (1000, 100), ("aes", "2xTLP"): (1000, 100)}


def make_pmode_point(path, what, design):
    cycles, pmode = what[0], design == "pmode"
    long_latency = what[1] * cycles // 1000
    counters = {"sm_scheduler": {**dict.fromkeys(CAUSES, 0), "issued": cycles - long_latency - SHORT_WAIT,
                                 "memory_wait": long_latency + SHORT_WAIT, "no_cta": 500},
                "sm": {"long_latency": long_latency, "warp_instructions": 1000, "load_global": 200, "load_local": 0, "active_cycles": 100},
                "l1d": {"hits_demand": 20, "merges_demand": 10, "misses_demand": 70},
                "injection_port": {"flits": 1000 if not pmode else 980}}
    if pmode:
        counters["pmode"] = {"switches": 10, "short_waits": 1, "executed": 84, "reused": 80, "short_not_reused": 40,
                             "short_skipped": 400, "long_not_reused": 42, "long_skipped": 100,
                             "pool_used_cycles": 3200, "skipped_store": 73, "skipped_poisoned": 100,
                             "halted_exit": 5}
    with h5py.File(path, "w") as run:
        run.attrs["cycles"] = cycles
        for kind, values in counters.items():
            write_counters(run, {f"{kind}/{name}": value for name, value in values.items()})
        for name, value in {"crossbar.flit_bytes": 64, "sm.register_unit": 64, "sm.shared_unit": 128}.items():
            run[f"config/{name}"] = value
        # Blocks of 33 threads: two warps of 21 registers, rounded up to 22; of 100 cycles 5 CTAs in 80 and none else.
        for name, value in {"block_x": 33, "block_y": 1, "block_z": 1, "registers": 21, "shared_bytes": 1000}.items():
            run[f"kernels/{name}"] = np.array([value], dtype=np.uint32)
        run.create_dataset("kernel_counters/counter", data=["sm.active_cycles", "sm.cta_cycles"],
                           dtype=h5py.string_dtype())
        run["kernel_counters/counts"] = np.array([[100, 400]], dtype=np.uint64)
        joules = {"sm": [60.0, 0.0], "leakage": [0.0, 40.0 * cycles / 1000]}
        if pmode:
            joules["pmode"] = [1.0, 2.0]
        energy = run.create_group("energy")
        energy.create_dataset("component", data=list(joules), dtype=h5py.string_dtype())
        energy["joules"] = np.array(list(joules.values()))
        dynamic, static = energy["joules"][...].sum(axis=0)
        energy.attrs.update({"dynamic_j": dynamic, "static_j": static, "total_j": dynamic + static})


# Figure, row's label, the numbers that follow it.
PMODE_FIGURES = [
    ("fig10", "sgemm (SG)", ["8.400", "17.300", "0.100"]),
    ("fig11", "sgemm (SG)", ["0.100", "0.050", "0.500", "0.210", "0.500"]),
    ("fig12", "sgemm (SG)", ["2.000", "1.250"]),
    ("fig12", "mean, Type-L", ["2.000", "1.250"]),
    ("fig12", "mean, Type-M", ["1.000", "1.000"]),
    ("fig12", "mean, all", ["1.414", "1.118"]),
    ("fig13_raw", "sgemm (SG)", ["0.640", "0.030", "0.400"]),
    ("fig14", "aes (AE)", ["0.300", "0.300", "0.300"]),
    ("fig15", "aes (AE)", ["0.980", "1.000"]),
    ("fig16", "Type-L pmode", ["0.200", "0.600", "0.030", "0.830"]),
    ("fig17", "base", ["22.000", "4.000", "0.000", "0.000", "26.000", "1.000"]),
    ("fig17", "pmode", ["22.000", "4.000", "4.000", "19.400", "49.400", "1.414"]),
    ("fig7_pmode", "aes (AE)", ["0.172", "0.203"]),
    ("reasons", "sgemm (SG)", ["0.500", "10.000", "7.300"]),
]


def check_pmode(checks):
    make_sweep(checks.folder / "made", "pmode/designs", "design", PMODE, make_pmode_point)
    shown = {}
    for figure, label, numbers in PMODE_FIGURES:
        if figure not in shown:
            shown[figure] = show(f"pmode/{figure}", checks.folder / "made")[1]
        lines = [" ".join(line.split()) for line in shown[figure].splitlines()]
        checks.check(f"pmode/{figure}, {label}", " ".join([label, *numbers]) in lines, shown[figure])


def check_images(checks):
    """Values of different units are not on one axis, and parts are stacked."""
    make_sweep(checks.folder / "drawn", "pmode/designs", "design", PMODE, make_pmode_point)
    storage, gain = images(checks.check, "pmode/fig17", checks.folder / "drawn")
    checks.check("kilobytes and speed-ups are apart", (storage["label"], gain["label"]) == ("KB", "speed-up")
          and "speed-up" not in storage["bars"] and list(gain["bars"]) == ["speed-up"], (storage, gain))
    checks.check("each with its marks", [value for _, value in storage["marks"]] == [105, 205, 118] and
          [value for _, value in gain["marks"]] == [1.09, 1.13], (storage["marks"], gain["marks"]))
    (stack,) = images(checks.check, "pmode/fig13", checks.folder / "drawn")
    below = np.zeros(len(stack["rows"]))
    for part in stack["bars"].values():
        checks.check("parts lie one on the other", len(part) == len(below) > 0 and all(np.isclose(base, under) for (_, base, _), under in zip(part, below)), part)
        below += [height for _, _, height in part]
    checks.check("a bar for each class and design", "Type-L, pmode" in stack["rows"], stack["rows"])
    checks.check("legends are beside", all(each["beside"] for each in (storage, gain, stack)))


def check_means(checks):
    """Figures that separate a mean from the workloads that carry it."""
    cycles = {"sgemm": 50, "libor": 12.5, "FDTD3d": 100, "aes": 25}
    rows = [(workload, design, 100.0 if design == "base" else time) for workload, time in cycles.items()
            for design in ("base", "pmode")]
    table = PAPER.table("fig12_without", Rows(["workload", "design", "cycles"], rows))["pmode"]
    checks.check("fig12_without", np.isclose(table["mean, Type-L"], 16 ** (1 / 3)) and np.isclose(table["mean, Type-L without LI"], 2 ** 0.5)
          and np.isclose(table["mean, Type-L without FD"], 4) and np.isclose(table["mean, Type-L without LI, FD, MC"], 2)
          and np.isclose(table["median, Type-L"], 2) and np.isclose(table["median, all"], 3), table)

    rows = [("sgemm", latency, design, time, raw) for latency, base, raw in (("440", 100.0, 0.4), ("640", 150.0, 0.5))
            for design, time in (("base", base), ("pmode", 50.0))]
    table = PAPER.table("latency", Rows(["workload", "latency", "design", "cycles", "long_latency"], rows))
    checks.check("latency", np.isclose(table.loc["440", "speed-up, Type-L"], 2) and np.isclose(table.loc["640", "speed-up, all"], 3)
          and np.isclose(table.loc["640", "long-latency RAW, Type-L"], 0.5), table)

    rows = [(workload, change, design, time, raw) for workload, scale in (("sgemm", 1.0), ("libor", 4.0), ("aes", 1.0))
            for change, design, time, raw in (("early", "base", 100.0 * scale, 0.2), ("early", "pmode", 80.0 * scale, 0.1),
                                              ("in order", "base", 200.0 * scale, 0.4),
                                              ("in order", "pmode", 100.0, 0.3))]
    columns = ["workload", "change", "design", "cycles", "long_latency"]
    table = PAPER.table("hoisting", Rows(columns, rows))
    checks.check("hoisting", np.isclose(table.loc["early", "base, all"], 1) and np.isclose(table.loc["early", "pmode, Type-L"], 1.25)
          and np.isclose(table.loc["in order", "base, Type-L"], 0.5) and np.isclose(table.loc["in order", "pmode, Type-L"], 2)
          and np.isclose(table.loc["in order", "pmode over base, Type-L"], 4) and np.isclose(table.loc["in order", "pmode, Type-M"], 1)
          and np.isclose(table.loc["in order", "long-latency RAW, all"], 0.4), table)
    table = PAPER.table("hoisting_cycles", Rows(columns, rows))
    checks.check("hoisting_cycles", np.isclose(table.loc["libor", "in order, base"], 0.8)
          and list(table.columns) == ["early, base", "early, pmode", "in order, base", "in order, pmode"], table)


def check_causes(checks):
    """What keeps a workload below the bar, on either side of each cause's bound; the first that holds counts."""
    # Cycles of P-mode as it is, larger, with a change and with few CTAs, each over a baseline of 117; with a perfect
    # memory; and the share of loads that are pre-loaded.
    found = {"sgemm": (100, 100, 100, 100, 50, 0.5), "libor": (101, 100, 100, 100, 50, 0), "weather": (101, 101, 100, 100, 50, 0),
             "bfs": (101, 101, 101, 100, 101, 0), "spmv": (101, 101, 101, 101, 101, 0.5), "btree": (101, 101, 101, 101, 100, 0.2),
             "nw": (101, 101, 101, 101, 100, 0.21)}
    rows = []
    for workload, (table, larger, changed, few, perfect, share) in found.items():
        rows += [(workload, change, cycles, share if change == "pmode" else 0.9) for change, cycles in (
            ("base", 117), ("pmode", table), ("pmode, larger", larger), ("wide", 117), ("wide, pmode", changed),
            ("few", 234), ("few, pmode", 2 * few), ("perfect memory", perfect))]
    table = PAPER.table("causes", Rows(["workload", "change", "cycles", "long: pre-loaded"], rows))
    causes = {name.split()[0]: cause for name, cause in table["what keeps it"].items() if not name.startswith(("mean", "median"))}
    checks.check("causes", causes == {"sgemm": "", "libor": "larger", "weather": "wide", "bfs": "few", "spmv": "no wait for memory",
                                      "btree": "few loads are pre-loaded", "nw": "?"}, table)
    checks.check("columns", list(table) == ["as it is", "larger", "wide", "few", "a perfect memory's own", "what keeps it"] and
                 np.isclose(table.loc["sgemm (SG)", "as it is"], 1.17) and np.isclose(table.loc["sgemm (SG)", "a perfect memory's own"], 2.34), table)


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, lookahead.Checks, check_pmode, check_images, check_means, check_causes))
