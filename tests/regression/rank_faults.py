#!/usr/bin/env python3
"""Tests that an error on only one rank of a job ends the whole job: soon, with one message on stderr and its exit code."""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

SECONDS = 120  # a job that has a fault ends within; most take three, and ten times that on a busy machine


class Checker(lookahead.Checks):
    def __init__(self, program, folder):
        super().__init__(program, folder)
        # In some jobs a rank with an error waits for the others for two seconds.
        self.pool = concurrent.futures.ThreadPoolExecutor(4)
        self.tried = []

    def execute(self, *ranks, programs=None):
        """Runs one rank with each of the argument lists; returns the finished process, or None if it hung."""
        programs = programs or [self.program] * len(ranks)
        line = ["mpirun", "--oversubscribe"]
        for number, arguments in enumerate(ranks):
            line += [":"] * (number > 0) + ["-n", "1", str(programs[number]), *map(str, arguments)]
        try:
            return subprocess.run(line, env={**os.environ, **lookahead.MPI_ENVIRONMENT}, timeout=2 * SECONDS,
                                  capture_output=True, text=True, check=False)
        except subprocess.TimeoutExpired:
            return None

    def ends(self, name, code, phrases, *ranks, programs=None):
        """The job ends with this code and one message that has the phrases; looked at before the test's end."""
        def faults():
            begin = time.monotonic()
            done = self.execute(*ranks, programs=programs)
            return list(faults_of(done, time.monotonic() - begin, code, phrases))

        self.tried.append((name, self.pool.submit(faults)))

    def no_faults(self, name, faults):
        self.check(name, not faults, "; ".join(faults))

    def finish(self, more=""):
        for name, faults in self.tried:
            self.no_faults(name, faults.result())
        return super().finish(more)


def faults_of(done, seconds, code, phrases):
    if done is None:
        yield "it hung"
        return
    if seconds > SECONDS:
        yield f"it took {seconds:.1f} s"
    if done.returncode != code:
        yield f"exit code {done.returncode}, expected {code}: {done.stderr}"
    said = [line for line in done.stderr.splitlines() if line.startswith("lookahead: ")]
    if len(said) != 1:
        yield f"{len(said)} messages on stderr, expected one: {done.stderr!r}"
    for phrase in phrases:
        if said and phrase not in said[0]:
            yield f"the message does not say '{phrase}': {said[0]}"


def both_orders(checker, name, code, phrases, good, bad):
    checker.ends(f"{name}, on rank 1", code, ["rank 1: ", *phrases], good, bad)
    checker.ends(f"{name}, on rank 0", code, ["rank 0: ", *phrases], bad, good)


def check_files(checker):
    """Files that are on one rank's node and not on another's."""
    folder, missing = checker.folder, checker.folder / "missing"
    run = ["run", "vecadd", "--size", "tiny", "--out", folder / "run.h5", "--progress", "none"]
    lookahead.output_of(checker.program, [*run, "--checkpoint-every", 1000, "--checkpoint-dir", folder])
    checkpoint = sorted(folder.glob("*.checkpoint.h5"))[0]
    machine = folder / "machine.toml"
    machine.write_text('inherits = "gtx480"\n')
    out = ["--out", folder / "other.h5", "--progress", "none"]
    both_orders(checker, "weights", 3, [f"{missing}.h5"], [*run, "--weights", folder / "run.h5"],
                [*run, "--weights", f"{missing}.h5"])
    both_orders(checker, "resume", 3, [f"{missing}.h5"], ["resume", checkpoint, *out],
                ["resume", f"{missing}.h5", *out])
    both_orders(checker, "machine", 3, [f"{missing}.toml"], [*run, "--machine", machine],
                [*run, "--machine", f"{missing}.toml"])
    both_orders(checker, "partition", 3, [f"{missing}.partition"], run, [*run, "--partition", f"{missing}.partition"])
    both_orders(checker, "kernel", 3, [f"{missing}.ptx"], run,
                ["run", "ptx", "--set", f"file={missing}.ptx", *out])


def check_lines(checker):
    run = ["run", "vecadd", "--size", "tiny", "--out", checker.folder / "run.h5", "--progress", "none"]
    both_orders(checker, "option", 2, ["--unknown"], run, [*run, "--unknown"])
    both_orders(checker, "key", 2, ["l1d.wayz"], run, [*run, "-o", "l1d.wayz=8"])
    both_orders(checker, "folder of checkpoints", 2, ["checkpoint-dir"], run,
                [*run, "--checkpoint-dir", checker.folder / "missing"])
    checker.ends("three ranks", 2, ["rank 2: ", "--unknown"], run, run, [*run, "--unknown"])
    checker.ends("every rank alike", 3, ["missing.h5"], *[[*run, "--weights", "missing.h5"]] * 3)
    checker.ends("a result with too long a name", 3, ["xxx", "too long"], *[[*run[:4], "--out", 300 * "x"]] * 2)
    # A command that rank 0 executes alone: the others only wait for it at the end.
    checker.ends("a file that is checked", 3, ["missing.h5"], *[["validate", "missing.h5"]] * 2)
    # Here ranks agree on nothing before they exchange messages: the one that fails ends the others, which wait for it.
    good, bad = ["bench", "phold"], ["bench", "phold", "--payload", 3]
    checker.ends("an error outside all steps, on rank 1", 2, ["payload"], good, bad)
    checker.ends("an error outside all steps, on rank 0", 2, ["payload"], bad, good)
    checker.ends("an error outside all steps, on two ranks", 2, ["payload"], good, bad, bad)


def check_differences(checker):
    """Ranks that were started as different simulations."""
    run = ["run", "vecadd", "--size", "tiny", "--out", checker.folder / "run.h5", "--progress", "none"]

    def differs(name, phrases, *more):
        checker.ends(name, 2, ["rank 1: ", *phrases], run, [*run, *more])

    differs("value of a key", ["l1d.ways is 8 here and 4 on rank 0"], "-o", "l1d.ways=8")
    differs("variant", ["sm.warp_scheduler", "lrr"], "-o", "sm.warp_scheduler=lrr")
    checker.ends("size", 2, ["rank 1: ", "--size is small here and tiny on rank 0"], run,
                   ["small" if word == "tiny" else word for word in run])
    differs("seed", ["--seed is 2"], "--seed", 2)
    differs("machine", ["is"], "--machine", "v100")
    differs("protocol", ["--sync is null_message"], "--sync", "null_message")
    differs("partition", ["--partition is linear"], "--partition", "linear")
    differs("checkpoints", ["--checkpoint-every is 1000"], "--checkpoint-every", 1000)
    differs("limit", ["--max-cycles is 1000"], "--max-cycles", 1000)
    differs("trace", ["--trace is given"], "--trace", checker.folder / "trace.json")
    checker.ends("workload", 2, ["rank 1: ", "the workload is bfs"], run, ["run", "bfs", *run[2:]])
    checker.ends("command", 2, ["rank 1: ", "the command is list"], run, ["list"])
    checker.ends("command of a command", 2, ["rank 1: ", "the command is bench window here and bench phold on rank 0"],
                 ["bench", "phold"], ["bench", "window"])
    for wish in (["run", "--help"], ["--help"], ["--version"]):
        checker.ends(f"{wish} on rank 1", 2, ["rank 1: ", "the command is --help or --version here and run on rank 0"], run, wish)
        checker.ends(f"{wish} on rank 0", 2, ["rank 1: ", "the command is run here and --help or --version on rank 0"], wish, run)
    other = checker.folder / "lookahead"
    lookahead.copy_built_otherwise(checker.program, other)
    shutil.copy(checker.program.parent / "liblookahead_mpi.so", checker.folder)
    checker.ends("program", 2, ["rank 1: ", "the program is"], run, run, programs=[checker.program, other])


def check_launchers(checker):
    """Launchers whose processes MPI does not join would make each a run of its own, into one file."""
    out = checker.folder / "launched.h5"
    run = ["run", "vecadd", "--size", "tiny", "--out", out, "--progress", "none"]

    def launched(name, code, variables, ranks=0):
        line = lookahead.command(checker.program, run, ranks)
        done = subprocess.run(line, env={**os.environ, **lookahead.MPI_ENVIRONMENT, **variables}, timeout=2 * SECONDS,
                              capture_output=True, text=True, check=False)
        faults = list(faults_of(done, 0, code, ["started 4 processes, but MPI joins 1"]) if code else
                      [done.stderr] * (done.returncode != 0))
        if code and out.exists():
            faults.append("there is a result")
        out.unlink(missing_ok=True)
        checker.no_faults(name, faults)

    launched("mpiexec of another MPI", 2, {"PMI_SIZE": "4", "PMI_RANK": "0"})
    launched("srun without PMIx", 2, {"SLURM_NTASKS": "4", "SLURM_STEP_NUM_TASKS": "4", "SLURM_PROCID": "0"})
    launched("within an allocation", 2, {"SLURM_NTASKS": "4"})
    launched("one task of a step", 0, {"SLURM_NTASKS": "4", "SLURM_STEP_NUM_TASKS": "1"})
    launched("one task", 0, {"SLURM_NTASKS": "1", "PMI_SIZE": "1"})
    launched("mpirun within an allocation", 0, {"SLURM_NTASKS": "4"}, 2)


def check_binding(checker):
    """Ranks that are bound to fewer cores than they have threads are told so, and no others."""
    run = ["run", "vecadd", "--size", "tiny", "--out", checker.folder / "bound.h5", "--progress", "none"]
    for threads, placement, warned in ((2, ("--bind-to", "core"), True), (1, ("--bind-to", "core"), False),
                                       (2, ("--bind-to", "none"), (os.cpu_count() or 1) < 2)):
        done = lookahead.execute(checker.program, [*run, "--threads", threads], 2, placement=("--oversubscribe", *placement))
        right = done.returncode == 0 and done.stderr.count("lookahead: warning: rank") == warned
        right = right and (not warned or "has 2 threads: give mpirun --bind-to none" in done.stderr)
        checker.check(f"{threads} threads, {placement}", right, f"exit {done.returncode}: {done.stderr}")


def check_automatic_threads(checker):
    """As many threads as a rank has cores; ranks that are not bound share those of their host. A number stays one."""
    cores = len(os.sched_getaffinity(0))
    run = ["run", "vecadd", "--size", "tiny", "--json", "--out", checker.folder / "auto.h5", "--progress", "none"]
    for ranks, threads, placement, expected in (
            (0, "auto", (), cores), (2, "auto", ("--oversubscribe", "--bind-to", "none"), max(cores // 2, 1)),
            (2, "auto", ("--oversubscribe", "--bind-to", "core"), 1), (1, "auto", ("--bind-to", "none"), cores),
            (2, "2", ("--oversubscribe", "--bind-to", "none"), 2)):
        done = lookahead.execute(checker.program, [*run, "--threads", threads], ranks, placement=placement)
        # No thread has fewer than two of the machine's 23 processes.
        wanted = min(expected, 23 // max(ranks, 1) // 2)
        right = done.returncode == 0 and json.loads(done.stdout)["threads"] == wanted
        checker.check(f"--threads {threads} on {ranks} ranks, {placement}", right, f"not {wanted}: {done.stdout}{done.stderr}")
    for threads in ("0", "1025", "-1", "many", "2x"):
        checker.refuses([*run, f"--threads={threads}"], 2, "1 to 1024, or auto")


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, Checker, check_files, check_lines, check_differences, check_launchers, check_binding,
                                  check_automatic_threads))
