#!/usr/bin/python3
"""Checks the page that `lookahead report` makes of result files.

    test_page.py --program LOOKAHEAD
"""

import html
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import h5py
import matplotlib.collections
import matplotlib.figure
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "experiments/analysis"))
import lookahead_process as lookahead  # noqa: E402
import lookahead_analysis  # noqa: E402
from lookahead_analysis import Run, page  # noqa: E402


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

    def test_a_run_that_ended_before_its_first_kernel_has_a_page_that_says_so(self):
        early, _ = self.run_file("early.h5", "--max-cycles", "100")
        whole, _ = self.run_file("whole.h5")
        text = self.page(early)
        self.assertIn("early: no kernel ran", text)
        for title in ("Where the cycles went", "Over time", "Energy", "Kernels"):
            self.assertNotIn(f"<h2>{title}</h2>", text)
        text = self.page(early, whole)
        self.assertIn("early: no kernel ran", text)
        self.assertNotIn("whole: no kernel ran", text)
        self.assertEqual(text.count("<h3>early"), 0)
        for title in ("Where the cycles went", "Over time", "Energy", "Kernels"):
            self.assertIn(f"<h2>{title}</h2>", text)

    def test_a_run_without_kernels_is_printed_and_plotted(self):
        early, _ = self.run_file("early.h5", "--max-cycles", "100")
        folder = pathlib.Path(lookahead_analysis.__file__).parents[1]
        printed = subprocess.run([sys.executable, "-m", "lookahead_analysis", early], cwd=folder, capture_output=True, text=True,
                                 check=False)
        self.assertEqual((printed.returncode, printed.stderr), (0, ""))
        self.assertIn("kernels\nnone ran\n", printed.stdout)
        self.assertNotIn("Empty DataFrame", printed.stdout)
        plot = self.folder / "early.svg"
        done = subprocess.run([sys.executable, folder / "plot_run.py", early, "-o", plot], capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(plot.exists())

    def test_another_ending_is_refused(self):
        done = self.report("none.h5", "-o", "page.png")
        self.assertEqual(done.returncode, 2)
        self.assertIn("-o page.png: a page is written to a file that ends in .html", done.stderr)

    def test_a_python_without_packages_gets_one_sentence(self):
        bare = self.folder / "python"
        bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
        bare.chmod(0o755)
        done = lookahead.execute(PROGRAM, ["report", "none.h5", "-o", "page.html", "--python", bare])
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"^\S+ has no h5py and no numpy and no pandas; install [^\n]*\n$")

    def test_the_first_python_of_the_path_that_has_the_packages_is_taken(self):
        file, _ = self.run_file("run.h5")
        folder = self.folder / "bin"
        folder.mkdir()
        (folder / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
        (folder / "python3").chmod(0o755)
        out = self.folder / "found.html"
        done = subprocess.run([PROGRAM, "report", file, "--out", out], env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"},
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("What is slow", out.read_text())

    def test_the_readme_s_example_runs(self):
        file, _ = self.run_file("run.h5")
        text = (pathlib.Path(lookahead_analysis.__file__).parents[1] / "README.md").read_text()
        code = text[text.index("```python\n") + 10:text.index("```\n", text.index("```python"))]
        self.assertGreater(code.count("run."), 12)
        exec(code.replace("run.h5", str(file)), {})

    def test_what_is_no_result_is_refused(self):
        done = self.report(self.folder / "none.h5")
        self.assertEqual(done.returncode, 3)
        self.assertIn("none.h5: cannot be read", done.stderr)
        file, _ = self.run_file("a.h5")
        done = self.report(file, "-o", self.folder / "no" / "page.html")
        self.assertEqual(done.returncode, 3)
        self.assertIn("No such file or directory", done.stderr)
        self.assertEqual(self.report(file, file, "--figure", "caps/fig10").returncode, 2)
        self.assertEqual(self.report().returncode, 2)


class Drawn:
    """What one chart shows, read from its artists when it is written."""

    def __init__(self, figure):
        (axes,) = figure.axes
        self.axis = axes.get_xlabel() if axes.get_xlabel() != "core cycle" else axes.get_ylabel()
        self.legend = [text.get_text() for text in axes.get_legend().get_texts()]
        rows = dict(zip(axes.get_yticks(), (text.get_text() for text in axes.get_yticklabels())))
        # Row: the lengths of its bars by their names in the legend, and where the last ends.
        self.bars, self.ends = {}, {}
        for bars in axes.containers:
            for bar in bars:
                row = rows[round(bar.get_y() + bar.get_height() / 2)]
                self.bars.setdefault(row, {})[bars.get_label()] = bar.get_width()
                self.ends[row] = max(self.ends.get(row, 0), bar.get_x() + bar.get_width())
        self.lines = {line.get_label(): line.get_xydata() for line in axes.lines}
        self.xlim, self.ylim = axes.get_xlim(), axes.get_ylim()
        # Places of the lines that mark begin and end of kernels, by color.
        self.boundaries = [sorted(segment[0][0] for segment in each.get_segments()) for each in axes.collections
                           if isinstance(each, matplotlib.collections.LineCollection)]
        legend = axes.get_legend().get_window_extent()
        self.legend_is_beside = legend.x0 >= axes.get_window_extent().x1
        self.areas = {area.get_label(): area.get_paths()[0] for area in axes.collections}


class ChartsTest(unittest.TestCase):
    """Every chart of a page of two runs, against what h5py reads from their files."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.files, charts = {}, []
        for name, options in {"gto": [], "lrr": ["-o", "sm.warp_scheduler=lrr"]}.items():
            path = pathlib.Path(folder.name) / f"{name}.h5"
            lookahead.simulate(PROGRAM, ["histogram", "--size", "tiny", "--out", path, *options])
            cls.files[name] = h5py.File(path, "r")
            cls.addClassCleanup(cls.files[name].close)
        runs = {name: Run(file.filename) for name, file in cls.files.items()}
        save = matplotlib.figure.Figure.savefig

        def record(figure, *arguments, **options):
            charts.append(Drawn(figure))
            save(figure, *arguments, **options)

        matplotlib.figure.Figure.savefig = record
        try:
            cls.text = page.page(runs)
        finally:
            matplotlib.figure.Figure.savefig = save
            for run in runs.values():
                run.close()
        cls.charts = charts

    def charts_of(self, axis, count):
        found = [chart for chart in self.charts if chart.axis == axis]
        self.assertEqual(len(found), count, [chart.axis for chart in self.charts])
        return found

    def check_bars(self, chart, expected):
        """`expected`: by row, by name. A name that is zero in every row has no bars."""
        used = [name for name in next(iter(expected.values())) if any(row[name] for row in expected.values())]
        self.assertEqual(chart.legend, used)
        self.assertEqual(chart.bars.keys(), expected.keys())
        for row, values in expected.items():
            for name in used:
                self.assertAlmostEqual(chart.bars[row][name] / sum(values.values()), values[name] / sum(values.values()), 9)
            self.assertAlmostEqual(chart.ends[row] / sum(values.values()), 1, 9)

    def texts(self, dataset):
        return list(dataset.asstr()[...])

    def test_every_chart_is_looked_at(self):
        self.assertEqual(sorted({chart.axis for chart in self.charts}),
                         ["DRAM data bus in use", "joules", "mean nanoseconds", "scheduler cycles", "seconds",
                          "share of scheduler cycles", "warp instructions a byte", "warp instructions per cycle"])
        self.assertEqual(self.text.count("<svg"), len(self.charts))

    def test_where_the_cycles_went_is_shares_of_all_causes(self):
        (chart,) = self.charts_of("share of scheduler cycles", 1)
        expected = {}
        for name, file in self.files.items():
            causes = file["stalls/scheduler_cycles"][...].reshape(-1, len(file["stalls/cause"])).sum(axis=0)
            expected[name] = dict(zip(self.texts(file["stalls/cause"]), causes / causes.sum()))
        self.check_bars(chart, expected)
        self.assertAlmostEqual(chart.ends["gto"], 1, 9)

    def test_causes_over_time_lie_one_on_the_other(self):
        for file, chart in zip(self.files.values(), self.charts_of("scheduler cycles", 2)):
            cycles = file["stalls/cycle"][...]
            causes = self.texts(file["stalls/cause"])
            sums = file["stalls/scheduler_cycles"][...].reshape(len(cycles), -1, len(causes)).sum(axis=1)
            looked_at = 0
            shares = sums / np.maximum(sums.sum(axis=1, keepdims=True), 1)
            for begin, end, row in zip([0, *cycles[:-1]], cycles, shares):
                for cause, share, top in zip(causes, row, np.cumsum(row)):
                    if share > 1e-3:
                        middle = ((begin + end) / 2, top - share / 2)
                        inside = [name for name, area in chart.areas.items() if area.contains_point(middle)]
                        self.assertEqual(inside, [cause], middle)
                        looked_at += 1
            self.assertGreater(looked_at, 2 * len(cycles))

    def test_instructions_and_bandwidth_are_of_each_interval_from_cycle_0_on(self):
        (ipc,), (bus,) = self.charts_of("warp instructions per cycle", 1), self.charts_of("DRAM data bus in use", 1)
        for name, file in self.files.items():
            cycles = file["series/sm/cycle"][...].astype(float)
            lengths = np.diff(cycles, prepend=0)
            issued = file["series/sm/warp_instructions"][...].sum(axis=1) / lengths
            in_use = file["series/dram/data_bus_cycles"][...].mean(axis=1) / lengths
            in_use *= file["config/sm.frequency"][()] / file["config/dram.frequency"][()]
            for chart, rates in ((ipc, issued), (bus, in_use)):
                self.assertEqual(chart.legend, list(self.files))
                np.testing.assert_allclose(chart.lines[name][:, 0], [0, *cycles])
                np.testing.assert_allclose(chart.lines[name][:, 1], [rates[0], *rates], rtol=1e-9)
            self.assertGreater(issued.max(), 0)

    def busy(self, file):
        """Begins and ends of kernels in core cycles."""
        times = np.concatenate([file["kernels/start_fs"][...], file["kernels/end_fs"][...]])
        return np.unique(times * float(file["config/sm.frequency"][()]) / 1e15)

    def test_time_is_cut_to_the_kernels_with_their_boundaries(self):
        busy = [self.busy(file) for file in self.files.values()]
        self.assertGreater(len(busy[0]), 3)
        over_time = [*self.charts_of("warp instructions per cycle", 1), *self.charts_of("DRAM data bus in use", 1)]
        for chart in over_time:
            np.testing.assert_allclose(chart.xlim, (min(each[0] for each in busy), max(each[-1] for each in busy)))
            self.assertEqual(len(chart.boundaries), 2)
            for drawn, expected in zip(chart.boundaries, busy):
                np.testing.assert_allclose(drawn, expected)
            # Copies before the first kernel, which fill the bus, do not press the curves to the bottom.
            shown = [step[1] for line in chart.lines.values() for before, step in zip(line, line[1:])
                     if step[0] > chart.xlim[0] and before[0] < chart.xlim[1]]
            self.assertAlmostEqual(chart.ylim[1], 1.08 * max(shown), 9)
        for chart, expected in zip(self.charts_of("scheduler cycles", 2), busy):
            np.testing.assert_allclose(chart.xlim, (expected[0], expected[-1]))
            np.testing.assert_allclose(chart.boundaries[0], expected)

    def test_legends_hide_nothing(self):
        for chart in self.charts:
            self.assertTrue(chart.legend_is_beside, chart.axis)

    def test_stages_of_misses_are_means_by_source_and_by_how_they_were_served(self):
        for file, chart in zip(self.files.values(), self.charts_of("mean nanoseconds", 2)):
            stages, durations = self.texts(file["latency/stage"]), file["latency/durations_fs"][...] / 1e6
            expected = {"all": dict(zip(stages, durations.mean(axis=0)))}
            for column in ("source", "served"):
                values = np.array(self.texts(file[f"latency/{column}"]))
                for part in set(values):
                    expected[part] = dict(zip(stages, durations[values == part].mean(axis=0)))
            self.assertGreater(len(expected), 3)
            self.check_bars(chart, expected)

    def test_energy_has_dynamic_and_static_apart(self):
        (chart,) = self.charts_of("joules", 1)
        expected = {}
        for name, file in self.files.items():
            for number, category in enumerate(self.texts(file["energy/category"])):
                expected[f"{name}, {category}"] = dict(zip(self.texts(file["energy/component"]),
                                                          file["energy/joules"][:, number]))
            self.assertAlmostEqual(chart.ends[f"{name}, dynamic"], file["energy"].attrs["dynamic_j"], 12)
            self.assertAlmostEqual(chart.ends[f"{name}, static"], file["energy"].attrs["static_j"], 12)
        self.check_bars(chart, expected)

    def test_ranks_computed_and_waited(self):
        (chart,) = self.charts_of("seconds", 1)
        self.check_bars(chart, {f"{name}, rank 0": {"computing": file["engine/compute_seconds"][0],
                                                    "waiting": file["engine/blocked_seconds"][0]}
                                for name, file in self.files.items()})

    def table_rows(self, title):
        """The other cells of a section's tables, by the first cell of their row."""
        section = self.text[self.text.index(f"<h2>{title}</h2>"):]
        section = section[:section.index("<h2>", 4)] if "<h2>" in section[4:] else section
        rows = re.findall(r"<tr>\s*<th>(.*?)</th>(.*?)</tr>", section, flags=re.S)
        return [(html.unescape(name), re.findall(r"<td>(.*?)</td>", cells)) for name, cells in rows]

    def test_hit_rates_are_those_of_the_counters(self):
        rows = dict(self.table_rows("Memory"))
        total = lambda file, name: int(file[f"counters/{name}"][...].sum())  # noqa: E731
        for label, hits, whole in (
                ("L1D hits", "l1d/hits_demand", ["l1d/hits_demand", "l1d/merges_demand", "l1d/misses_demand"]),
                ("L1D merges with misses under way", "l1d/merges_demand",
                 ["l1d/hits_demand", "l1d/merges_demand", "l1d/misses_demand"]),
                ("L2 hits of reads", "l2_slice/read_hits", ["l2_slice/reads"])):
            rates = [total(file, hits) / sum(total(file, part) for part in whole) for file in self.files.values()]
            self.assertEqual(rows[label], [f"{rate:.4g}" for rate in rates])

    def code_tables(self):
        """The rows of each table of instructions, as values by column."""
        section = self.text[self.text.index("<h2>What is slow</h2>"):self.text.index("<h2>Where the cycles went</h2>")]
        for table in re.findall(r'<table class="code">(.*?)</table>', section, flags=re.S):
            columns = re.findall("<th>(.*?)</th>", table)
            yield [dict(zip(columns, map(html.unescape, re.findall(r'<td data-value="(.*?)"', row))))
                   for row in re.findall("<tr>(<td.*?)</tr>", table)]

    def test_what_is_slow_is_shares_of_the_warps_cycles_by_instruction(self):
        tables = list(self.code_tables())
        for number, file in enumerate(self.files.values()):
            group = file["instructions"]
            counts = dict(zip(self.texts(group["counter"]), group["counts"][...].T.astype(float)))
            cycles = sum(counts[wait] for wait in page.WAITS)
            kernels = np.array(self.texts(group["kernel"]))
            names = list(dict.fromkeys(kernels))
            for place, kernel in enumerate(names):
                costly, all_rows = tables[2 * (number * len(names) + place):][:2]
                of = kernels == kernel
                shares = 100 * cycles[of] / cycles[of].sum()
                np.testing.assert_allclose([float(row["share"]) for row in all_rows], shares)
                np.testing.assert_allclose([float(row["share"]) for row in costly], sorted(shares, reverse=True)[:8])
                self.assertEqual([int(row["pc"]) for row in all_rows], list(group["pc"][...][of]))
                self.assertEqual([int(row["issued"]) for row in all_rows], list(counts["issued"][of]))
                ended = 100 * counts["waited_for"][of] / (counts["memory"] + counts["pipeline"])[of].sum()
                np.testing.assert_allclose([float(row["ends"]) for row in all_rows], ended)
                last = int(np.argmax(ended))
                self.assertIn(f"{ended[last]:.0f} % of the waits for memory and pipelines ended with "
                              + html.escape(self.texts(group["text"])[int(np.flatnonzero(of)[last])].removesuffix(" ;")), self.text)
        self.assertEqual(len(tables), 2 * sum(len(set(self.texts(file["instructions/kernel"]))) for file in self.files.values()))

    def test_kernels_are_sums_over_their_launches(self):
        expected = []
        for file in self.files.values():
            names = np.array(self.texts(file["kernels/name"]))
            for name in dict.fromkeys(names):
                sums = [int(file[f"kernels/{column}"][...][names == name].sum())
                        for column in ("cycles", "warp_instructions", "thread_instructions")]
                expected.append((name, [str((names == name).sum()), *map(str, sums), f"{sums[1] / sums[0]:.4g}"]))
        self.assertEqual([row for row in self.table_rows("Kernels") if row[1]], expected)


if __name__ == "__main__":
    PROGRAM = lookahead.program_of_unit_tests(__doc__)
    unittest.main()
