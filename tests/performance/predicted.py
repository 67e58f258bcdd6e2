#!/usr/bin/env python3
"""Predicts the times of many ranks and threads, and measures the errors of predictions.

    predicted.py blind                  # predictions and measurements of all that two cores can run; needs an idle machine
    predicted.py strong weak            # one GPU on more and more cores; a GPU that grows with the cores

`partition --predict` goes through the windows that a run on one core has logged. The costs of ranks and threads are options:
`blind` measures them on workloads that it does not predict, the other studies take the command's defaults. `blind` also measures
for each workload how much two busy cores slow each other down at that minute, by two independent runs at once. --update writes
the tables into SCALING.md.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

PAGE = pathlib.Path(__file__).with_name("SCALING.md")
WORKLOADS = ["sgemm", "bfs", "hotspot", "histogram", "spmv", "fft", "stencil", "srad_v2"]
CALIBRATION = ["kmeans", "pathfinder", "lud"]
# Threads and ranks of a run, as `run` takes them.
ONE_THREAD = (1, 0)
WAYS = {"two threads": (2, 0), "two ranks": (1, 2)}
# Ranks, nodes, threads of a rank.
STRONG = [(1, 1, 1), (1, 1, 16), (16, 1, 1), (2, 2, 16), (4, 4, 16), (64, 4, 1), (8, 8, 16)]
STRONG_WORKLOADS = ("sgemm", "vecadd", "bfs")
WITH_KERNELS_ALONE = ("vecadd",)
SHORT = 2
LOGS_OF_LONG = 3
WEAK = [1, 16, 64, 256, 1024]
SMS_A_CHANNEL = 4  # about v100's, and no more channels for 1 024 SMs than there can be


def engine_seconds(path):
    """Seconds of the slowest rank, from the first window to the last."""
    with h5py.File(path) as file:
        ranks = file["engine/compute_seconds"][:] + file["engine/blocked_seconds"][:]
    return max(ranks)


def run(program, words, out, ranks=0):
    lookahead.simulate(program, [*words, "--out", out], ranks, timeout=1800, placement=lookahead.ON_CORES)
    return engine_seconds(out)


def predict(program, log, machine, ranks, nodes, threads, costs=()):
    done = lookahead.execute(program, ["partition", "by_kind", *machine, "--ranks", ranks, "--nodes", nodes, "--threads", threads,
                                       "--weights", log, "--predict", log, "--json", *costs], timeout=1800)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)


def processes_seconds(path):
    """Seconds of all logical processes."""
    with h5py.File(path) as file:
        return file["engine/per_process/compute_seconds"][:].sum()


def slowdown_of_cores(program, words, alone, folder):
    """Time of the processes of two independent runs at once, over that of the single run whose file is given."""
    both = [folder / "first.h5", folder / "second.h5"]
    lookahead.two_at_once(program, [*words, "--threads", "1"], both)
    return statistics.mean(map(processes_seconds, both)) / processes_seconds(alone)


def run_way(program, words, way, weights, out):
    threads, ranks = way
    placed = ["--partition", "by_kind", "--weights", weights] if ranks else []
    return run(program, [*words, "--threads", threads, *placed], out, ranks)


def calibrate(program, size, machine, folder, repeats):
    """Cost of all processes on two threads and on two ranks, over their cost in two independent runs at once, each of
    whose cores holds all processes; and the time of an empty window on two ranks."""
    gains, windows = {way: [] for way in WAYS}, []
    alone = folder / "alone.h5"
    for _ in range(repeats):
        for workload in CALIBRATION:
            words = [workload, "--size", size, *machine]
            run(program, [*words, "--threads", "1"], alone)
            slowdown = slowdown_of_cores(program, words, alone, folder)
            for way, ratios in gains.items():
                run_way(program, words, WAYS[way], alone, folder / "two.h5")
                ratios.append(processes_seconds(folder / "two.h5") / processes_seconds(alone) / slowdown)
        bench = lookahead.execute(program, ["bench", "window", "--windows", "200000", "--json"], 2,
                                  placement=lookahead.ON_CORES)
        windows.append(json.loads(bench.stdout)["window_us"])
    part = statistics.median(windows) / 3  # sending, its way, receiving
    return {way: statistics.median(ratios) for way, ratios in gains.items()}, part


def costs_of(gain, slowdown, part):
    """The costs as options of `partition`. A way has threads or ranks."""
    costs = {"--core-slowdown": gain * slowdown, "--rank-slowdown": gain * slowdown, "--packet-us": part, "--local-latency-us": part}
    return [str(word) for option, value in costs.items() for word in (option, f"{value:.3f}")]


def blind(arguments, folder):
    machine = ["--machine", arguments.machine]
    program = arguments.program
    gains, part = calibrate(program, arguments.size, machine, folder, arguments.repeats)
    told = ", ".join(f"{way} {gain:.3f}" for way, gain in gains.items())
    yield (f"Machine {arguments.machine}, size {arguments.size}; medians of {arguments.repeats} runs in turn: measured, predicted, error. "
           f"Relative to two independent runs, the processes of {', '.join(CALIBRATION)} take: {told}; a packet takes {part:.3f} us "
           "(`bench window`). \"Two at once\" is the speed of two independent runs at once over that of one alone.")
    yield ""
    ways = {"one thread": ONE_THREAD, **WAYS}
    yield "| workload | two at once | " + " | ".join(f"{way}, s" for way in ways) + " |"
    yield "|---|---|" + "---|" * len(ways)
    errors = {way: [] for way in ways}
    for workload in WORKLOADS:
        words = [workload, "--size", arguments.size, *machine]
        slowdowns = []
        measured, predicted = ({way: [] for way in ways} for _ in range(2))
        for _ in range(arguments.repeats):
            log = folder / "log.h5"
            run(program, [*words, "--threads", "1", "--log-windows"], log)
            slowdowns.append(slowdown_of_cores(program, words, log, folder))
            for name, way in ways.items():
                threads, ranks = way
                costs = costs_of(gains.get(name, 1), slowdowns[-1], part)
                measured[name].append(run_way(program, words, way, log, folder / "run.h5"))
                predicted[name].append(predict(program, log, machine, max(ranks, 1), 1, threads, costs)["predicted_s"])
        cells = [f"{2 / statistics.median(slowdowns):.2f}"]
        for way in ways:
            error = statistics.median(p / m for p, m in zip(predicted[way], measured[way])) - 1
            errors[way].append(abs(error))
            cells.append(f"{statistics.median(measured[way]):.3f}, {statistics.median(predicted[way]):.3f}, {error:+.1%}")
        yield f"| {workload} | " + " | ".join(cells) + " |"
    yield "| mean error, largest | | " + " | ".join(f"{statistics.mean(of):.1%}, {max(of):.1%}" for of in errors.values()) + " |"
    yield ""
    flat = [error for of in errors.values() for error in of]
    yield f"Mean error {statistics.mean(flat):.1%}, largest {max(flat):.1%}, of {len(flat)}."


def cores(ranks, nodes, threads):
    return f"{ranks * threads} ({nodes} node{'s' * (nodes > 1)}, {ranks} rank{'s' * (ranks > 1)} x {threads})"


def median_log(logs, out):
    """The logs of runs of one kind have the same windows, with the same work for each process in each: `out` gets the
    medians of their times, which contain no time that another program took from the core in only one run."""
    shutil.copy(logs[0], out)
    times = []
    for log in logs:
        with h5py.File(log) as file:
            times.append(file["engine/per_window/compute_ns"][:])
    with h5py.File(out, "r+") as file:
        file["engine/per_window/compute_ns"][:] = numpy.median(times, axis=0)


def keep_kernels(log, kernels):
    """The log without the windows outside of kernels: those of copies, and of the host's waiting for them."""
    shutil.copy(log, kernels)
    with h5py.File(kernels, "r+") as file:
        group = file["engine/per_window"]
        start = group["start_fs"][:]
        keep = numpy.zeros(len(start), bool)
        for begin, end in zip(file["kernels/start_fs"][:], file["kernels/end_fs"][:]):
            keep |= (start >= begin) & (start < end)
        for name in ("compute_ns", "start_fs"):
            kept = group[name][:][keep]
            del group[name]
            group[name] = kept


def message_bytes(program, words, folder):
    """Mean bytes of a message between two ranks, as an option of `partition`."""
    out = folder / "two.h5"
    run(program, [*words, "--threads", "1", "--partition", "by_kind"], out, 2)
    with h5py.File(out) as file:
        return ["--message-bytes", str(file["engine/remote_bytes"][:].sum() / file["engine/remote_messages"][:].sum())]


def strong(arguments, folder):
    yield (f"Size {arguments.size}; for each process in each window the median of {arguments.repeats} logs (of "
           f"{min(LOGS_OF_LONG, arguments.repeats)} for runs of more than {SHORT} s); `partition by_kind` by the log's weights. Speed-up over one "
           "core of the same kind, then in brackets with only the slowest rank of each window counted, which no network can reduce; "
           "messages as long as those of two ranks at size small. \"Kernels\" is the same without the windows of copies.")
    yield ""
    yield "| machine | workload | one core, s | " + " | ".join(cores(*where) for where in STRONG[1:]) + " |"
    yield "|---|---|---|" + "---|" * (len(STRONG) - 1)
    for machine in ("v100", "h100_sized"):
        for workload in STRONG_WORKLOADS:
            options = ["--machine", machine]
            costs = message_bytes(arguments.program, [workload, "--size", "small", *options], folder)
            logs = []
            for number in range(arguments.repeats):
                logs.append(folder / f"log{number}.h5")
                seconds = run(arguments.program, [workload, "--size", arguments.size, *options, "--threads", "1", "--log-windows"], logs[-1])
                if seconds > SHORT and len(logs) == LOGS_OF_LONG:
                    break
            parts = {workload: folder / "log.h5"}
            median_log(logs, parts[workload])
            if workload in WITH_KERNELS_ALONE:
                parts[f"{workload}, kernels"] = folder / "kernels.h5"
                keep_kernels(parts[workload], folder / "kernels.h5")
            for name, part in parts.items():
                at = [predict(arguments.program, part, options, *where, costs) for where in STRONG]
                cells = [f"{at[0]['predicted_s']:.2f}"]
                cells += [f"{one['speedup']:.1f} ({one['one_core_s'] / one['critical_path_s']:.1f})" for one in at[1:]]
                yield f"| {machine} | {name} | " + " | ".join(cells) + " |"


def weak(arguments, folder):
    yield (f"cp on 2 048 points per SM, with 500 atoms; v100 with a channel for {SMS_A_CHANNEL} SMs; one rank per SM, 16 ranks per node. "
           "Efficiency: speed-up over ranks.")
    yield ""
    yield "| SMs, ranks | one core, s | predicted, s | speed-up | efficiency | slowest ranks alone, s |"
    yield "|---|---|---|---|---|---|"
    for sms in WEAK:
        log = folder / "log.h5"
        options = ["--machine", "v100", "-o", f"gpu.sms={sms}", "-o",
                   f"address_mapping.channels={-(-sms // SMS_A_CHANNEL)}"]
        run(arguments.program, ["cp", "--set", "columns=256", "--set", f"rows={8 * sms}", "--set", "atoms=500", *options, "--threads", "1", "--log-windows"], log)
        at = predict(arguments.program, log, options, sms, -(-sms // 16), 1)
        yield (f"| {sms} | {at['one_core_s']:.2f} | {at['predicted_s']:.3f} | {at['speedup']:.1f} | "
               f"{at['speedup'] / sms:.0%} | {at['critical_path_s']:.3f} |")


STUDIES = {"blind": blind, "strong": strong, "weak": weak}
SIZES = {"blind": "small", "strong": "medium"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("studies", nargs="+", choices=STUDIES)
    parser.add_argument("--program", type=pathlib.Path, default=lookahead.default_program())
    parser.add_argument("--size", help="of `blind` [small] and `strong` [medium]")
    parser.add_argument("--machine", default="v100", help="of `blind` [v100]")
    parser.add_argument("--repeats", type=int, default=5, help="of `blind` and `strong` [5]")
    parser.add_argument("--update", action="store_true", help="write the tables into SCALING.md")
    arguments = parser.parse_args()
    if "blind" in arguments.studies and len(os.sched_getaffinity(0)) < 2:
        parser.error("blind needs two cores")
    for study in arguments.studies:
        sized = argparse.Namespace(**{**vars(arguments), "size": arguments.size or SIZES.get(study)})
        with tempfile.TemporaryDirectory() as folder:
            lines = []
            for line in STUDIES[study](sized, pathlib.Path(folder)):
                print(line, flush=True)
                lines.append(line)
        if arguments.update:
            begin, end = f"<!-- {study}: made by predicted.py -->", f"<!-- end of {study} -->"
            before, rest = PAGE.read_text().split(begin)
            PAGE.write_text(before + "\n".join([begin, *lines, end]) + rest.split(end)[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
