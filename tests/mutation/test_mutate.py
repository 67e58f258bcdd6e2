"""The mutation tool by itself: every table fits the sources, one that does not is named, and results are told apart."""

import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import mutate  # noqa: E402

CASES = {"a rule that holds", "another rule"}
EDIT = mutate.Edit("tests/mutation/test_mutate.py", "CASES = " + "{", "CASES = [")
MUTATION = mutate.Mutation("table", "name", "rule", "program", [EDIT], ["a rule"], "")


class Fake(mutate.Workplace):
    """Builds nothing: what `behaves` says of the mutated text decides."""

    def __init__(self, folder, behaves, compiles=True):
        super().__init__(folder, 1)
        self.behaves, self.compiles = behaves, compiles

    def build(self, programs):
        self.output = ""
        return self.compiles

    def passes(self, program, tests=()):
        return self.behaves((self.folder / "a.cpp").read_text())


class Tables(unittest.TestCase):
    def test_every_table_fits_the_sources_and_breaks_rules(self):
        for path in mutate.TABLES.glob("*.toml"):
            of_points = "[rule." in path.read_text()
            self.assertEqual(len(mutate.load_tables([path.stem])) == 0, of_points, path)

    def test_an_entry_that_fits_has_no_faults(self):
        self.assertEqual(list(mutate.faults_of(MUTATION, CASES)), [])

    def test_a_text_that_is_not_there_or_twice_is_a_fault(self):
        gone = replace(MUTATION, edits=[replace(EDIT, find="no such" + " text")])
        self.assertIn("is 0 times in", next(mutate.faults_of(gone, CASES)))
        twice = replace(MUTATION, edits=[replace(EDIT, find="import ")])
        self.assertIn("not once", next(mutate.faults_of(twice, CASES)))
        no_file = replace(MUTATION, edits=[replace(EDIT, file="no/such/file.cpp")])
        self.assertIn("is 0 times in", next(mutate.faults_of(no_file, CASES)))

    def test_a_test_case_that_does_not_exist_is_a_fault(self):
        self.assertIn("no test case", next(mutate.faults_of(replace(MUTATION, tests=["a rule that failed"]), CASES)))

    def test_an_entry_needs_tests_or_a_reason_why_none_can_notice(self):
        self.assertEqual(len(list(mutate.faults_of(replace(MUTATION, tests=[]), CASES))), 1)
        self.assertEqual(len(list(mutate.faults_of(replace(MUTATION, equivalent="so"), CASES))), 1)

    def test_names_of_cases_may_go_over_lines(self):
        cases = mutate.test_cases(["tests/components/sm/stall_causes_test.cpp"])
        self.assertTrue(any(case.endswith("and that before a barrier") for case in cases))


class Results(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = Path(self.place.name)
        (self.folder / "a.cpp").write_text("x = 1; y = 2;")

    def tearDown(self):
        self.place.cleanup()

    def result(self, behaves, equivalent="", compiles=True):
        edits = [mutate.Edit("a.cpp", "1", "7"), mutate.Edit("a.cpp", "2", "8")]
        mutation = replace(MUTATION, edits=edits, tests=[] if equivalent else ["a rule"], equivalent=equivalent)
        result = Fake(self.folder, behaves, compiles).try_out(mutation)
        self.assertEqual((self.folder / "a.cpp").read_text(), "x = 1; y = 2;")
        return result

    def test_a_mutation_is_caught_if_a_test_fails_and_survives_if_none_does(self):
        self.assertEqual(self.result(lambda text: text != "x = 7; y = 8;"), "caught")
        self.assertEqual(self.result(lambda text: text == "x = 7; y = 8;"), "survives")

    def test_a_mutation_that_changes_nothing_to_see_must_not_be_caught(self):
        self.assertEqual(self.result(lambda text: True, equivalent="so"), "equivalent")
        self.assertEqual(self.result(lambda text: False, equivalent="so"), "caught all the same")

    def test_a_mutation_that_does_not_compile_is_an_error(self):
        self.assertEqual(self.result(lambda text: True, compiles=False), "error")


if __name__ == "__main__":
    unittest.main()
