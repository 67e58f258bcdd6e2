"""How much of the machine each kernel of a run used: occupancy and what limits it, issue slots, hit rates, bandwidth; and its
place under an instruction roofline (Ding and Williams, PMBS 2019: warp instructions a cycle over instructions a byte)."""

import numpy as np

from .drawing import legend_beside
from .packages import pandas as pd

WARP, LINE = 32, 128
SHAPE = [*(f"{what}_{axis}" for what in ("grid", "block") for axis in "xyz"), "registers", "shared_bytes"]


def launch_limit(kernel, config):
    """Warps that an SM may hold of a launch, and what limits them: the first of these with the fewest CTAs, or the grid, if
    it has fewer CTAs than the SMs may hold."""
    threads = kernel["block_x"] * kernel["block_y"] * kernel["block_z"]
    warps = -(-threads // WARP)
    up = lambda value, unit: -(-value // unit) * unit  # noqa: E731
    registers = up((config["sm.occupancy_registers"] or kernel["registers"]) * WARP, config["sm.register_unit"]) * warps
    shared = up(kernel["shared_bytes"], config["sm.shared_unit"]) + config["sm.shared_reserved"]
    room = {"CTAs": config["sm.max_ctas"], "threads": config["sm.max_threads"] // threads, "warps": config["sm.max_warps"] // warps,
            "registers": config["sm.registers"] // max(registers, 1)}
    if shared:
        room["shared memory"] = config["sm.shared_bytes"] // shared
    limit = min(room, key=room.get)
    ctas = kernel["grid_x"] * kernel["grid_y"] * kernel["grid_z"]
    if ctas < room[limit] * config["gpu.sms"]:
        return -(-ctas // config["gpu.sms"]) * warps, "grid"
    return room[limit] * warps, limit


class Peaks:
    """What the machine can do in a cycle of the SMs' clock."""

    def __init__(self, run):
        value = run.config_value
        self.instructions = value("gpu.sms") * value("sm.schedulers") / value("sm.issue_interval")
        self.l1_bytes = value("gpu.sms") * value("coalescing.lines_per_cycle") * LINE
        self.channels = int((run.components["kind"] == "dram").sum())  # pseudo-channels, where a channel has them
        self.dram_bytes_a_bus_cycle = value("dram.chips") * value("dram.chip_bytes") * value("dram.data_rate")
        self.dram_clock = value("dram.frequency") / value("sm.frequency")
        self.dram_bytes = self.channels * self.dram_bytes_a_bus_cycle * self.dram_clock


def _part(sums, part, whole):
    """The sum of some columns over that of others, in percent; NaN where there is nothing, or no such column."""
    if not {*part, *whole} <= set(sums):
        return np.nan
    return 100 * sums[part].sum(axis=1) / sums[whole].sum(axis=1).replace(0, np.nan)


def use_of(run):
    """A row for each kernel, over all its launches."""
    kernels, peaks = run.kernels, Peaks(run)
    names = kernels["name"]
    sums = run.kernel_counters.groupby(names, sort=False).sum()
    cycles = kernels.groupby("name", sort=False)["cycles"].sum().replace(0, np.nan)
    seconds = (kernels["end_fs"] - kernels["start_fs"]).groupby(names, sort=False).sum().replace(0, np.nan) / 1e15
    longest = kernels.loc[kernels.groupby("name", sort=False)["cycles"].idxmax()].set_index("name")
    config = {key: run.config_value(key) for key in run.file["config"] if key.startswith(("sm.", "gpu."))}
    limits = {name: launch_limit({key: int(row[key]) for key in SHAPE}, config) for name, row in longest.iterrows()}
    dram = sums["dram.data_bus_cycles"] * peaks.dram_bytes_a_bus_cycle if "dram.data_bus_cycles" in sums else np.nan
    demand = ["l1d.hits_demand", "l1d.merges_demand", "l1d.misses_demand"]
    rows = [f"dram.row_{what}" for what in ("hits", "misses", "conflicts")]
    table = pd.DataFrame({
        "launches": names.groupby(names, sort=False).size(),
        "instructions a cycle": sums["sm.warp_instructions"] / cycles,
        "issue slots %": 100 * sums["sm.warp_instructions"] / cycles / peaks.instructions,
        "lanes": sums["sm.thread_instructions"] / sums["sm.warp_instructions"].replace(0, np.nan),
        "warps an SM": sums["sm.warp_cycles"] / sums["sm.active_cycles"].replace(0, np.nan),
        "most": pd.Series({name: warps for name, (warps, _) in limits.items()}),
        "limited by": pd.Series({name: limit for name, (_, limit) in limits.items()}),
        "L1 hits %": _part(sums, demand[:1], demand),
        "L2 hits %": _part(sums, ["l2_slice.read_hits"], ["l2_slice.reads"]),
        "DRAM GB/s": dram / seconds / 1e9,
        "of peak %": 100 * dram / cycles / peaks.dram_bytes if peaks.dram_bytes else np.nan,
        "row hits %": _part(sums, rows[:1], rows)})
    return table.rename_axis(None)


def roofline_of(run):
    """A row for each kernel: warp instructions a cycle, and of each byte of L1 and of DRAM."""
    peaks = Peaks(run)
    names = run.kernels["name"]
    sums = run.kernel_counters.groupby(names, sort=False).sum()
    cycles = run.kernels.groupby("name", sort=False)["cycles"].sum().replace(0, np.nan)
    column = lambda name, bytes_each: sums[name].replace(0, np.nan) * bytes_each if name in sums else np.nan  # noqa: E731
    instructions = sums["sm.warp_instructions"]
    return pd.DataFrame({"rate": instructions / cycles, "L1": instructions / column("lsu.global_accesses", LINE),
                         "DRAM": instructions / column("dram.data_bus_cycles", peaks.dram_bytes_a_bus_cycle)})


def draw_roofline(axes, run):
    table, peaks = roofline_of(run), Peaks(run)
    tops = {"L1": peaks.l1_bytes, "DRAM": peaks.dram_bytes}
    x = table[list(tops)].to_numpy().ravel()
    x = x[np.isfinite(x)]
    ends = (min(x.min(initial=1), 0.002) / 2, max(x.max(initial=1), 1) * 2)
    for (level, top), color, mark in zip(tops.items(), ("#4477aa", "#cc3311"), ("s", "o")):
        if top:
            across = np.geomspace(*ends, 200)
            axes.plot(across, np.minimum(across * top, peaks.instructions), color=color, linewidth=1)
            axes.plot(table[level], table["rate"], mark, color=color, label=f"{level}, {top:.0f} bytes a cycle")
    for name, row in table.iterrows():
        place = row["DRAM"] if np.isfinite(row["DRAM"]) else row["L1"]
        if np.isfinite(place) and row["rate"] > 0:
            axes.annotate(name, (place, row["rate"]), textcoords="offset points", xytext=(5, 4), fontsize=7)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(*ends)
    axes.set_xlabel("warp instructions a byte")
    axes.set_ylabel("warp instructions a cycle")
    axes.grid(alpha=0.3)
    legend_beside(axes)
