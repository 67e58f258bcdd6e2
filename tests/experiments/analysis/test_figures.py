#!/usr/bin/env python3
"""Makes a sweep's folder by hand and checks what `lookahead report` prints of it, to the digit."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

CYCLES = {("bfs", "none"): 1000, ("bfs", "caps"): 800, ("cp", "none"): 1000, ("cp", "caps"): 1250,
          ("scan", "none"): None, ("scan", "caps"): 700}


def make_point(path, cycles, caps):
    with h5py.File(path, "w") as run:
        run.attrs["cycles"] = cycles
        run.attrs["ipc"] = 1e6 / cycles
        run["counters/l1d/fills"] = np.array([100, 100 + 6 * caps], dtype=np.uint64)
        if caps:
            for name, value in {"issued": 50, "useful": 30, "late": 10, "load_accesses": 200, "matched": 35,
                                "early_evicted": 5, "distance_cycles": 4000}.items():
                run[f"counters/prefetch/{name}"] = np.array([value], dtype=np.uint64)


def make_sweep(folder):
    (folder / "points").mkdir(parents=True)
    columns = {"workload": [], "prefetcher": [], "status": [], "message": [], "file": []}
    for (workload, prefetcher), cycles in CYCLES.items():
        file = f"points/{workload}_{prefetcher}.h5"
        if cycles is not None:
            make_point(folder / file, cycles, prefetcher == "caps")
        for name, value in zip(columns, (workload, prefetcher, "complete" if cycles else "failed",
                                         "" if cycles else "it broke", file if cycles else "")):
            columns[name].append(value)
    with h5py.File(folder / "index.h5", "w") as index:
        for name, values in columns.items():
            index.create_dataset(f"points/{name}", data=values, dtype=h5py.string_dtype())


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
        make_sweep(sweep)

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
        for figure, value in (("caps/fig12a", "0.250"), ("caps/fig12b", "0.800"), ("caps/fig12c", "0.700"),
                              ("caps/fig13a", "1.030"), ("caps/fig14a", "0.100")):
            done = report(figure)
            found = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("bfs")]
            check(figure, found == [value], done)
        done = report("caps/fig99")
        check("an unknown figure is a usage error that lists the known", done.returncode == 2
              and "caps/fig10" in done.stderr, done)
        (sweep / "index.h5").unlink()
        done = report("caps/fig10")
        check("a folder without an index is bad input that says what to do", done.returncode == 3
              and "lookahead sweep run caps/prefetchers" in done.stderr, done)
    print("\n".join(faults) or "figures agree")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
