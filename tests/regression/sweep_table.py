#!/usr/bin/env python3
"""Tests the tables of `sweep collect`: result files, failed and missing points, one more point, a grown study, and CSV.
`--points N` measures a sweep of N points instead."""

import csv
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import h5py
import numpy
import pandas

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "experiments/analysis"))
import lookahead_process as lookahead  # noqa: E402
from sweep_checks import Checks, study_of_programs, texts  # noqa: E402
from lookahead_analysis.sweeps import Sweep  # noqa: E402

STUDY = """
title = "Tables"
size = "tiny"
workloads = ["vecadd", "histogram"]
[[axis]]
key = "l1d.ways"
values = ["4", "8"]
[[axis]]
name = "design"
[[axis.value]]
name = "plain"
[[axis.value]]
name = "caps"
options = ["sm.prefetcher=caps"]
"""


def frame(group):
    """The columns of the group's first dimension."""
    rows = len(group[next(iter({"id", "row", "point"} & set(group)))]) if "row" not in group else len(group["row"])
    return pandas.DataFrame({name: texts(group[name]) for name in group if group[name].shape == (rows,)})


def same_tables(first, second):
    """What differs between two indices; nothing if they are equal."""
    differences = []
    for group in ("points", "totals", "kernels", "best"):
        if set(first[group]) != set(second[group]):
            differences.append(group)
            continue
        for name in first[group]:
            if name in ("wall_s", "point_s", "result_stamp", "peak_rss_bytes"):
                continue
            one, other = texts(first[group][name]), texts(second[group][name])
            if one.shape != other.shape or not all(a == b or a != a and b != b for a, b in zip(one.flat, other.flat)):
                differences.append(f"{group}/{name}")
    return differences


def check_contents(checks, study):
    checks.done("run", study, "good")
    with checks.index("good") as index:
        points, totals, kernels = index["points"], index["totals"], index["kernels"]
        checks.check("axes", list(index.attrs["axes"]) == ["l1d.ways", "design"], index.attrs["axes"])
        counters = list(totals["counter"].asstr())
        checks.check("counters in order", counters == sorted(counters) and len(set(counters)) == len(counters))
        for row, name in enumerate(texts(points["file"])):
            with h5py.File(checks.folder / "good" / name) as run:
                there = {f"{kind}.{each}" for kind, group in run["counters"].items() for each in group
                         if each != "component"}
                counted = {counter for counter, count in zip(counters, totals["components"][row]) if count}
                checks.check(f"{name}: presence", there == counted, there ^ counted)
                for at, counter in enumerate(counters):
                    if counter not in there:
                        continue
                    values = run["counters/" + counter.replace(".", "/", 1)]
                    figures = tuple(int(totals[each][row, at]) for each in ("components", "sum", "min", "max"))
                    expected = (values.shape[0], int(values[:].sum()), int(values[:].min()), int(values[:].max()))
                    checks.check(f"{name}: {counter}", figures == expected and
                                 texts(totals["unit"])[at] == values.attrs["units"], f"{figures}, not {expected}")
                mine = numpy.flatnonzero(kernels["point"][:] == row)
                counts = dict(zip(texts(kernels["counter"]), kernels["counts"][mine, :].T))
                for counter, values in zip(run["kernel_counters/counter"].asstr(), run["kernel_counters/counts"][:].T):
                    checks.check(f"{name}: {counter} of kernels", list(counts.pop(counter)) == list(values), values)
                checks.check(f"{name}: other counters", all((each == -1).all() for each in counts.values()), counts)
                checks.check(f"{name}: kernels", list(texts(kernels["name"])[mine]) == list(texts(run["kernels/name"])) and
                             list(kernels["cycles"][mine]) == list(run["kernels/cycles"][:]), mine)
                checks.check(f"{name}: row", texts(points["state_hash"])[row] == run.attrs["state_hash"] and
                             texts(points["host"])[row] == run["meta"].attrs["host"] and points["ranks"][row] == 1 and
                             points["peak_rss_bytes"][row] == run["meta"].attrs["peak_rss_bytes"] and
                             points["energy_static_j"][row] == run["energy"].attrs["static_j"])
    sweep = Sweep(checks.folder / "good")
    checks.check("the reader's axes", sweep.axes == ["l1d.ways", "design"] and len(sweep.complete) == 8, sweep.axes)
    checks.succeeds(["validate", checks.folder / "good/index.h5"])


def check_increment(checks, study):
    """What is read anew is what changed: a result that becomes unreadable without a change of its stamp is not missed."""
    shutil.copytree(checks.folder / "good", checks.folder / "more", copy_function=shutil.copy2)
    checks.done("collect", study, "more")
    with checks.index("good") as first, checks.index("more") as second:
        checks.check("collected again", not same_tables(first, second), same_tables(first, second))
        files = list(texts(first["points/file"]))
    lost = checks.folder / "more" / files[2]
    lost.rename(lost.with_suffix(".away"))
    checks.done("collect", study, "more")
    with checks.index("more") as index:
        checks.check("a missing point", texts(index["points/status"])[2] == "missing" and
                     not index["totals/components"][2].any() and 2 not in index["kernels/point"][:] and
                     numpy.isnan(index["points/cycles"][2]))
    lost.with_suffix(".away").rename(lost)
    checks.done("collect", study, "more")
    with checks.index("good") as first, checks.index("more") as second:
        checks.check("one more", not same_tables(first, second), same_tables(first, second))
    # Another file in a result's place is read.
    shutil.copy(checks.folder / "more" / files[0], lost)
    checks.done("collect", study, "more")
    with checks.index("more") as index:
        checks.check("a changed result", (index["totals/sum"][2] == index["totals/sum"][0]).all())
    # So are all files for a metric that the index lacks or defines otherwise.
    text = study.read_text()
    for metric in ('name = "used"\npath = "counters/sm/cycles"\n', 'name = "used"\npath = "counters/sm/cycles"\nreduction = "max"\n'):
        more = study.with_name("metric.toml")
        more.write_text(text + "[[metric]]\n" + metric)
        checks.done("collect", more, "more")
        with checks.index("more") as index, h5py.File(checks.folder / "more" / files[1]) as run:
            values = run["counters/sm/cycles"][:]
            expected = values.max() if "max" in metric else values.sum()
            checks.check(metric, index["points/used"][1] == expected, index["points/used"][1])


def check_grown(checks, study):
    grown = study.with_name("grown.toml")
    grown.write_text(study.read_text().replace('["4", "8"]', '["2", "4", "8"]'))
    shutil.copytree(checks.folder / "good", checks.folder / "grown", copy_function=shutil.copy2)
    (checks.folder / "grown/study.toml").write_text("# grown\n" + study.read_text())
    checks.done("run", grown, "grown")
    (checks.folder / "grown/index.h5").rename(checks.folder / "grown-index.h5")
    checks.done("collect", grown, "grown")
    with h5py.File(checks.folder / "grown-index.h5") as first, checks.index("grown") as second:
        checks.check("grown", not same_tables(first, second) and len(first["points/id"]) == 12, same_tables(first, second))


def check_failures(checks):
    study = checks.study(study_of_programs("good", "wrong"), "failing.toml")
    checks.done("run", study, "failing", "--jobs", "1")
    with checks.index("failing") as index:
        points = frame(index["points"])
        checks.check("failed row", list(points["status"]) == ["complete", "failed"] and points["exit_code"][1] == 4 and
                     points["point_s"][1] > 0 and numpy.isnan(points["cycles"][1]) and points["host"][1] == "" and
                     not index["totals/components"][1].any(), points)


def check_settings(checks):
    """A workload's own settings, an axis's after them, and a limit of instructions."""
    study = checks.study('size = "tiny"\nworkloads = ["vecadd"]\nmax_instructions = 1000\n[settings]\n'
                         'vecadd = ["n=262144", "input=seeded"]\n[[axis]]\nname = "form"\n[[axis.value]]\nname = "given"\n'
                         '[[axis.value]]\nname = "looped"\nsettings = ["form=looped"]\n', "settings.toml")
    checks.done("run", study, "settings")
    with checks.index("settings") as index:
        points = frame(index["points"])
    checks.check("ended by the limit", list(points["status"]) == ["complete"] * 2 and
                 points["warp_instructions"].between(1000, 60000).all(), points)
    for name in points["file"]:
        with h5py.File(checks.folder / "settings" / name) as run:
            checks.check("own setting", run["config/vecadd.n"][()] == 262144, name)


def check_csv(checks, study):
    checks.done("collect", study, "good", "--csv")
    with checks.index("good") as index, open(checks.folder / "good/points.csv", newline="") as wide, \
            open(checks.folder / "good/counters.csv", newline="") as tall:
        points = frame(index["points"])
        rows = list(csv.DictReader(wide))
        checks.check("rows", len(rows) == len(points), len(rows))
        for row, (_, point) in zip(rows, points.iterrows()):
            checks.check("row", row["key"] == point["key"] and float(row["cycles"]) == point["cycles"] and
                         float(row["energy_j"]) == point["energy_j"] and row["design"] == point["design"] and
                         row["status"] == point["status"], row)
        totals, kernels = index["totals"], index["kernels"]
        counters, of_kernels = list(texts(totals["counter"])), list(texts(kernels["counter"]))
        seen = 0
        for row in csv.DictReader(tall):
            seen += 1
            point, name = int(row["point"]), f"{row['kind']}.{row['counter']}"
            if row["kernel"] == "":
                at = counters.index(name)
                good = [int(row[each]) for each in ("sum", "min", "max")] == \
                    [int(totals[each][point, at]) for each in ("sum", "min", "max")]
            else:
                at = (kernels["point"][:] == point) & (kernels["launch"][:] == int(row["kernel"]))
                good = int(row["sum"]) == kernels["counts"][at, of_kernels.index(name)] and row["min"] == ""
            checks.check("counter", good, row)
        expected = (totals["components"][:] > 0).sum() + (kernels["counts"][:] >= 0).sum()
        checks.check("all counters", seen == expected, f"{seen}, not {expected}")


def check_quotes(checks):
    study = checks.folder / "quotes.toml"
    study.write_text('title = "Quotes"\nsize = "tiny"\nworkloads = ["vecadd"]\n[[axis]]\nname = "a, \\"b\\""\n'
                     '[[axis.value]]\nname = "x, \\"y\\""\noptions = ["l1d.ways=8"]\n')
    checks.done("run", study, "quotes")
    checks.done("collect", study, "quotes", "--csv")
    with open(checks.folder / "quotes/points.csv", newline="") as wide:
        row = next(csv.DictReader(wide))
    checks.check("quotes", row.get('a, "b"') == 'x, "y"', row)


def measure(program, folder, count):
    """Seconds of a first and of an incremental collect over `count` points, which are copies of a few results."""
    side = max(2, round(count ** 0.5))
    study = folder / "many.toml"
    values = ", ".join(f'"{i}"' for i in range(1, side + 1))
    study.write_text(f'title = "Many"\nsize = "tiny"\nworkloads = ["vecadd"]\n[[axis]]\nkey = "l1d.mshrs"\nvalues = [{values}]\n'
                     f'[[axis]]\nkey = "l1d.hit_latency"\nvalues = [{values}]\n')
    out = folder / "many"

    def timed(*arguments):
        """Seconds by the clock and of the processor, as text, and what was printed."""
        begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([program, "sweep", *arguments, study, "--out", out], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return f"{time.perf_counter() - begin:.2f} s ({cpu:.2f} s CPU)", done.stdout

    seconds, plan = timed("plan")
    keys = [line.split()[0] for line in plan.splitlines() if "l1d.mshrs=" in line]
    print(f"{len(keys)} points; plan {seconds}")
    timed("run", "--shard", f"0/{len(keys)}")
    source = out / "points" / f"{keys[0]}.h5"
    for key in keys[1:-1]:
        os.link(source, out / "points" / f"{key}.h5")
    print(f"first collect {timed('collect')[0]}")
    shutil.copy(source, out / "points" / f"{keys[-1]}.h5")
    print(f"one more {timed('collect')[0]}; status {timed('status')[0]}; csv {timed('collect', '--csv')[0]}; "
          f"index {os.path.getsize(out / 'index.h5') / 1e6:.1f} MB")
    begin = time.perf_counter()
    with h5py.File(out / "index.h5") as index:
        points = frame(index["points"])
    means = points[points["status"] == "complete"].groupby(["l1d.mshrs", "l1d.hit_latency"])["cycles"].mean()
    print(f"query of the mean by two axes {time.perf_counter() - begin:.2f} s, {len(means)} means")
    return 0


def main() -> int:
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--points", type=int, help="measure a sweep of so many points")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if arguments.points:
            return measure(arguments.program.resolve(), folder, arguments.points)
        checks = Checks(arguments.program.resolve(), folder)
        study = checks.study(STUDY, "tables.toml")
        check_contents(checks, study)
        check_csv(checks, study)
        check_failures(checks)
        check_settings(checks)
        check_quotes(checks)
        check_increment(checks, study)
        check_grown(checks, study)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
