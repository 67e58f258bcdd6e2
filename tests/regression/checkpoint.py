#!/usr/bin/env python3
"""Tests checkpoints: `resume` gives the result of a run without a stop, on any ranks; bad checkpoints are refused."""

import fcntl
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402
from hdf5_files import CHECKSUM_BYTES, seal  # noqa: E402

STOPPED = 75
ENDLESS = pathlib.Path(__file__).resolve().parent / "ptx/endless.ptx"
CAPTURE = pathlib.Path(__file__).resolve().parents[1] / "functional/cuda/device_printf.capture.h5"
# What each run simulates, and the options under which it goes on.
RUNS = [
    (["bfs", "--size", "tiny"], 9000, [(0, "serial", "graph"), (3, "null_message", "round_robin")]),
    (["sgemm", "--size", "tiny", "--machine", "pmode_fermi", "-o", "sm.issue_extension=pmode",
      "-o", "sm.simt=convergence_barrier"], 4000, [(2, "window", "linear")]),
    (["hotspot", "--size", "tiny", "--machine", "caps_fermi", "-o", "sm.prefetcher=caps",
      "-o", "sm.warp_scheduler=pas"], 3000, [(2, "null_message", "graph")]),
    (["histogram", "--size", "tiny", "--machine", "v100", "--max-cycles", "12000"], 5000, [(2, "window", "graph")]),
]


class Checker(lookahead.Checks):
    def __init__(self, program, folder):
        super().__init__(program, folder)
        self.wholes = {}

    def whole(self, run):
        """The result of the run without a stop."""
        if tuple(run) not in self.wholes:
            self.wholes[tuple(run)] = self.folder / f"undisturbed{len(self.wholes)}.h5"
            self.execute([*run, "--out", self.wholes[tuple(run)]])
        return self.wholes[tuple(run)]

    def execute(self, arguments, ranks=0):
        return lookahead.execute(self.program, [*arguments, "--progress", "none"], ranks)

    def checkpoints(self):
        return sorted(self.folder.glob("*.checkpoint.h5"), key=lambda path: int(path.name.split("-")[-1].split(".")[0]))

    def clear(self):
        for path in self.checkpoints():
            path.unlink()


def check_resumed(checker):
    """Every run goes on from its first and from a later checkpoint."""
    whole, resumed = checker.folder / "whole.h5", checker.folder / "resumed.h5"
    for run, every, ways in RUNS:
        what = " ".join(run)
        checker.clear()
        done = checker.execute(["run", *run, "--out", whole, "--checkpoint-every", every, "--checkpoint-keep", 0,
                                "--checkpoint-dir", checker.folder])
        checker.expect(done.returncode == 0, f"{what}: {done.stderr}")
        taken = checker.checkpoints()
        checker.expect(len(taken) >= 2, f"{what}: {len(taken)} checkpoints")
        for path in (taken[0], taken[len(taken) // 2]):
            checker.succeeds(["validate", path])
            for ranks, sync, partition in ways:
                done = checker.execute(["resume", path, "--out", resumed, "--sync", sync, "--partition", partition], ranks)
                checker.expect(done.returncode == 0, f"{what}, {path.name}: exit {done.returncode}: {done.stderr}")
                checker.same(f"{what}, {path.name}, {ranks} ranks {sync} {partition}", whole, resumed)


def check_kept(checker):
    checker.clear()
    run = ["run", "bfs", "--size", "tiny", "--out", checker.folder / "kept.h5", "--checkpoint-dir", checker.folder]
    checker.execute([*run, "--checkpoint-every", 9000])
    checker.expect(len(checker.checkpoints()) == 2, f"{len(checker.checkpoints())} checkpoints were kept, not 2")


def check_stopped(checker):
    """A signal ends a run at a checkpoint, with no result; the resumed run's result is that of the whole run."""
    for ranks in (0, 2):
        stop(checker, ranks)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        stop(checker, 0, number)


def check_stopped_at_start(checker):
    """A signal that comes before anything is simulated ends the program at once, with one sentence and no file."""
    # A kernel that takes the finaliser some time: it fits into no registers.
    lines = [f"mad.lo.u32 %r{i}, %r{i - 7}, %r{i - 3}, %r{i - 1};" for i in range(8, 100000)]
    kernel = checker.folder / "long.ptx"
    kernel.write_text(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry long(.param .u64 out)\n{\n.reg .b32 %r<100000>;\n"
                      ".reg .b64 %rd<2>;\nld.param.u64 %rd1, [out];\n" +
                      "\n".join(f"ld.global.u32 %r{i}, [%rd1+{4 * i}];" for i in range(8)) + "\n" + "\n".join(lines) + "\n" +
                      "\n".join(f"st.global.u32 [%rd1+{4 * (i % 64)}], %r{i};" for i in range(0, 100000, 7)) + "\nret;\n}\n")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
        checker.clear()
        process = lookahead.start(checker.program, ["run", "ptx", "--set", f"file={kernel}", "--set", "arguments=u32[64]",
                                                    "--out", checker.folder / "none.h5", "--checkpoint-dir", checker.folder])
        lookahead.wait_for(lambda: lookahead.catches(process.pid, number))
        time.sleep(0.2)
        process.send_signal(number)
        begin = time.monotonic()
        _, err = process.communicate(timeout=lookahead.PATIENCE)
        said = [line for line in err.splitlines() if line.startswith("lookahead: ")]
        checker.expect(process.returncode == STOPPED and time.monotonic() - begin < 20 and len(said) == 1 and
                       "before the simulation began" in said[0], f"{number.name} at the start: {process.returncode}, {err}")
        checker.expect(not checker.checkpoints() and not list(checker.folder.glob("none.h5*")),
                       f"{number.name} at the start: files are left")


def stop(checker, ranks, number=signal.SIGUSR1):
    checker.clear()
    stopped = checker.folder / "stopped.h5"
    run = lookahead.LONG_RUN
    whole = checker.whole(run)
    stopped.unlink(missing_ok=True)
    process = lookahead.start(checker.program, [*run, "--out", stopped, "--checkpoint-dir", checker.folder, "--json"], ranks)
    lookahead.wait_until_simulating(process)
    process.send_signal(number)
    out, err = process.communicate(timeout=lookahead.PATIENCE)
    what = f"{signal.Signals(number).name}, {ranks} ranks"
    checker.expect(process.returncode == STOPPED, f"{what}: exit {process.returncode}: {err}")
    if process.returncode != STOPPED:
        return
    said = [line for line in err.splitlines() if line.startswith("lookahead: ")]
    checker.expect(len(said) == 1 and "lookahead resume" in said[0], f"{what}: not one line says how to go on: {err}")
    checker.expect(not stopped.exists(), f"{what}: a run that was stopped left a result")
    summary = json.loads(out)
    checker.expect(summary["status"] == "stopped" and summary["out"] is None, f"{what}: {summary}")
    taken = checker.checkpoints()
    checker.expect([str(path) for path in taken] == [summary["checkpoint"]], f"{what}: {taken}, {summary}")
    done = checker.execute(["resume", taken[-1], "--out", stopped])
    checker.expect(done.returncode == 0, f"{what}: {done.stderr}")
    checker.same(what, whole, stopped)


def check_second_signal(checker):
    """The second of SIGTERM, SIGINT and SIGHUP ends the process at once, unless it comes together with the first."""
    # No epoch ends in this run: nothing else would stop it.
    run = ["run", "sgemm", "--size", "medium", "-o", "run.epoch=1000000000", "--out", checker.folder / "second.h5",
           "--checkpoint-dir", checker.folder]
    for first, second in ((signal.SIGTERM, signal.SIGTERM), (signal.SIGINT, signal.SIGHUP)):
        checker.clear()
        process = lookahead.start(checker.program, run)
        lookahead.wait_until_simulating(process)
        for number in (first, second):
            process.send_signal(number)
            time.sleep(0.05)
        checker.expect(process.poll() is None, f"{first.name}, {second.name} together: exit {process.returncode}")
        time.sleep(0.3)
        process.send_signal(second)
        begin = time.monotonic()
        process.communicate(timeout=lookahead.PATIENCE)
        checker.expect(process.returncode == -second and time.monotonic() - begin < 20,
                       f"{first.name}, then {second.name}: exit {process.returncode}")
        checker.expect(not checker.checkpoints(), f"{first.name}, {second.name}: a checkpoint")


def check_nohup(checker):
    """A signal that is ignored where the program is started stays ignored."""
    run = [*lookahead.LONG_RUN, "--out", checker.folder / "nohup.h5", "--checkpoint-dir", checker.folder]
    process = lookahead.start("nohup", [checker.program, *run], stdin=subprocess.DEVNULL)
    lookahead.wait_until_simulating(process)
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate(timeout=lookahead.PATIENCE)
    checker.expect(process.returncode == 0, f"nohup: exit {process.returncode}: {err}")


def check_lost_folder(checker):
    """A checkpoint that cannot be written costs a warning, not the run; so does SIGUSR1 with nowhere to write."""
    for ranks in (0, 2):
        lose_folder(checker, ranks)


def lose_folder(checker, ranks):
    out, lost = checker.folder / "out.h5", checker.folder / "lost"
    run = lookahead.LONG_RUN
    whole = checker.whole(run)
    for more, signalled in ((["--checkpoint-every", 2000], False), ([], True)):
        lost.mkdir()
        process = lookahead.start(checker.program, [*run, "--out", out, "--checkpoint-dir", lost, *more], ranks)
        if more:
            lookahead.wait_for(lambda: any(lost.glob("*.checkpoint.h5")))
        else:
            lookahead.wait_until_simulating(process)
        lost.rename(checker.folder / "away")  # at once, whatever the run writes there just now
        if signalled:
            process.send_signal(signal.SIGUSR1)
        _, err = process.communicate(timeout=lookahead.PATIENCE)
        what = f"{'SIGUSR1' if signalled else 'checkpoints'} without a folder, {ranks} ranks"
        checker.expect(process.returncode == 0, f"{what}: exit {process.returncode}: {err}")
        checker.expect("warning: no checkpoint at cycle" in err, f"{what}: nothing warns: {err}")
        checker.same(what, whole, out)
        shutil.rmtree(checker.folder / "away")


def check_probed(checker):
    """A folder that takes no files is detected before the run, not at its first checkpoint."""
    folder = pathlib.Path("/proc/self/fd")  # refuses files to root too
    done = checker.execute(["run", "sgemm", "--size", "small", "--out", checker.folder / "none.h5", "--checkpoint-every",
                            1000, "--checkpoint-dir", folder], 2)
    checker.expect(done.returncode == 3 and "cannot be written" in done.stderr, f"{folder}: {done.stderr}")
    checker.expect(not (checker.folder / "none.h5").exists(), f"{folder}: there is a result")


def check_neighbours(checker):
    """Two runs in one folder each keep their own checkpoints."""
    checker.clear()
    for ways in (4, 8):
        checker.execute(["run", "bfs", "--size", "tiny", "--out", checker.folder / f"{ways}.h5", "-o", f"l1d.ways={ways}",
                         "--checkpoint-every", 9000, "--checkpoint-dir", checker.folder])
    checker.expect(len(checker.checkpoints()) == 4, f"two runs left {len(checker.checkpoints())} checkpoints, not 4")
    for path in checker.checkpoints():
        with h5py.File(path) as file:
            checker.expect(file.attrs["run_id"] in path.name, f"{path.name} is of run {file.attrs['run_id']}")


def check_abandoned(checker):
    """Files left by a run that was killed while it wrote a checkpoint are removed; files that a living run writes
    stay."""
    checker.clear()
    dead, alive = (checker.folder / f"bfs-0-{cycle}.checkpoint.h5.partial" for cycle in (1, 2))
    dead.write_bytes(b"half")
    with alive.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        checker.execute(["run", "bfs", "--size", "tiny", "--out", checker.folder / "run.h5", "--checkpoint-every", 9000,
                         "--checkpoint-dir", checker.folder])
        checker.expect(not dead.exists(), "the file of a run that was killed is still there")
        checker.expect(alive.exists(), "the file of a run that lives was removed")
    alive.unlink(missing_ok=True)


def check_printed_once(checker):
    """What kernels printed before the checkpoint is not printed again."""
    checker.clear()
    whole = checker.execute(["run", CAPTURE, "--out", checker.folder / "whole.h5", "--checkpoint-every", 10000,
                             "--checkpoint-keep", 0, "--checkpoint-dir", checker.folder])
    taken = checker.checkpoints()
    checker.expect(whole.returncode == 0 and taken, f"device_printf: {whole.stderr}")
    printed = whole.stdout.splitlines()
    text = [line for line in printed if not line.startswith((" ", "capture"))]
    ends = []
    for path in (taken[0], taken[len(taken) // 2], taken[-1]):
        resumed = checker.execute(["resume", path, "--out", checker.folder / "resumed.h5"])
        rest = [line for line in resumed.stdout.splitlines() if not line.startswith((" ", "capture"))]
        checker.expect(text[len(text) - len(rest):] == rest, f"device_printf, {path.name}: printed {rest}")
        ends.append(len(rest))
    checker.expect(ends[0] > ends[-1] or len(text) == 0, f"device_printf: as much is printed after every checkpoint: {ends}")


def check_refused(checker):
    checker.clear()
    folder = checker.folder
    copied = folder / "program.capture.h5"
    shutil.copy(CAPTURE, copied)
    checker.execute(["run", copied, "--out", folder / "whole.h5", "--checkpoint-every", 50000, "--checkpoint-dir", folder])
    good = checker.checkpoints()[-1]
    bad = folder / "bad.h5"

    def refused(arguments, code, phrase):
        done = checker.execute(["resume", *arguments, "--out", folder / "none.h5"], 2)
        checker.expect(done.returncode == code and phrase in done.stderr and done.stderr.count("lookahead:") == 1,
                       f"resume {arguments}: exit {done.returncode}, not {code} with '{phrase}': {done.stderr}")
        checker.expect(not (folder / "none.h5").exists(), f"resume {arguments}: there is a result")

    def changed(change):
        shutil.copy(good, bad)
        with h5py.File(bad, "r+") as file:
            change(file)
        seal(bad)
        return [bad]

    refused([folder / "nowhere.h5"], 3, "No such file")
    refused([folder / "whole.h5"], 3, "not a lookahead.checkpoint one")
    bad.write_bytes(good.read_bytes()[:1000])
    refused([bad], 3, str(bad))
    refused(changed(lambda file: file.attrs.__setitem__("git_revision", "0")), 3, "written by revision 0")
    bad.write_bytes(good.read_bytes()[:-CHECKSUM_BYTES])
    refused([bad], 3, "has no checksum")
    refused(changed(lambda file: file.attrs.__setitem__("run_id", "0")), 3, "the checkpoint belongs to run 0")
    refused(changed(lambda file: file["processes/state_bytes"].__setitem__(0, 2**40)), 3, "too short")
    refused(changed(lambda file: file["processes/name"].__setitem__(0, "guest")), 3, "other processes")
    refused(changed(lambda file: file["processes/state_hash"].__setitem__(1, 0)), 3, "dispatcher is not in the state")
    refused([good, "--checkpoint-dir", folder / "nowhere"], 2, "checkpoint-dir")
    with copied.open("ab") as file:
        file.write(b" ")
    refused([good], 3, "has changed since")
    copied.unlink()
    refused([good], 3, "cannot be read")
    for words in (["--set", "file={}", "--set", "arguments=s32:1"], ["-o", "ptx.file={}", "-o", "ptx.arguments=s32:1"]):
        checker.clear()
        kernel = folder / "program.ptx"
        kernel.write_text(ENDLESS.read_text())
        checker.execute(["run", "ptx", *(word.format(kernel) for word in words), "--max-cycles", 20000, "--out", folder / "whole.h5",
                         "--checkpoint-every", 4000, "--checkpoint-dir", folder])
        kernel.write_text(ENDLESS.read_text() + "// changed\n")
        refused([checker.checkpoints()[-1]], 3, "has changed since")


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, Checker, check_resumed, check_kept, check_stopped, check_stopped_at_start, check_second_signal, check_nohup,
                                  check_lost_folder, check_probed, check_neighbours, check_abandoned, check_printed_once,
                                  check_refused))
