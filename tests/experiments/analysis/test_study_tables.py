#!/usr/bin/env python3
"""Recorded studies and the tables of their pages: a made sweep is recorded, and its page is what the record makes, to the digit."""

import contextlib
import io
import pathlib
import sys
import tempfile
import types
import unittest

import h5py
import numpy as np
import pandas as pd

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "experiments/analysis"))
from lookahead_analysis import study_tables  # noqa: E402
from lookahead_analysis.papers import Figure  # noqa: E402
from lookahead_analysis.sweeps import SweepError, normalised, with_mean  # noqa: E402

# Workload, number of CTAs: cycles; None: failed.
CYCLES = {("cp", 1): 1000, ("cp", 8): 800, ("bfs", 1): 123456789, ("bfs", 8): 61728395, ("scan", 1): 500, ("scan", 8): None}


def make_sweep(folder):
    (folder / "points").mkdir(parents=True)
    columns = {name: [] for name in ("id", "workload", "status", "message", "file")}
    for number, ((workload, ctas), cycles) in enumerate(CYCLES.items()):
        file = f"points/{number}.h5"
        if cycles is not None:
            with h5py.File(folder / file, "w") as run:
                run.attrs.update({"cycles": cycles, "size": "tiny"})
                run.create_group("meta").attrs.update({"git_revision": "abc123", "wall_s": 900.0})
        row = (f"p{number}", workload, "complete" if cycles else "failed", "", file if cycles else "")
        for name, value in zip(columns, row):
            columns[name].append(value)
    with h5py.File(folder / "index.h5", "w") as index:
        index.attrs.update({"study": "paper/ctas", "title": "CTAs"})
        index.attrs["axes"] = ["ctas"]
        for name, values in columns.items():
            index.create_dataset(f"points/{name}", data=values, dtype=h5py.string_dtype())
        index["points/ctas"] = np.array([ctas for _, ctas in CYCLES], dtype=float)
        for dataset in index["points"].values():
            dataset.attrs["units"] = ""
        for name, values in {"name": ["OptTB", "OptTB"], "point": ["p1", "p2"], "value": ["8", "1"]}.items():
            index.create_dataset(f"best/{name}", data=values, dtype=h5py.string_dtype())


def facts(run):
    return {"cycles": float(run.attrs["cycles"]), "share": 1 / 3, "nothing": np.nan}


def speedups(sweep):
    table = normalised(sweep.table("ctas"), "cycles", "ctas", "1", invert=True).drop(columns="1")
    return pd.concat([with_mean(table, geometric=True), table.median().to_frame("median").T])


AXES = {"ctas": ["1"]}
PAPER = types.SimpleNamespace(facts_of=lambda study: facts, figures={
    "fig1": Figure("paper/ctas", "Speed-up", speedups, "twice", "IPC, normalised", facts, AXES, {})})
CLAIMS = {"more CTAs are faster": ("ctas", "so", lambda study: (f"{speedups(study).loc['mean', '8']:.2f}", True)),
          "by ten times": ("ctas", "10", lambda study: ("not so", False))}
PAGE = """# A page
Text before.
<!-- paper/claims: made by tables.py -->
<!-- end of paper/claims -->
Between.
<!-- paper/ctas: made by tables.py -->
something old
<!-- end of paper/ctas -->
Text behind.
"""


class StudyTables(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.place.name)
        make_sweep(self.folder / "sweeps" / "paper-ctas.sweep")
        (self.folder / "paper").mkdir()
        self.readme = self.folder / "paper" / "README.md"
        self.readme.write_text(PAGE)
        self.csv = self.folder / "paper/results/ctas.csv"
        self.page = study_tables.Page(self.folder / "paper", PAPER, {"ctas": ["fig1"]}, CLAIMS)

    def tearDown(self):
        self.place.cleanup()

    def main(self, *arguments):
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            return study_tables.main(self.page, "", list(map(str, arguments))), errors.getvalue()

    def record(self):
        study_tables.record(self.folder / "sweeps" / "paper-ctas.sweep", facts, self.csv)
        return study_tables.Recorded(self.csv)

    def test_a_record_has_what_a_sweep_has(self):
        recorded = self.record()
        table = recorded.table("ctas")
        self.assertEqual(list(table["workload"]), ["cp", "cp", "bfs", "bfs", "scan"])
        self.assertEqual(list(table["ctas"]), ["1", "8", "1", "8", "1"])
        self.assertEqual(list(table["cycles"]), [1000, 800, 123456789, 61728395, 500])  # in full
        self.assertEqual(set(table["share"]), {0.33333})                                  # five digits
        self.assertTrue(table["nothing"].isna().all())
        self.assertEqual([tuple(row) for row in recorded.best("OptTB", "ctas")[["workload", "ctas", "value"]].to_numpy()],
                         [("cp", "8", 8), ("bfs", "1", 1)])
        self.assertEqual(list(recorded.missing["workload"]), ["scan"])
        self.assertEqual(recorded.caption, "size tiny, 3 workloads, 5 points, 1 without a result, 1.2 h of a core, program abc123")

    def test_a_page_is_what_its_record_makes(self):
        self.assertEqual(self.main("--sweeps", self.folder / "sweeps"), (0, ""))
        text = self.readme.read_text()
        self.assertIn("| cp | 1.250 |\n| bfs | 2.000 |\n| scan |  |\n| mean | 1.581 |\n| median | 1.625 |\n", text)
        self.assertIn("`paper/ctas`: size tiny, 3 workloads, 5 points, 1 without a result, 1.2 h of a core, program abc123.", text)
        self.assertIn("`paper/fig1`: Speed-up (IPC, normalised). Paper: twice.", text)
        self.assertIn("Without a result: scan, 8.", text)
        self.assertIn("| more CTAs are faster | so | 1.58 | pass | `paper/ctas`, tiny |\n"
                      "| by ten times | 10 | not so | **fail** | `paper/ctas`, tiny |\n", text)
        for kept in ("Text before.", "Between.", "Text behind."):
            self.assertEqual(text.count(kept), 1)
        self.assertNotIn("something old", text)
        self.assertEqual(self.main("--check"), (0, ""))
        self.assertEqual(self.main(), (0, ""))
        self.assertEqual(self.readme.read_text(), text)

    def test_a_page_or_a_record_that_was_changed_by_hand_is_found(self):
        self.main("--sweeps", self.folder / "sweeps")
        written = self.readme.read_text()
        self.readme.write_text(written.replace("1.250", "1.350"))
        status, error = self.main("--check")
        self.assertEqual(status, 1)
        self.assertIn("README.md: is not what its recorded studies make", error)
        self.readme.write_text(written)
        self.csv.write_text(self.csv.read_text().replace("800", "900"))
        self.assertEqual(self.main("--check")[0], 1)

    def test_a_table_may_be_in_the_other_page(self):
        details = self.readme.with_name("details.md")
        begin = PAGE.index("<!-- paper/ctas: made")
        self.readme.write_text(PAGE[:begin])
        details.write_text(PAGE[begin:])
        self.assertEqual(self.main("--sweeps", self.folder / "sweeps"), (0, ""))
        self.assertIn("| cp | 1.250 |", details.read_text())
        self.assertIn("more CTAs are faster", self.readme.read_text())
        details.write_text(details.read_text().replace("1.250", "1.350"))
        status, error = self.main("--check")
        self.assertEqual((status, error.count("is not what")), (1, 1))
        self.assertIn("details.md: is not what its recorded studies make", error)
        self.readme.write_text(PAGE)  # the table has two places now
        status, error = self.main()
        self.assertEqual(status, 3)
        self.assertIn("no page has one place for paper/ctas", error)

    def test_a_sweep_that_is_not_there_leaves_its_record(self):
        self.main("--sweeps", self.folder / "sweeps")
        written = self.readme.read_text()
        status, error = self.main("--sweeps", self.folder / "elsewhere")
        self.assertEqual((status, self.readme.read_text()), (0, written))
        self.assertIn("paper/ctas: no sweep in", error)

    def test_a_part_of_a_sweep_leaves_the_rest_as_it_is_recorded(self):
        self.record()
        whole = self.csv.read_text()
        rows = whole.splitlines()
        # bfs with 8 CTAs had other figures, and scan was not recorded.
        self.csv.write_text("\n".join([*rows[:4], rows[4].replace("61728395", "5").replace("abc123", "older"), ""]))
        part = self.folder / "sweeps" / "paper-ctas.sweep"
        with h5py.File(part / "index.h5", "r+") as index:
            for name, dataset in list(index["points"].items()):
                kept, units = dataset[3:], dataset.attrs["units"]
                del index["points"][name]
                index["points"][name] = kept
                index["points"][name].attrs["units"] = units
        self.assertEqual(self.main("--sweeps", self.folder / "sweeps", "--part"), (0, ""))
        self.assertEqual(self.csv.read_text(), whole)
        pd.read_csv(self.csv).rename(columns={"axis: ctas": "axis: prefetcher"}).to_csv(self.csv, index=False)
        status, error = self.main("--sweeps", self.folder / "sweeps", "--part")
        self.assertEqual(status, 3)
        self.assertIn("the recorded study does not have the sweep's axes, which are axis: ctas", error)

    def test_what_does_not_fit_is_named(self):
        status, error = self.main()
        self.assertEqual(status, 3)
        self.assertIn("ctas.csv: is not a recorded study", error)
        recorded = self.record()
        with self.assertRaisesRegex(SweepError, "has no column 'best: other'"):
            recorded.best("other")
        self.readme.write_text(PAGE.replace("<!-- end of paper/ctas -->", ""))
        status, error = self.main()
        self.assertEqual(status, 3)
        self.assertIn("no page has one place for paper/ctas", error)
        self.csv.write_text("workload,status\n")
        with self.assertRaisesRegex(SweepError, "has no column 'size'"):
            study_tables.Recorded(self.csv)

    def test_an_axis_with_the_name_of_a_fact_is_refused(self):
        with self.assertRaisesRegex(SweepError, "the axis 'ctas' has the name of a fact"):
            study_tables.record(self.folder / "sweeps/paper-ctas.sweep", lambda run: {**facts(run), "ctas": 1.0}, self.csv)
        self.assertFalse(self.csv.exists())

    def test_a_record_of_other_axes_is_refused(self):
        recorded = self.record()
        pd.read_csv(self.csv).rename(columns={"axis: ctas": "axis: prefetcher"}).to_csv(self.csv, index=False)
        with self.assertRaisesRegex(SweepError, "has the axes prefetcher"):
            study_tables.Recorded(self.csv).require("paper/fig1", "paper/ctas", AXES)
        self.assertIsNone(recorded.require("paper/fig1", "paper/ctas", AXES))

    def test_numbers_have_the_digits_that_they_need(self):
        found = [study_tables.cell(value) for value in (1.23456, 12.345, 1234.5, 0.0, np.nan, "words")]
        self.assertEqual(found, ["1.235", "12.3", "1234", "0.000", "", "words"])
        table = pd.DataFrame({"loads": [2, 1, np.nan], "over base": [1.0, 1.0, 1.0], "CTAs": ["TB2", 4, ""]}, index=["a", "b", "c"])
        self.assertEqual(study_tables.markdown(table)[2:], ["| a | 2 | 1.000 | TB2 |", "| b | 1 | 1.000 | 4 |", "| c |  | 1.000 |  |"])


if __name__ == "__main__":
    unittest.main()
