"""Figures of papers from sweeps: `python3 -m lookahead_analysis.figures caps/fig10 STUDY.sweep -o fig10.png`.

Each figure is a table of ours with the paper's figures beside it, printed and drawn. Points that failed or have not run
are listed and left out; a figure that needs a missing baseline has no row for that workload.
"""

import argparse
import pathlib
import sys

try:
    import h5py
    import numpy as np
    import pandas as pd
except ImportError as fault:
    sys.exit(f"{sys.executable} cannot make figures: {fault}; install h5py, numpy, pandas and matplotlib for it, or choose "
             "another Python (lookahead report --python)")


def _texts(dataset):
    return dataset.asstr()[...] if h5py.check_string_dtype(dataset.dtype) else dataset[...]


class Sweep:
    """The index of a study's sweep and its complete points."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        with h5py.File(self.folder / "index.h5", "r") as index:
            points = index["points"]
            count = points["workload"].shape
            self.points = pd.DataFrame({name: _texts(points[name]) for name in points if points[name].shape == count})

    @property
    def missing(self):
        return self.points[self.points["status"] != "complete"]

    def table(self, *axes):
        """A row for each complete point: workload, the axes, and what the figures are made of."""
        rows = []
        for _, point in self.points[self.points["status"] == "complete"].iterrows():
            with h5py.File(self.folder / point["file"], "r") as run:
                rows.append({"workload": point["workload"], **{axis: point[axis] for axis in axes}, **facts(run)})
        if not rows:
            raise SystemExit(f"{self.folder}: no point is complete; see lookahead sweep status")
        return pd.DataFrame(rows)


def total(run, kind, name):
    """A counter over all components; 0 where there is no such component."""
    path = f"counters/{kind}/{name}"
    return float(run[path][...].sum()) if path in run else 0.0


def ratio(part, whole):
    return part / whole if whole else np.nan


def facts(run):
    issued = total(run, "prefetch", "issued")
    used = total(run, "prefetch", "useful") + total(run, "prefetch", "late")
    predictions = total(run, "caps", "predictions")
    warps = total(run, "sm", "warp_instructions")
    return {
        "cycles": float(run.attrs["cycles"]),
        "ipc": float(run.attrs["ipc"]),
        "energy": float(run["energy"].attrs["total_j"]) if "energy" in run else np.nan,
        "reads": total(run, "l1d", "fills"),
        "dram_reads": total(run, "dram", "reads"),
        "issued": issued,
        "coverage": ratio(issued, total(run, "prefetch", "load_accesses")),
        "consumed": ratio(used, issued),
        "matched": ratio(total(run, "prefetch", "matched"), issued),
        "address": 1 - total(run, "caps", "mispredictions") / predictions if predictions else np.nan,
        "early": ratio(total(run, "prefetch", "early_evicted"), issued),
        "late": ratio(total(run, "prefetch", "late"), issued),
        "distance": ratio(total(run, "prefetch", "distance_cycles"), used),
        "table_accesses": total(run, "caps", "table_accesses"),
        "warp_instructions": warps,
    }


def normalised(table, column, axis, baseline, invert=False):
    """`column` of each design over the baseline's of the same workload; workloads are rows, designs are columns."""
    wide = table.pivot_table(index="workload", columns=axis, values=column, sort=False)
    if baseline not in wide:
        raise SystemExit(f"no complete point of the baseline '{baseline}'")
    wide = wide[wide[baseline].notna()]
    return wide.rdiv(wide[baseline], axis=0) if invert else wide.div(wide[baseline], axis=0)


def with_mean(table, geometric):
    values = np.exp(np.log(table).mean()) if geometric else table.mean()
    return pd.concat([table, values.to_frame("mean").T])


IRREGULAR = ["pvr", "ccl", "bfs", "kmeans"]


def speedups(sweep):
    table = normalised(sweep.table("prefetcher"), "cycles", "prefetcher", "none", invert=True)
    result = with_mean(table.drop(columns="none"), geometric=True)
    irregular = table.loc[[w for w in IRREGULAR if w in table.index]].drop(columns="none")
    if len(irregular):
        result.loc["mean of irregular"] = np.exp(np.log(irregular).mean())
    return result


def by_prefetcher(column):
    def figure(sweep):
        table = sweep.table("prefetcher")
        table = table[table["prefetcher"] != "none"]
        return with_mean(table.pivot_table(index="workload", columns="prefetcher", values=column, sort=False,
                                           dropna=False), geometric=False)
    return figure


def over_baseline(column):
    def figure(sweep):
        return with_mean(normalised(sweep.table("prefetcher"), column, "prefetcher", "none").drop(columns="none"),
                         geometric=True)
    return figure


def by_design(column):
    def figure(sweep):
        table = sweep.table("design")
        table = table[table["issued"] > 0]
        return with_mean(table.pivot_table(index="workload", columns="design", values=column, sort=False),
                         geometric=False)
    return figure


def ablation(sweep):
    return with_mean(normalised(sweep.table("design"), "cycles", "design", "two_level", invert=True), geometric=True)


def by_ctas(sweep):
    """Mean IPC over that of the baseline with the most CTAs."""
    table = sweep.table("ctas", "prefetcher")
    wide = table.pivot_table(index="workload", columns=["ctas", "prefetcher"], values="ipc", sort=False)
    most = max(table["ctas"], key=int)
    wide = wide.div(wide[(most, "none")], axis=0).dropna(subset=[(most, "none")])
    return np.exp(np.log(wide).mean()).unstack("prefetcher").sort_index(key=lambda index: index.astype(int))


def warp_distance(sweep):
    rows = []
    for _, point in sweep.points[sweep.points["status"] == "complete"].iterrows():
        with h5py.File(sweep.folder / point["file"], "r") as run:
            found = facts(run)
        rows.append({"warps ahead": int(point["distance"]), "accuracy": found["matched"],
                     "cycles": found["distance"]})
    return pd.DataFrame(rows).set_index("warps ahead").sort_index()


def iterations(sweep):
    """Of each workload the executions a warp of its four most executed loads, and how many loads repeat."""
    rows = {}
    for _, point in sweep.points[sweep.points["status"] == "complete"].iterrows():
        with h5py.File(sweep.folder / point["file"], "r") as run:
            loads = pd.DataFrame({
                "load": [name.split(".", 1)[1] for name in _texts(run["counters/prefetch_load/component"])],
                "executions": run["counters/prefetch_load/executions"][...]}).groupby("load")["executions"].sum()
            kernels = run["kernels"]
            threads = np.prod([kernels[f"block_{d}"][...].astype(float) for d in "xyz"], axis=0)
            blocks = np.prod([kernels[f"grid_{d}"][...].astype(float) for d in "xyz"], axis=0)
            warps = float((np.ceil(threads / 32) * blocks).sum())
        per_warp = (loads[loads > 0] / warps).sort_values(ascending=False)
        top = list(per_warp.head(4)) + [np.nan] * (4 - min(len(per_warp), 4))
        rows[point["workload"]] = top + [int((per_warp > 1).sum()), len(per_warp)]
    return pd.DataFrame(rows, index=["1st", "2nd", "3rd", "4th", "repeated", "loads"]).T


# Name: study, what is shown, the function, the paper's figures, the y axis.
FIGURES = {
    "caps/fig1": ("caps/warp_distance", "Inter-warp prefetching by distance (matrixMul)", warp_distance,
                  "accuracy falls with distance, steeply at seven; tens of cycles a warp", "accuracy; cycles"),
    "caps/fig4": ("caps/loads", "Iterations of the four most executed loads", iterations,
                  "few loads are in loops", "executions a warp"),
    "caps/fig10": ("caps/prefetchers", "Speed-up over two-level scheduling without prefetches", speedups,
                   "CAPS mean 1.08, best 1.27 (CNV), irregular 1.06; LAP and ORCH about 1.01", "IPC, normalised"),
    "caps/fig11": ("caps/ctas", "IPC by CTAs of an SM, over 8 without prefetches", by_ctas,
                   "all below 1 with fewer than 8 CTAs; CAPS best at 8", "IPC, normalised"),
    "caps/fig12a": ("caps/prefetchers", "Coverage: prefetches over demand requests", by_prefetcher("coverage"),
                    "CAPS 18 %", "coverage"),
    "caps/fig12b": ("caps/prefetchers", "Accuracy: consumed over issued", by_prefetcher("consumed"),
                    "CAPS 97 %", "accuracy"),
    "caps/fig12c": ("caps/prefetchers", "Accuracy: consumed by the load and warp meant, over issued",
                    by_prefetcher("matched"), "not in the paper", "accuracy"),
    "caps/fig13a": ("caps/prefetchers", "Read replies to SMs over those without prefetches", over_baseline("reads"),
                    "CAPS below 1.03, INTER above 2", "requests, normalised"),
    "caps/fig13b": ("caps/prefetchers", "DRAM reads over those without prefetches", over_baseline("dram_reads"),
                    "CAPS below 1.03, INTER above 2", "reads, normalised"),
    "caps/fig14a": ("caps/prefetchers", "Prefetched lines evicted before use", by_prefetcher("early"),
                    "CAPS 0.91 %, 1.16 % without wake-up", "early evictions"),
    "caps/fig14a_wakeup": ("caps/schedulers", "Prefetched lines of CAPS evicted before use", by_design("early"),
                           "0.91 % with, 1.16 % without wake-up", "early evictions"),
    "caps/fig14b": ("caps/schedulers", "Cycles from prefetch to demand", by_design("distance"),
                    "64.3 lrr, 145.0 two-level, 172.7 PAS", "cycles"),
    "caps/fig15": ("caps/prefetchers", "Energy over that without prefetches", over_baseline("energy"),
                   "CAPS 0.98", "energy, normalised"),
    "caps/ablation": ("caps/schedulers", "Speed-up of CAPS's parts over two-level scheduling", ablation,
                      "whole 1.08; parts not in the paper", "IPC, normalised"),
}


def draw(table, title, paper, axis, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(max(6, 0.8 * len(table) + 2), 4.5))
    table.plot.bar(ax=axes, width=0.85, secondary_y="cycles" if "cycles" in table else False)
    axes.set_ylabel(axis)
    axes.set_title(f"{title}\npaper: {paper}", fontsize=9)
    axes.legend(fontsize=7, ncol=4)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", choices=sorted(FIGURES), metavar="FIGURE", help=", ".join(sorted(FIGURES)))
    parser.add_argument("sweep", help="the folder of its study's sweep, with index.h5")
    parser.add_argument("-o", "--out", help="image to write; without it only the table is printed")
    chosen = parser.parse_args(arguments)
    study, title, make, paper, axis = FIGURES[chosen.figure]
    try:
        sweep = Sweep(chosen.sweep)
    except (OSError, KeyError) as error:
        print(f"{chosen.sweep}: is no sweep of {study}: {error}; make one by lookahead sweep run {study}",
              file=sys.stderr)
        return 3
    table = make(sweep)
    print(f"{title} ({axis})")
    print(table.to_string(float_format=lambda value: f"{value:.3f}"))
    print(f"paper: {paper}")
    for _, point in sweep.missing.iterrows():
        print(f"left out: {point['workload']}, {point['status']} {point['message']}")
    if chosen.out:
        draw(table, title, paper, axis, chosen.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
