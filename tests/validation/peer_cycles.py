#!/usr/bin/env python3
"""Compares cycles, L1D accesses and misses and DRAM utilisation with GPGPU-Sim's, on the machine gtx480_gpgpusim.

GPGPU-Sim's figures are in tests/support/gpgpusim.py. Its register counts limit occupancy (sm.occupancy_registers).
Exits with 1 if more than one point in ten is beyond 20 % or one is beyond 35 %, or if another figure is out of its
bounds. --choices puts back, one at a time, what gtx480 does where the machine follows GPGPU-Sim, and prints what each
choice costs; that checks nothing.
"""

import argparse
import pathlib
import sys
import tempfile

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import gpgpusim  # noqa: E402
import lookahead_process as lookahead  # noqa: E402

MACHINE = "gtx480_gpgpusim"
CYCLES_BOUND = 0.20
CYCLES_BOUND_OF_ONE_IN_TEN = 0.35
L1D_BOUND = 0.05
DRAM_BOUND_POINTS = 5

# What gtx480 does, in place of each choice of the machine file.
CHOICES = {
    "as it is": [],
    "virtual output queues": ["interconnect.topology=crossbar", "crossbar.request_latency=64",
                              "crossbar.reply_latency=64"],
    "misses leave at once": ["l1d.miss_latency=0"],
    "whole bursts of DRAM": ["dram.read_bytes=128"],
    "scheduled code": ["finaliser.schedule=true"],
    "simplified code": ["finaliser.simplify=true"],
    "64-bit operations expanded": ["isa.expand_64bit=true"],
    "operands at once": ["sm.operand_collectors=false"],
    "caches of code and parameters perfect": ["l1i.enabled=false", "constant_cache.enabled=false"],
}


def measure(program, kernel, size, options, folder):
    """Cycles, L1D accesses, L1D misses as GPGPU-Sim counts them, and the DRAM's utilisation."""
    result = pathlib.Path(folder) / "run.h5"
    command = [kernel, "--size", size, "--machine", MACHINE, "--set", "input=peer", "--out", result]
    for option in [f"sm.occupancy_registers={gpgpusim.REGISTERS[kernel]}", *options]:
        command += ["-o", option]
    cycles = lookahead.simulate(program, command, timeout=600)["cycles"]
    with h5py.File(result) as file:
        counters = file["counters"]
        busy = counters["dram/data_bus_cycles"][...].mean()
        dram_cycles = cycles * int(file["config/dram.frequency"][()]) / int(file["config/sm.frequency"][()])
        # Stores hit where their line is cached, and do so without a fetch.
        misses = sum(int(counters[f"l1d/{name}"][...].sum()) * sign
                     for name, sign in (("misses_demand", 1), ("stores", 1), ("store_hits", -1)))
        return cycles, int(counters["lsu/global_accesses"][...].sum()), misses, busy / dram_cycles


class Report:
    def __init__(self):
        self.passed = 0
        self.failed = 0

    def verdict(self, good):
        self.passed += good
        self.failed += not good
        return "ok" if good else "OUT OF BOUNDS"


def check_memory(report, kernel, accesses, misses, dram):
    if kernel in gpgpusim.L1D_ACCESSES:
        theirs = gpgpusim.L1D_ACCESSES[kernel]
        print(f"    L1D accesses {accesses}, its {theirs}: {accesses / theirs - 1:+.1%}",
              report.verdict(abs(accesses / theirs - 1) <= L1D_BOUND))
    if kernel in gpgpusim.L1D_MISS_PERCENT:
        rate, theirs = 100 * misses / accesses, gpgpusim.L1D_MISS_PERCENT[kernel]
        # A printed 65 is anything from 64.5 to 65.5.
        nearest = min(max(rate, theirs - 0.5), theirs + 0.5)
        print(f"    L1D misses {rate:.1f} %, its {theirs} %: {rate / nearest - 1:+.1%} of the nearest that it rounds to",
              report.verdict(abs(rate / nearest - 1) <= L1D_BOUND))
    if kernel in gpgpusim.DRAM_PERCENT:
        theirs = gpgpusim.DRAM_PERCENT[kernel]
        print(f"    DRAM busy {dram:.1%}, its {theirs} %",
              report.verdict(abs(100 * dram - theirs) <= DRAM_BOUND_POINTS))


def compare(program, sizes, options, folder):
    report = Report()
    far = points = 0
    print(f"{'size':8}{'kernel':11}{'cycles':>9}{'its':>9}{'':>8}")
    for size in sizes:
        for kernel, point in gpgpusim.POINTS[size].items():
            cycles, accesses, misses, dram = measure(program, kernel, size, options, folder)
            deviation = cycles / point.cycles - 1
            points += 1
            far += abs(deviation) > CYCLES_BOUND
            print(f"{size:8}{kernel:11}{cycles:9}{point.cycles:9}{deviation:+8.1%}",
                  report.verdict(abs(deviation) <= CYCLES_BOUND_OF_ONE_IN_TEN), flush=True)
            if size == "small":
                check_memory(report, kernel, accesses, misses, dram)
    allowed = (points + 9) // 10
    print(f"{far} of {points} points beyond {CYCLES_BOUND:.0%}, {allowed} may be:", report.verdict(far <= allowed))
    print(f"{report.passed} passed, {report.failed} failed")
    return report.failed == 0


def compare_choices(program, sizes, options, folder):
    for size in sizes:
        points = gpgpusim.POINTS[size]
        print(f"{size:38}" + "".join(f"{kernel:>18}" for kernel in points))
        for name, back in CHOICES.items():
            row = []
            for kernel, point in points.items():
                cycles = measure(program, kernel, size, [*back, *options], folder)[0]
                row.append(f"{cycles:10}{cycles / point.cycles - 1:+8.1%}")
            print(f"{name:38}" + "".join(row), flush=True)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=lookahead.default_program())
    parser.add_argument("--sizes", nargs="+", choices=gpgpusim.POINTS, default=list(gpgpusim.POINTS))
    parser.add_argument("--choices", action="store_true", help="what each choice of the machine file costs")
    parser.add_argument("-o", "--option", action="append", default=[], help="a configuration key for all runs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = compare_choices if arguments.choices else compare
        return 0 if run(arguments.program, arguments.sizes, arguments.option, folder) else 1


if __name__ == "__main__":
    sys.exit(main())
