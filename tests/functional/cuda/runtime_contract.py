#!/usr/bin/env python3
"""The parts of runtime_contract.cpp under `lookahead capture`, and live under `lookahead run`: those that end well are correct,
and replay; for the others the exit status, what stderr says, and whether there is a file."""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import lookahead_process as lookahead  # noqa: E402

# They replay with the same results.
CORRECT = ["errors", "launches", "copies", "memory", "streams", "events", "threads", "two_processes", "left_behind"]
# Status of `lookahead capture`, what stderr says, whether the capture is written.
ENDINGS = {
    "killed": (4, "ended by signal 9", False),
    "bad_host_address": (4, "ended by signal 11", False),
    "status_three": (4, "ended with exit status 3", True),
    "waits_for_host": (0, "if it waits for the host, it waits forever", True),
    "properties": (0, "did not use its device, so there is no capture", False),
    "no_such_part": (3, "made no device call", False),
}
# The same of `lookahead run`, which writes for them only the file that says what failed.
LIVE_ENDINGS = {
    "processes": (4, "kernel poke, CTA (0, 0, 0), warp 0, PC 0x0"),  # a kernel fails, and the simulation with it
    "killed": (4, "ended by signal 9"),
    "status_three": (4, "wrong output: runtime_contract ended with exit status 3"),
    "properties": (3, "did not use its device, and ended with exit status 0"),
    "no_such_part": (3, "made no device call"),
}
LIVE_REFUSALS = {
    "checkpoints": (["--checkpoint-every", "1000"], "runs live, which allows no checkpoints"),
    "a second functional run": (["-o", "sm.prefetcher=oracle"], "oracle runs a program twice"),
    "parameters": (["--set", "n=5"], "--set is for a workload's parameters"),
}
# What stderr says of launches that the runtime refuses.
REFUSALS = {
    "launches": ["launch of add: grid (0, 1, 1) of blocks (1, 1, 1) is empty",
                 "launch of add: block (1025, 1, 1) exceeds 1024 threads",
                 "launch of bounded: block of 65 threads exceeds the kernel's .maxntid of 64",
                 "launch of add: 0 bytes of static and 49153 of dynamic shared memory are more than"],
}
LONGEST_SECONDS = 500  # one that waits for what the program left behind takes 1000


def children_of(process):
    return subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True, help="lookahead")
    parser.add_argument("--client", required=True, help="runtime_contract")
    parser.add_argument("--driver-client", required=True)
    options = parser.parse_args()
    for option, path in vars(options).items():
        setattr(options, option, os.path.abspath(path))
    failures = 0

    with tempfile.TemporaryDirectory() as name:
        capture = pathlib.Path(name) / "part.capture.h5"

        def execute(*command):
            # In the temporary folder: core files and results go there.
            done = subprocess.run(command, capture_output=True, text=True, timeout=lookahead.PATIENCE, cwd=name)
            for process in re.findall(r"left behind: process (\d+)", done.stdout + done.stderr):
                os.kill(int(process), signal.SIGKILL)
            return done

        def record(*command):
            for file in pathlib.Path(name).iterdir():
                file.unlink()
            return execute(options.program, "capture", "-o", str(capture), "--", *command)

        def expect(what, good, done):
            nonlocal failures
            failures += not good
            print(f"{what}: {'as expected' if good else f'status {done.returncode}: {done.stdout}{done.stderr}'}")

        for part in CORRECT + ["processes", "scheduling"]:
            begin = time.monotonic()
            done = record(options.client, part)
            in_time = time.monotonic() - begin < LONGEST_SECONDS
            expect(part, done.returncode == 0 and f"{part}: correct" in done.stdout and in_time and
                   all(sentence in done.stderr for sentence in REFUSALS.get(part, [])), done)
            if part in CORRECT:
                done = execute(options.program, "run", str(capture), "--progress", "none", "--force")
                expect(f"{part}, replayed", done.returncode == 0 and "mismatch" not in done.stdout, done)
        done = execute(options.program, "run", str(capture), "--progress", "none", "--force", "-o", "sm.simt=convergence_barrier")
        expect("scheduling, replayed", done.returncode == 0 and "outputs match" in done.stdout, done)
        done = record(options.client, "slow")
        expect("progress", done.returncode == 0 and "lookahead: kernel 4 'add' begins" in done.stderr, done)
        for part, (status, sentence, written) in ENDINGS.items():
            done = record(options.client, part)
            files = sorted(os.listdir(name))
            expect(part, done.returncode == status and sentence in done.stderr and
                   files == ([capture.name] if written else []), done)
        waiting = subprocess.Popen([options.program, "capture", "-o", str(capture), "--", options.client, "slow"],
                                   cwd=name, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        lookahead.wait_for(lambda: children_of(waiting))
        waiting.kill()
        waiting.wait()
        expect("capture killed", not os.listdir(name), subprocess.CompletedProcess([], 0, os.listdir(name), ""))

        def run_live(*words):
            for file in pathlib.Path(name).iterdir():
                file.unlink()
            return execute(options.program, "run", "--progress", "none", "-o", "sm.simt=convergence_barrier", *words)

        for part in CORRECT + ["scheduling"]:
            done = run_live("--", options.client, part)
            expect(f"{part}, live", done.returncode == 0 and f"{part}: correct" in done.stdout and "outputs match" in done.stdout
                   and all(sentence in done.stderr for sentence in REFUSALS.get(part, [])), done)
        for part, (status, sentence) in LIVE_ENDINGS.items():
            done = run_live("--", options.client, part)
            expect(f"{part}, live", done.returncode == status and sentence in done.stderr, done)
        for what, (words, sentence) in LIVE_REFUSALS.items():
            done = run_live(*words, "--", options.client, "memory")
            expect(f"no {what} live", done.returncode == 2 and sentence in done.stderr and not done.stdout and
                   not os.listdir(name), done)
        done = run_live("--json", "--", options.client, "memory")
        expect("stdout is the object's", "memory: correct" in done.stderr and json.loads(done.stdout)["outputs"] == "match", done)
        done = execute("mpirun", "--oversubscribe", "-n", "2", options.program, "run", "--", options.client, "memory")
        expect("live on two ranks", done.returncode == 2 and done.stderr.count("runs live on one rank, but there are 2") == 1, done)
        done = execute(options.program, "run", options.client)
        expect("a program without --", done.returncode == 2 and f"lookahead run -- {options.client}" in done.stderr, done)
        waiting = subprocess.Popen([options.program, "run", "--", options.client, "waits_for_host"], cwd=name,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        child = lookahead.wait_for(lambda: children_of(waiting))
        waiting.terminate()
        waiting.wait()
        gone = lookahead.wait_for(lambda: not any(pathlib.Path(f"/proc/{process}/exe").exists() for process in child), 60)
        expect("a signal ends both", waiting.returncode == -signal.SIGTERM and child and gone,
               subprocess.CompletedProcess([], waiting.returncode, child, ""))
        done = execute(options.program, "capture", "-o", "no_folder/file.h5", "--", options.client, "memory")
        expect("no folder", done.returncode == 3 and "cannot be written" in done.stderr and not done.stdout, done)
        done = execute(options.program, "capture", "--help")
        expect("help", done.returncode == 0 and "nvcc --cudart shared" in done.stdout and "exit code is 4" in done.stdout,
               done)
        done = record(options.driver_client)
        expect("driver linked", done.returncode == 0 and "runtime works" in done.stdout, done)
        done = record(options.driver_client, "call")
        expect("driver called", done.returncode == 3 and "it calls cuModuleLoadData of the CUDA driver" in done.stderr and
               not capture.exists(), done)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
