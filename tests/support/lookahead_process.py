"""Runs the lookahead program for tests: alone or under mpirun, with its JSON summary read back."""

import json
import os
import pathlib
import subprocess
import time

MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


# Where mpirun puts ranks: tests may have more of them than cores, and run beside one another.
ANYWHERE = ("--oversubscribe",)
ON_CORES = ("--bind-to", "core")


def command(program, arguments, ranks=0, placement=ANYWHERE):
    """The command line; ranks = 0 means without mpirun."""
    line = [str(program), *map(str, arguments)]
    if ranks:
        line = ["mpirun", "-n", str(ranks), *placement, *line]
    return line


def execute(program, arguments, ranks=0, timeout=300, placement=ANYWHERE):
    """Runs to the end; returns the finished process with stdout, stderr and returncode."""
    return subprocess.run(command(program, arguments, ranks, placement), env={**os.environ, **MPI_ENVIRONMENT},
                          timeout=timeout, capture_output=True, text=True, check=False)


def simulate(program, arguments, ranks=0, timeout=300, placement=ANYWHERE):
    """`lookahead run ... --json`; returns the summary. Raises RuntimeError if the run failed."""
    done = execute(program, ["run", *arguments, "--json", "--progress", "none"], ranks, timeout, placement)
    if done.returncode != 0:
        line = " ".join(command(program, arguments, ranks, placement))
        raise RuntimeError(f"{line}: exit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def timed(program, arguments, ranks=0, timeout=600):
    """The summary of a run and its wall time as a whole process, in seconds."""
    begin = time.perf_counter()
    summary = simulate(program, arguments, ranks, timeout)
    return summary, time.perf_counter() - begin


def default_program():
    return pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "lookahead"
