#!/usr/bin/env python3
"""Tests that a full disk at a run's end, or a missing folder, neither discards the simulated result nor leaves a truncated
file."""

import json
import os
import pathlib
import resource
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402


class Checker(lookahead.Checks):
    def __init__(self, program, folder):
        super().__init__(program, folder)
        self.temporary = folder / "temporary"
        self.temporary.mkdir()

    def start(self, arguments, ranks=0, file_bytes=None):
        """`file_bytes`: no file may get larger; a write beyond fails as on a full disk. Needs no file system of its own."""
        limit = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))) if file_bytes else None
        return lookahead.start(self.program, [*arguments, "--json", "--progress", "none"], ranks, preexec_fn=limit,
                               env={**os.environ, **lookahead.MPI_ENVIRONMENT, "TMPDIR": str(self.temporary)})

    def files(self):
        return sorted(path.name for path in self.folder.rglob("*") if path.is_file())

    def check_message(self, what, process, out, err, phrases):
        said = [line for line in err.splitlines() if line.startswith("lookahead: ")]
        self.expect(process.returncode == 3, f"{what}: exit code {process.returncode}, expected 3: {err}")
        self.expect(len(said) == 1, f"{what}: {len(said)} messages, expected one: {err}")
        self.expect("HDF5" not in err and "#0" not in err, f"{what}: HDF5 speaks: {err}")
        for phrase in phrases:
            self.expect(phrase in err, f"{what}: the message does not say '{phrase}': {err}")
        summary = json.loads(out)
        self.expect(summary["status"] == "complete" and summary["outputs"] == "match" and summary["cycles"] > 0,
                    f"{what}: {summary}")
        return summary


def check_no_room(checker):
    """There is room neither in the result's place nor in the other one: only the summary remains."""
    result = checker.folder / "none.h5"
    for bytes_ in (1, 5000, 40000):
        process = checker.start(["run", "vecadd", "--size", "tiny", "--out", result], file_bytes=bytes_)
        out, err = process.communicate(timeout=lookahead.PATIENCE)
        what = f"files of {bytes_} bytes"
        summary = checker.check_message(what, process, out, err, ["has ended", "none.h5"])
        checker.expect(summary["out"] is None, f"{what}: {summary['out']}")
        checker.expect(checker.files() == [], f"{what}: there are {checker.files()}")


def check_trace_without_room(checker):
    """The result has room and the trace has not."""
    result, trace = checker.folder / "run.h5", checker.folder / "trace.json"
    run = ["run", "histogram", "--size", "tiny", "--out", result, "--trace", trace]
    out, err = checker.start(run).communicate(timeout=lookahead.PATIENCE)
    size, needed = result.stat().st_size, trace.stat().st_size
    room = (size + needed) // 2
    checker.expect(2 * size < needed, f"the trace of {needed} bytes is no longer much larger than {size}; {err}")
    result.unlink()
    trace.unlink()
    process = checker.start(run, file_bytes=room)
    out, err = process.communicate(timeout=lookahead.PATIENCE)
    summary = checker.check_message("trace without room", process, out, err, [str(trace)])
    checker.expect(summary["out"] == str(result) and checker.files() == ["run.h5"],
                   f"trace without room: {summary['out']}, {checker.files()}")
    checker.succeeds(["validate", result])
    result.unlink()


def check_page_without_room(checker):
    """Nothing is left of a page that has no room."""
    result, page = checker.folder / "run.h5", checker.folder / "page.html"
    lookahead.simulate(checker.program, ["vecadd", "--size", "tiny", "--out", result])
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))  # noqa: E731
    process = lookahead.start(checker.program, ["report", result, "--out", page, "--python", sys.executable], preexec_fn=limit)
    _, err = process.communicate(timeout=lookahead.PATIENCE)
    right = process.returncode == 3 and f"lookahead: {page}: cannot be written: File too large" in err and "rrno" not in err
    checker.expect(right and err.count("lookahead: ") == 1, f"page without room: exit {process.returncode}: {err}")
    checker.expect(checker.files() == ["run.h5"], f"page without room: there are {checker.files()}")
    result.unlink()


def check_lost_folder(checker):
    """The folder is removed during the run: the result is kept elsewhere, and equals that of an undisturbed run."""
    whole = checker.folder / "whole.h5"
    lookahead.simulate(checker.program, [*lookahead.LONG_RUN[1:], "--out", whole])
    for ranks in (0, 2):
        lose_folder(checker, ranks, whole)


def lose_folder(checker, ranks, whole):
    lost = checker.folder / "lost"
    for what, more, phrase in (("result", [], "it is in"), ("trace", ["--trace", lost / "trace.json"], "trace.json")):
        lost.mkdir()
        kept = checker.folder / f"kept_{what}.h5"
        target = lost / "run.h5" if what == "result" else kept
        process = checker.start([*lookahead.LONG_RUN, "--out", target, *more], ranks)
        lookahead.wait_until_simulating(process)
        lost.rename(checker.folder / "away")
        out, err = process.communicate(timeout=lookahead.PATIENCE)
        name = f"folder of the {what} lost, {ranks} ranks"
        summary = checker.check_message(name, process, out, err, [phrase])
        checker.expect(summary["out"] and (what == "trace" or pathlib.Path(summary["out"]).parent == checker.temporary),
                       f"{name}: {summary['out']}")
        checker.same(name, whole, summary["out"])
        checker.expect(not list((checker.folder / "away").iterdir()), f"{name}: {list((checker.folder / 'away').iterdir())}")
        (checker.folder / "away").rmdir()
        pathlib.Path(summary["out"]).unlink()


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, Checker, check_no_room, check_trace_without_room, check_page_without_room, check_lost_folder))
