"""Sweeps as tables: the points of an index, facts from their result files, and the values that were chosen as best."""

import pathlib

import h5py
import numpy as np

from .files import open_file
from .messages import UNUSABLE, reason_of
from .packages import pandas as pd
from .run import values_of


def name_of(value):
    """The name of an axis's value: 8 for 8.0."""
    return value if isinstance(value, str) else f"{value:.15g}"


class SweepError(Exception):
    """A sweep from which a figure cannot be made: a sentence with its folder or file."""


# Columns of text in /points that are not axes, for files before 1.2, which do not name their axes
# (hdf5_schemas/sweep.schema.json).
NO_AXES = {"key", "workload", "status", "message", "file"}


def without_index(folder):
    """The message about a folder that has no index."""
    if not ((folder / "study.toml").exists() and (folder / "points").is_dir()):
        return "is not a sweep with an index: the folder has no study.toml with points"
    return (f"the sweep has no index yet; 'lookahead sweep collect STUDY --out {folder}' writes it, and so does "
            "'lookahead sweep run' when it has run to its end")


class Sweep:
    """The index of a study's sweep and its complete points.

    `facts` takes an open result file and returns what the figures are made of, by name. SweepError for a folder that is
    no sweep."""

    def __init__(self, folder, facts=None):
        self.folder, self.facts = pathlib.Path(folder), facts
        if self.folder.is_dir() and not (self.folder / "index.h5").exists():
            raise SweepError(f"{self.folder}: {without_index(self.folder)}")
        try:
            with open_file(self.folder / "index.h5") as index:
                self.study = str(index.attrs["study"])
                self.source = str(index.attrs.get("source", ""))
                points = index["points"]
                count = points["workload"].shape
                self.points = pd.DataFrame({name: values_of(points[name]) for name in points if points[name].shape == count})
                self.axes = [str(name) for name in index.attrs["axes"]] if "axes" in index.attrs else \
                    [name for name in points if name not in NO_AXES and h5py.check_string_dtype(points[name].dtype)]
                self.title = str(index.attrs["title"])
                self.units = {name: str(points[name].attrs["units"]) for name in self.points}
                # The values of axes are names here, also if the index has them as numbers (since 1.3).
                for axis in self.axes:
                    self.points[axis] = [name_of(value) for value in self.points[axis]]
                best = index.get("best", {})
                self.bests = pd.DataFrame({name: values_of(best[name]) for name in best})
        except UNUSABLE as error:
            raise SweepError(f"{self.folder}: is not a sweep with an index: {reason_of(error)}") from error

    def require(self, figure, study, axes):
        """SweepError unless this is a sweep of the study, by its name or as a file of its own (whose name has no folder),
        with just these axes and, on each, at least the values that the figure is made with."""
        if self.study not in (study, study.rsplit("/", 1)[-1]):
            raise SweepError(f"{self.folder}: is a sweep of the study '{self.study}', but {figure} is of {study}")
        if set(self.axes) != set(axes):
            raise SweepError(f"{self.folder}: the sweep has the axes {', '.join(sorted(self.axes)) or '(none)'}, but {figure} "
                             f"is of {study} with the axes {', '.join(sorted(axes))}")
        for axis, values in axes.items():
            lacking = [value for value in values if value not in set(self.points[axis])]
            if lacking:
                raise SweepError(f"{self.folder}: the sweep's axis '{axis}' has no value '{lacking[0]}', which {figure} is "
                                 f"made with; it has {', '.join(self.points[axis].unique())}")

    @property
    def missing(self):
        return self.points[self.points["status"] != "complete"]

    @property
    def complete(self):
        return self.points[self.points["status"] == "complete"]

    def of_point(self, point, facts):
        """Returns what `facts` takes from a point's result file. SweepError if the file cannot be read or lacks what is
        needed."""
        try:
            with open_file(self.folder / point["file"]) as run:
                return facts(run)
        except UNUSABLE as error:
            raise SweepError(f"{self.folder / point['file']}: the result of {point['workload']} cannot be used: "
                             f"{reason_of(error)}") from error

    def beside(self, study):
        """The sweep of another of the paper's studies, in the folder beside this one that has that study's name
        instead."""
        own = self.study.rsplit("/", 1)[-1]
        return Sweep(self.folder.with_name(study.join(self.folder.name.rsplit(own, 1))), self.facts)

    def rows_of(self, points, axes):
        return [{"workload": point["workload"], **{axis: point[axis] for axis in axes},
                 **self.of_point(point, self.facts)} for _, point in points.iterrows()]

    def table(self, *axes):
        """A row for each complete point: workload, the axes, and the facts of its file."""
        rows = self.rows_of(self.complete, axes)
        if not rows:
            raise SweepError(f"{self.folder}: no point is complete; see lookahead sweep status")
        return pd.DataFrame(rows)

    def best(self, name, *axes):
        """The same for the points that the study's best of this name has chosen, with the chosen value as `value`."""
        rows = []
        for _, best in self.bests[self.bests["name"] == name].iterrows():
            found = self.points[self.points["id"] == best["point"]]
            for row in self.rows_of(found[found["status"] == "complete"], axes):
                rows.append({**row, "value": best["value"]})
        if not rows:
            raise SweepError(f"{self.folder}: the sweep has no complete point of '{name}'")
        return pd.DataFrame(rows)


def total(run, kind, name):
    """A counter over all components; 0 where there is no such component."""
    path = f"counters/{kind}/{name}"
    return float(run[path][...].sum()) if path in run else 0.0


def ratio(part, whole):
    return part / whole if whole else np.nan


def normalised(table, column, axis, baseline, invert=False):
    """`column` of each design divided by the baseline's of the same workload; workloads are rows, designs are
    columns."""
    wide = table.pivot_table(index="workload", columns=axis, values=column, sort=False)
    if baseline not in wide:
        raise SweepError(f"no complete point of the baseline '{baseline}'")
    wide = wide[wide[baseline].notna()]
    return wide.rdiv(wide[baseline], axis=0) if invert else wide.div(wide[baseline], axis=0)


def geometric_mean(values):
    return np.exp(np.log(values).mean())


def with_mean(table, geometric):
    values = geometric_mean(table) if geometric else table.mean()
    return pd.concat([table, values.to_frame("mean").T])


def by_base(baseline, with_means):
    """Makes the figure of a study `bases`: the speed-up of its one design over `baseline` on each base, one column each."""
    def figure(sweep):
        table, columns = sweep.table("base", "design"), {}
        for base, part in table.groupby("base", sort=False):
            columns[base] = normalised(part, "cycles", "design", baseline, invert=True).drop(columns=baseline).iloc[:, 0]
        return with_means(pd.DataFrame(columns), geometric=True)
    return figure


def what_keeps(design, bar, with_means, beyond):
    """Makes the figure of a study `causes`, whose axis `change` has the machine as it is ("base"), with the design
    (DESIGN), with a larger one ("DESIGN, CHANGE"), changes of the machine without and with the design ("CHANGE" and
    "CHANGE, DESIGN"), and "perfect memory", which may be such a change. Columns are the design's speed-ups over the same
    machine without it, and the perfect memory's over the machine as it is; and what keeps workloads whose speed-up is
    below `bar`: the first change with which it is not; "no wait for memory", if a perfect memory brings less than `bar`
    without the design; the first of the names that `beyond(sweep, cycles)` gives with the workloads for which it holds; or
    nothing that was found ("?")."""
    def figure(sweep):
        cycles = sweep.table("change").pivot_table(index="workload", columns="change", values="cycles", sort=False)
        gains = {"as it is": cycles["base"] / cycles[design]}
        gains |= {name.removeprefix(f"{design}, "): cycles["base"] / cycles[name] for name in cycles if name.startswith(f"{design}, ")}
        gains |= {name: cycles[name] / cycles[f"{name}, {design}"] for name in cycles if f"{name}, {design}" in cycles}
        perfect = cycles["base"] / cycles["perfect memory"]
        found = {name: gain >= bar for name, gain in gains.items()}
        found = {"": found.pop("as it is"), **found, "no wait for memory": perfect < bar, **beyond(sweep, cycles)}
        result = with_means(pd.DataFrame(gains).assign(**{"a perfect memory's own": perfect}), geometric=True)
        causes = [next((name for name, holds in found.items() if holds[workload]), "?") for workload in cycles.index]
        result["what keeps it"] = [*causes, *[""] * (len(result) - len(causes))]
        return result
    return figure


def over(axis, baseline, with_means):
    """Makes figures of a column: each design of `axis` over the baseline, workloads and their geometric means."""
    def of(column, invert=False):
        def figure(sweep):
            wide = normalised(sweep.table(axis), column, axis, baseline, invert)
            return with_means(wide.drop(columns=baseline), geometric=True)
        return figure
    return of
