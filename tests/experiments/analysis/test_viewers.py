#!/usr/bin/python3
"""Result files and a sweep's tables as other programs open them: xarray, every group; viewers of NeXus files (h5web,
myHDF5, silx), whose rules the test follows from a file to what they draw.

    test_viewers.py --program LOOKAHEAD
"""

import pathlib
import shutil
import sys
import tempfile
import unittest
import warnings

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))
sys.path.insert(0, str(ROOT / "experiments/analysis"))
import lookahead_process as lookahead  # noqa: E402
from lookahead_analysis import Run  # noqa: E402
from lookahead_analysis.sweeps import Sweep  # noqa: E402

STUDY = """
title = "Viewers"
size = "tiny"
workloads = ["vecadd", "histogram"]
[[axis]]
key = "l1d.sector_bytes"
values = [32, 128]
[[axis]]
key = "sm.warp_scheduler"
values = ["lrr", "gto"]
[[metric]]
name = "miss_rate"
expression = "l1d.misses_demand / (l1d.hits_demand + l1d.merges_demand + l1d.misses_demand)"
"""


def groups_of(file):
    found = ["/"]
    file.visititems(lambda name, each: found.append("/" + name) if isinstance(each, h5py.Group) else None)
    return found


def arrays_of(file):
    found = []
    file.visititems(lambda name, each: found.append(each) if isinstance(each, h5py.Dataset) and each.ndim else None)
    return found


def drawn(group, seen=()):
    """The group that a viewer draws when it is shown this one: @default is followed until a group of the class NXdata."""
    if group.attrs.get("NX_class") == "NXdata":
        return group
    name = group.attrs.get("default")
    if name is None or name not in group or group[name] in seen:
        return None
    return drawn(group[name], (*seen, group[name]))


def is_number(dataset):
    return np.issubdtype(dataset.dtype, np.number)


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        place = pathlib.Path(cls.folder.name)
        cls.run_path, cls.sweep_path = place / "run.h5", place / "sweep"
        lookahead.simulate(PROGRAM, ["bfs", "--size", "tiny", "--machine", "gtx480", "--out", cls.run_path])
        study = place / "viewers.toml"
        study.write_text(STUDY)
        printed = lookahead.output_of(PROGRAM, ["sweep", "run", study, "--out", cls.sweep_path])
        assert "8 complete, 0 failed" in printed, printed
        cls.index_path = cls.sweep_path / "index.h5"
        with h5py.File(cls.index_path) as index:
            for file in index["points/file"].asstr()[4:]:
                (cls.sweep_path / file).unlink()
        lookahead.output_of(PROGRAM, ["sweep", "collect", study, "--out", cls.sweep_path])
        cls.paths = [cls.run_path, cls.index_path]


class ScalesTest(Files):
    def test_every_dimension_of_every_array_has_one_scale(self):
        for path in self.paths:
            with h5py.File(path) as file:
                arrays = arrays_of(file)
                self.assertGreater(len(arrays), 30)
                for array in arrays:
                    if not array.attrs.get("CLASS") == b"DIMENSION_SCALE":
                        self.assertEqual([len(dimension) for dimension in array.dims], [1] * array.ndim, array.name)

    def test_every_array_of_numbers_says_what_it_is(self):
        for path in self.paths:
            with h5py.File(path) as file:
                for array in filter(is_number, arrays_of(file)):
                    self.assertIsInstance(array.attrs["units"], str, array.name)
                    self.assertTrue(array.attrs["long_name"], array.name)


class XarrayTest(Files):
    def setUp(self):
        try:
            import h5netcdf  # noqa: F401
            import xarray
        except ImportError as error:
            self.skipTest(f"xarray with h5netcdf is not installed: {error}")
        self.xarray = xarray

    def open(self, path, group):
        with warnings.catch_warnings():
            # Messages from process to process have one dimension twice, and xarray warns of this.
            warnings.filterwarnings("ignore", message="Duplicate dimension names present")
            return self.xarray.open_dataset(path, group=group, engine="h5netcdf")

    def test_every_group_opens_with_the_values_of_the_file(self):
        for path in self.paths:
            with h5py.File(path) as file:
                for group in groups_of(file):
                    datasets = {name: each for name, each in file[group].items() if isinstance(each, h5py.Dataset)}
                    with self.open(path, group) as opened:
                        self.assertEqual(set(opened.variables), set(datasets), group)
                        for name, each in datasets.items():
                            values = each.asstr()[()] if h5py.check_string_dtype(each.dtype) else each[()]
                            np.testing.assert_array_equal(opened[name].values, values, f"{group}/{name}")

    def test_the_whole_opens_as_a_tree(self):
        if not hasattr(self.xarray, "open_datatree"):
            self.skipTest(f"xarray {self.xarray.__version__} has no open_datatree")
        tree = self.xarray.open_datatree(self.run_path, engine="h5netcdf")
        self.assertIn("warp_instructions", tree["series/sm"])

    def test_scales_are_coordinates(self):
        with self.open(self.run_path, "series/sm") as series, h5py.File(self.run_path) as file:
            cycle = int(series["cycle"].values[1])
            self.assertEqual(series["warp_instructions"].sel(cycle=cycle, component="sm3").item(),
                             file["series/sm/warp_instructions"][1, 3])
            self.assertEqual(series["cycle"].attrs["long_name"], "core cycle")

    def test_points_are_found_by_the_numbers_of_an_axis(self):
        with self.open(self.index_path, "points") as points:
            table = points.to_dataframe()
        table = table[table["status"] == "complete"]
        self.assertEqual(sorted(set(table["l1d.sector_bytes"])), [32.0, 128.0])
        self.assertEqual(len(table[table["l1d.sector_bytes"] < 100]), 2)


class NexusTest(Files):
    def signal_of(self, group):
        """What is drawn of a group, and its axes, by the rules that viewers share."""
        signal = group[group.attrs["signal"]]
        self.assertTrue(is_number(signal), signal.name)
        axes = [None if name == "." else group[name] for name in group.attrs["axes"]]
        self.assertEqual(len(axes), signal.ndim, signal.name)
        for axis, length in zip(axes, signal.shape):
            if axis is not None:
                self.assertTrue(is_number(axis) and axis.shape == (length,), axis.name)
                self.assertTrue(axis.attrs["long_name"])
        return signal, axes

    def test_a_run_opens_with_instructions_a_cycle_over_time(self):
        with h5py.File(self.run_path) as file, Run(self.run_path) as run:
            signal, (axis,) = self.signal_of(drawn(file))
            self.assertEqual((signal.name, axis.name), ("/activity/ipc", "/activity/cycle"))
            self.assertEqual(signal.attrs["long_name"], "warp instructions a core cycle")
            self.assertEqual((signal.dtype, axis.dtype), (np.float64, np.float64))  # what every viewer draws
            rates = run.rate("sm", "warp_instructions").sum(axis=1)
            np.testing.assert_allclose(signal[:], rates.loc[axis[:].astype(int)].to_numpy(), rtol=1e-12)
            begin, end = run.busy_cycles
            first = rates.index[list(rates.index).index(int(axis[0])) - 1] if int(axis[0]) != rates.index[0] else 0
            self.assertTrue(first <= begin < axis[0] and axis[-2] < end <= axis[-1], (first, begin, axis[:], end))
            self.assertGreater(len(signal), 10)
            self.assertLess(len(signal), len(rates))

    def test_every_group_that_says_so_can_be_drawn(self):
        with h5py.File(self.run_path) as file:
            found = [group for group in groups_of(file) if file[group].attrs.get("NX_class") == "NXdata"]
            for group in found:
                self.signal_of(file[group])
            self.assertLess({"/activity", "/kernels", "/stalls", "/series/sm", "/series/dram"}, set(found))

    def test_a_sweep_opens_with_its_cycles(self):
        with h5py.File(self.index_path) as file:
            signal, (axis,) = self.signal_of(drawn(file))
            self.assertEqual((signal.name, axis.name), ("/points/cycles", "/points/id"))


class SweepTest(Files):
    def test_numeric_axes_are_numbers_with_units(self):
        with h5py.File(self.index_path) as file:
            axis = file["points/l1d.sector_bytes"]
            self.assertEqual(list(axis[:4]), [32.0, 32.0, 128.0, 128.0])
            self.assertEqual(axis.attrs["units"], "byte")
            self.assertEqual(file["points/sm.warp_scheduler"].asstr()[0], "lrr")
        self.assertEqual(list(Sweep(self.sweep_path).points["l1d.sector_bytes"][:3]), ["32", "32", "128"])

    def test_metrics_are_derived_of_counters_and_of_other_metrics(self):
        with h5py.File(self.index_path) as file:
            points = file["points"]
            for row in range(4):
                with h5py.File(self.sweep_path / points["file"].asstr()[row]) as run:
                    parts = [run[f"counters/l1d/{name}_demand"][:].sum() for name in ("misses", "hits", "merges")]
                    self.assertEqual(points["miss_rate"][row], parts[0] / sum(parts))
                    self.assertEqual(points["thread_ipc"][row], run.attrs["thread_ipc"])
                    self.assertAlmostEqual(run.attrs["thread_ipc"] / run.attrs["ipc"],
                                           run.attrs["thread_instructions"] / run.attrs["warp_instructions"])
            self.assertEqual(list(points["status"].asstr()[4:]), ["missing"] * 4)
            self.assertTrue(np.isnan(points["miss_rate"][4:]).all() and np.isnan(points["thread_ipc"][4:]).all())


class EarlierVersionTest(Files):
    def test_a_run_of_1_6_is_read_as_before(self):
        earlier = self.run_path.with_name("earlier.h5")
        shutil.copy(self.run_path, earlier)
        with Run(self.run_path) as run, h5py.File(earlier, "r+") as file:
            activity = run.activity
            del file["activity"], file["instructions"], file.attrs["default"], file.attrs["thread_ipc"]
            file.attrs["schema_version"] = "1.6"

            def strip(_, each):
                for name in ("NX_class", "signal", "axes", "long_name"):
                    if name in each.attrs:
                        del each.attrs[name]
            file.visititems(strip)
        with Run(earlier) as run:
            self.assertEqual(list(run.activity.index), list(activity.index))
            np.testing.assert_allclose(run.activity, activity, rtol=1e-12)
        lookahead.output_of(PROGRAM, ["validate", earlier])


if __name__ == "__main__":
    PROGRAM = lookahead.program_of_unit_tests(__doc__)
    unittest.main()
