#!/usr/bin/env python3
"""Compares the machine h100_pcie with what others measured on that card: empty kernels and PolyBench, by size and block.

    silicon.py --polybench FOLDER [--largest N] [--write]   # FOLDER: `polybench` of a checkout of EnzeXu/GPU_Benchmarks
    silicon.py                                              # the empty kernels alone; checks those of up to 64 CTAs

h100_pcie.csv has the points: the mean time of a program's kernels together, as nsys measured it (sarchlab/mgpusim,
nvidia/eval, MIT). --largest leaves out matrices with more rows, for 2dconv with more than four times as many. --write
writes the tables of SILICON.md. Exit code 1 if an empty kernel of up to 64 CTAs is off by more than 12 %. Needs nvcc
for PolyBench, h5py and pandas.
"""

import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import h5py
import pandas as pd

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402
import statement_page  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PAGE, MEASURED = HERE / "SILICON.md", HERE / "h100_pcie.csv"
MARKS = ("<!-- tables: made by silicon.py -->", "<!-- end of tables -->")
MACHINE = "h100_pcie"
MEGAHERTZ = 1755  # of the card in these measurements
SOURCES = {"2dconv": "2DCONV/2DConvolution.cu", "3dconv": "3DCONV/3DConvolution.cu", "atax": "ATAX/atax.cu", "gemm": "GEMM/gemm.cu",
           "mvt": "MVT/mvt.cu"}


def build(suite, folder):
    """The programs by name. CUDA 13 has no cudaThreadSynchronize any more."""
    built = {name: folder / name for name in SOURCES}
    for name, program in built.items():
        subprocess.run(["nvcc", "-w", "-O3", "--cudart", "shared", "-arch=sm_90", "-DcudaThreadSynchronize=cudaDeviceSynchronize",
                        "-o", program, suite / SOURCES[name]], check=True)
    return built


def cycles(program, arguments, folder, name):
    out = folder / f"{name}.h5"
    lookahead.output_of(program, ["run", *arguments, "--machine", MACHINE, "--threads", "1", "--progress", "none", "--out", out],
                        timeout=7200)
    with h5py.File(out) as file:
        total = int(file["kernels/cycles"][:].sum())
    out.unlink()
    return total


def simulate(program, programs, point, folder):
    name = f"{point.program}-{point.size}-{point.block}"
    if point.program == "empty":
        text = (HERE / "ptx" / "barrier.ptx").read_text().replace("BODY\n", "")
        source = folder / f"{name}.ptx"
        source.write_text(text)
        return cycles(program, ["ptx", *lookahead.words("--set", [f"file={source}", f"block={point.block}", f"grid={point.size}"])],
                      folder, name)
    capture = folder / f"{name}.capture.h5"
    lookahead.output_of(program, ["capture", "--progress", "none", "--out", capture, "--", programs[point.program],
                                  "-size", point.size, "-blockDimX", point.block])
    return cycles(program, [capture], folder, name)


def table(head, rows):
    return ["| " + " | ".join(map(str, row)) + " |" for row in (head, ["---"] * len(head), *rows)]


def summary(points):
    rows = []
    for name, group in points.groupby("program"):
        error = (group["ratio"] - 1).abs()
        rows.append([name, len(group), f"{error.mean():.1%}", f"{error.median():.1%}", f"{group['ratio'].median():.2f}",
                     f"{group['ratio'].min():.2f} to {group['ratio'].max():.2f}"])
    return table(["program", "points", "mean absolute error", "median error", "median of model over GPU", "range"], rows)


def by_point(points):
    blocks = sorted(points["block"].unique())
    rows = []
    for (name, size), group in points.groupby(["program", "size"], sort=True):
        ratios = dict(zip(group["block"], group["ratio"]))
        rows.append([name, size, *(f"{ratios[block]:.2f}" if block in ratios else "" for block in blocks)])
    return table(["program", "size", *(f"block {block}" for block in blocks)], rows)


def main():
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--polybench", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--largest", type=int, default=256, metavar="N")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if arguments.polybench and not (arguments.polybench / SOURCES["gemm"]).exists():
        raise SystemExit(f"{arguments.polybench} has no {SOURCES['gemm']}: give the folder polybench of EnzeXu/GPU_Benchmarks")
    points = pd.read_csv(MEASURED)
    most = points["program"].map({"2dconv": 4 * arguments.largest, "empty": points["size"].max()}).fillna(arguments.largest)
    points = points[points["size"] <= most]
    if not arguments.polybench:
        points = points[points["program"] == "empty"]
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(arguments.jobs) as pool:
        folder = pathlib.Path(name)
        programs = build(arguments.polybench, folder) if arguments.polybench else {}
        found = list(pool.map(lambda point: simulate(arguments.program, programs, point, folder), points.itertuples()))
    points = points.assign(ratio=[model / (point.microseconds * MEGAHERTZ) for model, point in zip(found, points.itertuples())])
    text = "\n".join([*summary(points), "", *by_point(points)])
    print(text)
    if arguments.write:
        statement_page.write(PAGE, MARKS, text)
    small = points[(points["program"] == "empty") & (points["size"] <= 64)]
    return 1 if ((small["ratio"] - 1).abs() > 0.12).any() else 0


if __name__ == "__main__":
    sys.exit(main())
