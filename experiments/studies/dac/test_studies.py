#!/usr/bin/env python3
"""The studies of DAC run, at tiny on one workload, and give their figures; `undecoupled` accounts for all instructions."""

import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

STUDIES = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(STUDIES.parents[2] / "tests/support"))
import lookahead_process as lookahead  # noqa: E402

def undecoupled():
    loader = importlib.machinery.SourceFileLoader("undecoupled", str(STUDIES / "undecoupled"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("undecoupled", loader))
    loader.exec_module(module)
    return module


def tally(instructions, warps):
    return {"instructions": instructions, "warps": warps}


class Studies(unittest.TestCase):
    def run_study(self, name, figures):
        """Runs a study with each of its points, of one small workload."""
        text = (STUDIES / f"{name}.toml").read_text()
        points = 1
        for axis in text.split("[[axis]]")[1:]:
            points *= axis.count("[[axis.value]]")
        with tempfile.TemporaryDirectory() as folder:
            # A study's name is that of its folder and file.
            study = pathlib.Path(folder) / "dac" / f"{name}.toml"
            study.parent.mkdir()
            study.write_text(lookahead.tiny_study(STUDIES / f"{name}.toml", ["hotspot"]))
            sweep = pathlib.Path(folder) / "out.sweep"
            lookahead.output_of(PROGRAM, ["sweep", "run", study, "--out", sweep, "-j", "2", "--progress", "none"])
            self.assertEqual(len(list(sweep.rglob("*.h5"))), points + 1)  # and the index
            for figure in figures:
                shown = lookahead.output_of(PROGRAM, ["report", sweep, "--figure", f"dac/{figure}", "--python", sys.executable])
                self.assertIn("hotspot" if figure != "machine" else "compute", shown)

    def test_designs(self):
        self.run_study("designs", ["fig16", "fig17", "fig18", "fig19", "fig20", "fig21", "predicates"])

    def test_classes(self):
        self.run_study("classes", ["classes"])

    def test_ablations(self):
        self.run_study("ablations", ["ablations"])

    def test_machine(self):
        self.run_study("machine", ["machine"])


class Undecoupled(unittest.TestCase):
    def test_parts_are_of_all_instructions(self):
        summary = {"all": tally(20, 1000), "gone": tally(5, 200), "groups": {
            "loads": {"tags": {"dac.decoupled": tally(2, 100), "dac.stays.memory": tally(1, 50)}},
            "stores": {"tags": {"dac.stays.control": tally(1, 20)}},
            # A predicate that is decoupled is dequeued by a branch, or has gone.
            "predicates": {"tags": {"dac.decoupled": tally(1, 30), "dac.stays.memory": tally(1, 10)}},
            "rest": {"tags": {"dac.affine": tally(4, 150), "dac.read.shared": tally(3, 80), "dac.read.value": tally(1, 40),
                              "dac.stays.space": tally(2, 300)}}}}
        parts = undecoupled().shares(summary)
        self.assertAlmostEqual(parts["gone"], 20)
        self.assertAlmostEqual(parts["decoupled"], 10)
        self.assertEqual(parts["stays"], {"memory": 6.0, "control": 2.0})
        self.assertEqual(parts["read"], {"shared": 8.0, "value": 4.0})
        self.assertAlmostEqual(parts["shared"], 30)
        self.assertAlmostEqual(parts["other"], 20)
        self.assertAlmostEqual(parts["code"], 100 * (5 + 2 + 3 + 1) / 20)

    def test_workloads_have_no_more_than_all(self):
        module = undecoupled()
        for name in ("hotspot", "bfs"):
            parts = module.shares(module.explain(str(PROGRAM), name, "tiny", "dac_gtx480", "nvcc13"))
            self.assertGreaterEqual(parts["other"], 0)
            self.assertGreater(parts["code"], parts["gone"] / 10)
        self.assertIn("memory", parts["stays"])  # neighbours of a node

    def test_the_page_has_the_table_of_all_workloads(self):
        module = undecoupled()
        table = (STUDIES / "details.md").read_text().split(module.BEGIN)[1].split(module.END)[0]
        rows = [line.split("|")[1].strip() for line in table.strip().splitlines()]
        self.assertEqual(rows[2:-1], module.workloads())


if __name__ == "__main__":
    PROGRAM = lookahead.program_of_unit_tests(__doc__)
    unittest.main()
