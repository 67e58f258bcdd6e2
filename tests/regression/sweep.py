#!/usr/bin/env python3
"""Runs small sweeps as a user would: plan, run, resume, failures as rows, shards, interrupts, and bad studies."""

import os
import pathlib
import shutil
import signal
import sys

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402
from hdf5_files import seal  # noqa: E402
from lookahead_process import wait_for  # noqa: E402
from sweep_checks import PTX, Checks, study_of_programs  # noqa: E402

CAPTURE = pathlib.Path(__file__).resolve().parents[1] / "functional/cuda/device_printf.capture.h5"

STUDY = """
title = "Small"
size = "tiny"
workloads = ["vecadd", "histogram"]
[[axis]]
key = "sm.warp_scheduler"
values = ["lrr", "gto"]
[[axis]]
name = "cache"
[[axis.value]]
name = "small"
options = ["l1d.ways=4"]
[[axis.value]]
name = "large"
options = ["l1d.ways=8", "l1d.mshrs=16"]
[[metric]]
name = "issued"
path = "counters/sm/warp_instructions"
[[metric]]
name = "busiest"
path = "counters/sm/cycles"
reduction = "max"
[[best]]
name = "best cache"
axis = "cache"
metric = "cycles"
among = ["sm.warp_scheduler=lrr"]
"""

# What is changed in STUDY, the exit code, and a piece of the message.
BAD = [
    ("size = ", "sise = ", 3, "did you mean size"),
    ('["vecadd", "histogram"]', "[]", 3, "at least one entry"),
    ('"l1d.ways=4"', '"l1d.ways"', 3, "key=value"),
    ('"l1d.ways=4"', '"l1d.weys=4"', 2, "did you mean l1d.ways"),
    ('"l1d.ways=4"', '"l1d.ways=0"', 2, "cache small"),
    ('values = ["lrr", "gto"]', 'values = ["lrr", "lrr"]', 3, "twice"),
    ('values = ["lrr", "gto"]', "", 3, "key and values"),
    ('"max"', '"most"', 3, "sum, mean or max"),
    ('"histogram"]', '"histgram"]', 2, "histogram"),
    ('name = "busiest"', 'name = "ipc"', 3, "another column"),
    ('metric = "cycles"', 'metric = "cycels"', 3, "did you mean cycles"),
    ("=lrr", "=ltr", 3, "did you mean lrr"),
    ('title = "Small"', "title = Small", 3, "small.toml:2"),
    ("counters/sm/warp_instructions", "counters/sm/warp_instruction", 3, "did you mean counters/sm/warp_instructions"),
    ("counters/sm/warp_instructions", "counters/warps/issued", 3, "'issued' uses counters/warps/issued, which result files"),
    ("counters/sm/warp_instructions", "workload", 3, "result files do not have"),
    ("counters/sm/warp_instructions", "energy@total", 3, "did you mean energy@total_j"),
    ('name = "issued"', 'name = "sm/issued"', 3, "'sm/issued' cannot be a column"),
    ('path = "counters/sm/cycles"\nreduction = "max"', 'expression = "sm.cycles / "', 3, "has the end at character 13 where a name"),
    ('path = "counters/sm/cycles"\nreduction = "max"', 'expression = "sm.cycels / cycles"', 3, "did you mean sm.cycles"),
    ('path = "counters/sm/cycles"\nreduction = "max"', 'expression = "1 + busiest"', 3, "neither a counter nor an earlier metric"),
    ('path = "counters/sm/cycles"\n', 'expression = "sm.cycles"\n', 3, "a reduction needs a path"),
    ('path = "counters/sm/cycles"\n', 'path = "cycles"\nexpression = "sm.cycles"\n', 3, "either the path"),
    ("[[best]]", '[[axis]]\nname = "status"\nkey = "l1d.mshrs"\nvalues = [8]\n[[best]]', 3,
     "the axis 'status' has the name of another column"),
]


def check_whole(checks):
    study = checks.study(STUDY)
    plan = lookahead.execute(checks.program, ["sweep", "plan", study])
    keys = [line.split()[0] for line in plan.stdout.splitlines() if "cache=" in line]
    checks.check("plan", plan.returncode == 0 and len(set(keys)) == 8, plan.stdout + plan.stderr)
    done = checks.command("run", study, "whole", "--jobs", "2")
    checks.check("run", done.returncode == 0 and "8 complete, 0 failed, 8 run now" in done.stdout, done.stdout)
    table = checks.points("whole")
    checks.check("order", list(table["key"]) == keys, table["key"])
    checks.check("axes", list(table["cache"]) == ["small", "large"] * 4 and
                 list(table["sm.warp_scheduler"]) == ["lrr", "lrr", "gto", "gto"] * 2, table)
    checks.check("status", all(table["status"] == "complete") and not any(table["exit_code"]), table["status"])
    for row, name in enumerate(table["file"]):
        with h5py.File(checks.folder / "whole" / name) as file:
            same = (table["issued"][row] == file["counters/sm/warp_instructions"][:].sum() and
                    table["busiest"][row] == file["counters/sm/cycles"][:].max() and
                    table["cycles"][row] == file.attrs["cycles"] and
                    table["energy_j"][row] == file["energy"].attrs["total_j"] and
                    file["config/l1d.ways"][()] == (4 if table["cache"][row] == "small" else 8) and
                    file["config/sm.warp_scheduler"].asstr()[()] == table["sm.warp_scheduler"][row])
            checks.check(name, same, "the row is not of its file")
    with h5py.File(checks.folder / "whole/index.h5") as file:
        best = {name: file["best"][name][:] for name in ("point", "complete", "candidates")}
    cycles = table["cycles"]
    chosen = [base + scheduler + int(cycles[base + 1] < cycles[base]) for base in (0, 4) for scheduler in (0, 2)]
    checks.check("best", list(best["point"]) == chosen and all(best["complete"] == 2) and all(best["candidates"] == 2),
                 f"{best}, expected {chosen}")
    checks.succeeds(["validate", checks.folder / "whole/index.h5"])
    # A result counts as missing if the disk has lost half of it.
    with open(checks.folder / "whole" / table["file"][3], "r+b") as file:
        file.truncate(file.seek(0, 2) // 2)
    status = checks.command("status", study, "whole")
    checks.check("status of a cut result", "7 complete, 0 failed, 1 missing" in status.stdout, status.stdout)
    mended = checks.command("run", study, "whole")
    checks.check("cut result", "8 complete, 0 failed, 1 run now" in mended.stdout, mended.stdout + mended.stderr)
    again = checks.command("run", study, "whole")
    checks.check("resume", "8 complete, 0 failed, 0 run now" in again.stdout, again.stdout)
    (checks.folder / "whole" / table["file"][3]).unlink()
    again = checks.command("run", study, "whole")
    checks.check("resume after a loss", "8 complete, 0 failed, 1 run now" in again.stdout, again.stdout)
    for what in ("status", "collect"):
        nowhere = checks.command(what, study, "nowhere")
        checks.check(f"{what} without a folder", nowhere.returncode == 3 and "there is no such folder" in nowhere.stderr, nowhere.stderr)
    (checks.folder / "mine").mkdir()
    (checks.folder / "mine/plan.json").write_text("mine")
    taken = checks.command("run", study, "mine")
    checks.check("a folder of no sweep", taken.returncode == 3 and "plan.json: the folder does not belong to a sweep" in taken.stderr, taken.stderr)
    checks.check("it is left alone", [file.read_text() for file in (checks.folder / "mine").iterdir()] == ["mine"], None)
    (checks.folder / "mine/plan.json").rename(checks.folder / "mine/thesis.txt")
    beside = checks.command("run", study, "mine")
    checks.check("a sweep beside other files", "8 complete" in beside.stdout and (checks.folder / "mine/thesis.txt").exists(), beside.stderr)
    other = checks.command("run", checks.study(STUDY.replace("Small", "Other"), "other.toml"), "whole")
    checks.check("another study in the folder", other.returncode == 3 and "another study" in other.stderr, other.stderr)


def check_failures(checks):
    """A kernel that never ends fails by its time limit, a wrong one at once: both are rows without figures."""
    study = checks.study(study_of_programs("endless", "wrong"), "fails.toml")
    done = checks.command("run", study, "fails", "--timeout", "1")
    checks.check("timeout", done.returncode == 4 and "0 complete, 2 failed" in done.stdout, done.stdout + done.stderr)
    checks.check("no point has a result", "lookahead: no point has a result; the first, of " in done.stderr and
                 done.stderr.count("lookahead: no") == 1 and "took longer" in done.stderr, done.stderr)
    table = checks.points("fails")
    checks.check("row", table["status"][0] == "failed" and table["exit_code"][0] == 137 and
                 "longer" in table["message"][0] and numpy.isnan(table["cycles"][0]) and table["file"][0] == "", table)
    checks.check("row", table["status"][1] == "failed" and table["exit_code"][1] == 4 and
                 "not in allocated" in table["message"][1], table)
    again = checks.command("run", study, "fails", "--timeout", "1")
    checks.check("a failure stays", "0 run now" in again.stdout, again.stdout)
    again = checks.command("run", study, "fails", "--timeout", "1", "--retry-failed")
    checks.check("--retry-failed", "2 run now" in again.stdout, again.stdout)
    checks.command("run", study, "fails", "--timeout", "0.25", "--retry-failed")
    message = checks.points("fails")["message"][0]
    checks.check("the limit as it was given", message == "took longer than 0.25s", message)
    status = checks.command("status", study, "fails")
    checks.check("status", "2 failed" in status.stdout and "longer" in status.stdout, status.stdout)
    left = [file.name for file in (checks.folder / "fails/points").iterdir()]
    checks.check("nothing left over", len(left) == 2 and all(name.endswith(".failure.json") for name in left), left)


def check_capture(checks):
    """A capture has no size and no seed; those of the study are for its other workloads."""
    study = checks.study(f'title = "x"\nsize = "tiny"\nseed = 5\nworkloads = ["{CAPTURE}", "vecadd"]\n', "capture.toml")
    done = checks.command("run", study, "capture")
    checks.check("capture", done.returncode == 0 and "2 complete, 0 failed" in done.stdout, done.stdout + done.stderr)
    files = [h5py.File(checks.folder / "capture" / name) for name in checks.points("capture")["file"]]
    checks.check("capture beside others", [(file.attrs["size"], file.attrs["seed"]) for file in files] ==
                 [("small", 1), ("tiny", 5)], [dict(file.attrs) for file in files])


def check_shards(checks):
    study = checks.study(STUDY)
    for shard in ("0/3", "1/3", "2/3"):
        done = checks.command("run", study, "shards", "--shard", shard)
        checks.check(shard, done.returncode == 0, done.stderr)
    checks.check("collect", checks.command("collect", study, "shards").returncode == 0)
    table = checks.points("shards")
    checks.check("shards", all(table["status"] == "complete"), table["status"])
    whole = checks.points("whole")
    checks.check("same figures", all(table["cycles"] == whole["cycles"]), table["cycles"])
    checks.check("bad shard", checks.command("run", study, "shards", "--shard", "3/3").returncode == 2)


def check_interrupt(checks):
    """An interrupted sweep leaves only whole files, and the next run goes on."""
    study = checks.study(STUDY)
    process = checks.start(study, "cut", 0, "--jobs", "1")
    wait_for(lambda: list(checks.folder.glob("cut/points/*.h5")), period=0.002)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=lookahead.PATIENCE)
    checks.check("interrupt", process.returncode == 75 and "continues" in errors, f"{process.returncode}: {errors}")
    left = [file.name for file in checks.folder.glob("cut/points/*") if not file.name.endswith((".h5", ".checkpoint"))]
    checks.check("interrupt leaves nothing half-written", not left, left)
    again = checks.command("run", study, "cut")
    checks.check("after an interrupt", "8 complete, 0 failed" in again.stdout, again.stdout)


def check_ended_sweep(checks):
    """What ends a sweep ends its points, too."""
    study = checks.study(study_of_programs("endless"), "ended.toml")
    for number, code in ((signal.SIGUSR1, 75), (signal.SIGTERM, 75), (signal.SIGKILL, -signal.SIGKILL)):
        out = f"ended-{number}"
        process = checks.start(study, out, 0)
        wait_for(lambda: processes_with(checks.folder / out) - {process.pid} and
                 (number == signal.SIGKILL or lookahead.catches(process.pid, number)))
        process.send_signal(number)
        _, errors = process.communicate(timeout=lookahead.PATIENCE)
        checks.check(out, process.returncode == code, f"{process.returncode}: {errors}")
        checks.check(f"{out}: nothing runs on", wait_for(lambda: not processes_with(checks.folder / out), 5),
                     processes_with(checks.folder / out))


def processes_with(path):
    """Processes that have the path in their command lines."""
    return {int(each.parent.name) for each in pathlib.Path("/proc").glob("[0-9]*/cmdline") if str(path).encode() in read_if_there(each)}


def check_group_signal(checks):
    """A terminal's Ctrl-C reaches the points too: they are no failures, and the counts are right."""
    study = checks.study(STUDY.replace('"tiny"', '"small"'), "group.toml")
    begun = ["sweep", "run", study, "--out", checks.folder / "group", "--jobs", "2"]
    process = lookahead.start(checks.program, begun, cwd=checks.folder, start_new_session=True)
    wait_for(lambda: list(checks.folder.glob("group/points/*.h5")), period=0.002)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=lookahead.PATIENCE)
    complete = len(list(checks.folder.glob("group/points/*.h5")))
    left = [file.name for file in checks.folder.glob("group/points/*") if not file.name.endswith((".h5", ".checkpoint"))]
    checks.check("signal to the group", process.returncode == 75 and not left, f"{process.returncode}: {left}")
    lines = errors.splitlines()
    checks.check("last line", lines[-1].startswith(f"lookahead: interrupted after {complete} points"), errors)
    checks.check("last progress", lines[-2].startswith(f"{complete} of 8 points, 0 failed"), errors)


def check_shared(checks):
    """Two sweeps on one folder run each point once, and both end with all of them."""
    study = checks.study(STUDY, "shared.toml")
    both = [checks.start(study, "shared", 0, "--jobs", "1") for _ in range(2)]
    run_now = 0
    for process in both:  # the second has waited for what the first ran
        out, errors = process.communicate(timeout=lookahead.PATIENCE)
        checks.check("shared", process.returncode == 0 and "8 points, 8 complete, 0 failed" in out, out + errors)
        run_now += int(out.split(" run now")[0].split()[-1])
    checks.check("each point once", run_now == 8, run_now)
    left = [file.name for file in (checks.folder / "shared/points").iterdir() if file.suffix != ".h5"]
    checks.check("nothing left of sharing", not left, left)


def check_grown(checks):
    """A study may get workloads, values, and metrics, and the missing points then run; it may not lose or change
    points."""
    checks.command("run", checks.study(STUDY, "grown.toml"), "grown")
    more = STUDY.replace('"histogram"]', '"histogram", "bfs"]').replace('"lrr", "gto"]', '"lrr", "gto", "two_level"]')
    more += '[[metric]]\nname = "loads"\npath = "counters/sm/load_global"\n'
    done = checks.command("run", checks.study(more, "grown.toml"), "grown")
    checks.check("grown", "18 points, 18 complete, 0 failed, 10 run now" in done.stdout, done.stdout + done.stderr)
    checks.check("a new metric", all(checks.points("grown")["loads"] > 0), checks.points("grown")["loads"])
    for what, text in (("fewer workloads", STUDY), ("other options", more.replace("l1d.ways=8", "l1d.ways=16"))):
        done = checks.command("run", checks.study(text, "grown.toml"), "grown")
        checks.check(what, done.returncode == 3 and "may only grow" in done.stderr, done.stdout + done.stderr)
    checks.check("the folder's study stays", checks.command("run", checks.study(more, "grown.toml"), "grown").returncode == 0)


def check_inputs(checks):
    """A point whose input file has changed is another point, wherever the file's name stands."""
    source, arguments = PTX / "endless.ptx", "arguments=s32:0"
    text = 'title = "Inputs"\nworkloads = ["ptx"]\n'
    for name, study in (("options", 'options = ["ptx.file={file}", "ptx.{arguments}"]\n'),
                        ("settings", '[[axis]]\nname = "program"\n[[axis.value]]\nname = "one"\n'
                                     'settings = ["file={file}", "{arguments}"]\n')):
        file = checks.folder / f"{name}.ptx"
        study = checks.study(text + study.format(file=file, arguments=arguments), f"{name}.toml")
        for content, run_now in (("", 1), ("", 0), ("// changed\n", 1)):
            file.write_text(source.read_text() + content)
            done = checks.command("run", study, f"inputs-{name}")
            checks.check(f"input among the {name}", f"1 complete, 0 failed, {run_now} run now" in done.stdout,
                         f"{content!r}: {done.stdout}{done.stderr}")


def check_replaced_program(checks):
    """A program that gets the name of the sweep's while the sweep runs does not run its points."""
    program, other = checks.folder / "lookahead", checks.folder / "built-anew"
    shutil.copy(checks.program, program)
    lookahead.copy_built_otherwise(checks.program, other)
    study = checks.study(STUDY, "replaced.toml")
    process = lookahead.start(program, ["sweep", "run", study, "--out", checks.folder / "replaced", "--jobs", "1"])
    wait_for(lambda: list(checks.folder.glob("replaced/points/*.h5")))
    other.rename(program)
    out, errors = process.communicate(timeout=lookahead.PATIENCE)
    checks.check("replaced program", "8 complete, 0 failed, 8 run now" in out, out + errors)
    programs = [str(h5py.File(file)["meta"].attrs["program_hash"]) for file in checks.folder.glob("replaced/points/*.h5")]
    checks.check("one program", len(set(programs)) == 1, programs)


def check_changed_input(checks):
    """A point whose input file has changed since the plan has failed: its result belongs under another key."""
    file = checks.folder / "between.ptx"
    file.write_text((PTX / "endless.ptx").read_text())
    text = f'title = "Between"\nworkloads = ["ptx"]\noptions = ["ptx.file={file}", "ptx.arguments=s32:0"]\n'
    study = checks.study(text, "between.toml")
    for ranks in (0, 1):
        out = f"between-{ranks}"
        with checks.held(out, checks.keys(study)[0]):
            process = checks.start(study, out, ranks)
            wait_for((checks.folder / out / "study.toml").exists)  # written after the plan
            file.write_text(file.read_text() + "// changed\n")
        printed, errors = process.communicate(timeout=lookahead.PATIENCE)
        checks.check(out, process.returncode == 3 and "0 complete, 1 failed" in printed, printed + errors)
        table = checks.points(out)
        checks.check(f"{out}: its row", table["exit_code"][0] == 3 and "files that have changed" in table["message"][0],
                     f"{table['exit_code']} {table['message']}")
        again = checks.run(study, out, ranks)
        checks.check(f"{out}: planned anew", "1 complete, 0 failed, 1 run now" in again.stdout, again.stdout + again.stderr)


def check_lost_result(checks):
    """Where a result cannot get its name the sweep ends with a message, and leaves nothing running."""
    study = checks.study(study_of_programs("endless", "good"), "lost.toml")
    plan = lookahead.execute(checks.program, ["sweep", "plan", study])
    key = next(line.split()[0] for line in plan.stdout.splitlines() if "what=good" in line)
    process = checks.start(study, "lost", 0, "--jobs", "2")
    wait_for(lambda: list(checks.folder.glob(f"lost/points/{key}.h5.*")), period=0.0005)
    (checks.folder / "lost/points" / f"{key}.h5").mkdir()
    _, errors = process.communicate(timeout=lookahead.PATIENCE)
    checks.check("lost result", process.returncode == 3 and "cannot be renamed" in errors,
                 f"{process.returncode}: {errors}")
    running = processes_with(checks.folder / "lost")
    checks.check("nothing runs on", not running, running)
    left = [file.name for file in checks.folder.glob("lost/points/*") if file.name != f"{key}.h5"]
    checks.check("nothing is left over", not left, left)


def read_if_there(file):
    try:
        return file.read_bytes()
    except OSError:
        return b""


def check_damaged_index(checks):
    """An index whose kernels name its last point is read; one that names the point after it is refused."""
    study = checks.study(STUDY.replace('["vecadd", "histogram"]', '["vecadd"]'))
    checks.command("run", study, "index")
    index = checks.folder / "index/index.h5"
    for point, code in ((3, 0), (4, 3)):
        with h5py.File(index, "r+") as file:
            file["kernels/point"][0] = point
        seal(index)
        done = checks.command("collect", study, "index")
        checks.check(f"point {point}", done.returncode == code and ("names point 4, but there are 4" in done.stderr) == (code != 0),
                     f"exit {done.returncode}: {done.stderr}")


def check_bad_studies(checks):
    for old, new, code, fragment in BAD:
        assert old in STUDY
        done = checks.command("run", checks.study(STUDY.replace(old, new, 1)), "bad")
        checks.check(f"{new!r} for {old!r}", done.returncode == code and fragment in done.stderr,
                     f"exit {done.returncode}: {done.stderr}")
    checks.refuses(["sweep", "plan", "baseline/schedulrs"], 2, "baseline/schedulers")
    checks.refuses(["sweep", "plan", "absent.toml"], 3, "absent.toml")


def check_plans(checks):
    for study in ("baseline/schedulers", "baseline/l1_capacity"):
        checks.succeeds(["sweep", "plan", study])


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, Checks, check_whole, check_failures, check_capture, check_shards, check_interrupt, check_ended_sweep,
                                  check_group_signal, check_shared, check_grown, check_inputs, check_replaced_program, check_changed_input,
                                  check_lost_result, check_damaged_index, check_bad_studies, check_plans))
