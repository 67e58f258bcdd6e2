#!/usr/bin/env python3
"""Breaks rules that are no points of the sources one by one and looks whether the tests that should notice do.

    tests/mutation/mutate.py                      # every table of texts beside this file
    tests/mutation/mutate.py NAME --only index    # mutations of NAME.toml whose name or rule has "index"
    tests/mutation/mutate.py --list               # what there is
    tests/mutation/mutate.py --check              # only whether the tables fit the sources; nothing is built

A table of texts names test programs and mutations: `program` to build and run and the source `file`, for entries that do
not say otherwise; `test_sources`, where the names of test cases are looked up; and of each [[mutation]] its `name`, the
`rule` that it breaks, an exact text (`find`) that is once in its file, what takes its place (`replace`), and the
beginnings of names of test cases (`tests`), one of which must fail. Several places: edits = [{file, find, replace}, ...].
`equivalent` instead of `tests`: why no test can notice. The sources are copied to build/mutation, one mutation at a time is put in, the test programs are built and the named cases run. Exit status: 0 if
all mutations are caught, 1 if one survives, 2 if a table does not fit the sources or a mutation does not compile.
"""

import argparse
import re
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
TABLES = Path(__file__).resolve().parent
BUILD = Path("build/release")  # as in any checkout, so that a compiler cache serves both
TEST_SECONDS = 60


class TableError(Exception):
    pass


@dataclass
class Edit:
    file: str
    find: str
    replace: str


@dataclass
class Mutation:
    table: str
    name: str
    rule: str
    program: str
    edits: list
    tests: list
    equivalent: str  # why no test can notice, or empty

    def __str__(self):
        return f"{self.table}/{self.name}"


def read_table(path):
    content = tomllib.loads(path.read_text())
    if "rule" in content:  # of points: without_rules.py
        return [], []
    mutations = []
    for entry in content["mutation"]:
        edits = entry.get("edits") or [entry]
        mutations.append(Mutation(
            path.stem, entry["name"], entry["rule"], entry.get("program", content["program"]),
            [Edit(edit.get("file", entry.get("file", content.get("file"))), edit["find"], edit["replace"])
             for edit in edits],
            entry.get("tests", []), entry.get("equivalent", "")))
    return mutations, content["test_sources"]


def test_cases(patterns):
    """The names of all doctest cases in the files."""
    names = set()
    for pattern in patterns:
        for path in SOURCE.glob(pattern):
            for literals in re.findall(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', path.read_text()):
                names.add("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals)))
    return names


def faults_of(mutation, cases):
    """What of the entry does not fit the sources."""
    for edit in mutation.edits:
        path = SOURCE / edit.file
        count = path.read_text().count(edit.find) if path.is_file() else 0
        if count != 1:
            yield f"{mutation}: the text is {count} times in {edit.file}, not once:\n    {edit.find.strip()}"
        if edit.find == edit.replace:
            yield f"{mutation}: changes nothing"
    for test in mutation.tests:
        if not any(case.startswith(test) for case in cases):
            yield f"{mutation}: no test case begins with \"{test}\""
    if bool(mutation.tests) == bool(mutation.equivalent):
        yield f"{mutation}: either tests notice, or it says why none can (equivalent)"


def load_tables(names):
    paths = [TABLES / f"{name}.toml" for name in names] if names else sorted(TABLES.glob("*.toml"))
    mutations, faults = [], []
    for path in paths:
        if not path.is_file():
            raise TableError(f"{path} does not exist")
        entries, sources = read_table(path)
        cases = test_cases(sources)
        for entry in entries:
            faults += faults_of(entry, cases)
        doubled = {entry.name for entry in entries if [other.name for other in entries].count(entry.name) > 1}
        faults += [f"{path.stem}/{name}: two entries have this name" for name in sorted(doubled)]
        mutations += entries
    if faults:
        raise TableError("\n".join(faults))
    return mutations


class Workplace:
    """A copy of the sources with a build folder in it."""

    def __init__(self, folder, jobs):
        self.folder = folder
        self.jobs = jobs

    def prepare(self, programs):
        self.copy_sources()
        self.must(["cmake", "--preset", "release"], self.folder)
        if not self.build(programs):
            raise TableError(self.output)

    def copy_sources(self):
        """Files that are alike keep their time, so that nothing is built again for them."""
        names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=SOURCE,
                               check=True, capture_output=True, text=True).stdout.split("\0")
        kept = set()
        for name in filter(None, names):
            source, copy = SOURCE / name, self.folder / name
            if not source.is_file():
                continue
            kept.add(copy)
            content = source.read_bytes()
            if not copy.is_file() or copy.read_bytes() != content:
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)
                copy.chmod(source.stat().st_mode)
        for path in self.folder.rglob("*"):
            if path.is_file() and path not in kept and self.folder / "build" not in path.parents:
                path.unlink()

    def must(self, command, folder):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise TableError(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")

    def build(self, programs):
        done = subprocess.run(["ninja", "-C", str(BUILD), f"-j{self.jobs}", *sorted(programs)], cwd=self.folder,
                              capture_output=True, text=True)
        self.output = done.stdout[-3000:]
        return done.returncode == 0

    def program(self, name):
        found = [path for path in (self.folder / BUILD / "tests").rglob(name) if path.is_file()]
        if len(found) != 1:
            raise TableError(f"{name} was built {len(found)} times")
        return found[0]

    def passes(self, program, tests=()):
        """Whether the test cases (all: none named) end well, in time."""
        command = [str(self.program(program))]
        if tests:
            # A comma separates patterns.
            command.append("--test-case=" + ",".join(test.replace(",", "?") + "*" for test in tests))
        try:
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=TEST_SECONDS,
                                  errors="replace")
        except subprocess.TimeoutExpired:
            return False
        if tests and re.search(r"test cases:\s+0 \|", done.stdout):
            raise TableError(f"no test case of {program} is one of {tests}")
        return done.returncode == 0

    def try_out(self, mutation):
        """"caught", "survives", "equivalent" or "error"."""
        originals = {edit.file: (self.folder / edit.file).read_text() for edit in mutation.edits}
        try:
            for edit in mutation.edits:
                path = self.folder / edit.file
                path.write_text(path.read_text().replace(edit.find, edit.replace))
            if not self.build([mutation.program]):
                return "error"
            if mutation.equivalent:
                return "equivalent" if self.passes(mutation.program) else "caught all the same"
            return "survives" if self.passes(mutation.program, mutation.tests) else "caught"
        finally:
            for file, text in originals.items():
                (self.folder / file).write_text(text)


def duration(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def run(mutations, folder, jobs):
    workplace = Workplace(folder, jobs)
    programs = {mutation.program for mutation in mutations}
    print(f"building {', '.join(sorted(programs))} in {folder}", flush=True)
    workplace.prepare(programs)
    for program in sorted(programs):
        if not workplace.passes(program):
            raise TableError(f"{program} fails without a mutation")
    results = {}
    begin = time.monotonic()
    for number, mutation in enumerate(mutations, 1):
        result = workplace.try_out(mutation)
        results[mutation.name] = (mutation, result)
        spent = time.monotonic() - begin
        left = spent / number * (len(mutations) - number)
        print(f"[{number}/{len(mutations)}, {duration(left)} left] {result:10} {mutation}: {mutation.rule}", flush=True)
        if result == "error":
            print(workplace.output[-1500:])
    return list(results.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="*", help="a table's name; none: all")
    parser.add_argument("--only", metavar="TEXT", action="append",
                        help="mutations whose name or rule has TEXT; may be given more than once")
    parser.add_argument("--list", action="store_true", help="print the mutations")
    parser.add_argument("--check", action="store_true", help="check that the tables fit the sources")
    parser.add_argument("--folder", type=Path, default=SOURCE / "build/mutation/tree", help="where to copy and build")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="of the build")
    arguments = parser.parse_args()
    try:
        mutations = load_tables(arguments.table)
        if arguments.only:
            mutations = [each for each in mutations
                         if any(text in each.name or text in each.rule for text in arguments.only)]
        if arguments.list:
            for each in mutations:
                print(f"{each}\n    breaks: {each.rule}\n    must fail: "
                      + ("; ".join(each.tests) or f"nothing, for {each.equivalent}"))
        if arguments.list or arguments.check:
            print(f"{len(mutations)} mutations fit the sources")
            return 0
        results = run(mutations, arguments.folder, arguments.jobs)
    except TableError as error:
        print(error, file=sys.stderr)
        return 2
    wanted = [each for each in results if each[1] == ("equivalent" if each[0].equivalent else "caught")]
    rest = [each for each in results if each not in wanted]
    print(f"{sum(each[1] == 'caught' for each in wanted)} of {len(results)} caught, "
          f"{sum(each[1] == 'equivalent' for each in wanted)} are no errors")
    for mutation, result in rest:
        print(f"{result}: {mutation}: {mutation.rule}")
    return 2 if any(result == "error" for _, result in rest) else 1 if rest else 0


if __name__ == "__main__":
    sys.exit(main())
