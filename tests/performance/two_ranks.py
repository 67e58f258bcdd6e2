#!/usr/bin/env python3
"""Measures the speed-up of two ranks over one, in pairs of runs taken in turn on an otherwise idle machine.

The time is the simulation's own (wall_s of the summary: without mpirun's start). Prints each pair and the medians;
exits with 1 if a workload's median speed-up is below --at-least.
"""

import argparse
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=lookahead.default_program())
    parser.add_argument("--workloads", nargs="+", default=["sgemm", "hotspot"])
    parser.add_argument("--size", default="small")
    parser.add_argument("--sync", default="window")
    parser.add_argument("--partition", default="graph")
    parser.add_argument("--measured-weights", action="store_true",
                        help="balance by the processes' times in a run on one rank before the pairs")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--at-least", type=float, default=1.5)
    arguments = parser.parse_args()

    slow = 0
    with tempfile.TemporaryDirectory() as folder:
        for workload in arguments.workloads:
            options = [workload, "--size", arguments.size, "--out", pathlib.Path(folder) / "run.h5"]
            parallel = [*options, "--sync", arguments.sync, "--partition", arguments.partition]
            if arguments.measured_weights:
                weights = pathlib.Path(folder) / "weights.h5"
                lookahead.simulate(arguments.program, [workload, "--size", arguments.size, "--out", weights])
                parallel += ["--weights", weights]
            ratios = []
            for _ in range(arguments.pairs):
                one = lookahead.simulate(arguments.program, options)["wall_s"]
                two = lookahead.simulate(arguments.program, parallel, ranks=2)["wall_s"]
                ratios.append(one / two)
                print(f"{workload}: {one:.3f} s on one, {two:.3f} s on two ranks, {one / two:.2f}x", flush=True)
            median = statistics.median(ratios)
            slow += median < arguments.at_least
            print(f"{workload}: median {median:.2f}x")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
