"""Figures of Collange and Kouyoumdjian, 2011 (affine vector cache)."""

import numpy as np

from lookahead_analysis import maps, papers
from lookahead_analysis.packages import pandas as pd
from lookahead_analysis.sweeps import normalised, ratio, total, values_of, with_mean

PAPER = papers.of(__name__)
BASELINE = "48 KB"
POINT = "32 + 16 KB"  # the paper's sizes
BAR = 1.04  # the paper's mean is 1.057
BELOW = [("l1d", "local_misses"), ("l1d", "store_fetches"), ("l1d", "write_backs"), ("avc", "write_backs")]
# Columns of a kernel's facts are named by it.
PRIVATE, TRAFFIC = "private: ", "traffic: "
LEAST_R_BASE = 8  # kernels that are not in the paper's table 4 count from here on, as there (section 3.1)


def facts(run):
    """Traffic below L1 and AVC: lines of private memory that are fetched and messages that are written back. A message
    with words of both caches is the AVC's."""
    instructions = total(run, "sm", "warp_instructions")
    accesses = sum(total(run, kind, name) for kind, name in BELOW)
    return {
        "cycles": float(run.attrs["cycles"]),
        "energy": float(run["energy"].attrs["total_j"]) if "energy" in run else np.nan,
        "dynamic": float(run["energy"].attrs["dynamic_j"]) if "energy" in run else np.nan,
        "private": total(run, "l1d", "local_hits") + total(run, "l1d", "local_misses") + total(run, "avc", "accesses"),
        "traffic": 10_000 * ratio(accesses, instructions),
    }


def facts_by_kernel(run):
    """The same, and for each kernel its private accesses and traffic, over all its launches."""
    made = facts(run)
    names = dict(zip(run["kernels/id"][...], values_of(run["kernels/name"])))
    counts = pd.DataFrame(run["kernel_counters/counts"][...], columns=values_of(run["kernel_counters/counter"])).groupby(
        [names[kernel] for kernel in run["kernel_counters/kernel"][...]], sort=False).sum()
    for kernel, its in counts.iterrows():
        count = lambda *counters: sum(float(its.get(name, 0)) for name in counters)  # noqa: B023, E731
        made[PRIVATE + kernel] = count("l1d.local_hits", "l1d.local_misses", "avc.accesses")
        made[TRAFFIC + kernel] = 10_000 * ratio(count(*(f"{kind}.{name}" for kind, name in BELOW)),
                                                count("sm.warp_instructions"))
    return made


def over_baseline(axis, column, invert=False):
    """Ratios to the baseline; applications weigh equally."""
    def figure(sweep):
        table = normalised(sweep.table(axis), column, axis, BASELINE, invert)
        return with_mean(table.drop(columns=BASELINE), geometric=True)
    return figure


def traffic(axis):
    def figure(sweep):
        return sweep.table(axis).pivot_table(index="workload", columns=axis, values="traffic", sort=False)
    return figure


def by_registers(sweep):
    table = sweep.table("caches", "registers")
    table["registers"] = table["registers"].astype(int)
    return table


def traffic_by_registers(sweep):
    wide = by_registers(sweep).pivot_table(index=["workload", "registers"], columns="caches", values="traffic", sort=False)
    return wide.sort_index(level="registers", ascending=False, sort_remaining=False).sort_index(
        level="workload", sort_remaining=False, kind="stable")


def kernels_by_registers(sweep):
    """A row for each kernel at each limit, with its private accesses and traffic; its points are those of its workload."""
    table, parts = by_registers(sweep), []
    for column in table:
        if column.startswith(TRAFFIC):
            kernel = column.removeprefix(TRAFFIC)
            part = table[["caches", "registers"]].assign(kernel=kernel, private=table[PRIVATE + kernel], traffic=table[column])
            parts.append(part.dropna())
    return pd.concat(parts)


def least(points):
    """The least of all limits that have less than one access."""
    return points.loc[points["traffic"] < 1, "registers"].min()


def least_from_there_on(points):
    """The least limit from which on all have less than one access: masks and replacement may let a lower limit have
    less than a higher one."""
    more = points.loc[points["traffic"] >= 1, "registers"].max()
    return points.loc[~(points["registers"] <= more), "registers"].min()


def least_limits(sweep, limit_of=least):
    """Of each kernel: `r_base`, the least limit with no private access at all, and for each kind of caches the least
    limit with less than one access in 10 000 instructions below them. Empty: there is none among those that were run.
    First the kernels of the paper's table, then others."""
    rows = {}
    for (kernel, caches), points in kernels_by_registers(sweep).groupby(["kernel", "caches"], sort=False):
        row = rows.setdefault(kernel, {})
        if caches == BASELINE:
            row["r_base"] = points.loc[points["private"] == 0, "registers"].min()
        row[caches] = limit_of(points)
    limits = pd.DataFrame.from_dict(rows, orient="index")
    papers = [kernel for kernel in PAPER.values("table4") if kernel in limits.index]
    others = limits.drop(index=papers)
    return limits.loc[papers], others[~(others["r_base"] < LEAST_R_BASE)]


def tolerable_registers(sweep):
    """The mean is that of the kernels of the paper's table."""
    papers, others = least_limits(sweep)
    return pd.concat([papers, others, papers.mean().to_frame("mean").T])


def capacity_gain(sweep):
    """Registers of each thread that the caches hold more than the baseline's L1, and over the kernels of the paper's
    table by how many percent this raises the registers that L1 holds, r_base less its own limit."""
    papers, others = least_limits(sweep)
    more = lambda limits: limits.drop(columns=["r_base", BASELINE]).rsub(limits[BASELINE], axis=0)  # noqa: E731
    its, rest = more(papers), more(others)
    strict = more(least_limits(sweep, least_from_there_on)[0])
    table = pd.concat([its, rest])
    table.loc["mean"] = its.mean()
    table.loc["median"] = its.median()
    without_nw = its.drop(index="nw_first_half", errors="ignore")
    table.loc["mean without nw"] = without_nw.mean()
    table.loc["median without nw"] = without_nw.median()
    table.loc[f"mean of r_base {LEAST_R_BASE} and more"] = its[papers["r_base"] >= LEAST_R_BASE].mean()
    table.loc["mean, by limits from which on all hold"] = strict.mean()
    table.loc["mean of all"] = pd.concat([its, rest]).mean()
    full = papers[BASELINE] > by_registers(sweep)["registers"].min()
    table.loc["mean where 48 KB do not hold all"] = its[full].mean()
    table.loc["capacity, percent"] = 100 * its.mean() / (papers["r_base"] - papers[BASELINE]).mean()
    return table


def bests(sweep, fact):
    """Workloads x caches: the fact of the point with the fewest cycles over all limits, and of several such points that
    with the most registers."""
    points = by_registers(sweep).sort_values("registers", ascending=False, kind="stable").reset_index(drop=True)
    best = points.loc[points.groupby(["workload", "caches"], sort=False)["cycles"].idxmin()]
    wide = best.pivot_table(index="workload", columns="caches", values=fact, sort=False)
    return wide.reindex(index=sweep.points["workload"].unique(), columns=sweep.points["caches"].unique())


def best_against_best(sweep):
    """Speed-ups of each at the limit with the fewest cycles."""
    best = bests(sweep, "cycles")
    return with_mean(best.rdiv(best[BASELINE], axis=0).drop(columns=BASELINE), geometric=True)


def best_on_machines(sweep):
    """The same for each machine, over its first caches; caches' names are "MACHINE: SIZES"."""
    best = bests(sweep, "cycles")
    first = {}
    for name in best:
        first.setdefault(name.split(": ")[0], name)
    speed = best.apply(lambda column: best[first[column.name.split(": ")[0]]] / column)
    return with_mean(speed.drop(columns=first.values()), geometric=True)


def gains_by_change(column, invert=False):
    """Means over the workloads, for each change and kind of caches, over the same machine with 48 KB of L1."""
    def figure(sweep):
        table, rows = sweep.table("change", "caches"), {}
        for change, points in table.groupby("change", sort=False):
            mean = with_mean(normalised(points, column, "caches", BASELINE, invert).drop(columns=BASELINE), geometric=True)
            rows[change] = mean.loc["mean"]
        return pd.DataFrame.from_dict(rows, orient="index")
    return figure


def each_by_change(caches):
    """Speed-ups of one kind of caches, by workload and change."""
    def figure(sweep):
        table, columns = sweep.table("change", "caches"), {}
        for change, points in table.groupby("change", sort=False):
            columns[change] = normalised(points, "cycles", "caches", BASELINE, True)[caches]
        return with_mean(pd.DataFrame(columns), geometric=True)
    return figure


def on_terms(sweep):
    """Speed-ups over 48 KB of L1; private accesses below the caches in 10 000 instructions; and what keeps workloads below
    BAR with the paper's sizes: the values fit into 48 KB (under one access), a smaller AVC reaches it (generic values need
    the room), accesses stay (generic values), or those that are saved cost little time."""
    table = sweep.table("caches")
    gains = normalised(table, "cycles", "caches", BASELINE, invert=True).drop(columns=BASELINE)
    below = table.pivot_table(index="workload", columns="caches", values="traffic", sort=False)
    causes = {"": gains[POINT] >= BAR, "all values fit": below[BASELINE] < 1,
              "generic values need the room": gains.max(axis=1) >= BAR,
              "generic values": below[POINT] >= below[BASELINE] / 2}
    result = with_mean(gains, geometric=True)
    for caches in (BASELINE, POINT):
        result[f"accesses below {caches}"] = below[caches]
    found = [next((name for name, holds in causes.items() if holds[workload]), "saved accesses cost little time") for workload in gains.index]
    result["what keeps it"] = [*found, *[""] * (len(result) - len(found))]
    return result


def gains_by_pointers(sweep):
    """Speed-ups over 48 KB of L1 with pointers of the same width."""
    parts = {f"{width} bits": normalised(part, "cycles", "caches", BASELINE, invert=True).drop(columns=BASELINE)
             for width, part in sweep.table("pointers", "caches").groupby("pointers", sort=False)}
    table = pd.concat(parts, axis=1)
    table.columns = [f"{caches}, {width}" for width, caches in table.columns]
    return with_mean(table, geometric=True)


# What both caches must hold, and what the AVC may compress. A map's coordinates are logarithmic, so each has a least value.
TRAFFIC_WITHOUT, AFFINE = "private traffic", "affine stores"
PLACES = maps.Places(TRAFFIC_WITHOUT, AFFINE, BASELINE, "32 + 16 KB")


def facts_of_map(run):
    """Private traffic in accesses for 10 000 instructions, 1 at least; and affine stores over all private ones, a tenth at least, which
    the AVC counts."""
    affine, generic = (total(run, "avc", f"{name}_stores") for name in ("affine", "generic"))
    share = max(0.1, affine / max(1, affine + generic)) if "counters/avc" in run else np.nan
    return {"cycles": float(run.attrs["cycles"]), TRAFFIC_WITHOUT: max(1.0, facts(run)["traffic"]), AFFINE: share}


# The studies that need other facts than `facts` (Paper.facts_of).
OWN_FACTS = {"registers": facts_by_kernel, "valid_words": facts_by_kernel, "map": facts_of_map, "places": facts_of_map}

# The axes of each study, with the values that its figures are made with.
STUDIES = {
    "map": {"affine": [], "words": [], "design": [BASELINE, "32 + 16 KB"]},
    "places": {"design": [BASELINE, "32 + 16 KB"]},
    "designs": {"design": [BASELINE]},
    "occupancy": {"caches": [BASELINE]},
    "operating_point": {"caches": [BASELINE]},
    "terms": {"caches": [BASELINE, POINT]},
    "pointers": {"pointers": ["32", "64"], "caches": [BASELINE]},
    "reasons": {"change": [], "caches": [BASELINE, "32 + 16 KB"]},
    "registers": {"caches": [], "registers": []},
    "valid_words": {"caches": [], "registers": []},
    "whole_gpu": {"caches": [], "registers": []},
}

FIGURES = {
    "kernel": ("map", "The AVC on a kernel with private words, by affine ones of each eight and by words a thread", maps.knobs(PLACES),
               "speed-up"),
    "map": ("places", "Where the AVC pays: its gain on a kernel with private words, and its workloads", PLACES.figure(PAPER.label),
            "speed-up"),
    "agreement": ("places", "How far the workloads' gains are from the map's", PLACES.agreement, "speed-up"),
    "fig6": ("registers", "Private traffic below the caches at each register limit", traffic_by_registers,
             "accesses in 10 000 instructions"),
    "table4": ("registers", "The least register limit with under one access in 10 000 instructions", tolerable_registers,
               "registers"),
    "valid_words": ("valid_words", "The least register limit with under one access in 10 000 instructions",
                    tolerable_registers, "registers"),
    "gain": ("registers", "Registers per thread that the caches save relative to 48 KB of L1", capacity_gain, "registers"),
    "best": ("registers", "Speed-up over 48 KB of L1, each at its best register limit", best_against_best,
             "speed-up"),
    "whole_gpu": ("whole_gpu", "Speed-up over the machine's own L1, each at its best register limit",
                  best_on_machines, "speed-up"),
    "whole_gpu_limits": ("whole_gpu", "Each workload's best register limit", lambda sweep: bests(sweep, "registers"),
                         "registers"),
    "reasons": ("reasons", "Speed-up over 48 KB of L1 at half of r_base, means", gains_by_change("cycles", True), "speed-up"),
    "reasons_energy": ("reasons", "Dynamic energy over that with 48 KB of L1, means", gains_by_change("dynamic"),
                       "energy, normalised"),
    "reasons_each": ("reasons", "Speed-up of 32 + 16 KB over 48 KB of L1 at half of r_base", each_by_change("32 + 16 KB"),
                     "speed-up"),
    "terms": ("terms", "Speed-up over 48 KB of L1 at half of r_base, with code of the time", on_terms, "speed-up; accesses in 10 000"),
    "fig7a": ("operating_point", "Speed-up over 48 KB of L1 at half of r_base", over_baseline("caches", "cycles", True),
              "speed-up"),
    "fig7b": ("operating_point", "Energy over that with 48 KB of L1 at half of r_base", over_baseline("caches", "energy"),
              "energy, normalised"),
    "fig7b_dynamic": ("operating_point", "Dynamic energy over that with 48 KB of L1 at half of r_base",
                      over_baseline("caches", "dynamic"), "energy, normalised"),
    "traffic": ("operating_point", "Private traffic below the caches at half of r_base", traffic("caches"),
                "accesses in 10 000 instructions"),
    "designs": ("designs", "Speed-up over 48 KB of L1 at half of r_base", over_baseline("design", "cycles", True), "speed-up"),
    "designs_traffic": ("designs", "Private traffic below the caches at half of r_base", traffic("design"),
                        "accesses in 10 000 instructions"),
    "occupancy": ("occupancy", "Speed-up over 48 KB of L1 with the occupancy of 16 registers",
                  over_baseline("caches", "cycles", True), "speed-up"),
    "pointers": ("pointers", "Speed-up over 48 KB of L1 at half of r_base, by the width of pointers", gains_by_pointers,
                 "speed-up"),
}
