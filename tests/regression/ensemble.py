#!/usr/bin/env python3
"""Sweeps under mpirun: the same files as without it on any number of ranks per point; points that fail, overrun, crash
or are stopped; two sweeps on one folder; a full disk."""

import contextlib
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402
from lookahead_process import wait_for  # noqa: E402
from sweep_checks import Checks, study_of_programs  # noqa: E402

STUDY = """
title = "Small"
size = "tiny"
workloads = ["vecadd", "histogram", "bfs"]
[[axis]]
key = "sm.warp_scheduler"
values = ["lrr", "gto"]
[[axis]]
key = "l1d.ways"
values = ["8"]
"""
POINTS = 6

FAILS = study_of_programs("endless", "good", "wrong", "as good")

LONG = """
title = "Long"
size = "small"
workloads = ["sgemm", "hotspot"]
[[axis]]
key = "sm.warp_scheduler"
values = ["lrr", "gto"]
"""


def tree_of(pid):
    """The processes below one, with their parents."""
    parents = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, fields = stat.read_text().rsplit(")", 1)
        except OSError:
            continue  # it has ended
        if "(lookahead" in name:
            parents[int(stat.parent.name)] = int(fields.split()[1])
    below, found = {pid}, {}
    while True:
        more = {child: parent for child, parent in parents.items() if parent in below and child not in found}
        if not more:
            return found
        found.update(more)
        below |= set(more)


def ranks_of(process):
    return [child for child, parent in tree_of(process.pid).items() if parent == process.pid]


def point_of(process):
    """A process that runs a point: below a rank and its server."""
    tree = tree_of(process.pid)
    return next((child for child, parent in tree.items() if tree.get(tree.get(parent)) == process.pid), None)


def check_same(checks):
    study = checks.study(STUDY)
    done = checks.run(study, "local", 0)
    checks.check("local", f"{POINTS} complete, 0 failed, {POINTS} run now" in done.stdout, done.stdout + done.stderr)
    for ranks, each in ((1, "1"), (2, "1"), (2, "2"), (3, "2"), (3, "auto")):
        out = f"ranks-{ranks}-{each}"
        done = checks.run(study, out, ranks, "--ranks-per-point", each)
        checks.check(out, done.returncode == 0 and f"{POINTS} complete, 0 failed, {POINTS} run now" in done.stdout,
                     done.stdout + done.stderr)
        checks.check(f"{out}: nothing left", not checks.left_over(out), checks.left_over(out))
        checks.same_results(out, "local", out)
        again = checks.run(study, out, 0)
        checks.check(f"{out}: nothing to do without mpirun", "0 run now" in again.stdout, again.stdout + again.stderr)
    meta = [h5py.File(file)["meta"].attrs["ranks"] for file in (checks.folder / "ranks-2-2/points").glob("*.h5")]
    checks.check("ranks of a point", meta == [2] * POINTS, meta)
    # Where the network needs rank 0 for the others' calls of the counter.
    done = checks.run(study, "tcp", 2, mpi=(*lookahead.ANYWHERE, "--mca", "btl", "self,tcp", "--mca", "osc", "pt2pt"))
    checks.check("without shared memory", f"{POINTS} complete, 0 failed, {POINTS} run now" in done.stdout,
                 done.stdout + done.stderr)


def check_goes_on(checks):
    """A sweep that was begun one way goes on the other way."""
    study = checks.study(STUDY)
    checks.run(study, "mixed", 0, "--shard", "0/2")
    done = checks.run(study, "mixed", 2)
    checks.check("mpirun goes on", f"{POINTS} complete, 0 failed, {POINTS // 2} run now" in done.stdout,
                 done.stdout + done.stderr)


def check_order(checks):
    """The costliest first: by instructions at first, by the earlier results later."""
    study = checks.study(STUDY.replace('"bfs"', '"sgemm"'), "order.toml")
    checks.run(study, "order", 1)
    written = {file: file.stat().st_mtime_ns for file in (checks.folder / "order/points").glob("*.h5")}
    names = []
    for file in sorted(written, key=written.get):
        with h5py.File(file) as result:
            names.append(str(result.attrs["workload"]))
    counts = {}
    for name in set(names):
        counts[name] = lookahead.json_of(checks.program, ["emulate", name, "--size", "tiny"])["warp_instructions"]
    expected = [name for name in sorted(counts, key=counts.get, reverse=True) for _ in range(POINTS // 3)]
    checks.check("order", names == expected and len(set(counts.values())) == 3, f"{names}, {counts}")


def check_failures(checks):
    study = checks.study(FAILS, "fails.toml")
    for each in ("1", "2"):
        out = f"fails-{each}"
        done = checks.run(study, out, 2, "--ranks-per-point", each, "--timeout", "2")
        checks.check(out, done.returncode == 0 and "4 points, 2 complete, 2 failed, 4 run now" in done.stdout,
                     f"{done.returncode}: {done.stdout}{done.stderr}")
        table = checks.points(out)
        rows = list(zip(table["what"], table["status"], table["exit_code"]))
        checks.check(f"{out}: rows", rows == [("endless", "failed", 137), ("good", "complete", 0),
                                              ("wrong", "failed", 4), ("as good", "complete", 0)], rows)
        checks.check(f"{out}: messages", table["message"][0] == "took longer than 2s" and
                     "not in allocated" in table["message"][2], table["message"])
        checks.check(f"{out}: nothing left", not checks.left_over(out), checks.left_over(out))
        again = checks.run(study, out, 2, "--ranks-per-point", each, "--timeout", "2", "--retry-failed")
        checks.check(f"{out}: once more", "2 failed, 2 run now" in again.stdout, again.stdout + again.stderr)


def check_memory(checks):
    study = checks.study(STUDY.replace('"vecadd", "histogram", "bfs"', '"vecadd"'), "memory.toml")
    for ranks, options in ((0, ()), (2, ()), (2, ("--ranks-per-point", "2"))):
        out = f"memory-{ranks}-{len(options)}"
        done = checks.run(study, out, ranks, "--memory", "5", *options)
        checks.check(out, "0 complete, 2 failed" in done.stdout, done.stdout + done.stderr)
        table = checks.points(out)
        checks.check(f"{out}: message", all(table["message"] == "needed more memory than 5 MB") and
                     all(table["exit_code"] == 137), f"{table['message']} {table['exit_code']}")
        again = checks.run(study, out, ranks, "--memory", "2000", "--retry-failed", *options)
        checks.check(f"{out}: enough", "2 complete, 0 failed, 2 run now" in again.stdout, again.stdout + again.stderr)


def endless_runs(checks, out, times=1):
    """Whether a point on several ranks has run for longer than the others take, for the n-th time."""
    try:
        begun = list(checks.folder.glob(f"{out}/points/*.begun"))
        return begun and time.time() - begun[0].stat().st_mtime > 1.5 and int(begun[0].read_text()) == times
    except FileNotFoundError:
        return False  # another point has ended meanwhile


def check_crashes(checks):
    """A point for one rank crashes alone; one on several ranks takes the job with it, which then goes on."""
    study = checks.study(FAILS, "crash.toml")
    process = checks.start(study, "crash-1", 1)
    child = wait_for(lambda: point_of(process))
    time.sleep(1)  # the endless point is the costliest, and comes first
    os.kill(child, signal.SIGSEGV)
    out, errors = process.communicate(timeout=lookahead.PATIENCE)
    checks.check("a crash of one", "2 complete, 2 failed, 4 run now" in out, out + errors)
    table = checks.points("crash-1")
    checks.check("its row", table["exit_code"][0] == 139 and table["status"][1] == "complete", table["exit_code"])

    process = checks.start(study, "crash-2", 2, "--ranks-per-point", "2")
    checks.check("a point on two ranks runs", wait_for(lambda: endless_runs(checks, "crash-2")), checks.left_over("crash-2"))
    os.kill(ranks_of(process)[-1], signal.SIGSEGV)
    out, errors = process.communicate(timeout=lookahead.PATIENCE)
    checks.check("a crash of one rank ends the job", process.returncode != 0, out)
    done = checks.run(study, "crash-2", 2, "--ranks-per-point", "2")
    checks.check("the job goes on", "2 complete, 2 failed" in done.stdout, done.stdout + done.stderr)
    table = checks.points("crash-2")
    checks.check("the crash is a row", table["exit_code"][0] == 139 and "SIGSEGV" in table["message"][0],
                 f"{table['exit_code']} {table['message']}")


def check_killed_often(checks):
    """A point during which jobs are killed without a word is given up after the third."""
    study = checks.study(FAILS, "often.toml")
    options = (study, "often", 2, "--ranks-per-point", "2")
    for times in (1, 2, 3):
        process = checks.start(*options)
        wait_for(lambda: endless_runs(checks, "often", times))
        os.kill(ranks_of(process)[0], signal.SIGKILL)
        process.communicate(timeout=lookahead.PATIENCE)
    done = checks.run(*options)
    checks.check("given up", "2 complete, 2 failed, 0 run now" in done.stdout, done.stdout + done.stderr)
    checks.check("its message", "3 times" in checks.points("often")["message"][0], checks.points("often")["message"])


def check_stop(checks):
    """SIGUSR1 stops points at checkpoints, from which the next sweep goes on."""
    study = checks.study(LONG, "long.toml")
    checks.run(study, "long", 0)
    for each in ("1", "2"):
        out = f"stop-{each}"
        stops, interrupted = 0, set()
        for _ in range(3):
            process = checks.start(study, out, 2, "--ranks-per-point", each)
            wait_for(lambda: process.poll() is not None or list(checks.folder.glob(f"{out}/points/*.checkpoint")), 180)
            time.sleep(0.25)
            process.send_signal(signal.SIGUSR1)
            printed, errors = process.communicate(timeout=lookahead.PATIENCE)
            if process.returncode == 75:
                stops += 1
                checks.check(f"{out}: message", "the same command continues" in errors, errors)
            # The next sweep goes on from these, and may end before it is stopped.
            interrupted |= {file.parent.stem for file in checks.folder.glob(f"{out}/points/*.checkpoint/*.checkpoint.h5")}
        checks.check(f"{out}: stopped", stops > 0, f"{process.returncode}: {printed}{errors}")
        done = checks.run(study, out, 2, "--ranks-per-point", each)
        checks.check(f"{out}: goes on", "4 complete, 0 failed" in done.stdout, done.stdout + done.stderr)
        lines = {file.stem: " ".join(h5py.File(file)["meta"].attrs["argv"]) for file in
                 (checks.folder / out / "points").glob("*.h5")}
        checks.check(f"{out}: from checkpoints", interrupted and all(" resume " in lines[point] for point in interrupted),
                     f"{interrupted} were stopped, {lines}")
        checks.check(f"{out}: nothing left", not checks.left_over(out), checks.left_over(out))
        checks.same_results(out, "long", out)


def check_stop_of_taken(checks):
    """A sweep that is stopped at points which it has taken over from another one says so, and takes no more of them."""
    study = checks.study(LONG, "taken.toml")
    keys = checks.keys(study)
    for each in ("1", "2"):
        out = f"taken-{each}"
        with contextlib.ExitStack() as others:
            for key in keys:
                others.enter_context(checks.held(out, key))
            process = checks.start(study, out, 2, "--ranks-per-point", each)
            wait_for((checks.folder / out / "plan.json").exists)
            time.sleep(1)  # the ranks have found every point held
        wait_for(lambda: list(checks.folder.glob(f"{out}/points/*.checkpoint")), 180)
        time.sleep(0.25)
        process.send_signal(signal.SIGUSR1)
        printed, errors = process.communicate(timeout=lookahead.PATIENCE)
        begun = list(checks.folder.glob(f"{out}/points/*.checkpoint"))
        checks.check(out, process.returncode == 75 and "the same command continues" in errors,
                     f"{process.returncode}: {printed}{errors}")
        checks.check(f"{out}: no more points", 0 < len(begun) <= 2 // int(each), begun)


def check_shared(checks):
    study = checks.study(STUDY, "shared.toml")
    both = [checks.start(study, "shared", 2), checks.start(study, "shared", 0, "--jobs", "1")]
    run_now = 0
    for process in both:
        out, errors = process.communicate(timeout=lookahead.PATIENCE)
        checks.check("shared", process.returncode == 0 and f"{POINTS} complete, 0 failed" in out, out + errors)
        run_now += int(out.split(" run now")[0].split()[-1]) if " run now" in out else 0
    checks.check("each point once", run_now == POINTS, run_now)
    checks.check("nothing left of sharing", not checks.left_over("shared"), checks.left_over("shared"))


def run_without_room(checks, study, out, ranks):
    """A sweep under mpirun whose ranks may write files of up to 100 KiB."""
    # Shared memory would need larger files too.
    tcp = (*lookahead.ANYWHERE, "--mca", "btl", "self,tcp", "--mca", "osc", "pt2pt")
    within = ["sh", "-c", 'ulimit -f 200; exec "$@"', "sh"]
    line = checks.line(study, out, ranks, mpi=tcp)
    at = line.index(str(checks.program))
    return subprocess.run(line[:at] + within + line[at:], capture_output=True, text=True, timeout=lookahead.PATIENCE,
                          env={**os.environ, **lookahead.MPI_ENVIRONMENT}, check=False)


def check_full_disk(checks):
    """No point has failed for lack of room: the sweep ends with a sentence, and goes on when there is room."""
    study = checks.study(STUDY, "full.toml")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    for ranks in (0, 2):
        out = f"full-{ranks}"
        if ranks == 0:
            done = checks.run(study, out, 0, preexec_fn=limit)
        else:
            done = run_without_room(checks, study, out, 2)
        said = [each for each in done.stderr.splitlines() if each.startswith("lookahead: ")]
        checks.check(f"{out}: code", done.returncode == 3, f"{done.returncode}: {done.stdout}{done.stderr}")
        checks.check(f"{out}: message", len(said) == 1 and "the same command continues" in said[0], done.stderr)
        checks.check(f"{out}: no failures", not list(checks.folder.glob(f"{out}/points/*.failure.json")),
                     checks.left_over(out))
        again = checks.run(study, out, ranks)
        checks.check(f"{out}: with room", f"{POINTS} complete, 0 failed, {POINTS} run now" in again.stdout,
                     again.stdout + again.stderr)
        checks.check(f"{out}: nothing left", not checks.left_over(out), checks.left_over(out))


def check_full_disk_after_stop(checks):
    """A point that goes on from a checkpoint and has no room for its result keeps the checkpoint."""
    study = checks.study(LONG.replace('"sgemm", "hotspot"', '"hotspot"').replace('"lrr", ', ""), "goes-on.toml")
    process = checks.start(study, "goes-on", 1)
    wait_for(lambda: list(checks.folder.glob("goes-on/points/*.checkpoint")), 180)
    time.sleep(0.25)
    process.send_signal(signal.SIGUSR1)
    printed, errors = process.communicate(timeout=lookahead.PATIENCE)
    checks.check("stopped", process.returncode == 75, printed + errors)
    full = run_without_room(checks, study, "goes-on", 1)
    checks.check("no room", full.returncode == 3 and "when there is room" in full.stderr, full.stdout + full.stderr)
    kept = list(checks.folder.glob("goes-on/points/*.checkpoint/*.checkpoint.h5"))
    checks.check("the checkpoint stays", len(kept) == 1, kept)
    done = checks.run(study, "goes-on", 1)
    checks.check("with room", "1 complete, 0 failed, 1 run now" in done.stdout, done.stdout + done.stderr)
    lines = [" ".join(h5py.File(file)["meta"].attrs["argv"]) for file in checks.folder.glob("goes-on/points/*.h5")]
    checks.check("from the checkpoint", [" resume " in line for line in lines] == [True], lines)


def check_refusals(checks):
    study = checks.study(STUDY)
    for options, fragment in ((("--ranks-per-point", "3"), "from 1 to mpirun's 2"),
                              (("--ranks-per-point", "0"), "neither auto nor"),
                              (("--ranks-per-point", "two"), "neither auto nor"), (("--jobs", "2"), "without mpirun")):
        done = checks.run(study, "refused", 2, *options)
        checks.check(str(options), done.returncode == 2 and fragment in done.stderr, f"{done.returncode}: {done.stderr}")
    done = checks.run(study, "refused", 0, "--ranks-per-point", "1")
    checks.check("ranks without mpirun", done.returncode == 2 and "under mpirun" in done.stderr, done.stderr)
    done = checks.run(checks.study(STUDY.replace("l1d.ways", "l1d.weys"), "bad.toml"), "refused", 2)
    checks.check("a bad study", done.returncode == 2 and "did you mean l1d.ways" in done.stderr, done.stderr)


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, Checks, check_same, check_goes_on, check_order, check_failures, check_memory,
                                  check_crashes, check_killed_often, check_stop, check_stop_of_taken, check_shared, check_full_disk,
                                  check_full_disk_after_stop, check_refusals))
