#!/usr/bin/env python3
"""The map of CAPS at size tiny: the kernel has the right results in all its points, and loses only with many loads and
CTAs."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tests/support"))
import lookahead_process as lookahead  # noqa: E402
import map_studies  # noqa: E402


def check_map(checks):
    map_studies.check(checks, HERE.name, ["matrixMul", "bfs", "histogram"], "loss in one corner alone",
                      lambda gain: gain.loc["ctas 8", "loads 8"] < 0.97 < gain.loc["ctas 1"].min())


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, lookahead.Checks, check_map))
