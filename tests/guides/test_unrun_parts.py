#!/usr/bin/env python3
"""What guides tell beside the blocks that run: a study's keys are those that the program reads, and a test that is to be run was
built by a command before it."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class StudyKeysTest(unittest.TestCase):
    def test_every_key_of_a_study_is_in_the_guide(self):
        source = (ROOT / "experiments/sweep/study.cpp").read_text()
        known = {table: re.findall(r'"(\w+)"', keys)
                 for table, keys in re.findall(r"check_keys\((\w+),\s*\{(.*?)\}\)", source, re.DOTALL) if table != "table"}
        self.assertEqual(set(known), {"root", "value"})
        expected = {*known["root"], *(f"axis.value.{key}" for key in known["value"])}
        for function, prefix in (("parse_axis", "axis"), ("parse_metric", "metric"), ("parse_best", "best")):
            body = source[source.index(f" {function}(const Reader"):]
            keys = re.search(r"check_keys\(table, \{(.*?)\}\)", body, re.DOTALL).group(1)
            expected |= {f"{prefix}.{key}" for key in re.findall(r'"(\w+)"', keys)}
        guide = (ROOT / "experiments/guide/my_study.md").read_text()
        table = guide[guide.index("## Every key"):]
        rows = re.findall(r"^\| `([\w.]+)` \|", table, re.MULTILINE)
        self.assertEqual(sorted(rows), sorted(expected))


class CommandsTest(unittest.TestCase):
    def test_a_test_is_built_before_it_is_run(self):
        looked_at = 0
        for guide in (ROOT / "experiments/guide").glob("*.md"):
            built = set()
            for line in guide.read_text().splitlines():
                if found := re.match(r"    cmake --build .* --target ([\w ]+)$", line):
                    built |= set(found.group(1).split())
                if found := re.match(r"    ctest .*-R (\w+)", line):
                    self.assertIn(found.group(1), built, guide.name)
                    looked_at += 1
        self.assertGreater(looked_at, 0)

    def test_a_guide_to_a_change_of_the_program_says_how_to_build_it(self):
        for name in ("my_mechanism", "my_statistic"):
            text = (ROOT / f"experiments/guide/{name}.md").read_text()
            self.assertRegex(text, r"\n    cmake --preset release -DCMAKE_UNITY_BUILD=OFF\n    cmake --build --preset release --target lookahead")


if __name__ == "__main__":
    unittest.main()
