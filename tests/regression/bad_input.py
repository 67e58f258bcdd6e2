#!/usr/bin/env python3
"""Tests a table of more than sixty wrong inputs, alone and under mpirun: each must end with its exit code and one clear line on
stderr, without traceback, errno or C++ type, and must leave no result file.

{folder} in an argument or message is the folder with the files of FILES."""

import concurrent.futures
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import lookahead_process as lookahead  # noqa: E402


CAPTURE = HERE.parent / "functional/cuda/device_printf.capture.h5"
PYTHON = ("--python", sys.executable)
# What no user should have to read.
FORBIDDEN = re.compile(r"Traceback|errno|std::|basic_\w|terminate called|what\(\)|bad_alloc|Assertion|\b_Z\d\w*\b(?! = )")


def kernel(name, *settings):
    return ["run", "ptx", *lookahead.words("--set", [f"file={HERE / 'ptx' / name}.ptx", *settings])]


# arguments, exit code, what the message must say
CASES = {
    "unknown command": (["simulate"], 2, ["simulate"]),
    "unknown workload": (["run", "sgem"], 2, ["sgem", "sgemm"]),
    "unknown key": (["run", "vecadd", "-o", "l1d.wayz=8"], 2, ["l1d.wayz", "l1d.ways"]),
    "unknown key of the emulator's machine": (["emulate", "vecadd", "--size", "tiny", "-o", "l1d.wayz=8"], 2, ["l1d.wayz", "l1d.ways"]),
    "unknown setting of an emulated workload": (["emulate", "vecadd", "--size", "tiny", "--set", "nonsense=1"], 2, ["vecadd.nonsense"]),
    "unknown key of an explanation": (["explain", "vecadd", "--transform", "dac", "-o", "l1d.wayz=8"], 2, ["l1d.wayz", "l1d.ways"]),
    "unknown key of a profile": (["profile", "registers", "vecadd", "-o", "l1d.wayz=8"], 2, ["l1d.wayz", "l1d.ways"]),
    "code of the papers' time where there is none": (
        ["emulate", "imageDenoising", "--size", "tiny", "-o", "program.compiler=period"], 2, ["imageDenoising", "program.compiler = nvcc13"]),
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
    "negative begin of a trace": (["run", "vecadd", "--trace", "t.json", "--trace-cycles", "-1", "5"], 2,
                                  ["--trace-cycles", "'-1' is not a core cycle", "0,20000"]),
    "trace that ends before its begin": (["run", "vecadd", "--trace", "t.json", "--trace-cycles", "500", "0"], 2,
                                         ["--trace-cycles 500,0", "no cycles"]),
    "trace of no time": (["run", "vecadd", "--trace", "t.json", "--trace-cycles", "5,5"], 2, ["--trace-cycles 5,5", "no cycles"]),
    "word for the end of a trace": (["run", "--trace-cycles", "500", "vecadd", "--trace", "t.json"], 2,
                                    ["--trace-cycles", "'vecadd' is not a core cycle", "0,20000"]),
    "end of a trace beyond time": (["run", "vecadd", "--trace-cycles", "0,18446744073709551615"], 2, ["--trace-cycles", "not a core cycle"]),
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
                                         ["'u32:-1': -1 is not a value of u32"]),
    "array of another size": (kernel("structure", "arguments={{s32[32],s16:3,f32:1}} s32(999)=10"), 2,
                              ["parameter 2 of sum is 4000 bytes of .b8, given s32(999)=10 of 3996 bytes", "f32:1,s32:2"]),
    "structure without an end": (kernel("structure", "arguments={{s32[32],s16:3,f32:1 s32(1000)=10"), 2,
                                 ["s32[32],s16:3,f32:1'", "f32:1,s32:7"]),
    "no kernel named among several": (kernel("three_kernels"), 2,
                                      ["has 3 kernels", "_Z5scalePffi = scale(float*, float, int)", "_Z4fillPii"]),
    "unknown kernel": (kernel("three_kernels", "kernel=scales"), 2, ["'scales': did you mean scale?", "there are", "_Z4fillPfi"]),
    "kernel name of two overloads": (kernel("three_kernels", "kernel=fill"), 2,
                                     ["has 2 kernels of the name 'fill'", "_Z4fillPfi = fill(float*, int)", "_Z4fillPii"]),
    "PTX file in place of a workload": (["run", "mine.ptx"], 2, ["mine.ptx", "use the workload ptx", "--set file=mine.ptx"]),
    "trace with too long a name": (["run", "vecadd", "--size", "tiny", "--trace", 300 * "x"], 3, ["xxx", "too long"]),
    "trace that cannot be written": (["run", "vecadd", "--trace", "/no/such/trace.json"], 3, ["/no/such/trace.json"]),
    "missing HDF5 file": (["validate", "/no/such.h5"], 3, ["/no/such.h5"]),
}


SAXPY = ("ptx", "--set", "file={folder}/saxpy.ptx")

FILES = {
    "text.h5": "hello\n",
    "empty.h5": "",
    "not_ptx.ptx": "hello\n",
    "syntax.toml": "x = \n",
    "unknown_key.toml": "[l1d]\nwayz = 3\n",
    "wrong_type.toml": '[l1d]\nways = "four"\n',
    "unknown_base.toml": 'inherits = "nothing"\n',
    "loop.toml": 'inherits = "loop.toml"\n',
    "partition.txt": "sm0 0\nsmall 1\n",
    "settings.toml": 'workloads = ["vecadd"]\n[settings]\nvecad = ["n=64"]\n',
    "limit.toml": 'workloads = ["vecadd"]\nmax_instructions = 0\n',
    "axis.toml": 'title = "x"\nworkloads = ["vecadd"]\n[[axis]]\nkey = "l1d.wayz"\nvalues = [4]\n',
    "workload.toml": 'title = "x"\nworkloads = ["vecad"]\n',
    "expression.toml": 'title = "x"\nworkloads = ["vecadd"]\n[[metric]]\nname = "m"\nexpression = "l1d.misses / "\n',
    "path.toml": 'title = "x"\nworkloads = ["vecadd"]\n[[metric]]\nname = "m"\npath = "counters/l1d/nothing"\n',
    "no_workloads.toml": 'title = "x"\nworkloads = []\n',
    "saxpy.ptx": """.version 7.0
.target sm_75
.address_size 64
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n) { ret; }
""",
}

# Command lines on the files of FILES, and on a result file, {folder}/whole.h5.
FILE_CASES = {
    "no command": ([], 2, ["required"]),
    "no workload": (["run"], 2, ["WORKLOAD is required"]),
    "unknown option": (["run", "vecadd", "--max-cycle", "5"], 2, ["--max-cycle"]),
    "word too many": (["run", "vecadd", "extra"], 2, ["extra"]),
    "seed of zero": (["run", "vecadd", "--seed", "0"], 2, ["--seed", "1 to 4294967295"]),
    "setting without a value": (["run", "vecadd", "--set", "n"], 2, ["vecadd.n", "key=value"]),
    "negative size of a workload": (["run", "vecadd", "--set", "n=-5"], 2, ["vecadd.n = -5", "out of range", "integer, 0 to"]),
    "size beyond 64 bits": (["run", "vecadd", "--set", "n=99999999999999999999"], 2, ["vecadd.n", "integer, 0 to"]),
    "option without a key": (["run", "vecadd", "-o", "=4"], 2, ["key=value"]),
    "fraction for a whole number": (["run", "vecadd", "-o", "l1d.ways=4.5"], 2, ["l1d.ways = 4.5", "integer, 1 to 64"]),
    "values that do not fit together": (["run", "vecadd", "-o", "l1d.sets=33"], 2, ["fermi_hash", "32 or 64", "linear"]),
    "extension twice": (["run", "vecadd", "-o", "sm.issue_extension=pmode+pmode"], 2, ["names pmode twice"]),
    "unknown extension among several": (["run", "vecadd", "-o", "sm.issue_extension=pmode+dcc"], 2, ["dcc", "cae, dac, none, pmode"]),
    "number of threads": (["run", "vecadd", "--threads", "0"], 2, ["--threads", "1 to 1024, or auto"]),
    "unknown partitioner": (["run", "vecadd", "--partition", "halves"], 2, ["halves", "linear, round_robin, by_kind, graph"]),
    "partition of another machine": (["run", "vecadd", "--partition", "{folder}/partition.txt"], 3, ["partition.txt:2", "small"]),
    "unknown progress": (["run", "vecadd", "--progress", "loud"], 2, ["loud", "bar, plain or none"]),
    "weights of no run": (["run", "vecadd", "--weights", "{folder}/text.h5"], 3, ["text.h5", "HDF5"]),
    "trace of no process": (["run", "vecadd", "--trace-of", "sm99", "--trace", "t.json"], 2, ["sm99", "partition0"]),
    "folder of checkpoints that is not there": (["run", "vecadd", "--checkpoint-dir", "/no/such"], 2, ["/no/such"]),
    "machine file with a slip": (["run", "vecadd", "--machine", "{folder}/syntax.toml"], 3, ["syntax.toml:1:5"]),
    "machine file with an unknown key": (["run", "vecadd", "--machine", "{folder}/unknown_key.toml"], 2,
                                         ["unknown_key.toml:2:8", "did you mean l1d.ways?"]),
    "machine file with a wrong type": (["config", "validate", "{folder}/wrong_type.toml"], 2, ["wrong_type.toml:2:8", "integer, 1 to 64"]),
    "machine that inherits from none": (["config", "show", "--machine", "{folder}/unknown_base.toml"], 2,
                                        ["unknown_base.toml:1:12", "nothing"]),
    "machines that inherit in a circle": (["config", "validate", "{folder}/loop.toml"], 2, ["loop.toml:1:12", "endlessly"]),
    "text for a capture": (["run", "{folder}/text.h5"], 3, ["text.h5", "HDF5"]),
    "empty file for a capture": (["run", "{folder}/empty.h5"], 3, ["empty.h5", "HDF5"]),
    "folder for a capture": (["run", "{folder}/folder.h5"], 3, ["folder.h5", "it is a folder"]),
    "result for a capture": (["run", "{folder}/whole.h5"], 3, ["lookahead.run file, not a lookahead.capture"]),
    "missing capture": (["run", "{folder}/none.h5"], 3, ["none.h5", "No such file"]),
    "result for a checkpoint": (["resume", "{folder}/whole.h5"], 3, ["not a lookahead.checkpoint"]),
    "missing checkpoint": (["resume", "{folder}/none.h5"], 3, ["none.h5", "No such file"]),
    "PTX file that is none": (["run", "ptx", "--set", "file={folder}/not_ptx.ptx"], 3, ["not_ptx.ptx:1", ".version"]),
    "folder for a PTX file": (["run", "ptx", "--set", "file={folder}"], 3, ["it is a folder"]),
    "no PTX file": (["run", "ptx"], 2, ["--set file=FILE.ptx"]),
    "grid of words": (["run", *SAXPY, "--set", "grid=4,x", "--set", "arguments=f32[1] f32[1] f32:1 s32:1"], 2, ["ptx.grid", "4,x"]),
    "block that is too large": (["run", *SAXPY, "--set", "block=2000", "--set", "arguments=f32[1] f32[1] f32:1 s32:1"], 4,
                                ["saxpy", "2000", "1024 threads"]),
    "unknown type of an argument": (["run", *SAXPY, "--set", "arguments=f33[1] f32[1] f32:1 s32:1"], 2, ["f33[1]", "f32 and f64"]),
    "buffer that no host holds": (["run", *SAXPY, "--set", "arguments=f32[99999999999] f32[1] f32:1 s32:1"], 2,
                                  ["f32[99999999999]", "up to 1073741824 elements"]),
    "file in place of a key": (["run", "vecadd", "-o", "out.h5"], 2, ["out.h5", "--out names the file"]),
    "result without a name": (["run", "vecadd", "--size", "tiny", "--out", ""], 2, ["--out", "the name is empty"]),
    "page without a name": (["report", "{folder}/whole.h5", "--out", ""], 2, ["--out", "the name is empty"]),
    "sweep without a name": (["sweep", "plan", "{folder}/study.toml", "--out", ""], 2, ["--out", "the name is empty"]),
    "key in place of a file": (["capture", "-o", "l1d.ways=8", "--workload", "vecadd"], 2, ["l1d.ways=8", "--option sets a key"]),
    "comparison of a result with an index": (["diff", "{folder}/whole.h5", "{folder}/index.h5"], 3,
                                             ["index.h5", "lookahead.sweep", "lookahead.run"]),
    "unknown list": (["list", "things"], 2, ["things", "workloads"]),
    "unknown name": (["describe", "l1d.wayz"], 2, ["l1d.wayz", "did you mean l1d.ways?"]),
    "emulated workload that is none": (["emulate", "vecad"], 2, ["vecad", "did you mean vecadd?"]),
    "nothing to capture": (["capture"], 2, ["program, after --", "--workload"]),
    "program that is not there": (["capture", "--", "./no_such_program"], 3, ["no_such_program"]),
    "program that uses no device": (["capture", "--", "/bin/true"], 3, ["true made no device call", "--cudart shared"]),
    "kernel that a file has not": (["profile", "registers", "vecadd", "--kernel", "none"], 3, ["has no kernel none"]),
    "share of registers": (["profile", "vectors", "vecadd", "--registers", "0"], 2, ["--registers 0", "2 to 255"]),
    "negative distance of patterns": (["profile", "patterns", "vecadd", "--size", "tiny", "--farthest", "-1"], 2,
                                      ["--farthest", "-1 is negative"]),
    "negative limit of emulated instructions": (["emulate", "vecadd", "--size", "tiny", "--max-instructions", "-1"], 2,
                                                ["--max-instructions", "-1 is negative"]),
    "negative number of events in a trace": (["run", "vecadd", "--trace", "t.json", "--trace-events", "-1"], 2,
                                             ["--trace-events", "-1 is negative"]),
    "negative memory of a point": (["sweep", "run", "{folder}/workload.toml", "--memory", "-1"], 2, ["--memory", "-1 is negative"]),
    "negative seed of a benchmark": (["bench", "phold", "--seed", "-4"], 2, ["--seed", "-4 is negative"]),
    "negative number of processes": (["bench", "phold", "--lps", "-4"], 2, ["--lps", "-4 is negative"]),
    "negative seed": (["run", "vecadd", "--seed", "-4"], 2, ["--seed", "1 to 4294967295"]),
    "negative number of pages": (["report", "{folder}/study.sweep", "--run-pages", "-1"], 2, ["--run-pages", "-1 is negative"]),
    "size of a capture": (["run", str(CAPTURE), "--size", "large"], 2, ["--size has no effect", "capture"]),
    "seed of a capture": (["emulate", str(CAPTURE), "--seed", "7"], 2, ["--seed has no effect", "capture"]),
    "PTX file to explain that is missing": (["explain", "--transform", "dac", "{folder}/none.ptx"], 3, ["none.ptx: cannot be read"]),
    "kernel to explain of a missing file": (["explain", "--transform", "dac", "{folder}/none.ptx:k"], 3, ["none.ptx: cannot be read"]),
    "PTX file to profile that is missing": (["profile", "registers", "{folder}/none.ptx"], 3, ["none.ptx: cannot be read"]),
    "PTX file to finalise that is missing": (["profile", "code", "{folder}/none.ptx"], 3, ["none.ptx: cannot be read"]),
    "PTX file to profile that is a folder": (["profile", "registers", "{folder}/folder.ptx"], 3, ["folder.ptx", "it is a folder"]),
    "unknown transform": (["explain", "--transform", "dcc", "vecadd"], 2, ["dcc", "dac"]),
    "no ranks": (["partition", "--ranks", "0"], 2, ["--ranks", "1 to 4096"]),
    "prediction without windows": (["partition", "--predict", "{folder}/whole.h5"], 3, ["--log-windows"]),
    "more nodes than ranks": (["partition", "--ranks", "4", "--nodes", "5"], 2, ["4 ranks", "5 nodes"]),
    "no bandwidth": (["partition", "--bandwidth", "0"], 2, ["--bandwidth", "above 0"]),
    "a cost below nothing": (["partition", "--process-ns", "-1"], 2, ["--process-ns", "0 or more"]),
    "JSON of no prediction": (["partition", "--json"], 2, ["--json", "--predict"]),
    "number of windows": (["bench", "window", "--windows", "-3"], 2, ["--windows", "1 or more"]),
    "comparison with no result": (["diff", "{folder}/whole.h5", "{folder}/text.h5"], 3, ["text.h5", "HDF5"]),
    "unknown study": (["sweep", "plan", "baseline/none"], 2, ["baseline/none", "list studies"]),
    "missing study": (["sweep", "run", "{folder}/none.toml"], 3, ["none.toml", "cannot be read"]),
    "study of an unknown key": (["sweep", "plan", "{folder}/axis.toml"], 2, ["l1d.wayz 4", "did you mean l1d.ways?"]),
    "study of an unknown workload": (["sweep", "plan", "{folder}/workload.toml"], 2, ["vecad", "did you mean vecadd?"]),
    "settings of a workload that is not in the study": (
        ["sweep", "plan", "{folder}/settings.toml"], 3, ["settings.toml:3", "vecad", "vecadd"]),
    "study without instructions": (["sweep", "plan", "{folder}/limit.toml"], 3, ["limit.toml:2", "from 1 to"]),
    "study without workloads": (["sweep", "plan", "{folder}/no_workloads.toml"], 3, ["no_workloads.toml:2", "at least one"]),
    "metric that is no expression": (["sweep", "plan", "{folder}/expression.toml"], 3, ["expression.toml:5", "the end at character 14"]),
    "metric of nothing": (["sweep", "plan", "{folder}/path.toml"], 3, ["counters/l1d/nothing", "did you mean"]),
    "share of a study": (["sweep", "run", "baseline/schedulers", "--shard", "5/3"], 2, ["5/3", "0/4"]),
    "report of nothing": (["report", "{folder}/none.h5", *PYTHON], 3, ["none.h5", "there is no such file"]),
    "report of a text": (["report", "{folder}/text.h5", *PYTHON], 3, ["text.h5", "not an HDF5 file"]),
    "report of no sweep": (["report", "{folder}/whole.h5", "--figure", "caps/fig10", *PYTHON], 3, ["whole.h5", "caps/prefetchers"]),
    "report as a picture": (["report", "{folder}/whole.h5", "-o", "page.png", *PYTHON], 2, ["page.png", ".html"]),
    "unknown figure": (["report", "{folder}/whole.h5", "--figure", "caps/fig99", *PYTHON], 2, ["caps/fig99", "caps/fig10"]),
    "Python that is not there": (["report", "{folder}/whole.h5", "--python", "/no/python"], 2, ["/no/python", "--python"]),
    "reference of a name": (["describe", "gto", "--markdown", "{folder}/reference"], 2, ["NAME or --markdown"]),
    "unknown shell": (["completion", "fish"], 2, ["fish", "bash"]),
}


def truncated_file(program, folder):
    whole = folder / "whole.h5"
    lookahead.simulate(program, ["vecadd", "--size", "tiny", "--out", whole])
    cut = folder / "cut.h5"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    return cut


def make_index(program, folder):
    study = folder / "study.toml"
    study.write_text('title = "x"\nsize = "tiny"\nworkloads = ["vecadd"]\n')
    lookahead.output_of(program, ["sweep", "run", study, "--out", folder / "study.sweep"])
    (folder / "study.sweep" / "index.h5").rename(folder / "index.h5")


def faults(done, code, fragments, out, alone):
    if done.returncode != code:
        yield f"exit code {done.returncode}, expected {code}"
    said = [line for line in done.stderr.splitlines() if line.startswith("lookahead: ")]
    if len(said) != 1 or (alone and len(done.stderr.splitlines()) != 1):
        yield f"{len(said)} messages on stderr, expected one line: {done.stderr!r}"
    if said and FORBIDDEN.search(said[0]):
        yield f"users read '{FORBIDDEN.search(said[0]).group()}' in {said[0]}"
    for fragment in fragments:
        if said and fragment not in said[0]:
            yield f"the message does not say '{fragment}': {said[0]}"
    if out.exists() or list(out.parent.glob("*.partial")):
        yield "a result file was left behind"


def main() -> int:
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--only", help="run the cases whose name contains this")
    arguments = parser.parse_args()

    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder_name:
        folder = pathlib.Path(folder_name)
        for name, text in FILES.items():
            (folder / name).write_text(text)
        (folder / "folder.h5").mkdir()
        (folder / "folder.ptx").mkdir()
        cases = {name: ([word.format(folder=folder) for word in line], code, said)
                 for name, (line, code, said) in {**CASES, **FILE_CASES}.items()}
        cut = truncated_file(arguments.program, folder)
        make_index(arguments.program, folder)
        cases["truncated HDF5 file"] = (["validate", cut], 3, [str(cut)])
        # Cases that ranks meet differently run on two ranks, too: the rest are commands of one process.
        tried = [(name, ranks) for name, (line, _, _) in cases.items() if not arguments.only or arguments.only in name
                 for ranks in ((0, 2) if name in CASES or line[:1] == ["run"] else (0,))]

        def faults_in(case):
            name, ranks = case
            line, code, fragments = cases[name]
            out = folder / f"results of {name} {ranks}" / "run.h5"
            out.parent.mkdir()
            line = [*line, "--out", out] if line[:1] == ["run"] else line
            return list(faults(lookahead.execute(arguments.program, line, ranks), code, fragments, out, ranks == 0))

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for (name, ranks), found in zip(tried, pool.map(faults_in, tried)):
                failed += bool(found)
                passed += not found
                for fault in found:
                    print(f"{name}{', 2 ranks' if ranks else ''}: {fault}")

        # A kernel that never ends is stopped at --max-cycles, with full statistics.
        out = folder / "endless.h5"
        for ranks in (0, 2):
            line = [*kernel("endless", "arguments=s32:1")[1:], "--max-cycles", 20000, "--out", out]
            summary = lookahead.simulate(arguments.program, line, ranks)
            good = summary["status"] == "stopped" and summary["outputs"] == "unchecked" and out.exists()
            failed += not good
            passed += good
            if not good:
                print(f"endless kernel: {summary}")
    print(f"{len(cases)} wrong inputs, {passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
