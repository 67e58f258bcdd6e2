#!/usr/bin/env python3
"""Runs the AVC's studies and writes what came out into README.md beside this file.

    experiments/studies/avc/tables.py [--program build/release/lookahead] [--sweeps FOLDER] [--jobs 2] [--update]

Each study's sweep is a folder of its own in FOLDER; points that have a result are not run again, so that a second call
only writes. `--only STUDY` (as avc/designs) keeps to one study, and leaves the tables of the others in the page as they are.
Needs h5py, numpy and pandas.
"""

import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "experiments/analysis"))
from lookahead_analysis import figures  # noqa: E402
from lookahead_analysis.sweeps import Sweep  # noqa: E402

PAGE = HERE / "README.md"
# What stands in the page, by study; `avc/fig6` and the others are drawn by `lookahead report`.
TABLES = {
    "avc/operating_point": ["avc/fig7a", "avc/fig7b", "avc/fig7b_dynamic", "avc/traffic"],
    "avc/reasons": ["avc/reasons", "avc/reasons_energy", "avc/reasons_each"],
    "avc/designs": ["avc/designs", "avc/designs_traffic"],
    "avc/occupancy": ["avc/occupancy"],
    "avc/pointers": ["avc/pointers"],
    "avc/registers": ["avc/table4", "avc/gain", "avc/best"],
}


def markdown(table, index):
    lines = [f"| {index} | " + " | ".join(map(str, table.columns)) + " |", "|---" * (len(table.columns) + 1) + "|"]
    whole = {column for column in table if (table[column].dropna() % 1 == 0).iloc[:-1].all()}
    for name, row in table.iterrows():
        cells = ["" if value != value else f"{value:.0f}" if column in whole and value % 1 == 0 else f"{value:.3f}"
                 for column, value in row.items()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def tables_of(study, sweep):
    lines = []
    for name in TABLES[study]:
        _, title, make, paper, unit, facts, axes = figures.FIGURES[name]
        made = Sweep(sweep, facts)
        made.require(name, study, axes)
        index = "change" if name in ("avc/reasons", "avc/reasons_energy") else "workload"
        lines += ["", f"`{name}`: {title} ({unit}). Paper: {paper}.", "", *markdown(make(made), index)]
    points = made.points
    lacking = {workload: f"{len(of_it) - (of_it['status'] == 'complete').sum()} of {len(of_it)}"
               for workload, of_it in points.groupby("workload", sort=False) if (of_it["status"] != "complete").any()}
    if lacking:
        lines += ["", "Points without a result: " + ", ".join(f"{name} {count}" for name, count in lacking.items()) + "."]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/release/lookahead")
    parser.add_argument("--sweeps", type=pathlib.Path, default=pathlib.Path("avc.sweeps"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-run", action="store_true", help="take the points that have results, and run none")
    parser.add_argument("--only", choices=TABLES)
    parser.add_argument("--update", action="store_true", help="write the tables into README.md")
    options = parser.parse_args()
    options.sweeps.mkdir(parents=True, exist_ok=True)
    page = PAGE.read_text()
    for study in [options.only] if options.only else TABLES:
        folder = options.sweeps / f"{study.rsplit('/', 1)[-1]}.sweep"
        how = ["collect"] if options.no_run else ["run", "-j", str(options.jobs), "--progress", "none"]
        done = subprocess.run([options.program, "sweep", *how, HERE / f"{folder.stem}.toml", "--out", folder],
                              stdout=subprocess.DEVNULL)
        if done.returncode not in (0, 4):  # 4: some points failed, which the tables name
            return done.returncode
        begin, end = f"<!-- {study}: made by tables.py -->", f"<!-- end of {study} -->"
        text = "\n".join([begin, *tables_of(study, folder), "", end])
        print(text)
        if len(re.findall(re.escape(begin), page)) != 1:
            print(f"{PAGE}: has no place for {study}: '{begin}' and '{end}'", file=sys.stderr)
            return 3
        page = page[:page.index(begin)] + text + page[page.index(end) + len(end):]
    if options.update:
        PAGE.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
