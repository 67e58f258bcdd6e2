"""Maps of where a mechanism pays: its gain on a kernel that embodies its paper's premise, over two of the kernel's
parameters. The paper's workloads are in the map, each at the place that follows from the counters of its run without
the mechanism.

The study `map` has the kernel's two parameters as its first two axes, the study `places` has the workloads; both have
the axis `design`. `place` takes what they need from a result file."""

import functools
from typing import NamedTuple

import numpy as np

from .drawing import pyplot
from .packages import pandas as pd
from .sweeps import ratio, total

ARITHMETIC = ["integer", "integer_mad", "integer_min_max", "integer_multiply", "integer_divide", "fp32_add", "fp32_multiply",
              "fp32_fma", "fp32_divide", "fp32_min_max", "fp64_add", "fp64_multiply", "fp64_fma", "fp64_divide", "special"]
LOADS = ["load_global", "load_local", "texture"]
WARPS, CTAS, ARITHMETIC_A_LOAD, INSTRUCTIONS_A_WAIT = "warps an SM", "CTAs an SM", "arithmetic a load", "instructions a wait"
PREDICTED, MEASURED, DIFFERENCE, OF_SHARE = "the map's gain", "its gain", "difference", "the map's gain on its share"
WITH_IT = " with it"
STRONGEST = 1.75  # the gain at one end of the scale of colours; its inverse is at the other
FINE, SHADES = 150, 29
LEVELS = [0.9, 1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 3.0]  # contour lines


def place(run):
    """The place of a run without the mechanism, from counters of all SMs: the mean numbers of live warps and of
    resident CTAs of an SM that has a CTA; its arithmetic instructions per load of global memory, local memory or a
    texture, all by warps; and its instructions per time that a warp's next instruction waited for memory for more than
    100 cycles. A run without any load, or any such wait, counts as if it had one."""
    instructions = {name: total(run, "sm", name) for name in (*ARITHMETIC, *LOADS, "warp_instructions", "long_waits")}
    return {
        "cycles": float(run.attrs["cycles"]),
        WARPS: ratio(total(run, "sm", "warp_cycles"), total(run, "sm", "active_cycles")),
        CTAS: ratio(total(run, "sm", "cta_cycles"), total(run, "sm", "active_cycles")),
        ARITHMETIC_A_LOAD: sum(map(instructions.get, ARITHMETIC)) / max(1, sum(map(instructions.get, LOADS))),
        INSTRUCTIONS_A_WAIT: instructions["warp_instructions"] / max(1, instructions["long_waits"]),
    }


def gains(sweep, baseline, design):
    """The facts of each run without the mechanism, those of the run with it ("cycles with it"), and `gain`, the ratio
    of their cycles. A fact of the code that only the mechanism counts is NaN in the former run and is taken from the
    latter."""
    axes = [axis for axis in sweep.axes if axis != "design"]
    table = sweep.table(*axes, "design").set_index(["workload", *axes])
    base, other = (table[table["design"] == name].drop(columns="design") for name in (baseline, design))
    both = base.fillna(other).join(other.add_suffix(WITH_IT), how="inner")
    return both.assign(gain=both["cycles"] / both[f"cycles{WITH_IT}"])


def knobs(places):
    """Makes the figure of the study `map`: the gain on the kernel, a row and a column for each value of its two parameters."""
    def figure(sweep):
        rows, columns = (axis for axis in sweep.axes if axis != "design")
        table = gains(sweep, places.baseline, places.design)["gain"].unstack(columns).droplevel("workload")
        named = lambda axis, values: [f"{axis} {value}" for value in values]  # noqa: E731
        order = sorted(table.index, key=float), sorted(table.columns, key=float)
        table = table.loc[order[0], order[1]]
        return table.set_axis(named(rows, order[0])).set_axis(named(columns, order[1]), axis=1)
    return figure


class Map:
    """The kernel's gains at its measured places. Between them the logarithm of the gain is linear in the logarithms of
    the places, first along the kernel's second parameter, then from one value of the first to the next; beyond them it
    is that at the edge."""

    def __init__(self, table, x, y):
        self.points = np.log(table[[x, y, "gain"]])
        first = table.index.names[1]
        rows = [row.sort_values(x) for _, row in self.points.groupby(level=first)]
        rows.sort(key=lambda row: row[y].mean())
        self.heights = [row[y].mean() for row in rows]
        self.curves = [(row[x].to_numpy(), row["gain"].to_numpy()) for row in rows]
        self.edges = {name: (self.points[name].min(), self.points[name].max()) for name in (x, y)}

    def log_gain(self, log_x, log_y):
        return np.interp(log_y, self.heights, [np.interp(log_x, *curve) for curve in self.curves])


class Places(NamedTuple):
    """A paper's map: its coordinates `x` and `y`, which are facts of the run without the mechanism; the two values of
    the axis `design`; and, where it makes sense, `share`, a fact of the run with the mechanism (the part of the loads
    that it reaches), and `other_x`, another fact that could take the place of `x`."""

    x: str
    y: str
    baseline: str
    design: str
    share: str = ""
    other_x: str = ""

    def figure(self, label):
        """Makes the figure of the study `places`: each workload's place, the map's gain there, and the workload's own
        gain."""
        def make(sweep):
            its, found = self.compared(sweep, self.x)
            found = found.set_axis([label(name) for name in found.index]).sort_values(MEASURED, ascending=False)
            found.attrs["draw"] = functools.partial(draw, its, self)
            return found
        return make

    def agreement(self, sweep):
        """How far the workloads' gains are from the map's, and from predictions that are the same for all workloads."""
        rows = {}
        for name, x in {"the map": self.x, **({f"by {self.other_x}": self.other_x} if self.other_x else {})}.items():
            its, found = self.compared(sweep, x)
            for column, what in ((PREDICTED, name), (OF_SHARE, f"{name}, on each workload's share")):
                if column in found:
                    rows[what] = apart(found[column], found[MEASURED]) | {"beyond the map": str(beyond(found, its).sum())}
        for name, value in (("1 everywhere", 1.0), ("the mean everywhere", found[MEASURED].mean())):
            rows[name] = apart(found[MEASURED] * 0 + value, found[MEASURED])
        return pd.DataFrame.from_dict(rows, orient="index")

    def compared(self, sweep, x):
        """The map over `x`, from the sweep of the study `map` beside this one, and the table of workloads. The part of
        a run that the mechanism does not reach stays as slow as it was: with a share s and the map's gain g the gain is
        1 / (1 - s + s / g)."""
        kernel, table = (gains(each, self.baseline, self.design) for each in (sweep.beside("map"), sweep))
        its = Map(kernel, x, self.y)
        found = table[[x, self.y]].droplevel([name for name in table.index.names if name != "workload"])
        if self.share:
            found[self.share] = share = table[self.share + WITH_IT].fillna(0).clip(0, 1).to_numpy()
        found[PREDICTED] = [np.exp(its.log_gain(*row)) for row in np.log(found[[x, self.y]]).to_numpy()]
        found[MEASURED] = table["gain"].to_numpy()
        found[DIFFERENCE] = found[PREDICTED] - found[MEASURED]
        if self.share:
            found[OF_SHARE] = 1 / (1 - share + share / found[PREDICTED])
        return its, found


def beyond(found, its):
    """Whether each row's place is outside of the map by more than a twentieth."""
    log = np.log(found[list(its.edges)])
    least, most = (np.array([edge[end] for edge in its.edges.values()]) for end in (0, 1))
    return ((log < least - 0.05) | (log > most + 0.05)).any(axis=1).to_numpy()


def apart(said, ours):
    difference = (said - ours).abs()
    correlation = said.rank().corr(ours.rank()) if said.nunique() > 1 else np.nan
    return {"mean absolute difference": difference.mean(), "rank correlation": correlation, "most apart": difference.idxmax()}


def draw(its, what, found):
    """Draws the map as colours and contour lines, its kernel's places, and the workloads with their own gains in the
    same colours."""
    import matplotlib.colors
    import matplotlib.ticker
    figure, axes = pyplot("Agg").subplots(figsize=(9.5, 6))
    area = [limits(edge, np.log(found[name])) for name, edge in its.edges.items()]
    reach = np.log(STRONGEST)
    colours = {"cmap": "RdBu", "norm": matplotlib.colors.Normalize(-reach, reach)}
    image = draw_map(axes, its, area, np.linspace(-reach, reach, SHADES), colours)
    points = draw_workloads(axes, what, found, area, colours)
    axes.set(xscale="log", yscale="log", xlabel=what.x, ylabel=what.y, xlim=np.exp(area[0]), ylim=np.exp(area[1]))
    for axis, (begin, end) in zip((axes.xaxis, axes.yaxis), area):
        powers = [2.0**power for power in range(-8, 24) if begin < np.log(2) * power < end]
        axis.set_major_locator(matplotlib.ticker.FixedLocator(powers))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_locator(matplotlib.ticker.NullLocator())
    ticks = [tick for tick in (0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.35, 1.5, 1.75, 2) if 1 / STRONGEST <= tick <= STRONGEST]
    bar = figure.colorbar(image, ax=axes, extend="both", ticks=np.log(ticks), format=lambda log, _: f"{np.exp(log):.3g}")
    bar.set_label("speed-up")
    axes.legend(fontsize=7, loc="upper center", bbox_to_anchor=(0.5, -0.1), ncol=3, frameon=False)
    figure.tight_layout()
    name_points(axes, points)
    return figure


def draw_map(axes, its, area, shades, colours):
    import matplotlib.patches
    across, up = (np.linspace(*each, FINE) for each in area)
    field = np.array([[its.log_gain(a, b) for a in across] for b in up])
    image = axes.contourf(np.exp(across), np.exp(up), field, shades, extend="both", **colours)
    levels = [level for level in LEVELS if field.min() < np.log(level) < field.max()]
    lines = axes.contour(np.exp(across), np.exp(up), np.exp(field), levels, colors="0.45", linewidths=0.7)
    axes.clabel(lines, fontsize=7, fmt=lambda level: f"{level:g}")
    axes.plot(*(np.exp(its.points[name]) for name in its.edges), "+", color="0.3", markersize=5, label="the kernel")
    (left, right), (low, high) = (np.exp(edge) for edge in its.edges.values())
    axes.add_patch(matplotlib.patches.Rectangle((left, low), right - left, high - low, fill=False, linestyle=":", color="0.3",
                                                label="the map's edge"))
    return image


def draw_workloads(axes, what, found, area, colours):
    """Draws the workloads, the larger the larger their share is, and at the area's edge if they lie beyond it. Returns
    their points by name."""
    shown = [found[name].clip(*np.exp([begin + 0.1, end - 0.1])) for name, (begin, end) in zip((what.x, what.y), area)]
    style = {"edgecolors": "black", "linewidths": 0.9, "zorder": 3}
    sizes = size_of(found[what.share]) if what.share else size_of(0.5)
    axes.scatter(*shown, c=np.log(found[MEASURED]), s=sizes, **style, **colours)
    for share, words in {share: f"; {what.share} {share:g}" for share in (0, 0.5, 1)}.items() if what.share else ((0.5, ""),):
        axes.scatter([], [], s=size_of(share), color="white", label=f"workload, its own gain{words}", **style)
    return dict(zip(found.index, zip(*shown)))


def limits(edge, places):
    """The logarithms of the ends of an axis: the map's edges, or, if workloads lie beyond these, up to a factor of 1.8
    further, with some room."""
    return max(edge[0] - 0.6, min(edge[0], places.min())) - 0.12, min(edge[1] + 0.6, max(edge[1], places.max())) + 0.12


def size_of(share):
    return 12 + 60 * share


def name_points(axes, points):
    """Writes a short name beside each point, where it hides the fewest other points and names."""
    import matplotlib.patheffects
    places = {row: axes.transData.transform(point) for row, point in points.items()}
    boxes = [(*(place - 6), *(place + 6)) for place in places.values()]
    frame = axes.get_window_extent()
    for row in sorted(places, key=lambda row: tuple(places[row])):
        name = row.split("(")[-1].rstrip(")")
        wide, tall = 7.5 * len(name), 11

        def box_at(angle, distance, centre=places[row], wide=wide, tall=tall):
            middle = centre + np.array([np.cos(angle) * (distance + wide / 2), np.sin(angle) * (distance + tall / 2)])
            return middle[0] - wide / 2, middle[1] - tall / 2, middle[0] + wide / 2, middle[1] + tall / 2

        def cost(box, centre=places[row]):
            hides = sum(max(0, min(box[2], other[2]) - max(box[0], other[0])) * max(0, min(box[3], other[3]) - max(box[1], other[1]))
                        for other in boxes)
            leaves = box[0] < frame.x0 or box[2] > frame.x1 or box[1] < frame.y0 or box[3] > frame.y1
            return round(hides) + 1000 * leaves, np.hypot((box[0] + box[2]) / 2 - centre[0], (box[1] + box[3]) / 2 - centre[1])

        angles = np.linspace(0, 2 * np.pi, 12, endpoint=False)
        box = min((box_at(angle, distance) for distance in (7, 18, 30, 44) for angle in angles), key=cost)
        boxes.append(box)
        middle = np.array([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2])
        far = np.hypot(*(middle - places[row])) > 26
        axes.annotate(name, points[row], xytext=axes.transData.inverted().transform(middle), fontsize=7, ha="center", va="center",
                      zorder=4, path_effects=[matplotlib.patheffects.withStroke(linewidth=2, foreground="white")],
                      arrowprops={"arrowstyle": "-", "linewidth": 0.5, "color": "0.2"} if far else None)
