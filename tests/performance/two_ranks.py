#!/usr/bin/env python3
"""Measures the speed-up of two ranks, or of two threads, over one, in pairs of runs taken in turn on an otherwise idle machine.

The time is the simulation's own (wall_s of the summary: without mpirun's start). Prints each pair, the median of their
ratios, and the ratio of the least times, which for short runs is the program's own on undisturbed cores. Exits with 1 if a
workload's median is below --at-least.

With --ceiling two independent runs on one rank at once, each on its own core, follow each pair. Cores share caches,
memory and the host of a virtual machine, so two programs rarely run as fast as one alone: their throughput over that of
one alone is the most that this machine gives to two cores, and the speed-up divided by it is the parallel program's
share.
"""

import argparse
import os
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402


def measure(arguments: argparse.Namespace, workload: str, folder: pathlib.Path) -> float:
    """The median speed-up of a workload's pairs."""
    machine = ["--machine", arguments.machine]
    options = [workload, "--size", arguments.size, "--threads", "1", *machine]
    single = [*options, "--out", folder / "run.h5"]
    if arguments.threads:
        parallel = [workload, "--size", arguments.size, "--threads", "2", *machine, "--out", folder / "run.h5"]
    else:
        parallel = [*single, "--sync", arguments.sync, "--partition", arguments.partition]
    if arguments.measured_weights and not arguments.threads:
        weights = folder / "weights.h5"
        lookahead.simulate(arguments.program, [*options, "--out", weights])
        parallel += ["--weights", weights]
    who = "threads" if arguments.threads else "ranks"
    ones, twos, ceilings = [], [], []
    for _ in range(arguments.pairs):
        one = lookahead.simulate(arguments.program, single)["wall_s"]
        two = lookahead.simulate(arguments.program, parallel, 0 if arguments.threads else 2,
                                 placement=lookahead.ON_CORES)["wall_s"]
        ones.append(one)
        twos.append(two)
        line = f"{workload}: {one:.3f} s on one, {two:.3f} s on two {who}, {one / two:.2f}x"
        if arguments.ceiling:
            both = [alone["wall_s"] for alone in
                    lookahead.two_at_once(arguments.program, options, [folder / "first.h5", folder / "second.h5"])]
            # The sum of both speeds, and not twice the slower one's: of two times that scatter the worse one would
            # make the machine look worse than it is, and the program better.
            ceilings.append(sum(one / time for time in both))
            line += f"; two runs at once {both[0]:.3f} s and {both[1]:.3f} s, {ceilings[-1]:.2f}x"
        print(line, flush=True)
    speed_up = statistics.median(one / two for one, two in zip(ones, twos))
    line = (f"{workload}: median {speed_up:.2f}x, {min(ones) / min(twos):.2f}x by the least times, {min(ones):.3f} s and "
            f"{min(twos):.3f} s")
    if arguments.ceiling:
        ceiling = statistics.median(ceilings)
        line += f"; the machine gives two independent runs {ceiling:.2f}x, two {who} reach {speed_up / ceiling:.0%} of it"
    print(line, flush=True)
    return speed_up


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=lookahead.default_program())
    parser.add_argument("--workloads", nargs="+", default=["sgemm", "hotspot"])
    parser.add_argument("--size", default="small")
    parser.add_argument("--machine", default="gtx480")
    parser.add_argument("--threads", action="store_true", help="two threads of one process in place of two ranks")
    parser.add_argument("--sync", default="window")
    parser.add_argument("--partition", default="by_kind")
    parser.add_argument("--measured-weights", action="store_true",
                        help="balance by the processes' times in a run on one rank before the pairs")
    parser.add_argument("--ceiling", action="store_true",
                        help="also measure two independent runs on one rank at once")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--at-least", type=float, default=1.5)
    arguments = parser.parse_args()
    if arguments.ceiling and len(os.sched_getaffinity(0)) < 2:
        parser.error("--ceiling needs two cores")

    with tempfile.TemporaryDirectory() as folder:
        medians = [measure(arguments, workload, pathlib.Path(folder)) for workload in arguments.workloads]
    return 1 if min(medians) < arguments.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
