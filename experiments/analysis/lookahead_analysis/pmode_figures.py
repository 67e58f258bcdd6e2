"""Figures of Kim et al., HPCA 2016 (warped pre-execution, P-mode)."""

import numpy as np
import pandas as pd

from .sweeps import normalised, ratio, total

# Table 2 of the paper: its names of the workloads, by class.
TYPE_L = {"sgemm": "SG", "libor": "LI", "MonteCarlo": "MC", "weather": "WP", "kmeans": "KM", "bfs": "BF", "spmv": "SV",
          "FDTD3d": "FD", "mummer": "MU", "btree": "BT", "laplace3d": "LP", "nw": "NW", "FastWalshTransform": "FW",
          "cfd": "CF"}
TYPE_M = {"leukocyte": "LK", "dwt2d": "DW", "pathfinder": "PF", "dct8x8": "DC", "srad_v1": "S1", "backprop": "BP",
          "srad_v2": "S2", "MersenneTwister": "MT", "lbm": "LB", "stencil": "ST", "aes": "AE", "SobelFilter": "SF",
          "mri-q": "MQ", "sad": "SD"}

# What a scheduler's cycle is lost to; the paper has no such causes as held_back, which GTO never does.
STALLS = ["long_latency", "memory_unit_full", "short_latency", "unit_full", "buffer_empty", "barrier",
          "no_instruction_left"]
WARP_LANES, REGISTER_BYTES, REGISTER_ROWS = 32, 4, 1024


def scheduler_cycles(run):
    """Cycles of all schedulers by cause. The paper's causes are states of warps, so those of an SM without any CTA are
    apart: `no_cta`, and in no sum."""
    counters = run["counters/sm_scheduler"]
    return {name: float(counters[name][...].sum()) for name in counters if name != "component"}


def storage(run):
    """Rows of the register file and bytes of shared memory that the resident CTAs of an SM hold, on average over the
    cycles in which it has any."""
    kernels, config = run["kernels"], run["config"]
    names = list(run["kernel_counters/counter"].asstr()[...])
    counts = run["kernel_counters/counts"][...].astype(float)
    cta_cycles, cycles = (counts[:, names.index(f"sm.{name}")] for name in ("cta_cycles", "active_cycles"))
    if not cycles.sum():
        return {"rows": np.nan, "shared_bytes": np.nan}
    threads = np.prod([kernels[f"block_{d}"][...].astype(float) for d in "xyz"], axis=0)
    unit, shared_unit = float(config["sm.register_unit"][()]), float(config["sm.shared_unit"][()])
    warp_registers = np.ceil(kernels["registers"][...] * WARP_LANES / unit) * unit
    rows = np.ceil(threads / WARP_LANES) * warp_registers / WARP_LANES
    shared = np.ceil(kernels["shared_bytes"][...] / shared_unit) * shared_unit
    return {"rows": (cta_cycles * rows).sum() / cycles.sum(), "shared_bytes": (cta_cycles * shared).sum() / cycles.sum()}


def facts(run):
    stalls = scheduler_cycles(run)
    occupied = sum(value for name, value in stalls.items() if name != "no_cta")
    hits, merges, misses = (total(run, "l1d", f"{what}_demand") for what in ("hits", "merges", "misses"))
    flit_bytes = float(run["config/crossbar.flit_bytes"][()])
    return {
        "cycles": float(run.attrs["cycles"]),
        "energy": float(run["energy"].attrs["total_j"]),
        "dynamic": float(run["energy"].attrs["dynamic_j"]),
        "static": float(run["energy"].attrs["static_j"]),
        "l1_hits": ratio(hits + merges, hits + merges + misses),
        "traffic": total(run, "injection_port", "flits") * flit_bytes,
        "occupied": occupied,
        "no_cta": ratio(stalls["no_cta"], occupied + stalls["no_cta"]),
        **{f"cycles_{name}": value for name, value in stalls.items()},
        **{name: ratio(value, occupied) for name, value in stalls.items() if name != "no_cta"},
        **storage(run),
    }


def classes(index):
    """Rows of a table by the paper's class: the workloads of each, and all."""
    chosen = {"Type-L": [w for w in index if w in TYPE_L], "Type-M": [w for w in index if w in TYPE_M]}
    return {**chosen, "all": list(index)}


def with_means(table, geometric):
    """With a row for the mean of each class, and of all."""
    means = {f"mean, {name}": np.exp(np.log(table.loc[rows]).mean()) if geometric else table.loc[rows].mean()
             for name, rows in classes(table.index).items() if rows}
    names = {workload: f"{workload} ({short})" for workload, short in {**TYPE_L, **TYPE_M}.items()}
    return pd.concat([table.rename(index=names), pd.DataFrame(means).T])


def stacked(table, columns=None):
    """These columns are drawn, one on the other."""
    table.attrs["drawn"] = columns or list(table.columns)
    return table


def stall_classes(sweep):
    """Figure 2, and the class that the largest stall makes of each workload."""
    table = sweep.table("limit")
    table = table[table["limit"] == "base"].set_index("workload")
    result = table[["long_latency", "memory_unit_full"]].copy()
    result["other"] = table[STALLS].sum(axis=1) - result.sum(axis=1)
    result["no_cta"] = table["no_cta"]
    result = with_means(result, geometric=False)
    largest = table[STALLS].idxmax(axis=1)
    result["largest"] = [*largest, *[""] * (len(result) - len(largest))]
    result["class"] = [*np.where(largest == "long_latency", "Type-L", "Type-M"), *[""] * (len(result) - len(largest))]
    paper = ["Type-L" if w in TYPE_L else "Type-M" if w in TYPE_M else "" for w in table.index]
    result["paper's"] = [*paper, *[""] * (len(result) - len(paper))]
    return stacked(result, ["long_latency", "memory_unit_full", "other"])


def cycles_by_limit(sweep):
    """Figure 3's heights: cycles over the base's."""
    return with_means(normalised(sweep.table("limit"), "cycles", "limit", "base"), geometric=True)


def breakdown(axis, baseline):
    """Scheduler cycles by cause over all cycles of the baseline, averaged by class."""
    def figure(sweep):
        table = sweep.table(axis)
        base = table[table[axis] == baseline].set_index("workload")["occupied"]
        causes = ["issued", "extension_issued", *STALLS]
        shares = table[[f"cycles_{cause}" for cause in causes]].div(table["workload"].map(base), axis=0)
        shares.columns = causes
        shares[[axis, "workload"]] = table[[axis, "workload"]]
        parts = {name: shares[shares["workload"].isin(rows)].groupby(axis, sort=False)[causes].mean()
                 for name, rows in classes(base.index).items() if rows}
        return stacked(pd.concat(parts))
    return figure


def storage_by_limit(sweep):
    """Figure 4: KB of registers and shared memory that an SM's CTAs hold, and the speed-up over the base."""
    table = sweep.table("limit")
    means = table.groupby("limit", sort=False)[["rows", "shared_bytes"]].mean()
    speedups = normalised(table, "cycles", "limit", "base", invert=True)
    registers = means["rows"] * WARP_LANES * REGISTER_BYTES / 1024
    result = pd.DataFrame({"registers KB": registers, "shared KB": means["shared_bytes"] / 1024})
    result["total KB"] = result.sum(axis=1)
    result["speed-up"] = np.exp(np.log(speedups).mean())
    for name, rows in classes(speedups.index).items():
        result[f"speed-up, {name}"] = np.exp(np.log(speedups.loc[rows]).mean()) if rows else np.nan
    return result.drop(columns="speed-up, all")


def registers_held(sweep):
    """Figure 7: the part of the register file that resident CTAs hold."""
    table = sweep.table("limit")
    held = table[table["limit"] == "base"].set_index("workload")[["rows"]] / REGISTER_ROWS
    return with_means(held.rename(columns={"rows": "base"}), geometric=False)


def best_of_limits(sweep):
    """Speed-ups with the best number of CTAs for each workload, without and within the storage limits."""
    base = sweep.table("limit")
    base = base[base["limit"] == "base"].set_index("workload")["cycles"]
    result = pd.DataFrame(index=base.index)
    for name in ("OptTB", "OptTB in limits"):
        best = sweep.best(name).set_index("workload")
        result[name] = base / best["cycles"]
    result = with_means(result, geometric=True)
    for name in ("OptTB", "OptTB in limits"):
        chosen = sweep.best(name).set_index("workload")["value"].reindex(base.index)
        result[f"{name}: CTAs"] = [*chosen, *[""] * (len(result) - len(chosen))]
    return result


FIGURES = {
    "pmode/fig2": ("pmode/limits", "Stalls of the baseline by cause, over the cycles of SMs with CTAs", stall_classes,
                   "long-latency RAW 23 % of all 28's cycles, 40 % of Type-L's; SG 64 %, BF 40 %",
                   "scheduler cycles"),
    "pmode/fig3": ("pmode/limits", "Cycles by the number of CTAs of an SM, whatever their storage", cycles_by_limit,
                   "Type-L gains up to TB16; KM, SV, MU, CF, LK lose with more; Type-M changes less",
                   "cycles, normalised"),
    "pmode/fig3_stalls": ("pmode/limits", "Scheduler cycles by cause, over the baseline's", breakdown("limit", "base"),
                          "less long-latency RAW and more LSU full with more CTAs", "cycles, normalised"),
    "pmode/fig4": ("pmode/limits", "Storage that an SM's CTAs hold, and speed-up", storage_by_limit,
                   "105 KB base, over 300 KB TB16, 205 KB 2xTLP (1.09); P-mode +13 KB (1.13)", "KB; speed-up"),
    "pmode/fig7": ("pmode/limits", "Registers that resident CTAs hold, of 1024 rows", registers_held,
                   "78 % on average", "part of the register file"),
    "pmode/opttb": ("pmode/limits", "Speed-up with the best number of CTAs", best_of_limits,
                    "figure 12 has OptTB between the baseline and P-mode + OptTB (Type-L 1.36)", "IPC, normalised"),
}
