#!/usr/bin/env python3
"""The runner of guides notices what is wrong in one."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run_guides  # noqa: E402

COMPILER = ["g++", "-std=c++20"]


def page(language, body):
    return f"# A guide\n```{language}\n{body}\n```\n"


class Runner(unittest.TestCase):
    def run_page(self, text):
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "page.md"
            path.write_text(text)
            return run_guides.run_guide(path, pathlib.Path("/bin/echo"), COMPILER)

    def faults(self, text):
        return " ".join(self.run_page(text).faults)

    def test_commands(self):
        guide = self.run_page(page("sh", "lookahead run") + page("text", "run"))
        self.assertEqual((guide.ran, guide.faults), (1, []))
        self.assertIn("page.md:2: exit code 1", self.faults(page("sh", "false\ntrue")))
        self.assertIn("exit code", self.faults(page("sh", "echo $unset")))

    def test_output(self):
        echo = page("sh", "echo 17 cycles, then 1.5e-3 J")
        self.assertEqual(self.faults(echo + page("text", "4 cycles, then 2.0 J")), "")
        self.assertIn("not printed: 4 warps", self.faults(echo + page("text", "4 warps")))
        self.assertIn("no output", self.faults(page("text", "17 cycles")))

    def test_python(self):
        self.assertEqual(self.faults(page("python", "import lookahead_analysis")), "")
        self.assertIn("AssertionError", self.faults(page("python", "assert 1 == 2")))

    def test_files(self):
        self.assertEqual(self.faults(page("toml file=a.toml", "x = 1") + page("sh", "grep x a.toml")), "")
        self.assertEqual(self.faults(page("cpp file=a.cpp compile", "int a = 1;")), "")
        self.assertIn("exit code", self.faults(page("cpp file=a.cpp compile", "int a = b;")))

    def test_quotations(self):
        self.assertEqual(self.faults(page("cpp in=core/README.md", "# The simulation engine")), "")
        self.assertIn("not in", self.faults(page("cpp in=core/README.md", "# The simulation engines")))
        self.assertIn("not in", self.faults(page("cpp in=core/none.h", "x")))

    def test_what_is_missing(self):
        guide = self.run_page(page("sh needs=no_such_command", "false"))
        self.assertEqual((guide.ran, guide.faults, guide.skipped), (0, [], ["page.md:2: no no_such_command"]))

    def test_languages_and_paths(self):
        self.assertIn("nobody runs", self.faults(page("bash", "true")))
        self.assertIn("nobody runs", self.faults(page("", "true")))
        self.assertIn("no none.md", self.faults("[a](none.md)"))
        self.assertIn("no core/none", self.faults("`core/none`"))


if __name__ == "__main__":
    unittest.main()
