"""Figures of papers from sweeps: `python3 -m lookahead_analysis.figures caps/fig10 STUDY.sweep -o fig10.png`.

Each figure is a table of ours with the paper's figures beside it, printed and drawn. Points that failed or have not run
are listed and left out; a figure that needs a missing baseline has no row for that workload. A sweep of another study, with
other axes or without the values that a figure is made with is refused by name.
"""

import argparse
import pathlib
import sys

from . import packages
from .drawing import grouped_bars, is_around_one, legend_beside, pyplot, stacked_bars, turned_names
from .files import whole_file
from .messages import Parser, text_of
from .papers import papers
from .sweeps import Sweep, SweepError

FIGURES = {f"{paper.name}/{name}": figure for paper in papers().values() for name, figure in paper.figures.items()}

IMAGES = (".png", ".svg", ".pdf")


# How the names of columns with ratios begin, in tables that have several kinds of numbers.
RATIOS = ("speed-up", "IPC", "lines read")
LETTER_INCHES = 0.06  # width of a letter in a name that is turned upright below its bars
PARTS = ("'s part", "of what is saved")


def panels_of(table, axis):
    """The label of the y axis and the columns of each panel. A semicolon in `axis` separates the labels of panels;
    parts of a gain have a panel of their own."""
    labels = axis.split("; ")
    panels = {label: [] for label in labels}
    for column in table.columns:
        if any(part in column for part in PARTS):
            panels.setdefault("part of the gain", []).append(column)
            continue
        is_ratio = column.startswith(RATIOS)
        fitting = [label for label in labels if (label.startswith(RATIOS) or label.endswith("normalised")) == is_ratio]
        named = [label for label in labels if label == column]
        panels[(named or fitting or labels)[0]].append(column)
    return [(label, columns) for label, columns in panels.items() if columns]


def flat(table):
    """The numbers of the table alone, with the names of rows and columns as texts."""
    joined = lambda name: ", ".join(map(str, filter(None, name))) if isinstance(name, tuple) else str(name)  # noqa: E731
    drawn = table.attrs.get("drawn")
    table = table[drawn] if drawn else table.select_dtypes("number")
    return table.set_axis([joined(name) for name in table.index]).set_axis([joined(name) for name in table.columns], axis=1)


def draw_curves(table, axis):
    """Draws a panel for each value of the index's first level, with a line for each column over the second level."""
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
        panel.grid(alpha=0.3)
    for panel in panels[:, 0]:
        panel.set_ylabel(axis, fontsize=7)
    last = panels[0, min(columns, len(names)) - 1]
    legend_beside(last)
    return figure


def draw_bars(table, axis, published):
    import matplotlib.pyplot as plt
    is_stacked, table = "drawn" in table.attrs, flat(table)
    panels = [(axis.split("; ")[0], list(table.columns))] if is_stacked else panels_of(table, axis)
    most = max(len(columns) for _, columns in panels)
    width = min(28.0, max(6.0, 2 + len(table) * max(0.45, 0.1 * (1 if is_stacked else most))))
    are_turned, longest = turned_names(table)
    height = 4.2 + (LETTER_INCHES * longest if are_turned else 0)
    figure, all_axes = plt.subplots(len(panels), 1, figsize=(width, height * len(panels)), squeeze=False)
    for (label, columns), axes in zip(panels, all_axes.flat):
        if is_stacked:
            stacked_bars(axes, table[columns], published)
        else:
            around_one = label.startswith(RATIOS) or label.endswith("normalised")
            part = table[columns].dropna(how="all")
            grouped_bars(axes, part, published, around_one and is_around_one(part))
        axes.set_ylabel(label)
        legend_beside(axes)
    return figure


def draw(table, title, paper, axis, path, published=None):
    """Writes the image of a figure's table to `path`. The paper's values are marks in their bars' places; if it has
    none, its words are a line below."""
    plt = pyplot("Agg")
    plt.rcParams.update({"pdf.fonttype": 42, "svg.fonttype": "none"})  # letters stay letters; publishers refuse fonts of type 3
    if "draw" in table.attrs:
        figure = table.attrs["draw"](table)
    elif table.index.nlevels == 2 and "drawn" not in table.attrs:
        figure = draw_curves(table, axis)
    else:
        figure = draw_bars(table, axis, published)
    figure.suptitle(title, fontsize=10)
    if not published:
        figure.text(0.01, 0, f"paper: {paper}", fontsize=7, va="top")
    figure.tight_layout()
    ending = pathlib.Path(path).suffix
    written = {"Software" if ending == ".png" else "Creator": "lookahead report"}
    with whole_file(path) as partial:
        figure.savefig(partial, format=ending[1:], dpi=150, bbox_inches="tight", metadata=written)
    plt.close(figure)


def main(arguments=None):
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", choices=sorted(FIGURES), metavar="FIGURE", help=", ".join(sorted(FIGURES)))
    parser.add_argument("sweep", help="the folder of its study's sweep, with index.h5")
    parser.add_argument("-o", "--out", help=f"image to write, {', '.join(IMAGES)}; without it only the table is printed")
    chosen = parser.parse_args(arguments)
    if chosen.out:
        if pathlib.Path(chosen.out).suffix not in IMAGES:
            parser.error(f"-o {chosen.out}: a figure is written to a file that ends in {', '.join(IMAGES)}")
        packages.require("matplotlib")
    packages.require("pandas")
    figure = FIGURES[chosen.figure]
    try:
        sweep = Sweep(chosen.sweep, figure.facts)
        sweep.require(chosen.figure, figure.study, figure.axes)
        table = figure.make(sweep)
    except SweepError as error:
        print(f"lookahead: {error}; the figure's sweep is made by 'lookahead sweep run {figure.study}'", file=sys.stderr)
        return 3
    print(f"{figure.title} ({figure.axis})")
    print(table.to_string(sparsify=False, float_format=lambda value: f"{value:.3f}"))
    print(f"paper: {figure.words}")
    for _, point in sweep.missing.iterrows():
        print(f"left out: {point['workload']}, {point['status']} {point['message']}")
    if chosen.out:
        try:
            draw(table, figure.title, figure.words, figure.axis, chosen.out, figure.values)
        except OSError as error:
            print(f"lookahead: {text_of(error, chosen.out)}", file=sys.stderr)
            return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
