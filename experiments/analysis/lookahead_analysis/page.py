"""A page of charts from result files: `python3 -m lookahead_analysis.page run.h5 [other.h5 ...] -o run.html`.

The page needs nothing beside it. It shows several runs side by side, and starts with
the differences of their configurations.
"""

import argparse
import html
import pathlib
import sys

import numpy as np

from . import packages
from .drawing import cut_to_kernels, fit_height, legend_beside, picture
from .files import write_page
from .kernel_use import draw_roofline, use_of
from .messages import UNUSABLE, Parser, reason_of, text_of
from .packages import pandas as pd
from .run import Run, RunFileError

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1080px; color: #222; }
h2 { border-bottom: 1px solid #ccc; margin-top: 2em; } p { color: #555; max-width: 46em; }
table { border-collapse: collapse; font-size: 13px; } td, th { padding: .2em .8em; text-align: right; }
th, td:first-child { text-align: left; } tr:nth-child(even) { background: #f5f5f5; } svg { max-width: 100%; height: auto; }
.bad { color: #b00020; font-weight: bold; }
.code th { cursor: pointer; } .code td { white-space: nowrap; } .code td:nth-last-child(-n+2) { text-align: left; font-family: monospace; }
.code { display: block; overflow-x: auto; max-height: 40em; overflow-y: auto; } summary { cursor: pointer; color: #555; }
"""
# Sorts a table of instructions by the column whose head is clicked: numbers from the largest, texts from the first.
SORTING = """<script>
for (const head of document.querySelectorAll(".code th")) head.onclick = () => {
  const body = head.closest("table").tBodies[0], column = head.cellIndex, value = row => row.cells[column].dataset.value;
  const number = [...body.rows].every(row => value(row) === "" || !isNaN(value(row)));
  const least = text => text === "" ? -1 : Number(text);
  body.append(...[...body.rows].sort((a, b) => number ? least(value(b)) - least(value(a)) : value(a).localeCompare(value(b))));
};
</script>"""
# Counters that divide the warps' cycles among instructions, and what a warp then waits for.
WAITS = {"turn": "their turn", "memory_unit": "the load/store unit", "memory": "memory", "constants": "constants", "fence": "fences",
         "pipeline": "results of pipelines", "fetch": "instructions", "branch": "branches", "barrier": "barriers"}
MOST_ROWS = 400  # of a kernel's table
FACTS = {"workload": "workload", "size": "size", "machine": "machine", "status": "status", "outputs": "outputs", "cycles": "cycles",
         "warp_instructions": "warp instructions", "ipc": "warp instructions per cycle",
         "thread_instructions": "thread instructions", "thread_ipc": "thread instructions per cycle", "kernels": "kernels",
         "state_hash": "state_hash"}
# Kind, hits, the counters whose sum they are a part of, label.
HITS = [("l1d", "hits_demand", ["hits_demand", "merges_demand", "misses_demand"], "L1D hits"),
        ("l1d", "merges_demand", ["hits_demand", "merges_demand", "misses_demand"], "L1D merges with misses under way"),
        ("l2_slice", "read_hits", ["reads"], "L2 hits of reads")]


def bars(table, axis):
    """Draws a horizontal bar for each row, stacked from its columns; nothing if all are zero."""
    table, colors = _coloured(table)
    if table.empty:
        return ""

    def draw(axes):
        table.iloc[::-1].plot.barh(ax=axes, stacked=True, width=0.75, color=colors)
        axes.set_xlabel(axis)
        axes.set_ylabel("")
        legend_beside(axes)
    return picture(draw, height=0.8 + max(0.4 * len(table), 0.17 * len(table.columns)))


def _from_start(table):
    """The table with a row at cycle 0: a value holds for the interval that ends at its cycle, and the first interval
    begins there."""
    return pd.concat([table.iloc[:1].set_axis([0]), table]) if len(table) and table.index[0] > 0 else table


def lines(columns, axis, kernels):
    """Draws steps over core cycles while kernels ran; `columns` has series and `kernels` launches, by run's name."""
    def draw(axes):
        for place, (name, series) in enumerate(columns.items()):
            series = _from_start(series)
            (line,) = axes.plot(series.index, series, drawstyle="steps-pre", linewidth=1.1, label=name)
            cut_to_kernels(axes, kernels[name], line.get_color(), place, len(columns) == 1)
        axes.set_xlabel("core cycle")
        axes.set_ylabel(axis)
        fit_height(axes)
        axes.grid(alpha=0.3)
        legend_beside(axes)
    return picture(draw)


def areas(shares, kernels):
    """Draws shares of 1 over core cycles while kernels ran, stacked from the columns."""
    shares, colors = _coloured(_from_start(shares))

    def draw(axes):
        axes.stackplot(shares.index, *(shares[cause] for cause in shares), labels=shares.columns, step="pre", colors=colors)
        axes.set_xlabel("core cycle")
        axes.set_ylabel("scheduler cycles")
        axes.set_ylim(0, 1)
        axes.margins(x=0)
        cut_to_kernels(axes, kernels)
        legend_beside(axes)
    return picture(draw)


def _coloured(table):
    """The columns that are not all zero, and a colour for each, the same in every table with such columns."""
    import matplotlib
    used = [number for number, column in enumerate(table) if (table[column] != 0).any()]
    return table.iloc[:, used], [matplotlib.cm.tab20(number % 20) for number in used]


def text_table(table):
    return table.to_html(border=0, escape=True, float_format=lambda value: f"{value:.4g}", na_rep="")


def section(title, explanation, *parts):
    return f"<h2>{html.escape(title)}</h2>\n<p>{html.escape(explanation)}</p>\n" + "\n".join(filter(None, parts))


def overview(runs):
    columns = {}
    for name, run in runs.items():
        summary, meta = run.summary, run.meta
        facts = {label: summary[fact] for fact, label in FACTS.items()}
        if "energy" in run.file:
            facts["energy (J)"] = run.energy_summary["total_j"]
            facts["average power (W)"] = run.energy_summary["average_w"]
        facts["ranks"] = f"{meta['ranks']} ({meta['sync']})"
        facts["wall time (s)"] = meta["wall_s"]
        facts["warp instructions / s"] = meta["warp_instructions_per_s"]
        facts["program"] = meta["git_revision"]
        columns[name] = {fact: f"{value:.5g}" if isinstance(value, float) else str(value) for fact, value in facts.items()}
    incomplete = [name for name, run in runs.items() if not run.complete]
    warning = "".join(f'<p class="bad">{html.escape(name)} did not end well: it must not enter an average.</p>'
                      for name in incomplete)
    idle = "".join(f"<p>{html.escape(name)}: no kernel ran, so there is no chart of where cycles went, none over time and no "
                   "energy.</p>" for name, run in runs.items() if not len(run.kernels))
    return warning + idle + text_table(pd.DataFrame(columns))


def differences(runs):
    """Keys of the configuration in which the runs differ; of a single run, those that the command line set."""
    values = pd.DataFrame({name: run.config["value"].astype(str) for name, run in runs.items()})
    if len(runs) > 1:
        chosen, title = values[values.nunique(axis=1, dropna=False) > 1], "What differs in the configurations"
    else:
        (run,) = runs.values()
        chosen, title = values[run.config["source"].str.startswith("override")], "Set on the command line"
    return section(title, "Keys of the configuration with their values.", text_table(chosen)) if len(chosen) else ""


def launches(run):
    """Name, begin and end of each launch, in core cycles."""
    return run.kernel_cycles.assign(name=run.kernels["name"])


def stall_shares(run, by):
    sums = run.stalls.groupby(by).sum()
    return sums.div(sums.sum(axis=1).replace(0, 1), axis=0)


def has_stalls(run):
    return "stalls" in run.file and bool(run.file["stalls/scheduler_cycles"][...].any())


def where_cycles_went(runs):
    runs = {name: run for name, run in runs.items() if has_stalls(run)}
    if not runs:
        return ""
    totals = pd.DataFrame({name: run.stalls.sum() for name, run in runs.items()}).T
    shares = totals.div(totals.sum(axis=1), axis=0)
    over_time = [f"<h3>{html.escape(name)}</h3>" + areas(stall_shares(run, "cycle"), launches(run)) for name, run in runs.items()]
    return section("Where the cycles went", "Every cycle of every scheduler has one cause.",
                   bars(shares, "share of scheduler cycles"), *over_time)


def costs_of(code):
    """The instructions of a kernel with what the page says of them; shares are percent."""
    whole = code[list(WAITS)].sum().sum()
    ended = code[["memory", "pipeline"]].sum().sum()
    issued = code["issued"].replace(0, np.nan)
    answers = code[["l1_hits", "l1_merges", "l1_misses"]].sum(axis=1).replace(0, np.nan) if "l1_hits" in code else np.nan
    of = lambda name: code[name] if name in code else 0  # noqa: E731
    return pd.DataFrame({
        "share": 100 * code[list(WAITS)].sum(axis=1) / max(whole, 1),
        "most of it": code[list(WAITS)].idxmax(axis=1).where(code[list(WAITS)].sum(axis=1) > 0, ""),
        "ends": 100 * code["waited_for"] / max(ended, 1), "issued": code["issued"], "lanes": code["lanes"] / issued,
        "lines": (of("lines") / issued).replace(0, np.nan), "hits": 100 * of("l1_hits") / answers,
        "latency": of("load_cycles") / (of("loads") + 0 * issued).replace(0, np.nan),
        "pc": code["pc"], "line": code["cuda_line"].where(code["cuda_line"] > 0, code["ptx_line"]).replace(0, np.nan),
        "instruction": code["text"], "source": code["ptx"]})


def sentence_of(name, code, costs):
    """What the warps of a kernel waited for most, and for which instruction."""
    waits = code[list(WAITS)].sum().sort_values(ascending=False)
    largest = ", ".join(f"{100 * cycles / waits.sum():.0f} % for {WAITS[wait]}" for wait, cycles in waits.head(3).items() if cycles)
    ends = costs.loc[costs["ends"].idxmax()]
    last = (f" {ends['ends']:.0f} % of the waits for memory and pipelines ended with {ends['instruction'].removesuffix(' ;')} at {int(ends['pc']):#x}."
            if ends["ends"] > 0 else "")
    return f"<p>{html.escape(f'{name}: of the cycles of its warps {largest}.{last}')}</p>"


def code_table(costs):
    """A table that can be sorted, in which the share is a bar, too."""
    def cell(column, value):
        missing = isinstance(value, float) and np.isnan(value)
        shown = "" if missing else value if isinstance(value, str) else f"{value:#06x}" if column == "pc" else \
            f"{value:.0f}" if column in ("issued", "line", "latency") else f"{value:.1f}"
        heat = f' style="background: linear-gradient(90deg, #f4b183 {value:.1f}%, transparent 0)"' if column == "share" else ""
        return f'<td data-value="{"" if missing else html.escape(str(value))}"{heat}>{html.escape(str(shown))}</td>'
    head = "".join(f"<th>{name}</th>" for name in costs)
    rows = "".join(f"<tr>{''.join(cell(name, row[name]) for name in costs)}</tr>\n" for _, row in costs.iterrows())
    return f'<table class="code"><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table>'


def what_is_slow(runs):
    parts = []
    for name, run in runs.items():
        table = run.instructions if "instructions" in run.file else pd.DataFrame({"kernel": []})
        if len(runs) > 1 and len(table):
            parts.append(f"<h3>{html.escape(name)}</h3>")
        for kernel, code in table.groupby("kernel", sort=False):
            costs = costs_of(code)
            if not costs["issued"].sum():
                continue
            costly = costs.sort_values("share", ascending=False, kind="stable")
            parts += [sentence_of(kernel, code, costs), code_table(costly.head(8)),
                      f"<details><summary>all instructions of {html.escape(kernel)}</summary>"
                      + code_table(costs.loc[sorted(costly.head(MOST_ROWS).index)]) + "</details>"]
    return section("What is slow", "The cycles of each kernel's warps by the instruction that they had reached, in percent (share), and "
                   "what most of them waited for; ends: the part of the waits for memory and pipelines that its results ended. Lanes, "
                   "and lines of L1, are of an instruction on average; hits: of its loads in L1, in percent; latency: of a load, in "
                   "cycles. A click on a column's head sorts by it.", *parts, SORTING) if parts else ""


def use_of_the_machine(runs):
    parts = []
    for name, run in runs.items():
        if len(run.kernels) and "kernel_counters" in run.file and "sm.warp_instructions" in run.kernel_counters:
            parts += [f"<h3>{html.escape(name)}</h3>" if len(runs) > 1 else "", text_table(use_of(run)),
                      picture(lambda axes: draw_roofline(axes, run), 7.0, 3.6)]
    return section("Use of the machine", "By kernel, over all its launches. Warps an SM while it has any, the most that fit of the longest "
                   "launch, and what limits them. Below, the rate of instructions over how many there are of each byte of L1 and of "
                   "DRAM: a kernel near a slope is bound by that bandwidth, near the top by issue slots, and far below both by "
                   "latency.", *parts) if parts else ""


def over_time(runs):
    runs = {name: run for name, run in runs.items()
            if "sm" in run.series_kinds and "dram" in run.series_kinds and len(run.kernels)}
    if not runs:
        return ""
    ipc = {name: run.rate("sm", "warp_instructions").sum(axis=1) for name, run in runs.items()}
    bus = {name: run.rate("dram", "data_bus_cycles", "dram.frequency").mean(axis=1) for name, run in runs.items()}
    kernels = {name: launches(run) for name, run in runs.items()}
    return section("Over time", "The whole GPU, from the start of the first kernel to the end of the last; where it is grey, no "
                   "kernel ran.", lines(ipc, "warp instructions per cycle", kernels), lines(bus, "DRAM data bus in use", kernels))


def memory(runs):
    rates = {}
    for name, run in runs.items():
        rates[name] = {}
        for kind, hits, whole, label in HITS:
            sums = run.counters(kind).sum().to_dict() if kind in run.counter_kinds else {}
            if {hits, *whole} <= sums.keys() and sum(sums[part] for part in whole) > 0:
                rates[name][label] = sums[hits] / sum(sums[part] for part in whole)
    parts = [text_table(pd.DataFrame(rates))] if any(rates.values()) else []
    for name, run in runs.items():
        if "latency" in run.file and len(run.file["latency/sample"]):
            means = run.latency_summary.drop(columns=["samples", "total"])
            parts.append(f"<h3>{html.escape(name)}: sampled reads that missed a cache of their SM, by source and by how they were served</h3>" +
                         bars(means, "mean nanoseconds"))
    return section("Memory", "Hit rates of the run, and the stages that misses went through.", *parts) if parts else ""


def energy(runs):
    joules = {f"{name}, {category}": values for name, run in runs.items() if "energy" in run.file and len(run.kernels)
              for category, values in run.energy.items()}
    if not joules:
        return ""
    return section("Energy", "Joules while kernels ran, by component: dynamic for activity, static for time.",
                   bars(pd.DataFrame(joules).T, "joules"))


def kernels(runs):
    parts = []
    for name, run in runs.items():
        table = run.kernels
        if len(table):
            sums = table.groupby("name", sort=False)[["cycles", "warp_instructions", "thread_instructions"]].sum()
            sums.insert(0, "launches", table.groupby("name", sort=False).size())
            sums["warp instructions per cycle"] = sums["warp_instructions"] / sums["cycles"].replace(0, float("nan"))
            parts.append(f"<h3>{html.escape(name)}</h3>" + text_table(sums))
    return section("Kernels", "All launches of each kernel.", *parts) if parts else ""


def engine(runs):
    rows = {}
    for name, run in runs.items():
        for rank, row in run.engine.iterrows():
            rows[f"{name}, rank {rank}"] = {"computing": row["compute_seconds"], "waiting": row["blocked_seconds"]}
    return section("The simulation itself", "Seconds that each rank computed and waited for others.",
                   bars(pd.DataFrame(rows).T, "seconds")) if rows else ""


def document(title, body, more_style=""):
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="lookahead report"><title>{html.escape(title)}</title>'
            f"<style>{STYLE}</style>{more_style}</head><body>\n<h1>{html.escape(title)}</h1>\n{body}\n</body></html>\n")


def page(runs):
    """The HTML text for open runs by name. RunFileError if their files do not hold what the schema says."""
    try:
        return _page(runs)
    except UNUSABLE as error:
        files = ", ".join(run.path for run in runs.values())
        raise RunFileError(f"{files}: no page can be made from it: {reason_of(error)}") from error


def _page(runs):
    title = ", ".join(runs) if len(runs) > 1 else "{workload} {size} on {machine}".format(**next(iter(runs.values())).summary)
    body = "\n".join([overview(runs), differences(runs), what_is_slow(runs), use_of_the_machine(runs), where_cycles_went(runs), over_time(runs), memory(runs),
                      energy(runs), kernels(runs), engine(runs)])
    return document(title, body)


def names_of(files):
    """Short names: the files', or with their folders where these are needed to tell them apart."""
    stems = [pathlib.Path(file).stem for file in files]
    return stems if len(set(stems)) == len(stems) else [str(file) for file in files]


def main(arguments=None):
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="result files of runs")
    parser.add_argument("-o", "--out", required=True, help="page to write")
    chosen = parser.parse_args(arguments)
    if pathlib.Path(chosen.out).suffix not in (".html", ".htm"):
        parser.error(f"-o {chosen.out}: a page is written to a file that ends in .html")
    packages.require("pandas", "matplotlib")
    runs = {}
    try:
        for name, file in zip(names_of(chosen.files), chosen.files):
            runs[name] = Run(file)
        text = page(runs)
        write_page(chosen.out, text)
    except (RunFileError, OSError) as error:
        print(f"lookahead: {text_of(error, chosen.out)}", file=sys.stderr)
        return 3
    finally:
        for run in runs.values():
            run.close()
    print(f"{chosen.out}: {len(runs)} run{'s' if len(runs) > 1 else ''}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
