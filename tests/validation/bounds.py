#!/usr/bin/env python3
"""Checks bounds and sums that hold in every run's result file, on all workloads and some machines:

- where the cycles go: for every SM, epoch and kernel the causes sum to the scheduler's cycles, exactly;
- counts by kernels and by epochs sum to the run's totals;
- the stages of sampled memory latencies sum to the whole, and none is shorter than the machine allows;
- nothing beats its machine's roofline: issue, each class of arithmetic, shared memory, L1, crossbar, L2, DRAM.

`--all` runs every workload at size tiny, or `--size`, with both write policies of L1. `--check FILE...` checks files of
earlier runs instead. Prints what is broken; exit code 1 if anything is."""

import pathlib
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests" / "support"), str(ROOT / "experiments" / "analysis")]
import lookahead_process as lookahead  # noqa: E402
from lookahead_analysis import Run  # noqa: E402

LINE_BYTES = 128
RUNS = [(workload, "gtx480", ()) for workload in ("vecadd", "sgemm", "hotspot", "histogram", "bfs")]
RUNS += [("vecadd", "pmode_fermi", ()), ("histogram", "caps_fermi", ("sm.warp_scheduler=two_level",)),
         ("bfs", "dac_gtx480", ("l1d.write_policy=write_through",)), ("libor", "gtx480", ())]
# Texture fetches that miss, a thousand of them.
TEXTURES = ["ptx", "--set", f"file={ROOT / 'tests' / 'validation' / 'ptx' / 'texture_ring.ptx'}", "--set", "block=32",
            "--set", "grid=1", "--set", "arguments=u64[16]=0 u32[8192]=0 u32:256 u32:1024"]


def all_runs(program):
    """Every workload under both policies."""
    return [(name, "gtx480", (f"l1d.write_policy={policy}",)) for name in lookahead.workloads(program)
            for policy in ("write_evict", "write_through")]


class Checks:
    def __init__(self, name):
        self.name = name
        self.count = 0
        self.broken = []

    def equal(self, what, left, right):
        self.count += 1
        if not np.array_equal(left, right):
            self.broken.append(f"{self.name}: {what}: {np.asarray(left)} is not {np.asarray(right)}")

    def at_most(self, what, used, limit):
        self.count += 1
        if np.any(np.asarray(used) > np.asarray(limit)):
            self.broken.append(f"{self.name}: {what}: {np.asarray(used)} exceeds {np.asarray(limit)}")


def stalls_sum_to_cycles(run, checks):
    schedulers = run.config_value("sm.schedulers")
    totals = run.counters("sm")["cycles"]
    by_scheduler = run.counters("sm_scheduler").sum(axis=1)
    checks.equal("causes over the run", by_scheduler.to_numpy(), np.repeat(totals.to_numpy(), schedulers))

    stalls = run.stalls.sum(axis=1).unstack("component")
    cycles = run.series("sm", "cycles")
    checks.equal("causes over each epoch", stalls[cycles.columns].to_numpy(), schedulers * cycles.to_numpy())
    issued = run.stalls["issued"].unstack("component")[cycles.columns]
    checks.equal("issued cycles over each epoch", issued.to_numpy(), run.series("sm", "warp_instructions").to_numpy())

    kernels = run.kernel_counters
    causes = [name for name in kernels.columns if name.startswith("sm_scheduler.")]
    checks.equal("causes over each kernel", kernels[causes].sum(axis=1).to_numpy(),
                 schedulers * kernels["sm.cycles"].to_numpy())
    # An SM begins a kernel the dispatcher's latency after the dispatcher, and ends it equally long before; it counts
    # both its first and its last cycle.
    sms = len(totals)
    latency = run.config_value("dispatcher.latency")
    outside = sms * run.kernels["cycles"].to_numpy() - kernels["sm.cycles"].to_numpy()
    checks.at_most("the dispatcher's latency outside of each kernel", np.full(len(kernels), sms * (2 * latency - 1)), outside)


def parts_sum_to_totals(run, checks):
    kernels = run.kernel_counters
    checks.equal("warp instructions of the kernels", kernels["sm.warp_instructions"].to_numpy(),
                 run.kernels["warp_instructions"].to_numpy())
    for kind in run.counter_kinds:
        totals = run.counters(kind).sum()
        for name in totals.index:
            column = f"{kind}.{name}"
            if column in kernels.columns:
                parts = kernels[column].sum()
                if kind.startswith("sm") or kind in ("lsu", "l1d"):  # nothing happens there outside of kernels
                    checks.equal(f"{column} over the kernels", parts, totals[name])
                else:
                    checks.at_most(f"{column} over the kernels", parts, totals[name])
    for kind in run.series_kinds:
        for name in run.series_names(kind):
            checks.equal(f"{kind}.{name} over the epochs", run.series(kind, name).sum().to_numpy(),
                         run.counters(kind)[name].to_numpy())


def roofline(run, checks):
    config = run.config_value
    sm, scheduler = run.counters("sm"), run.counters("sm_scheduler")
    cycles = sm["cycles"].to_numpy()
    checks.at_most("warp instructions against schedulers", sm["warp_instructions"], config("sm.schedulers") * cycles)
    checks.equal("issued cycles", scheduler["issued"].sum(), sm["warp_instructions"].sum())
    checks.at_most("thread instructions against lanes", sm["thread_instructions"], 32 * sm["warp_instructions"])

    # A unit is taken for an initiation interval at each issue; the last one may reach past the end of the kernel.
    def busy(classes):
        return sum(sm[each] * config(f"sm.timing.{each}_initiation") for each in classes)
    slack = {units: sm["launches"] * config(f"sm.{units}") * 200 for units in ("sp_units", "sfu_units", "dp_units")}
    units = {"sp_units": ("integer", "integer_min_max", "integer_multiply", "integer_mad", "fp32_add", "fp32_min_max",
                          "fp32_multiply", "fp32_fma"),
             "sfu_units": ("integer_divide", "fp32_divide", "special"),
             "dp_units": ("fp64_add", "fp64_multiply", "fp64_fma", "fp64_divide")}
    for name, classes in units.items():
        checks.at_most(f"initiation intervals of {name}", busy(classes), config(f"sm.{name}") * cycles + slack[name])

    lsu = run.counters("lsu")
    checks.at_most("accesses of the load/store unit, one a cycle",
                   lsu["global_accesses"] + lsu["shared_accesses"] + lsu["shared_conflict_cycles"], cycles)
    issued = sm[[name for name in sm if name.startswith(("load_", "store_", "atomic_"))]].sum(axis=1)
    checks.at_most("memory instructions, one a cycle", issued.to_numpy(), cycles)

    flits = run.counters("injection_port")["flits"], run.counters("ejection_port")["flits"]
    elapsed = run.kernels["cycles"].sum()
    for direction, each in zip(("sent", "taken"), flits):
        checks.at_most(f"flits {direction}, one a cycle and port", each.to_numpy(), elapsed)

    slices = run.counters("l2_slice")
    requests = slices["reads"] + slices["writes"] + slices["atomics"]
    checks.at_most("requests of an L2 slice, one a cycle", requests, elapsed)
    dram = run.counters("dram")
    ratio = config("dram.frequency") / config("sm.frequency")
    seconds = run.summary["time_fs"] * 1e-15
    checks.at_most("cycles of data on a DRAM channel's bus", dram["data_bus_cycles"], seconds * config("dram.frequency"))
    per_cycle = config("dram.chips") * config("dram.chip_bytes") * config("dram.data_rate")
    lines = dram["reads"].sum() + dram["writes"].sum()
    peak = len(dram) * per_cycle * ratio
    # Write-backs go on after a kernel, up to the contents of the DRAM's queues.
    most_left = len(dram) * (config("dram.queue_entries") + 64) * LINE_BYTES * len(run.kernels)
    checks.at_most("bytes of DRAM", lines * LINE_BYTES, peak * elapsed + most_left)


STAGES = ["miss_queue", "network_there", "l2", "dram_queue", "dram", "network_back", "fill"]


def latency_stages(run, checks):
    """The stages of each sample sum to its time; none is shorter than the configuration's fixed part of it."""
    samples, config = run.latency, run.config_value
    checks.at_most("one sample at least where reads missed", int(run.counters("lsu")["loads"].sum() > 0 and
                   run.counters("l1d")["fills"].sum() > 0), len(samples))
    cycle = 1e15 / config("sm.frequency")
    stages = samples[STAGES]
    checks.equal("latency of the stages", stages.sum(axis=1), samples["end_fs"] - samples["start_fs"])
    least = {"miss_queue": 0, "network_there": config("crossbar.request_latency"), "l2": 0, "dram_queue": 0, "dram": 0,
             "network_back": config("crossbar.reply_latency") + config("l2.data_latency"),
             "fill": 0}
    for stage, cycles in least.items():
        checks.at_most(f"the least latency of {stage}", cycles * cycle - 1, stages[stage])
    checks.at_most("the most latency of fill", stages["fill"], config("l1d.fill_latency") * cycle + 1)
    of_loads = samples["source"].isin(["global", "local"])
    checks.at_most("the least latency of fill of L1", config("l1d.fill_latency") * cycle - 1, stages.loc[of_loads, "fill"])
    # Each first miss of a source is a sample.
    for source, kind, counter in (("global", "l1d", "misses_demand"), ("texture", "texture", "misses"),
                                  ("local", "l1d", "local_misses"), ("constant", "lsu", "constant_fills")):
        if kind in run.counter_kinds:
            missed = run.counters(kind)[counter]
            if source == "global":
                missed = missed - run.counters(kind)["local_misses"]
            checks.equal(f"SMs with samples of {source}", samples.loc[samples["source"] == source, "sm"].nunique(),
                         int((missed > 0).sum()))
    of_dram = samples["served"] == "dram"
    checks.equal("latency of DRAM without an access to it",
                 samples.loc[~of_dram, ["dram_queue", "dram"]].to_numpy().sum(), 0)
    command = config("dram.cl") / config("dram.frequency") * 1e15
    checks.at_most("the least latency of DRAM", config("dram.fixed_latency") * cycle + command,
                   samples.loc[of_dram, "dram"])


def check_file(path, name):
    checks = Checks(name)
    with Run(path) as run:
        for group in (stalls_sum_to_cycles, parts_sum_to_totals, latency_stages, roofline):
            group(run, checks)
    return checks


def main() -> int:
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--size", help="of the workloads; small, or tiny with --all")
    parser.add_argument("--all", action="store_true", help="run every workload with both write policies of L1")
    parser.add_argument("--check", type=pathlib.Path, nargs="+", help="check these result files")
    arguments = parser.parse_args()

    done = [check_file(path, path.name) for path in arguments.check or []]
    if not arguments.check:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "run.h5"
            runs, size = (all_runs(arguments.program), "tiny") if arguments.all else (RUNS, "small")
            for workload, machine, options in runs:
                lookahead.simulate(arguments.program, [workload, "--size", arguments.size or size, "--machine", machine,
                                                       "--out", file, *lookahead.words("-o", options)])
                done.append(check_file(file, " ".join((workload, "on", machine, *options))))
            lookahead.simulate(arguments.program, [*TEXTURES, "--out", file])
            done.append(check_file(file, "texture_ring"))
    broken = [line for checks in done for line in checks.broken]
    print("\n".join(broken))
    print(f"{sum(checks.count for checks in done)} checks on {len(done)} runs, {len(broken)} broken")
    return 1 if broken or not done else 0


if __name__ == "__main__":
    sys.exit(main())
