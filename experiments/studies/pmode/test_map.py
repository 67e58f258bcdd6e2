#!/usr/bin/env python3
"""The map of P-mode at size tiny: the kernel of figure 5 has the right results in all its points, and gains where P-mode pays."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tests/support"))
import lookahead_process as lookahead  # noqa: E402
import map_studies  # noqa: E402


def check_map(checks):
    map_studies.check(checks, HERE.name, ["MonteCarlo", "kmeans", "mri-q"], "gain in one corner alone",
                      lambda gain: gain.loc["warps 8", "arithmetic 0"] > 1.5 and gain.loc["warps 8", "arithmetic 128"] < 1.1)


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, lookahead.Checks, check_map))
