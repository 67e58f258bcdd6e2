"""The script by itself: every point has a table, a table that does not fit is named, and results are told apart."""

import os
import sys
import tomllib
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import without_rules  # noqa: E402

# Clauses of the memory contract: tests/functional/litmus and tests/components/sm/lsu take these away.
ELSEWHERE = ["components/cache/l1_data.cpp", "components/cache/l1_data_stores.cpp", "components/cache/l1_sets.cpp",
             "components/sm/lsu/access_order.cpp", "components/sm/lsu/coalescing_unit.cpp",
             "components/sm/lsu/l1_accesses.cpp"]
SOURCES = ["core/**/*.cpp", "components/**/*.cpp", "experiments/**/*.cpp", "partitioning/**/*.cpp"]
MUTATED = os.environ.get("LOOKAHEAD_MUTATED_SOURCES")  # a file that the build's configuration has written
POINTS = without_rules.points_in(["components/mechanisms/pmode/pre_execution.cpp"])


def a_table(**rules):
    return {"sources": ["components/mechanisms/pmode/pre_execution.cpp"], "rule": rules}


def a_rule(**entry):
    return {"says": "a rule", "tests": ["a"]} | entry


class Fake:
    """A program whose test cases "a" and "b" detect the loss of all rules of the table except `unseen`."""

    def __init__(self, unseen=(), broken=False):
        self.unseen, self.broken = unseen, broken

    def lines(self, option):
        return sorted(POINTS) if option == "--rules" else ["a", "b"]

    def passes(self, tests, without=None, seconds=None):
        return not self.broken and (without is None or without in self.unseen)


class Tables(unittest.TestCase):
    def test_every_point_is_in_the_sources_of_one_table(self):
        patterns = ELSEWHERE[:]
        for path in sorted(Path(__file__).parent.glob("*.toml")):
            patterns += tomllib.loads(path.read_text())["sources"]
        files = [path for pattern in patterns for path in without_rules.SOURCE.glob(pattern)]
        self.assertEqual(len(files), len(set(files)))
        self.assertEqual(without_rules.points_in(SOURCES), without_rules.points_in(patterns))
        self.assertEqual(without_rules.points_in(["components/**/*.h"]), set())

    @unittest.skipUnless(MUTATED, "runs with ctest")
    def test_the_build_has_the_sources_with_points_a_second_time(self):
        files = {str(path.relative_to(without_rules.SOURCE)) for pattern in SOURCES
                 for path in without_rules.SOURCE.glob(pattern) if without_rules.POINT.search(path.read_text())}
        self.assertEqual(files, set(Path(MUTATED).read_text().split()), "configure the build again (cmake --preset ...)")

    def faults(self, **changed):
        table = a_table(**{name: a_rule() for name in POINTS} | changed)
        return list(without_rules.faults_of(table, POINTS, ["a", "b"], POINTS))

    def test_a_table_that_fits_has_no_faults(self):
        self.assertEqual(self.faults(), [])

    def test_what_does_not_fit_is_named(self):
        name = sorted(POINTS)[0]
        self.assertIn("have no LOOKAHEAD_RULE(gone)", self.faults(gone=a_rule())[0])
        self.assertIn('no test case begins with "c"', self.faults(**{name: a_rule(tests=["c"])})[0])
        self.assertIn("says nothing", self.faults(**{name: a_rule(says="")})[0])
        for entry in (a_rule(tests=[]), a_rule(equivalent="so")):
            self.assertIn("either tests notice", self.faults(**{name: entry})[0])
        missing = list(without_rules.faults_of(a_table(), POINTS, ["a"], POINTS))
        self.assertEqual(len(missing), len(POINTS))
        unknown = list(without_rules.faults_of(a_table(**{name: a_rule()}), {name}, ["a"], []))
        self.assertIn("the program has no such rule", unknown[0])


class Results(unittest.TestCase):
    def check(self, program, **entry):
        return without_rules.check(a_table(**{name: a_rule(**entry) for name in POINTS}), program)

    def test_a_loss_that_no_test_notices_is_a_fault(self):
        self.assertEqual(self.check(Fake()), (len(POINTS), []))
        count, faults = self.check(Fake(unseen=sorted(POINTS)[:1]))
        self.assertEqual((count, len(faults)), (len(POINTS), 1))

    def test_an_equivalent_rule_must_not_be_noticed(self):
        # One rule keeps its tests, so that the table names some.
        keeps = sorted(POINTS)[0]
        rules = {name: a_rule() if name == keeps else {"says": "a rule", "equivalent": "so"} for name in POINTS}
        for unseen, faults in ((sorted(POINTS)[1:], 0), ((), len(POINTS) - 1)):
            self.assertEqual(len(without_rules.check(a_table(**rules), Fake(unseen))[1]), faults)

    def test_tests_that_fail_anyway_say_nothing(self):
        with self.assertRaisesRegex(without_rules.TableError, "though all rules hold"):
            self.check(Fake(broken=True))


if __name__ == "__main__":
    unittest.main()
