#!/usr/bin/python3
"""What each kernel used of the machine: limits of occupancy, peaks, and rates against counters that h5py reads."""

import pathlib
import sys
import tempfile
import unittest

import h5py
import matplotlib
import numpy as np

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "experiments/analysis")]
import lookahead_process as lookahead  # noqa: E402
from lookahead_analysis import Run, page  # noqa: E402
from lookahead_analysis.kernel_use import Peaks, draw_roofline, launch_limit, roofline_of, use_of  # noqa: E402

SM = {"gpu.sms": 2, "sm.max_ctas": 8, "sm.max_threads": 1536, "sm.max_warps": 48, "sm.registers": 32768, "sm.register_unit": 64,
      "sm.occupancy_registers": 0, "sm.shared_bytes": 49152, "sm.shared_unit": 128, "sm.shared_reserved": 0}


def launch(block=256, registers=16, shared_bytes=0, grid=100):
    return {"grid_x": grid, "grid_y": 1, "grid_z": 1, "block_x": block, "block_y": 1, "block_z": 1, "registers": registers,
            "shared_bytes": shared_bytes}


class LimitTest(unittest.TestCase):
    def test_the_resource_with_room_for_the_fewest_ctas_limits(self):
        for kernel, more, expected in (
                (launch(64), {}, (16, "CTAs")), (launch(256), {}, (48, "threads")), (launch(192), {"sm.max_threads": 9999}, (48, "CTAs")),
                (launch(200), {"sm.max_threads": 9999}, (42, "warps")), (launch(256, 20), {}, (48, "threads")),
                (launch(256, 21), {}, (40, "registers")), (launch(256, 21), {"sm.occupancy_registers": 20}, (48, "threads")),
                (launch(256, 16, 8192), {}, (48, "threads")), (launch(256, 16, 8193), {}, (40, "shared memory")),
                (launch(256, 16, 8192), {"sm.shared_reserved": 1024}, (40, "shared memory")),
                (launch(256, grid=12), {}, (48, "threads")), (launch(256, grid=11), {}, (48, "grid")), (launch(256, grid=3), {}, (16, "grid"))):
            self.assertEqual(launch_limit(kernel, SM | more), expected, (kernel, more))


class UseTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.paths = {machine: pathlib.Path(folder.name) / f"{machine}.h5" for machine in ("gtx480", "h100")}
        for machine, path in cls.paths.items():
            lookahead.simulate(PROGRAM, ["bfs", "--size", "tiny", "-m", machine, "--out", path])

    def test_peaks_are_those_of_the_data_sheets(self):
        for machine, gigabytes, slots in (("gtx480", 177.4, 30), ("h100", 3352, 528)):
            with Run(self.paths[machine]) as run:
                peaks = Peaks(run)
                self.assertAlmostEqual(peaks.dram_bytes * run.config_value("sm.frequency") / 1e9 / gigabytes, 1, 3)
                self.assertEqual(peaks.instructions, slots)

    def test_rates_are_those_of_the_counters(self):
        with h5py.File(self.paths["gtx480"]) as file, Run(self.paths["gtx480"]) as run:
            names = file["kernels/name"].asstr()[...]
            counters = dict(zip(file["kernel_counters/counter"].asstr()[...], file["kernel_counters/counts"][...].T.astype(float)))
            table, points = use_of(run), roofline_of(run)
            self.assertEqual(list(table.index), list(dict.fromkeys(names)))
            for name, row in table.iterrows():
                of = lambda counter: counters[counter][names == name].sum()  # noqa: E731
                cycles = file["kernels/cycles"][...][names == name].sum()
                self.assertEqual(row["launches"], (names == name).sum())
                self.assertAlmostEqual(row["instructions a cycle"], of("sm.warp_instructions") / cycles)
                self.assertAlmostEqual(row["issue slots %"], 100 * of("sm.warp_instructions") / cycles / 30)
                self.assertAlmostEqual(row["warps an SM"], of("sm.warp_cycles") / of("sm.active_cycles"))
                self.assertLessEqual(row["warps an SM"], row["most"])
                answers = [of(f"l1d.{each}_demand") for each in ("hits", "merges", "misses")]
                self.assertAlmostEqual(row["L1 hits %"], 100 * answers[0] / sum(answers))
                rows = [of(f"dram.row_{each}") for each in ("hits", "misses", "conflicts")]
                np.testing.assert_allclose(row["row hits %"], 100 * rows[0] / sum(rows) if sum(rows) else np.nan)
                moved = of("dram.data_bus_cycles") * 32
                self.assertAlmostEqual(row["of peak %"], 100 * moved / cycles / 253.44)
                self.assertAlmostEqual(points.loc[name, "L1"], of("sm.warp_instructions") / of("lsu.global_accesses") / 128)

    def test_the_roofline_has_a_point_for_each_kernel_and_level_below_its_roof(self):
        with Run(self.paths["gtx480"]) as run:
            axes = plt.subplots()[1]
            draw_roofline(axes, run)
            points, tops = roofline_of(run), {"L1": 1920, "DRAM": 253.44}
            marks = [line for line in axes.lines if line.get_marker() not in ("None", "", None)]
            roofs = [line for line in axes.lines if line not in marks]
            for (level, top), mark, roof in zip(tops.items(), marks, roofs):
                np.testing.assert_allclose(mark.get_xdata(), points[level])
                np.testing.assert_allclose(mark.get_ydata(), points["rate"])
                np.testing.assert_allclose(roof.get_ydata(), np.minimum(roof.get_xdata() * top, 30))
                self.assertTrue((points["rate"] <= np.minimum(points[level] * top, 30) * 1.0001).all())
            self.assertEqual({text.get_text() for text in axes.texts}, set(points.index))
            plt.close()

    def test_a_run_without_counters_by_kernel_has_no_such_part(self):
        path = self.paths["gtx480"].with_name("perfect.h5")
        lookahead.simulate(PROGRAM, ["bfs", "--size", "tiny", "-o", "gpu.perfect_memory=true", "--out", path])
        with Run(path) as run:
            text = page.page({"perfect": run})
        self.assertNotIn("Use of the machine", text)
        self.assertIn("What is slow", text)


if __name__ == "__main__":
    PROGRAM = lookahead.program_of_unit_tests(__doc__)
    unittest.main()
