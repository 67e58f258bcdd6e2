#!/usr/bin/env python3
"""The map of the AVC at size tiny: the kernel has the right results in all its points, and gains only if its words are
affine."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tests/support"))
import lookahead_process as lookahead  # noqa: E402
import map_studies  # noqa: E402


def check_map(checks):
    map_studies.check(checks, HERE.name, ["hotspot", "nw", "lud"], "gain of affine words alone",
                      lambda gain: gain.loc["affine 0", "words 9"] < 0.95 and gain.loc["affine 8", "words 32"] > 1.4)


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, lookahead.Checks, check_map))
