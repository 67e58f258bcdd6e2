"""One run's result file (hdf5_schemas/run.schema.json, major version 1)."""

import h5py
import numpy as np

from .files import open_file
from .messages import reason_of
from .packages import pandas as pd

SCHEMA = "lookahead.run"
MAJOR_VERSION = "1"
INTERNAL_ATTRIBUTES = {"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS"}


class RunFileError(Exception):
    """The file is missing, damaged, or not the result of a run."""


def _value(stored):
    """A scalar as a Python value."""
    if isinstance(stored, bytes):
        return stored.decode()
    if isinstance(stored, np.ndarray):
        return [_value(each) for each in stored]
    return stored.item() if isinstance(stored, np.generic) else stored


def values_of(dataset):
    """The elements of a dataset; texts as str."""
    return dataset.asstr()[...] if h5py.check_string_dtype(dataset.dtype) else dataset[...]


def _scalar(dataset):
    return _value(dataset[()])


class Run:
    """An open result file; a context manager. Tables are pandas DataFrames, read when asked for."""

    def __init__(self, path):
        self.path = str(path)
        try:
            self.file = open_file(self.path)
        except OSError as error:
            raise RunFileError(f"{self.path}: cannot be read: {reason_of(error)}") from error
        schema = str(_value(self.file.attrs.get("schema", "")))
        version = str(_value(self.file.attrs.get("schema_version", "")))
        if schema != SCHEMA or version.split(".")[0] != MAJOR_VERSION:
            self.file.close()
            raise RunFileError(f"{self.path}: not a file of {SCHEMA} {MAJOR_VERSION}.x, but of '{schema}' '{version}'")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.file.close()

    @property
    def summary(self):
        """What was run and how it ended, by name."""
        facts = {name: _value(value) for name, value in self.file.attrs.items()}
        if "thread_ipc" not in facts:  # files before 1.7
            facts["thread_ipc"] = facts["thread_instructions"] / facts["cycles"] if facts["cycles"] else 0.0
        return facts

    @property
    def status(self):
        return self.summary["status"]

    @property
    def complete(self):
        """True for a run that may enter an average: it reached its end and its outputs are not wrong."""
        return self.status == "complete" and self.summary["outputs"] != "mismatch"

    @property
    def meta(self):
        """Where and how it was run, by name."""
        return {name: _value(value) for name, value in self.file["meta"].attrs.items()}

    @property
    def config(self):
        """The effective configuration: index key, columns value, unit, source, description."""
        rows = {key: {"value": _scalar(dataset), "unit": _value(dataset.attrs["units"]),
                      "source": _value(dataset.attrs["source"]), "description": _value(dataset.attrs["description"])}
                for key, dataset in self.file["config"].items()}
        table = pd.DataFrame.from_dict(rows, orient="index", columns=["value", "unit", "source", "description"])
        return table.rename_axis("key")

    def config_value(self, key):
        if key not in self.file["config"]:
            raise KeyError(f"{self.path}: the configuration has no key {key}")
        return _scalar(self.file["config"][key])

    @property
    def components(self):
        return self._table("components", "id")

    @property
    def kernels(self):
        """A row for each kernel launch; index id."""
        return self._table("kernels", "id")

    @property
    def kernel_counters(self):
        """What was counted in each kernel, summed over components: a row for each launch, a column for each counter as
        kind.name. Files before 1.3 have none."""
        group = self.file["kernel_counters"]
        return pd.DataFrame(values_of(group["counts"]), index=pd.Index(values_of(group["kernel"]), name="kernel"),
                            columns=pd.Index(values_of(group["counter"]), name="counter"))

    @property
    def latency(self):
        """Sampled reads that missed a cache of their SM: a row for each sample with sm, slice, served, source,
        start_fs, end_fs, and a column of femtoseconds for each stage. Files before 1.3 have none, and those before 1.4
        have only loads of L1, without a source."""
        group = self.file["latency"]
        stages = pd.DataFrame(values_of(group["durations_fs"]), columns=values_of(group["stage"]))
        names = [name for name in ("sm", "slice", "served", "source", "start_fs", "end_fs") if name in group]
        rows = pd.DataFrame({name: values_of(group[name]) for name in names})
        return pd.concat([rows, stages], axis=1)

    @property
    def latency_summary(self):
        """Mean nanoseconds of the sampled misses in each stage, and their sum: a row for each source (global, local,
        constant, texture, instruction), for each way in which they were served (hit, merge, dram) and for all, with their
        number. Files before 1.3 have none, and those before 1.4 have no sources."""
        samples = self.latency
        stages = list(values_of(self.file["latency/stage"]))
        samples["total"] = samples["end_fs"] - samples["start_fs"]
        parts = [samples.assign(part=samples[column]) for column in ("source", "served") if column in samples]
        groups = pd.concat([*parts, samples.assign(part="all")]).groupby("part", sort=False)
        means = groups[stages + ["total"]].mean() / 1e6
        means.insert(0, "samples", groups.size())
        order = ("global", "local", "constant", "texture", "instruction", "hit", "merge", "dram", "all")
        return means.reindex([part for part in order if part in means.index])

    def latency_histogram(self, width_ns=50):
        """Sampled misses by how long they took: a row for each interval of nanoseconds [left, right), a column for each
        way in which they were served (hit or merge in L2, dram). Files before 1.3 have none."""
        samples = self.latency
        bins = ((samples["end_fs"] - samples["start_fs"]) // (width_ns * 10**6)).rename("bin")
        counts = pd.crosstab(bins, samples["served"])
        counts = counts.reindex(range(int(bins.max()) + 1) if len(bins) else [], fill_value=0)
        counts.index = pd.IntervalIndex.from_breaks([width_ns * bin for bin in range(len(counts) + 1)], closed="left",
                                                    name="nanoseconds")
        return counts

    @property
    def stalls(self):
        """Where the schedulers' cycles went over time: index (cycle, component), a column for each cause. Files before
        1.3 have none."""
        group = self.file["stalls"]
        index = pd.MultiIndex.from_product([values_of(group["cycle"]), values_of(group["component"])],
                                           names=["cycle", "component"])
        causes = values_of(group["cause"])
        return pd.DataFrame(values_of(group["scheduler_cycles"]).reshape(len(index), len(causes)), index=index,
                            columns=pd.Index(causes, name="cause"))

    @property
    def activity(self):
        """Warp instructions a core cycle of the whole GPU, from the first kernel's begin to the last one's end: index
        cycle, the end of the interval. For files before 1.7 it is computed from their series."""
        if "activity" in self.file:
            group = self.file["activity"]
            return pd.Series(values_of(group["ipc"]), index=pd.Index(values_of(group["cycle"]), name="cycle"), name="ipc")
        ipc = self.rate("sm", "warp_instructions").sum(axis=1).rename("ipc")
        begin, end = self.busy_cycles
        before = ipc.index.to_series().shift(fill_value=0)
        within = (ipc.index > begin) & (before < end).to_numpy()
        return ipc[within].set_axis(ipc.index[within].astype(float))

    @property
    def kernel_cycles(self):
        """Begin and end of each launch in cycles of the core clock from the run's start: index id, columns begin and end."""
        frequency, kernels = float(self.config_value("sm.frequency")), self.kernels
        return pd.DataFrame({"begin": kernels["start_fs"] * frequency / 1e15, "end": kernels["end_fs"] * frequency / 1e15})

    @property
    def busy_cycles(self):
        """The first kernel's begin and the last one's end, in cycles of the core clock; (0, 0) without kernels."""
        kernels = self.kernel_cycles
        return (kernels["begin"].min(), kernels["end"].max()) if len(kernels) else (0.0, 0.0)

    @property
    def counter_kinds(self):
        return sorted(self.file["counters"])

    @property
    def series_kinds(self):
        return sorted(self.file["series"])

    def counters(self, kind):
        """Totals of the run: a row for each component of the kind, a column for each counter."""
        return self._table(f"counters/{self._known('counters', kind)}", "component")

    def series_names(self, kind):
        group = self.file[f"series/{self._known('series', kind)}"]
        return sorted(name for name in group if name not in ("cycle", "component"))

    def series(self, kind, name):
        """What was counted in each interval: index cycle (the end of the interval), a column for each component."""
        group = self.file[f"series/{self._known('series', kind)}"]
        if name not in group:
            raise KeyError(f"{self.path}: no series {kind}.{name}; there are {', '.join(self.series_names(kind))}")
        index = pd.Index(values_of(group["cycle"]), name="cycle")
        columns = pd.Index(values_of(group["component"]), name="component")
        return pd.DataFrame(values_of(group[name]), index=index, columns=columns)

    def rate(self, kind, name, clock=None):
        """A series divided by the cycles of each interval: those of the core clock, or of the clock whose frequency is
        the configuration key `clock`."""
        table = self.series(kind, name)
        cycles = np.diff(table.index.to_numpy(dtype=float), prepend=0.0)
        if clock is not None:
            cycles = cycles * self.config_value(clock) / self.config_value("sm.frequency")
        return table.div(cycles, axis=0)

    def histogram(self, kind, name):
        """Counts by component: columns are the bins as intervals [left, right), with -inf and inf for the rest."""
        group = self.file[f"histograms/{self._known('histograms', kind)}"]
        if name not in group:
            raise KeyError(f"{self.path}: no histogram {kind}.{name}; there are {', '.join(sorted(group))}")
        group = group[name]
        edges = np.concatenate(([-np.inf], values_of(group["edges"]).astype(float), [np.inf]))
        counts = np.column_stack((values_of(group["underflow"]), values_of(group["counts"]), values_of(group["overflow"])))
        return pd.DataFrame(counts, index=pd.Index(values_of(group["component"]), name="component"),
                            columns=pd.IntervalIndex.from_breaks(edges, closed="left"))

    @property
    def instructions(self):
        """What each instruction of the launched kernels cost: columns kernel, pc, text, ptx_line, ptx, cuda_file, cuda_line,
        and a column for each counter. Files before 1.9 have none."""
        group = self.file["instructions"]
        counts = pd.DataFrame(values_of(group["counts"]), columns=values_of(group["counter"]))
        return self._table("instructions", "instruction").join(counts)

    @property
    def instruction_counters(self):
        """The counters of `instructions`: index counter, columns unit and meaning."""
        return self._table("instructions", "counter")

    @property
    def energy(self):
        """Joules while kernels ran: a row for each component, columns dynamic and static. Files before 1.1 have none."""
        group = self.file["energy"]
        return pd.DataFrame(values_of(group["joules"]), index=pd.Index(values_of(group["component"]), name="component"),
                            columns=list(values_of(group["category"])))

    @property
    def kernel_energy(self):
        """Joules of each kernel: index (kernel, component), columns dynamic and static. Files before 1.3 have none."""
        group = self.file["energy"]
        index = pd.MultiIndex.from_product([values_of(group["kernel"]), values_of(group["component"])],
                                           names=["kernel", "component"])
        categories = list(values_of(group["category"]))
        return pd.DataFrame(values_of(group["kernel_joules"]).reshape(len(index), len(categories)), index=index,
                            columns=categories)

    @property
    def kernel_energy_delay(self):
        """Joule seconds of each kernel. Files before 1.3 have none."""
        group = self.file["energy"]
        return pd.Series(values_of(group["kernel_energy_delay"]), index=pd.Index(values_of(group["kernel"]), name="kernel"))

    @property
    def energy_summary(self):
        """Table, totals, average power and energy-delay product, by name."""
        return {name: _value(value) for name, value in self.file["energy"].attrs.items()}

    @property
    def energy_events(self):
        """The table's energies of events, with counts."""
        return self._table("energy/events", "id")

    @property
    def energy_statics(self):
        """The table's static powers, with instances."""
        return self._table("energy/static", "id")

    @property
    def engine(self):
        """What the engine did: a row for each rank; the lengths of windows are in window_lengths."""
        return self._table("engine", "rank")

    @property
    def window_lengths(self):
        """Windows by length: a row for each rank; columns are the least lengths in femtoseconds."""
        group = self.file["engine"]
        return pd.DataFrame(values_of(group["window_lengths"]), index=pd.Index(values_of(group["rank"]), name="rank"),
                            columns=pd.Index(values_of(group["window_length"]), name="window_length"))

    def units(self, path):
        return _value(self.file[path].attrs["units"])

    def description(self, path):
        return _value(self.file[path].attrs["description"])

    def _known(self, group, kind):
        if kind not in self.file[group]:
            raise KeyError(f"{self.path}: no {group} of kind {kind}; there are {', '.join(sorted(self.file[group])) or 'none'}")
        return kind

    def _table(self, path, index):
        """All columns of a group that have the dimension of the index."""
        group = self.file[path]
        scale = group[index]
        columns = {name: values_of(dataset) for name, dataset in group.items()
                   if name != index and isinstance(dataset, h5py.Dataset) and dataset.ndim == 1
                   and dataset.dims[0].values() == [scale]}
        return pd.DataFrame(columns, index=pd.Index(values_of(scale), name=index))
