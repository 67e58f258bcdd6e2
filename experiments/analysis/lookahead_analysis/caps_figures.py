"""Figures of Koo et al., HPCA 2018 (CAPS)."""

import numpy as np

from . import sweeps
from .packages import pandas as pd
from .sweeps import geometric_mean, normalised, over, ratio, total, values_of


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


# The paper's KM is Mars's; Rodinia's kmeans stands beside it, regular as it is, and in no mean that does not say so.
IRREGULAR = ["pvr", "ccl", "bfs", "kmeans-mars"]
OTHER_KMEANS = "kmeans"
WITH_OTHER_KMEANS = [OTHER_KMEANS if workload == "kmeans-mars" else workload for workload in IRREGULAR]


def papers(table):
    """The rows of the paper's workloads, by the column `workload` or the index."""
    names = table["workload"] if "workload" in table else table.index
    return table[names != OTHER_KMEANS] if "kmeans-mars" in set(names) else table


def with_mean_and_median(table, geometric):
    chosen = papers(table)
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
    """Geometric means of speed-ups, of all and by class; the same of all without each column's two largest, as few may carry a
    mean; and the median."""
    chosen = papers(table)
    rows = {"mean": geometric_mean(chosen), **means_of_classes(table)}
    if len(chosen) > 2:
        rows["mean without the two largest"] = pd.Series(
            {column: geometric_mean(chosen[column].drop(chosen[column].nlargest(2).index)) for column in chosen})
    rows["median"] = chosen.median()
    return pd.DataFrame(rows).T[table.columns]


def speedups(sweep):
    table = normalised(sweep.table("prefetcher"), "cycles", "prefetcher", "none", invert=True).drop(columns="none")
    return pd.concat([table, means(table)])


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
    result.loc["mean", "speed-up"] = geometric_mean(papers(result.iloc[:len(caps)])["speed-up"])
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
    table = papers(sweep.table("prefetcher"))
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
        table = papers(sweep.table(row, "prefetcher"))
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
    table = papers(sweep.table("change"))
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
    """Speed-ups over two-level scheduling without prefetches and with the same L1I: prefetcher and scheduler apart."""
    table = sweep.table("design", "l1i")
    rows = {}
    for size, part in table.groupby("l1i", sort=False):
        wide = normalised(part, "cycles", "design", "two_level", invert=True).drop(columns="two_level")
        for table_of in (means(wide), wide):
            rows |= {f"{row}, {size}": table_of.loc[row] for row in table_of.index}
    return pd.DataFrame(rows).T


def by_degree(sweep):
    """For each reach: mean speed-up, coverage, consumed and early evicted lines, and lines read by SMs."""
    table = papers(sweep.table("prefetcher"))
    wide = normalised(table, "cycles", "prefetcher", "none", invert=True)
    result = pd.DataFrame({"IPC": geometric_mean(wide), "IPC, median": wide.median()})
    result["lines read"] = geometric_mean(normalised(table, "reads", "prefetcher", "none"))
    for column in ("coverage", "consumed", "early"):
        result[column] = table.groupby("prefetcher")[column].mean()
        result[f"{column}, median"] = table.groupby("prefetcher")[column].median()
    return result.loc[table["prefetcher"].unique()]


# The axes of each study, and the values that its figures are not made without; there may be others.
STUDIES = {
    "caps/bounds": {"change": ["none"]},
    "caps/degree": {"prefetcher": ["none"]},
    "caps/instruction_cache": {"prefetcher": ["none"], "l1i": []},
    "caps/parts": {"design": ["two_level"], "l1i": []},
    "caps/ctas": {"ctas": [], "prefetcher": ["none"]},
    "caps/every_scheduler": {"scheduler": ["two_level"], "prefetcher": ["none"]},
    "caps/issued": {"prefetcher": ["caps"]},
    "caps/loads": {"scheduler": []},
    "caps/prefetchers": {"prefetcher": ["none", "caps"]},
    "caps/schedulers": {"design": ["two_level"]},
    "caps/sensitivity": {"change": ["as in the paper"]},
    "caps/warp_distance": {"distance": []},
}

FIGURES = {
    "caps/fig1": ("caps/warp_distance", "Inter-warp prefetching by distance (matrixMul)", warp_distance,
                  "accuracy falls with distance, steeply at seven; tens of cycles a warp", "accuracy; cycles"),
    "caps/fig4": ("caps/loads", "Iterations of the four most executed loads", iterations,
                  "few loads are in loops", "executions a warp"),
    "caps/fig5": ("caps/loads", "Strides among CTAs of an SM", cta_strides, "irregular", "repeated strides"),
    "caps/fig10": ("caps/prefetchers", "Speed-up over two-level scheduling without prefetches", speedups,
                   "CAPS mean 1.08, best 1.27 (CNV), irregular 1.06; LAP and ORCH about 1.01", "IPC, normalised"),
    "caps/fig10_l1i": ("caps/instruction_cache", "Means of speed-ups by the size of the instruction cache", speedups_by_l1i,
                       "CAPS mean 1.08 with 2 KB", "IPC, normalised"),
    "caps/workloads": ("caps/prefetchers", "CAPS by workload", of_caps, "coverage 18 %, accuracy 97 %, early 0.91 %, 172.7 cycles",
                       "IPC, normalised; shares; cycles ahead"),
    "caps/fig11": ("caps/ctas", "IPC by CTAs of an SM, over 8 without prefetches",
                   over_baseline_row("ctas", lambda ctas: max(ctas, key=int)),
                   "all below 1 with fewer than 8 CTAs; CAPS best at 8", "IPC, normalised"),
    "caps/fig12a": ("caps/prefetchers", "Coverage: prefetches over demand requests", by_prefetcher("coverage"),
                    "CAPS 18 %", "coverage"),
    "caps/fig12b": ("caps/prefetchers", "Accuracy: consumed over issued", by_prefetcher("consumed"),
                    "CAPS 97 %", "accuracy"),
    "caps/fig12c": ("caps/prefetchers", "Accuracy: consumed by the load and warp meant, over issued",
                    by_prefetcher("matched"), "not in the paper", "accuracy"),
    "caps/issued": ("caps/issued", "Issued prefetches whose address their warp's load goes to", by_prefetcher("address_issued"),
                    "CAPS 97 %", "right addresses over issued"),
    "caps/fig13a": ("caps/prefetchers", "Read replies to SMs over those without prefetches", over_baseline("reads"),
                    "CAPS below 1.03, INTER above 2", "requests, normalised"),
    "caps/fig13b": ("caps/prefetchers", "DRAM reads over those without prefetches", over_baseline("dram_reads"),
                    "CAPS below 1.03, INTER above 2", "reads, normalised"),
    "caps/fig14a": ("caps/prefetchers", "Prefetched lines evicted before use", by_prefetcher("early"),
                    "CAPS 0.91 %, 1.16 % without wake-up", "early evictions"),
    "caps/fig14a_demand": ("caps/prefetchers", "Prefetched lines evicted before use, by demand and by anything",
                           early_evictions, "CAPS 0.91 %, evicted by demand", "early evictions"),
    "caps/fig14a_wakeup": ("caps/schedulers", "Prefetched lines of CAPS evicted before use", by_design("early"),
                           "0.91 % with, 1.16 % without wake-up", "early evictions"),
    "caps/fig14b": ("caps/schedulers", "Cycles from prefetch to demand", by_design("cycles ahead"),
                    "64.3 lrr, 145.0 two-level, 172.7 PAS", "cycles"),
    "caps/fig15": ("caps/prefetchers", "Energy over that without prefetches", over_baseline("energy"),
                   "CAPS 0.98", "energy, normalised"),
    "caps/ablation": ("caps/schedulers", "Speed-up of CAPS's parts over two-level scheduling", ablation,
                      "whole 1.08; parts not in the paper", "IPC, normalised"),
    "caps/fig10_parts": ("caps/parts", "Speed-ups of scheduler and prefetcher apart, over two-level scheduling", parts,
                         "both 1.08; parts not in the paper", "IPC, normalised"),
    "caps/degree": ("caps/degree", "INTER and MTA for one warp ahead, and for all", by_degree,
                    "INTER below 1, with more than twice the traffic", "IPC, normalised; shares"),
    "caps/sensitivity": ("caps/sensitivity", "CAPS with one thing changed, over CAPS as in the paper", changes,
                         "not in the paper", "IPC, normalised; shares"),
    "caps/consumed": ("caps/sensitivity", "Accuracy (consumed over issued) with one thing changed", consumed,
                      "97 % as in the paper", "accuracy"),
    "caps/every_scheduler": ("caps/every_scheduler", "IPC by warp scheduler, over two-level without prefetches",
                             over_baseline_row("scheduler", lambda names: "two_level"), "CAPS under PAS 1.08",
                             "IPC, normalised"),
    "caps/bounds": ("caps/bounds", "Bounds, and INTER further ahead, over no prefetches", changes,
                    "not in the paper", "IPC, normalised; shares"),
}
