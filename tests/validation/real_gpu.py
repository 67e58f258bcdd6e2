#!/usr/bin/env python3
"""Compares the machine h100, and the emulator, with an H100: outputs, warp instructions, cycles and latencies.

    real_gpu.py                                  # checks that the machine's quick latencies equal the measured ones, within 3 %
    real_gpu.py --write [--jobs N]               # simulates all programs of h100.csv; writes the tables of REAL_GPU.md
    real_gpu.py --make FOLDER                    # to measure again: captures of the workloads and of kernels of ptx/
    (beside the GPU, for some or all captures)
        replay_on_gpu.py --unfused --profiled 0 --out NAME.unfused.jsonl CAPTURES
        ncu --profile-from-start off --clock-control none --cache-control none --csv --page raw --log-file NAME.csv \\
            --metrics METRICS replay_on_gpu.py --out NAME.jsonl CAPTURES
    real_gpu.py --record FOLDER [--gpu NAME]     # the rows of h100.csv from all NAMEs of the folder

METRICS: gpc__cycles_elapsed.max,sm__cycles_active.max,smsp__inst_executed.sum,dram__bytes_read.sum,dram__bytes_write.sum.
Exit code 1 if a latency differs. Needs h5py, numpy and pandas.
"""

import csv
import dataclasses
import json
import pathlib
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np
import pandas as pd

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402
import statement_page  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PAGE, MEASURED = HERE / "REAL_GPU.md", HERE / "h100.csv"
MARKS = ("<!-- tables: made by real_gpu.py -->", "<!-- end of tables -->")
CODES = ("ptx", "native")
# Words of a run, by model: the codes on their machines, and what lies between the two, each with its forerunner's options.
NATIVE = ["--code", "native"]
CONTROL_WORDS = [*NATIVE, "-o", "sm.dependences=control_words"]
MODELS = {"ptx": ["-m", "h100"], "native": ["-m", "h100_native"], "scoreboard": ["-m", "h100", *NATIVE],
          "control_words": ["-m", "h100", *CONTROL_WORDS], "gty": ["-m", "h100", *CONTROL_WORDS, "-o", "sm.warp_scheduler=gty"]}
PARTS = {"ptx": "PTX", "scoreboard": "native code", "control_words": "that issues by its control words", "gty": "and greedy then youngest",
         "native": "and with register ports: h100_native"}
MOST_OF_PARTS = 20_000_000  # warp instructions of the workloads that are run with every model
METRICS = {"elapsed": "gpc__cycles_elapsed.max", "active": "sm__cycles_active.max", "instructions": "smsp__inst_executed.sum",
           "dram_read": "dram__bytes_read.sum", "dram_written": "dram__bytes_write.sum"}


@dataclasses.dataclass
class Probe:
    """A kernel of ptx/ with n and with 2n of what it measures, by an argument `{n}` or by copies of the body; the
    difference over n is the cost of one. A grid of 0 is n CTAs of no body."""
    name: str
    kernel: str
    n: int
    arguments: str
    body: str = ""
    copies: int = 1
    block: int = 32
    grid: int = 1
    checked: bool = False  # quick, and a latency that the machine's table has from here

    def cost(self, cycles):
        """The cost of one, from the cycles of the two kernels."""
        return (cycles[1] - cycles[0]) / (self.n * (self.copies if "{n}" in self.arguments else 1))

    def settings(self, folder, factor):
        """Settings of the workload ptx; writes its file."""
        copies = 0 if self.grid == 0 else self.copies if "{n}" in self.arguments else self.n * factor
        text = (HERE / "ptx" / f"{self.kernel}.ptx").read_text().replace("BODY\n", f"\t{self.body}\n" * copies)
        source = folder / f"{self.capture(factor)}.ptx"
        source.write_text(text)
        return [f"file={source}", f"arguments={self.arguments.format(n=self.n * factor)}", f"block={self.block}",
                f"grid={self.grid or self.n * factor}"]

    def capture(self, factor):
        return f"probe-{''.join(c if c.isalnum() else '_' for c in self.name)}-{factor}"


def ring(name, lines, steps, checked=True):
    return Probe(name, "global_ring", steps, f"u64[{16 * lines}]=0 u32:{lines} u32:{{n}}", checked=checked)


def chain(name, body, checked=True):
    return Probe(name, "arithmetic_loop", 1024, "u64[32]=0 u32:3 u32:{n}", body, copies=16, checked=checked)


def warps(name, body, checked=False):
    """A probe by 32 warps of one SM, each in a chain of its own."""
    return Probe(f"32 warps: {name}", "arithmetic_loop", 256, "u64[32]=0 u32:3 u32:{n}", body, copies=16, block=1024, checked=checked)


def all_threads(name, body, stride, words, n=8, copies=16, block=1024, grid=264):
    """A probe by 64 warps of each SM; each thread's address is its own, or one for all where the stride is 0."""
    return Probe(f"all: {name}", "global_loop", n, f"u32[{words}]=0 u32:{stride} u32:{{n}}", body, copies=copies, block=block, grid=grid)


THREADS = 132 * 2048
CHASED = "cvt.u64.u32 %rd2, %r1; add.s64 %rd1, %rd1, %rd2; add.u32 %r5, %r5, %r1;"


def l1_lines(lines):
    """Hits by 16 warps of each SM; the words of a warp's threads are in that many lines."""
    return all_threads(f"loads, L1, {lines} lines a warp, 16 warps", f"ld.global.u32 %r1, [%rd1]; {CHASED}", 4 * lines,
                       132 * 512 * lines, block=512, grid=132)


PROBES = [
    ring("load, L1 hit", 64, 4096),
    ring("load, L2 hit", 1 << 14, 1 << 16),
    ring("load, DRAM", 1 << 20, 1 << 20, checked=False),  # 128 MB; L2 has 50
    Probe("load, shared memory", "shared_loop", 1024, "u32[32]=0 u32:4 u32:{n}", "ld.shared.u32 %r3, [%r3];", copies=16,
          checked=True),
    chain("add.f32", "add.f32 %f2, %f2, %f1;"),
    chain("fma.rn.f32", "fma.rn.f32 %f2, %f2, %f1, %f1;"),
    chain("mad.lo.s32", "mad.lo.s32 %r2, %r2, %r1, %r1;"),
    chain("fma.rn.f64", "fma.rn.f64 %d2, %d2, %d1, %d1;"),
    chain("sin.approx.f32", "sin.approx.f32 %f2, %f2;"),
    chain("div.rn.f32", "div.rn.f32 %f2, %f1, %f2;", checked=False),  # 1 and 3 in turn
    Probe("fma.rn.f32, not in a loop", "arithmetic", 2048, "u64[32]=0 u32:3", "fma.rn.f32 %f2, %f2, %f1, %f1;", checked=True),
    Probe("loads of shared memory by 32 warps", "shared_loop", 256, "u32[1024]=0 u32:4 u32:{n}", "ld.shared.u32 %r3, [%r3];", copies=16,
          block=1024),
    # A word for each of 2048 threads on each of 132 SMs: 1.08 MB.
    Probe("loads by all threads, L2", "global_stream", 64, f"u32[{THREADS}]=1",
          "ld.relaxed.gpu.global.u32 %r1, [%rd1]; add.u32 %r2, %r2, %r1;", block=1024, grid=264),
    Probe("loads by all threads, DRAM", "global_stream", 64, f"u32[{THREADS * 129}]=1",
          "ld.relaxed.gpu.global.u32 %r1, [%rd1]; add.s64 %rd1, %rd1, %rd3; add.u32 %r2, %r2, %r1;", block=1024, grid=264),
    warps("fma.rn.f32", "fma.rn.f32 %f2, %f2, %f1, %f1;"),
    warps("add.u32 and xor.b32", "add.u32 %r2, %r2, %r1; xor.b32 %r2, %r2, %r3;", checked=True),
    warps("mad.lo.s32", "mad.lo.s32 %r2, %r2, %r1, %r1;"),
    warps("fma.rn.f64", "fma.rn.f64 %d2, %d2, %d1, %d1;", checked=True),
    warps("sin.approx.f32", "sin.approx.f32 %f2, %f2;"),
    warps("ex2.approx.ftz.f32", "ex2.approx.ftz.f32 %f2, %f2;", checked=True),
    warps("sqrt.approx.ftz.f32", "sqrt.approx.ftz.f32 %f2, %f2;"),
    warps("div.rn.f32", "div.rn.f32 %f2, %f1, %f2;", checked=True),
    warps("add.f32, cvt.rzi.u32.f32 and cvt.rn.f32.u32", "add.f32 %f2, %f2, %f1; cvt.rzi.u32.f32 %r2, %f2; cvt.rn.f32.u32 %f2, %r2;"),
    warps("shfl.sync.bfly.b32 and add.u32", "shfl.sync.bfly.b32 %r2, %r2, 1, 31, -1; add.u32 %r2, %r2, %r1;"),
    Probe("32 warps: loads of shared memory, two words of a bank", "shared_loop", 256, "u32[1024]=0 u32:8 u32:{n}", "ld.shared.u32 %r3, [%r3];",
          copies=16, block=1024),
    Probe("32 warps: bar.sync", "barrier", 1024, "", "bar.sync 0;", block=1024, checked=True),
    Probe("32 warps: red.shared.add.u32, a word a thread", "shared_loop", 64, "u32[1024]=0 u32:4 u32:{n}",
          "red.shared.add.u32 [%r3], %r2;", copies=16, block=1024, checked=True),
    Probe("32 warps: red.shared.add.u32, one word", "shared_loop", 64, "u32[1024]=0 u32:0 u32:{n}",
          "red.shared.add.u32 [%r3], %r2;", copies=16, block=1024, checked=True),
    Probe("load, shared memory, 32 words of a bank", "shared_loop", 1024, "u32[32]=0 u32:128 u32:{n}", "ld.shared.u32 %r3, [%r3];", copies=16),
    all_threads("loads, L1", f"ld.global.u32 %r1, [%rd1]; {CHASED}", 4, THREADS),
    *(l1_lines(lines) for lines in (1, 2, 4, 8, 32)),
    all_threads("loads, L2, one word, one warp", f"ld.relaxed.gpu.global.u32 %r1, [%rd1]; {CHASED}", 0, 4, block=32, grid=132),
    all_threads("loads, L2, 32 lines a warp", f"ld.relaxed.gpu.global.u32 %r1, [%rd1]; {CHASED}", 128, 32 * THREADS),
    all_threads("loads of 16 bytes, DRAM", "ld.relaxed.gpu.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1]; add.u32 %r5, %r5, %r1; "
                "add.u32 %r5, %r5, %r4; add.s64 %rd1, %rd1, %rd3;", 16, 4 * THREADS * 65, copies=4),
    all_threads("stores of 16 bytes, DRAM", "st.global.v4.u32 [%rd1], {%r7, %r7, %r7, %r7}; add.s64 %rd1, %rd1, %rd3;", 16, 4 * THREADS * 65,
                copies=4),
    all_threads("red.global.add.u32, a word a thread", "red.global.add.u32 [%rd1], %r7;", 4, THREADS, n=2),
    all_threads("red.global.add.u32, one word", "red.global.add.u32 [%rd1], %r7;", 0, 4, n=2),
    *(Probe(f"CTAs of {threads} threads that do nothing", "barrier", 16384, "", block=threads, grid=0) for threads in (32, 1024)),
]


def run(program, arguments):
    lookahead.output_of(program, arguments, timeout=3600)


def make(program, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for probe in PROBES:
        for factor in (1, 2):
            run(program, ["capture", "--workload", "ptx", *lookahead.words("--set", probe.settings(folder, factor)), "--progress", "none", "--out",
                          folder / f"{probe.capture(factor)}.h5"])
    for each in sorted((HERE.parents[1] / "experiments" / "workloads").glob("*/kernel.ptx")):
        for size in ("small", "medium"):
            run(program, ["capture", "--workload", each.parent.name, "--size", size, "--progress", "none", "--out",
                          folder / f"{each.parent.name}-{size}.h5"])


def number(text):
    return float(text.replace(",", ""))


def replays(log):
    return [json.loads(line) for line in log.read_text().splitlines()]


def record(folder, gpu):
    """Writes the rows of the folder's captures to h100.csv: sums over the profiled launches."""
    unfused = {replay["capture"]: replay for log in folder.glob("*.unfused.jsonl") for replay in replays(log)}
    if not unfused:
        raise SystemExit(f"{folder} has no NAME.unfused.jsonl: run the two commands of --help beside the GPU first")
    rows = []
    for log in sorted(folder.glob("*.jsonl")):
        if log.name.endswith(".unfused.jsonl"):
            continue
        table = csv.DictReader(line for line in log.with_suffix(".csv").read_text().splitlines() if line.startswith('"'))
        launches = (row for row in table if row["ID"].isdigit())  # the row below the names has the units
        for replay in replays(log):
            profiled = [next(launches) for launch in replay["launches"] if launch["profiled"]]
            if "error" in replay:
                continue
            copies = unfused[replay["capture"]]["copies"]
            name = replay["capture"].removesuffix(".h5")
            rows.append({"name": name, "gpu": gpu, "launches": len(replay["launches"]), "profiled": len(profiled),
                         **{key: sum(int(number(row[metric])) for row in profiled) for key, metric in METRICS.items()},
                         "words": sum(copy["words"] for copy in copies), "different": sum(copy["different"] for copy in copies),
                         "of_largest": max((copy["of_largest"] for copy in copies if copy["different"]), default=0),
                         "fused_different": sum(copy["different"] for copy in replay["copies"])})
    found = pd.DataFrame(rows)
    kept = pd.read_csv(MEASURED).query("name not in @found.name")
    pd.concat([kept, found]).sort_values("name", key=lambda names: names.str.lower()).to_csv(MEASURED, index=False, float_format="%.3g")


def simulated(program, arguments, launches, model="ptx"):
    """Cycles in which an SM may work, and warp instructions, of the first launches."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run.h5"
        run(program, ["run", *arguments, *MODELS[model], "--threads", "1", "--progress", "none", "--out", out])
        with h5py.File(out) as file:
            launch = int(file["config/dispatcher.launch_latency"][()])
            return (int((file["kernels/cycles"][:launches] - launch).sum()), int(file["kernels/warp_instructions"][:launches].sum()))


def simulate_all(program, measured, jobs, keep):
    """By model and name as in h100.csv, the costliest first; probes are PTX. Programs in `keep` are not simulated again."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        settings = {probe.capture(factor): probe.settings(pathlib.Path(folder), factor) for probe in PROBES for factor in (1, 2)}

        def one(job):
            model, name = job
            kept = (keep or pathlib.Path(folder)) / (f"{name}.json" if model == "ptx" else f"{name}.{model}.json")
            if not kept.exists():
                if name in settings:
                    found = simulated(program, ["ptx", *lookahead.words("--set", settings[name])], 1)
                else:
                    workload, size = name.rsplit("-", 1)
                    found = simulated(program, [workload, "--size", size], int(measured.loc[name, "profiled"]), model)
                kept.write_text(json.dumps(found))
            return json.loads(kept.read_text())
        not_measured = [name for name in settings if name not in measured.index]
        names = [*measured.sort_values("instructions", ascending=False).index, *not_measured]
        found = [("ptx", name) for name in names]
        found += [(model, name) for model in MODELS for name in names
                  if model != "ptx" and name not in settings and (model == "native" or name in of_parts(measured))]
        return dict(zip(found, pool.map(one, found)))


def of_parts(measured):
    """The names of the workloads that are run with every model."""
    return [name for name in measured.index[measured["instructions"] < MOST_OF_PARTS] if not name.startswith("probe-")]


def outputs(row):
    if row.different == 0:
        return "bit for bit" if row.fused_different == 0 else f"bit for bit; fused, {row.fused_different / row.words:.0%} of the words differ"
    return f"{row.different / row.words:.0%} of the words differ, by {row.of_largest:.0e} of the largest or less"


def overhead(measured):
    """Cycles of a launch in which no SM works, of kernels of one CTA on the GPU of the workloads."""
    one_cta = [probe.capture(factor) for probe in PROBES if probe.grid == 1 for factor in (1, 2)]
    one_cta = measured.index[measured.index.isin(one_cta) & (measured["gpu"] == "H100")]
    return (measured.loc[one_cta, "elapsed"] - measured.loc[one_cta, "active"]).median()


def beside_model(measured, model):
    """The measurements of the workloads, with the GPU's and the model's cycles and warp instructions."""
    both = measured[~measured.index.str.startswith("probe-")].copy()
    both["cycles"] = both["elapsed"] - overhead(measured) * both["profiled"]
    for code in CODES:
        both[f"{code} cycles"], both[f"{code} instructions"] = zip(*(model[code, name] for name in both.index))
    return both


def workload_table(both):
    def ratios(row, column):
        return [f"{both.loc[row.Index, f'{code} {column}'] / getattr(row, column):.{2 if code == 'ptx' else 3}f}" for code in CODES]
    rows = [[*row.Index.rsplit("-", 1), outputs(row), row.profiled, f"{row.instructions / 1000:.1f}", *ratios(row, "instructions"),
             f"{row.cycles / 1000:.1f}", *ratios(row, "cycles")] for row in both.itertuples()]
    return table(["workload", "size", "outputs", "launches", "k warp instructions", "PTX over GPU", "native over GPU", "k cycles", "PTX over GPU",
                  "native over GPU"], rows)


def summary(both, launch):
    rows = [["workloads whose outputs equal the emulator's bit for bit", f"{(both.different == 0).sum()} of {len(both)}"],
            ["the others: largest difference, relative to the largest number of the copy", f"{both.of_largest.max():.0e}"]]
    rows = [[*row, row[-1]] for row in rows]
    for what, column in (("warp instructions", "instructions"), ("cycles", "cycles")):
        figures = []
        for code in CODES:
            gpu, model = np.log(both[column]), np.log(both[f"{code} {column}"])
            ratio = np.exp(model - gpu)
            error = (ratio - 1).abs()
            figures.append([f"{error.mean():.1%}; {error.median():.1%}; {(error > 0.5).sum()}", f"{np.exp((model - gpu).mean()):.2f}",
                            f"{ratio.median():.2f}; {ratio.min():.2f} to {ratio.max():.2f}", f"{gpu.corr(model):.3f}"])
        names = ["mean absolute error; median; above 50 %", "geometric mean of model over GPU",
                 "median of model over GPU; lowest to highest", "correlation of logarithms"]
        rows += [[f"{what}: {name}", *of_codes] for name, of_codes in zip(names, zip(*figures))]
    rows.append(["cycles of a launch outside its SMs' work, subtracted from the GPU's figures", f"{launch:.0f}", f"{launch:.0f}"])
    return table(["what", "PTX", "native code"], rows)


def probe_table(measured, model):
    rows = []
    for probe in PROBES:
        names = [probe.capture(factor) for factor in (1, 2)]
        gpu = f"{probe.cost(measured.loc[names, 'active'].to_list()):.1f}" if names[0] in measured.index else "not measured"
        rows.append([probe.name, gpu, f"{probe.cost([model['ptx', name][0] for name in names]):.1f}"])
    return table(["one further operation", "cycles, GPU", "model"], rows)


def parts_table(measured, model):
    both = measured.loc[of_parts(measured)]
    gpu = both["elapsed"] - overhead(measured) * both["profiled"]
    rows = []
    for part, name in PARTS.items():
        ratio = pd.Series([model[part, each][0] for each in both.index], index=both.index) / gpu
        rows.append([name, f"{(ratio - 1).abs().mean():.1%}", f"{(ratio - 1).abs().median():.1%}", f"{np.exp(np.log(ratio).mean()):.2f}",
                     f"{ratio.min():.2f} to {ratio.max():.2f}"])
    return table([f"model, {len(both)} workloads of fewer than {MOST_OF_PARTS // 1_000_000} million warp instructions",
                  "mean absolute error of cycles", "median", "geometric mean of model over GPU", "lowest to highest"], rows)


def check_latencies(program, measured):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for probe in filter(lambda each: each.checked, PROBES):
            gpu = probe.cost([measured.loc[probe.capture(factor), "active"] for factor in (1, 2)])
            ours = probe.cost([simulated(program, ["ptx", *lookahead.words("--set", probe.settings(pathlib.Path(folder), factor))], 1)[0]
                               for factor in (1, 2)])
            good = abs(ours / gpu - 1) <= 0.03
            wrong += not good
            print(f"{'ok  ' if good else 'FAIL'} {probe.name}: {ours:.1f} cycles, measured {gpu:.1f}")
    return wrong


def table(names, rows):
    return ["| " + " | ".join(map(str, row)) + " |" for row in (names, ["---"] * len(names), *rows)]


def main():
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--make", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--record", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--gpu", default="H100", metavar="NAME", help="on which --record's folder was measured")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="keeps what was simulated, for the next time")
    arguments = parser.parse_args()
    if arguments.make:
        make(arguments.program, arguments.make)
        return 0
    if arguments.record:
        record(arguments.record, arguments.gpu)
        return 0
    measured = pd.read_csv(MEASURED, index_col="name")
    if not arguments.write:
        return 1 if check_latencies(arguments.program, measured) else 0
    model = simulate_all(arguments.program, measured, arguments.jobs, arguments.keep)
    both = beside_model(measured, model)
    text = "\n".join([*summary(both, overhead(measured)), "", *parts_table(measured, model), "", *probe_table(measured, model), "", *workload_table(both)])
    print(text)
    statement_page.write(PAGE, MARKS, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
