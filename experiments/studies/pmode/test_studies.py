#!/usr/bin/env python3
"""P-mode's studies: each is planned, and two run on workloads of size tiny: pmode/limits on two workloads with four limits,
and pmode/designs on one with and without P-mode, from plan to figures, which are checked against the points' files;
of pmode/sizes the two halves of P-mode."""
# A long test.

import math
import pathlib
import re
import sys

import h5py

STUDIES = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(STUDIES.parents[2] / "tests/support"))
import lookahead_process as lookahead  # noqa: E402

WORKLOADS = {"matrixMul": "matrixMul", "spmv": "spmv (SV)"}
LIMITS = ["base", "TB2", "2 CTAs", "2xTLP"]
SCHEDULER_CAUSES = ["long_latency", "memory_unit_full", "short_latency", "unit_full", "buffer_empty", "barrier",
                    "no_instruction_left", "constant_wait", "fence"]


def reduced(name, workloads, values=None):
    """The text of a study with these workloads, of size tiny, and these values of its axes; None: all."""
    text = lookahead.tiny_study(STUDIES / f"{name}.toml", workloads)
    for entry in re.findall(r'\[\[axis\.value\]\]\nname = "[^"]*"\n(?:options = .*\n)?', text):
        if values is not None and re.search(r'name = "([^"]*)"', entry).group(1) not in values:
            text = text.replace(entry, "")
    return text


def limits():
    text = reduced("limits", WORKLOADS, LIMITS)
    text = text.replace('values = ["TB2", "TB4", "TB6", "TB8", "TB12", "TB16"]', 'values = ["TB2"]')
    return text.replace('values = ["base", "2 CTAs", "4 CTAs", "6 CTAs"]', 'values = ["base", "2 CTAs"]')


class StudyChecks(lookahead.Checks):
    def near(self, name, shown, value):
        self.check(name, math.isclose(float(shown), value, abs_tol=0.0006), f"{shown} shown, {value} in the file")

    def sweep(self, name, text, points):
        """Plans, runs and collects; returns the points' files by workload and value of the study's one axis."""
        study, folder = self.folder / f"{name}.toml", self.folder / name
        study.write_text(text)
        plan = self.succeeds(["sweep", "plan", study])
        self.check(f"plan {name}", f"{points} points of size tiny" in plan, plan)
        done = self.succeeds(["sweep", "run", study, "--out", folder, "--jobs", "2", "--progress", "none"])
        self.check(f"run {name}", f"{points} complete, 0 failed" in done, done)
        self.succeeds(["sweep", "collect", study, "--out", folder])
        self.succeeds(["validate", folder / "index.h5"])
        with h5py.File(folder / "index.h5") as index:
            axis = "limit" if "limit" in index["points"] else "design"
            table = [index["points"][column].asstr()[:] for column in ("workload", axis, "file")]
        return {(workload, value): h5py.File(folder / file) for workload, value, file in zip(*table)}

    def figure(self, sweep, name):
        """Rows of the table that the report prints, by their label."""
        rows = {}
        for line in self.succeeds(["report", self.folder / sweep, "--figure", f"pmode/{name}", "--python",
                                   sys.executable]).splitlines():
            label = re.match(r"(\S+ CTAs|mean, \S+|\S+( \([A-Z]\w\))?) +(.*)", line)
            if label:
                rows[label.group(1)] = label.group(3).split()
        return rows


def sum_of(run, kind, name):
    return float(run[f"counters/{kind}/{name}"][:].sum())


def rows_held(run):
    """Rows of the register file of the resident CTAs: one kernel, so one shape of CTA."""
    kernels = run["kernels"]
    threads = int(kernels["block_x"][0]) * int(kernels["block_y"][0]) * int(kernels["block_z"][0])
    registers = (int(kernels["registers"][0]) + 1) // 2 * 2  # in units of 64 registers of a warp
    return sum_of(run, "sm", "cta_cycles") / sum_of(run, "sm", "active_cycles") * -(-threads // 32) * registers


def check_limits(checks):
    points = checks.sweep("limits", limits(), len(WORKLOADS) * len(LIMITS))
    fig2, fig3, fig4, fig7, opttb = (checks.figure("limits", name) for name in ("fig2", "fig3", "fig4", "fig7", "opttb"))
    cycles = {}
    for workload, label in WORKLOADS.items():
        runs = {limit: points[workload, limit] for limit in LIMITS}
        cycles[workload] = {limit: float(run.attrs["cycles"]) for limit, run in runs.items()}
        base = runs["base"]
        causes = base["counters/sm_scheduler"]
        occupied = sum(float(causes[name][:].sum()) for name in causes if name not in ("component", "no_cta"))
        long_latency = float(base["counters/sm/long_latency"][:].sum())
        short_waits = float(causes["memory_wait"][:].sum()) - long_latency
        stalls = {name: float(causes[name][:].sum()) / occupied for name in SCHEDULER_CAUSES if name != "long_latency"}
        stalls["long_latency"] = long_latency / occupied
        stalls["short_latency"] += short_waits / occupied
        checks.near(f"fig2 {workload}", fig2[label][0], stalls["long_latency"])
        checks.near(f"fig2 {workload}, LSU full", fig2[label][1], stalls["memory_unit_full"])
        checks.near(f"fig2 {workload}, other", fig2[label][2], sum(stalls.values()) - stalls["long_latency"] -
                    stalls["memory_unit_full"])
        checks.check(f"largest stall of {workload}", fig2[label][4] == max(stalls, key=stalls.get), fig2[label])
        for column, limit in enumerate(LIMITS):
            checks.near(f"fig3 {workload}, {limit}", fig3[label][column],
                        cycles[workload][limit] / cycles[workload]["base"])
        checks.near(f"fig7 {workload}", fig7[label][0], rows_held(base) / 1024)
        best = min(("base", "2 CTAs"), key=lambda limit: cycles[workload][limit])
        checks.near(f"OptTB in limits of {workload}", opttb[label][1], cycles[workload]["base"] / cycles[workload][best])
        checks.check(f"OptTB of {workload}", opttb[label][2] == "TB2", opttb[label])
    for limit in LIMITS:
        rows = sum(rows_held(points[workload, limit]) for workload in WORKLOADS) / len(WORKLOADS)
        checks.check(f"fig4 {limit}", math.isclose(float(fig4[limit][0]), rows * 128 / 1024, abs_tol=0.0006), fig4)
        speedup = math.prod(cycles[w]["base"] / cycles[w][limit] for w in WORKLOADS) ** (1 / len(WORKLOADS))
        checks.near(f"fig4 {limit}, speed-up", fig4[limit][3], speedup)


def check_designs(checks):
    points = checks.sweep("designs", reduced("designs", ["spmv"], ["base", "pmode"]), 2)
    base, pmode = points["spmv", "base"], points["spmv", "pmode"]
    speedup = checks.figure("designs", "fig12")["spmv (SV)"]
    checks.near("fig12", speedup[0], base.attrs["cycles"] / pmode.attrs["cycles"])
    switches = sum_of(pmode, "pmode", "switches")
    checks.check("P-mode was entered", switches > 0, switches)
    row = checks.figure("designs", "fig10")["spmv (SV)"]
    checks.near("fig10, pre-executed", row[0], sum_of(pmode, "pmode", "executed") / switches)
    checks.near("fig10, skipped", row[1], sum_of(pmode, "pmode", "skips") / switches)


def check_reuse_only(checks):
    """pmode.pre_loads=false: instructions are reused, and no line comes before its load."""
    points = checks.sweep("sizes", reduced("sizes", ["spmv"], ["NoPQ", "reuse only"]), 2)
    pre_loading, reusing = points["spmv", "NoPQ"], points["spmv", "reuse only"]
    for run, pre_loads, reuse in ((pre_loading, True, False), (reusing, False, True)):
        checks.check("pre-loads", (sum_of(run, "lsu", "pre_loads") > 0) == pre_loads, sum_of(run, "lsu", "pre_loads"))
        checks.check("reuse", (sum_of(run, "pmode", "reused") > 0) == reuse, sum_of(run, "pmode", "reused"))
        checks.check("skipped loads", (sum_of(run, "pmode", "skipped_pre_load") > 0) != pre_loads)


def check_plans(checks):
    others = sorted(file.stem for file in STUDIES.glob("*.toml") if file.stem not in ("limits", "designs", "sizes", "map"))
    checks.check("the other studies", "memory" in others, others)
    for other in others:
        study = checks.folder / f"{other}.toml"
        study.write_text(reduced(other, ["spmv"]))
        checks.succeeds(["sweep", "plan", study])


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, StudyChecks, check_limits, check_designs, check_reuse_only, check_plans))
