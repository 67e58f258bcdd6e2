#!/usr/bin/env python3
"""What only one rank of a job meets must end the whole job: soon, with one message on stderr and its exit code."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

SECONDS = 10


class Checker:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.passed = 0
        self.failed = 0

    def execute(self, *ranks):
        """Runs one rank with each of the argument lists; returns the finished process, or None if it hung."""
        line = ["mpirun", "--oversubscribe"]
        for number, arguments in enumerate(ranks):
            line += [":"] * (number > 0) + ["-n", "1", str(self.program), *map(str, arguments)]
        try:
            return subprocess.run(line, env={**os.environ, **lookahead.MPI_ENVIRONMENT}, timeout=2 * SECONDS,
                                  capture_output=True, text=True, check=False)
        except subprocess.TimeoutExpired:
            return None

    def expect(self, name, code, phrases, *ranks):
        begin = time.monotonic()
        done = self.execute(*ranks)
        faults = list(faults_of(done, time.monotonic() - begin, code, phrases))
        self.passed += not faults
        self.failed += bool(faults)
        for fault in faults:
            print(f"{name}: {fault}", flush=True)


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
    checker.expect(f"{name}, on rank 1", code, ["rank 1: ", *phrases], good, bad)
    checker.expect(f"{name}, on rank 0", code, ["rank 0: ", *phrases], bad, good)


def check_files(checker):
    """Files that are on one rank's node and not on another's."""
    folder, missing = checker.folder, checker.folder / "missing"
    run = ["run", "vecadd", "--size", "tiny", "--out", folder / "run.h5", "--progress", "none"]
    first = lookahead.execute(checker.program, [*run, "--checkpoint-every", 1000, "--checkpoint-dir", folder])
    if first.returncode != 0:
        raise RuntimeError(first.stderr)
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
    checker.expect("three ranks", 2, ["rank 2: ", "--unknown"], run, run, [*run, "--unknown"])
    checker.expect("every rank alike", 3, ["missing.h5"], *[[*run, "--weights", "missing.h5"]] * 3)
    # No rank waits for another in this command: the one that fails comes last.
    checker.expect("a file that is checked", 3, ["missing.h5"], ["list"], ["validate", "missing.h5"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, default=lookahead.default_program())
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checker = Checker(arguments.program, pathlib.Path(folder))
        check_files(checker)
        check_lines(checker)
    print(f"{checker.passed} passed, {checker.failed} failed")
    return 1 if checker.failed else 0


if __name__ == "__main__":
    sys.exit(main())
