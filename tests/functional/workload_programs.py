#!/usr/bin/env python3
"""Every workload as a capture of its host driver, and as an ordinary CUDA program through capture and replay, against
the run of its host driver: the same results, cycles and state.

    workload_programs.py --program LOOKAHEAD [--client PROGRAM] [--size tiny] [--compile all|NAME,...]
        [--set KEY=VALUE...] [--kernels FILE] [WORKLOAD...]

--client (build/release/tests/functional/workload_client) is the CUDA program with the PTX that is checked in, for every
workload. With --compile and nvcc the workloads named are also compiled from their kernel.cu, or from another FILE.cu: with
--set form=looped from looped.cu by --kernels looped.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(__file__).resolve().parents[2] / "experiments/workloads/cuda_program/build"
COMPARED = ["outputs", "cycles", "warp_instructions", "kernels", "state_hash"]
NOT_WORKLOADS = {"capture", "ptx"}  # those of the user's files


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def simulate(lookahead, folder, *arguments):
    result = json.loads(call(lookahead, "run", *arguments, "--json", "--progress", "none", "--out", str(folder / "run.h5")))
    return {key: result[key] for key in COMPARED}


def check(lookahead, client, name, options, compiles, folder):
    """The ways in which the workload ran, all alike."""
    chosen = ["--size", options.size] + [word for value in options.set for word in ("--set", value)]
    driver = simulate(lookahead, folder, name, *chosen)
    if driver["outputs"] != "match":
        raise RuntimeError(f"the driver's outputs: {driver['outputs']}")
    captures = {"driver's capture": folder / f"{name}.capture.h5"}
    call(lookahead, "capture", "--workload", name, *chosen, "-o", str(captures["driver's capture"]))
    programs = {"CUDA program": client} if client else {}
    if compiles:
        programs["nvcc's program"] = folder / f"{name}_program"
        call(str(BUILD), name, str(programs["nvcc's program"]), options.kernels)
    for way, program in programs.items():
        captures[way] = folder / f"{name}_{len(captures)}.capture.h5"
        call(lookahead, "capture", "-o", str(captures[way]), "--", str(program), str(captures["driver's capture"]))
    for way, capture in captures.items():
        replayed = simulate(lookahead, folder, str(capture))
        if replayed != driver:
            raise RuntimeError(f"{way}: {replayed}, but the driver's run: {driver}")
        capture.unlink()
    return f"{driver['cycles']} cycles as driver, {', '.join(captures)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="lookahead")
    parser.add_argument("--client", help="workload_client, the CUDA program that needs no nvcc")
    parser.add_argument("--size", default="tiny")
    parser.add_argument("--compile", default="", help="workloads to compile with nvcc, too; all")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter of the workloads")
    parser.add_argument("--kernels", default="kernel", metavar="FILE", help="what to compile: FILE.cu")
    parser.add_argument("workloads", nargs="*", help="only these workloads")
    options = parser.parse_args()
    lookahead = os.path.abspath(options.program)
    client = options.client and os.path.abspath(options.client)
    names = [line.split()[0] for line in call(lookahead, "list", "workloads").splitlines() if line.strip()]
    names = options.workloads or [name for name in names if name not in NOT_WORKLOADS]
    has_nvcc = shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc")
    if options.compile and not has_nvcc:
        print("there is no nvcc here: nothing is compiled")
    failures = 0
    for name in names:
        compiles = bool(has_nvcc) and (options.compile == "all" or name in options.compile.split(","))
        with tempfile.TemporaryDirectory() as folder:
            try:
                ways = check(lookahead, client, name, options, compiles, pathlib.Path(folder))
                print(f"{name}: {ways}", flush=True)
            except RuntimeError as error:
                print(f"{name}: {error}", flush=True)
                failures += 1
    return 1 if failures or not names else 0


if __name__ == "__main__":
    sys.exit(main())
