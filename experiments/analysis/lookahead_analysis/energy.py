"""Energy of a run from its file alone: the same products and sums, in the same order, as the simulator's."""

from dataclasses import dataclass

import numpy as np

from .packages import pandas as pd

SECONDS_PER_FEMTOSECOND = 1e-15
CATEGORIES = ["dynamic", "static"]


@dataclass
class Energy:
    """A run's energy in joules; `joules` has a row for each component and the columns dynamic and static."""

    joules: "pd.DataFrame"
    busy_fs: int
    dynamic_j: float
    static_j: float

    @property
    def total_j(self):
        return self.dynamic_j + self.static_j

    @property
    def seconds(self):
        return self.busy_fs * SECONDS_PER_FEMTOSECOND

    @property
    def average_w(self):
        return self.total_j / self.seconds if self.seconds > 0 else 0.0

    @property
    def energy_delay_js(self):
        return self.total_j * self.seconds


def busy_time(kernels):
    """The length of the union of the kernels' times, in femtoseconds."""
    busy = covered = 0
    for start, end in sorted(zip(kernels["start_fs"].tolist(), kernels["end_fs"].tolist())):
        busy += max(0, end - max(start, covered))
        covered = max(covered, end)
    return busy


def recompute_energy(run, events=None, statics=None):
    """Energy from the counters, kernels and table of a Run; other tables, as of `run.energy_events` and
    `run.energy_statics`, may be given in place of the file's."""
    events = run.energy_events if events is None else events
    statics = run.energy_statics if statics is None else statics
    busy_fs = busy_time(run.kernels)
    joules = {}
    for event in events.itertuples():
        kind, name = event.counter.split(".")
        counters = run.counters(kind) if kind in run.counter_kinds else {}
        count = sum(counters[name].tolist()) if name in counters else 0
        joules.setdefault(event.component, [0.0, 0.0])[0] += count * event.joules_per_count
    for static in statics.itertuples():
        in_file = static.per in run.counter_kinds
        instances = 1 if static.per == "gpu" else len(run.counters(static.per)) if in_file else 0
        energy = instances * static.watts * (busy_fs * SECONDS_PER_FEMTOSECOND)
        joules.setdefault(static.component, [0.0, 0.0])[1] += energy
    table = pd.DataFrame.from_dict(joules, orient="index", columns=CATEGORIES, dtype=float).rename_axis("component")
    dynamic_j = static_j = 0.0
    for dynamic, static in joules.values():
        dynamic_j += dynamic
        static_j += static
    return Energy(table, busy_fs, dynamic_j, static_j)


def kernel_energy_differences(run, relative):
    """Sentences about differences between /energy/kernel_joules and what the kernels' counters, their times and the
    table give."""
    if "kernel_joules" not in run.file["energy"]:
        return []
    counters, kernels, stored = run.kernel_counters, run.kernels, run.kernel_energy
    found = []
    for kernel in kernels.index:
        seconds = (kernels.loc[kernel, "end_fs"] - kernels.loc[kernel, "start_fs"]) * SECONDS_PER_FEMTOSECOND
        joules = {component: [0.0, 0.0] for component in run.energy.index}
        for event in run.energy_events.itertuples():
            if event.counter in counters:
                joules[event.component][0] += counters.loc[kernel, event.counter] * event.joules_per_count
        for static in run.energy_statics.itertuples():
            joules[static.component][1] += static.instances * static.watts * seconds
        again = np.array(list(joules.values())).reshape(-1, len(CATEGORIES))
        if not np.allclose(stored.loc[kernel].to_numpy(), again, rtol=relative, atol=0):
            found.append(f"the energy of kernel {kernel} is not that of its counters")
        if not np.isclose(run.kernel_energy_delay[kernel], again.sum() * seconds, rtol=relative, atol=0):
            found.append(f"the energy-delay product of kernel {kernel} is not that of its energy and time")
    return found


def energy_differences(run, relative=1e-12):
    """Sentences about differences between the file's /energy and what its counters give; empty if there are none."""
    again = recompute_energy(run)
    found = []
    if list(run.energy.index) != list(again.joules.index):
        return [f"components are {list(run.energy.index)}, recomputed {list(again.joules.index)}"]
    close = np.isclose(run.energy[CATEGORIES], again.joules, rtol=relative, atol=0)
    for row, column in zip(*np.nonzero(~close)):
        found.append(f"{again.joules.index[row]} {CATEGORIES[column]}: {run.energy.iloc[row, column]!r} J in the file, "
                     f"{again.joules.iloc[row, column]!r} J recomputed")
    found += kernel_energy_differences(run, relative)
    for name, stored in run.energy_summary.items():
        value = getattr(again, name, None)
        if value is not None and not np.isclose(stored, value, rtol=relative, atol=0):
            found.append(f"{name}: {stored!r} in the file, {value!r} recomputed")
    return found
