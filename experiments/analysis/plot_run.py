#!/usr/bin/python3
"""Draws a run's series over time: instructions per cycle of each SM and the utilisation of the memory partitions' data
buses, or the series that are asked for."""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from lookahead_analysis import Run, RunFileError
from lookahead_analysis.drawing import cut_to_kernels, fit_height, legend_beside
from lookahead_analysis.page import launches

# Kind, name, clock of the cycles that it counts (none: the core clock), label.
DEFAULTS = [("sm", "warp_instructions", None, "warp instructions per cycle"),
            ("dram", "data_bus_cycles", "dram.frequency", "data bus utilisation")]


def chosen_panels(run, names):
    """A rate table and its label for each panel."""
    if not names:
        return [(run.rate(kind, name, clock), label) for kind, name, clock, label in DEFAULTS]
    panels = []
    for full_name in names:
        kind, _, name = full_name.rpartition(".")
        rate = run.rate(kind, name)
        unit = run.units(f"series/{kind}/{name}") or "count"
        panels.append((rate, f"{full_name} ({unit} a cycle)"))
    return panels


def draw_panel(axes, table, label, kernels):
    # A value holds for the interval that ends at its cycle.
    colors = matplotlib.cm.hsv(np.linspace(0, 0.9, len(table.columns)))
    for component, color in zip(table.columns, colors):
        axes.plot(table.index, table[component], drawstyle="steps-pre", linewidth=0.8, alpha=0.6, label=component, color=color)
    axes.plot(table.index, table.mean(axis=1), drawstyle="steps-pre", color="black", linewidth=1.6, label="mean")
    axes.set_ylabel(label)
    axes.grid(alpha=0.3)
    cut_to_kernels(axes, kernels)
    fit_height(axes)
    legend_beside(axes)


def draw(run, names):
    panels = chosen_panels(run, names)
    figure, all_axes = plt.subplots(len(panels), 1, sharex=True, squeeze=False, figsize=(10, 1 + 3 * len(panels)))
    for axes, (table, label) in zip(all_axes[:, 0], panels):
        draw_panel(axes, table, label, launches(run))
    all_axes[-1, 0].set_xlabel("core cycle")
    summary = run.summary
    partial = "" if run.complete else f" [{run.status}, outputs {summary['outputs']}]"
    partial += "" if len(run.kernels) else "\nno kernel ran"
    figure.suptitle(f"{summary['workload']} {summary['size']} on {summary['machine']}: "
                    f"{summary['ipc']:.2f} warp, {summary['thread_ipc']:.1f} thread instructions per cycle{partial}")
    figure.tight_layout()
    return figure


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", help="result file")
    parser.add_argument("-o", "--output", required=True, help="figure to write (.png, .pdf, .svg)")
    parser.add_argument("--series", action="append", default=[], metavar="KIND.NAME", help="may be repeated")
    options = parser.parse_args(arguments)
    try:
        with Run(options.run) as run:
            draw(run, options.series).savefig(options.output, dpi=150, bbox_inches="tight")
    except (RunFileError, KeyError) as error:
        sys.exit(f"plot_run.py: {error.args[0]}")


if __name__ == "__main__":
    main()
