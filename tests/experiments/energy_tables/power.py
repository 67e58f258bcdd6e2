#!/usr/bin/python3
"""The GTX 480's average power over two kernels is one that the board can have; prints the breakdown for
tests/validation/ENERGY.md."""

import argparse
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "tests" / "support"), str(ROOT / "experiments" / "analysis")]
import lookahead_process as lookahead  # noqa: E402
from lookahead_analysis import Run  # noqa: E402

LEAST_W = 80  # any kernel keeps SMs and memory awake
MOST_W = 250  # NVIDIA's figure for the board
WORKLOADS = ("sgemm", "vecadd")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, default=lookahead.default_program())
    program = parser.parse_args().program
    powers, tables = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for workload in WORKLOADS:
            file = pathlib.Path(folder) / f"{workload}.h5"
            lookahead.simulate(program, [workload, "--size", "medium", "--machine", "gtx480", "--out", file])
            with Run(file) as run:
                tables[workload] = run.energy / (run.energy_summary["busy_fs"] * 1e-15)
                powers[workload] = run.energy_summary["average_w"]
    print("| component | " + " | ".join(f"{w}, dynamic W | {w}, static W | {w}, share" for w in WORKLOADS) + " |")
    print("|---|" + "--:|--:|--:|" * len(WORKLOADS))
    for component in tables[WORKLOADS[0]].index:
        cells = []
        for workload in WORKLOADS:
            dynamic, static = tables[workload].loc[component]
            cells.append(f"{dynamic:.1f} | {static:.1f} | {(dynamic + static) / powers[workload]:.1%}")
        print(f"| `{component}` | " + " | ".join(cells) + " |")
    totals = [f"{tables[w]['dynamic'].sum():.1f} | {tables[w]['static'].sum():.1f} | {powers[w]:.1f} W"
              for w in WORKLOADS]
    print("| total | " + " | ".join(totals) + " |")
    failed = [w for w in WORKLOADS if not LEAST_W <= powers[w] <= MOST_W]
    for workload in failed:
        print(f"{workload}: {powers[workload]:.1f} W is not between {LEAST_W} and {MOST_W} W")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
