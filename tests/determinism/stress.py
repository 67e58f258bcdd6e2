#!/usr/bin/env python3
"""Compares runs on random ranks, threads, protocols and partitions, disturbed at random, with the same undisturbed runs.

    stress.py --program LOOKAHEAD --minutes 30          # the long run
    stress.py --program LOOKAHEAD --runs 8 --seed 7     # some runs, drawn again from this seed

A run is undisturbed, or some of its ranks are halted and continued, or it is stopped at a checkpoint and resumed with other
options, or one of its ranks is killed and it goes on from its last checkpoint, or from the start. In each case its result equals
that of one rank bit by bit, it ends within its time, and leaves no process and no file.
"""

import collections
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

STOPPED = 75
CASES = [
    ["bfs", "--machine", "gtx480"],
    ["spmv", "--machine", "v100"],
    ["histogram", "--machine", "v100"],
    *([paper["example"], "--machine", paper["machine"], *lookahead.words("-o", next(iter(paper["designs"].values())))]
      for paper in lookahead.papers()),
]
RANKS = [0, 1, 2, 2, 3, 4, 8]  # 0: without mpirun
DISTURBANCES = ["none", "halts", "stop", "kill"]


class Fault(Exception):
    pass


class Round:
    """One run, from its start to its result."""

    def __init__(self, program, draw, folder, most_ranks, patience):
        self.program, self.draw, self.folder, self.patience = program, draw, folder, patience
        self.ranks = [ranks for ranks in RANKS if ranks <= most_ranks]
        self.result = folder / "result.h5"
        self.disturbance = draw.choice(DISTURBANCES)
        self.every = draw.choice([0, 500, 3000])
        self.started = 0  # ranks, of the process that runs
        self.history = []

    def words(self, first):
        """A command line with its execution drawn anew."""
        ranks = self.draw.choice(self.ranks)
        self.started = max(ranks, 1)
        line = [*first, "--out", self.result, "--progress", "none", "--checkpoint-dir", self.folder, "--checkpoint-every",
                self.every, "--threads", self.draw.choice([1, 1, 2, 3])]
        if ranks > 1:
            line += ["--sync", self.draw.choice(["window", "null_message"]), "--partition",
                     self.draw.choice(["linear", "round_robin", "by_kind", "graph"])]
        line = lookahead.command(self.program, line, ranks)
        self.history.append(" ".join(map(str, line)))
        return line

    def processes(self, launcher):
        """The ranks, or the one process."""
        children = subprocess.run(["pgrep", "-P", str(launcher.pid)], capture_output=True, text=True, check=False).stdout
        return [int(pid) for pid in children.split()] or [launcher.pid]

    def ranks_run(self, launcher):
        """All ranks exist and catch signals: mpirun passes a signal on even to processes that do not execute the
        program yet."""
        processes = self.processes(launcher)
        return len(processes) >= self.started and all(lookahead.catches(pid, signal.SIGUSR1) for pid in processes)

    def send(self, pid, number):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return

    def disturb(self, launcher, disturbance):
        """Returns whether the disturbance came in time. mpirun passes signals on once its ranks are there."""
        deadline = time.monotonic() + self.draw.uniform(0.05, 1.5)
        while launcher.poll() is None and (time.monotonic() < deadline or not self.ranks_run(launcher)):
            time.sleep(0.01)
        if launcher.returncode is not None:
            return False
        if disturbance == "stop":
            alone = self.processes(launcher) == [launcher.pid]  # mpirun answers SIGTERM itself
            self.send(launcher.pid, self.draw.choice([signal.SIGUSR1, signal.SIGTERM]) if alone else signal.SIGUSR1)
        elif disturbance == "kill":
            self.send(self.draw.choice(self.processes(launcher)), signal.SIGKILL)
        elif disturbance == "halts":
            for _ in range(self.draw.randint(1, 5)):
                halted = self.draw.choice(self.processes(launcher))
                self.send(halted, signal.SIGSTOP)
                time.sleep(self.draw.uniform(0.01, 0.3))
                self.send(halted, signal.SIGCONT)
                time.sleep(self.draw.uniform(0, 0.1))
        return True

    def execute(self, first, disturbance):
        line = self.words(first)
        launcher = lookahead.start(line[0], line[1:], stderr=subprocess.STDOUT, cwd=self.folder, start_new_session=True)
        try:
            disturbed = disturbance != "none" and self.disturb(launcher, disturbance)
            said = launcher.communicate(timeout=self.patience)[0]
        except subprocess.TimeoutExpired:
            os.killpg(launcher.pid, signal.SIGKILL)
            raise Fault(f"hangs: no end after {self.patience} s") from None
        if disturbed:
            self.history.append(disturbance)
        return launcher.returncode, disturbed, said

    def last_checkpoint(self):
        found = sorted(self.folder.glob("*.checkpoint.h5"), key=lambda path: int(path.name.split("-")[-1].split(".")[0]))
        return found[-1] if found else None

    def run(self, case, reference):
        """The ways in which the run ended; the last one is `complete`."""
        start = ["run", *case]
        code, disturbed, said = self.execute(start, self.disturbance)
        ends = []
        while code != 0:
            checkpoint = self.last_checkpoint()
            # Without a checkpoint: before the simulation began.
            if code == STOPPED and self.disturbance == "stop" and (checkpoint or self.started == 1):
                ends.append("stopped")
            elif self.disturbance == "kill" and disturbed:
                ends.append("killed")
            else:
                raise Fault(f"ends with {code}: {said}")
            if len(ends) > 5:
                raise Fault("goes on for ever")
            self.wait_for_processes()
            again = self.disturbance if len(ends) < 3 else "none"
            code, disturbed, said = self.execute(["resume", checkpoint] if checkpoint else start, again)
        mismatch = lookahead.difference(self.program, reference, self.result)
        if mismatch:
            raise Fault(f"mismatch: {mismatch}")
        self.wait_for_processes()
        left = [path.name for path in self.folder.iterdir() if not path.name.endswith((".checkpoint.h5", "result.h5"))]
        if left and not ("killed" in ends and self.every == 0):  # the next run with checkpoints removes what kills leave
            raise Fault(f"leaves {left}")
        return [*ends, "complete"]

    def wait_for_processes(self):
        """No process of a killed job outlives its launcher for long."""
        def are_gone():
            return subprocess.run(["pgrep", "-f", str(self.folder)], capture_output=True, check=False).returncode != 0

        if not lookahead.wait_for(are_gone, 10, 0.05):
            subprocess.run(["pkill", "-KILL", "-f", str(self.folder)], check=False)
            raise Fault("leaves processes behind")


def reference_of(program, case, folder, known):
    """The result of one rank and one thread."""
    key = json.dumps(case)
    if key not in known:
        known[key] = folder / f"reference{len(known)}.h5"
        lookahead.simulate(program, [*case, "--threads", 1, "--sync", "serial", "--out", known[key]])
    return known[key]


def main():
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--runs", type=int, default=0, help="at most so many; 0: until the time is over")
    parser.add_argument("--sizes", nargs="+", default=["tiny", "tiny", "tiny", "small"], help="to draw from")
    parser.add_argument("--patience", type=float, default=1200,
                        help="seconds after which a run hangs; eight ranks of three threads on two cores take a while [240]")
    parser.add_argument("--most-ranks", type=int, default=max(RANKS))
    parser.add_argument("--seed", type=int, help="[LOOKAHEAD_TEST_SEED, or a new one]",
                        default=os.environ.get("LOOKAHEAD_TEST_SEED") or random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    if not arguments.minutes and not arguments.runs:
        parser.error("give --minutes or --runs")
    print(f"seed {arguments.seed}", flush=True)
    end = time.monotonic() + arguments.minutes * 60
    counts, known, faults, number = collections.Counter(), {}, 0, 0
    with tempfile.TemporaryDirectory(prefix="stress") as place:
        while number < arguments.runs if arguments.runs else time.monotonic() < end:
            draw = random.Random(f"{arguments.seed} {number}")
            case = [*draw.choice(CASES), "--size", draw.choice(arguments.sizes)]
            reference = reference_of(arguments.program.resolve(), case, pathlib.Path(place), known)
            with tempfile.TemporaryDirectory(dir=place, prefix="round") as folder:
                this = Round(arguments.program.resolve(), draw, pathlib.Path(folder), arguments.most_ranks, arguments.patience)
                try:
                    counts.update(this.run(case, reference))
                except Fault as fault:
                    faults += 1
                    print(f"run {number}: {fault}\n  " + "\n  ".join(this.history), flush=True)
            number += 1
    print(f"{number} runs, {counts['stopped']} stops and {counts['killed']} kills on their way: {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
