#!/usr/bin/env python3
"""The map of P-mode at size tiny: the kernel of figure 5 has the right results in all its points, and gains where P-mode pays."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tests/support"))
import lookahead_process as lookahead  # noqa: E402
import map_studies  # noqa: E402

WORKLOADS = ["MonteCarlo", "kmeans", "mri-q"]


def check_map(checks):
    tables = map_studies.tables_of(checks, HERE.name, WORKLOADS)
    table = tables["kernel"]
    checks.check("gain in one corner alone", table.loc["warps 8", "arithmetic 0"] > 1.5 and table.loc["warps 8", "arithmetic 128"] < 1.1, table)
    placed = tables["map"]
    checks.check("all workloads have places", len(placed) == len(WORKLOADS) and placed.notna().to_numpy().all(), placed)
    difference = (placed["the map's gain"] - placed["its gain"]).abs().mean()
    checks.check("how far they are apart", abs(tables["agreement"].loc["the map", "mean absolute difference"] - difference) < 1e-9, tables)


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, lookahead.Checks, check_map))
