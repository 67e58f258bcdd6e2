"""A page of a whole study from its sweep: `python3 -m lookahead_analysis.study_page STUDY.sweep -o report.html`.

The page needs nothing beside it; pages of single runs, to which it links, are in a folder beside it.
"""

import argparse
import html
import os
import pathlib
import sys
import urllib.parse

from . import packages
from .drawing import picture
from .files import write_page
from .messages import Parser, text_of
from .page import document, page, section, text_table
from .run import Run, RunFileError
from .study import Study
from .study_figures import MOST_BARS, draw_distribution, draw_grid, draw_speedups, draw_trade_off
from .sweeps import SweepError

MOST_GRIDS = 3
DEFAULT_RUN_PAGES = 24
WIDE = "<style>figure { margin: 0; overflow-x: auto; } .wide { overflow-x: auto; } figure svg { max-width: none; }</style>"
COLUMNS = ["cycles", "ipc", "thread_ipc", "energy_j", "average_w", "wall_s"]


def figure(text):
    return f"<figure>{text}</figure>"


def overview(study):
    counts = study.points["status"].value_counts()
    rows = [("study", study.name), ("source", study.source), ("points", f"{len(study.points)}: "
             + ", ".join(f"{count} {status}" for status, count in counts.items())), ("workloads", ", ".join(study.workloads))]
    rows += [(f"axis {axis}", "; ".join(study.values[axis])) for axis in study.axes]
    rows += [("baseline", study.name_of(tuple(study.baseline.values())) or "none: the study has no axes")]
    cells = "".join(f"<tr><td>{html.escape(name)}</td><td style='text-align:left'>{html.escape(str(value))}</td></tr>"
                    for name, value in rows if value)
    return f"<table>{cells}</table>"


def failures(study):
    failed = study.failed
    if not len(failed):
        return ""
    table = failed.to_html(border=0, index=False, escape=True)
    return section("Points without a result", f"{len(failed)} of {len(study.points)} points appear in no figure.",
                   f'<div class="wide">{table}</div>').replace("<h2>", '<h2 class="bad">', 1)


def bars_by_workload(study):
    parts = []
    for axis in study.axes:
        if len(study.values[axis]) < 2:
            continue
        table = study.speedups(axis)
        if not table.notna().any(axis=None):
            continue
        bars = len(table) * (len(table.columns) + 1) if len(table.columns) <= MOST_BARS else 0
        width = min(30.0, max(6.0 if bars else 9.0, 1.5 + 0.055 * bars))  # a page is eleven wide
        parts.append(f"<h3>{html.escape(axis)}</h3>" + figure(picture(lambda axes: draw_speedups(axes, study, axis), width, 3.6)))
    return section("Speed-ups", "Cycles with the baseline's value over those with each other value of the axis, all else equal; "
                   "geometric means over the other axes. Bars start at 1, and the axis is cut.", *parts) if parts else ""


def heat_maps(study):
    parts = []
    for rows, columns in study.pairs()[:MOST_GRIDS]:
        table = study.grid(rows, columns)
        if table.notna().any(axis=None):
            size = (max(4.5, 2.5 + 0.55 * len(table.columns)), max(2.4, 1.2 + 0.32 * len(table)))
            parts.append(figure(picture(lambda axes: draw_grid(axes, study, rows, columns), *size)))
    return section("Two axes at once", "Speed-up over the baseline's values of both, geometric mean over everything else.",
                   *parts) if parts else ""


def trade_off(study):
    table = study.trade_off()
    if len(table) < 2:
        return ""
    best = table[table["front"]].drop(columns="front").sort_values("cycles")
    return section("Cycles against energy", "A dot is a combination of the axes' values, the geometric mean over the workloads; "
                   "no other dot has both fewer cycles and less energy than a dot on the front, which the table lists.",
                   figure(picture(lambda axes: draw_trade_off(axes, study), 7.0, 4.2)), text_table(best))


def distribution(study):
    series = study.distribution()
    if not len(series) or len(series) == series.index.get_level_values(0).nunique():
        return ""
    width = min(30.0, max(6.0, 1.5 + 0.4 * len(study.workloads)))
    return section("All points", "Speed-up of every complete point over its workload's baseline: box and median of the middle "
                   "half, whiskers to the minimum and maximum.", figure(picture(lambda axes: draw_distribution(axes, study), width, 3.6)))


def write_run_pages(study, folder, most):
    """Writes pages of complete points' runs until there are `most`. Returns the pages by point's key; a page that was
    there before and is newer than the result counts and stays."""
    made = {}
    for _, point in study.complete.iterrows():
        target, source = folder / f"{point['key']}.html", study.file_of(point)
        if not source.exists():
            continue
        if target.exists() and target.stat().st_mtime > source.stat().st_mtime:
            made[point["key"]] = target
        elif len(made) < most:
            folder.mkdir(parents=True, exist_ok=True)
            name = ", ".join([point["workload"], *([study.name_of(study.combination(point))] if study.axes else [])])
            with Run(source) as run:
                write_page(target, page({name: run}))
            made[point["key"]] = target
    return made


def table_of_points(study, pages, out):
    complete = study.complete
    if not len(complete):
        return ""
    shown = [name for name in COLUMNS if name in complete] + [name for name in study.metrics if name not in COMMON]
    table = complete[["workload", *study.axes, *shown]].copy()
    table.insert(0, "run", [link(point, pages, out, study) for _, point in complete.iterrows()])
    table.columns = [name + (f" ({study.units[name]})" if study.units.get(name) else "") for name in table.columns]
    for name in table.columns[1:]:
        table[name] = [f"{value:.5g}" if isinstance(value, float) else html.escape(str(value)) for value in table[name]]
    missing = len(complete) - len(pages)
    note = f"{missing} runs have no page here: give --run-pages {len(complete)}, or lookahead report with a result file. " \
        if missing else ""
    return section("Runs", note + "Every complete point.",
                   f'<div class="wide">{table.to_html(border=0, index=False, escape=False)}</div>')


# Metrics of every index that the table of runs leaves out.
COMMON = {"warp_instructions", "thread_instructions", "energy_delay_js", "energy_dynamic_j", "energy_static_j", "kernel_launches",
          "time_fs", *COLUMNS}


def link(point, pages, out, study):
    target = pages.get(point["key"])
    if target is None:
        return html.escape(point["key"][:8])
    path = urllib.parse.quote(os.path.relpath(target, out.parent))
    return f'<a href="{path}">{html.escape(point["key"][:8])}</a>'


def study_page(study, pages, out):
    """The HTML text of the page `out`, with links to `pages`, the runs' pages by point's key."""
    title = study.title or study.name
    body = "\n".join([overview(study), bars_by_workload(study), heat_maps(study), trade_off(study), distribution(study),
                      failures(study), table_of_points(study, pages, out)])
    return document(title, body, WIDE)


def baseline_of(parser, texts):
    """Makes {axis: value} of texts AXIS=VALUE."""
    for text in texts:
        if "=" not in text:
            parser.error(f"--baseline {text}: give AXIS=VALUE")
    return dict(text.rsplit("=", 1) for text in texts)


def main(arguments=None):
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sweep", help="folder of a sweep, with index.h5")
    parser.add_argument("-o", "--out", required=True, help="page to write; pages of runs are in a folder of its name")
    parser.add_argument("--baseline", action="append", default=[], metavar="AXIS=VALUE",
                        help="baseline of the comparisons [the first value that the study names]; may be repeated")
    parser.add_argument("--run-pages", type=int, default=DEFAULT_RUN_PAGES, metavar="N",
                        help="make pages of at most N runs [%(default)s]")
    chosen = parser.parse_args(arguments)
    out = pathlib.Path(chosen.out)
    if out.suffix not in (".html", ".htm"):
        parser.error(f"-o {chosen.out}: a page is written to a file that ends in .html")
    packages.require("pandas", "matplotlib")
    try:
        study = Study(chosen.sweep, baseline_of(parser, chosen.baseline))
        pages = write_run_pages(study, out.with_name(out.stem + "-runs"), chosen.run_pages)
        write_page(out, study_page(study, pages, out))
    except (SweepError, RunFileError, OSError) as error:
        print(f"lookahead: {text_of(error, chosen.out)}", file=sys.stderr)
        return 3
    print(f"{out}: {len(study.complete)} of {len(study.points)} points, pages of {len(pages)} runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
