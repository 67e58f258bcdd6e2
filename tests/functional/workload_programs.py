#!/usr/bin/env python3
"""Every workload as a capture of its host driver, and as an ordinary CUDA program through capture and replay, against
the run of its host driver: the same results, cycles and state.

    workload_programs.py --program LOOKAHEAD [--client PROGRAM] [--size tiny,...] [--compile all|NAME,...]
        [--forms original|other|all] [--factors 4,...] [--simt stack,convergence_barrier] [--ranks 2,...]
        [-o KEY=VALUE...] [--set KEY=VALUE...] [--kernels FILE] [WORKLOAD...]

--client (build/release/tests/functional/workload_client) is the CUDA program with the PTX that is checked in, for every
workload. With --compile and nvcc the workloads named are also compiled from their kernel.cu, or from another FILE.cu: with
--set form=looped from looped.cu by --kernels looped.

--forms runs the other forms of the workloads' kernels, too, form=looped with all unroll factors or with those of
--factors. --simt does everything under each of these SIMT models, and --ranks runs the driver also on these numbers of
ranks, where all deterministic groups of the results must be those of one rank. workloads_full does all of that.
"""

import functools
import os
import pathlib
import re
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

BUILD = pathlib.Path(__file__).resolve().parents[2] / "experiments/workloads/cuda_program/build"
COMPARED = ["outputs", "cycles", "warp_instructions", "kernels", "state_hash"]

call = functools.partial(lookahead.output_of, timeout=lookahead.PATIENCE)


def simulate(program, out, *arguments, ranks=0):
    result = lookahead.simulate(program, [*arguments, "--out", out], ranks, timeout=lookahead.PATIENCE)
    return {key: result[key] for key in COMPARED}


def captures_of(options, name, chosen, compiles, folder):
    """Captures by the way in which the workload ran."""
    captures = {"driver's capture": folder / "driver.capture.h5"}
    call(options.program, ["capture", "--workload", name, *chosen, "-o", captures["driver's capture"]])
    programs = {"CUDA program": options.client} if options.client else {}
    if compiles:
        programs["nvcc's program"] = folder / "program"
        call(BUILD, [name, programs["nvcc's program"], options.kernels])
    for way, program in programs.items():
        captures[way] = folder / f"{len(captures)}.capture.h5"
        call(options.program, ["capture", "-o", captures[way], "--", program, captures["driver's capture"]])
    return captures


def check(options, name, size, settings, compiles, folder):
    """A line for each SIMT model: the ways in which the workload ran, all alike."""
    chosen = ["--size", size, *lookahead.words("--set", settings)]
    captures = captures_of(options, name, chosen, compiles, folder)
    for simt in options.simt:
        model = (["-o", f"sm.simt={simt}"] if simt else []) + lookahead.words("-o", options.option)
        driver = simulate(options.program, folder / "run.h5", name, *chosen, *model)
        if driver["outputs"] != "match":
            raise RuntimeError(f"the driver's outputs: {driver['outputs']}")
        ways = ["driver"]
        for ranks in options.ranks:
            together = simulate(options.program, folder / "ranks.h5", name, *chosen, *model, ranks=ranks)
            if together != driver:
                raise RuntimeError(f"on {ranks} ranks: {together}, but on one: {driver}")
            call(options.program, ["diff", folder / "run.h5", folder / "ranks.h5"])
            ways.append(f"driver on {ranks} ranks")
        for way, capture in captures.items():
            replayed = simulate(options.program, folder / "replay.h5", capture, *model)
            if replayed != driver:
                raise RuntimeError(f"{way}: {replayed}, but the driver's run: {driver}")
            ways.append(way)
        yield ", ".join([size, *settings, *filter(None, [simt])]) + f": {driver['cycles']} cycles as {', '.join(ways)}"


def forms_of(options, name):
    """Lists of settings, one for each form to run."""
    forms = [[]] if options.forms in ("original", "all") else []
    if options.forms == "original":
        return forms
    described = call(options.program, ["describe", name])

    def words(parameter):
        found = re.search(rf"\.{parameter} = .*?\(one of ([^)]*)\)", described)
        return found[1].split(", ") if found else []

    for form in words("form"):
        if form == "looped":
            factors = [factor for factor in words("unroll") if not options.factors or factor in options.factors]
            forms += [["form=looped", f"unroll={factor}"] for factor in factors]
        elif form != "original":
            forms.append([f"form={form}"])
    return forms


def main():
    def words(text):
        return text.split(",")

    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--client", type=os.path.abspath, help="workload_client, the CUDA program that needs no nvcc")
    parser.add_argument("--size", type=words, default=["tiny"])
    parser.add_argument("--compile", default="", help="workloads to compile with nvcc, too; all")
    parser.add_argument("--forms", choices=["original", "other", "all"], default="original")
    parser.add_argument("--factors", type=words, default=[], help="unroll factors of form=looped; all of them by default")
    parser.add_argument("--simt", type=words, default=[""], help="SIMT models; the machine's by default")
    parser.add_argument("--ranks", type=lambda text: [int(word) for word in text.split(",")], default=[])
    parser.add_argument("--option", "-o", action="append", default=[], metavar="KEY=VALUE", help="of `lookahead run`")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter of the workloads")
    parser.add_argument("--kernels", default="kernel", metavar="FILE", help="what to compile: FILE.cu")
    parser.add_argument("workloads", nargs="*", help="only these workloads")
    options = parser.parse_args()
    has_nvcc = shutil.which("nvcc") or os.path.exists("/usr/local/cuda/bin/nvcc")
    if options.compile and not has_nvcc:
        print("there is no nvcc here: nothing is compiled")
    passed = failures = 0
    for name in options.workloads or lookahead.workloads(options.program):
        compiles = bool(has_nvcc) and (options.compile == "all" or name in options.compile.split(","))
        for size in options.size:
            for form in forms_of(options, name):
                settings = form + options.set
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        for line in check(options, name, size, settings, compiles, pathlib.Path(folder)):
                            print(f"{name}, {line}", flush=True)
                            passed += 1
                    except RuntimeError as error:
                        print(f"{name}, {size} {' '.join(settings)}: FAILED: {error}", flush=True)
                        failures += 1
    print(f"{passed} passed, {failures} failed")
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
