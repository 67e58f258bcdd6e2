#!/usr/bin/env python3
"""Tests `cmake --install` into a prefix that is then moved: the program finds all its files, stripped, and pip takes the wheel."""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import installation
from installation import PYTHON, Installation


def check_wheel(installed):
    wheels = list((installed.root / "share" / "lookahead").glob("lookahead_analysis-*-py3-none-any.whl"))
    installed.check("one wheel", len(wheels) == 1, wheels)
    site = installed.folder / "site"
    if installed.execute(PYTHON, "-m", "pip", "--version").returncode == 0:
        installed.succeeds(PYTHON, "-m", "pip", "install", "--no-deps", "--no-index", "--target", site, wheels[0])
        installed.check_analysis(site)
        listed = installed.succeeds(PYTHON, "-c", "import importlib.metadata as m; print(m.requires('lookahead_analysis'))",
                                    PYTHONPATH=str(site))
        needed = [name for name in eval(listed) if "extra" not in name]  # noqa: S307  what the line above printed
        installed.check("what it needs", needed == ["h5py"], listed)
    else:
        print("skipped: no pip")
        installed.check_analysis(wheels[0])  # Python reads packages in archives too
    check_without_pandas(installed)
    again = subprocess.run([PYTHON, pathlib.Path(__file__).parents[2] / "experiments/analysis/make_wheel.py",
                            wheels[0].name.split("-")[1], installed.folder], capture_output=True, text=True, check=True)
    installed.check("equal sources make equal bytes", pathlib.Path(again.stdout.strip()).read_bytes() == wheels[0].read_bytes())


def check_without_pandas(installed):
    """With h5py alone attributes and values are there, and a table gives an error of one sentence."""
    no_pandas = ("import sys, importlib.util as u\n"
                 "found = u.find_spec\n"
                 "u.find_spec = lambda name, *rest: None if name == 'pandas' else found(name, *rest)\n"
                 "sys.modules['pandas'] = None\n")
    read = no_pandas + "from lookahead_analysis import Run\nrun = Run('one.h5')\n"
    path = {"PYTHONPATH": str(installed.root / "share" / "lookahead" / "python")}
    installed.succeeds(PYTHON, "-c", read + "print(run.complete, run.config_value('l1d.ways'))", prints="True 4", **path)
    table = installed.execute(PYTHON, "-c", read + "run.kernels", **path)
    installed.check("a table without pandas", "ImportError" in table.stderr and "has no pandas; install" in table.stderr, table.stderr)


def main() -> int:
    arguments = installation.arguments_of(argparse.ArgumentParser(description=__doc__))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        installation.finish_or_stop([arguments.cmake, "--install", arguments.build, "--prefix", folder / "first"])
        (folder / "first").rename(folder / "second")
        (folder / "work").mkdir()
        installed = Installation(folder / "second", folder / "work")
        installed.check_binaries()
        installed.run_everything(arguments.client.resolve())
        check_wheel(installed)
        return installed.end()


if __name__ == "__main__":
    sys.exit(main())
