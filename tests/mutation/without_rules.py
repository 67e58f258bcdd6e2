#!/usr/bin/env python3
"""Takes the rules of a table away one by one and checks that the tests that should fail do so.

    tests/mutation/without_rules.py TABLE PROGRAM [--only TEXT]

README.md describes the tables. Exit status: 0 if every loss is detected, 1 if one is not, 2 if the table does not fit
the sources or the program.
"""

import argparse
import re
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
POINT = re.compile(r"LOOKAHEAD_RULE\((\w+)\)")
SLACK = 5  # seconds; a program that hangs has detected the loss


class TableError(Exception):
    pass


def points_in(patterns, source=SOURCE):
    """The names of all points in the files."""
    return {name for pattern in patterns for path in source.glob(pattern) for name in POINT.findall(path.read_text())}


def faults_of(table, points, cases, known):
    """Entries of the table that do not fit the points in the sources, the program's test cases and its rules."""
    rules = table["rule"]
    for name in sorted(points - rules.keys()):
        yield f"{name} is a point in the sources; the table has no [rule.{name}]"
    for name, entry in rules.items():
        if name not in points:
            yield f"[rule.{name}]: {' '.join(table['sources'])} have no LOOKAHEAD_RULE({name})"
        elif name not in known:
            yield f"[rule.{name}]: the program has no such rule; configure the build again"
        if not entry.get("says"):
            yield f"[rule.{name}] says nothing"
        if bool(entry.get("tests")) == bool(entry.get("equivalent")):
            yield f"[rule.{name}]: either tests notice, or it says why none can (equivalent)"
        for test in entry.get("tests", []):
            if not any(case.startswith(test) for case in cases):
                yield f"[rule.{name}]: no test case begins with \"{test}\""


class Program:
    def __init__(self, path, table):
        self.path = path
        ranks = table.get("ranks", 0)
        self.launcher = ["mpirun", "-n", str(ranks), "--oversubscribe"] if ranks else []

    def lines(self, *options):
        return subprocess.run([self.path, *options], check=True, capture_output=True, text=True).stdout.splitlines()

    def passes(self, tests, without=None, seconds=None):
        """Whether the test cases end well, in so many seconds."""
        patterns = ",".join(test.replace(",", "?") + "*" for test in tests)  # a comma separates them
        command = [*self.launcher, self.path, f"--test-case={patterns}"] + ([f"--without={without}"] if without else [])
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                return process.wait(seconds) == 0
            except subprocess.TimeoutExpired:
                process.terminate()  # mpirun ends its ranks then, which it does not when it is killed
                return False


def seconds_of(program, test):
    """How long the test cases whose names begin so take with all rules."""
    begin = time.monotonic()
    if not program.passes([test]):
        raise TableError(f"\"{test}\" fails though all rules hold")
    return time.monotonic() - begin


def fault_of(program, name, entry, seconds):
    """What is wrong if the program does without the rule, or None; `seconds` of all tests that the table names."""
    tests = entry.get("tests", sorted(seconds))
    limit = SLACK + 2 * sum(seconds[test] for test in tests)  # two programs run at once
    passes = program.passes(tests, name, limit)
    if entry.get("equivalent"):
        return None if passes else f"{name} is said to be equivalent, but a test notices its loss"
    return f"no test notices the loss of {name}: {entry['says']}" if passes else None


def check(table, program, only=""):
    """The faults; TableError if the table does not fit."""
    faults = list(faults_of(table, points_in(table["sources"]), program.lines("--list-test-cases"),
                            program.lines("--rules")))
    if faults:
        raise TableError("\n".join(faults))
    seconds = {test: seconds_of(program, test)
               for test in sorted({test for entry in table["rule"].values() for test in entry.get("tests", [])})}
    rules = {name: entry for name, entry in table["rule"].items() if only in name or only in entry["says"]}
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda item: fault_of(program, *item, seconds), rules.items())
    return len(rules), [fault for fault in results if fault]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    parser.add_argument("program")
    parser.add_argument("--only", metavar="TEXT", default="", help="rules whose name or sentence has TEXT")
    arguments = parser.parse_args()
    try:
        table = tomllib.loads(arguments.table.read_text())
        count, faults = check(table, Program(arguments.program, table), arguments.only)
    except TableError as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join([*faults, f"{count} rules, {count - len(faults)} as the table says"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
