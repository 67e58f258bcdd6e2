"""Figures of Crago, Stephenson and Keckler, TACO 2018 (strided and indirect vector memory instructions)."""

import numpy as np

from lookahead_analysis import maps, papers
from lookahead_analysis.packages import pandas as pd
from lookahead_analysis.sweeps import SweepError, geometric_mean, total, values_of, with_mean

PAPER = papers.of(__name__)
LOADS_AND_STORES = ["load_global", "load_shared", "load_local", "load_constant", "store_global", "store_shared", "store_local",
                    "atomic_global", "atomic_shared"]
CONTROL = ["branch_instructions", "barrier_instructions", "exit_instructions"]
STALLS = ["held_back", "memory_unit_full", "unit_full", "memory_wait", "constant_wait", "fence", "short_latency", "buffer_empty",
          "barrier"]


def facts(run):
    def of(kind, names):
        return sum(total(run, kind, name) for name in names)
    warps = total(run, "sm", "warp_instructions")
    memory, control = of("sm", LOADS_AND_STORES), of("sm", CONTROL)
    floating = of("sm", ["fp32_add", "fp32_multiply", "fp32_fma", "fp32_divide", "fp32_min_max", "fp64_add", "fp64_multiply",
                         "fp64_fma", "fp64_divide", "special"])
    cycles = float(run.attrs["cycles"])
    energy, by_part = np.nan, {}
    if "energy" in run:
        energy = float(run["energy"].attrs["total_j"])
        joules = run["energy/joules"][...]
        by_part = dict(zip(values_of(run["energy/component"]), joules.sum(axis=1)))
        by_part["static"] = float(joules[:, list(values_of(run["energy/category"])).index("static")].sum())
    return {
        "cycles": cycles,
        "warp_instructions": warps,
        "memory": memory, "control": control, "floating": floating, "integer": warps - memory - control - floating,
        "l1_misses": total(run, "l1d", "misses_demand"),
        "l2_misses": total(run, "l2_slice", "reads") - of("l2_slice", ["read_hits", "merges"]),
        "row_misses": of("dram", ["row_misses", "row_conflicts"]),
        "execute": of("sm_scheduler", ["issued", "slot_held", "extension_issued"]),
        "stall": of("sm_scheduler", STALLS),
        "energy": energy, "energy_delay": energy * cycles,
        "functional_units": by_part.get("execution", np.nan), "register_file": by_part.get("register_file", np.nan),
        "l1": by_part.get("l1d", np.nan), "l2": by_part.get("l2", np.nan), "dram": by_part.get("dram", np.nan),
        "static": by_part.get("static", np.nan),
    }


LOOPS = "best unrolling"


def bests(sweep, name, *axes):
    return sweep.best(name, *axes).set_index("workload")


def over_loops(columns, name="best length", invert=False):
    """Each column of the best of `name` over that of the best-unrolled loops."""
    def figure(sweep):
        loops, vectors = bests(sweep, LOOPS), bests(sweep, name)
        both = loops.index[loops.index.isin(vectors.index)]
        table = vectors.loc[both, columns] / loops.loc[both, columns]
        return with_mean(1 / table if invert else table, geometric=True)
    return figure


def instructions(sweep):
    """Warp instructions of the best length by kind, over all warp instructions of the loops."""
    loops, vectors = bests(sweep, LOOPS), bests(sweep, "best length")
    kinds = ["integer", "memory", "control", "floating"]
    both = loops.index[loops.index.isin(vectors.index)]
    table = pd.concat({name: found.loc[both, kinds].div(loops.loc[both, "warp_instructions"], axis=0)
                       for name, found in (("loops", loops), ("vectors", vectors))}, axis=1)
    table["all"] = vectors.loc[both, "warp_instructions"] / loops.loc[both, "warp_instructions"]
    result = with_mean(table, geometric=False)
    result.loc["mean", "all"] = geometric_mean(table["all"])
    return result


def of_order(sweep, name, order):
    table = sweep.best(name, "order")
    return table[table["order"] == order].set_index("workload")


def in_program_order(sweep):
    """The best length over the best-unrolled loops, both without scheduling."""
    loops, vectors = (of_order(sweep, name, "program's") for name in (LOOPS, "best length"))
    columns = ["warp_instructions", "l1_misses", "l2_misses", "row_misses", "energy", "energy_delay"]
    table = vectors[columns] / loops[columns]
    table.insert(0, "speed-up", loops["cycles"] / vectors["cycles"])
    return with_mean(table, geometric=True)


def by_order(sweep):
    """Speed-ups over the scheduled loops."""
    reference = of_order(sweep, LOOPS, "scheduled")["cycles"]
    columns = {f"{label}, {words}": reference / of_order(sweep, name, order)["cycles"]
               for order, words in (("scheduled", "scheduled"), ("program's", "program's order"))
               for name, label in ((LOOPS, "loops"), ("best length", "vectors"))}
    return with_mean(pd.DataFrame(columns).drop(columns="loops, scheduled"), geometric=True)


def by_latches(sweep):
    """Speed-ups over the loops, on which the latches have no effect."""
    loops, vectors = (sweep.best(name, "latches") for name in (LOOPS, "best length"))
    wide = vectors.pivot_table(index="workload", columns="latches", values="cycles", sort=False)
    return with_mean(wide.rdiv(loops.groupby("workload")["cycles"].min().reindex(wide.index), axis=0), geometric=True)


def runtime(sweep):
    """Schedulers' cycles in which they issue or stage operands, and in which nothing is ready, over both of the loops'."""
    loops, vectors = bests(sweep, LOOPS), bests(sweep, "best length")
    both = loops.index[loops.index.isin(vectors.index)]
    whole = loops.loc[both, "execute"] + loops.loc[both, "stall"]
    table = pd.DataFrame({f"{name}, {kind}": found.loc[both, kind] / whole
                          for name, found in (("loops", loops), ("vectors", vectors)) for kind in ("execute", "stall")})
    result = with_mean(table, geometric=False)
    saved = {kind: result.loc["mean", f"loops, {kind}"] - result.loc["mean", f"vectors, {kind}"] for kind in ("execute", "stall")}
    result["of what is saved: execute"] = np.nan
    result.loc["mean", "of what is saved: execute"] = saved["execute"] / (saved["execute"] + saved["stall"])
    return result


def by_value(axis, values):
    """Speed-up of each value over the best-unrolled loops."""
    def figure(sweep):
        loops = bests(sweep, LOOPS)["cycles"]
        wide = sweep.table(axis).pivot_table(index="workload", columns=axis, values="cycles", sort=False)
        lacking = [value for value in values if value not in wide]
        if lacking:
            raise SweepError(f"no complete point of '{lacking[0]}'")
        wide = wide[values].rdiv(loops.reindex(wide.index), axis=0)
        return with_mean(wide, geometric=True)
    return figure


def where_both(axis, values, whole="both"):
    """The same for workloads in which each of the two kinds changes something; and each kind's part of the gain of
    both, where this gain is LEAST_GAIN or more."""
    def figure(sweep):
        instructions = sweep.table(axis).pivot_table(index="workload", columns=axis, values="warp_instructions", sort=False)
        table = by_value(axis, [whole, *values])(sweep).drop(index="mean")
        other = [instructions[value] != instructions["unroll 1"] for value in values]
        table = with_mean(table[(other[0] & other[1]).reindex(table.index)], geometric=True)
        for value in values:
            gains = table.loc["mean", [value, whole]] - 1
            table.loc["mean", f"{value}'s part"] = gains[value] / gains[whole] if gains[whole] >= LEAST_GAIN else np.nan
        return table
    return figure


def related(sweep):
    """Speed-up of loops and vectors, each with and without CCWS and BATCH, over the best-unrolled loops without."""
    tables = {name: sweep.best(name, "technique") for name in (LOOPS, "best length")}
    plain = tables[LOOPS][tables[LOOPS]["technique"] == "none"].set_index("workload")["cycles"]
    columns = {}
    for name, label in ((LOOPS, "loops"), ("best length", "vectors")):
        wide = tables[name].pivot_table(index="workload", columns="technique", values="cycles", sort=False)
        for technique in wide:
            columns[label if technique == "none" else f"{label} + {technique}"] = plain.reindex(wide.index) / wide[technique]
    return with_mean(pd.DataFrame(columns).drop(columns="loops"), geometric=True)


def by_rows(sweep):
    """For each order of lines in DRAM: loops with BATCH, vectors without and with it, over the loops on the same rows without;
    loops and vectors are each workload's fastest. And the loops on neighbours' rows over those on spread lines."""
    table = sweep.table("form", "rows", "technique")
    table["code"] = np.where(table["form"].str.startswith("unroll"), "loops", "vectors")
    cycles = table.groupby(["workload", "rows", "code", "technique"], sort=False)["cycles"].min().unstack(
        ["rows", "code", "technique"])
    columns = {}
    for rows in table["rows"].unique():
        for code, technique in (("loops", "BATCH"), ("vectors", "none"), ("vectors", "BATCH")):
            label = code if technique == "none" else f"{code} + {technique}"
            columns[f"{rows}: {label}"] = cycles[rows, "loops", "none"] / cycles[rows, code, technique]
    columns["loops: neighbours over spread"] = cycles["spread", "loops", "none"] / cycles["neighbours", "loops", "none"]
    return with_mean(pd.DataFrame(columns), geometric=True)


def by_memory(sweep):
    """Speed-ups over the best-unrolled loops with the same memory, and what a perfect one gives the loops. And what keeps workloads
    that are more than FAR below the paper's, or below BAR where it gives none; the first of: DRAM of four times the rate brings
    what is missing (bandwidth), a perfect memory does (memory), so does one with all lines of an access and all results in a
    cycle (lines and results), more instructions stay than in the paper."""
    tables = {name: sweep.best(name, "machine") for name in (LOOPS, "best length")}
    loops, vectors = (table.pivot_table(index="workload", columns="machine", values="cycles", sort=False)
                      for table in tables.values())
    found = loops[MEMORIES] / vectors[MEMORIES]
    found["loops, perfect over as it is"] = loops["as it is"] / loops["perfect"]
    counts = [table[table["machine"] == "as it is"].set_index("workload")["warp_instructions"] for table in tables.values()]
    found["instructions, vectors over loops"] = counts[1] / counts[0]

    def cause(workload):
        wanted, most = LEAST.get(workload, BAR + FAR), PAPER.data["most_instructions"].get(workload, MOST)
        gains = found.loc[workload]
        causes = {"": gains["as it is"] >= wanted - FAR, "bandwidth": gains["DRAM x 4"] >= wanted - FAR,
                  "memory": gains["perfect"] >= wanted - FAR, "lines and results": gains["at once"] >= wanted - FAR,
                  "instructions": gains["instructions, vectors over loops"] > most}
        return next((name for name, holds in causes.items() if holds), "unknown")

    result = with_mean(found, geometric=True)
    result["paper's"] = [*(f"{LEAST[workload]:.2f}" if workload in LEAST else "" for workload in found.index), ""]
    result["what keeps it"] = [*map(cause, found.index), ""]
    return result


def over_none(sweep, name):
    """Speed-ups of each technique over none: of the best-unrolled loops, the best length, or the original form."""
    if name == "original":
        table = sweep.table("form", "technique")
        table = table[table["form"] == "original"]
    else:
        table = sweep.best(name, "technique")
    wide = table.pivot_table(index="workload", columns="technique", values="cycles", sort=False)
    return wide.rdiv(wide["none"], axis=0)


def unrolled_by_16(sweep):
    """The best length over loops that are unrolled by 8 at most, and over those by 16, too."""
    loops, deeper, vectors = (bests(sweep, name)["cycles"] for name in (LOOPS, f"{LOOPS} by 16, too", "best length"))
    return with_mean(pd.DataFrame({"over loops by 8 at most": loops / vectors, "by 16, too": deeper / vectors}), geometric=True)


def bounds_of(workloads, techniques):
    """What each technique gives these workloads, by form. The best of the numbers of CTAs is one technique."""
    def figure(sweep):
        columns = {}
        for label, name in (("original", "original"), ("loops", LOOPS), ("vectors", "best length")):
            found = over_none(sweep, name)
            found["fewer CTAs"] = found[FEWER_CTAS].max(axis=1)
            columns.update({f"{label}: {technique}": found.loc[found.index.isin(workloads), technique] for technique in techniques})
        return with_mean(pd.DataFrame(columns), geometric=True)
    return figure


# The paper's workloads of each technique (section 8.7).
OF_CCWS, OF_BATCH, OF_BATCH_ON_TOP = ["spsum", "bfs", "kmeans", "spmv", "comd"], ["bfs", "histo", "miniamr"], ["bfs", "stencil", "hpgmg"]
OF_ROWS = list(dict.fromkeys(OF_BATCH + OF_BATCH_ON_TOP))
# The paper's speed-ups by workload, or the least of a range (figure 10, section 8.3).
LEAST = {workload: row["cycles"] for workload, row in PAPER.values("fig10").items()} | PAPER.data["least_speedups"]
FAR = 0.05
LEAST_GAIN = 0.05
BAR = 1.12
MOST = PAPER.said("fig8", "mean", "all")
MEMORIES = ["as it is", "DRAM x 4", "perfect", "at once"]
FEWER_CTAS = ["1 CTA", "2 CTAs", "4 CTAs"]

UNROLLED = ["unroll 1", "unroll 2", "unroll 4", "unroll 8"]
# The last two on loops that the source unrolls.
BY_PASS = ["pass 4", "pass 8", "pass 16", "pass best", "pass 4, unroll 4", "pass 8, unroll 8"]

# The same points at two sizes.
IN_ORDER = ["in_order", "in_order_small"]

MISSES_A_LOAD = "L1 misses a load"
PLACES = maps.Places(maps.ARITHMETIC_A_LOAD, MISSES_A_LOAD, "unroll 4", "length 8")


def facts_of_map(run):
    """Demand misses of L1 over the loads of warps, a hundredth at least: a map's coordinates are logarithmic."""
    return maps.place(run) | {MISSES_A_LOAD: max(0.01, total(run, "l1d", "misses_demand") / max(1, total(run, "sm", "load_global")))}


OWN_FACTS = {"map": facts_of_map, "places": facts_of_map}

# The axes of each study, with the values that its figures are made with.
STUDIES = {
    "map": {"distinct": [], "arithmetic": [], "design": ["unroll 4", "length 8"]},
    "places": {"design": ["unroll 4", "length 8"]},
    "instructions": {"form": [*UNROLLED, "length 4", "length 8", "length 16"]},
    **{study: {"order": ["scheduled", "program's"], "form": [*UNROLLED, "length 4", "length 8", "length 16"]}
       for study in IN_ORDER},
    "kinds": {"kind": [*UNROLLED, "both", "global", "shared", "strided", "indirect"]},
    "latches": {"form": [*UNROLLED, "length 4", "length 8", "length 16"], "latches": []},
    "pass": {"form": [*UNROLLED, *BY_PASS, "length 4", "length 8", "length 16"]},
    "memory": {"machine": MEMORIES, "form": [*UNROLLED, "length 4", "length 8", "length 16"]},
    "unroll_16": {"form": [*UNROLLED, "unroll 16", "length 4", "length 8", "length 16"]},
    "related_bounds": {"form": ["original"], "technique": ["none", "CCWS", *FEWER_CTAS, "L1 x 16", "BATCH", "free rows"]},
    "rows": {"form": ["unroll 1", "length 4"], "rows": ["spread", "neighbours"], "technique": ["none", "BATCH"]},
    "related": {"form": [], "technique": ["none", "CCWS", "BATCH"]},
}

FIGURES = {
    "kernel": ("map", "Vectors of eight on a kernel with strides, by its warps with data of their own and by arithmetic for each element",
               maps.knobs(PLACES), "speed-up"),
    "map": ("places", "Where vectors pay: their gain on a kernel with strides, and their workloads", PLACES.figure(PAPER.label),
            "speed-up"),
    "agreement": ("places", "How far the workloads' gains are from the map's", PLACES.agreement, "speed-up"),
    "fig8": ("instructions", "Warp instructions by kind, over those of the best-unrolled loops", instructions,
             "instructions, normalised"),
    "fig9": ("instructions", "Misses of L1, of L2 and of DRAM rows, over the best-unrolled loops",
             over_loops(["l1_misses", "l2_misses", "row_misses"]), "misses, normalised"),
    "fig10": ("instructions", "Speed-up over the best-unrolled loops", over_loops(["cycles"], invert=True), "speed-up"),
    "fig11": ("instructions", "Schedulers' cycles, executing and stalled, over the loops'", runtime, "cycles, normalised"),
    "fig12": ("instructions", "Energy, and that of parts, over the best-unrolled loops",
              over_loops(["energy", "functional_units", "register_file", "l1", "l2", "dram", "static"]), "energy, normalised"),
    "fig13": ("instructions", "Energy x delay over the best-unrolled loops", over_loops(["energy_delay"]),
              "energy x delay, normalised"),
    "fig14": ("instructions", "Speed-up by vector length, over the best-unrolled loops",
              by_value("form", ["length 4", "length 8", "length 16"]), "speed-up"),
    **{study: (study, "Vectors over the best-unrolled loops, without scheduling", in_program_order, "normalised")
       for study in IN_ORDER},
    "latches": ("latches", "Speed-up by when the unit takes the next memory instruction, over the best-unrolled loops",
                by_latches, "speed-up"),
    **{study.replace("in_order", "orders"): (study, "Speed-up over scheduled loops", by_order, "speed-up") for study in IN_ORDER},
    "fig15": ("kinds", "Speed-up with vectors of global, of shared memory and of both, by the pass",
              where_both("kind", ["global", "shared"]), "speed-up"),
    "fig16": ("kinds", "Speed-up with strided, with indirect vectors and with both, by the pass",
              where_both("kind", ["strided", "indirect"]), "speed-up"),
    "rows": ("rows", "Speed-up with BATCH and vectors where neighbouring lines share a row, and where not", by_rows, "speed-up"),
    "fig17": ("related", "Speed-up with CCWS and BATCH over the best-unrolled loops", related, "speed-up"),
    "memory": ("memory", "Speed-up over the best-unrolled loops, by memory, and the cause for a workload below the paper's",
               by_memory, "speed-up"),
    "unroll_16": ("unroll_16", "Speed-up of the best length over the best-unrolled loops, by their unroll factors",
                  unrolled_by_16, "speed-up"),
    "ccws_bounds": ("related_bounds", "Speed-up by CCWS, by the best of 1, 2 and 4 CTAs at a time, and by an L1 of 512 KB",
                    bounds_of(OF_CCWS, ["CCWS", "fewer CTAs", "L1 x 16"]), "speed-up"),
    "batch_bounds": ("related_bounds", "Speed-up by BATCH, and by DRAM that opens a row in a cycle",
                     bounds_of(OF_ROWS, ["BATCH", "free rows"]), "speed-up"),
    "pass": ("pass", "Speed-up of the pass, over the best-unrolled loops",
             by_value("form", [*BY_PASS, "length 4", "length 8", "length 16"]), "speed-up"),
}
