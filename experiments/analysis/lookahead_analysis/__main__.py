"""Prints what a result file holds: python3 -m lookahead_analysis run.h5"""

import argparse
import sys

from . import Run, RunFileError
from .messages import UNUSABLE, reason_of
from .packages import pandas, require


def print_run(run):
    for key, value in run.summary.items():
        print(f"{key:24} {value}")
    print("\nkernels")
    print(run.kernels.to_string() if len(run.kernels) else "none ran")
    if "latency" in run.file and len(run.file["latency/sample"]):
        print("\nreads that missed a cache of their SM, sampled: mean nanoseconds by stage")
        print(run.latency_summary.to_string(float_format="{:.1f}".format))
    for kind in run.counter_kinds:
        counters = run.counters(kind)
        print(f"\n{kind}: sums over {len(counters)} components")
        sums = counters.sum()
        print(sums[sums != 0].to_string() if (sums != 0).any() else "all zero")


def main():
    parser = argparse.ArgumentParser(prog="lookahead_analysis", description="Print what a result file holds.")
    parser.add_argument("run", help="result file")
    arguments = parser.parse_args()
    require("pandas")
    pandas.set_option("display.width", 160)
    try:
        with Run(arguments.run) as run:
            print_run(run)
    except RunFileError as error:
        print(f"lookahead_analysis: {error}", file=sys.stderr)
        return 3
    except UNUSABLE as error:
        print(f"lookahead_analysis: {arguments.run}: does not hold what its schema says: {reason_of(error)}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
