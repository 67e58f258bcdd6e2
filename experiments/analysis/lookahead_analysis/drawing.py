"""The common parts of the pages' and the papers' figures: pictures as SVG text, legends beside the axes, axes around 1
that show a change of a few per cent, and kernels on axes of time."""

import io

import numpy as np

MOST_BOUNDARIES = 60   # launches whose boundaries are drawn as lines through the whole picture
MOST_TICKS = 500       # launches that have a tick each
MOST_NAMES = 8         # launches that are named
PAPER_LABEL = "the paper"


def pyplot(backend):
    import matplotlib
    matplotlib.use(backend)
    import matplotlib.pyplot as plt
    return plt


def picture(draw, width=10.0, height=3.2):
    """Returns the SVG text of what `draw(axes)` draws."""
    plt = pyplot("svg")
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "lookahead", "font.size": 9}):
        figure, axes = plt.subplots(figsize=(width, height))
        draw(axes)
        figure.tight_layout()
        text = io.StringIO()
        # "tight" includes the legends beside the axes, whatever their width.
        figure.savefig(text, format="svg", metadata={"Date": None}, bbox_inches="tight")
        plt.close(figure)
    return text.getvalue()[text.getvalue().index("<svg"):]


def legend_beside(axes, most_rows=18, **options):
    """Adds a legend to the right of the axes, where it hides nothing, in as many columns as it needs. Returns it, or
    None if it would be empty."""
    handles, labels = axes.get_legend_handles_labels()
    if not handles:
        return None
    columns = -(-len(handles) // most_rows)
    return axes.legend(handles, labels, fontsize=7, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0, ncol=columns,
                       **options)


def is_around_one(values):
    """Whether the values are ratios of which the distance from 1 matters, not that from 0: nearly all are near 1."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    return len(values) > 0 and np.percentile(values, 10) > 0.4 and np.percentile(values, 90) < 2.5


def limits_around_one(values):
    """The limits of an axis with all of the values and 1, with some room: at least 1 % each way, so that noise does not
    look like a change."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    least, most = min(0.99, values.min()), max(1.01, values.max())
    room = 0.08 * (most - least)
    return least - room, most + room


def is_mean(row):
    return str(row).split(",")[0].split(" of ")[0] in ("mean", "median", "geometric mean")


def grouped_bars(axes, table, published=None, around_one=None):
    """Draws bars side by side: a group for each row, a colour for each column; means have their numbers. Bars of ratios
    near 1 begin at 1, on an axis that shows a change of one per cent; other bars begin at 0. `published` has a paper's
    values by row and column; each is a line across its bar's place."""
    values, marks = table.to_numpy(dtype=float), marks_of(table, published)
    everything = np.concatenate([values.ravel(), [value for _, _, value in marks]])
    if around_one is None:
        around_one = is_around_one(everything)
    base, width = 1.0 if around_one else 0.0, 0.85 / len(table.columns)
    place = lambda number: (number - (len(table.columns) - 1) / 2) * width  # noqa: E731
    for number, column in enumerate(table.columns):
        axes.bar(np.arange(len(table)) + place(number), np.nan_to_num(values[:, number], nan=base) - base, width=width,
                 bottom=base, label=str(column), color=color_of(number, len(table.columns)))
    for row, column, value in marks:
        mark(axes, row + place(column), width, value)
    name_rows(axes, table)
    axes.axhline(base, color="black", linewidth=0.8)
    has_numbers, marked = False, {(row, column) for row, column, _ in marks}
    bar_points = 72 * axes.get_position().width * axes.figure.get_figwidth() / (len(table) + 0.2) * width
    for (row, column), value in np.ndenumerate(values):
        if is_mean(table.index[row]) and np.isfinite(value):
            # Where there is a published value, our number is at the bar's foot: it must not be taken for the published
            # one.
            above = (row, column) not in marked
            end = max(value, base) if above else min(value, base)
            up = above or not around_one
            axes.annotate(number_text(value), (row + place(column), end if around_one or above else base),
                          textcoords="offset points", xytext=(0, 4 if up else -4), rotation=90, fontsize=min(6, 1.2 * bar_points), ha="center",
                          va="bottom" if up else "top", zorder=5)
            has_numbers = True
    if around_one:
        axes.set_ylim(*limits_around_one(everything))
    if has_numbers:
        low, high = axes.get_ylim()
        below = 0.1 * (high - low) if marks and around_one else 0
        axes.set_ylim(low - below, high + 0.12 * (high - low))


def number_text(value):
    return f"{value:.3g}" if abs(value) < 0.1 else f"{value:.3f}" if abs(value) < 10 else f"{value:.0f}"


def stacked_bars(axes, table, published=None):
    """Draws the columns of each row on top of one another. Of the published values, those of the lowest column and of
    the whole (`sum`) are drawn."""
    below = np.zeros(len(table))
    for number, column in enumerate(table.columns):
        height = np.nan_to_num(table[column].to_numpy(dtype=float))
        axes.bar(np.arange(len(table)), height, width=0.75, bottom=below, label=str(column),
                 color=color_of(number, len(table.columns)))
        below = below + height
    most = below.max(initial=0.0)
    for row, values in (published or {}).items():
        for column, value in values.items():
            if row in table.index and column in (table.columns[0], "sum"):
                mark(axes, list(table.index).index(row), 0.75, value)
                most = max(most, value)
    name_rows(axes, table)
    axes.set_ylim(0, 1.06 * most if most > 0 else 1)


def marks_of(table, published):
    """The published values that have a place in the table, each with its row's and its column's number."""
    rows, columns = list(table.index), list(table.columns)
    return [(rows.index(row), columns.index(column), value) for row, values in (published or {}).items() if row in rows
            for column, value in values.items() if column in columns]


def mark(axes, middle, width, value):
    """Draws a paper's value in a bar's place; one entry in the legend stands for all."""
    label = "_" if any(line.get_label() == PAPER_LABEL for line in axes.lines) else PAPER_LABEL
    axes.plot([middle - width * 0.55, middle, middle + width * 0.55], [value] * 3, color="black", linewidth=2, marker="D",
              markevery=[1], markersize=4, label=label, solid_capstyle="butt", zorder=4)


def color_of(number, count):
    import matplotlib
    colors = matplotlib.cm.tab10 if count <= 10 else matplotlib.cm.tab20
    return colors(number % colors.N)


def turned_names(table):
    """Whether the names of the rows must be turned, because they do not fit beside one another; and the length of the
    longest."""
    longest = max((len(str(row)) for row in table.index), default=0)
    return longest * len(table) > 85, longest


def name_rows(axes, table):
    """Writes the rows' names at ticks, and draws a line before the means."""
    names = [str(row) for row in table.index]
    axes.set_xticks(np.arange(len(names)))
    axes.set_xticklabels(names, rotation=90 if turned_names(table)[0] else 0, fontsize=8)
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    means = [number for number, name in enumerate(names) if is_mean(name)]
    if means and 0 < means[0]:
        axes.axvline(means[0] - 0.5, color="0.6", linewidth=0.8)


def cut_to_kernels(axes, kernels, color="black", place=0, alone=True):
    """Marks where a run's launches (rows with name, begin and end in cycles) begin and end on an axis of core cycles:
    by lines through the picture if it shows one run of not too many launches, else by ticks in a row of their own. In a
    picture of one run, the time in which no kernel ran is grey. Cuts the axis to the time from the first begin to the
    last end, over all runs that are drawn."""
    if not len(kernels):
        return
    begin, end = kernels["begin"].min(), kernels["end"].max()
    left, right = axes.get_xlim() if getattr(axes, "is_cut", False) else (begin, end)
    axes.is_cut = True
    axes.set_xlim(min(left, begin), max(right, end))
    boundaries = np.unique(kernels[["begin", "end"]].to_numpy())
    across = axes.get_xaxis_transform()
    if alone and len(kernels) <= MOST_BOUNDARIES:
        axes.vlines(boundaries, 0, 1, transform=across, colors="0.35", linewidth=0.6, linestyle=":",
                    label="begin and end of kernels")
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
    """Lets the vertical axis reach from 0 to somewhat above the steps between the ends of the horizontal one: values
    during copies before and after do not count."""
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
    """A kernel's name without what mangling adds to it, cut to `most` letters."""
    import re
    found = re.match(r"_Z(\d+)(.*)", name)
    name = found.group(2)[:int(found.group(1))] if found else name
    return name if len(name) <= most else name[:most - 2] + ".."
