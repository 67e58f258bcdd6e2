#!/usr/bin/python3
"""Checks the page that `lookahead report` makes of result files.

    test_page.py --program LOOKAHEAD
"""

import argparse
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import lookahead_process as lookahead  # noqa: E402


class PageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_file(self, name, *options):
        file = self.folder / name
        summary = lookahead.simulate(PROGRAM, ["histogram", "--size", "tiny", "--out", file, *options])
        return file, summary

    def report(self, *arguments):
        return lookahead.execute(PROGRAM, ["report", *arguments, "--python", sys.executable])

    def page(self, *files):
        out = self.folder / "page.html"
        done = self.report(*files, "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out.read_text()

    def test_a_run_has_its_figures_and_charts_and_needs_nothing_else(self):
        file, summary = self.run_file("a.h5", "-o", "l1d.ways=8")
        text = self.page(file)
        for value in (str(summary["cycles"]), summary["state_hash"], "histogram tiny on gtx480"):
            self.assertIn(value, text)
        for title in ("Where the cycles went", "Over time", "Memory", "Energy", "Kernels", "The simulation itself"):
            self.assertIn(f"<h2>{title}</h2>", text)
        self.assertEqual(text.count("<svg"), text.count("</svg>"))
        self.assertGreaterEqual(text.count("<svg"), 7)
        self.assertIsNone(re.search(r'(src|href)="(?!#)', re.sub("<svg.*?</svg>", "", text, flags=re.S)))
        self.assertIn("Set on the command line", text)
        self.assertIn("<th>l1d.ways</th>", text)
        self.assertNotIn("did not end well", text)

    def test_runs_stand_side_by_side_with_what_they_differ_in(self):
        first, _ = self.run_file("first.h5")
        second, _ = self.run_file("second.h5", "-o", "sm.warp_scheduler=lrr", "--max-cycles", "4000")
        text = self.page(first, second)
        differences = text[text.index("What differs"):text.index("Where the cycles went")]
        self.assertEqual(re.findall(r"<th>([\w.]+\.\w+)</th>", differences), ["sm.warp_scheduler"])
        self.assertIn("<td>lrr</td>", differences)
        self.assertIn("second did not end well", text)
        self.assertNotIn("first did not end well", text)

    def test_what_is_no_result_is_refused(self):
        done = self.report(self.folder / "none.h5")
        self.assertEqual(done.returncode, 3)
        self.assertIn("none.h5: cannot be read", done.stderr)
        file, _ = self.run_file("a.h5")
        done = self.report(file, "-o", self.folder / "no" / "page.html")
        self.assertEqual(done.returncode, 3)
        self.assertIn("No such file", done.stderr)
        self.assertEqual(self.report(file, file, "--figure", "caps/fig10").returncode, 2)
        self.assertEqual(self.report().returncode, 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", type=pathlib.Path, default=lookahead.default_program())
    chosen, rest = parser.parse_known_args()
    PROGRAM = chosen.program
    unittest.main(argv=[sys.argv[0], *rest])
