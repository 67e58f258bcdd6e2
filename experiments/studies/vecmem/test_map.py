#!/usr/bin/env python3
"""The map of vectors at size tiny: the kernel has the right results in all its points, and gains only if L1 holds its
data."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tests/support"))
import lookahead_process as lookahead  # noqa: E402
import map_studies  # noqa: E402


def check_map(checks):
    map_studies.check(checks, HERE.name, ["mri-q", "spmv", "sgemm"], "gain in one corner alone",
                      lambda gain: gain.loc["distinct 8", "arithmetic 1"] > 1.1 > gain.loc["distinct 2048", "arithmetic 64"])


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, lookahead.Checks, check_map))
