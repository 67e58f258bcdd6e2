#!/usr/bin/env python3
"""Checks that a run's results depend on neither ranks, nor protocol, nor partition, nor threads.

Every workload runs once serially on one thread, and then under every protocol x ranks x partitioner, and on several
threads alone and on some ranks; each run must match its CPU reference, give the same state hash, and an HDF5 file whose
groups, except /meta and /engine, are equal bit for bit. With --fewer each protocol and number of ranks runs with one
partitioner, a different one for each workload, so that the usual five workloads cover all, and one rank under mpirun
runs with one protocol. Prints a line for each difference and a closing count; exit code 1 if there is one.
"""

import itertools
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

WORKLOADS = ["vecadd", "sgemm", "hotspot", "histogram", "bfs"]
PROTOCOLS = ["window", "null_message"]
RANKS = [1, 2, 3, 4]
PARTITIONERS = ["linear", "round_robin", "by_kind", "graph"]
MOST_RANKS = {"null_message": 16}
# Without ranks a run is one process, without mpirun.
THREADED = [("serial", 0, "graph", 2), ("serial", 0, "graph", 3), ("serial", 0, "graph", 5),
            ("window", 2, "graph", 2), ("null_message", 2, "round_robin", 3)]


def points_of(workload, chosen):
    """(protocol, ranks, partitioner, threads) of a workload's runs."""
    pairs = [(protocol, ranks) for protocol, ranks in itertools.product(chosen.protocols, chosen.ranks)
             if ranks <= MOST_RANKS.get(protocol, ranks)]
    if chosen.fewer:
        first = WORKLOADS.index(workload) if workload in WORKLOADS else 0
        points = [(*pair, chosen.partitioners[(first + number) % len(chosen.partitioners)], 1)
                  for number, pair in enumerate(pairs) if pair[1] > 1 or pair[0] == "window"]
    else:
        points = [(*pair, partitioner, 1) for pair in pairs for partitioner in chosen.partitioners]
    threaded = THREADED[-3:] if chosen.fewer else THREADED
    return points + ([] if chosen.one_thread else threaded)


def differences(program, workload, size, options, points, folder):
    reference_file = folder / f"{workload}.serial.h5"
    reference = lookahead.simulate(
        program, [workload, "--size", size, "--threads", "1", "--out", reference_file, *options])
    if reference["outputs"] != "match":
        yield f"{workload} serial: outputs {reference['outputs']}"
    for protocol, ranks, partitioner, threads in points:
        name = f"{workload} {protocol} {ranks} ranks {partitioner} {threads} threads"
        out = folder / "point.h5"
        summary = lookahead.simulate(
            program, [workload, "--size", size, "--sync", protocol, "--partition", partitioner, "--threads", threads,
                      "--out", out, *options], ranks)
        if summary["ranks"] != max(ranks, 1) or (summary["threads"] > 1) != (threads > 1):
            yield f"{name}: ran on {summary['ranks']} ranks of {summary['threads']} threads"
        if summary["outputs"] != "match":
            yield f"{name}: outputs {summary['outputs']}"
        if summary["state_hash"] != reference["state_hash"]:
            yield f"{name}: state hash {summary['state_hash']}, serial {reference['state_hash']}"
        different = lookahead.difference(program, reference_file, out)
        if different:
            yield f"{name}: {different}"


def main() -> int:
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--sizes", nargs="+", default=["tiny", "small"])
    parser.add_argument("--workloads", nargs="+", default=WORKLOADS)
    parser.add_argument("--ranks", nargs="+", type=int, default=RANKS)
    parser.add_argument("--partitioners", nargs="+", default=PARTITIONERS)
    parser.add_argument("--protocols", nargs="+", default=PROTOCOLS)
    parser.add_argument("--fewer", action="store_true", help="one partitioner for each protocol and number of ranks")
    parser.add_argument("--one-thread", action="store_true", help="leave out the runs on several threads")
    parser.add_argument("--machine", default="gtx480")
    parser.add_argument("--option", action="append", default=[], help="a further configuration key=value")
    parser.add_argument("--set", action="append", default=[], help="a setting of all the workloads, name=value, as form=vector")
    arguments = parser.parse_args()
    options = ["--machine", arguments.machine]
    options += lookahead.words("--set", arguments.set) + lookahead.words("-o", arguments.option)

    failed = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        for size, workload in itertools.product(arguments.sizes, arguments.workloads):
            points = points_of(workload, arguments)
            runs += len(points)
            found = list(differences(arguments.program, workload, size, options, points, pathlib.Path(folder)))
            failed += len(found)
            print(f"{workload} {size}: {len(points)} runs against serial, {len(found)} differences", flush=True)
            for line in found:
                print("  " + line, flush=True)
    print(f"{runs - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
