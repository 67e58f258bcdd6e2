"""Writes a paper's pages, README.md and details.md. Their tables are made from the recorded results of its studies'
sweeps, which are CSV files beside the pages.

A paper's claims.py names the tables; `tables.py` in experiments/studies calls `main`. Recording takes the facts of each
point from a sweep's result files into `results/STUDY.csv`; writing makes the tables from these files and puts them
between the pages' markers. So a page cannot differ from its data, and each table says of which size and program it
is."""

import argparse
import importlib.util
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

import pandas as pd

from . import figures, papers
from .sweeps import Sweep, SweepError, name_of

# Columns of a recorded study that are not facts of a run.
OF_POINT = ["workload", "status", "size", "program"]
BEST, AXIS, SECONDS = "best: ", "axis: ", "wall_s"


class Recorded:
    """A study's recorded points, with the members of Sweep that figures use (sweeps.py). SweepError if the file is not
    a recorded study."""

    def __init__(self, path):
        self.folder = pathlib.Path(path)
        try:
            points = pd.read_csv(path, dtype=dict.fromkeys(OF_POINT, str), keep_default_na=False, na_values=[""])
        except (OSError, ValueError) as error:
            raise SweepError(f"{path}: is not a recorded study: {error}") from error
        lacking = [name for name in OF_POINT if name not in points]
        if lacking:
            raise SweepError(f"{path}: has no column '{lacking[0]}', which every recorded study has")
        self.study = self.folder.stem
        self.axes = [name.removeprefix(AXIS) for name in points if name.startswith(AXIS)]
        points = points.rename(columns={AXIS + axis: axis for axis in self.axes})
        for axis in self.axes:
            points[axis] = points[axis].map(lambda value: value if isinstance(value, str) else f"{value:.15g}")
        self.points = points

    require = Sweep.require
    missing, complete = Sweep.missing, Sweep.complete

    def table(self, *axes):
        if self.complete.empty:
            raise SweepError(f"{self.folder}: no point is complete")
        no_facts = (*OF_POINT, *self.axes, SECONDS)
        facts = [name for name in self.points if name not in no_facts and not name.startswith(BEST)]
        return self.complete[["workload", *axes, *facts]].reset_index(drop=True)

    def beside(self, study):
        return Recorded(self.folder.with_name(f"{study}.csv"))

    def best(self, name, *axes):
        if BEST + name not in self.points:
            raise SweepError(f"{self.folder}: has no column '{BEST}{name}': the study has no best of this name")
        values = self.complete[BEST + name].to_numpy()
        return self.table(*axes).assign(value=values).dropna(subset=["value"]).reset_index(drop=True)

    @property
    def caption(self):
        """In words: size, numbers of workloads and points, core hours, and program."""
        complete = self.complete
        sizes, programs = (", ".join(sorted(complete[name].unique())) for name in ("size", "program"))
        lacking = f", {len(self.missing)} without a result" if len(self.missing) else ""
        hours = f", {complete[SECONDS].sum() / 3600:.2g} h of a core" if SECONDS in complete else ""
        return (f"size {sizes}, {complete['workload'].nunique()} workloads, {len(complete)} points{lacking}{hours}, program "
                f"{programs}")


def in_place_of(recorded, table):
    """The recorded points, those that `table` has replaced by its own, and after them the points that were not
    recorded."""
    keys = ["workload", *(name for name in table if name.startswith(AXIS))]
    if keys != ["workload", *(name for name in recorded if name.startswith(AXIS))]:
        raise SweepError(f"the recorded study does not have the sweep's axes, which are {', '.join(keys[1:])}")
    found = {tuple(map(name_of, row[keys])): row for _, row in table.iterrows()}
    rows = [found.pop(tuple(map(name_of, row[keys])), row) for _, row in recorded.iterrows()]
    columns = [*recorded, *(name for name in table if name not in recorded)]
    return pd.DataFrame([*rows, *found.values()])[columns].infer_objects()


def record(sweep, study_facts, path, part=False):
    """Writes the points of a sweep to `path`, with what figures need of them. `part`: recorded points that the sweep
    lacks stay."""
    def facts(run):
        meta = run["meta"].attrs
        return {"size": str(run.attrs["size"]), "program": str(meta["git_revision"]), SECONDS: round(float(meta["wall_s"]), 3),
                **study_facts(run)}

    made = Sweep(sweep, facts)
    rows = []
    for _, point in made.points.iterrows():
        row = {"workload": point["workload"], "status": point["status"], **{AXIS + axis: point[axis] for axis in made.axes}}
        if point["status"] == "complete":
            row |= made.of_point(point, facts)
        for _, best in made.bests.iterrows() if len(made.bests) else ():
            if best["point"] == point["id"]:
                row[BEST + best["name"]] = best["value"]
        rows.append(row)
    table = pd.DataFrame(rows)
    for axis in made.axes:
        if axis in table:
            raise SweepError(f"{sweep}: the axis '{axis}' has the name of a fact of its runs; call it something else")
    path.parent.mkdir(exist_ok=True)
    if part and path.exists():
        table = in_place_of(pd.read_csv(path), table)
    # Five digits, and whole numbers in full: enough for the three digits of any table.
    numbers = table.select_dtypes("number").columns
    table[numbers] = table[numbers].apply(lambda column: column.map(
        lambda value: value if value == round(value) and abs(value) < 1e12 else float(f"{value:.5g}"), na_action="ignore"))
    table.to_csv(path, index=False, float_format="%.15g", lineterminator="\n")
    return table


def counts_things(column):
    """Whether a column has whole numbers that are not just ratios of 1."""
    numbers = pd.to_numeric(column, errors="coerce").dropna()
    return bool(len(numbers) and (numbers % 1 == 0).all() and numbers.max() > 1)


def cell(value, whole=False):
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return ""
    return f"{value:.0f}" if whole or abs(value) >= 100 else f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


def markdown(table):
    joined = lambda name: ", ".join(map(str, filter(None, name))) if isinstance(name, tuple) else str(name)  # noqa: E731
    lines = ["| | " + " | ".join(joined(name) for name in table.columns) + " |",
             "|---" * (len(table.columns) + 1) + "|"]
    whole = [counts_things(table.iloc[:, place]) for place in range(table.shape[1])]
    return lines + [f"| {joined(name)} | " + " | ".join(map(cell, row, whole)) + " |"
                    for name, row in zip(table.index, table.itertuples(index=False))]


def means_alone(table):
    """The rows with means, without those of workloads."""
    chosen = [name for name in table.index if str(name).startswith(("mean", "median"))]
    return table.loc[chosen]


def with_column(claims, paper, study, name, column, title):
    """Makes a change of a table: `column` of the paper's figure `name`, of the `study` that is recorded beside the file
    `claims`, becomes its last one."""
    def change(table):
        recorded = Recorded(pathlib.Path(claims).parent / "results" / f"{study}.csv")
        return table.assign(**{title: paper.table(name, recorded)[column]})
    return change


def near(value, paper, within, form="{:.3f}"):
    """Makes the claim that `value(study)`, of a recorded study, differs by at most `within` from the paper's value."""
    def look(study):
        ours = value(study)
        return form.format(ours), abs(ours - paper) <= within
    return look


def at_least(value, bound):
    def look(study):
        ours = value(study)
        return f"{ours:.3f}", ours >= bound
    return look


def all_have_causes(name, paper, workloads=None):
    """Makes the claim that the figure, made by sweeps.what_keeps, finds a cause for each of the workloads that has one."""
    def look(study):
        causes = paper.table(name, study)["what keeps it"]
        rows = causes.index if workloads is None else [row for row in map(paper.label, workloads) if row in causes.index]
        found = causes.loc[rows]
        left = [str(row).split()[0] for row in found.index[found == "?"]]
        return f"{(found != '').sum()}, without a cause: {', '.join(left) or 'none'}", not left
    return look


def claims_of(paper):
    """Returns a function that makes a claim about a value that the paper has in a figure: our value there, or
    `ours(study)` of the recorded study, differs from it by at most `within`."""
    def claim(name, row, column, within, ours=None, study=None):
        said, figure = paper.said(name, row, column), paper.figures[name]
        value = ours or (lambda recorded: paper.table(name, recorded).loc[row, column])
        return study or figure.study.split("/")[1], str(said), near(value, said, within)
    return claim


class Trial(NamedTuple):
    """What a test runs of a page's studies: the workloads at size tiny, or, for a study in `of_one`, those given there;
    and the claims that fail then."""

    workloads: list
    failing: set
    of_one: dict = {}


class Page:
    """A paper's page and the recorded studies beside it. `tables` has by study what is in the page: names of figures,
    or pairs of a name and a function that changes the figure's table. `claims` has by name: (study, what the paper
    says, a function of the study that gives our value and whether it holds)."""

    def __init__(self, folder, paper, tables, claims, trial=None):
        self.folder, self.paper, self.tables, self.claims, self.trial = pathlib.Path(folder), paper, tables, claims, trial
        self.name = self.folder.name

    def file(self, study):
        return self.folder / "results" / f"{study}.csv"

    def recorded(self, study):
        return Recorded(self.file(study))

    def tables_of(self, study):
        recorded = self.recorded(study)
        lines = [f"`{self.name}/{study}`: {recorded.caption}."]
        for entry in self.tables[study]:
            name, then = entry if isinstance(entry, tuple) else (entry, lambda table: table)
            figure, full_name = self.paper.figures[name], f"{self.name}/{name}"
            recorded.require(full_name, f"{self.name}/{study}", figure.axes)
            beside = "Not in the paper" if figure.words == papers.NOT_IN_PAPER else f"Paper: {figure.words}"
            table = figure.make(recorded)
            picture = [f"![{figure.title}](results/{name}.png)", ""] if "draw" in table.attrs else []
            lines += ["", f"`{full_name}`: {figure.title} ({figure.axis}). {beside}.", "", *picture, *markdown(then(table))]
        for _, point in recorded.missing.iterrows():
            lines += ["", f"Without a result: {point['workload']}, " + ", ".join(point[axis] for axis in recorded.axes) + "."]
        return lines

    def draw(self):
        """Draws the page's pictures: those of the figures whose tables say how to draw them."""
        for study, entries in self.tables.items():
            for name in (entry if isinstance(entry, str) else entry[0] for entry in entries):
                figure = self.paper.figures[name]
                table = figure.make(self.recorded(study))
                if "draw" in table.attrs:
                    figures.draw(table, figure.title, figure.words, figure.axis, self.folder / f"results/{name}.png", figure.values)

    def claims_table(self):
        lines = ["| claim | paper | ours | | study, size |", "|---|---|---|---|---|"]
        for claim, (study, paper, check) in self.claims.items():
            recorded = self.recorded(study)
            ours, holds = check(recorded)
            sizes = ", ".join(sorted(recorded.complete["size"].unique()))
            lines.append(f"| {claim} | {paper} | {ours} | {'pass' if holds else '**fail**'} | `{self.name}/{study}`, {sizes} |")
        return lines

    def texts(self):
        """The pages by path, with their tables written anew."""
        pages = {path: path.read_text() for path in (self.folder / "README.md", self.folder / "details.md") if path.exists()}
        sections = {study: self.tables_of for study in self.tables} | {"claims": lambda _: self.claims_table()}
        for study, make in sections.items():
            name = f"{self.name}/{study}"
            begin, end = f"<!-- {name}: made by tables.py -->", f"<!-- end of {name} -->"
            places = [path for path, page in pages.items() if begin in page or end in page]
            path, page = (places[0], pages[places[0]]) if len(places) == 1 else (None, "")
            if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
                raise SweepError(f"{self.folder}: no page has one place for {name}: '{begin}' and, after it, '{end}'")
            pages[path] = page[:page.index(begin)] + "\n".join([begin, *make(study), ""]) + page[page.index(end):]
        return pages

    def differing(self):
        """The pages that are not what the recorded studies make."""
        return [path for path, text in self.texts().items() if text != path.read_text()]


def page_of(folder):
    """The page of the paper with this folder, whose claims.py has TABLES, CLAIMS and TRIAL."""
    spec = importlib.util.spec_from_file_location(f"claims.{folder.name}", folder / "claims.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Page(folder, papers.of(folder.name), module.TABLES, module.CLAIMS, module.TRIAL)


def of_size(study_file, size, folder):
    """A copy of the study at another size, for a trial, without settings, which are of the study's own size."""
    text, count = re.subn(r'(?m)^size = ".*"$', f'size = "{size}"', study_file.read_text())
    if count != 1:
        raise SweepError(f"{study_file}: does not have exactly one line 'size = ...'")
    copy = folder / study_file.name
    copy.write_text(re.sub(r"(?s)\[settings\]\n.*?\n\n", "", text))
    return copy


def main(page, description, arguments=None):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sweeps", type=pathlib.Path, metavar="FOLDER",
                        help=f"record the sweeps {page.name}-STUDY.sweep that are in FOLDER; without: only write the page")
    parser.add_argument("--part", action="store_true",
                        help="the sweeps have some points of their studies; the others stay as they are recorded")
    parser.add_argument("--run", action="store_true", help="run them first; points that have a result are not run again")
    parser.add_argument("--program", default="lookahead", help="program that runs them [lookahead]")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--size", help="with --run: size instead of the studies' own, for a trial")
    studies = {f"{page.name}/{study}": study for study in page.tables}
    parser.add_argument("--only", choices=studies, action="append", metavar="STUDY", help=", ".join(studies))
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the page is not what its data make")
    chosen = parser.parse_args(arguments)
    if chosen.run and chosen.sweeps is None:
        parser.error("--run needs a folder for the sweeps: --sweeps FOLDER")
    try:
        for study in (chosen.only or studies) if chosen.sweeps else ():
            sweep = chosen.sweeps / f"{study.replace('/', '-')}.sweep"
            name = studies[study]
            if chosen.run:
                chosen.sweeps.mkdir(parents=True, exist_ok=True)
                source = page.folder / f"{name}.toml"
                what = of_size(source, chosen.size, chosen.sweeps) if chosen.size else study
                done = subprocess.run([chosen.program, "sweep", "run", what, "-j", str(chosen.jobs), "--progress", "none",
                                       "--out", sweep], stdout=subprocess.DEVNULL)
                if done.returncode not in (0, 4):  # 4: some points failed, which the page names
                    return done.returncode
            elif not sweep.is_dir():
                print(f"{study}: no sweep in {sweep}; its recorded points stay", file=sys.stderr)
                continue
            record(sweep, page.paper.facts_of(name), page.file(name), chosen.part)
        if chosen.check:
            differing = page.differing()
            for path in differing:
                print(f"{path}: is not what its recorded studies make; tables.py writes it", file=sys.stderr)
            return int(bool(differing))
        for path, text in page.texts().items():
            path.write_text(text)
    except SweepError as error:
        print(f"tables.py: {error}", file=sys.stderr)
        return 3
    page.draw()
    return 0
