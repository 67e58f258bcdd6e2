"""Figures of Wang and Lin, ISCA 2017 (decoupled affine computation, DAC)."""

import numpy as np

from lookahead_analysis import maps, papers
from lookahead_analysis.maps import ARITHMETIC
from lookahead_analysis.packages import pandas as pd
from lookahead_analysis.sweeps import by_base, geometric_mean, normalised, over, ratio, total, values_of, what_keeps

PAPER = papers.of(__name__)
# Table 2 of the paper: its names of the workloads, by class.
COMPUTE, MEMORY = PAPER.of_class("compute"), PAPER.of_class("memory")
MEMORY_BOUND = 1.5  # section 5.1.2: the speed-up of a perfect memory
FAR = 0.15
LEAST_PART = 1e-4  # of the instructions that are handled as affine instructions, for a geometric mean
TUPLE_LANES = 7  # that an affine instruction takes: a base and six offsets (section 4.4)


def facts(run):
    """`other` are the instructions of the kernels' own stream that the warps issued, `affine` the affine warp's."""
    affine = total(run, "dac", "instructions")
    loads = total(run, "sm", "load_global") + total(run, "sm", "load_local")
    predicates = {name: total(run, "dac", f"{name}_predicates") for name in ("scalar", "two_comparison", "lane")}
    useful = total(run, "prefetch", "useful") + total(run, "prefetch", "late")
    joules = dict(zip(values_of(run["energy/component"]),
                      run["energy/joules"][...][:, list(values_of(run["energy/category"])).index("dynamic")]))
    return {
        "cycles": float(run.attrs["cycles"]),
        "energy": float(run["energy"].attrs["total_j"]),
        "dynamic": float(run["energy"].attrs["dynamic_j"]),
        "static": float(run["energy"].attrs["static_j"]),
        "other": total(run, "sm", "warp_instructions"),
        "affine": affine,
        "arithmetic": sum(total(run, "sm", name) for name in ARITHMETIC) - total(run, "dac", "queue_instructions") + affine,
        "register accesses": total(run, "sm", "thread_instructions") - total(run, "dac", "queue_threads") + TUPLE_LANES * affine,
        "energy, execution": joules["execution"],
        "energy, registers": joules["register_file"],
        "energy, DAC": joules["dac"],
        "reports": total(run, "dac", "reports"),
        "instructions": total(run, "sm", "warp_instructions") + affine,
        "on affine units": total(run, "cae", "instructions"),
        "early loads": ratio(total(run, "dac", "dequeued_data") - total(run, "dac", "raw_data"), loads),
        "prefetched": ratio(useful, useful + total(run, "l1d", "misses_demand")),
        **{f"predicates, {name}": ratio(value, sum(predicates.values())) for name, value in predicates.items()},
    }


classes = PAPER.rows_of_classes


def with_means(table, geometric):
    """The table with a row for the mean of each class, and of all."""
    means = {f"mean, {name}": geometric_mean(table.loc[rows]) if geometric else table.loc[rows].mean()
             for name, rows in classes(table.index).items() if rows}
    return pd.concat([table.rename(index=PAPER.label), pd.DataFrame(means).T])


over_base = over("design", "base", with_means)
speedups = over_base("cycles", invert=True)


def column(sweep, name, design):
    table = sweep.table("design")
    return table[table["design"] == design].set_index("workload")[name]


def instructions(sweep):
    """Figure 17: parts of the baseline's instructions; and how many of them one affine instruction replaces."""
    base = column(sweep, "other", "base")
    result = pd.DataFrame({"other": column(sweep, "other", "DAC") / base, "affine": column(sweep, "affine", "DAC") / base})
    result["replaced by one"] = (1 - result["other"]) / result["affine"]
    result = with_means(result, geometric=False)
    result.attrs["drawn"] = ["other", "affine"]
    return result


def parts_on_terms(sweep):
    """Figures 17, 18 and 19 with code of the time."""
    result = instructions(sweep)
    result["covered by DAC"] = 1 - result["other"]
    covered = column(sweep, "on affine units", "CAE") / column(sweep, "other", "base")
    result["covered by CAE"] = with_means(covered.to_frame(), geometric=False).iloc[:, 0]
    early = column(sweep, "early loads", "DAC").to_frame()
    result["early loads"] = with_means(early, geometric=False).iloc[:, 0]
    return result


def coverage(sweep):
    """Figure 18: the baseline's instructions that are handled as affine instructions."""
    base = column(sweep, "other", "base")
    parts_of = pd.DataFrame({"CAE": column(sweep, "on affine units", "CAE") / base, "DAC": 1 - column(sweep, "other", "DAC") / base})
    table = with_means(parts_of, geometric=False)
    positive = parts_of.loc[classes(parts_of.index)["compute"]].clip(lower=LEAST_PART)
    table.loc["mean, compute, geometric"] = geometric_mean(positive)
    return table


def of_design(design, names):
    def figure(sweep):
        return with_means(pd.DataFrame({name: column(sweep, name, design) for name in names}), geometric=False)
    return figure


def energies(sweep):
    """Figure 21."""
    base = column(sweep, "energy", "base")
    return with_means(pd.DataFrame({
        "total": column(sweep, "energy", "DAC") / base,
        "dynamic": column(sweep, "dynamic", "DAC") / column(sweep, "dynamic", "base"),
        "static": column(sweep, "static", "DAC") / column(sweep, "static", "base")}), geometric=True)


def parts(sweep):
    """Section 5.3: what the kernels' own stream no longer computes and reads, and what DAC's own storage takes."""
    table = pd.DataFrame({name: column(sweep, name, "DAC") / column(sweep, name, "base")
                          for name in ("arithmetic", "energy, execution", "register accesses", "energy, registers")})
    table["DAC's part of dynamic energy"] = column(sweep, "energy, DAC", "DAC") / column(sweep, "dynamic", "DAC")
    return with_means(table, geometric=False)


def perfect_memory(sweep):
    """The speed-up of section 5.1.2, and the class that it gives each workload."""
    wide = normalised(sweep.table("memory"), "cycles", "memory", "base", invert=True)[["perfect"]]
    result = with_means(wide, geometric=True)
    none = [""] * (len(result) - len(wide))
    result["class"] = [*np.where(wide["perfect"] >= MEMORY_BOUND, "memory", "compute"), *none]
    result["paper's"] = [*["compute" if w in COMPUTE else "memory" if w in MEMORY else "" for w in wide.index], *none]
    return result


def choices(sweep):
    """Means of each design over the baseline, and over DAC as it is, whose workloads change most beside them."""
    wide = normalised(sweep.table("design"), "cycles", "design", "base", invert=True).drop(columns="base")
    over_dac = wide.div(wide["DAC"], axis=0)
    def named(column, found):
        return f"{found} {column[found]:.2f}"
    table = pd.DataFrame({"over the baseline": geometric_mean(wide), "over DAC": geometric_mean(over_dac),
                          "median": over_dac.median()})
    table["most"] = [named(over_dac[name], over_dac[name].idxmax()) for name in table.index]
    table["least"] = [named(over_dac[name], over_dac[name].idxmin()) for name in table.index]
    table.loc["DAC", ["most", "least"]] = ""
    return table


def by_machine(sweep):
    """Speed-ups over the same machine without DAC; and of all workloads, in cycles, over the first machine without it."""
    table, rows = sweep.table("machine", "design"), {}
    cycles = table.pivot_table(index="workload", columns=["machine", "design"], values="cycles")
    first = cycles[(table["machine"].iloc[0], "base")]
    for machine in table["machine"].unique():
        gain = cycles[(machine, "base")] / cycles[(machine, "DAC")]
        rows[machine] = {name: geometric_mean(gain.loc[chosen]) for name, chosen in classes(gain.index).items() if chosen}
        rows[machine] |= {f"the first's cycles over its, {words}": geometric_mean(first / cycles[(machine, design)])
                          for words, design in (("without DAC", "base"), ("with DAC", "DAC"))}
    return pd.DataFrame(rows).T


def bounds(sweep):
    """Speed-ups over the baseline with the table's memory; and what keeps workloads that DAC leaves more than FAR below the
    paper's mean of their class, the first of: longer queues bring what is missing, with more MSHRs for both too, no memory does (code),
    network and DRAM of four times the bandwidth for both do (bandwidth), and near ones (memory for both), a perfect or a near memory
    does so by instructions' misses alone (fetch), half of the loads or more are not asked for early and over a perfect memory DAC
    brings too little (undecoupled), a perfect memory for both does, where a near one does not (perfect memory for both). What is left has
    no cause: a near memory brings it, whose latency DAC should have hidden (latency), or only a perfect one does (perfect alone)."""
    table = sweep.table("machine")
    cycles = table.pivot_table(index="workload", columns="machine", values="cycles")
    early = table[table["machine"] == "DAC"].set_index("workload")["early loads"]
    gains = cycles.rdiv(cycles["base"], axis=0)
    found = gains[["DAC", "queues x 4", "MSHRs x 8"]].copy()
    found["DAC, queues x 8 over it"] = cycles["MSHRs x 8"] / cycles["queues, MSHRs x 8"]
    names = {"near": "memory near", "near, DAC": "and DAC", "perfect": "memory perfect", "perfect, DAC": "and DAC there",
             "large L1I": "large L1I"}
    found[list(names.values())] = gains[list(names)]
    found["DAC over that"] = cycles["large L1I"] / cycles["large L1I, DAC"]
    found["near and DAC over it"] = cycles["large L1I"] / cycles["large L1I, near, DAC"]
    found["bandwidth x 4"] = gains["bandwidth x 4"]
    found["DAC over it"] = cycles["bandwidth x 4"] / cycles["bandwidth x 4, DAC"]
    found["near too"] = gains["near, bandwidth x 4"]
    found["DAC over both"] = cycles["near, bandwidth x 4"] / cycles["near, bandwidth x 4, DAC"]
    over_perfect, over_fetch = (cycles[machine] / cycles["perfect, DAC"] for machine in ("perfect", "large L1I"))

    def cause(workload):
        wanted = PAPER.said("fig16", f"mean, {'compute' if workload in COMPUTE else 'memory'}", "DAC") - FAR
        gain = found.loc[workload]
        causes = {"": gain["DAC"] >= wanted, "queues x 4": gain["queues x 4"] >= wanted,
                  "queues, MSHRs x 8": gain["DAC, queues x 8 over it"] >= wanted, "code": gain["and DAC there"] < wanted,
                  "bandwidth": gain["DAC over it"] >= wanted,
                  "memory for both": gain["DAC over both"] >= wanted,
                  "fetch": over_fetch[workload] < wanted or gain["near and DAC over it"] < wanted <= gain["and DAC"],
                  "undecoupled": early[workload] <= 0.5 and over_perfect[workload] < wanted,
                  "perfect memory for both": gain["and DAC"] < wanted <= over_perfect[workload],
                  "perfect alone": gain["and DAC"] < wanted}
        return next((name for name, holds in causes.items() if holds), "latency")

    result = with_means(found, geometric=True)
    result["what keeps it"] = [*(cause(workload) for workload in found.index), *[""] * (len(result) - len(found))]
    return result


BAR = 1.2


def not_decoupled(sweep, cycles):
    """Workloads half of whose loads or more are not asked for early; and all others: the instructions that DAC takes and
    the loads that it brings early are too few on any machine."""
    table = sweep.table("change")
    early = table[table["change"] == "DAC"].set_index("workload")["early loads"]
    return {"undecoupled": early <= 0.5, "code": early > 0.5}


DESIGNS = "designs"
BOUNDS = ["base", "DAC", "queues x 4", "queues, MSHRs x 8", "MSHRs x 8", "near", "near, DAC", "large L1I", "large L1I, DAC",
          "large L1I, near, DAC", "perfect", "perfect, DAC", "bandwidth x 4", "bandwidth x 4, DAC",
          "near, bandwidth x 4", "near, bandwidth x 4, DAC"]

PLACES = maps.Places(maps.ARITHMETIC_A_LOAD, maps.WARPS, "base", "DAC", "early loads", maps.INSTRUCTIONS_A_WAIT)


def facts_of_map(run):
    return maps.place(run) | {PLACES.share: facts(run)["early loads"]}


OWN_FACTS = {"map": facts_of_map, "places": facts_of_map}

# The values that each study's axes must have for its figures: its baseline and the designs that figures name.
STUDIES = {
    "map": {"warps": [], "arithmetic": [], "design": ["base", "DAC"]},
    "places": {"design": ["base", "DAC"]},
    "bases": {"base": [], "design": ["base"]},
    "terms": {"design": ["base", "DAC"]},
    "comparators": {"design": ["base", "CAE", "MTA", "DAC"]},
    "causes": {"change": ["base", "DAC", "perfect memory"]},
    "causes_medium": {"change": ["base", "DAC", "perfect memory"]},
    DESIGNS: {"design": ["base", "CAE", "MTA", "DAC"]},
    "ablations": {"design": ["base"]},
    "classes": {"memory": ["base", "perfect"]},
    "machine": {"machine": [], "design": ["base", "DAC"]},
    "bounds": {"machine": BOUNDS},
    "sensitivity": {"design": ["base", "DAC"]},
    "readings": {"design": ["base", "DAC"]},
    "batches": {"design": ["base", "DAC"]},
    "mta": {"design": ["base", "MTA"]},
}

FIGURES = {
    "kernel": ("map", "DAC on the kernel of figure 4, by warps an SM and by arithmetic instructions for a load", maps.knobs(PLACES),
               "speed-up"),
    "map": ("places", "Where DAC pays: its gain on the kernel of figure 4, and its workloads",
            PLACES.figure(PAPER.label), "speed-up"),
    "agreement": ("places", "How far the workloads\' gains are from the map\'s", PLACES.agreement, "speed-up"),
    "bases": ("bases", "DAC on the simulator of its paper, and on our best model of the card", by_base("base", with_means),
              "speed-up"),
    "terms": ("terms", "Speed-up on the paper's simulator, with code of the time", speedups, "speed-up"),
    "comparators": ("comparators", "The same with CAE and MTA, at size small", speedups, "speed-up"),
    "instructions": ("comparators", "Warp instructions with code of the time, over the baseline's", parts_on_terms,
                     "instructions, normalised"),
    **{name: (name, "What keeps workloads below 1.2 on the paper's simulator, with code of the time",
              what_keeps("DAC", BAR, with_means, not_decoupled), "speed-up") for name in ("causes", "causes_medium")},
    "fig16": (DESIGNS, "Speed-up over the baseline", speedups, "speed-up"),
    "fig17": (DESIGNS, "Warp instructions over the baseline's", instructions, "instructions, normalised"),
    "fig18": (DESIGNS, "Baseline instructions that are handled as affine instructions", coverage, "part of the instructions"),
    "fig19": (DESIGNS, "Global and local loads whose lines the affine warp requests", of_design("DAC", ["early loads"]),
              "part of the loads"),
    "fig20": (DESIGNS, "L1 misses that MTA's prefetches cover", of_design("MTA", ["prefetched"]), "part of the accesses"),
    "fig21": (DESIGNS, "Energy over the baseline's", energies, "energy, normalised"),
    "parts": (DESIGNS, "Arithmetic and registers over the baseline's, and the share of DAC", parts, "normalised"),
    "predicates": (DESIGNS, "Predicates by how they are expanded",
                   of_design("DAC", [f"predicates, {name}" for name in ("scalar", "two_comparison", "lane")]),
                   "part of the predicates"),
    "classes": ("classes", "Speed-up with a perfect memory", perfect_memory, "speed-up"),
    "ablations": ("ablations", "Speed-up of DAC without its parts", speedups, "speed-up"),
    "choices": ("ablations", "DAC without its parts and with other choices", choices, "speed-up"),
    "readings": ("readings", "DAC with the other reading of each open rule, with code of the time", choices, "speed-up"),
    "batches": ("batches", "When the affine warp serves new CTAs, and when it issues, with code of the time", choices, "speed-up"),
    "mta": ("mta", "MTA on the baseline's L1 and on another, throttled and not", speedups, "speed-up"),
    "sensitivity": ("sensitivity", "DAC with parts of the pass, with other sizes, and with other changes of the machine", choices,
                    "speed-up"),
    "machine": ("machine", "Speed-up of DAC on other machines", by_machine, "speed-up"),
    "bounds": ("bounds", "Speed-up with a near and with a perfect memory, and the cause for a workload below the paper's", bounds,
               "speed-up"),
}
