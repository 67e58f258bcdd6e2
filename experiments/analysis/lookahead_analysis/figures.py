"""Figures of papers from sweeps: `python3 -m lookahead_analysis.figures caps/fig10 STUDY.sweep -o fig10.png`.

Each figure is a table of ours with the paper's figures beside it, printed and drawn. Points that failed or have not run
are listed and left out; a figure that needs a missing baseline has no row for that workload. A sweep of another study, with
other axes or without the values that a figure is made with is refused by name.
"""

import argparse
import pathlib
import sys

from . import avc_figures, caps_figures, dac_figures, packages, pmode_figures, vecmem_figures
from .sweeps import Sweep, SweepError

# Name: study, what is shown, the function, the paper's figures, the y axis; and the facts that the function is given, and
# the axes of the study.
PAPERS = (avc_figures, caps_figures, dac_figures, pmode_figures, vecmem_figures)
FIGURES = {name: (*figure, paper.facts, paper.STUDIES[figure[0]]) for paper in PAPERS
           for name, figure in paper.FIGURES.items()}

IMAGES = (".png", ".svg", ".pdf")


def draw_curves(table, title, paper, axis, path):
    """A panel for each value of the index's first level, with a line for each column over the second level."""
    import matplotlib.pyplot as plt
    names = list(dict.fromkeys(table.index.get_level_values(0)))
    columns = 4
    rows = -(-len(names) // columns)
    figure, panels = plt.subplots(rows, columns, figsize=(13, 2.6 * rows + 1), squeeze=False)
    for panel in panels.flat[len(names):]:
        panel.axis("off")
    for name, panel in zip(names, panels.flat):
        for column, curve in table.loc[name].sort_index().items():
            panel.plot(curve.dropna(), marker=".", label=column)
        panel.invert_xaxis()
        panel.set_title(name, fontsize=9)
        panel.set_xlabel(table.index.names[1], fontsize=8)
    panels[0, 0].legend(fontsize=7)
    figure.suptitle(f"{title} ({axis})\npaper: {paper}", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    plt.close(figure)


def draw(table, title, paper, axis, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    if table.index.nlevels == 2:
        draw_curves(table, title, paper, axis, path)
        return
    figure, axes = plt.subplots(figsize=(max(6, 0.8 * len(table) + 2), 4.5))
    table = table[table.attrs.get("drawn", list(table.columns))]
    table.plot.bar(ax=axes, width=0.85, stacked="drawn" in table.attrs,
                   secondary_y="cycles" if "cycles" in table else False)
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
    parser.add_argument("-o", "--out", help=f"image to write, {', '.join(IMAGES)}; without it only the table is printed")
    chosen = parser.parse_args(arguments)
    if chosen.out:
        if pathlib.Path(chosen.out).suffix not in IMAGES:
            parser.error(f"-o {chosen.out}: a figure is written to a file that ends in {', '.join(IMAGES)}")
        packages.require("matplotlib")
    study, title, make, paper, axis, facts, axes = FIGURES[chosen.figure]
    try:
        sweep = Sweep(chosen.sweep, facts)
        sweep.require(chosen.figure, study, axes)
        table = make(sweep)
    except SweepError as error:
        print(f"lookahead: {error}; the figure's sweep is made by 'lookahead sweep run {study}'", file=sys.stderr)
        return 3
    print(f"{title} ({axis})")
    print(table.to_string(sparsify=False, float_format=lambda value: f"{value:.3f}"))
    print(f"paper: {paper}")
    for _, point in sweep.missing.iterrows():
        print(f"left out: {point['workload']}, {point['status']} {point['message']}")
    if chosen.out:
        draw(table, title, paper, axis, chosen.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
