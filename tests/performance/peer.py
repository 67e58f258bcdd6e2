#!/usr/bin/env python3
"""Compares the wall time of the five peer kernels with GPGPU-Sim's, on the same inputs, one process.

GPGPU-Sim's time is its warp instructions over its measured speed (GPGPU-Sim 4.2, stock GTX480 configuration, on a
machine of the same kind). Prints a table and exits with 1 if a kernel is slower than --at-most of GPGPU-Sim's time.
"""

import argparse
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402
from gpgpusim import POINTS  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=lookahead.default_program())
    parser.add_argument("--size", choices=POINTS, default="small")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--at-most", type=float, default=1 / 20, help="of GPGPU-Sim's time")
    arguments = parser.parse_args()

    slow = []
    print(f"{'kernel':10} {'wall s':>8} {'peer s':>8} {'ratio':>8} {'warp instr/s':>13} {'cycles':>9} {'peer':>9} {'':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for kernel, point in POINTS[arguments.size].items():
            options = [kernel, "--size", arguments.size, "--set", "input=peer", "-o", "host.copy_fills_l2=true",
                       "--out", pathlib.Path(folder) / "run.h5"]
            runs = [lookahead.timed(arguments.program, options) for _ in range(arguments.runs)]
            wall = statistics.median(seconds for _, seconds in runs)
            summary = runs[0][0]
            peer = point.warp_instructions / (point.speed * 1e3)
            ratio = peer / wall
            print(f"{kernel:10} {wall:8.3f} {peer:8.2f} {ratio:7.1f}x {summary['warp_instructions_per_s']:13.0f} "
                  f"{summary['cycles']:9d} {point.cycles:9d} {summary['cycles'] / point.cycles - 1:+6.0%}", flush=True)
            if wall > arguments.at_most * peer:
                slow.append(kernel)
    print(f"{len(POINTS[arguments.size]) - len(slow)} passed, {len(slow)} failed")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
