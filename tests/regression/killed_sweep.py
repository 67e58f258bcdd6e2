#!/usr/bin/env python3
"""Kills ranks, mpirun, points or all processes at once of a sweep under mpirun, each after a random part of the points, and starts
the sweep again: in the end all points are complete, each once, and the tables are those of an undisturbed sweep without mpirun.
Prints the seed. `--points 10000 --kills 20` takes a quarter of an hour on two idle cores."""

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402
from ensemble import ranks_of, tree_of  # noqa: E402
from sweep_checks import Checks  # noqa: E402
from sweep_table import same_tables  # noqa: E402

TARGETS = ["rank", "mpirun", "point", "server", "node"]


def study_of(points):
    """A study of that many tiny points, or somewhat more."""
    mshrs = min(100, points)
    values = [f"[{', '.join(str(i) for i in range(1, count + 1))}]" for count in (mshrs, -(-points // mshrs))]
    values = [text.replace("[", '["').replace(", ", '", "').replace("]", '"]') for text in values]
    return (f'title = "Killed"\nsize = "tiny"\nworkloads = ["vecadd"]\n[[axis]]\nkey = "l1d.mshrs"\nvalues = {values[0]}\n'
            f'[[axis]]\nkey = "l1d.hit_latency"\nvalues = {values[1]}\n'), mshrs * -(-points // mshrs)


def victims_of(process, target):
    """The processes to kill; none if what is looked for is not there at the moment."""
    tree = tree_of(process.pid)
    ranks = ranks_of(process)
    servers = [child for child, parent in tree.items() if parent in ranks]
    points = [child for child, parent in tree.items() if parent in servers]
    return {"rank": ranks[-1:], "mpirun": [process.pid], "point": points[:1], "server": servers[:1],
            "node": [process.pid, *tree]}[target]


def end_of(process, tree):
    """Waits for mpirun, and up to 20 s for the processes that it had started."""
    process.communicate(timeout=lookahead.PATIENCE)

    def left():
        return [pid for pid in tree if pathlib.Path(f"/proc/{pid}").exists()]

    lookahead.wait_for(lambda: not left(), 20)
    return left()


def results_in(folder):
    return len(list(folder.glob("points/*.h5")))


def kill_once(checks, process, target, results, delay):
    """Kills that long after the folder has that many results. Returns whether that was before the end."""
    while results_in(checks.folder / "killed") < results and process.poll() is None:
        time.sleep(0.01)
    time.sleep(delay)
    victims = []
    while not victims and process.poll() is None:
        victims = victims_of(process, target)
    tree = list(tree_of(process.pid))
    for pid in victims:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    if target == "point":  # which ends nothing but itself: a failure, which is no failure of the program's
        process.send_signal(signal.SIGTERM)
    left = end_of(process, tree)
    checks.check(f"nothing outlives a killed {target}", not left, left)
    return bool(victims)


def check_files(checks, folder):
    """Under final names there are only whole files; the newest are checked."""
    newest = sorted(folder.glob("points/*.h5"), key=lambda file: file.stat().st_mtime_ns)[-20:]
    for file in newest:
        try:
            with h5py.File(file) as result:
                complete = result.attrs["status"] == "complete" and "engine" in result
        except OSError as error:
            complete, file = False, f"{file}: {error}"
        checks.check("a whole file", complete, file)


def main() -> int:
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--points", type=int, default=60)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    generator = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as name:
        checks = Checks(arguments.program.resolve(), pathlib.Path(name))
        text, count = study_of(arguments.points)
        study = checks.study(text, "killed.toml")
        whole = subprocess.run(checks.line(study, "whole", 0), capture_output=True, text=True, check=False)
        checks.check("undisturbed", f"{count} complete, 0 failed, {count} run now" in whole.stdout, whole.stdout + whole.stderr)
        kills = 0
        for number in range(arguments.kills):
            target = TARGETS[number % len(TARGETS)]
            results = int(0.9 * count * (number + generator.random()) / arguments.kills)
            since = time.monotonic()
            process = checks.start(study, "killed", 2, "--retry-failed")
            kills += kill_once(checks, process, target, results, generator.uniform(0, 0.2))
            check_files(checks, checks.folder / "killed")
            print(f"{target} killed after {time.monotonic() - since:.1f} s, {results_in(checks.folder / 'killed')} of {count} "
                  "complete", flush=True)
        again = subprocess.run(checks.line(study, "killed", 2, "--retry-failed"), capture_output=True, text=True, check=False,
                               env={**os.environ, **lookahead.MPI_ENVIRONMENT})
        checks.check("in the end", f"{count} points, {count} complete, 0 failed" in again.stdout, again.stdout + again.stderr)
        checks.check("killed", kills == arguments.kills, kills)
        checks.check("nothing left", not checks.left_over("killed"), checks.left_over("killed"))
        with h5py.File(checks.folder / "whole/index.h5") as first, h5py.File(checks.folder / "killed/index.h5") as second:
            checks.check("equal tables", not same_tables(first, second), same_tables(first, second))
            checks.check("state hashes", len(set(first["points/state_hash"][:])) > 1)
    return checks.finish(f"; {kills} kills")


if __name__ == "__main__":
    sys.exit(main())
