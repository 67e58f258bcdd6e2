#!/usr/bin/env python3
"""The map of DAC at size tiny: the kernel of figure 4 has the right results in all its points, and gains where DAC pays."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tests/support"))
import lookahead_process as lookahead  # noqa: E402
import map_studies  # noqa: E402


def check_map(checks):
    map_studies.check(checks, HERE.name, ["hotspot", "libor", "bfs"], "gain in one corner alone",
                      lambda gain: gain.loc["warps 8", "arithmetic 1"] > 1.2 and gain.loc["warps 48", "arithmetic 1"] < 1.05)


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, lookahead.Checks, check_map))
