#!/usr/bin/env python3
"""Compares the wall time of the five peer kernels with GPGPU-Sim's, on the same inputs, one process.

GPGPU-Sim's time is its warp instructions over its measured speed (GPGPU-Sim 4.2, stock GTX480 configuration, on a
machine of the same kind, per second of CPU time). Runs the kernels in turn and prints the median and the least of their
times: on a shared machine, such as a virtual one whose cores are threads of physical cores in use by others, medians are up
to half as long again, and the least is the undisturbed time. Exits with 1 if a kernel's median exceeds --at-most of
GPGPU-Sim's time.
"""

import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402
from gpgpusim import POINTS  # noqa: E402

SMS = 15  # of gtx480


def main() -> int:
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--size", choices=POINTS, default="small")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--threads", help="of the process [as many as it takes by itself]")
    parser.add_argument("--at-most", type=float, default=1 / 50, help="of GPGPU-Sim's time")
    arguments = parser.parse_args()

    points = POINTS[arguments.size]
    seconds = {kernel: [] for kernel in points}
    summaries = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(arguments.runs):
            for kernel in points:
                options = [kernel, "--size", arguments.size, "--set", "input=peer", "-o", "host.copy_fills_l2=true",
                           "--out", pathlib.Path(folder) / "run.h5"]
                if arguments.threads:
                    options += ["--threads", arguments.threads]
                summaries[kernel], wall = lookahead.timed(arguments.program, options)
                seconds[kernel].append(wall)

    print(f"{'kernel':10} {'median s':>9} {'ratio':>7} {'least s':>8} {'ratio':>7} {'peer s':>7} {'warp instr/s':>13} "
          f"{'SM-cycles/s':>12} {'cycles':>8} {'peer':>8} {'':>5}")
    least_ratios, median_ratios = [], []
    for kernel, point in points.items():
        summary = summaries[kernel]
        peer = point.warp_instructions / (point.speed * 1e3)
        least, median = min(seconds[kernel]), statistics.median(seconds[kernel])
        least_ratios.append(peer / least)
        median_ratios.append(peer / median)
        print(f"{kernel:10} {median:9.3f} {peer / median:6.1f}x {least:8.3f} {peer / least:6.1f}x {peer:7.2f} "
              f"{summary['warp_instructions'] / median:13.0f} {SMS * summary['cycles'] / median:12.0f} "
              f"{summary['cycles']:8d} {point.cycles:8d} {summary['cycles'] / point.cycles - 1:+5.0%}")
    slow = sum(ratio < 1 / arguments.at_most for ratio in median_ratios)
    print(f"geometric mean {statistics.geometric_mean(median_ratios):.1f}x by medians, "
          f"{statistics.geometric_mean(least_ratios):.1f}x by least times; {len(points) - slow} passed, {slow} failed")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
