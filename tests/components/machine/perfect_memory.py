#!/usr/bin/env python3
"""gpu.perfect_memory as the program shows it: outputs match, no kernel takes longer than with a real memory, a kernel
without memory accesses takes as long, epochs change nothing, and more ranks than one are refused by name."""

import argparse
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

WORKLOADS = ["vecadd", "sgemm", "hotspot", "histogram", "bfs"]
PERFECT = ["-o", "gpu.perfect_memory=true"]


def faults(program, out):
    def run(*words):
        return lookahead.simulate(program, [*words, "--out", out])

    for workload in WORKLOADS:
        for options in ([], ["-o", "l1d.sector_bytes=32", "-o", "l1d.write_policy=write_through"]):
            real = run(workload, "--size", "tiny", *options)
            perfect = run(workload, "--size", "tiny", *options, *PERFECT)
            if perfect["outputs"] != "match" or perfect["status"] != "complete":
                yield f"{workload} {options}: {perfect}"
            # A workload's kernels end sooner if its loads do.
            if not 0 < perfect["cycles"] < real["cycles"]:
                yield f"{workload} {options}: {perfect['cycles']} cycles, {real['cycles']} with a real memory"

    # Without the caches of instructions and parameters, whose misses are memory accesses too.
    arithmetic = ["ptx", "--set", f"file={HERE / 'arithmetic_loop.ptx'}", "--set", "arguments=u32:50", "--set",
                  "grid=40", "--set", "block=192", "-o", "l1i.enabled=false", "-o", "constant_cache.enabled=false"]
    real, perfect = run(*arithmetic), run(*arithmetic, *PERFECT)
    if real["cycles"] != perfect["cycles"] or perfect["cycles"] < 1000:
        yield f"arithmetic alone: {perfect['cycles']} cycles, {real['cycles']} with a real memory"

    cuts = {run("bfs", "--size", "tiny", *PERFECT, "-o", f"run.epoch={epoch}")["cycles"] for epoch in (37, 2000, 100_000)}
    if len(cuts) != 1:
        yield f"bfs takes {cuts} cycles, by the length of the epochs"

    refused = lookahead.execute(program, ["run", "vecadd", "--size", "tiny", "--out", str(out), *PERFECT], ranks=2)
    if refused.returncode != 2 or "gpu.perfect_memory" not in refused.stderr:
        yield f"two ranks: exit {refused.returncode}, {refused.stderr}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, default=lookahead.default_program())
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = list(faults(arguments.program, pathlib.Path(folder) / "run.h5"))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
