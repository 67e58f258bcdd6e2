#!/usr/bin/python3
"""/energy follows from the rest of the file: exactly, for any number of ranks, and only for the table in the file."""

import pathlib
import shutil
import sys
import tempfile
import tomllib
import unittest

import h5py

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "tests" / "support"), str(ROOT / "experiments" / "analysis")]
import lookahead_process as lookahead  # noqa: E402
from lookahead_analysis import Run, energy_differences, recompute_energy  # noqa: E402

TABLE = """description = "Two entries."
[[event]]
component = "core"
unit = "all"
counter = "sm.warp_instructions"
joules = 1e-9
source = "test"
[[static]]
component = "core"
unit = "all"
per = "sm"
watts = 2
source = "test"
"""


class EnergyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.file = cls.folder / "run.h5"
        cls.summary = cls.simulate(cls.file)

    @classmethod
    def simulate(cls, out, *options, ranks=0, workload="histogram"):
        return lookahead.simulate(PROGRAM, [workload, "--size", "tiny", "--out", out, *options], ranks)

    def table(self, text=TABLE):
        path = self.folder / "table.toml"
        path.write_text(text)
        return f"energy.table={path}"

    def test_the_file_gives_the_same_energy_again_to_the_last_bit(self):
        with Run(self.file) as run:
            self.assertEqual(energy_differences(run), [])
            again = recompute_energy(run)
            self.assertEqual(run.energy["dynamic"].tolist(), again.joules["dynamic"].tolist())
            self.assertEqual(run.energy["static"].tolist(), again.joules["static"].tolist())
            for name in ("busy_fs", "dynamic_j", "static_j", "total_j", "average_w", "energy_delay_js"):
                self.assertEqual(run.energy_summary[name], getattr(again, name), name)
            self.assertEqual(run.energy_summary["total_j"], self.summary["energy_j"])
            self.assertGreater(again.dynamic_j, 0)
            self.assertGreater(again.static_j, 0)

    def test_the_file_has_the_table(self):
        with Run(self.file) as run:
            table = tomllib.loads(run.energy_summary["toml"])
            self.assertEqual([-entry["joules"] if entry.get("spared") else entry["joules"] for entry in table["event"]],
                             run.energy_events["joules_per_count"].tolist())
            self.assertEqual([entry["watts"] for entry in table["static"]], run.energy_statics["watts"].tolist())
            self.assertEqual(run.config_value("energy.table"), "fermi_40nm")

    def test_a_changed_counter_or_energy_is_noticed(self):
        for path, sentence in (("counters/sm/warp_instructions", "front_end dynamic"),
                               ("energy/events/joules_per_count", "front_end dynamic"), ("kernels/end_fs", "static")):
            changed = self.folder / "changed.h5"
            shutil.copy(self.file, changed)
            with h5py.File(changed, "r+") as file:
                file[path][0] *= 2
            with Run(changed) as run:
                self.assertRegex("\n".join(energy_differences(run)), sentence)

    def test_ranks_change_nothing(self):
        other = self.folder / "ranks.h5"
        self.simulate(other, ranks=2)
        done = lookahead.execute(PROGRAM, ["diff", self.file, other])
        self.assertEqual((done.returncode, done.stdout.split(": ")[-1].strip()), (0, "same results"), done.stdout)

    def test_a_table_of_ones_own_is_used_and_identifies_the_run(self):
        own = self.folder / "own.h5"
        summary = self.simulate(own, "-o", self.table())
        with Run(own) as run, Run(self.file) as default:
            busy_fs = (run.kernels["end_fs"] - run.kernels["start_fs"]).sum()
            expected = summary["warp_instructions"] * 1e-9 + 15 * 2 * busy_fs * 1e-15
            self.assertAlmostEqual(summary["energy_j"] / expected, 1, places=12)
            self.assertEqual(summary["state_hash"], default.summary["state_hash"])
            first = run.summary["run_id"]
        self.simulate(own, "-o", self.table(TABLE.replace("1e-9", "2e-9")))
        with Run(own) as run:
            self.assertNotEqual(run.summary["run_id"], first)
        lookahead.output_of(PROGRAM, ["validate", own])

    def test_several_kernels_are_busy_for_the_sum_of_their_times(self):
        file = self.folder / "several.h5"
        self.simulate(file, workload="bfs")
        with Run(file) as run:
            kernels = run.kernels
            self.assertGreater(len(kernels), 1)
            self.assertEqual(run.energy_summary["busy_fs"], (kernels["end_fs"] - kernels["start_fs"]).sum())
            self.assertEqual(energy_differences(run), [])

    def test_faults_of_a_table_are_one_sentence_and_no_run(self):
        cases = ((self.table(TABLE.replace("warp_inst", "wrap_inst")), 2, r"table.toml:5: unknown counter 'sm.wrap_"),
                 ("energy.table=fermi_40mm", 2, "unknown energy table 'fermi_40mm': did you mean fermi_40nm?"),
                 ("energy.table=none.toml", 3, "none.toml: the energy table cannot be read"))
        for option, code, sentence in cases:
            for command in (["run", "histogram", "--size", "tiny", "--out", self.folder / "x.h5"], ["config", "show"]):
                done = lookahead.execute(PROGRAM, [*command, "-o", option])
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(sentence, done.stderr)
        self.assertFalse((self.folder / "x.h5").exists())


if __name__ == "__main__":
    PROGRAM = lookahead.program_of_unit_tests(__doc__)
    unittest.main()
