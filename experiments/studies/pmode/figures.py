"""Figures of Kim et al., HPCA 2016 (warped pre-execution, P-mode)."""

import numpy as np

from lookahead_analysis import maps, papers
from lookahead_analysis.packages import pandas as pd
from lookahead_analysis.sweeps import by_base, geometric_mean, normalised, over, ratio, total, what_keeps

# Table 2 of the paper: its names of the workloads, by class.
PAPER = papers.of(__name__)
TYPE_L, TYPE_M = (PAPER.of_class(kind) for kind in ("Type-L", "Type-M"))

# The mean of Type-L rests on these (LI, FD and MC).
CARRIERS = ["libor", "FDTD3d", "MonteCarlo"]

# Causes of a scheduler's lost cycles; the paper has no cause held_back, which GTO never has.
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


classes = PAPER.rows_of_classes


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
    return pd.concat([table.rename(index=PAPER.label), pd.DataFrame(means).T])


def stacked(table, columns=None):
    """These columns are drawn as stacked bars."""
    table.attrs["drawn"] = columns or list(table.columns)
    return table


def stall_classes(sweep):
    """Figure 2, and the class that the largest stall gives each workload."""
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
    """The bars of figure 3: cycles over the base's."""
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
    one common baseline, the first value's without P-mode, because speed-ups over two baselines cannot be compared."""
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
    """The cycles of each workload with each value of the axis, without P-mode and with it."""
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


BAR = 1.17  # Type-L's mean in the paper is 1.23


def few_pre_loads(sweep, _):
    """Less of their long-latency instructions than in the paper is pre-loaded: others wait for the load that is waited for."""
    table = sweep.table("change")
    table = table[table["change"] == "pmode"].set_index("workload")
    usual = PAPER.said("fig11", "mean, Type-L", "long: pre-loaded")
    return {"few loads are pre-loaded": table["long: pre-loaded"] < usual}


DESIGNS = "designs"

PLACES = maps.Places(maps.ARITHMETIC_A_LOAD, maps.WARPS, "base", "pmode", "pre-loaded loads", maps.INSTRUCTIONS_A_WAIT)


def facts_of_map(run):
    return maps.place(run) | {PLACES.share: pre_execution(run)["long: pre-loaded"]}


def facts_of_causes(run):
    """Without storage, which is from counters by kernel: a machine with a perfect memory, and a run that stops early, has none."""
    return {"cycles": float(run.attrs["cycles"]), **pre_execution(run)}


OWN_FACTS = {"map": facts_of_map, "places": facts_of_map, "causes": facts_of_causes,
             "causes_medium": facts_of_causes, "inputs": facts_of_causes}

# The axes of each study, and the values that its figures are not made without; there may be others.
STUDIES = {
    "map": {"warps": [], "arithmetic": [], "design": ["base", "pmode"]},
    "places": {"design": ["base", "pmode"]},
    "bases": {"base": [], "design": ["base"]},
    "terms": {"design": ["base", "pmode"]},
    "causes": {"change": ["base", "pmode", "perfect memory"]},
    "causes_medium": {"change": ["base", "pmode", "perfect memory"]},
    "inputs": {"design": ["base", "pmode"]},
    DESIGNS: {"design": ["base", "pmode"]},
    "hoisting": {"change": [], "design": ["base", "pmode"]},
    "latency": {"latency": [], "design": ["base", "pmode"]},
    "limits": {"limit": ["base"]},
    "memory": {"memory": ["1x"], "design": ["base"]},
    "prefetchers": {"prefetcher": [], "design": ["base"]},
    "schedulers": {"scheduler": [], "design": ["base"]},
    "sizes": {"design": ["base"]},
    "thread_blocks": {"limit": ["base"], "design": ["base", "pmode"]},
}

FIGURES = {
    "kernel": ("map", "P-mode on the kernel of figure 5, by warps an SM and by arithmetic instructions for a load",
               maps.knobs(PLACES), "speed-up"),
    "map": ("places", "Where P-mode pays: its gain on the kernel of figure 5, and its workloads",
            PLACES.figure(PAPER.label), "speed-up"),
    "agreement": ("places", "How far the workloads\' gains are from the map\'s", PLACES.agreement, "speed-up"),
    "bases": ("bases", "P-mode on the simulator of its paper, and on our best model of the card", by_base("base", with_means),
              "speed-up"),
    "terms": ("terms", "Speed-up on the paper's simulator, with code of the time", speedups, "speed-up"),
    **{name: (name, "What keeps workloads below 1.17 on the paper's simulator, with code of the time",
              what_keeps("pmode", BAR, with_means, few_pre_loads), "speed-up") for name in ("causes", "causes_medium")},
    "inputs": ("inputs", "The same with the suites' own inputs, of which a billion instructions of threads run", speedups, "speed-up"),
    "fig2": ("limits", "Stalls of the baseline by cause, over the cycles of SMs with CTAs", stall_classes, "scheduler cycles"),
    "fig3": ("limits", "Cycles by the number of CTAs of an SM, whatever their storage", cycles_by_limit, "cycles, normalised"),
    "fig3_stalls": ("limits", "Scheduler cycles by cause, over the baseline's", breakdown("limit", "base"),
                    "cycles, normalised"),
    "fig4": ("limits", "Storage that an SM's CTAs hold, and speed-up", storage_by_limit, "KB; speed-up"),
    "fig7": ("limits", "Registers that resident CTAs hold, of 1024 rows", registers_held, "part of the register file"),
    "opttb": ("limits", "Speed-up with the best number of CTAs", best_of_limits, "IPC, normalised"),
    "fig7_pmode": (DESIGNS, "Registers held with and without P-mode, of 1024 rows", registers_by_design,
                   "part of the register file"),
    "fig10": (DESIGNS, "Instructions per switch to P-mode", a_switch, "instructions"),
    "reasons": (DESIGNS, "Why P-mode skips and stops, per switch", reasons, "instructions"),
    "fig11": (DESIGNS, "N-mode instructions that P-mode covers", coverage, "part of the instructions"),
    "fig12": (DESIGNS, "Speed-up over the baseline", speedups, "IPC, normalised"),
    "fig12_opttb": ("thread_blocks", "Speed-up with the best number of CTAs", opttb_by_design, "IPC, normalised"),
    "fig13": (DESIGNS, "Scheduler cycles by cause, over the baseline's", breakdown("design", "base"), "cycles, normalised"),
    "fig13_raw": (DESIGNS, "Long-latency RAW over the baseline's cycles", long_latency, "cycles, normalised"),
    "fig14": (DESIGNS, "Demand accesses that hit L1 or merge", by_design("l1_hits"), "part of the accesses"),
    "fig15": (DESIGNS, "Traffic between L1 and L2 over the baseline's", over_base("traffic"), "bytes, normalised"),
    "fig16": (DESIGNS, "Energy over the baseline's", energy_by_design, "energy, normalised"),
    "fig17": (DESIGNS, "Storage and speed-up", storage_by_design, "KB; speed-up"),
    "fig18": ("memory", "Twice the memory's bandwidth", by_memory, "speed-up; part of the cycles"),
    "fig12_without": (DESIGNS, "Speed-ups of Type-L without the workloads on which its mean depends, and medians", without_carriers,
                      "IPC, normalised"),
    "latency": ("latency", "440 cycles of DRAM in all, or beyond L2's 200", by_latency, "part of the cycles; IPC"),
    "schedulers": ("schedulers", "P-mode under other warp schedulers", means_of("scheduler"), "IPC, normalised"),
    "prefetchers": ("prefetchers", "P-mode with prefetchers", means_of("prefetcher"), "IPC, normalised"),
    "hoisting": ("hoisting", "P-mode with and without early loads and other bounds, over one baseline",
                 over_one_baseline("change"), "IPC, normalised"),
    "hoisting_cycles": ("hoisting", "The same, in thousands of cycles", thousand_cycles("change"), "thousand cycles"),
    "sizes": ("sizes", "P-mode's sizes and parts", speedups, "IPC, normalised"),
}
