#!/usr/bin/python3
"""Tests of experiments/analysis on the file that test_experiments_results writes.

    test_analysis.py EXAMPLE_RUN.h5 ANALYSIS_FOLDER
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ANALYSIS = pathlib.Path(sys.argv.pop())
EXAMPLE = pathlib.Path(sys.argv.pop())
sys.path.insert(0, str(ANALYSIS))

import h5py
import numpy as np

from lookahead_analysis import Run, RunFileError

CHECKSUM_BYTES = 24


class ReaderTest(unittest.TestCase):
    def setUp(self):
        self.run_file = Run(EXAMPLE)
        self.addCleanup(self.run_file.close)

    def test_the_summary_has_plain_values(self):
        summary = self.run_file.summary
        self.assertEqual(summary["workload"], "vecadd")
        self.assertEqual(summary["state_hash"], "fedcba9876543210")
        self.assertEqual(summary["ipc"], 1.5)
        self.assertEqual(self.run_file.meta["ranks"], 2)
        self.assertEqual(self.run_file.meta["argv"], ["lookahead", "run", "vecadd"])
        self.assertTrue(self.run_file.complete)

    def test_the_configuration_has_units_and_sources(self):
        config = self.run_file.config
        self.assertEqual(config.loc["l1d.ways", "value"], 4)
        self.assertEqual(config.loc["l1d.ways", "unit"], "line")
        self.assertEqual(config.loc["l1d.ways", "source"], "m.toml:3")
        self.assertEqual(config.loc["sm.warp_scheduler", "value"], "gto")
        self.assertIs(bool(config.loc["l1d.sectored", "value"]), False)
        with self.assertRaises(KeyError):
            self.run_file.config_value("no.key")

    def test_counters_are_a_table_of_components(self):
        counters = self.run_file.counters("sm")
        self.assertEqual(list(counters.index), ["sm0", "sm1"])
        self.assertEqual(counters.loc["sm1", "warp_instructions"], 2000)
        self.assertEqual(self.run_file.counter_kinds, ["dram", "sm"])
        self.assertEqual(self.run_file.units("counters/sm/cycles"), "cycle")
        with self.assertRaisesRegex(KeyError, "there are dram, sm"):
            self.run_file.counters("gpu")

    def test_kernels_and_components_are_tables(self):
        kernels = self.run_file.kernels
        self.assertEqual(list(kernels["name"]), ["vecadd", "vecadd"])
        self.assertEqual(list(kernels["cycles"]), [1400, 1600])
        self.assertEqual(self.run_file.components.loc[3, "parent"], 0)

    def test_series_are_counts_and_rates_of_intervals(self):
        series = self.run_file.series("sm", "warp_instructions")
        self.assertEqual(list(series.index), [1000, 2000, 3000])
        self.assertEqual(list(series["sm1"]), [700, 650, 650])
        self.assertEqual(list(self.run_file.rate("sm", "warp_instructions")["sm0"]), [0.9, 0.8, 0.8])
        bus = self.run_file.rate("dram", "data_bus_cycles", "dram.frequency")["partition0.dram"]
        np.testing.assert_allclose(bus, [500 / 1320, 700 / 1320, 800 / 1320])
        with self.assertRaisesRegex(KeyError, "no series sm.cycles; there are warp_instructions"):
            self.run_file.series("sm", "cycles")

    def test_counters_by_kernel_and_stalls_are_tables(self):
        counters = self.run_file.kernel_counters
        self.assertEqual(list(counters["sm.cycles"]), [2700, 3000])
        self.assertEqual(counters.loc[1, "dram.data_bus_cycles"], 1200)
        stalls = self.run_file.stalls
        self.assertEqual(list(stalls.columns), ["issued", "barrier", "no_cta"])
        self.assertEqual(list(stalls.loc[(3000, "sm0")]), [7, 8, 9])
        self.assertEqual(list(stalls.xs("sm1", level="component")["issued"]), [4, 10])

    def test_counts_by_instruction_are_a_table_with_places_and_counters(self):
        instructions = self.run_file.instructions
        self.assertEqual(list(instructions["kernel"]), ["first", "first", "first", "second"])
        self.assertEqual(list(instructions["pc"]), [0, 8, 16, 0])
        self.assertEqual(list(instructions["cuda_line"]), [7, 7, 0, 0])
        self.assertEqual(instructions.loc[1, "ptx"], "add.f32 %f2, %f1, %f1;")
        self.assertEqual(list(instructions["memory"]), [0, 300, 0, 0])
        counters = self.run_file.instruction_counters
        self.assertEqual(list(counters.index), ["issued", "memory", "turn", "waited_for"])
        self.assertEqual(counters.loc["memory", "unit"], "warp cycle")

    def test_latency_is_a_table_of_samples_and_of_means(self):
        samples = self.run_file.latency
        self.assertEqual(list(samples["served"]), ["hit", "dram"])
        self.assertEqual(list(samples.loc[1, ["miss_queue", "l2", "fill"]]), [20, 30, 40])
        summary = self.run_file.latency_summary
        self.assertEqual(list(summary.index), ["global", "texture", "hit", "dram", "all"])
        self.assertEqual(list(summary["samples"]), [1, 1, 1, 1, 2])
        np.testing.assert_allclose(summary.loc["all", ["miss_queue", "l2", "fill", "total"]].to_numpy(dtype=float),
                                   [15e-6, 25e-6, 35e-6, 75e-6])

    def test_what_a_file_holds_is_printed(self):
        done = subprocess.run([sys.executable, "-m", "lookahead_analysis", EXAMPLE], cwd=ANALYSIS, capture_output=True,
                              text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"reads that missed a cache.*\n +samples +miss_queue +l2 +fill +total\n")

    def test_a_histogram_has_bins_and_the_rest(self):
        histogram = self.run_file.histogram("sm", "load_latency")
        self.assertEqual(histogram.to_numpy().tolist(), [[0, 5, 6, 1], [0, 7, 8, 2]])
        self.assertEqual(histogram.columns[1].left, 0)
        self.assertEqual(histogram.columns[1].right, 100)
        with self.assertRaisesRegex(KeyError, "no histogram sm.latency; there are load_latency"):
            self.run_file.histogram("sm", "latency")
        with self.assertRaisesRegex(KeyError, "there are sm"):
            self.run_file.histogram("dram", "load_latency")

    def test_a_histogram_of_latency_counts_every_sample(self):
        samples = self.run_file.latency
        histogram = self.run_file.latency_histogram(width_ns=100)
        self.assertEqual(int(histogram.to_numpy().sum()), len(samples))
        for _, sample in samples.iterrows():
            nanoseconds = (sample["end_fs"] - sample["start_fs"]) / 1e6
            self.assertGreater(histogram.loc[nanoseconds, sample["served"]], 0)
        self.assertEqual(histogram.index[0].left, 0)

    def test_the_engine_has_a_row_for_each_rank(self):
        self.assertEqual(list(self.run_file.engine["events"]), [123, 0])
        self.assertEqual(self.run_file.window_lengths.loc[1, 2**20], 9)

    def test_other_files_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder) / "other.h5"
            with self.assertRaises(RunFileError):
                Run(other)
            other.write_bytes(EXAMPLE.read_bytes()[:5000])
            with self.assertRaises(RunFileError):
                Run(other)
            with h5py.File(other, "w") as file:
                file.attrs["schema"] = "lookahead.run"
                file.attrs["schema_version"] = "2.0"
            with self.assertRaisesRegex(RunFileError, "not a file of lookahead.run 1.x"):
                Run(other)

    def test_a_damaged_file_is_refused_before_it_is_opened(self):
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder) / "other.h5"
            whole = EXAMPLE.read_bytes()
            for place in range(0, len(whole) - CHECKSUM_BYTES, len(whole) // 50):
                other.write_bytes(whole[:place] + bytes([whole[place] ^ 16]) + whole[place + 1:])
                with self.assertRaisesRegex(RunFileError, r"other.h5: .*its checksum is wrong"):
                    Run(other)
            other.write_bytes(whole[:-CHECKSUM_BYTES])
            Run(other).close()
            for place in range(0, len(whole) - CHECKSUM_BYTES, len(whole) // 20):
                # Nothing shows that the file was damaged: reading it ends with an error of one sentence, or with none.
                other.write_bytes(whole[:place] + b"\xff" * 8 + whole[place + 8:-CHECKSUM_BYTES])
                try:
                    Run(other).close()
                except RunFileError as error:
                    self.assertIn("other.h5", str(error))


class PackagesTest(unittest.TestCase):
    def test_a_python_without_them_gets_one_sentence(self):
        done = subprocess.run([sys.executable, "-S", "-m", "lookahead_analysis", EXAMPLE], capture_output=True, text=True,
                              cwd=ANALYSIS)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^\S+ has no h5py and no numpy and no pandas; install [^\n]*\n$")


class PlotTest(unittest.TestCase):
    def plot(self, *options):
        return subprocess.run([sys.executable, ANALYSIS / "plot_run.py", *options], capture_output=True, text=True)

    def test_a_figure_is_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, options in enumerate([[], ["--series", "sm.warp_instructions"]]):
                figure = pathlib.Path(folder) / f"{number}.png"
                done = self.plot(EXAMPLE, "-o", figure, *options)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(figure.read_bytes()[:4], b"\x89PNG")
                self.assertGreater(figure.stat().st_size, 10_000)

    def test_an_unknown_series_or_file_is_one_sentence(self):
        done = self.plot(EXAMPLE, "-o", "unused.png", "--series", "sm.cycles")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^plot_run.py: .*no series sm.cycles; there are warp_instructions\n$")
        done = self.plot("missing.h5", "-o", "unused.png")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^plot_run.py: missing.h5: cannot be read.*\n$")


class XarrayTest(unittest.TestCase):
    def test_xarray_takes_the_scales_as_coordinates(self):
        try:
            import h5netcdf  # noqa: F401
            import xarray
        except ImportError as error:
            self.skipTest(f"xarray with h5netcdf is not installed: {error}")
        with xarray.open_dataset(EXAMPLE, group="kernels", engine="h5netcdf") as kernels:
            self.assertEqual(list(kernels["id"].values), [0, 1])
            self.assertEqual(list(kernels.to_dataframe()["cycles"]), [1400, 1600])
        with xarray.open_dataset(EXAMPLE, group="series/sm", engine="h5netcdf") as series:
            self.assertEqual(series["warp_instructions"].sel(cycle=2000, component="sm1").item(), 650)


if __name__ == "__main__":
    unittest.main()
