#!/usr/bin/env python3
"""Tests the command line as users' scripts see it: every command, the JSON summary, and that the file agrees with it."""

import json
import pathlib
import re
import subprocess
import sys

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

SUMMARY = ["workload", "machine", "status", "outputs", "cycles", "warp_instructions", "thread_instructions", "ipc", "thread_ipc",
           "kernels", "energy_j", "ranks", "threads", "sync", "wall_s", "warp_instructions_per_s", "peak_rss_bytes",
           "state_hash", "out"]
PROFILE = ["kernel", "r_default", "r_base", "r_least", "limits"]
LIMIT = ["limit", "registers", "spill_bytes", "spill_loads", "spill_stores", "instructions"]


class CommandChecks(lookahead.Checks):
    def prints(self, arguments, *fragments, ranks=0):
        """The command ends with 0, says nothing on stderr, and prints the fragments."""
        done = lookahead.execute(self.program, arguments, ranks)
        good = done.returncode == 0 and not done.stderr and all(fragment in done.stdout for fragment in fragments)
        self.check(" ".join(map(str, arguments)), good, f"exit {done.returncode}: {done.stdout[-300:]}{done.stderr}")
        return done.stdout


def check_catalogue(checks):
    checks.prints(["--help"], "lookahead run sgemm", "Exit codes")
    checks.prints(["run", "--help"], "--max-cycles", "--partition")
    listed = checks.prints(["list"], "vecadd", "gtx480", "gto", "frfcfs").splitlines()
    workloads = checks.prints(["list", "workloads"], "bfs").splitlines()
    often = [line.split()[0] for line in workloads if sum(each.startswith(f"  {line.split()[0]} ") for each in listed) != 1]
    checks.check("each workload once", len(workloads) > 50 and not often, often)
    checks.prints(["list", "variants"], "workload", "gto")
    checks.prints(["describe", "l1d.ways"], "l1d.ways", "Lines")
    checks.prints(["describe", "gto"], "Greedy")
    checks.prints(["describe", "window"], "--sync window")
    checks.prints(["describe", "round_robin"], "--partition round_robin")
    checks.prints(["describe", "bfs"], "bfs.nodes", "choose: lookahead run bfs\n")
    pages = checks.prints(["describe", "dac"], "choose: -o sm.issue_extension=dac, which brings it").split("\nvariant ")
    checks.check("describe dac", "of slot sm.issue_extension" in pages[0] and "choose: -o sm.issue_extension=dac\n" in pages[0] and
                 "of slot kernel.transform" in pages[1] and not any("choose: -o kernel" in page for page in pages), pages)
    checks.prints(["describe", "vecmem"], "choose: -o kernel.transform=vecmem\n")
    checks.prints(["describe", "gtx480"], "description")
    checks.prints(["describe", "warp_instructions"], "instruction")


def check_lists(checks):
    """The names of `list`, by kind, as JSON."""
    listed = json.loads(checks.prints(["list", "--json"]))
    checks.check("list --json", list(listed) == ["workloads", "machines", "variants", "studies"], list(listed))
    for kind in ("workloads", "machines", "studies"):
        names = [line.split()[0] for line in checks.prints(["list", kind]).splitlines()]
        checks.check(f"list {kind} --json", json.loads(checks.prints(["list", kind, "--json"])) == {kind: names}, names)
        checks.check(f"{kind} of list --json", listed[kind] == names, listed[kind])
    variants = json.loads(checks.prints(["list", "variants", "--json"]))["variants"]
    checks.check("variants", "gto" in variants["sm.warp_scheduler"] and "bfs" in variants["workload"], variants)
    checks.check("variants beside workloads", listed["variants"] == {slot: names for slot, names in variants.items()
                                                                      if slot != "workload"}, list(listed["variants"]))
    for kind, name in (("parameters", "l1d.ways"), ("statistics", "sm.barriers")):
        names = json.loads(checks.prints(["list", kind, "--json"]))
        checks.check(f"list {kind} --json", list(names) == [kind] and name in names[kind], list(names))


def check_version(checks):
    """It names all that a report of a fault needs."""
    text = checks.prints(["--version"])
    checks.check("version", re.fullmatch(r"lookahead \d+\.\d+\.\d+, revision \S+, build [0-9a-f]+\n(g\+\+|clang) \S.*\n"
                                         r"(Open )?MPI [\d.]+, HDF5 [\d.]+, Boost [\d.]+\n", text), text)


def check_links(checks):
    """A result goes where a link leads, whether the file is there or not."""
    target, link = checks.folder / "target.h5", checks.folder / "link.h5"
    link.symlink_to(target.name)
    for _ in range(2):
        checks.prints(["run", "vecadd", "--size", "tiny", "--out", link], "outputs match")
        checks.check("link", link.is_symlink() and target.is_file() and not target.is_symlink(), target)


def check_options_of_several_values(checks):
    """They leave a positional argument after them alone, whatever stands between their values."""
    out, trace = checks.folder / "several.h5", checks.folder / "several.json"
    run = ["--size", "tiny", "--out", out, "--trace", trace]
    for before, behind in ((["--trace-of", "sm0"], []), (["--trace-of", "sm0,sm1"], []), (["--trace-of", "sm0", "--trace-of", "sm1"], []),
                           (["--trace-cycles", "0,500"], []), (["--trace-cycles", "0", "500"], []), ([], ["--trace-cycles", "0,500"])):
        checks.prints(["run", *before, "vecadd", *run, *behind], "outputs match")
    for registers in (["0.5"], ["0.5,8"], ["0.5", "8"]):
        text = checks.prints(["profile", "vectors", "--registers", *registers, "hotspot", "--size", "tiny"], "registers 0.5 of r_base")
        checks.check(f"--registers {registers}", ("registers 8" in text) == (registers != ["0.5"]), text)


def check_configuration(checks):
    shown = checks.prints(["config", "show", "-o", "l1d.ways=8"], "ways = 8")
    machine = checks.folder / "shown.toml"
    machine.write_text(shown)
    checks.prints(["config", "validate", machine], "valid")
    again = checks.prints(["config", "show", "--machine", machine])

    def values(text):  # without the comments, which say where a value comes from
        return [line.split("  #")[0] for line in text.splitlines()]

    checks.check("config show", values(shown) == values(again), "a configuration does not read back as itself")
    checks.prints(["config", "schema"], "l1d.ways", "crossbar.request_latency")
    checks.prints(["partition", "graph", "--ranks", "2"], "sm0", "rank 1")


def check_engine(checks):
    for ranks in (0, 2):
        phold = json.loads(checks.prints(["bench", "phold", "--duration", "20", "--json"], "events_per_s", ranks=ranks))
        checks.check("bench phold", phold["events"] > 0 and phold["ranks"] == max(ranks, 1), phold)
        window = json.loads(checks.prints(["bench", "window", "--windows", "1000", "--json"], ranks=ranks))
        checks.check("bench window", window["window_us"] > 0, window)
    checks.prints(["bench", "ranks", "--duration", "10"], "null_message", "window", ranks=2)


def check_run(checks):
    out, trace = checks.folder / "run.h5", checks.folder / "trace.json"
    text = checks.prints(["run", "histogram", "--size", "tiny", "--seed", "3", "--json", "--out", out, "--trace", trace])
    summary = json.loads(text)
    checks.check("summary", list(summary) == SUMMARY, f"its keys are {list(summary)}")
    checks.check("summary", summary["status"] == "complete" and summary["outputs"] == "match", summary)
    checks.check("trace", json.loads(trace.read_text())["traceEvents"], "it has no events")
    with h5py.File(out) as file:
        for key in ("workload", "machine", "status", "outputs", "cycles", "warp_instructions", "state_hash"):
            checks.check(f"attribute {key}", str(file.attrs[key]) == str(summary[key]),
                         f"{file.attrs.get(key)} in the file, {summary[key]} in the summary")
        checks.check("/counters", sum(file["counters/sm/warp_instructions"][:]) == summary["warp_instructions"],
                     "the SMs' counters do not sum to the summary's")
        checks.check("/kernels", len(file["kernels/cycles"]) == summary["kernels"] == 2, "not its two kernels")
    checks.prints(["validate", out], "valid")
    checks.prints(["diff", out, out], "same")

    other = checks.folder / "other.h5"
    lookahead.simulate(checks.program, ["histogram", "--size", "tiny", "--seed", "4", "--out", other])
    compared = lookahead.execute(checks.program, ["diff", out, other])
    checks.check("diff", compared.returncode == 4 and compared.stdout.strip(), compared.stdout)

    settings = lookahead.words("-o", ["l1d.ways=16", "sm.warp_scheduler=lrr"])
    lookahead.simulate(checks.program, ["histogram", "--size", "tiny", "--seed", "3", *settings, "--out", other])
    compared = lookahead.execute(checks.program, ["diff", out, other])
    lines = compared.stdout.splitlines()
    checks.check("diff of settings", compared.returncode == 4 and lines[:2] == [
        "/config/l1d.ways: 4 in the first, 16 in the second",
        '/config/sm.warp_scheduler: "gto" in the first, "lrr" in the second'] and lines[2].startswith("/@"), compared.stdout)

    for name, blank in (("one", ""), ("two", "\n")):
        machine = checks.folder / f"{name}.toml"
        machine.write_text(f'inherits = "gtx480"\n{blank}[l1d]\nways = 8\n')
        lookahead.simulate(checks.program, ["vecadd", "--size", "tiny", "--machine", machine, "--out", checks.folder / f"{name}.h5"])
    checks.prints(["diff", checks.folder / "one.h5", checks.folder / "two.h5"], "same results")

    emulated = json.loads(checks.prints(["emulate", "histogram", "--size", "tiny", "--seed", "3", "--json"]))
    checks.check("emulate", emulated["warp_instructions"] == summary["warp_instructions"],
                 f"{emulated['warp_instructions']} warp instructions, {summary['warp_instructions']} with timing")

    file = pathlib.Path(__file__).parent / "ptx" / "endless.ptx"
    stopped = lookahead.simulate(checks.program, ["ptx", "--set", f"file={file}", "--set", "arguments=s32:1", "--out",
                                                  out, "--max-instructions", "5000"])
    checks.check("--max-instructions", stopped["status"] == "stopped" and stopped["warp_instructions"] >= 5000, stopped)


def check_kernel_of_file(checks):
    """A kernel of a file by the names that it has, with arguments at the ends of their types."""
    file = pathlib.Path(__file__).parent / "ptx" / "three_kernels.ptx"
    for name, arguments in (("_Z5scalePffi", "f32[64] f32:2 s32:-2147483648"), ("scale", "u32[64]=4294967295 f32:2 u32:4294967295"),
                            ("scale(float*, float, int)", "s8[256]=-128 f32:-1.5 s32:2147483647"),
                            ("fill(float*, int)", "f32[1] s32:0")):
        done = lookahead.simulate(checks.program, ["ptx", "--set", f"file={file}", "--set", f"kernel={name}", "--set",
                                                   f"arguments={arguments}", "--out", checks.folder / "kernel.h5"])
        checks.check(f"ptx, kernel={name}", done["status"] == "complete" and done["kernels"] == 1, done)
    # The kernel traps unless each member and each element, which a register indexes, is where it should be.
    for more in ([], ["-o", "constant_cache.enabled=false"], ["-o", "sm.issue_extension=pmode", "-o", "pmode.check=true"],
                 ["-o", "sm.issue_extension=dac", "-o", "dac.check=true"], ["-o", "kernel.transform=vecmem"]):
        done = lookahead.simulate(checks.program, ["ptx", "--set", f"file={file.parent / 'structure.ptx'}", "--set",
                                                   "arguments={s32[32],s16:3,f32:1} s32(1000)=10", *more, "--out",
                                                   checks.folder / "kernel.h5"])
        checks.check(f"ptx, parameters that are structures, {more}", done["status"] == "complete", done)


def check_default_output(checks):
    """Nothing that the command line does not name is overwritten."""
    folder = checks.folder / "names"
    folder.mkdir()

    def result_of(*more):
        done = subprocess.run([checks.program.resolve(), "run", "vecadd", "--size", "tiny", "--progress", "none", *more],
                              cwd=folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout.rsplit("result: ", 1)[-1].strip()

    checks.check("first result", result_of() == (0, "vecadd.h5"), None)
    before = (folder / "vecadd.h5").stat().st_ino
    for name in ("vecadd-2.h5", "vecadd-3.h5"):
        found = result_of()
        checks.check(f"next result, {name}", found == (0, name), found)
    checks.check("the first is as it was", (folder / "vecadd.h5").stat().st_ino == before, None)
    for more in (["--force"], ["--out", "vecadd.h5"]):
        found = result_of(*more)
        checks.check(f"{more}", found == (0, "vecadd.h5, replacing an earlier file"), found)
        after = (folder / "vecadd.h5").stat().st_ino
        checks.check(f"{more}: the file is another one", after != before, None)
        before = after
    checks.check("all results", len(list(folder.iterdir())) == 3, list(folder.iterdir()))


def check_meanwhile(checks):
    """Nor is a file overwritten that appeared there during the run."""
    folder = checks.folder / "meanwhile"
    folder.mkdir()
    process = lookahead.start(checks.program, [*lookahead.LONG_RUN, "--progress", "none", "--json"], cwd=folder)
    lookahead.wait_until_simulating(process)
    (folder / "sgemm.h5").write_text("another run's")
    out, errors = process.communicate(timeout=lookahead.PATIENCE)
    checks.check("its name", process.returncode == 0 and json.loads(out)["out"] == "sgemm-2.h5", out + errors)
    checks.check("the other's", (folder / "sgemm.h5").read_text() == "another run's", "it was overwritten")
    files = sorted(path.name for path in folder.iterdir())
    checks.check("both results", files == ["sgemm-2.h5", "sgemm.h5"], files)


def check_files_of_others(checks):
    """A file in an output's place is replaced only if it is of the output's kind, or by --force; a device never is."""
    folder = checks.folder / "others"
    folder.mkdir()
    (folder / "link").symlink_to("/dev/full")
    checks.prints(["run", "vecadd", "--size", "tiny", "--progress", "none", "--out", folder / "run.h5"])
    writers = {
        "result": ["run", "vecadd", "--size", "tiny", "--progress", "none", "--out"],
        "trace": ["run", "vecadd", "--size", "tiny", "--progress", "none", "--out", folder / "traced.h5", "--trace"],
        "capture": ["capture", "--workload", "vecadd", "--size", "tiny", "--out"],
        "page": ["report", folder / "run.h5", "--python", sys.executable, "--out"],
    }
    for kind, line in writers.items():
        for place in ("/dev/full", "/dev/null", folder / "link"):
            for more in ([], ["--force"]):
                checks.refuses([*line, place, *more], 3, f"{place}: is not a regular file")
        thesis = folder / f"{kind}.html"
        thesis.write_text("a thesis")
        checks.refuses([*line, thesis], 3, f"{thesis}: the existing file is not ")
        checks.check(f"{kind}: the file stays", thesis.read_text() == "a thesis", "it was replaced")
        for more in (["--force"], []):
            checks.succeeds([*line, thesis, *more])
            checks.check(f"{kind} {more}: it is replaced", b"a thesis" not in thesis.read_bytes(), "it was not")
        checks.refuses([*line, folder / "none" / "x.html"], 3, "No such file or directory")
    checks.check("nothing else is there", not list(folder.glob("*.partial")), list(folder.iterdir()))
    reference = folder / "reference"
    reference.mkdir()
    (reference / "README.md").write_text("# My project")
    checks.refuses(["describe", "--markdown", reference], 3, "has files, and no README.md of this reference")
    checks.check("README.md stays", (reference / "README.md").read_text() == "# My project", "it was replaced")
    for more in (["--force"], []):
        checks.prints(["describe", "--markdown", reference, *more])


def check_lost_output(checks):
    """Output that cannot be printed is an error, even if all else is well."""
    out = checks.folder / "unprinted.h5"
    for line in (["run", "vecadd", "--size", "tiny", "--progress", "none", "--out", out, "--json"], ["list", "workloads"], ["--help"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([checks.program, *line], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        said = done.stderr.splitlines()
        checks.check(f"{line[0]} > /dev/full", done.returncode == 3 and len(said) == 1 and "stdout cannot be written" in said[0],
                     f"exit {done.returncode}: {done.stderr}")
    checks.check("its result", out.exists(), "it is not there")


def check_partition(checks):
    plain, logged, other = checks.folder / "plain.h5", checks.folder / "logged.h5", checks.folder / "other_machine.h5"
    tiny = ["run", "histogram", "--size", "tiny", "--json"]
    before = json.loads(checks.prints([*tiny, "--out", plain]))
    for ranks in (0, 2):
        again = json.loads(checks.prints([*tiny, "--out", logged, "--log-windows", "--weights", plain], ranks=ranks))
        checks.check("--weights", again["state_hash"] == before["state_hash"], "the measured partition changed results")
        checks.prints(["validate", logged], "valid")
        prediction = ["partition", "--ranks", "4", "--weights", plain, "--predict", logged]
        checks.prints(prediction, "critical path", "speed-up")
        near, far = (json.loads(checks.prints([*prediction, "--threads", "2", "--json", "--latency-us", latency]))
                     for latency in ("1", "100"))
        checks.check("--predict --json", far["predicted_s"] > near["predicted_s"] > near["critical_path_s"] > 0, near)
    checks.prints([*tiny, "-o", "gpu.sms=4", "--out", other])
    with h5py.File(logged, "r+") as file:
        windows = file["engine/per_window"]
        kept = windows["compute_ns"][:-1]
        del windows["compute_ns"]
        windows["compute_ns"] = kept
    for arguments, fragment in ((["--predict", plain], "--log-windows"), (["--weights", other], "sm4"),
                                (["--predict", other], "another machine"), (["--predict", logged], "damaged")):
        checks.refuses(["partition", *arguments], 3, fragment)


def check_profile(checks):
    """Registers of a kernel at falling limits, as a table and as JSON, which agree."""
    arguments = ["profile", "registers", "hotspot", "--kernel", "hotspot"]
    text = checks.prints(arguments, "hotspot: r_default ", "(least without spills), least ")
    profiles = json.loads(checks.prints([*arguments, "--json"]))
    checks.check("profile", [list(profile) for profile in profiles] == [PROFILE], profiles)
    profile, limits = profiles[0], profiles[0]["limits"]
    checks.check("limits", all(list(limit) == LIMIT for limit in limits), limits[:1])
    rows = [[int(cell) for cell in line.split()] for line in text.splitlines()[2:]]
    checks.check("table", rows == [list(limit.values()) for limit in limits], text)
    base = [limit for limit in limits if limit["spill_bytes"] == 0][-1]
    checks.check("r_default", profile["r_default"] == limits[0]["registers"], profile["r_default"])
    checks.check("r_base", profile["r_base"] == base["registers"], profile["r_base"])
    checks.check("r_least", profile["r_least"] == limits[-1]["registers"] < profile["r_base"], profile["r_least"])
    checks.check("falling limits", all(high["registers"] > low["limit"] >= low["registers"]
                                       for high, low in zip(limits, limits[1:])), limits)
    checks.check("spills", all((limit["spill_bytes"] > 0) == (limit["spill_loads"] + limit["spill_stores"] > 0)
                               for limit in limits), limits)
    checks.prints(["profile", "code", "hotspot"], "// hotspot: ", "EXIT ;")


def check_vectors(checks):
    """Private traffic at falling registers: none at r_base, some below; impossible numbers of registers."""
    arguments = ["profile", "vectors", "hotspot", "--size", "tiny"]
    checks.prints(arguments, "registers 1 of r_base", "registers 0.5 of r_base", "generic")
    points = json.loads(checks.prints([*arguments, "--registers", "1", "0.5", "8", "--json"]))["points"]
    checks.check("points", [point["registers"] for point in points] == ["1", "0.5", "8"], points)
    whole, half, eight = (point["kernels"][0] for point in points)
    accesses = [sum(each["loads"].values()) + sum(each["stores"].values()) for each in (whole, half, eight)]
    checks.check("r_base", whole["registers"] == whole["r_base"] and accesses[0] == 0, whole)
    checks.check("half of r_base", half["limit"] == (half["r_base"] + 1) // 2 and accesses[1] > 0, half)
    checks.check("eight registers", eight["limit"] == 8 and eight["registers"] <= 8 and accesses[2] > 0, eight)
    shared = json.loads(checks.prints(["run", "hotspot", "--size", "tiny", "-o", "finaliser.register_share=0.5", "--json", "--out",
                                       checks.folder / "vectors.h5"]))
    checks.check("finaliser.register_share", shared["outputs"] == "match" and
                 shared["warp_instructions"] == half["warp_instructions"], shared)
    for wrong in ("0", "abc", "1.5", "256"):
        checks.refuses([*arguments, "--registers", wrong], 2, "2 to 255")


def check_explain(checks):
    """What a transform does to a kernel, side by side and counted; transforms and kernels that do not exist."""
    text = checks.prints(["explain", "--transform", "dac", "vecadd:vecadd"], "// vecadd\n", "ENQ.DATA.GLOBAL", "[deq.data]",
                         "dac.decoupled", "dac.affine")
    heading = text.splitlines()[1].split()
    checks.check("heading", heading[:3] == ["original", "kernel", "affine"], heading)
    summary = ["explain", "--transform", "dac", "--summary", "vecadd"]
    checks.prints(summary, "vecadd: 1 kernels, ", "dac.decoupled 2 (100.0 %)")
    (row,) = json.loads(checks.prints([*summary, "--json"]))
    checks.check("loads", row["groups"]["loads"]["all"] == row["groups"]["loads"]["tags"]["dac.decoupled"], row)
    checks.check("gone", 0 < row["gone"]["warps"] < row["all"]["warps"], row)
    untouched = json.loads(checks.prints(["explain", "--transform", "none", "--summary", "vecadd", "--json"]))
    checks.check("none", untouched[0]["gone"]["warps"] == 0, untouched)
    for arguments, code, fragment in ((["--transform", "dac", "vecadd:nothing"], 3, "has no kernel nothing"),
                                      (["--transform", "dcc", "vecadd"], 2, "dac"),
                                      (["--transform", "dac"], 2, "KERNEL is missing"),
                                      (["--native"], 2, "KERNEL is missing"),
                                      (["--native", "vecadd", "--json"], 2, "--native takes neither"),
                                      (["--native", "vecadd", "--transform", "dac"], 2, "--native takes neither"),
                                      (["--transform", "dac", "vecadd", "--json"], 2, "--summary")):
        checks.refuses(["explain", *arguments], code, fragment)
    checks.refuses(["emulate", "vecadd", "--size", "tiny", "-o", "kernel.transform=dac"], 4, "takes values from queues")
    checks.refuses(["run", "vecadd", "--size", "tiny", "-o", "kernel.transform=dac"], 2, "no extension")


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, CommandChecks, check_catalogue, check_lists, check_version, check_links, check_options_of_several_values, check_files_of_others, check_configuration,
                                  check_engine, check_run, check_kernel_of_file, check_default_output, check_meanwhile, check_lost_output,
                                  check_partition, check_profile, check_vectors, check_explain))
