#!/usr/bin/env python3
"""Compares cycles, L1D accesses and misses and DRAM utilisation with GPGPU-Sim's, on the machine gtx480_gpgpusim.

GPGPU-Sim's figures are in tests/support/gpgpusim.py. Its register counts limit occupancy (sm.occupancy_registers).
Exits with 1 if one of the ten points of the workloads is beyond 15 %, one of the four launches of kernels in peer/ is
beyond 10 % or executes another number of warp instructions, or another figure is out of its bounds. --write puts the
tables of cycles, of gtx480 too, into PEER_CYCLES.md, between its marks; with --choices also the effect of each
choice of the machine file, by returning one at a time to that of gtx480, which checks nothing.
"""

import dataclasses
import pathlib
import sys
import tempfile

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import gpgpusim  # noqa: E402
import lookahead_process as lookahead  # noqa: E402
import statement_page  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE / "PEER_CYCLES.md"
MACHINE = "gtx480_gpgpusim"
CYCLES_BOUND = 0.15
LAUNCH_BOUND = 0.10
L1D_ACCESSES_BOUND = 0.05
# sgemm's share of misses is anything from 68 to 72 % with changes of a cycle here or there.
L1D_MISSES_BOUND = 0.08
DRAM_BOUND_POINTS = 5

# What gtx480 does, in place of each choice of the machine file.
CHOICES = {
    "(all choices)": [],
    "input-queued network": ["interconnect.topology=crossbar", "crossbar.request_latency=64",
                             "crossbar.reply_latency=64", "crossbar.sender_flits=0", "crossbar.injection_flits=32",
                             "crossbar.credit_batch=16"],
    "buffers at the network's inputs": ["crossbar.sender_flits=0", "crossbar.injection_flits=32",
                                        "crossbar.credit_batch=16"],
    "L1's latency for misses": ["l1d.miss_latency=0"],
    "L2 a sector a cycle": ["l2.port_bytes=128"],
    "an entry for each sector": ["dram.entry_bytes=128"],
    "a burst and an entry for each sector": ["dram.read_bytes=128", "dram.entry_bytes=128"],
    "reads and writes in one queue": ["frfcfs.separate_writes=true"],
    "CTAs wait for their stores": ["coalescing.ctas_wait_for_stores=false"],
    "CTAs come at once": ["dispatcher.latency=64"],
    "atomics by sectors and lanes": ["coalescing.atomic_bytes=128"],
    "result buses": ["sm.result_buses=0"],
    "one cycle for simple operations": ["sm.timing.simple_latency=0"],
    "branches at issue, and through SP": ["sm.control_on_sp=false", "sm.branch_latency=4"],
    "the compiler's order": ["finaliser.schedule=true"],
    "moves, cvta, loads of parameters": ["finaliser.simplify=true"],
    "(operand collectors)": ["sm.operand_collectors=false", "sm.result_buses=0"],
    "(misses of code and parameters)": ["l1i.enabled=false", "constant_cache.enabled=false"],
}


@dataclasses.dataclass(frozen=True)
class Point:
    """What one run is compared with."""

    name: str
    size: str
    command: tuple
    registers: int
    cycles: int
    bound: float
    warp_instructions: int | None = None  # where they are to be the same


def points(sizes):
    for size in sizes:
        for kernel, point in gpgpusim.POINTS[size].items():
            command = (kernel, "--size", size, "--set", "input=peer")
            yield Point(kernel, size, command, gpgpusim.REGISTERS[kernel], point.cycles, CYCLES_BOUND)
    for kernel, launch in gpgpusim.LAUNCHES.items():
        settings = {"file": HERE / "peer" / f"{kernel}.ptx", "grid": launch.grid, "block": launch.block,
                    "arguments": launch.arguments}
        command = ("ptx", *lookahead.words("--set", [f"{key}={value}" for key, value in settings.items()]))
        yield Point(kernel, "launch", command, launch.registers, launch.cycles, LAUNCH_BOUND, launch.warp_instructions)


def measure(program, point, machine, options, folder):
    """Cycles, warp instructions, L1D accesses, L1D misses as GPGPU-Sim counts them, and the DRAM's utilisation."""
    result = pathlib.Path(folder) / "run.h5"
    command = [*point.command, "--machine", machine, "--out", result,
               *lookahead.words("-o", [f"sm.occupancy_registers={point.registers}", *options])]
    summary = lookahead.simulate(program, command, timeout=600)
    cycles = summary["cycles"]
    with h5py.File(result) as file:
        counters = file["counters"]
        busy = counters["dram/data_bus_cycles"][...].mean()
        dram_cycles = cycles * int(file["config/dram.frequency"][()]) / int(file["config/sm.frequency"][()])
        # Stores hit where their line is cached, and do so without a fetch.
        misses = sum(int(counters[f"l1d/{name}"][...].sum()) * sign
                     for name, sign in (("misses_demand", 1), ("stores", 1), ("store_hits", -1)))
        accesses = int(counters["lsu/global_accesses"][...].sum())
        return cycles, summary["warp_instructions"], accesses, misses, busy / dram_cycles


class Report(lookahead.Checks):
    def verdict(self, good):
        self.passed += bool(good)
        self.failed += not good
        return "ok" if good else "OUT OF BOUNDS"


def check_memory(report, kernel, accesses, misses, dram):
    if kernel in gpgpusim.L1D_ACCESSES:
        theirs = gpgpusim.L1D_ACCESSES[kernel]
        print(f"    L1D accesses {accesses}, its {theirs}: {accesses / theirs - 1:+.1%}",
              report.verdict(abs(accesses / theirs - 1) <= L1D_ACCESSES_BOUND))
    if kernel in gpgpusim.L1D_MISS_PERCENT:
        rate, theirs = 100 * misses / accesses, gpgpusim.L1D_MISS_PERCENT[kernel]
        # A printed 65 is anything from 64.5 to 65.5.
        nearest = min(max(rate, theirs - 0.5), theirs + 0.5)
        print(f"    L1D misses {rate:.1f} %, its {theirs} %: {rate / nearest - 1:+.1%} of the nearest that it rounds to",
              report.verdict(abs(rate / nearest - 1) <= L1D_MISSES_BOUND))
    if kernel in gpgpusim.DRAM_PERCENT:
        theirs = gpgpusim.DRAM_PERCENT[kernel]
        print(f"    DRAM busy {dram:.1%}, its {theirs} %",
              report.verdict(abs(100 * dram - theirs) <= DRAM_BOUND_POINTS))


def compare(program, sizes, options, folder):
    """The exit code, and rows of the page's table: kernel, size, its cycles, ours."""
    report = Report(program)
    rows = []
    print(f"{'size':8}{'kernel':17}{'cycles':>9}{'its':>9}{'':>8}")
    for point in points(sizes):
        cycles, instructions, accesses, misses, dram = measure(program, point, MACHINE, options, folder)
        deviation = cycles / point.cycles - 1
        rows.append((point, cycles))
        print(f"{point.size:8}{point.name:17}{cycles:9}{point.cycles:9}{deviation:+8.1%}",
              report.verdict(abs(deviation) <= point.bound), flush=True)
        if point.warp_instructions is not None:
            print(f"    warp instructions {instructions}, its {point.warp_instructions}",
                  report.verdict(instructions == point.warp_instructions))
        if point.size == "small":
            check_memory(report, point.name, accesses, misses, dram)
    return report.finish(), rows


def in_words(cycles, theirs):
    return f"{cycles}, {cycles / theirs - 1:+.1%}".replace("%", " %")


def cycles_table(program, rows, folder):
    lines = [f"| kernel | size | GPGPU-Sim | `{MACHINE}` | `gtx480` |", "|---|---|---|---|---|"]
    for point, cycles in rows:
        card = measure(program, point, "gtx480", [], folder)[0]
        lines.append(f"| {point.name} | {point.size} | {point.cycles} | {in_words(cycles, point.cycles)} | "
                     f"{in_words(card, point.cycles)} |")
    return "\n".join(lines)


def choices_table(program, sizes, options, folder):
    chosen = list(points(sizes))
    lines = ["| without | " + " | ".join(point.name + (", " + point.size if point.size == "medium" else "")
                                         for point in chosen) + " |", "|---" * (len(chosen) + 1) + "|"]
    for name, back in CHOICES.items():
        row = [measure(program, point, MACHINE, [*back, *options], folder)[0] / point.cycles - 1 for point in chosen]
        lines.append(f"| {name} | " + " | ".join(f"{each:+.1%}".replace("%", " %") for each in row) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def put(name, table):
    """Puts the table between its marks of the page."""
    statement_page.write(PAGE, (f"<!-- {name}: written by peer_cycles.py -->", f"<!-- end of {name} -->"), table)


def main() -> int:
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--sizes", nargs="+", choices=gpgpusim.POINTS, default=list(gpgpusim.POINTS))
    parser.add_argument("--choices", action="store_true", help="what each choice of the machine file costs")
    parser.add_argument("--write", action="store_true", help="put the tables into PEER_CYCLES.md")
    parser.add_argument("-o", "--option", action="append", default=[], help="a configuration key for all runs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        failed, rows = compare(arguments.program, arguments.sizes, arguments.option, folder)
        if arguments.write:
            put("cycles", cycles_table(arguments.program, rows, folder))
        if arguments.choices:
            table = choices_table(arguments.program, arguments.sizes, arguments.option, folder)
            if arguments.write:
                put("choices", table)
        return failed


if __name__ == "__main__":
    sys.exit(main())
