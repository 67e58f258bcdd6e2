"""Figures of Koo et al., HPCA 2018 (CAPS)."""

import numpy as np

from lookahead_analysis import maps, papers, sweeps
from lookahead_analysis.packages import pandas as pd
from lookahead_analysis.sweeps import by_base, geometric_mean, normalised, over, ratio, total, values_of, what_keeps


def facts(run):
    issued = total(run, "prefetch", "issued")
    used = total(run, "prefetch", "useful") + total(run, "prefetch", "late")
    predictions = total(run, "caps", "predictions")
    return {
        "cycles": float(run.attrs["cycles"]),
        "ipc": float(run.attrs["ipc"]),
        "energy": float(run["energy"].attrs["total_j"]) if "energy" in run else np.nan,
        "reads": total(run, "l1d", "fills"),
        "dram_reads": total(run, "dram", "reads"),
        "issued": issued,
        "coverage": ratio(issued, total(run, "prefetch", "load_accesses")),
        "consumed": ratio(used, issued),
        "matched": ratio(total(run, "prefetch", "matched"), issued),
        "address": 1 - total(run, "caps", "mispredictions") / predictions if predictions else np.nan,
        "address_issued": ratio(total(run, "prefetch", "address_right"), total(run, "prefetch", "meant")),
        "early": ratio(total(run, "prefetch", "early_evicted"), issued),
        "early_by_demand": ratio(total(run, "prefetch", "early_evicted")
                                 - total(run, "prefetch", "evicted_by_prefetch"), issued),
        "late": ratio(total(run, "prefetch", "late"), issued),
        "cycles ahead": ratio(total(run, "prefetch", "distance_cycles"), used),
        "cta_strides": total(run, "caps", "cta_strides"),
        "cta_strides_repeated": total(run, "caps", "cta_strides_repeated"),
        **executions(run),
    }


def executions(run):
    """How often a warp executes the four most executed loads, and how many loads are repeated, of all that are executed."""
    if "counters/prefetch_load" not in run:
        return {}
    loads = pd.DataFrame({
        "load": [name.split(".", 1)[1] for name in values_of(run["counters/prefetch_load/component"])],
        "executions": run["counters/prefetch_load/executions"][...]}).groupby("load")["executions"].sum()
    kernels = run["kernels"]
    threads = np.prod([kernels[f"block_{d}"][...].astype(float) for d in "xyz"], axis=0)
    blocks = np.prod([kernels[f"grid_{d}"][...].astype(float) for d in "xyz"], axis=0)
    per_warp = (loads[loads > 0] / (np.ceil(threads / 32) * blocks).sum()).sort_values(ascending=False)
    top = dict(zip(("1st", "2nd", "3rd", "4th"), per_warp))
    return {**top, "repeated": int((per_warp > 1).sum()), "loads": len(per_warp)}


# The paper's KM is Mars's; Rodinia's kmeans, which is regular, is listed beside it, and counts in no mean that does not
# say so.
IRREGULAR = list(papers.of(__name__).of_class("irregular"))
OTHER_KMEANS = "kmeans"
WITH_OTHER_KMEANS = [OTHER_KMEANS if workload == "kmeans-mars" else workload for workload in IRREGULAR]


def of_paper(table):
    """The rows of the paper's workloads, by the column `workload` or the index."""
    names = table["workload"] if "workload" in table else table.index
    return table[names != OTHER_KMEANS] if "kmeans-mars" in set(names) else table


def with_mean_and_median(table, geometric):
    chosen = of_paper(table)
    rows = {"mean": sweeps.with_mean(chosen, geometric).loc["mean"], "median": chosen.median()}
    return pd.concat([table, pd.DataFrame(rows).T[table.columns]])


over_baseline = over("prefetcher", "none", with_mean_and_median)


def means_of_classes(table):
    """Geometric means over the rows of regular and of irregular workloads, the latter also with Rodinia's kmeans in the place
    of Mars's."""
    regular = [workload for workload in table.index if workload not in [*IRREGULAR, OTHER_KMEANS]]
    means = {}
    for name, chosen in (("mean of regular", regular), ("mean of irregular", IRREGULAR),
                         ("mean of irregular, Rodinia's kmeans", WITH_OTHER_KMEANS)):
        rows = table.loc[[workload for workload in chosen if workload in table.index]]
        if len(rows):
            means[name] = geometric_mean(rows)
    return means


def means(table):
    """Geometric means of speed-ups, of all and by class; the same of all without each column's two largest, because few
    may carry a mean; and the median."""
    chosen = of_paper(table)
    rows = {"mean": geometric_mean(chosen), **means_of_classes(table)}
    if len(chosen) > 2:
        rows["mean without the two largest"] = pd.Series(
            {column: geometric_mean(chosen[column].drop(chosen[column].nlargest(2).index)) for column in chosen})
    rows["median"] = chosen.median()
    return pd.DataFrame(rows).T[table.columns]


def with_means(table, geometric=True):
    return pd.concat([table, means(table)])


def speedups(sweep):
    return with_means(normalised(sweep.table("prefetcher"), "cycles", "prefetcher", "none", invert=True).drop(columns="none"))


def speedups_by_l1i(sweep):
    """Means of figure 10 for each size of the instruction cache, each over no prefetches with the same."""
    parts = {size: means(normalised(part, "cycles", "prefetcher", "none", invert=True).drop(columns="none"))
             for size, part in sweep.table("prefetcher", "l1i").groupby("l1i", sort=False)}
    return pd.concat({f"{row}, {size}": table.loc[row] for size, table in parts.items() for row in table.index}, axis=1).T


def of_caps(sweep):
    """What CAPS does on each workload; means and medians are over the workloads that have prefetches."""
    table = sweep.table("prefetcher")
    base = table[table["prefetcher"] == "none"].set_index("workload")["cycles"]
    caps = table[table["prefetcher"] == "caps"].set_index("workload")
    columns = {"coverage": "coverage", "consumed": "consumed", "address": "address right", "early_by_demand": "early, by demand",
               "early": "early, by anything", "cycles ahead": "cycles ahead"}
    result = caps[list(columns)].rename(columns=columns)
    result.insert(0, "speed-up", base / caps["cycles"])
    result = with_mean_and_median(result, geometric=False)
    result.loc["mean", "speed-up"] = geometric_mean(of_paper(result.iloc[:len(caps)])["speed-up"])
    return result


def by_prefetcher(column):
    def figure(sweep):
        table = sweep.table("prefetcher")
        table = table[table["prefetcher"] != "none"]
        return with_mean_and_median(table.pivot_table(index="workload", columns="prefetcher", values=column, sort=False,
                                                      dropna=False), geometric=False)
    return figure


def early_evictions(sweep):
    """Figure 14a: what demand evicts, as the paper counts it ("by an intervening demand fetch"), beside what anything
    evicts; means and medians over the workloads that have prefetches."""
    table = of_paper(sweep.table("prefetcher"))
    table = table[table["issued"] > 0]
    groups = table.groupby("prefetcher", sort=False)
    return pd.DataFrame({f"{name}, {kind}": getattr(groups[column], kind)()
                         for name, column in (("by demand", "early_by_demand"), ("by anything", "early"))
                         for kind in ("mean", "median")})


def by_design(column):
    def figure(sweep):
        table = sweep.table("design")
        table = table[table["issued"] > 0]
        return with_mean_and_median(table.pivot_table(index="workload", columns="design", values=column, sort=False),
                                    geometric=False)
    return figure


def ablation(sweep):
    table = normalised(sweep.table("design"), "cycles", "design", "two_level", invert=True)
    return pd.concat([table, means(table)])


def over_baseline_row(row, baseline):
    """Mean IPC by `row` and prefetcher over that without prefetches in the row that `baseline` chooses among all."""
    def figure(sweep):
        table = of_paper(sweep.table(row, "prefetcher"))
        wide = table.pivot_table(index="workload", columns=[row, "prefetcher"], values="ipc", sort=False)
        reference = (baseline(table[row]), "none")
        wide = wide.div(wide[reference], axis=0).dropna(subset=[reference])
        rows, columns = table[row].unique(), table["prefetcher"].unique()
        return geometric_mean(wide).unstack("prefetcher").loc[rows, columns]
    return figure


def warp_distance(sweep):
    table = sweep.table("distance")
    return pd.DataFrame({"accuracy": table["matched"].to_numpy(), "cycles": table["cycles ahead"].to_numpy()},
                        index=table["distance"].astype(int).rename("warps ahead")).sort_index()


def iterations(sweep):
    """Figure 4."""
    return sweep.table("scheduler").set_index("workload")[["1st", "2nd", "3rd", "4th", "repeated", "loads"]]


def cta_strides(sweep):
    """How often the bases of two CTAs of an SM, one after the other, are as far apart as the two before."""
    table = sweep.table("scheduler").set_index("workload")
    return pd.DataFrame({"pairs of CTAs": table["cta_strides"],
                         "as far apart as before": table["cta_strides_repeated"] / table["cta_strides"].replace(0, np.nan)})


def changes(sweep):
    """For each change: mean and median speed-up over the first one, coverage, consumed and early evicted."""
    table = of_paper(sweep.table("change"))
    first = table["change"].iloc[0]
    wide = normalised(table, "cycles", "change", first, invert=True)
    result = pd.DataFrame({"IPC": geometric_mean(wide), "IPC, median": wide.median()})
    for column in ("coverage", "consumed", "early", "address"):
        result[column] = table.groupby("change")[column].mean()
    return result.loc[table["change"].unique()]


def consumed(sweep):
    """For each workload and change the part of the prefetched lines that loads consume."""
    table = sweep.table("change")
    wide = table.pivot_table(index="workload", columns="change", values="consumed", sort=False)
    return with_mean_and_median(wide[table["change"].unique()], geometric=False)


def parts(sweep):
    """Speed-ups over two-level scheduling without prefetches and with the same L1I: prefetcher and scheduler
    separately."""
    table = sweep.table("design", "l1i")
    rows = {}
    for size, part in table.groupby("l1i", sort=False):
        wide = normalised(part, "cycles", "design", "two_level", invert=True).drop(columns="two_level")
        for table_of in (means(wide), wide):
            rows |= {f"{row}, {size}": table_of.loc[row] for row in table_of.index}
    return pd.DataFrame(rows).T


def by_degree(sweep):
    """For each reach: mean speed-up, coverage, consumed and early evicted lines, and lines read by SMs."""
    table = of_paper(sweep.table("prefetcher"))
    wide = normalised(table, "cycles", "prefetcher", "none", invert=True)
    result = pd.DataFrame({"IPC": geometric_mean(wide), "IPC, median": wide.median()})
    result["lines read"] = geometric_mean(normalised(table, "reads", "prefetcher", "none"))
    for column in ("coverage", "consumed", "early"):
        result[column] = table.groupby("prefetcher")[column].mean()
        result[f"{column}, median"] = table.groupby("prefetcher")[column].median()
    return result.loc[table["prefetcher"].unique()]


# The loads in the code of a kernel, which compete for the tables' entries.
LOADS_A_KERNEL = "loads a kernel"
PLACES = maps.Places(LOADS_A_KERNEL, maps.CTAS, "none", "caps", "covered accesses", maps.ARITHMETIC_A_LOAD)


def facts_of_map(run):
    used = total(run, "prefetch", "useful") + total(run, "prefetch", "late")
    return maps.place(run) | {LOADS_A_KERNEL: loads_a_kernel(run), PLACES.share: ratio(used, total(run, "prefetch", "load_accesses"))}


def loads_a_kernel(run):
    """The mean over the executed loads; NaN without the prefetcher's statistics."""
    if "counters/prefetch_load" not in run:
        return np.nan
    names = [name.split(".", 1)[1] for name in values_of(run["counters/prefetch_load/component"])]
    executions = pd.Series(run["counters/prefetch_load/executions"][...], index=names, dtype=float).groupby(level=0).sum()
    kernels = executions[executions > 0].groupby(lambda load: load.split("_")[0])
    return ratio((kernels.size() * kernels.sum()).sum(), executions.sum())


def on_terms(sweep):
    """Speed-ups of CAPS, and how its prefetches fare."""
    table = sweep.table("design")
    result = over("design", "none", with_means)("cycles", invert=True)(sweep)
    of_caps = table[table["design"] == "caps"].set_index("workload")
    for name in ("coverage", "consumed", "late", "early"):
        result[name] = of_caps[name]
        result.loc["mean", name] = of_paper(of_caps)[name].mean()
    return result


BAR = 1.03  # the paper's mean is 1.08


def late_or_no_use(sweep, cycles):
    """A prefetcher that knows every address a load ahead brings less, too; or half of the prefetches are under way when their
    line is asked for."""
    table = sweep.table("change")
    late = table[table["change"] == "caps"].set_index("workload")["late"]
    return {"an oracle gains less, too": cycles["base"] / cycles["oracle"] < BAR, "prefetches are late": late >= 0.5}


OWN_FACTS = {"map": facts_of_map, "places": facts_of_map}

# The axes of each study, and the values that its figures are not made without; there may be others.
STUDIES = {
    "map": {"ctas": [], "loads": [], "design": ["none", "prefetcher", "scheduler", "caps"]},
    "places": {"design": ["none", "caps"]},
    "bases": {"base": [], "design": ["none"]},
    "terms": {"design": ["none", "caps"]},
    "causes": {"change": ["base", "caps", "oracle", "perfect memory"]},
    "inputs": {"design": ["none", "caps"]},
    "bounds": {"change": ["none"]},
    "degree": {"prefetcher": ["none"]},
    "instruction_cache": {"prefetcher": ["none"], "l1i": []},
    "parts": {"design": ["two_level"], "l1i": []},
    "ctas": {"ctas": [], "prefetcher": ["none"]},
    "every_scheduler": {"scheduler": ["two_level"], "prefetcher": ["none"]},
    "issued": {"prefetcher": ["caps"]},
    "loads": {"scheduler": []},
    "prefetchers": {"prefetcher": ["none", "caps"]},
    "schedulers": {"design": ["two_level"]},
    "sensitivity": {"change": ["as in the paper"]},
    "warp_distance": {"distance": []},
}

FIGURES = {
    "kernel": ("map", "CAPS on a kernel with strides alone, by CTAs an SM and by loads", maps.knobs(PLACES), "speed-up"),
    **{f"kernel_{part}": ("map", f"The {part} alone", maps.knobs(PLACES._replace(design=part)), "speed-up")
       for part in ("prefetcher", "scheduler")},
    "map": ("places", "Where CAPS pays: its gain on a kernel with strides alone, and its workloads",
            PLACES.figure(papers.of(__name__).label), "speed-up"),
    "agreement": ("places", "How far the workloads' gains are from the map's", PLACES.agreement, "speed-up"),
    "bases": ("bases", "CAPS on the simulator of its paper, and on our best model of the card", by_base("none", with_means),
              "speed-up"),
    "terms": ("terms", "Speed-up on the paper's simulator, with code of the time; and how its prefetches fare", on_terms,
              "speed-up; shares"),
    "causes": ("causes", "What keeps workloads below 1.03 on the paper's simulator, with code of the time",
               what_keeps("caps", BAR, with_means, late_or_no_use), "speed-up"),
    "inputs": ("inputs", "The same with the suites' own inputs, of which 100 million instructions of threads run", on_terms,
               "speed-up; shares"),
    "fig1": ("warp_distance", "Inter-warp prefetching by distance (matrixMul)", warp_distance, "accuracy; cycles"),
    "fig4": ("loads", "Iterations of the four most executed loads", iterations, "executions per warp"),
    "fig5": ("loads", "Strides among CTAs of an SM", cta_strides, "repeated strides"),
    "fig10": ("prefetchers", "Speed-up over two-level scheduling without prefetches", speedups, "IPC, normalised"),
    "fig10_l1i": ("instruction_cache", "Means of speed-ups by the size of the instruction cache", speedups_by_l1i,
                  "IPC, normalised"),
    "workloads": ("prefetchers", "CAPS by workload", of_caps, "IPC, normalised; shares; cycles ahead"),
    "fig11": ("ctas", "IPC by CTAs of an SM, over 8 without prefetches",
              over_baseline_row("ctas", lambda ctas: max(ctas, key=int)), "IPC, normalised"),
    "fig12a": ("prefetchers", "Coverage: prefetches over demand requests", by_prefetcher("coverage"), "coverage"),
    "fig12b": ("prefetchers", "Accuracy: consumed over issued", by_prefetcher("consumed"), "accuracy"),
    "fig12c": ("prefetchers", "Accuracy: consumed by the intended load and warp, over issued", by_prefetcher("matched"),
               "accuracy"),
    "issued": ("issued", "Issued prefetches whose address their warp's load accesses", by_prefetcher("address_issued"),
               "right addresses over issued"),
    "fig13a": ("prefetchers", "Read replies to SMs over those without prefetches", over_baseline("reads"),
               "requests, normalised"),
    "fig13b": ("prefetchers", "DRAM reads over those without prefetches", over_baseline("dram_reads"), "reads, normalised"),
    "fig14a": ("prefetchers", "Prefetched lines evicted before use", by_prefetcher("early"), "early evictions"),
    "fig14a_demand": ("prefetchers", "Prefetched lines evicted before use, by demand and by anything", early_evictions,
                      "early evictions"),
    "fig14a_wakeup": ("schedulers", "Prefetched lines of CAPS evicted before use", by_design("early"), "early evictions"),
    "fig14b": ("schedulers", "Cycles from prefetch to demand", by_design("cycles ahead"), "cycles"),
    "fig15": ("prefetchers", "Energy over that without prefetches", over_baseline("energy"), "energy, normalised"),
    "ablation": ("schedulers", "Speed-up of CAPS's parts over two-level scheduling", ablation, "IPC, normalised"),
    "fig10_parts": ("parts", "Speed-ups of scheduler and prefetcher separately, over two-level scheduling", parts,
                    "IPC, normalised"),
    "degree": ("degree", "INTER and MTA for one warp ahead, and for all", by_degree, "IPC, normalised; shares"),
    "sensitivity": ("sensitivity", "CAPS with one change, over CAPS as in the paper", changes,
                    "IPC, normalised; shares"),
    "consumed": ("sensitivity", "Accuracy (consumed over issued) with one change", consumed, "accuracy"),
    "every_scheduler": ("every_scheduler", "IPC by warp scheduler, over two-level without prefetches",
                        over_baseline_row("scheduler", lambda names: "two_level"), "IPC, normalised"),
    "bounds": ("bounds", "Bounds, and INTER further ahead, over no prefetches", changes, "IPC, normalised; shares"),
}
