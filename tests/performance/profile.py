#!/usr/bin/env python3
"""Measures where a run's time goes, by part of the program: samples it with Linux's perf and adds up its functions.

    tests/performance/profile.py sgemm bfs --size medium --set input=peer

Prints a table (a column for each workload, per cent of the samples of the whole process) and the costliest functions.
PROFILE.md has such a table with its conclusions.
"""

import argparse
import collections
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

# A function belongs to the first part of which a fragment is in its name or, after '/', in its library's name.
PARTS = [
    ("result file", ["hdf5", "H5", "write_run", "/libhdf5", "StatisticsCollector", "RunRecord"]),
    ("series and progress", ["SeriesCollector", "RunObserver", "visit_statistics"]),
    ("engine", ["RankEngine", "RankMessages", "RankProcesses", "WindowTasks", "WindowTeam", "MessageRouter",
                "SerialProtocol", "WindowProtocol", "Transport", "Simulation", "ProcessProfile", "OutPort", "ByteBuffer"]),
    ("operand collectors", ["OperandCollectors"]),
    ("fetch", ["FetchStage", "InstructionCache", "InstructionMemory"]),
    ("issue", ["IssueStage", "PipelineState", "Scheduler", "Scoreboard", "BarrierStage", "UnitPool"]),
    ("CTAs and SM's own", ["StreamingMultiprocessor", "CtaStage", "CtaDispatcher", "RegisterFile", "HeldMessages"]),
    ("shared memory", ["SharedMemory"]),
    ("coalescer and L1", ["CoalescingUnit", "AccessQueue", "L1Accesses", "AccessOrder", "L1Data", "MshrTable", "LoadTable",
                          "TagArray", "MissQueue", "copy_bytes", "ConstantCache", "AllocationMap", "lane_data",
                          "write_lanes", "read_lanes"]),
    ("execution", ["isa::", "ExecuteStage"]),
    ("interconnect", ["InjectionPort", "EjectionPort", "PacketRing", "packet_bytes", "Crossbar", "PartitionPorts",
                      "CrossbarMemoryPort"]),
    ("L2", ["L2Slice", "MemoryPartition"]),
    ("DRAM", ["DramChannel", "FrFcfs", "frfcfs", "MemoryImage"]),
    ("front end", ["ptx::", "finaliser::"]),
    ("loading, start, kernel", ["[k]", "/ld-linux"]),
]


def part_of(symbol, library):
    for part, fragments in PARTS:
        for fragment in fragments:
            if (fragment[0] == "/" and fragment[1:] in library) or (fragment[0] != "/" and fragment in symbol):
                return part
    return "other"


def sample(program, arguments, folder):
    """(symbol, library) -> per cent."""
    data = folder / "perf.data"
    run = [program, "run", *arguments, "--progress", "none", "--json", "--out", folder / "run.h5"]
    subprocess.run(["perf", "record", "-q", "-F", "4000", "-o", data, *map(str, run)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    report = subprocess.run(["perf", "report", "-i", data, "--no-children", "--sort", "dso,sym", "-g", "none",
                             "-F", "overhead,dso,sym", "--field-separator", "\t"],
                            check=True, capture_output=True, text=True).stdout
    functions = collections.Counter()
    for line in report.splitlines():
        fields = line.strip().split("\t")
        if len(fields) == 3 and not line.startswith("#"):
            functions[(fields[2].strip(), fields[1].strip())] += float(fields[0].strip().rstrip("%"))
    return functions


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="+")
    parser.add_argument("--program", type=pathlib.Path, default=lookahead.default_program())
    parser.add_argument("--functions", type=int, default=15, help="how many functions to list for each workload")
    arguments, options = parser.parse_known_args()
    if shutil.which("perf") is None:
        parser.error("perf is not installed (Debian: linux-perf)")
    columns = {}
    with tempfile.TemporaryDirectory() as name:
        for workload in arguments.workloads:
            columns[workload] = sample(arguments.program, [workload, *options], pathlib.Path(name))
    print("| part | " + " | ".join(columns) + " |\n|---|" + "---|" * len(columns))
    totals = {workload: collections.Counter() for workload in columns}
    for workload, functions in columns.items():
        for (symbol, library), share in functions.items():
            totals[workload][part_of(symbol, library)] += share
    for part in sorted({part for each in totals.values() for part in each},
                       key=lambda part: -sum(each[part] for each in totals.values())):
        print(f"| {part} | " + " | ".join(f"{totals[workload][part]:.1f}" for workload in columns) + " |")
    for workload, functions in columns.items():
        print(f"\n{workload}")
        for (symbol, library), share in functions.most_common(arguments.functions):
            print(f"  {share:5.1f}  {part_of(symbol, library):20} {symbol.replace('lookahead::', '')[:90]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
