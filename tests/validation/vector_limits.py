#!/usr/bin/env python3
"""Compares the cycles of the vector memory instructions with those of the best-unrolled loops, and measures their limits.

--update writes the tables of VECTOR_LIMITS.md: for each of the paper's workloads the best of the hand-written lengths
and of the pass on vecmem_nvidia; and the hand-written form's gain with gtx480's values for what the paper's table
leaves open, all of them or, for some workloads, one at a time, without a bound by DRAM, and with a memory that answers
at once. Also the hand-written form's source compiled to plain code, which shows the part of its gain that is not due to
the instructions; this needs nvcc and h5py, and is left out without them.
"""

import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import lookahead_process as lookahead  # noqa: E402
import statement_page  # noqa: E402
from unroll_factors import best_factors  # noqa: E402

try:
    import h5py
except ImportError:
    h5py = None

NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
CAN_COMPILE = NVCC is not None and h5py is not None
PAGE = pathlib.Path(__file__).with_name("VECTOR_LIMITS.md")
MARKS = ("<!-- tables: made by vector_limits.py -->", "<!-- end of tables -->")
LENGTHS = ("4", "8", "16")
# What the paper says of each (figure 10 and section 8.3), where it says a number.
PAPER = {"vecadd": "1.09", "btree": "1.10", "bfs": "1.42", "spmv": "1.31", "mri-q": "1.30 to 1.35", "sgemm": "1.30 to 1.35",
         "stencil": "1.30 to 1.35", "histo": "1.21 to 1.35", "nw": "1.21 to 1.35", "comd": "1.21 to 1.35", "hpgmg": "1.21 to 1.35"}
# By column: options that take back what vecmem_nvidia infers, or take a bound away.
VARIATIONS = {
    "as it is": [],
    "32 B a slice": ["crossbar.flit_bytes=40"],
    "misses reserve": ["l1d.pending_ways=0"],
    "8 merges": ["l1d.merges=8"],
    "256 loads": ["coalescing.pending_loads=256"],
    "4 SFUs": ["sm.timing.special_initiation=8"],
    "2 KB of L1I": ["l1i.sets=4"],
    "all of these": ["crossbar.flit_bytes=40", "l1d.pending_ways=0", "l1d.merges=8", "coalescing.pending_loads=256",
                     "sm.timing.special_initiation=8", "l1i.sets=4"],
    "DRAM x 4": ["dram.frequency=7000000000"],
    "perfect memory": ["gpu.perfect_memory=true"],
}

OF_ALL = ("as it is", "all of these", "perfect memory")
# For the others, each variation by itself.
ABLATED = ("vecadd", "spmv", "kmeans", "mri-q")


class Runs:
    def __init__(self, program, size, folder):
        self.program, self.size, self.folder = program, size, pathlib.Path(folder)

    def cycles(self, workload, settings, options=()):
        """The results, or None where the workload does not accept these settings."""
        words = lookahead.words("--set", settings) + lookahead.words("-o", options)
        return self.measured("-".join([workload, *settings, *options]), lambda: [workload, "--size", self.size, *words])

    def in_plain_code(self, workload, length):
        """The hand-written form with the intrinsics' plain code: its capture, with the other program."""
        name = f"{workload}-plain-{length}"
        capture = self.folder / f"{name}.capture.h5"

        def make():
            ptx = self.folder / f"{name}.ptx"
            source = ROOT / "experiments/studies/vecmem/forms" / workload / "vector.cu"
            subprocess.run([NVCC, "-ptx", "-arch=compute_75", "-O3", "-o", ptx, source], check=True)
            lookahead.output_of(self.program, ["capture", "--workload", workload, "--size", self.size, "--set", "form=vector", "--set",
                                               f"length={length}", "--progress", "none", "--out", capture])
            with h5py.File(capture, "r+") as file:
                file["modules/text"][0] = ptx.read_text()
            return [str(capture)]
        return self.measured(name, make)

    def measured(self, name, words):
        """The results of a run with the words of `words()`, or those kept of it; None if it is refused."""
        name = name.replace("/", "_")
        kept = self.folder / f"{name}.json"
        if not kept.exists():
            done = lookahead.execute(self.program, ["run", *words(), "--machine", "vecmem_nvidia", "--threads", "1", "--progress", "none",
                                                    "--json", "--out", str(self.folder / f"{name}.h5")])
            if done.returncode == 2:
                return None
            if done.returncode != 0:
                raise RuntimeError(f"{name}: exit {done.returncode}\n{done.stderr}")
            result = json.loads(done.stdout)
            if result["outputs"] != "match":
                raise RuntimeError(f"{name}: outputs {result['outputs']}")
            (self.folder / f"{name}.h5").unlink()
            kept.write_text(json.dumps({key: result[key] for key in ("cycles", "warp_instructions", "energy_j")}))
        return json.loads(kept.read_text())


def best(results):
    """The settings with the fewest cycles."""
    return min((each for each in results if each[1] is not None), key=lambda each: each[1]["cycles"])


def automatic(runs, workload):
    """The pass on the loops as they are, and on loops that the source unrolls by the length."""
    for length in LENGTHS:
        for unroll in sorted({"1", length}, key=int):
            options = ["kernel.transform=vecmem", f"vecmem.length={length}"]
            yield f"{unroll} / {length}", runs.cycles(workload, ["form=looped", f"unroll={unroll}"], options)


def measure(runs, workload, factor):
    base_settings = ["form=looped", f"unroll={factor}"]
    base = runs.cycles(workload, base_settings)
    hand = best([(length, runs.cycles(workload, ["form=vector", f"length={length}"])) for length in LENGTHS])
    passed = best(list(automatic(runs, workload)))
    hand_settings = ["form=vector", f"length={hand[0]}"]
    gains = {}
    for name, options in VARIATIONS.items():
        if name not in OF_ALL and workload not in ABLATED:
            continue
        loops, vectors = runs.cycles(workload, base_settings, options), runs.cycles(workload, hand_settings, options)
        gains[name] = loops["cycles"] / vectors["cycles"]
    plain = best([(length, runs.in_plain_code(workload, length)) for length in LENGTHS]) if CAN_COMPILE else None
    return {"factor": factor, "base": base, "hand": hand, "pass": passed, "plain": plain, "gains": gains}


def mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def tables(results, size):
    def against(result, key, name):
        return result["base"][name] / result[key][1][name]
    lines = [f"Size {size}; speed-up over form=looped, unrolled by the factor with the fewest cycles; the last columns are changes of energy "
             "and of energy times delay, in percent.", "",
             "| workload | unrolled by | k cycles | hand: length | speed-up | its source in plain code | the pass: source unrolled by / length | "
             "speed-up | paper | hand: energy | energy x delay |", "|---|---|---|---|---|---|---|---|---|---|---|"]
    plain = {name: f"{against(result, 'plain', 'cycles'):.2f}" if result["plain"] else "" for name, result in results.items()}
    for name, result in results.items():
        energy = result["hand"][1]["energy_j"] / result["base"]["energy_j"]
        delay = result["hand"][1]["cycles"] / result["base"]["cycles"]
        lines.append(f"| {name} | {result['factor']} | {result['base']['cycles'] / 1e3:.1f} | {result['hand'][0]} | "
                     f"{against(result, 'hand', 'cycles'):.2f} | {plain[name]} | {result['pass'][0]} | {against(result, 'pass', 'cycles'):.2f} | "
                     f"{PAPER.get(name, '')} | {100 * (energy - 1):+.0f} | {100 * (energy * delay - 1):+.0f} |")
    def summary(key):
        return f"{mean(against(each, key, 'cycles') for each in results.values()):.2f}"
    ratios = [(each["hand"][1]["energy_j"] / each["base"]["energy_j"], each["hand"][1]["cycles"] / each["base"]["cycles"])
              for each in results.values()]
    lines += [f"| geometric mean | | | | {summary('hand')} | {summary('plain') if CAN_COMPILE else ''} | | {summary('pass')} | 1.26 | "
              f"{100 * (mean(energy for energy, _ in ratios) - 1):+.0f} (paper -18) | "
              f"{100 * (mean(energy * delay for energy, delay in ratios) - 1):+.0f} (paper -32) |", "",
              "The speed-up of the hand-written form at that length over the same loops, both on another machine:", "",
              "| workload | " + " | ".join(VARIATIONS) + " |", "|---|" + "---|" * len(VARIATIONS)]
    for name, result in results.items():
        cells = (f"{result['gains'][each]:.2f}" if each in result["gains"] else "" for each in VARIATIONS)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    means = (f"{mean(result['gains'][each] for result in results.values()):.2f}" if each in OF_ALL else "" for each in VARIATIONS)
    lines.append("| geometric mean | " + " | ".join(means) + " |")
    return "\n".join(lines)


def main():
    parser = statement_page.argument_parser(__doc__, PAGE)
    parser.add_argument("--workloads", nargs="*", help="these alone")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder that keeps what was measured, for the next time")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(options.program, options.size, options.keep or folder)
        chosen = {name: factor for name, factor in best_factors().items() if not options.workloads or name in options.workloads}
        with ThreadPoolExecutor(options.jobs) as pool:
            results = dict(zip(chosen, pool.map(lambda each: measure(runs, *each), chosen.items())))
    text = tables(results, options.size)
    print(text)
    if options.update:
        statement_page.write(PAGE, MARKS, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
