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

# Every machine as it is, and each mechanism on its paper's machine.
POINTS = {
    "gtx480": [], "gtx480_gpgpusim": [], "v100": [], "caps_fermi": [], "pmode_fermi": [], "dac_gtx480": [],
    "vecmem_nvidia": [], "avc_fermi_sm": [],
    "caps_fermi caps pas": ["sm.prefetcher=caps", "sm.warp_scheduler=pas"],
    "caps_fermi intra": ["sm.prefetcher=intra"],
    "caps_fermi inter": ["sm.prefetcher=inter"],
    "caps_fermi mta": ["sm.prefetcher=mta"],
    "caps_fermi nlp": ["sm.prefetcher=nlp"],
    "caps_fermi orch": ["sm.prefetcher=orch", "sm.warp_scheduler=group_interleaved"],
    "caps_fermi lap": ["sm.prefetcher=lap"],
    "caps_fermi gto": ["sm.warp_scheduler=gto"],
    "pmode_fermi pmode": ["sm.issue_extension=pmode"],
    "dac_gtx480 dac": ["sm.issue_extension=dac"],
    "dac_gtx480 cae": ["sm.issue_extension=cae"],
    "dac_gtx480 mta": ["sm.prefetcher=mta"],
    "avc_fermi_sm avc": ["l1d.companion=avc", "l1d.ways=4"],
    "gtx480 barrier pmode": ["sm.simt=convergence_barrier", "sm.issue_extension=pmode"],
    "vecmem_nvidia vecmem": ["kernel.transform=vecmem"],
    "vecmem_nvidia ccws": ["sm.warp_scheduler=ccws"],
    "vecmem_nvidia batch": ["memory.request_path=batch", "crossbar.row_grants=16"],
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
