"""Draws the tables of a Study: each function takes axes of matplotlib and the study."""

import numpy as np

from .drawing import color_of, grouped_bars, is_mean, legend_beside, limits_around_one

MOST_CELLS_WITH_NUMBERS = 200
MOST_NAMED = 8
MOST_NAMED_CELLS = 40  # of an axis
MOST_VECTORS = 2000  # dots; more are pixels in vector images too
MOST_BARS = 12  # of a workload


def draw_speedups(axes, study, axis):
    """Draws, by workload, the speed-up of each value of the axis over the baseline's, all else equal: as bars, or, for
    many values, as a line for each workload."""
    table = study.speedups(axis)
    if len(table.columns) > MOST_BARS:
        draw_speedup_lines(axes, study, axis, table)
        return
    grouped_bars(axes, table, around_one=True)
    axes.set_ylabel(f"speed-up over {axis} = {study.baseline[axis]}")
    legend_beside(axes, title=axis + unit_text(study, axis), title_fontsize=7)


def draw_speedup_lines(axes, study, axis, table):
    """Draws a line for each workload over the axis's values: at their numbers, or in their order if they are not
    numbers. The baseline's value is at 1."""
    names = study.values[axis]
    table = table.assign(**{study.baseline[axis]: 1.0})[names]
    try:
        places = [float(name) for name in names]
    except ValueError:
        places = list(range(len(names)))
        axes.set_xticks(places)
        axes.set_xticklabels(names, rotation=90, fontsize=7)
    for number, (row, values) in enumerate(table.iterrows()):
        style = {"color": "black", "linewidth": 2} if is_mean(row) else {"color": color_of(number, len(table)), "linewidth": 0.9}
        axes.plot(places, values, marker=".", markersize=3, label=row, **style)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_ylim(*limits_around_one(table.to_numpy(dtype=float).ravel()))
    axes.set_xlabel(axis + unit_text(study, axis))
    axes.set_ylabel(f"speed-up over {axis} = {study.baseline[axis]}")
    axes.grid(alpha=0.3)
    legend_beside(axes)


def draw_grid(axes, study, rows, columns):
    """Draws a heat map of speed-ups over two axes; 1 is white."""
    import matplotlib.colors
    table = study.grid(rows, columns)
    values = table.to_numpy(dtype=float)
    reach = max(np.nanmax(np.abs(np.log(values))), 0.01)
    image = axes.pcolormesh(np.log(values), cmap="RdBu", norm=matplotlib.colors.Normalize(-reach, reach), rasterized=True)
    name_cells(axes.xaxis, table.columns)
    name_cells(axes.yaxis, table.index)
    longest = max(len(str(name)) for name in table.columns)
    axes.tick_params(axis="x", rotation=90 if longest * min(len(table.columns), MOST_NAMED_CELLS) > 60 else 0)
    axes.invert_yaxis()
    axes.set_xlabel(columns + unit_text(study, columns))
    axes.set_ylabel(rows + unit_text(study, rows))
    if values.size <= MOST_CELLS_WITH_NUMBERS:
        for (row, column), value in np.ndenumerate(values):
            dark = np.isfinite(value) and abs(np.log(value)) > 0.6 * reach
            axes.text(column + 0.5, row + 0.5, f"{value:.3f}" if np.isfinite(value) else "-", ha="center", va="center",
                      fontsize=7, color="white" if dark else "black")
    bar = axes.figure.colorbar(image, ax=axes, format=lambda log, _: f"{np.exp(log):.3f}")
    bar.set_label("speed-up")


def name_cells(axis, names):
    """Sets a tick at each cell, or, if there are many, at every n-th."""
    step = -(-len(names) // MOST_NAMED_CELLS)
    axis.set_ticks(np.arange(0, len(names), step) + 0.5)
    axis.set_ticklabels([str(name) for name in names[::step]])


def draw_trade_off(axes, study):
    """Draws cycles against energy for each combination of values, and the front of those that no other beats in
    both."""
    table = study.trade_off()
    others, best = table[~table["front"]], table[table["front"]].sort_values("cycles")
    axes.scatter(others["cycles"], others["energy"], s=14, color="tab:grey", alpha=0.7, label=f"{len(others)} others",
                 rasterized=len(others) > MOST_VECTORS)
    axes.plot(best["cycles"], best["energy"], drawstyle="steps-post", color="tab:red", linewidth=1)
    names = [study.name_of(combination) for combination in best.index]
    for number, (cycles, energy) in enumerate(zip(best["cycles"], best["energy"]), 1):
        axes.scatter([cycles], [energy], s=24, color="tab:red", zorder=3,
                     label=f"{number}: {names[number - 1]}" if number <= MOST_NAMED else "_")
        axes.annotate(str(number), (cycles, energy), textcoords="offset points", xytext=(4, 4), fontsize=7)
    axes.plot([1], [1], marker="+", color="black", markersize=9, linestyle="none", label="the baseline")
    axes.set_xlim(*limits_around_one(table["cycles"]))
    axes.set_ylim(*limits_around_one(table["energy"]))
    axes.set_xlabel("cycles over the baseline's, geometric mean")
    axes.set_ylabel("energy over the baseline's")
    axes.grid(alpha=0.3)
    legend_beside(axes)


def draw_distribution(axes, study):
    """Draws every point's speed-up over the baseline as a dot, by workload, with the quartiles as a box."""
    series = study.distribution()
    names = [name for name in study.workloads if name in series.index.get_level_values(0)]
    groups = [series.xs(name, level="workload").to_numpy() for name in names]
    axes.boxplot(groups, positions=np.arange(len(names)), widths=0.55, showfliers=False, whis=(0, 100),
                 medianprops={"color": "tab:orange"})
    for number, values in enumerate(groups):
        spread = np.linspace(-0.2, 0.2, len(values)) if len(values) > 1 else [0]
        axes.scatter(number + np.asarray(spread), values, s=7, alpha=0.6, color="tab:blue", zorder=3,
                     rasterized=len(series) > MOST_VECTORS)
    axes.set_xticks(np.arange(len(names)))
    longest = max(len(name) for name in names)
    axes.set_xticklabels(names, rotation=90 if longest * len(names) > 70 else 0)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_ylim(*limits_around_one(series))
    axes.set_ylabel("speed-up over the baseline")
    axes.grid(axis="y", alpha=0.3)


def unit_text(study, axis):
    unit = study.units.get(axis, "")
    return f" ({unit})" if unit else ""
