#!/usr/bin/python3
"""Checks the tables, figures and page of a study against the result files of its sweep, and runs the notebook's cells.

    test_study.py --program LOOKAHEAD
"""

import itertools
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))
sys.path.insert(0, str(ROOT / "experiments/analysis"))
import lookahead_process as lookahead  # noqa: E402
from lookahead_analysis import Study, SweepError, study_figures  # noqa: E402
from lookahead_analysis.study import MEAN, front, ordered  # noqa: E402

STUDY = """
title = "Schedulers & caches"
source = "A test"
size = "tiny"
workloads = ["vecadd", "histogram", "bfs"]
[[axis]]
key = "sm.warp_scheduler"
values = ["lrr", "gto"]
[[axis]]
key = "l1d.ways"
values = [2, 16, 4]
[[metric]]
name = "miss_rate"
expression = "l1d.misses_demand / (l1d.hits_demand + l1d.merges_demand + l1d.misses_demand)"
"""
SCHEDULER, WAYS = "sm.warp_scheduler", "l1d.ways"
LOST = ("bfs", "gto", "16")
WORKLOADS, SCHEDULERS, ALL_WAYS = ["vecadd", "histogram", "bfs"], ["lrr", "gto"], ["2", "4", "16"]


def mean(values):
    return float(np.exp(np.mean(np.log(values))))


class StudyTest(unittest.TestCase):
    """One sweep serves all classes."""

    @classmethod
    def setUpClass(cls):
        if not hasattr(StudyTest, "study"):
            StudyTest.make_sweep()

    @classmethod
    def make_sweep(cls):
        folder = tempfile.TemporaryDirectory()
        unittest.addModuleCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.toml = cls.folder / "study.toml"
        cls.toml.write_text(STUDY)
        cls.out = cls.folder / "study.sweep"
        lookahead.output_of(PROGRAM, ["sweep", "run", cls.toml, "--out", cls.out, "-j", "2"])
        # One point fails.
        with h5py.File(cls.out / "index.h5") as index:
            points = index["points"]
            rows = list(zip(points["workload"].asstr(), points[SCHEDULER].asstr(), (f"{each:g}" for each in points[WAYS])))
            key = points["key"].asstr()[rows.index(LOST)]
            files = points["file"].asstr()[:]
        (cls.out / f"points/{key}.h5").unlink()
        (cls.out / f"points/{key}.failure.json").write_text('{"exit_code": 137, "message": "took <longer>", "wall_s": 1.5}')
        lookahead.output_of(PROGRAM, ["sweep", "collect", cls.toml, "--out", cls.out])
        cls.cycles, cls.energy = {}, {}
        for row, file in zip(rows, files):
            if row != LOST:
                with h5py.File(cls.out / file) as run:
                    cls.cycles[row], cls.energy[row] = float(run.attrs["cycles"]), float(run["energy"].attrs["total_j"])
        cls.study = Study(cls.out)

    def axes(self):
        self.addCleanup(plt.close)
        return plt.subplots()[1]

    def figure(self, draw, *arguments):
        axes = self.axes()
        draw(axes, self.study, *arguments)
        return axes


class TablesTest(StudyTest):
    def test_a_study_has_what_was_asked(self):
        self.assertEqual((self.study.name, self.study.title, self.study.source), ("study", "Schedulers & caches", "A test"))
        self.assertEqual(self.study.values, {SCHEDULER: SCHEDULERS, WAYS: ALL_WAYS})
        self.assertEqual(self.study.baseline, {SCHEDULER: "lrr", WAYS: "2"})
        self.assertEqual(list(self.study.failed.iloc[0]), [*LOST, "failed", 137, "took <longer>"])
        self.assertEqual((len(self.study.complete), len(self.study.failed)), (17, 1))
        self.assertIn("miss_rate", self.study.metrics)
        self.assertNotIn(WAYS, self.study.metrics)

    def test_speed_ups_compare_what_differs_in_one_axis(self):
        table = self.study.speedups(SCHEDULER)
        self.assertEqual((list(table.index), list(table.columns)), ([*WORKLOADS, MEAN], ["gto"]))
        for workload in WORKLOADS:
            pairs = [self.cycles[workload, "lrr", ways] / self.cycles[workload, "gto", ways] for ways in ALL_WAYS
                     if (workload, "gto", ways) != LOST]
            self.assertAlmostEqual(table.loc[workload, "gto"], mean(pairs), 12)
        self.assertAlmostEqual(table.loc[MEAN, "gto"], mean(table.loc[WORKLOADS, "gto"]), 12)
        table = self.study.speedups(WAYS)
        self.assertEqual(list(table.columns), ["4", "16"])
        self.assertAlmostEqual(table.loc["bfs", "16"], self.cycles["bfs", "lrr", "2"] / self.cycles["bfs", "lrr", "16"], 12)

    def test_a_grid_is_of_pairs_of_values_that_no_workload_lacks(self):
        table = self.study.grid(SCHEDULER, WAYS)
        for scheduler, ways in itertools.product(SCHEDULERS, ALL_WAYS):
            if (scheduler, ways) == LOST[1:]:
                self.assertTrue(np.isnan(table.loc[scheduler, ways]))
            else:
                expected = mean([self.cycles[each, "lrr", "2"] / self.cycles[each, scheduler, ways] for each in WORKLOADS])
                self.assertAlmostEqual(table.loc[scheduler, ways], expected, 12)
        by_workload = self.study.grid(WAYS, "workload")
        self.assertAlmostEqual(by_workload.loc["4", "vecadd"], mean(
            [self.cycles["vecadd", each, "2"] / self.cycles["vecadd", each, "4"] for each in SCHEDULERS]), 12)
        self.assertEqual(self.study.pairs(), [(SCHEDULER, WAYS)])

    def test_the_front_is_what_no_other_beats_in_both(self):
        table = self.study.trade_off()
        self.assertEqual(len(table), 5)  # the one that lacks bfs is left out
        for scheduler, ways in table.index:
            for column, figures in (("cycles", self.cycles), ("energy", self.energy)):
                expected = mean([figures[each, scheduler, ways] / figures[each, "lrr", "2"] for each in WORKLOADS])
                self.assertAlmostEqual(table.loc[(scheduler, ways), column], expected, 12)
        pairs = list(zip(table["cycles"], table["energy"]))
        for pair, is_front in zip(pairs, table["front"]):
            beaten = any(other != pair and other[0] <= pair[0] and other[1] <= pair[1] for other in pairs)
            self.assertEqual(is_front, not beaten)
        self.assertEqual(list(front(np.array([1, 2, 3, 2, 1.0]), np.array([3, 2, 1, 3, 3.0]))), [True, True, True, False, True])

    def test_the_distribution_has_every_complete_point(self):
        series = self.study.distribution()
        self.assertEqual(len(series), 17)
        expected = sorted(self.cycles[row[0], "lrr", "2"] / cycles for row, cycles in self.cycles.items())
        np.testing.assert_allclose(sorted(series), expected)

    def test_another_baseline_may_be_given(self):
        study = Study(self.out / "index.h5", {WAYS: "16"})
        self.assertEqual(study.baseline, {SCHEDULER: "lrr", WAYS: "16"})
        self.assertAlmostEqual(study.speedups(WAYS).loc["bfs", "2"],
                               self.cycles["bfs", "lrr", "16"] / self.cycles["bfs", "lrr", "2"], 12)
        for baseline, message in (({"ways": "2"}, "no axis 'ways'"), ({WAYS: "3"}, "no value '3'; it has 2, 4, 16")):
            with self.assertRaisesRegex(SweepError, message):
                Study(self.out, baseline)

    def test_values_are_ordered_by_size_where_they_are_numbers(self):
        self.assertEqual(ordered(["10", "9", "2e3"]), ["9", "10", "2e3"])
        self.assertEqual(ordered(["b", "a", "3"]), ["b", "a", "3"])


class FiguresTest(StudyTest):
    def test_bars_stand_on_1_and_end_at_the_speed_ups(self):
        axes = self.figure(study_figures.draw_speedups, WAYS)
        table = self.study.speedups(WAYS)
        for bars, column in zip(axes.containers, table):
            self.assertEqual(bars.get_label(), column)
            for bar, value in zip(bars, table[column]):
                self.assertAlmostEqual(bar.get_y(), 1)
                self.assertAlmostEqual(bar.get_y() + bar.get_height(), value, 12)
        # A change of a few percent takes a good part of the height.
        low, high = axes.get_ylim()
        self.assertTrue(low < table.min().min() and high > table.max().max())
        self.assertLess(high - low, 1.35 * max(0.02, table.max().max() - min(0.99, table.min().min())))

    def test_of_many_values_there_is_a_line_for_each_workload(self):
        class Many:
            baseline, units = {"ways": "1"}, {"ways": "line"}

            def __init__(self, values):
                self.values = {"ways": values}

            def speedups(self, axis):
                others = self.values[axis][1:]
                return pd.DataFrame([np.arange(len(others)) / 100 + 1.01] * 2, index=["bfs", MEAN], columns=others)

        numbers = ["1", *map(str, range(4, 17))]
        for values, places in ((numbers, [1, *range(4, 17)]), (["1", *"abcdefghijklm"], range(14))):
            axes = self.axes()
            study_figures.draw_speedups(axes, Many(values), "ways")
            lines = {line.get_label(): line.get_xydata() for line in axes.lines}
            np.testing.assert_allclose(lines["bfs"], list(zip(places, [1, *(np.arange(13) / 100 + 1.01)])))
            self.assertEqual((axes.get_xlabel(), len(axes.containers)), ("ways (line)", 0))
        axes = self.axes()
        study_figures.draw_speedups(axes, Many(numbers[:13]), "ways")  # twelve beside the baseline
        self.assertEqual(len(axes.containers), 12)

    def test_cells_have_the_grid_s_numbers(self):
        axes = self.figure(study_figures.draw_grid, SCHEDULER, WAYS)
        texts = {(text.get_position()): text.get_text() for text in axes.texts}
        table = self.study.grid(SCHEDULER, WAYS)
        for row, column in itertools.product(range(2), range(3)):
            value = table.iloc[row, column]
            self.assertEqual(texts[column + 0.5, row + 0.5], "-" if np.isnan(value) else f"{value:.3f}")
        self.assertEqual(axes.get_xlabel(), "l1d.ways (line)")

    def test_of_many_cells_not_all_are_named(self):
        for count, step in ((40, 1), (41, 2)):
            axes = self.axes()
            study_figures.name_cells(axes.xaxis, [f"v{number}" for number in range(count)])
            self.assertEqual([text.get_text() for text in axes.get_xticklabels()], [f"v{number}" for number in range(0, count, step)])
            self.assertEqual(axes.get_xticks()[1], step + 0.5)

    def test_the_front_is_named(self):
        axes = self.figure(study_figures.draw_trade_off)
        table = self.study.trade_off()
        best = table[table["front"]].sort_values("cycles")
        legend = [text.get_text() for text in axes.get_legend().get_texts()]
        for number, (scheduler, ways) in enumerate(best.index, 1):
            self.assertIn(f"{number}: {SCHEDULER} {scheduler}, {WAYS} {ways}", legend)
        self.assertIn(f"{len(table) - len(best)} others", legend)

    def test_every_point_is_a_dot(self):
        axes = self.figure(study_figures.draw_distribution)
        dots = np.concatenate([dots.get_offsets()[:, 1] for dots in axes.collections])
        np.testing.assert_allclose(sorted(dots), sorted(self.study.distribution()))


class PageTest(StudyTest):
    def report(self, *arguments):
        return lookahead.execute(PROGRAM, ["report", "--python", sys.executable, *arguments])

    def page(self, sweep, *options):
        """The text of the page, which must be made, and the process that made it."""
        page = self.folder / "page.html"
        done = self.report(sweep, "-o", page, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return page.read_text(), done

    def assert_refused(self, done, code, message):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_a_page_has_all_figures_failures_and_links(self):
        shutil.rmtree(self.folder / "page-runs", ignore_errors=True)
        text, done = self.page(self.out, "--run-pages", "2")
        self.assertEqual(done.stderr, "")
        self.assertIn("17 of 18 points, pages of 2 runs", done.stdout)
        for title in ("Speed-ups", "Two axes at once", "Cycles against energy", "All points", "Points without a result", "Runs"):
            self.assertRegex(text, f"<h2( class=.bad.)?>{title}</h2>")
        self.assertEqual(text.count("<svg"), 5)  # an axis each, both, energy, all points
        self.assertIn("<h1>Schedulers &amp; caches</h1>", text)
        self.assertIn("took &lt;longer&gt;", text)
        self.assertIn("l1d.ways (line)", text)
        outside = re.findall(r'(?:src|href)="(?!#)(.*?)"', re.sub("<svg.*?</svg>", "", text, flags=re.S))
        self.assertEqual(len(outside), 2)
        for each in outside:
            run = (self.folder / each).read_text()
            self.assertTrue(run.endswith("</html>\n") and "Where the cycles went" in run, each)
        self.assertIn("15 runs have no page here", text)
        # Pages that are there stay.
        before = {file: file.stat().st_mtime_ns for file in (self.folder / "page-runs").iterdir()}
        _, done = self.page(self.out, "--run-pages", "3")
        self.assertIn("pages of 3 runs", done.stdout)
        self.assertTrue(all(file.stat().st_mtime_ns == time for file, time in before.items()))

    def test_a_baseline_is_taken_or_refused_by_name(self):
        text, _ = self.page(self.out, "--run-pages", "0", "--baseline", f"{WAYS}=16")
        self.assertIn("l1d.ways 16", text)
        text, _ = self.page(self.out, "--run-pages", "0", "--baseline", f"{WAYS}=4", "--baseline", f"{SCHEDULER}=gto")
        self.assertIn("sm.warp_scheduler gto, l1d.ways 4", text)
        done = self.report(self.out, "-o", self.folder / "page.html", "--baseline", f"{WAYS}=5")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, r"^lookahead: .*no value '5'; it has 2, 4, 16\n$")

    def test_a_study_of_which_nothing_has_run_has_a_page(self):
        out = self.folder / "none.sweep"
        (out / "points").mkdir(parents=True)
        shutil.copy(self.out / "study.toml", out)
        lookahead.output_of(PROGRAM, ["sweep", "collect", self.toml, "--out", out])
        text, _ = self.page(out)
        self.assertIn("18 of 18 points appear in no figure", text)

    def test_a_study_without_axes_has_a_page(self):
        toml, out = self.folder / "plain.toml", self.folder / "plain.sweep"
        toml.write_text('title = "Plain"\nmachine = "gtx480"\nsize = "tiny"\nworkloads = ["vecadd", "histogram"]\n')
        lookahead.output_of(PROGRAM, ["sweep", "run", toml, "--out", out, "-j", "2"])
        text, _ = self.page(out)
        self.assertIn("<h1>Plain</h1>", text)
        self.assertIn("histogram", text)

    def test_a_sweep_without_an_index_is_told_how_it_gets_one(self):
        out = self.folder / "cut.sweep"
        (out / "points").mkdir(parents=True)
        shutil.copy(self.out / "study.toml", out)
        for more in ([], ["--figure", "caps/fig10"]):
            done = self.report(out, *more)
            self.assert_refused(done, 3, f"{out}: the sweep has no index yet; 'lookahead sweep collect STUDY --out {out}' writes it")
            self.assertNotIn("no such file", done.stderr)
        self.assert_refused(self.report(self.folder / "absent.sweep"), 3, "there is no such file or folder")

    def test_what_cannot_be_is_refused(self):
        page = ["-o", self.folder / "x.html"]
        for arguments, code, message in (
                ([*page, self.folder], 3, "is not a sweep with an index"),
                ([*page, self.out, self.out], 2, "give one folder"),
                ([self.out, "-o", "page.svg"], 2, "ends in .html"),
                ([*page, self.out, "--baseline", "ways"], 2, "give AXIS=VALUE"),
                ([*page, self.out / "index.h5", "--figure", "caps/fig10", "--baseline", "a=b"], 2, "for the page of a sweep")):
            self.assert_refused(self.report(*arguments), code, message)


class GuideTest(StudyTest):
    def test_the_readme_s_example_of_a_study_runs(self):
        text = (ROOT / "experiments/analysis/README.md").read_text()
        (example,) = [each for each in re.findall(r"```python\n(.*?)```", text, flags=re.S) if "mine.sweep" in each]
        (self.folder / "mine.sweep").symlink_to(self.out)
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        names = {}
        exec(compile(example, "README.md", "exec"), names)
        self.assertEqual(len(names["study"].points), 18)


class NotebookTest(StudyTest):
    def test_its_cells_run_and_show_what_the_page_shows(self):
        plt.close("all")
        notebook = json.loads((ROOT / "experiments/analysis/study.ipynb").read_text())
        names = {}
        os.environ["LOOKAHEAD_SWEEP"] = str(self.out)
        self.addCleanup(os.environ.pop, "LOOKAHEAD_SWEEP")
        self.addCleanup(plt.close, "all")
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for number, cell in enumerate(cells):
            self.assertEqual(cell["outputs"], [])  # results are not checked in
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
        figures = [plt.figure(number) for number in plt.get_fignums()]
        self.assertEqual(len(figures), 5)
        bars = figures[0].axes[0].containers[0]
        self.assertAlmostEqual(bars[0].get_y() + bars[0].get_height(), self.study.speedups(SCHEDULER).iloc[0, 0], 12)
        self.assertEqual(names["slowest"]["cycles"], max(self.cycles.values()))
        self.assertGreater(len(names["activity"]), 1)


if __name__ == "__main__":
    PROGRAM = lookahead.program_of_unit_tests(__doc__)
    unittest.main()
