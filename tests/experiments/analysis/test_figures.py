#!/usr/bin/env python3
"""Makes a sweep's folder by hand and checks what `lookahead report` prints of it, to the digit."""

import argparse
import contextlib
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

import h5py
import numpy as np
import pandas as pd

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "experiments/analysis"))
from lookahead_analysis import avc_figures, dac_figures, figures, vecmem_figures  # noqa: E402
from lookahead_analysis.published import PUBLISHED  # noqa: E402

CYCLES = {("bfs", "none"): 1000, ("bfs", "caps"): 800, ("cp", "none"): 1000, ("cp", "caps"): 1250,
          ("scan", "none"): None, ("scan", "caps"): 700}


def write_counters(run, counters):
    """Of one component each."""
    for name, value in counters.items():
        run[f"counters/{name}"] = np.array([value], dtype=np.uint64)


def make_point(path, cycles, prefetcher):
    caps = prefetcher == "caps"
    with h5py.File(path, "w") as run:
        run.attrs["cycles"] = cycles
        run.attrs["ipc"] = 1e6 / cycles
        run["counters/l1d/fills"] = np.array([100, 100 + 6 * caps], dtype=np.uint64)
        if caps:
            write_counters(run, {"prefetch/issued": 50, "prefetch/useful": 30, "prefetch/late": 10, "prefetch/load_accesses": 200,
                                      "prefetch/matched": 35, "prefetch/early_evicted": 5, "prefetch/distance_cycles": 4000})


def make_index(folder, study, columns):
    """What `lookahead sweep run` writes: numbers of metrics are there too, and are no axes."""
    with h5py.File(folder / "index.h5", "w") as index:
        index.attrs.update({"study": study, "title": "A study"})
        for name, values in columns.items():
            index.create_dataset(f"points/{name}", data=values, dtype=h5py.string_dtype())
        index["points/cycles"] = np.ones(len(columns["workload"]))
        for dataset in index["points"].values():
            dataset.attrs["units"] = ""


def make_sweep(folder, study, axis, points, make):
    """Of points by workload and value of the axis: make(path, what stands there); nothing stands for one that failed."""
    (folder / "points").mkdir(parents=True)
    columns = {"workload": [], axis: [], "status": [], "message": [], "file": []}
    for (workload, value), what in points.items():
        file = f"points/{workload}_{value}.h5"
        if what is not None:
            make(folder / file, what, value)
        row = (workload, value, "complete", "", file) if what is not None else (workload, value, "failed", "it broke", "")
        for column, each in zip(columns.values(), row):
            column.append(each)
    make_index(folder, study, columns)


CAUSES = ["issued", "extension_issued", "slot_held", "held_back", "memory_unit_full", "unit_full", "memory_wait", "constant_wait",
          "fence", "short_latency", "buffer_empty", "barrier", "no_instruction_left", "no_cta"]
# Those of each run's cycles of waiting for memory that lie in no long wait.
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


def show(*arguments):
    """Exit code and what is printed to stdout and stderr; in this process, for Python takes longer to start than a figure to make."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        code = figures.main([str(word) for word in arguments])
    return code, out.getvalue(), errors.getvalue()


def made(figure, sweep):
    """The figure's table of what stands in place of a sweep."""
    return figures.FIGURES[figure][2](sweep)


def check_pmode(check, folder):
    make_sweep(folder, "pmode/designs", "design", PMODE, make_pmode_point)
    shown = {}
    for figure, label, numbers in PMODE_FIGURES:
        if figure not in shown:
            shown[figure] = show(f"pmode/{figure}", folder)[1]
        lines = [" ".join(line.split()) for line in shown[figure].splitlines()]
        check(f"pmode/{figure}, {label}", " ".join([label, *numbers]) in lines, shown[figure])


def check_refusals(check, folder):
    """Each figure takes sweeps of its own study alone, and says what else it was given."""
    columns = {"workload": ["bfs"], "status": ["complete"], "message": [""], "file": ["points/a.h5"]}

    def outcome(figure, study, **axes):
        make_index(folder, study, {**{name: values * len(next(iter(axes.values()))) for name, values in columns.items()}, **axes})
        code, _, errors = show(figure, folder)
        return code, errors

    (folder / "points").mkdir(parents=True)
    make_point(folder / "points/a.h5", 1000, "caps")
    cases = [
        ("caps/fig10", "baseline/schedulers", {"sm.warp_scheduler": ["lrr"]},
         "is a sweep of the study 'baseline/schedulers', but caps/fig10 is of caps/prefetchers"),
        ("pmode/fig10", "caps/prefetchers", {"prefetcher": ["none", "caps"]},
         "of the study 'caps/prefetchers', but pmode/fig10 is of pmode/designs"),
        # A copy of pmode/prefetchers in a file of its own has the name of one of caps/prefetchers.
        ("caps/fig10", "prefetchers", {"prefetcher": ["none", "caps"], "design": ["base", "base"]},
         "has the axes design, prefetcher, but caps/fig10 is of caps/prefetchers with the axes prefetcher;"),
        ("caps/fig10", "caps/prefetchers", {"prefetcher": ["intra", "caps"]},
         "axis 'prefetcher' has no value 'none', which caps/fig10 is made with; it has intra, caps"),
        # Its result files are not those of P-mode: they have no stalls.
        ("pmode/fig10", "pmode/designs", {"design": ["base", "pmode"]}, "points/a.h5: the result of bfs cannot be used:"),
    ]
    for figure, study, axes, sentence in cases:
        code, text = outcome(figure, study, **axes)
        check(f"{figure} of {study}", code == 3 and sentence in text and text.startswith("lookahead: ")
              and text.count("\n") == 1 and "lookahead sweep run" in text, text)
    for study in ("caps/prefetchers", "prefetchers"):
        code, text = outcome("caps/fig10", study, prefetcher=["none", "caps"])
        check(f"a sweep of {study} is drawn", code == 0 and not text, text)


def check_bounds(check):
    """What keeps a workload below the paper's mean: on either side of where each cause begins."""
    # Cycles with DAC by memory, with longer queues, with more MSHRs too, with a near memory and a large L1I, with four times the
    # bandwidth, with a near one too; and loads asked for early. The baseline's are 119.1 or, of memory-bound workloads, 129.8; with more
    # MSHRs one less. A machine without DAC is faster than it where `faster` says so.
    found = {"cp": (100, 100, 100, 100, 100, 100, 101, 101, 1), "fft": (101, 101, 101, 100, 100, 50, 101, 101, 0),
             "aes": (101, 100, 100, 101, 100, 100, 101, 101, 1), "tpacf": (101, 101, 100, 101, 100, 100, 101, 101, 1),
             "mri-q": (101, 99, 101, 101, 100, 100, 100, 100, 1), "sgemm": (101, 100, 100, 101, 100, 100, 101, 101, 1),
             "hotspot": (101, 100, 100, 101, 100, 101, 101, 101, 1), "libor": (101, 101, 100, 101, 100, 100, 101, 101, 0.5),
             "lud": (101, 101, 100, 101, 100, 100, 100, 101, 0), "spmv": (101, 100, 100, 101, 99, 100, 101, 101, 1),
             "bfs": (101, 101, 100, 101, 100, 100, 101, 101, 0.51), "kmeans": (101, 101, 100, 101, 100, 100, 101, 101, 0),
             "histo": (101, 101, 100, 101, 100, 100, 101, 101, 1), "cfd": (101, 101, 100, 101, 100, 100, 101, 100, 1)}
    faster = {("libor", "perfect"): 1, ("bfs", "perfect"): 1, ("histo", "large L1I"): 1}
    rows = []
    for workload, (table, near, perfect, queues, mshrs, fetched, bandwidth, both, early) in found.items():
        base = 129.8 if workload in dac_figures.MEMORY else 119.1
        rows += [(workload, machine, cycles - faster.get((workload, machine), 0), early if machine == "DAC" else 0)
                 for machine, cycles in (
            ("base", base), ("near", base), ("perfect", base), ("large L1I", base), ("DAC", table), ("queues x 4", queues),
            ("near, DAC", near), ("perfect, DAC", perfect), ("large L1I, DAC", 1), ("large L1I, near, DAC", fetched),
            ("MSHRs x 8", base - 1), ("queues, MSHRs x 8", mshrs), ("bandwidth x 4", base), ("bandwidth x 4, DAC", bandwidth),
            ("near, bandwidth x 4", base), ("near, bandwidth x 4, DAC", both))]
    table = made("dac/bounds", Rows(["workload", "machine", "cycles", "early loads"], rows))
    causes = {name.split()[0]: cause for name, cause in table["what keeps it"].items() if not name.startswith("mean")}
    check("dac/bounds", causes == {"cp": "", "fft": "queues x 4", "aes": "latency", "tpacf": "perfect memory for both", "mri-q": "code",
                                   "sgemm": "latency", "hotspot": "fetch", "libor": "undecoupled", "lud": "bandwidth",
                                   "spmv": "queues, MSHRs x 8", "bfs": "perfect alone", "kmeans": "perfect memory for both", "histo": "fetch",
                                   "cfd": "memory for both"}, table)


def check_studies(check):
    """What the figures need is what the studies have."""
    folder = pathlib.Path(__file__).resolve().parents[3] / "experiments/studies"
    for study, axes in {figure[0]: figure[-1] for figure in figures.FIGURES.values()}.items():
        with open(folder / f"{study}.toml", "rb") as file:
            present = {axis.get("name", axis.get("key")): [str(value) for value in axis.get("values", [])]
                       + [value["name"] for value in axis.get("value", [])] for axis in tomllib.load(file)["axis"]}
        check(study, present.keys() == axes.keys()
              and all(set(axes[axis]) <= set(present[axis]) for axis in axes), (present, axes))


def drawn_axes(draw):
    """What the images that `draw` writes look like: for each of their axes the bars by label, the published marks, limits and texts."""
    import matplotlib.figure
    seen = []
    save = matplotlib.figure.Figure.savefig

    def look(figure, *arguments, **options):
        save(figure, *arguments, **options)
        for axes in figure.axes:
            if not axes.axison:
                continue
            marks = [(float(line.get_xdata()[1]), float(line.get_ydata()[0])) for line in axes.lines if line.get_marker() == "D"]
            legend = axes.get_legend()
            seen.append({
                "bars": {bars.get_label(): [(bar.get_x() + bar.get_width() / 2, bar.get_y(), bar.get_height()) for bar in bars]
                         for bars in axes.containers},
                "marks": marks, "limits": axes.get_ylim(), "label": axes.get_ylabel(),
                "rows": [tick.get_text() for tick in axes.get_xticklabels()],
                "beside": legend is None or legend.get_window_extent().x0 >= axes.get_window_extent().x1,
                "texts": [figure._suptitle.get_text(), axes.get_title()], "below": [text.get_text() for text in figure.texts]})
    matplotlib.figure.Figure.savefig = look
    try:
        draw()
    finally:
        matplotlib.figure.Figure.savefig = save
    return seen


def check_images(check, sweep, pmode_sweep):
    """What is seen in images: ratios stand on 1, a paper's values are marks in their bars' places and not in the title, legends are
    beside, and what has different units is not on one axis."""
    def images(figure, folder):
        return drawn_axes(lambda: check(figure, show(figure, folder, "-o", folder / "image.png")[0] == 0, figure))

    (speedups,) = images("caps/fig10", sweep)
    bars = dict(zip(speedups["rows"], speedups["bars"]["caps"]))
    check("bars stand on 1", all(base == 1 for _, base, _ in bars.values()), bars)
    check("they end at the speed-up", np.isclose(bars["bfs"][2], 0.25) and np.isclose(bars["cp"][2], -0.2), bars)
    middle = bars["mean"][0]
    check("the paper's mean is a mark in its place", (middle, 1.08) in speedups["marks"], speedups["marks"])
    known = {row for row in speedups["rows"] if "caps" in PUBLISHED["caps/fig10"].get(row, {})}
    check("and its other values", len(speedups["marks"]) == len(known) == 2, (speedups["marks"], known))
    check("nothing of it is in the title", not any("paper" in text or "1.08" in text for text in speedups["texts"]), speedups)
    check("the axis is cut to what there is", 0.7 < speedups["limits"][0] < 0.8 and 1.25 < speedups["limits"][1] < 1.4, speedups)
    (coverage,) = images("caps/fig12c", sweep)
    check("other bars stand on 0", coverage["bars"]["caps"] and all(base == 0 for _, base, _ in coverage["bars"]["caps"]) and coverage["limits"][0] == 0, coverage)
    check("words stand below", any("not in the paper" in text for text in coverage["below"]), coverage["below"])
    storage, gain = images("pmode/fig17", pmode_sweep)
    check("kilobytes and speed-ups are apart", (storage["label"], gain["label"]) == ("KB", "speed-up")
          and "speed-up" not in storage["bars"] and list(gain["bars"]) == ["speed-up"], (storage, gain))
    check("each with its marks", [value for _, value in storage["marks"]] == [105, 205, 118] and
          [value for _, value in gain["marks"]] == [1.09, 1.13], (storage["marks"], gain["marks"]))
    (stack,) = images("pmode/fig13", pmode_sweep)
    below = np.zeros(len(stack["rows"]))
    for part in stack["bars"].values():
        check("parts lie one on the other", len(part) == len(below) > 0 and all(np.isclose(base, under) for (_, base, _), under in zip(part, below)), part)
        below += [height for _, _, height in part]
    check("a bar for each class and design", "Type-L, pmode" in stack["rows"], stack["rows"])
    check("legends are beside", all(each["beside"] for each in (speedups, coverage, storage, gain, stack)), "")


def check_published(check):
    """What is said to be published has a place: a row, which may be a kernel, and a column that the figure's study or module
    have by that name."""
    folder = pathlib.Path(__file__).resolve().parents[3] / "experiments"
    for figure, rows in PUBLISHED.items():
        check(f"{figure} is a figure", figure in figures.FIGURES, sorted(figures.FIGURES))
        study = figures.FIGURES[figure][0]
        with open(folder / f"studies/{study}.toml", "rb") as file:
            toml = tomllib.load(file)
        values = {str(value) for axis in toml["axis"] for value in
                  [*axis.get("values", []), *(each["name"] for each in axis.get("value", []))]}
        source = (folder / f"analysis/lookahead_analysis/{figure.split('/')[0]}_figures.py").read_text()
        kernels = {kernel for workload in toml["workloads"] for path in (folder / "workloads" / workload).glob("*.ptx")
                   for kernel in re.findall(r"\.entry (\w+)", path.read_text())}
        for row, columns in rows.items():
            parts = row.split(", ") if row not in values else [row]
            known = row.split(" (")[0] in {*toml["workloads"], *kernels} or row.startswith("mean") or all(
                part in values for part in parts)
            check(f"{figure}: the row {row}", known, values)
            for column, value in columns.items():
                stem = column.split(", ")[-1].removesuffix("'s part")
                check(f"{figure}: {column} of {row}", (column in values or stem in source or column == "sum") and value > 0, value)


class Rows:
    """In place of a sweep: these rows, whatever the axes."""

    def __init__(self, columns, rows):
        self.rows = pd.DataFrame(rows, columns=columns)

    def table(self, *_):
        return self.rows.copy()


def check_two_axes(check):
    """Of these workloads `cp` has no baseline."""
    rows = [("bfs", "2", "none", 1.0), ("bfs", "2", "caps", 1.5), ("bfs", "10", "none", 2.0),
            ("bfs", "10", "caps", 3.0), ("scan", "2", "none", 4.0), ("scan", "2", "caps", 6.0),
            ("scan", "10", "none", 32.0), ("scan", "10", "caps", 48.0), ("cp", "2", "none", 7.0)]
    figure = made("caps/fig11", Rows(["workload", "ctas", "prefetcher", "ipc"], rows))
    expected = pd.DataFrame([[0.25, 0.375], [1.0, 1.5]], index=["2", "10"], columns=["none", "caps"])
    check("two axes over the most CTAs", list(figure.index) == ["2", "10"] and np.allclose(figure, expected), figure)


def check_parts_and_means(check):
    """Figures that tell a mean from what carries it."""
    def near(found, expected):
        return np.isclose(found, expected)

    cycles = {"sgemm": 50, "libor": 12.5, "FDTD3d": 100, "aes": 25}
    rows = [(workload, design, 100.0 if design == "base" else time) for workload, time in cycles.items()
            for design in ("base", "pmode")]
    table = made("pmode/fig12_without", Rows(["workload", "design", "cycles"], rows))["pmode"]
    check("pmode/fig12_without", near(table["mean, Type-L"], 16 ** (1 / 3)) and near(table["mean, Type-L without LI"], 2 ** 0.5)
          and near(table["mean, Type-L without FD"], 4) and near(table["mean, Type-L without LI, FD, MC"], 2)
          and near(table["median, Type-L"], 2) and near(table["median, all"], 3), table)

    rows = [("sgemm", latency, design, time, raw) for latency, base, raw in (("440", 100.0, 0.4), ("640", 150.0, 0.5))
            for design, time in (("base", base), ("pmode", 50.0))]
    table = made("pmode/latency", Rows(["workload", "latency", "design", "cycles", "long_latency"], rows))
    check("pmode/latency", near(table.loc["440", "speed-up, Type-L"], 2) and near(table.loc["640", "speed-up, all"], 3)
          and near(table.loc["640", "long-latency RAW, Type-L"], 0.5), table)

    rows = [(workload, change, design, time, raw) for workload, scale in (("sgemm", 1.0), ("libor", 4.0), ("aes", 1.0))
            for change, design, time, raw in (("early", "base", 100.0 * scale, 0.2), ("early", "pmode", 80.0 * scale, 0.1),
                                              ("in order", "base", 200.0 * scale, 0.4),
                                              ("in order", "pmode", 100.0, 0.3))]
    columns = ["workload", "change", "design", "cycles", "long_latency"]
    table = made("pmode/hoisting", Rows(columns, rows))
    check("pmode/hoisting", near(table.loc["early", "base, all"], 1) and near(table.loc["early", "pmode, Type-L"], 1.25)
          and near(table.loc["in order", "base, Type-L"], 0.5) and near(table.loc["in order", "pmode, Type-L"], 2)
          and near(table.loc["in order", "pmode over base, Type-L"], 4) and near(table.loc["in order", "pmode, Type-M"], 1)
          and near(table.loc["in order", "long-latency RAW, all"], 0.4), table)
    table = made("pmode/hoisting_cycles", Rows(columns, rows))
    check("pmode/hoisting_cycles", near(table.loc["libor", "in order, base"], 0.8)
          and list(table.columns) == ["early, base", "early, pmode", "in order, base", "in order, pmode"], table)

    rows = [(workload, size, design, 100.0 if design == "two_level" else time)
            for workload, time in (("cp", 50.0), ("bfs", 100.0), ("fft", 12.5), ("kmeans", 25.0), ("kmeans-mars", 6.25))
            for size in ("2 KB", "64 KB")
            for design in ("two_level", "both")]
    table = made("caps/fig10_parts", Rows(["workload", "l1i", "design", "cycles"], rows))["both"]
    check("caps/fig10_parts", near(table["mean of regular, 2 KB"], 4) and near(table["mean of irregular, 64 KB"], 4)
          and near(table["mean of irregular, Rodinia's kmeans, 64 KB"], 2)
          and near(table["median, 2 KB"], 5) and near(table["mean, 2 KB"], 256 ** 0.25) and near(table["fft, 64 KB"], 8), table)
    rows = [(workload, prefetcher, 100.0 if prefetcher == "none" else time)
            for workload, time in (("cp", 50.0), ("pvr", 25.0), ("kmeans", 100.0), ("kmeans-mars", 6.25))
            for prefetcher in ("none", "caps")]
    table = made("caps/fig10", Rows(["workload", "prefetcher", "cycles"], rows))["caps"]
    check("caps/fig10, kmeans", near(table["mean of regular"], 2) and near(table["mean of irregular"], 8)
          and near(table["mean of irregular, Rodinia's kmeans"], 2) and near(table["mean"], 128 ** (1 / 3))
          and near(table["kmeans"], 1), table)

    columns = ["workload", "prefetcher", "issued", "early", "early_by_demand"]
    rows = [("cp", "caps", 9.0, 0.5, 0.1), ("bfs", "caps", 9.0, 0.3, 0.1), ("fft", "caps", 9.0, 0.1, 0.0),
            ("scan", "caps", 0.0, np.nan, np.nan)]
    table = made("caps/fig14a_demand", Rows(columns, rows)).loc["caps"]
    check("caps/fig14a_demand", near(table["by demand, mean"], 0.2 / 3) and near(table["by demand, median"], 0.1)
          and near(table["by anything, mean"], 0.3), table)

    columns = ["workload", "prefetcher", "cycles", "reads", "coverage", "consumed", "early"]
    rows = [("cp", "none", 100.0, 10.0, np.nan, np.nan, np.nan), ("cp", "inter, all", 50.0, 30.0, 0.5, 0.2, 0.1)]
    table = made("caps/degree", Rows(columns, rows)).loc["inter, all"]
    check("caps/degree", near(table["IPC"], 2) and near(table["lines read"], 3) and near(table["consumed, median"], 0.2), table)


class Registers:
    """In place of a sweep over caches and register limits, of two workloads. lud_internal's
    traffic rises and sinks again, but never below the bar with 32 KB of L1. Below 24 registers there are private accesses, but
    none in nw_small, whose r_base is too low to count, and in nw_large one at 22 alone; with fewer registers a workload takes longer by its traffic, but less for the warps that fit."""

    points = pd.DataFrame({"workload": ["nw", "lud"], "caches": ["48 KB", "32 + 16 KB"]})

    TRAFFIC = {("nw", "48 KB"): {24: 0.0, 22: 0.99, 21: 1.0, 3: 50.0}, ("nw", "32 + 16 KB"): {24: 0.0, 22: 0.0, 21: 0.0, 3: 0.5},
               ("lud", "48 KB"): {24: 0.0, 22: 0.5, 21: 2.0, 3: 0.1}, ("lud", "32 + 16 KB"): {24: 1.0, 22: 1.0, 21: 2.0, 3: 9.0}}
    KERNEL = {"nw": "nw_first_half", "lud": "lud_internal"}

    def table(self, *axes):
        rows = []
        for (workload, caches), by_limit in self.TRAFFIC.items():
            for registers, traffic in by_limit.items():
                rows.append({"workload": workload, **dict(zip(axes, (caches, str(registers)))), "traffic": traffic,
                             "cycles": 10 * registers + 2 * traffic,
                             f"private: {self.KERNEL[workload]}": 0.0 if registers == 24 else 7.0,
                             f"traffic: {self.KERNEL[workload]}": traffic})
                if workload == "nw":
                    rows[-1] |= {"private: nw_small": 0.0, "traffic: nw_small": 0.0,
                                 "private: nw_large": float(registers < 24), "traffic: nw_large": 8.0 * (registers < 22)}
        return pd.DataFrame(rows)


class Machines:
    """In place of a sweep over caches of two machines and register limits."""

    CYCLES = {"a: 16 KB": {63: 100.0, 20: 80.0}, "a: 12 + 4 KB": {63: 90.0, 20: 40.0}, "b: 48 KB": {63: 70.0, 20: 70.0},
              "b: 36 + 8 KB": {63: 60.0, 20: 140.0}}
    points = pd.DataFrame({"workload": "nw", "caches": list(CYCLES)})

    def table(self, *axes):
        return pd.DataFrame([("nw", caches, str(limit), cycles) for caches, by_limit in self.CYCLES.items()
                             for limit, cycles in by_limit.items()], columns=["workload", *axes, "cycles"])


# Of sweeps over caches at one register limit, and over changes and caches.
CACHES = Rows(["workload", "caches", "cycles", "energy", "dynamic"],
              [("nw", "48 KB", 1000.0, 4.0, 2.0), ("nw", "32 + 16 KB", 500.0, 1.0, 1.0), ("lud", "48 KB", 1000.0, 4.0, 3.0),
               ("lud", "32 + 16 KB", 2000.0, 4.0, 3.0)])
CHANGES = Rows(["workload", "change", "caches", "cycles"],
               [("nw", "as it is", "48 KB", 1000.0), ("nw", "as it is", "32 + 16 KB", 500.0), ("lud", "as it is", "48 KB", 1000.0),
                ("lud", "as it is", "32 + 16 KB", 2000.0), ("nw", "other", "48 KB", 1000.0), ("nw", "other", "32 + 16 KB", 250.0),
                ("lud", "other", "48 KB", 10.0), ("lud", "other", "32 + 16 KB", 10.0)])


def check_avc(check, folder):
    table = made("avc/table4", Registers())
    expected = pd.DataFrame([[24, 3, np.nan], [24, 22, 3], [24, 22, 22], [24, 12.5, 3]],
                            index=["lud_internal", "nw_first_half", "nw_large", "mean"],
                            columns=["r_base", "48 KB", "32 + 16 KB"])
    check("avc/table4", list(table.index) == list(expected.index) and np.allclose(table, expected, equal_nan=True), table)
    curve = made("avc/fig6", Registers())
    check("avc/fig6", curve.loc[("nw", 3), "48 KB"] == 50 and list(curve.loc["nw"].index) == [24, 22, 21, 3], curve)
    gain = made("avc/gain", Registers())["32 + 16 KB"]
    check("avc/gain", gain["nw_first_half"] == 19 and np.isnan(gain["lud_internal"]) and np.isnan(gain["median without nw"])
          and gain["mean"] == gain["median"] == gain["mean where 48 KB do not hold all"] == 19
          and gain["mean of r_base 8 and more"] == gain["mean, by limits from which on all hold"] == 19
          and np.isnan(gain["mean without nw"]) and gain["mean of all"] == 9.5 and np.isclose(gain["capacity, percent"], 1900 / 11.5), gain)
    points = pd.DataFrame({"registers": [3, 4, 5, 6], "traffic": [0.0, 1.0, 0.9, 0.0]})
    check("least limits", avc_figures.least(points) == 3 and avc_figures.least_from_there_on(points) == 5
          and avc_figures.least_from_there_on(points[points["registers"] != 4]) == 3, points)
    best = made("avc/best", Registers())["32 + 16 KB"]
    check("avc/best", best["nw"] == 130 / 31 and np.isclose(best["lud"], 30.2 / 48), best)
    whole = made("avc/whole_gpu", Machines())
    check("avc/whole_gpu", list(whole.columns) == ["a: 12 + 4 KB", "b: 36 + 8 KB"] and list(whole.loc["nw"]) == [2, 70 / 60], whole)
    limits = made("avc/whole_gpu_limits", Machines())
    check("avc/whole_gpu_limits", list(limits.loc["nw"]) == [20, 20, 63, 63], limits)
    reasons = made("avc/reasons", CHANGES)
    check("avc/reasons", list(reasons.index) == ["as it is", "other"] and np.isclose(reasons.loc["as it is", "32 + 16 KB"], 1)
          and np.isclose(reasons.loc["other", "32 + 16 KB"], 2), reasons)
    each = made("avc/reasons_each", CHANGES)
    check("avc/reasons_each", each.loc["nw", "as it is"] == 2 and each.loc["lud", "other"] == 1, each)
    for figure, mean, nw in (("fig7a", 1.0, 2.0), ("fig7b", 0.5, 0.25), ("fig7b_dynamic", 2**-0.5, 0.5)):
        table = made(f"avc/{figure}", CACHES)
        check(f"avc/{figure}", list(table.columns) == ["32 + 16 KB"] and np.isclose(table.loc["mean"].iloc[0], mean)
              and table.loc["nw"].iloc[0] == nw, table)
    path = folder / "avc.h5"
    with h5py.File(path, "w") as run:
        run.attrs["cycles"] = 10
        write_counters(run, {"sm/warp_instructions": 20_000, "l1d/local_misses": 3, "l1d/write_backs": 2, "l1d/store_fetches": 4,
                             "avc/write_backs": 5})
    with h5py.File(path, "r") as run:
        check("traffic below the caches", avc_figures.facts(run)["traffic"] == 7, avc_figures.facts(run))
        check("private accesses", avc_figures.facts(run)["private"] == 3, avc_figures.facts(run))
    with h5py.File(path, "a") as run:
        run["kernels/id"], run["kernels/name"] = np.arange(3), ["first", "second", "first"]
        run["kernel_counters/kernel"] = np.arange(3)
        run["kernel_counters/counter"] = ["sm.warp_instructions", "l1d.local_hits", "l1d.local_misses", "l1d.store_fetches",
                                          "avc.write_backs"]
        run["kernel_counters/counts"] = np.array([[10_000, 2, 3, 2, 1], [10_000, 0, 0, 0, 0], [10_000, 0, 4, 0, 0]],
                                                 dtype=np.uint64)
    with h5py.File(path, "r") as run:
        its = avc_figures.facts_by_kernel(run)
        check("facts by kernel", [its[f"{name}: {kernel}"] for kernel in ("first", "second") for name in ("private", "traffic")]
              == [9, 5, 0, 0] and its["traffic"] == 7, its)


class Forms:
    """In place of a sweep over loops and vectors: bfs gains by stalls alone, spmv by instructions alone."""

    LOOPS = {"bfs": (1000.0, 400.0, 600.0, 100.0), "spmv": (1000.0, 800.0, 200.0, 200.0)}
    VECTORS = {"bfs": (500.0, 400.0, 100.0, 50.0), "spmv": (500.0, 300.0, 200.0, 200.0)}

    def of(self, rows, factor=1.0):
        columns = ["workload", "cycles", "execute", "stall", "l1_misses"]
        table = pd.DataFrame([(workload, *values) for workload, values in rows.items()], columns=columns)
        for name in ("l2_misses", "row_misses", "energy", "energy_delay"):
            table[name] = table["cycles"]
        table["warp_instructions"] = table["execute"]
        table["integer"] = table["execute"] * factor
        for name in ("memory", "control", "floating"):
            table[name] = 0.0
        return table

    def best(self, name, *axes):
        return self.of(self.LOOPS) if name == "best unrolling" else self.of(self.VECTORS, 0.5)

    def table(self, axis):
        if axis == "kind":
            found = {"unroll 1": (1000.0, 800.0), "both": (500.0, 400.0), "global": (625.0, 500.0), "shared": (1000.0, 700.0),
                     "strided": (500.0, 400.0), "indirect": (1000.0, 800.0)}
            return pd.DataFrame([(workload, kind, *values) for workload in ("bfs", "spmv") for kind, values in found.items()],
                                columns=["workload", "kind", "cycles", "warp_instructions"])
        return pd.DataFrame([("bfs", "length 4", 800.0), ("bfs", "length 8", 500.0), ("bfs", "length 16", 1000.0)],
                            columns=["workload", "form", "cycles"])


class Bests:
    """In place of a sweep with bests: (name, workload, value of the axis, cycles, warp instructions)."""

    def __init__(self, axis, rows, original=()):
        self.axis, self.rows, self.original = axis, rows, original

    def best(self, name, *axes):
        rows = [row[1:] for row in self.rows if row[0] == name]
        return pd.DataFrame(rows, columns=["workload", self.axis, "cycles", "warp_instructions"][:len(rows[0])])

    def table(self, *axes):
        return pd.DataFrame(self.original, columns=["workload", *axes, "cycles"])


def check_vecmem_bounds(check):
    # The vectors' cycles of 1000 with each memory, and their instructions of 100.
    vectors = {"btree": ((952, 900, 900), 60), "vecadd": ((1000, 961, 900), 90), "spmv": ((1000, 1000, 793), 90),
               "bfs": ((1000, 1000, 1000), 56), "nw": ((1000, 1000, 1000), 80), "transpose": ((1000, 1000, 1000), 90)}
    memories = vecmem_figures.MEMORIES
    rows = [("best unrolling", workload, memory, 2000 if memory == "as it is" else 1000, 100) for workload in vectors for memory in memories]
    rows += [("best length", workload, memory, cycles * (2 if memory == "as it is" else 1), instructions)
             for workload, (all_cycles, instructions) in vectors.items() for memory, cycles in zip(memories, all_cycles)]
    table = made("vecmem/memory", Bests("machine", rows))
    check("vecmem/memory", dict(table["what keeps it"]) == {"btree": "", "vecadd": "bandwidth", "spmv": "memory", "bfs": "instructions",
                                                            "nw": "unknown", "transpose": "", "mean": ""}
          and np.isclose(table.loc["spmv", "perfect"], 1000 / 793) and np.isclose(table.loc["mean", "loops, perfect over as it is"], 2), table)
    rows = [(name, "bfs", "", cycles) for name, cycles in
            (("best unrolling", 1000), ("best unrolling by 16, too", 800), ("best length", 500))]
    table = made("vecmem/unroll_16", Bests("form", rows))
    check("vecmem/unroll_16", np.allclose(table.loc["bfs"], [2, 1.6]), table)

    techniques = {"none": 1000, "CCWS": 800, "1 CTA": 500, "2 CTAs": 400, "4 CTAs": 2000, "L1 x 16": 250, "BATCH": 1250, "free rows": 625}
    rows = [(name, workload, technique, cycles) for name in ("best unrolling", "best length") for workload in ("bfs", "spsum", "histo")
            for technique, cycles in techniques.items()]
    original = [("bfs", form, technique, cycles / (2 if technique == "CCWS" and form == "original" else 1))
                for form in ("original", "unroll 1") for technique, cycles in techniques.items()]
    sweep = Bests("technique", rows, original)
    table = made("vecmem/ccws_bounds", sweep)
    check("vecmem/ccws_bounds", np.allclose(table.loc["bfs"], [2.5, 2.5, 4, 1.25, 2.5, 4, 1.25, 2.5, 4])
          and list(table.index) == ["bfs", "spsum", "mean"], table)
    table = made("vecmem/batch_bounds", sweep)
    check("vecmem/batch_bounds", np.allclose(table.loc["bfs"], [0.8, 1.6] * 3) and list(table.index) == ["bfs", "histo", "mean"], table)


def check_vecmem(check, folder):
    table = made("vecmem/fig10", Forms())
    check("vecmem/fig10", np.allclose(table["cycles"], [2, 2, 2]), table)
    table = made("vecmem/fig8", Forms())
    check("vecmem/fig8", np.isclose(table.loc["bfs", "all"], 1) and np.isclose(table.loc["mean", "all"], np.sqrt(3 / 8))
          and np.isclose(table.loc["spmv", ("vectors", "integer")], 0.5 * 3 / 8), table)
    table = made("vecmem/fig9", Forms())
    check("vecmem/fig9", np.isclose(table.loc["bfs", "l1_misses"], 0.5) and np.isclose(table.loc["mean", "l1_misses"], np.sqrt(0.5)), table)
    table = made("vecmem/fig11", Forms())
    check("vecmem/fig11", np.isclose(table.loc["mean", "of what is saved: execute"], 0.5)
          and np.isclose(table.loc["bfs", "vectors, stall"], 0.1), table)
    table = made("vecmem/fig14", Forms())
    check("vecmem/fig14", np.allclose(table.loc["bfs"], [1.25, 2, 1]), table)
    table = made("vecmem/fig15", Forms())
    check("vecmem/fig15", np.isclose(table.loc["mean", "global's part"], 0.6) and np.isclose(table.loc["mean", "shared's part"], 0)
          and len(table) == 3, table)
    table = made("vecmem/fig16", Forms())
    check("vecmem/fig16 is of those that have both", list(table.index) == ["mean"], table)
    path = folder / "vecmem.h5"
    with h5py.File(path, "w") as run:
        run.attrs["cycles"] = 10
        write_counters(run, {"sm/warp_instructions": 100, "sm/load_global": 20, "sm/store_shared": 5, "sm/branch_instructions": 10,
                             "sm/fp32_fma": 15, "l1d/misses_demand": 7, "l2_slice/reads": 9, "l2_slice/read_hits": 3, "l2_slice/merges": 1,
                             "dram/row_misses": 2, "dram/row_conflicts": 3, "sm_scheduler/issued": 100,
                             "sm_scheduler/slot_held": 4, "sm_scheduler/memory_wait": 30, "sm_scheduler/constant_wait": 15,
                             "sm_scheduler/fence": 5, "sm_scheduler/no_cta": 9})
    with h5py.File(path, "r") as run:
        found = vecmem_figures.facts(run)
        check("facts of vecmem", [found[name] for name in ("memory", "control", "floating", "integer", "l2_misses", "row_misses",
                                                           "execute", "stall")] == [25, 10, 15, 50, 5, 5, 104, 50], found)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    program = parser.parse_args().program
    faults = []

    def check(what, holds, text):
        if not holds:
            faults.append(f"{what}:\n{text}")

    with tempfile.TemporaryDirectory() as temporary:
        sweep = pathlib.Path(temporary) / "made.sweep"
        make_sweep(sweep, "caps/prefetchers", "prefetcher", CYCLES, make_point)

        def report(figure, *more):
            return subprocess.run([program, "report", str(sweep), "--figure", figure, "--python", sys.executable, *more], capture_output=True,
                                  text=True, check=False)

        image = sweep / "fig10.png"
        done = report("caps/fig10", "-o", str(image))
        rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line.strip()}
        check("speed-ups", done.returncode == 0 and rows.get("bfs") == ["1.250"] and rows.get("cp") == ["0.800"], done)
        check("the geometric mean", ["mean", "1.000"] in [line.split() for line in done.stdout.splitlines()], done)
        check("a workload without its baseline is left out", "scan" not in rows and "it broke" in done.stdout,
              done.stdout)
        check("the paper's figures", "1.08" in done.stdout, done.stdout)
        check("the image", image.exists() and image.read_bytes()[:4] == b"\x89PNG", done)
        for ending, begin in (("svg", b"<?xml"), ("pdf", b"%PDF")):
            image = sweep / f"fig10.{ending}"
            done = report("caps/fig10", "-o", str(image))
            check(f"a .{ending}", done.returncode == 0 and image.read_bytes().startswith(begin), done)
            letters = b"/Type3" not in image.read_bytes() if ending == "pdf" else b">IPC, normalised</text>" in image.read_bytes()
            check(f"letters of a .{ending}", letters, image.read_bytes()[:2000])
        done = report("caps/fig10", "-o", str(sweep / "fig10.xyz"))
        check("another ending is refused before anything is drawn", done.returncode == 2 and "fig10.xyz" in done.stderr
              and ".svg" in done.stderr and not done.stdout, done)
        for figure, value in (("caps/fig12a", "0.250"), ("caps/fig12b", "0.800"), ("caps/fig12c", "0.700"),
                              ("caps/fig13a", "1.030"), ("caps/fig14a", "0.100")):
            done = report(figure)
            found = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("bfs")]
            check(figure, found == [value], done)
        done = report("caps/fig99")
        check("an unknown figure is a usage error that lists the known", done.returncode == 2
              and "caps/fig10" in done.stderr, done)
        check_two_axes(check)
        check_parts_and_means(check)
        check_bounds(check)
        check_studies(check)
        check_refusals(check, pathlib.Path(temporary) / "other.sweep")
        check_avc(check, sweep)
        check_vecmem(check, sweep)
        check_vecmem_bounds(check)
        check_pmode(check, pathlib.Path(temporary) / "pmode.sweep")
        check_images(check, sweep, pathlib.Path(temporary) / "pmode.sweep")
        check_published(check)
        (sweep / "index.h5").unlink()
        done = report("caps/fig10")
        check("a folder without an index is bad input that says what to do", done.returncode == 3
              and "lookahead sweep run caps/prefetchers" in done.stderr, done)
    print("\n".join(faults) or "figures agree")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
