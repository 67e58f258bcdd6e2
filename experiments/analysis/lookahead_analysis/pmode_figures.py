"""Figures of Kim et al., HPCA 2016 (warped pre-execution, P-mode)."""

import numpy as np

from .packages import pandas as pd
from .sweeps import geometric_mean, normalised, over, ratio, total

# Table 2 of the paper: its names of the workloads, by class.
TYPE_L = {"sgemm": "SG", "libor": "LI", "MonteCarlo": "MC", "weather": "WP", "kmeans": "KM", "bfs": "BF", "spmv": "SV",
          "FDTD3d": "FD", "mummer": "MU", "btree": "BT", "laplace3d": "LP", "nw": "NW", "FastWalshTransform": "FW",
          "cfd": "CF"}
TYPE_M = {"leukocyte": "LK", "dwt2d": "DW", "pathfinder": "PF", "dct8x8": "DC", "srad_v1": "S1", "backprop": "BP",
          "srad_v2": "S2", "MersenneTwister": "MT", "lbm": "LB", "stencil": "ST", "aes": "AE", "SobelFilter": "SF",
          "mri-q": "MQ", "sad": "SD"}

# The mean of Type-L rests on these (LI, FD and MC).
CARRIERS = ["libor", "FDTD3d", "MonteCarlo"]

# What a scheduler's cycle is lost to; the paper has no such causes as held_back, which GTO never does.
STALLS = ["long_latency", "memory_unit_full", "short_latency", "unit_full", "buffer_empty", "barrier",
          "no_instruction_left", "constant_wait", "fence"]
WARP_LANES, REGISTER_BYTES, REGISTER_ROWS = 32, 4, 1024


def scheduler_cycles(run):
    """Cycles of all schedulers by cause. The paper's causes are states of warps, so those of an SM without any CTA are
    apart: `no_cta`, and in no sum. As in section 3 of the paper a cycle of waiting for memory is of long latency where it
    lies in some warp's wait of more than 100 cycles, and of short latency otherwise."""
    counters = run["counters/sm_scheduler"]
    cycles = {name: float(counters[name][...].sum()) for name in counters if name != "component"}
    cycles["long_latency"] = total(run, "sm", "long_latency")
    cycles["short_latency"] += cycles.pop("memory_wait") - cycles["long_latency"]
    return cycles


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


def pre_execution(run):
    """What P-mode did; NaN without it. Long-latency instructions are loads and atomics that set the long-latency bit."""
    switches = total(run, "pmode", "switches")
    long = sum(total(run, "sm", name) for name in ("load_global", "load_local", "atomic_global", "texture"))
    short = total(run, "sm", "warp_instructions") - long
    counted = {name: total(run, "pmode", name) for name in ("reused", "short_not_reused", "short_skipped",
                                                            "long_not_reused", "long_skipped")}
    reasons = {name: total(run, "pmode", name) for name in run.get("counters/pmode", {})
               if name.startswith(("skipped_", "halted_"))}
    skips = sum(value for name, value in reasons.items() if name.startswith("skipped_"))
    return {
        "switches": switches,
        "executed a switch": ratio(total(run, "pmode", "executed"), switches),
        "skipped a switch": ratio(skips, switches),
        "over in 100 cycles": ratio(total(run, "pmode", "short_waits"), switches),
        "short: reused": ratio(counted["reused"], short),
        "short: not reused": ratio(counted["short_not_reused"], short),
        "short: skipped": ratio(counted["short_skipped"], short),
        "long: pre-loaded": ratio(counted["long_not_reused"], long),
        "long: skipped": ratio(counted["long_skipped"], long),
        "pool_rows": ratio(total(run, "pmode", "pool_used_cycles"), total(run, "sm", "active_cycles")),
        **{name: ratio(value, switches) for name, value in reasons.items()},
    }


def overhead(run):
    """Joules, dynamic and static, of renaming, P-queue and switches, which are a component of their own."""
    components = list(run["energy/component"].asstr()[...])
    return run["energy/joules"][components.index("pmode")] if "pmode" in components else np.zeros(2)


def facts(run):
    stalls = scheduler_cycles(run)
    occupied = sum(value for name, value in stalls.items() if name != "no_cta")
    hits, merges, misses = (total(run, "l1d", f"{what}_demand") for what in ("hits", "merges", "misses"))
    flit_bytes = float(run["config/crossbar.flit_bytes"][()])
    return {
        "cycles": float(run.attrs["cycles"]),
        "energy": float(run["energy"].attrs["total_j"]),
        "dynamic": float(run["energy"].attrs["dynamic_j"]) - overhead(run)[0],
        "leakage": float(run["energy"].attrs["static_j"]) - overhead(run)[1],
        "overhead": float(overhead(run).sum()),
        "l1_hits": ratio(hits + merges, hits + merges + misses),
        "traffic": total(run, "injection_port", "flits") * flit_bytes,
        "occupied": occupied,
        "no_cta": ratio(stalls["no_cta"], occupied + stalls["no_cta"]),
        **{f"cycles_{name}": value for name, value in stalls.items()},
        **{name: ratio(value, occupied) for name, value in stalls.items() if name != "no_cta"},
        **storage(run),
        **pre_execution(run),
    }


def classes(index):
    """Rows of a table by the paper's class: the workloads of each, and all."""
    chosen = {"Type-L": [w for w in index if w in TYPE_L], "Type-M": [w for w in index if w in TYPE_M]}
    return {**chosen, "all": list(index)}


def with_means(table, geometric):
    """With a row for the mean of each class, and of all, and their medians; with those that carry it away (CARRIERS)
    Type-L's mean is there once more."""
    groups = {name: rows for name, rows in classes(table.index).items() if rows}
    mean = geometric_mean if geometric else pd.DataFrame.mean
    means = {f"mean, {name}": mean(table.loc[rows]) for name, rows in groups.items()}
    rest = [row for row in groups.get("Type-L", ()) if row not in CARRIERS]
    if 0 < len(rest) < len(groups.get("Type-L", ())):
        means["mean, Type-L without LI, FD, MC"] = mean(table.loc[rest])
    means |= {f"median, {name}": table.loc[rows].median() for name, rows in groups.items()}
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


def by_class(speedups):
    """Geometric means over all workloads, and over those of each class: a row for each column."""
    means = {f"speed-up, {name}": geometric_mean(speedups.loc[rows]) if rows else np.nan
             for name, rows in classes(speedups.index).items() if name != "all"}
    return pd.DataFrame({"speed-up": geometric_mean(speedups), **means})


def storage_by_limit(sweep):
    """Figure 4: KB of registers and shared memory that an SM's CTAs hold, and the speed-up over the base."""
    table = sweep.table("limit")
    means = table.groupby("limit", sort=False)[["rows", "shared_bytes"]].mean()
    speedups = normalised(table, "cycles", "limit", "base", invert=True)
    registers = means["rows"] * WARP_LANES * REGISTER_BYTES / 1024
    result = pd.DataFrame({"registers KB": registers, "shared KB": means["shared_bytes"] / 1024})
    result["total KB"] = result.sum(axis=1)
    return result.join(by_class(speedups))


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


def of_design(sweep, design, columns):
    table = sweep.table("design")
    return table[table["design"] == design].set_index("workload")[columns]


def a_switch(sweep):
    """Figure 10."""
    table = of_design(sweep, "pmode", ["executed a switch", "skipped a switch", "over in 100 cycles"])
    return with_means(table, geometric=False)


def reasons(sweep):
    table = sweep.table("design")
    names = [name for name in table if name.startswith(("skipped_", "halted_"))]
    return with_means(of_design(sweep, "pmode", names), geometric=False)


def coverage(sweep):
    """Figure 11."""
    columns = ["short: reused", "short: not reused", "short: skipped", "long: pre-loaded", "long: skipped"]
    return with_means(of_design(sweep, "pmode", columns), geometric=False)


def by_design(column):
    def figure(sweep):
        wide = sweep.table("design").pivot_table(index="workload", columns="design", values=column, sort=False)
        return with_means(wide, geometric=False)
    return figure


over_base = over("design", "base", with_means)
speedups = over_base("cycles", invert=True)


def long_latency(sweep):
    """Figure 13's lowest part: cycles of long-latency RAW over all cycles of the baseline."""
    table = sweep.table("design")
    base = table[table["design"] == "base"].set_index("workload")["occupied"]
    table["share"] = table["cycles_long_latency"] / table["workload"].map(base)
    return with_means(table.pivot_table(index="workload", columns="design", values="share", sort=False), geometric=False)


def energy_by_design(sweep):
    """Figure 16: parts of the energy over the baseline's whole, and the whole; means by class."""
    table = sweep.table("design")
    base = table[table["design"] == "base"].set_index("workload")["energy"]
    names = ["leakage", "dynamic", "overhead"]
    parts = table[names].assign(total=table["energy"]).div(table["workload"].map(base), axis=0)
    parts[["design", "workload"]] = table[["design", "workload"]]
    return stacked(pd.concat({name: parts[parts["workload"].isin(rows)].groupby("design", sort=False)[
        [*names, "total"]].mean() for name, rows in classes(base.index).items() if rows}), names)


# Section 5.3 of the paper: scoreboards, SIMT stacks, P-queues of 8 entries, renaming tables and availability vector; and
# what our P-mode keeps beside them (components/mechanisms/pmode/README.md).
PMODE_STORAGE_KB = 13.1 + 6.3
WITH_PMODE = ("pmode", "NoPQ", "pmode, 16 entries")


def storage_by_design(sweep):
    """Figure 17: as figure 4, with P-mode's structures and the registers that it holds."""
    table = sweep.table("design")
    speedup = normalised(table, "cycles", "design", "base", invert=True)
    means = table.groupby("design", sort=False)[["rows", "shared_bytes", "pool_rows"]].mean()
    row_kb = WARP_LANES * REGISTER_BYTES / 1024
    result = pd.DataFrame({"registers KB": means["rows"] * row_kb, "shared KB": means["shared_bytes"] / 1024,
                           "P-mode's registers KB": means["pool_rows"].fillna(0) * row_kb})
    result["P-mode's structures KB"] = [PMODE_STORAGE_KB if name in WITH_PMODE else 0.0 for name in result.index]
    result["total KB"] = result.sum(axis=1)
    result["speed-up"] = geometric_mean(speedup)
    return result


def registers_by_design(sweep):
    """Figure 7: with the registers that P-mode's results hold."""
    table = sweep.table("design")
    base = table[table["design"] == "base"].set_index("workload")["rows"]
    pmode = table[table["design"] == "pmode"].set_index("workload")
    held = pd.DataFrame({"base": base, "pmode": pmode["rows"] + pmode["pool_rows"].fillna(0)}) / REGISTER_ROWS
    return with_means(held, geometric=False)


def by_memory(sweep):
    """Figure 18: speed-up over the baseline with the paper's memory, and the two largest stalls."""
    table = sweep.table("memory", "design")
    speedup = table.assign(name=table["memory"] + ", " + table["design"])
    wide = normalised(speedup, "cycles", "name", "1x, base", invert=True)
    shares = speedup.groupby("name", sort=False)[["memory_unit_full", "long_latency"]].mean()
    return by_class(wide).join(shares)


def means_of(axis):
    """Speed-ups of P-mode for each value of the axis, averaged by class: over the same machine without P-mode; and of both over
    one common baseline, the first value's without P-mode, as two baselines' speed-ups are not to be compared."""
    def figure(sweep):
        table = sweep.table(axis, "design")
        first = table[axis].iloc[0]
        base = table[(table[axis] == first) & (table["design"] == "base")].set_index("workload")["cycles"]
        rows = {}
        for value, part in table.groupby(axis, sort=False):
            own = normalised(part, "cycles", "design", "base", invert=True)
            cycles = part.pivot_table(index="workload", columns="design", values="cycles", sort=False)
            common = cycles.rdiv(base, axis=0).reindex(own.index)
            rows[value] = {}
            for name, chosen in classes(own.index).items():
                for design in own if chosen else ():
                    if design != "base":
                        rows[value] |= {f"{design}, {name}": geometric_mean(own.loc[chosen, design]),
                                        f"{design}, {name}, median": own.loc[chosen, design].median()}
                    rows[value][f"{design} over {first}'s base, {name}"] = geometric_mean(common.loc[chosen, design])
        return pd.DataFrame(rows).T
    return figure


def over_one_baseline(axis):
    """For each value of the axis the speed-ups of the machine without P-mode and with it, both over the first value's without;
    and what P-mode gives over the machine that has the same change."""
    def figure(sweep):
        table = sweep.table(axis, "design")
        first = table[axis].iloc[0]
        base = table[(table[axis] == first) & (table["design"] == "base")].set_index("workload")["cycles"]
        rows = {}
        for value, part in table.groupby(axis, sort=False):
            wide = 1 / part.pivot_table(index="workload", columns="design", values="cycles", sort=False).div(base, axis=0)
            raw = part[part["design"] == "base"].set_index("workload")["long_latency"]
            rows[value] = {}
            for name, chosen in classes(wide.index).items():
                if chosen:
                    means = geometric_mean(wide.loc[chosen])
                    rows[value] |= {f"base, {name}": means["base"], f"pmode, {name}": means["pmode"],
                                    f"pmode over base, {name}": means["pmode"] / means["base"],
                                    f"its median, {name}": (wide["pmode"] / wide["base"]).loc[chosen].median(),
                                    f"long-latency RAW, {name}": raw.loc[chosen].mean()}
        return pd.DataFrame(rows).T
    return figure


def thousand_cycles(axis):
    """Of each workload the cycles, with each value of the axis, without P-mode and with it."""
    def figure(sweep):
        table = sweep.table(axis, "design")
        table["name"] = table[axis] + ", " + table["design"]
        wide = table.pivot_table(index="workload", columns="name", values="cycles", sort=False) / 1000
        return wide[list(table["name"].unique())]
    return figure


def without_carriers(sweep):
    """Speed-ups of Type-L: the geometric mean, the same without each of its carriers and without all, and the median; the
    median of Type-M and of all beside it."""
    table = normalised(sweep.table("design"), "cycles", "design", "base", invert=True).drop(columns="base")
    groups = classes(table.index)
    type_l = table.loc[groups.get("Type-L", [])]
    rows = {"mean, Type-L": geometric_mean(type_l)}
    for out in [[carrier] for carrier in CARRIERS] + [CARRIERS]:
        names = ", ".join(TYPE_L[each] for each in out)
        rows[f"mean, Type-L without {names}"] = geometric_mean(type_l.drop(index=out, errors="ignore"))
    for name, chosen in groups.items():
        if chosen:
            rows[f"median, {name}"] = table.loc[chosen].median()
    return pd.DataFrame(rows).T


def by_latency(sweep):
    """For each reading of the latencies: long-latency RAW of the baseline, as in figure 2, and P-mode's speed-up."""
    table = sweep.table("latency", "design")
    rows = {}
    for value, part in table.groupby("latency", sort=False):
        wide = normalised(part, "cycles", "design", "base", invert=True)
        base = part[part["design"] == "base"].set_index("workload")
        rows[value] = {}
        for name, chosen in classes(wide.index).items():
            if chosen:
                rows[value][f"long-latency RAW, {name}"] = base.loc[chosen, "long_latency"].mean()
                rows[value][f"speed-up, {name}"] = geometric_mean(wide.loc[chosen, "pmode"])
    return pd.DataFrame(rows).T


def opttb_by_design(sweep):
    """Figure 12 with OptTB: the number of CTAs that is best without P-mode, for both."""
    table = sweep.table("limit", "design")
    base = table[table["limit"] == "base"].pivot_table(index="workload", columns="design", values="cycles", sort=False)
    best = sweep.best("OptTB", "design")
    chosen = best.pivot_table(index="workload", columns="design", values="cycles", sort=False)
    result = pd.DataFrame({"OptTB": base["base"] / chosen["base"], "pmode": base["base"] / base["pmode"],
                           "pmode + OptTB": base["base"] / chosen["pmode"]})
    result = with_means(result, geometric=True)
    values = best[best["design"] == "base"].set_index("workload")["value"].reindex(base.index)
    result["CTAs"] = [*values, *[""] * (len(result) - len(values))]
    return result


DESIGNS = "pmode/designs"

# The axes of each study, and the values that its figures are not made without; there may be others.
STUDIES = {
    DESIGNS: {"design": ["base", "pmode"]},
    "pmode/hoisting": {"change": [], "design": ["base", "pmode"]},
    "pmode/latency": {"latency": [], "design": ["base", "pmode"]},
    "pmode/limits": {"limit": ["base"]},
    "pmode/memory": {"memory": ["1x"], "design": ["base"]},
    "pmode/prefetchers": {"prefetcher": [], "design": ["base"]},
    "pmode/schedulers": {"scheduler": [], "design": ["base"]},
    "pmode/sizes": {"design": ["base"]},
    "pmode/thread_blocks": {"limit": ["base"], "design": ["base", "pmode"]},
}

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
    "pmode/fig7_pmode": (DESIGNS, "Registers held with and without P-mode, of 1024 rows", registers_by_design,
                         "78 % on average without", "part of the register file"),
    "pmode/fig10": (DESIGNS, "Instructions a switch to P-mode", a_switch, "8.4 pre-executed, 17.3 skipped",
                    "instructions"),
    "pmode/reasons": (DESIGNS, "Why P-mode skips and stops, a switch", reasons, "not in the paper", "instructions"),
    "pmode/fig11": (DESIGNS, "N-mode instructions that P-mode covers", coverage,
                    "pre-executed: 26 % of short and 21 % of long in Type-L, 7 % and 5 % in Type-M; BF 3 %",
                    "part of the instructions"),
    "pmode/fig12": (DESIGNS, "Speed-up over the baseline", speedups,
                    "P-mode 1.23 on Type-L, 1.13 on all; SG, LI, MC at least 1.40; none of Type-M loses",
                    "IPC, normalised"),
    "pmode/fig12_opttb": ("pmode/thread_blocks", "Speed-up with the best number of CTAs", opttb_by_design,
                          "P-mode 1.23, P-mode + OptTB 1.36 on Type-L", "IPC, normalised"),
    "pmode/fig13": (DESIGNS, "Scheduler cycles by cause, over the baseline's", breakdown("design", "base"),
                    "long-latency RAW of Type-L 40 % to 24 %", "cycles, normalised"),
    "pmode/fig13_raw": (DESIGNS, "Long-latency RAW over the baseline's cycles", long_latency,
                        "Type-L 40 % to 24 %, SG 64 % to 6 %", "cycles, normalised"),
    "pmode/fig14": (DESIGNS, "Demand accesses that hit L1 or merge", by_design("l1_hits"),
                    "Type-L 24 % to 33 %; SG 22 % more with DirectPrefetch", "part of the accesses"),
    "pmode/fig15": (DESIGNS, "Traffic between L1 and L2 over the baseline's", over_base("traffic"),
                    "Type-L -2 %, DirectPrefetch +10 %", "bytes, normalised"),
    "pmode/fig16": (DESIGNS, "Energy over the baseline's", energy_by_design,
                    "net +2.7 %; NoPQ up to +5.1 %; 16 entries -0.3 %; structures below 1 %", "energy, normalised"),
    "pmode/fig17": (DESIGNS, "Storage and speed-up", storage_by_design,
                    "105 KB base, 205 KB 2xTLP (1.09), P-mode +13 KB (1.13)", "KB; speed-up"),
    "pmode/fig18": ("pmode/memory", "Twice the memory's bandwidth", by_memory,
                    "2x: base 1.20, P-mode 1.33; LSU full 12 %, RAW 20 %", "speed-up; part of the cycles"),
    "pmode/fig12_without": (DESIGNS, "Speed-ups of Type-L without the workloads that carry its mean, and medians",
                            without_carriers, "mean 1.23 on Type-L", "IPC, normalised"),
    "pmode/latency": ("pmode/latency", "440 cycles of DRAM in all, or beyond L2's 200", by_latency,
                      "long-latency RAW 40 % of Type-L's cycles; speed-up 1.23 on Type-L", "part of the cycles; IPC"),
    "pmode/schedulers": ("pmode/schedulers", "P-mode under other warp schedulers", means_of("scheduler"),
                         "not in the paper", "IPC, normalised"),
    "pmode/prefetchers": ("pmode/prefetchers", "P-mode with prefetchers", means_of("prefetcher"),
                          "not in the paper", "IPC, normalised"),
    "pmode/hoisting": ("pmode/hoisting", "P-mode with and without early loads and other bounds, over one baseline",
                       over_one_baseline("change"), "not in the paper", "IPC, normalised"),
    "pmode/hoisting_cycles": ("pmode/hoisting", "The same, in thousands of cycles", thousand_cycles("change"),
                              "not in the paper", "thousand cycles"),
    "pmode/sizes": ("pmode/sizes", "P-mode's sizes and parts", speedups, "16 entries: a little more than 8",
                    "IPC, normalised"),
}
