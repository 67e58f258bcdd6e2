"""What the pages' and the papers' figures have in common: pictures as SVG text, legends beside what they explain, axes around 1 on
which a change of a few percent is seen, and kernels on axes of time."""

import io

import numpy as np

MOST_BOUNDARIES = 60   # launches whose boundaries are drawn as lines through the whole picture
MOST_TICKS = 500       # launches that have a tick each
MOST_NAMES = 8         # launches that are named
PAPER_COLOR = "black"


def pyplot(backend):
    import matplotlib
    matplotlib.use(backend)
    import matplotlib.pyplot as plt
    return plt


def picture(draw, width=10.0, height=3.2):
    """What `draw(axes)` draws, as SVG text."""
    plt = pyplot("svg")
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "lookahead", "font.size": 9}):
        figure, axes = plt.subplots(figsize=(width, height))
        draw(axes)
        figure.tight_layout()
        text = io.StringIO()
        # With what stands beside the axes, whatever its width.
        figure.savefig(text, format="svg", metadata={"Date": None}, bbox_inches="tight")
        plt.close(figure)
    return text.getvalue()[text.getvalue().index("<svg"):]


def legend_beside(axes, most_rows=18, **options):
    """A legend to the right of the axes, in as many columns as it needs: it hides nothing. None if there is nothing in it."""
    handles, labels = axes.get_legend_handles_labels()
    if not handles:
        return None
    columns = -(-len(handles) // most_rows)
    return axes.legend(handles, labels, fontsize=7, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0, ncol=columns,
                       **options)


def is_around_one(values):
    """Whether they are ratios on whose axis the distance from 1 is what counts, not that from 0."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    return len(values) > 0 and values.min() > 0.4 and values.max() < 2.5


def limits_around_one(values):
    """Of an axis with all of the values and 1, with room, and not so near that noise looks like a change: at least 1 % each
    way."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    least, most = min(0.99, values.min()), max(1.01, values.max())
    room = 0.08 * (most - least)
    return least - room, most + room


def grouped_bars(axes, table, paper=None, around_one=None):
    """Bars side by side: a group for each row, a colour for each column. Ratios near 1 stand on 1 (or hang from it), on an axis
    that shows a change of a percent; other bars stand on 0. `paper` has the published values, of rows and columns of the
    table: a line across the bar's place each."""
    import matplotlib
    values = table.to_numpy(dtype=float)
    published = [] if paper is None else paper.to_numpy(dtype=float).ravel()
    everything = np.concatenate([values.ravel(), published])
    if around_one is None:
        around_one = is_around_one(everything)
    base = 1.0 if around_one else 0.0
    width = 0.85 / len(table.columns)
    colors = matplotlib.cm.tab10 if len(table.columns) <= 10 else matplotlib.cm.tab20
    for number, column in enumerate(table.columns):
        at = np.arange(len(table)) + (number - (len(table.columns) - 1) / 2) * width
        axes.bar(at, np.nan_to_num(values[:, number], nan=base) - base, width=width, bottom=base, label=str(column),
                 color=colors(number % colors.N))
    draw_published(axes, table, paper, width)
    axes.set_xticks(np.arange(len(table)))
    longest = max((len(str(row)) for row in table.index), default=0)
    axes.set_xticklabels([str(row) for row in table.index], rotation=0 if longest * len(table) < 70 else 90, fontsize=8)
    axes.set_xlim(-0.6, len(table) - 0.4)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.axhline(base, color="black", linewidth=0.8)
    if around_one:
        axes.set_ylim(*limits_around_one(everything))


def draw_published(axes, table, paper, width):
    if paper is None:
        return
    label = "the paper"
    for row, values in paper.iterrows():
        for column, value in values.dropna().items():
            number = list(table.columns).index(column)
            middle = list(table.index).index(row) + (number - (len(table.columns) - 1) / 2) * width
            axes.plot([middle - width * 0.6, middle + width * 0.6], [value, value], color=PAPER_COLOR, linewidth=2.2, label=label,
                      solid_capstyle="butt")
            axes.plot([middle], [value], color=PAPER_COLOR, marker="D", markersize=3.5)
            label = "_"  # one entry in the legend for all


def cut_to_kernels(axes, kernels, color="black", place=0, alone=True):
    """Of a run's launches (rows with name, begin and end in cycles) on an axis of core cycles: where one begins and ends, as
    lines through the picture where that is one run of not too many launches, else as ticks in a row of their own; the time in
    which none ran is grey. The axis goes from the first begin to the last end, of all runs that are drawn."""
    if not len(kernels):
        return
    begin, end = kernels["begin"].min(), kernels["end"].max()
    left, right = axes.get_xlim() if getattr(axes, "is_cut", False) else (begin, end)
    axes.is_cut = True
    axes.set_xlim(min(left, begin), max(right, end))
    boundaries = np.unique(kernels[["begin", "end"]].to_numpy())
    across = axes.get_xaxis_transform()
    if alone and len(kernels) <= MOST_BOUNDARIES:
        axes.vlines(boundaries, 0, 1, transform=across, colors="0.35", linewidth=0.6, linestyle=":", label="begin and end of kernels")
    else:
        shown = boundaries[:: -(-len(boundaries) // MOST_TICKS)]
        axes.vlines(shown, 1 - 0.03 * (place + 1), 1 - 0.03 * place, transform=across, colors=color, linewidth=0.6)
    if alone:
        shade_pauses(axes, kernels, end - begin)
        if len(kernels) <= MOST_NAMES:
            for launch in kernels.itertuples():
                axes.text((launch.begin + launch.end) / 2, 1.01, short_name(launch.name), transform=across, ha="center",
                          va="bottom", fontsize=6, color="0.35")


def fit_height(axes):
    """From 0 to somewhat above what the steps reach between the axis's ends: copies before and after are cut off."""
    left, right = axes.get_xlim()
    most = 0.0
    for line in axes.lines:
        at, values = np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)
        before = np.concatenate([[-np.inf], at[:-1]])
        most = max(most, values[(at > left) & (before < right)].max(initial=0.0))
    axes.set_ylim(0, 1.08 * most if most > 0 else 1)


def shade_pauses(axes, kernels, length):
    label, covered = "no kernel runs", -np.inf
    for launch in kernels.sort_values("begin").itertuples():
        if np.isfinite(covered) and launch.begin - covered > 0.002 * length:
            axes.axvspan(covered, launch.begin, color="0.93", linewidth=0, label=label, zorder=0)
            label = "_"
        covered = max(covered, launch.end)


def short_name(name, most=24):
    """A kernel's name without what mangling adds to it."""
    import re
    found = re.match(r"_Z(\d+)(.*)", name)
    name = found.group(2)[:int(found.group(1))] if found else name
    return name if len(name) <= most else name[:most - 2] + ".."
