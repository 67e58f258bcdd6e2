#!/usr/bin/env python3
"""Wrong inputs: each must end with its exit code and one clear message on stderr, alone and under mpirun, and leave no
result file behind."""

import argparse
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import lookahead_process as lookahead  # noqa: E402


def kernel(name, *settings):
    return ["run", "ptx", "--set", f"file={HERE / 'ptx' / name}.ptx",
            *(word for setting in settings for word in ("--set", setting))]


# arguments, exit code, what the message must say
CASES = {
    "unknown command": (["simulate"], 2, ["simulate"]),
    "unknown workload": (["run", "sgem"], 2, ["sgem", "sgemm"]),
    "unknown key": (["run", "vecadd", "-o", "l1d.wayz=8"], 2, ["l1d.wayz", "l1d.ways"]),
    "unknown variant": (["run", "vecadd", "-o", "sm.warp_scheduler=gtoo"], 2, ["gtoo", "gto"]),
    "value out of range": (["run", "vecadd", "-o", "l1d.ways=0"], 2, ["l1d.ways", "0", "1"]),
    "value of a wrong type": (["run", "vecadd", "-o", "l1d.ways=many"], 2, ["l1d.ways", "many"]),
    "unknown workload parameter": (["run", "vecadd", "--set", "m=5"], 2, ["vecadd.m"]),
    "unknown machine": (["run", "vecadd", "--machine", "gtx9"], 2, ["gtx9", "list machines"]),
    "missing machine file": (["run", "vecadd", "--machine", "no/such.toml"], 3, ["no/such.toml"]),
    "unknown protocol": (["run", "vecadd", "--sync", "optimistic"], 2, ["optimistic", "window"]),
    "negative distance of checkpoints": (["run", "vecadd", "--checkpoint-every", "-1"], 2, ["--checkpoint-every", "-1"]),
    "negative number of checkpoints": (["run", "vecadd", "--checkpoint-keep", "-1"], 2, ["--checkpoint-keep", "-1"]),
    "negative limit of cycles": (["run", "vecadd", "--max-cycles", "-1"], 2, ["--max-cycles", "-1"]),
    "negative limit of instructions": (["run", "vecadd", "--max-instructions", "-1"], 2, ["--max-instructions", "-1"]),
    "unknown size": (["run", "vecadd", "--size", "huge"], 2, ["huge", "tiny"]),
    "missing PTX file": (["run", "ptx", "--set", "file=/no/such.ptx"], 3, ["/no/such.ptx"]),
    "unsupported instruction": (kernel("unsupported", "arguments=u32[32]"), 3, ["unsupported.ptx:12", "vadd4"]),
    "illegal address": (kernel("illegal_address", "arguments=u32[32]"), 4,
                        ["illegal_address.ptx:14", "warp", "PC", "not in allocated"]),
    "barrier deadlock": (kernel("barrier_deadlock", "block=64"), 4, ["barrier", "barrier_deadlock"]),
    "no kernel parameters": (kernel("illegal_address"), 2, ["parameters of illegal_address are 1 (.u64), given 0"]),
    "too many kernel parameters": (kernel("three_kernels", "kernel=scale", "arguments=f32[32] f32:2 s32:3 s32:4"), 2,
                                   ["scale(float*, float, int) are 3 (.u64, .f32, .u32), given 4"]),
    "kernel parameter of another kind": (kernel("three_kernels", "kernel=scale", "arguments=f32[32] f32:2 f32:3"), 2,
                                         ["parameter 3 of scale(float*, float, int) is .u32, given f32:3", "s32:V"]),
    "integer for a float": (kernel("three_kernels", "kernel=scale", "arguments=f32[32] s32:2 s32:3"), 2,
                            ["parameter 2", ".f32, given s32:2", "f32:V"]),
    "kernel parameter of another size": (kernel("three_kernels", "kernel=scale", "arguments=f32[32] f32:2 s64:3"), 2,
                                         ["parameter 3", ".u32, given s64:3"]),
    "scalar for an address": (kernel("three_kernels", "kernel=scale", "arguments=u32:0 f32:2 s32:3"), 2,
                              ["parameter 1", ".u64, given u32:0", "f32[1024]"]),
    "buffer for a scalar": (kernel("three_kernels", "kernel=scale", "arguments=f32[32] f32[32] s32:3"), 2,
                            ["parameter 2", ".f32, given f32[32]"]),
    "scalar that its type cannot hold": (kernel("three_kernels", "kernel=scale", "arguments=f32[32] f32:2 u32:-1"), 2,
                                         ["'u32:-1': -1 is no value of u32"]),
    "no kernel named among several": (kernel("three_kernels"), 2,
                                      ["has 3 kernels", "_Z5scalePffi = scale(float*, float, int)", "_Z4fillPii"]),
    "unknown kernel": (kernel("three_kernels", "kernel=scales"), 2, ["'scales': did you mean scale?", "there are", "_Z4fillPfi"]),
    "kernel name of two overloads": (kernel("three_kernels", "kernel=fill"), 2,
                                     ["has 2 kernels of the name 'fill'", "_Z4fillPfi = fill(float*, int)", "_Z4fillPii"]),
    "PTX file in place of a workload": (["run", "mine.ptx"], 2, ["mine.ptx", "workload is ptx", "--set file=mine.ptx"]),
    "trace that cannot be written": (["run", "vecadd", "--trace", "/no/such/trace.json"], 3, ["/no/such/trace.json"]),
    "missing HDF5 file": (["validate", "/no/such.h5"], 3, ["/no/such.h5"]),
}


def truncated_file(program, folder):
    whole = folder / "whole.h5"
    done = lookahead.execute(program, ["run", "vecadd", "--size", "tiny", "--out", whole])
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    cut = folder / "cut.h5"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    return cut


def faults(done, code, fragments, out):
    if done.returncode != code:
        yield f"exit code {done.returncode}, expected {code}"
    said = [line for line in done.stderr.splitlines() if line.startswith("lookahead: ")]
    if len(said) != 1:
        yield f"{len(said)} messages on stderr, expected one: {done.stderr!r}"
    for fragment in fragments:
        if said and fragment not in said[0]:
            yield f"the message does not say '{fragment}': {said[0]}"
    if out.exists() or list(out.parent.glob("*.partial")):
        yield "a result file was left behind"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=lookahead.default_program())
    parser.add_argument("--only", help="run the cases whose name contains this")
    arguments = parser.parse_args()

    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder_name:
        folder = pathlib.Path(folder_name)
        cases = dict(CASES)
        cut = truncated_file(arguments.program, folder)
        cases["truncated HDF5 file"] = (["validate", cut], 3, [str(cut)])
        results = folder / "results"
        results.mkdir()
        out = results / "run.h5"
        for name, (line, code, fragments) in cases.items():
            if arguments.only and arguments.only not in name:
                continue
            line = [*line, "--out", out] if line[0] == "run" else line
            for ranks in (0, 2):
                found = list(faults(lookahead.execute(arguments.program, line, ranks), code, fragments, out))
                failed += bool(found)
                passed += not found
                for fault in found:
                    print(f"{name}{', 2 ranks' if ranks else ''}: {fault}")

        # A kernel that never ends is stopped at --max-cycles, with full statistics.
        for ranks in (0, 2):
            line = [*kernel("endless", "arguments=s32:1")[1:], "--max-cycles", 20000, "--out", out]
            summary = lookahead.simulate(arguments.program, line, ranks)
            good = summary["status"] == "stopped" and summary["outputs"] == "unchecked" and out.exists()
            failed += not good
            passed += good
            if not good:
                print(f"endless kernel: {summary}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
