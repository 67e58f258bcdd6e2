#!/usr/bin/env python3
"""The map of the AVC at size tiny: the kernel has the right results in all its points, and gains if its words are affine alone."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tests/support"))
import lookahead_process as lookahead  # noqa: E402
import map_studies  # noqa: E402

WORKLOADS = ["hotspot", "nw", "lud"]


def check_map(checks):
    tables = map_studies.tables_of(checks, HERE.name, WORKLOADS)
    table = tables["kernel"]
    checks.check("gain of affine words alone", table.loc["affine 0", "words 9"] < 0.95 and table.loc["affine 8", "words 32"] > 1.4, table)
    placed = tables["map"]
    checks.check("all workloads have places", len(placed) == len(WORKLOADS) and placed.notna().to_numpy().all(), placed)
    difference = (placed["the map's gain"] - placed["its gain"]).abs().mean()
    checks.check("how far they are apart", abs(tables["agreement"].loc["the map", "mean absolute difference"] - difference) < 1e-9, tables)


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, lookahead.Checks, check_map))
