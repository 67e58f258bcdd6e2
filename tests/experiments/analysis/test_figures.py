#!/usr/bin/env python3
"""Makes a sweep's folder by hand and checks what `lookahead report` prints of it, to the digit."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))
from made_sweeps import figures, images, make_index, make_sweep, papers, show, write_counters  # noqa: E402

STUDIES = ROOT / "experiments/studies"

CYCLES = {("bfs", "none"): 1000, ("bfs", "caps"): 800, ("cp", "none"): 1000, ("cp", "caps"): 1250,
          ("scan", "none"): None, ("scan", "caps"): 700}


def make_point(path, cycles, prefetcher):
    caps = prefetcher == "caps"
    with h5py.File(path, "w") as run:
        run.attrs["cycles"] = cycles
        run.attrs["ipc"] = 1e6 / cycles
        run["counters/l1d/fills"] = np.array([100, 100 + 6 * caps], dtype=np.uint64)
        if caps:
            write_counters(run, {"prefetch/issued": 50, "prefetch/useful": 30, "prefetch/late": 10, "prefetch/load_accesses": 200,
                                      "prefetch/matched": 35, "prefetch/early_evicted": 5, "prefetch/distance_cycles": 4000})


def check_refusals(check, folder):
    """Each figure accepts sweeps of its own study alone, and names the study of any other."""
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


def check_studies(check):
    """The studies have all that the figures need."""
    for study, axes in {figure.study: figure.axes for figure in figures.FIGURES.values()}.items():
        with open(STUDIES / f"{study}.toml", "rb") as file:
            present = {axis.get("name", axis.get("key")): [str(value) for value in axis.get("values", [])]
                       + [value["name"] for value in axis.get("value", [])] for axis in tomllib.load(file)["axis"]}
        check(study, present.keys() == axes.keys()
              and all(set(axes[axis]) <= set(present[axis]) for axis in axes), (present, axes))


def check_images(check, sweep):
    """What images show: ratios stand on 1, a paper's values are marks in their bars' places and not in the title, and
    legends are beside the bars."""
    (speedups,) = images(check, "caps/fig10", sweep)
    bars = dict(zip(speedups["rows"], speedups["bars"]["caps"]))
    check("bars stand on 1", all(base == 1 for _, base, _ in bars.values()), bars)
    check("they end at the speed-up", np.isclose(bars["bfs"][2], 0.25) and np.isclose(bars["cp"][2], -0.2), bars)
    middle = bars["mean"][0]
    check("the paper's mean is a mark in its place", (middle, 1.08) in speedups["marks"], speedups["marks"])
    known = {row for row in speedups["rows"] if "caps" in figures.FIGURES["caps/fig10"].values.get(row, {})}
    check("and its other values", len(speedups["marks"]) == len(known) == 2, (speedups["marks"], known))
    check("nothing of it is in the title", not any("paper" in text or "1.08" in text for text in speedups["texts"]), speedups)
    check("the axis is cut to what there is", 0.7 < speedups["limits"][0] < 0.8 and 1.25 < speedups["limits"][1] < 1.4, speedups)
    (coverage,) = images(check, "caps/fig12c", sweep)
    check("other bars stand on 0", coverage["bars"]["caps"] and all(base == 0 for _, base, _ in coverage["bars"]["caps"]) and coverage["limits"][0] == 0, coverage)
    check("words stand below", any("not in the paper" in text for text in coverage["below"]), coverage["below"])
    check("legends are beside", all(each["beside"] for each in (speedups, coverage)), "")


def check_published(check):
    """The papers' words belong to figures, and each published number has a place: a row, which may be a kernel, and a
    column that the figure's study or module has by that name."""
    for paper in papers.papers().values():
        strange = paper.data["figures"].keys() - paper.figures.keys()
        check(f"figures of {paper.name}", not strange, strange)
    for figure, (study, *_, rows) in figures.FIGURES.items():
        with open(STUDIES / f"{study}.toml", "rb") as file:
            toml = tomllib.load(file)
        values = {str(value) for axis in toml["axis"] for value in
                  [*axis.get("values", []), *(each["name"] for each in axis.get("value", []))]}
        source = (STUDIES / figure.split("/")[0] / "figures.py").read_text()
        kernels = {kernel for workload in toml["workloads"] for path in (ROOT / "experiments/workloads" / workload).glob("*.ptx")
                   for kernel in re.findall(r"\.entry (\w+)", path.read_text())}
        for row, columns in rows.items():
            parts = row.split(", ") if row not in values else [row]
            known = row.split(" (")[0] in {*toml["workloads"], *kernels} or row.startswith("mean") or all(
                part in values for part in parts)
            check(f"{figure}: the row {row}", known, values)
            for column, value in columns.items():
                stem = column.split(", ")[-1].removesuffix("'s part")
                check(f"{figure}: {column} of {row}", (column in values or stem in source or column == "sum") and value > 0, value)


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
        check_studies(check)
        check_refusals(check, pathlib.Path(temporary) / "other.sweep")
        check_images(check, sweep)
        check_published(check)
        (sweep / "index.h5").unlink()
        done = report("caps/fig10")
        check("a folder without an index is bad input that says what to do", done.returncode == 3
              and "lookahead sweep run caps/prefetchers" in done.stderr, done)
    print("\n".join(faults) or "figures agree")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
