#!/usr/bin/env python3
"""A trace of a run: valid JSON, bounded, the same for any number of ranks, and in agreement with the result file."""

import collections
import json
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import lookahead_process as lookahead  # noqa: E402

import h5py  # noqa: E402

CORE_MHZ = 700


def trace_of(program, folder, *options, ranks=0):
    file = folder / "trace.json"
    lookahead.simulate(program, ["histogram", "--size", "tiny", "--out", folder / "run.h5", "--trace", file, *options],
                       ranks)
    return json.loads(file.read_text())["traceEvents"]


def simulated(events):
    """What is in the trace of simulated time, without the numbers that the viewer needs."""
    processes = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    found = [(processes[e["pid"]], threads.get((e["pid"], e.get("tid"))), e["name"], e["ts"], e.get("dur"),
              json.dumps(e.get("args"))) for e in events if e["ph"] in "XC" and e["pid"] != 0]
    return sorted(found, key=str)


def main() -> int:
    parser = lookahead.argument_parser(__doc__)
    program = parser.parse_args().program
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        events = trace_of(program, folder, "--trace-of", "sm0,sm4", "--trace-cycles", "0", "1000000")
        alone = simulated(events)
        if {process for process, *_ in alone} != {"sm0, simulated time", "sm4, simulated time"}:
            faults.append("not the processes that were asked for")

        # The schedulers' spans are the file's causes, and spans of a track do not overlap.
        cycles = collections.Counter()
        ends = {}
        for process, track, state, begin, length, _ in sorted(alone, key=lambda e: (e[0], str(e[1]), e[3])):
            if length is None:
                continue
            if begin < ends.get((process, track), 0) - 1e-5:
                faults.append(f"{process}, {track}: spans overlap at {begin}")
            ends[process, track] = begin + length
            if track.startswith("scheduler") and process.startswith("sm4"):
                cycles[state] += round(length * CORE_MHZ)
        with h5py.File(folder / "run.h5") as file:
            sm = [i for i, each in enumerate(file["stalls/component"].asstr()) if each == "sm4"]
            total = file["stalls/scheduler_cycles"][:, sm[0], :].sum(axis=0)
            expected = {cause: int(n) for cause, n in zip(file["stalls/cause"].asstr(), total) if n}
        if cycles != expected:
            faults.append(f"schedulers of sm4: {dict(cycles)} in the trace, {expected} in the file")

        ranks = simulated(trace_of(program, folder, "--trace-of", "sm0,sm4", "--trace-cycles", "0", "1000000", ranks=2))
        if ranks != alone:
            faults.append("the trace of two ranks differs")
        few = simulated(trace_of(program, folder, "--trace-events", "50"))
        if not 50 <= len(few) <= 150:  # beside the events, what is still open at the end of each track
            faults.append(f"--trace-events 50 gave {len(few)} events")
        part = simulated(trace_of(program, folder, "--trace-cycles", "2000", "3000"))
        if not part or min(e[3] for e in part) < 2000 / CORE_MHZ - 1e-5 or max(
                e[3] + (e[4] or 0) for e in part) > 3000 / CORE_MHZ + 1e-5:
            faults.append("--trace-cycles 2000 3000 is not kept")
        done = lookahead.execute(program, ["run", "vecadd", "--size", "tiny", "--out", folder / "x.h5", "--trace",
                                           folder / "x.json", "--trace-of", "sm99"])
        if done.returncode != 2 or "sm99" not in done.stderr:
            faults.append(f"--trace-of sm99: exit {done.returncode}, {done.stderr}")
    print("\n".join(faults) or "the trace holds")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
