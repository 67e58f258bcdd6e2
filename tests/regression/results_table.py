#!/usr/bin/env python3
"""Makes a table of the results of all workloads on all machines and with every mechanism, and compares the tables of two builds.

A change that does not affect results leaves every row unchanged:

    results_table.py --program OLD/lookahead -o old.csv
    results_table.py --program NEW/lookahead -o new.csv --against old.csv

A row is a run: its outputs' verdict, cycles, instructions, energy and state hash. `--ignore state_hash` compares the
rest, for a change to what is hashed. Exit code 1 if a row differs, or is in one table alone.
"""

import concurrent.futures
import csv
import itertools
import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

# Every machine as it is, and each design of a paper on its machine.
MACHINES = pathlib.Path(__file__).resolve().parents[2] / "experiments/machines"
PAPERS = lookahead.papers()
POINTS = {
    **{file.stem: [] for file in sorted(MACHINES.glob("*.toml"))},
    **{paper["machine"]: [] for paper in PAPERS},
    **{f"{paper['machine']} {design}": options for paper in PAPERS for design, options in paper["designs"].items()},
    "gtx480 barrier pmode": ["sm.simt=convergence_barrier", "sm.issue_extension=pmode"],
    "v100 mesh": ["interconnect.topology=mesh"],
}
KEY = ["workload", "size", "point"]
RESULTS = ["outputs", "cycles", "warp_instructions", "thread_instructions", "energy_j", "state_hash"]

def row(program, workload, size, point):
    with tempfile.TemporaryDirectory() as folder:
        done = lookahead.execute(program, ["run", workload, "--size", size, "--machine", point.split()[0], "--threads", "1",
                                           "--json", "--progress", "none", "--out", f"{folder}/run.h5",
                                           *lookahead.words("-o", POINTS[point])])
    # A CTA that does not fit a small SM is a result too.
    summary = json.loads(done.stdout) if done.returncode == 0 else {"outputs": f"exit {done.returncode}"}
    return {"workload": workload, "size": size, "point": point, **{name: str(summary.get(name, "")) for name in RESULTS}}

def differences(old, new, ignored):
    old, new = ({tuple(each[name] for name in KEY): each for each in table} for table in (old, new))
    for key in sorted(old.keys() | new.keys()):
        if key not in old or key not in new:
            yield f"{' '.join(key)}: only in the {'new' if key in new else 'old'} table"
            continue
        for name in RESULTS:
            if name not in ignored and old[key][name] != new[key][name]:
                yield f"{' '.join(key)}: {name} {old[key][name]} became {new[key][name]}"

def main() -> int:
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--sizes", nargs="+", default=["tiny", "small"])
    parser.add_argument("--workloads", nargs="+", help="without: all")
    parser.add_argument("--points", nargs="+", choices=POINTS, default=list(POINTS))
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--against", type=pathlib.Path, help="an earlier table")
    parser.add_argument("--ignore", nargs="+", choices=RESULTS, default=[])
    arguments = parser.parse_args()

    runs = list(itertools.product(arguments.workloads or lookahead.workloads(arguments.program), arguments.sizes,
                                  arguments.points))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        table = list(pool.map(lambda run: row(arguments.program, *run), runs))
    with arguments.output.open("w", newline="") as file:
        writer = csv.DictWriter(file, KEY + RESULTS)
        writer.writeheader()
        writer.writerows(table)
    print(f"{len(table)} runs, {sum(each['outputs'] != 'match' for each in table)} whose outputs do not match")
    if not arguments.against:
        return 0
    with arguments.against.open(newline="") as file:
        found = list(differences(list(csv.DictReader(file)), table, arguments.ignore))
    print(f"{len(found)} differences from {arguments.against}")
    for line in found:
        print("  " + line)
    return 1 if found else 0

if __name__ == "__main__":
    sys.exit(main())
