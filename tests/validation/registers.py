#!/usr/bin/env python3
"""Compares the finaliser's registers and spills with ptxas's, for every kernel of the workloads.

    tests/validation/registers.py [--program build/release/lookahead] [--write] [FILE.ptx ...]

ptxas (CUDA 13) compiles the same PTX for sm_75; the finaliser has that machine's ISA: 64-bit operations as words, one
constant an instruction, and three registers that hold no values (the stack pointer R1, which ptxas counts by numbering
from it, and two for the program counter). ptxas unrolls loops, which the finaliser does not: a second ratio is to
ptxas's count with a "nounroll" pragma at every label. Exit code 1 if these ratios leave the bounds. --write puts the
table into REGISTERS.md, between its marks. Without ptxas it says so and ends with code 0.
"""
import functools
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
import lookahead_process as lookahead  # noqa: E402
import statement_page  # noqa: E402

# sm_75: 255 registers a thread; see above for the rest.
SM75 = ["isa.registers=255", "isa.expand_64bit=true", "isa.single_constant=true",
        "isa.reserved_registers=3", "isa.held_sources=12", "finaliser.fuse_products=true"]
BOUNDS = {10: (0.75, None), 50: (0.9, 1.2), 90: (None, 1.4)}
# ptxas raises lower limits to this one.
LEAST_PTXAS_LIMIT = 16


def find_ptxas():
    return shutil.which("ptxas") or next((p for p in ["/usr/local/cuda/bin/ptxas"] if Path(p).exists()), None)


@functools.cache
def run_ptxas(ptxas, file, limit=None, rolled=False):
    """Registers, bytes of spill stores and of spill loads by kernel."""
    ptx = file.read_text()
    if rolled:
        ptx = re.sub(r"^(\$L__BB\w+:)$", r'\1\n.pragma "nounroll";', ptx, flags=re.M)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.ptx"
        source.write_text(ptx)
        command = [ptxas, "-v", "-arch=sm_75", str(source), "-o", f"{folder}/kernel.cubin"]
        if limit:
            command.append(f"-maxrregcount={limit}")
        text = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    result, kernel, spills = {}, None, (0, 0)
    for line in text.splitlines():
        if found := re.search(r"Compiling entry function '([^']+)'", line):
            kernel = found[1]
        elif found := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            spills = (int(found[1]), int(found[2]))
        elif (found := re.search(r"Used (\d+) registers", line)) and kernel:
            result[kernel] = {"registers": int(found[1]), "stores": spills[0], "loads": spills[1]}
            kernel = None
    return result


def run_finaliser(program, file):
    kernels = lookahead.json_of(program, ["profile", "registers", file, *lookahead.words("-o", SM75)])
    return {kernel["kernel"]: kernel for kernel in kernels}


def at_limit(profile, limit):
    """The profile's entry that holds at `limit`: the kernel changes only where it is listed."""
    fits = [entry for entry in profile["limits"] if entry["registers"] <= limit]
    return fits[0] if fits else None


def percentile(values, percent):
    """By linear interpolation between the values that stand nearest."""
    values = sorted(values)
    place = (len(values) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (place - low)


def measure(program, ptxas, files):
    rows = []
    for file in files:
        ours, theirs = run_finaliser(program, file), run_ptxas(ptxas, file)
        rolled = run_ptxas(ptxas, file, rolled=True)
        workload = file.parent.name + ("" if file.stem == "kernel" else f", {file.stem}")
        for kernel, profile in ours.items():
            row = {"workload": workload, "kernel": kernel, "ours": profile["r_default"], "base": profile["r_base"],
                   "least": profile["r_least"], "theirs": theirs[kernel]["registers"], "rolled": rolled[kernel]["registers"],
                   "spills": {}}
            row["ratio"] = row["ours"] / row["theirs"]
            row["rolled_ratio"] = row["ours"] / row["rolled"]
            for share in (0.75, 0.5):
                limit = int(share * profile["r_base"])
                if limit < LEAST_PTXAS_LIMIT:
                    continue
                entry = at_limit(profile, limit)
                peer = run_ptxas(ptxas, file, limit)[kernel]
                row["spills"][share] = (limit, entry, peer)
            rows.append(row)
    return rows


def spill_text(spill):
    if spill is None:
        return "–"
    limit, entry, peer = spill
    ours = "refused" if entry is None else f"{4 * entry['spill_stores']} + {4 * entry['spill_loads']}"
    return f"{limit}: {ours} / {peer['stores']} + {peer['loads']}"


def table(rows):
    lines = ["| workload | kernel | ptxas | rolled | r_default | ratio | rolled | r_base | least | at 0.75 r_base | "
             "at 0.5 r_base |", "|---|---|---|---|---|---|---|---|---|---|---|"]
    for row in sorted(rows, key=lambda row: row["rolled_ratio"]):
        lines.append(f"| {row['workload']} | `{row['kernel'][:40]}` | {row['theirs']} | {row['rolled']} | {row['ours']} | "
                     f"{row['ratio']:.2f} | {row['rolled_ratio']:.2f} | {row['base']} | {row['least']} | "
                     f"{spill_text(row['spills'].get(0.75))} | {spill_text(row['spills'].get(0.5))} |")
    return "\n".join(lines)


def verdicts(rows):
    """A line for each percentile, and whether all are within their bounds."""
    lines, good = [], True
    for percent, (low, high) in BOUNDS.items():
        bounds = f"{low if low is not None else '–'} to {high if high is not None else '–'}"
        cells = []
        for ratio in ("ratio", "rolled_ratio"):
            value = percentile([row[ratio] for row in rows], percent)
            within = (low is None or value >= low) and (high is None or value <= high)
            cells.append(f"{value:.2f}{'' if within else ' (outside)'}")
        good &= within
        lines.append(f"| {percent} | {bounds} | {' | '.join(cells)} |")
    return "| percentile | bounds | ratio | ratio, loops rolled |\n|---|---|---|---|\n" + "\n".join(lines), good


def main():
    arguments = lookahead.argument_parser(__doc__)
    arguments.add_argument("files", nargs="*", type=Path, help="PTX files; without any, kernel.ptx and peer.ptx of all workloads")
    arguments.add_argument("--write", action="store_true", help="put the table into REGISTERS.md")
    options = arguments.parse_args()
    ptxas = find_ptxas()
    if ptxas is None:
        print("registers.py: no ptxas found; nothing compared", file=sys.stderr)
        return 0
    # Not the other forms: they are the same kernels again, and ptxas does not know vector memory instructions.
    files = options.files or sorted(file for file in (ROOT / "experiments/workloads").glob("*/*.ptx")
                                    if file.name in ("kernel.ptx", "peer.ptx"))
    rows = measure(options.program, ptxas, files)
    summary, good = verdicts(rows)
    text = f"{len(rows)} kernels.\n\n{summary}\n\n{table(rows)}"
    print(text)
    if options.write:
        statement_page.write(HERE / "REGISTERS.md", ("<!-- table: made by registers.py -->", "<!-- end of table -->"), text)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
