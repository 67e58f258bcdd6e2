"""A sweep as the answer to its study's question: which value of which axis makes what difference. The tables are made
from the index alone (hdf5_schemas/sweep.schema.json); study_figures.py draws them."""

import itertools
import pathlib

import numpy as np

from .packages import pandas as pd
from .sweeps import Sweep, SweepError, geometric_mean

MEAN = "geometric mean"


class Study:
    """The tables of a sweep's folder, `STUDY.sweep` (or of its index.h5).

    A speed-up is the cycles of a point's baseline over its own. The baseline of a point is the point of the same
    workload with the values of `baseline`; an axis without a value there has the first that the study names. SweepError
    if the folder has no sweep with an index, or if the sweep does not have the baseline's axes and values."""

    def __init__(self, folder, baseline=None):
        folder = pathlib.Path(folder)
        self.sweep = Sweep(folder.parent if folder.name == "index.h5" else folder)
        self.folder, self.name, self.title = self.sweep.folder, self.sweep.study, self.sweep.title
        self.points, self.axes, self.units = self.sweep.points, self.sweep.axes, self.sweep.units
        self.source, self.bests = self.sweep.source, self.sweep.bests
        self.values = {axis: ordered(self.points[axis].unique()) for axis in self.axes}
        self.baseline = {axis: self.points[axis].iloc[0] for axis in self.axes} | (baseline or {})
        for axis, value in self.baseline.items():
            if axis not in self.axes:
                raise SweepError(f"{self.folder}: the study has no axis '{axis}'; it has {', '.join(self.axes) or 'none'}")
            if value not in self.values[axis]:
                raise SweepError(f"{self.folder}: the axis '{axis}' has no value '{value}'; it has "
                                 f"{', '.join(self.values[axis])}")
        self.workloads = list(self.points["workload"].unique())

    @property
    def complete(self):
        return self.points[self.points["status"] == "complete"]

    @property
    def failed(self):
        """The points without a result, and why they have none: they are in no figure."""
        return self.points[self.points["status"] != "complete"][["workload", *self.axes, "status", "exit_code", "message"]]

    @property
    def metrics(self):
        """The names of the columns that are metrics: the common ones and the study's."""
        known = {"id", "exit_code", "ranks", "peak_rss_bytes", "point_s", "result_stamp", *self.axes}
        return [name for name in self.points if name not in known and np.issubdtype(self.points[name].dtype, np.floating)]

    def combination(self, point, but=()):
        return tuple(point[axis] for axis in self.axes if axis not in but)

    def ratios(self, column, axes=None):
        """`column` of each complete point divided by that of the point that has the baseline's values of `axes` (None:
        all axes) and is otherwise equal: a Series by point, without points that have no complete baseline."""
        axes = self.axes if axes is None else axes
        place = ["workload", *(axis for axis in self.axes if axis not in axes)]
        complete = self.complete
        is_base = np.logical_and.reduce([np.full(len(complete), True), *(complete[axis] == self.baseline[axis] for axis in axes)])
        base = complete[is_base].set_index(place)[column]
        base = base[~base.index.duplicated()]
        keys = pd.MultiIndex.from_frame(complete[place]) if len(place) > 1 else pd.Index(complete["workload"])
        return (complete[column] / base.reindex(keys).to_numpy()).dropna()

    def speedups(self, axis):
        """A row for each workload and one for their geometric mean, a column for each other value of the axis: how many
        times fewer cycles than with the baseline's value, all else equal; the geometric mean over the other axes'
        values. A workload that lacks a speed-up has NaN there and is not in the mean."""
        faster = 1 / self.ratios("cycles", [axis])
        points = self.complete.loc[faster.index].assign(speedup=faster)
        values = [value for value in self.values[axis] if value != self.baseline[axis]]
        table = points.groupby(["workload", axis], sort=False)["speedup"].agg(geometric_mean).unstack(axis)
        table = table.reindex(index=[name for name in self.workloads if name in table.index], columns=values)
        whole = table.dropna()
        if len(whole) and len(table) > 1:
            table.loc[MEAN] = geometric_mean(whole)
        return table

    def grid(self, rows, columns):
        """The geometric mean of speed-ups over the baseline's pair of values, all else equal: a row for each value of one axis,
        a column for each of the other (or `workload` for either). NaN where a point is missing that others have."""
        axes = [axis for axis in (rows, columns) if axis != "workload"]
        faster = 1 / self.ratios("cycles", axes)
        points = self.complete.loc[faster.index].assign(speedup=faster)
        groups = points.groupby([rows, columns])["speedup"]
        sizes = groups.size()
        means = groups.agg(geometric_mean)
        if "workload" not in (rows, columns):
            means = means[sizes == sizes.max()]
        order = {**self.values, "workload": self.workloads}
        return means.unstack(columns).reindex(index=order[rows], columns=order[columns])

    def pairs(self):
        """The pairs of axes (or of an axis and the workload) for which a grid is worth drawing."""
        several = [axis for axis in self.axes if len(self.values[axis]) > 1]
        return list(itertools.combinations(several, 2)) or [(axis, "workload") for axis in several]

    def trade_off(self):
        """A row for each combination of the axes' values: geometric means over the workloads of cycles and energy over
        the baseline's, and whether no other combination has less of both (`front`). A combination that lacks a workload
        is left out."""
        cycles, energy = self.ratios("cycles"), self.ratios("energy_j")
        points = self.complete.loc[cycles.index].assign(cycles=cycles, energy=energy)
        if not self.axes:
            return points.iloc[:0][["cycles", "energy"]].assign(front=False)
        groups = points.groupby(self.axes, sort=False)
        table = groups[["cycles", "energy"]].agg(geometric_mean)
        table = table[groups.size() == groups.size().max()].dropna()
        table["front"] = front(table["cycles"].to_numpy(), table["energy"].to_numpy())
        return table

    def distribution(self):
        """Speed-ups over the baseline of all complete points: a Series by (workload, point)."""
        faster = 1 / self.ratios("cycles")
        workloads = self.complete.loc[faster.index, "workload"]
        return faster.set_axis(pd.MultiIndex.from_arrays([workloads, faster.index], names=["workload", "point"]))

    def name_of(self, combination):
        values = combination if isinstance(combination, tuple) else (combination,)
        return ", ".join(f"{axis} {value}" for axis, value in zip(self.axes, values))

    def file_of(self, point):
        return self.folder / point["file"]


def ordered(values):
    """The values in order: numbers by size, others as they come."""
    try:
        return sorted(values, key=float)
    except ValueError:
        return list(values)


def front(first, second):
    """Which pairs no other pair beats by being at most as large in both numbers and smaller in one."""
    good = []
    for one, other in zip(first, second):
        better = (first <= one) & (second <= other) & ((first < one) | (second < other))
        good.append(not better.any())
    return np.array(good, dtype=bool)
