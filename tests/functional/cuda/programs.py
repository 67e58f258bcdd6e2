#!/usr/bin/env python3
"""Compiles the CUDA programs of this folder with nvcc, runs each under `lookahead capture`, replays the capture, and runs the
program live under `lookahead run`.

    programs.py --program LOOKAHEAD [--regenerate] [--libraries] [NAME...]

A program must end with status 0 and print that its result is correct, live too; the replay on the timing model must get
the same bytes. --regenerate puts the captures beside the sources, except large ones. Without nvcc nothing is tested,
and the exit status is 77. The programs of libraries/, which take nvcc a minute, are tested if they are named or with
--libraries. A program in REFUSED is run again with the arguments there: `capture` must refuse it with the message
there.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
LIBRARIES = FOLDER / "libraries"
SKIPPED = 77
NVCC_FLAGS = ["-std=c++17", "--cudart", "shared", "-arch=sm_75"]
MORE_FLAGS = {"relocatable": ["-rdc=true"]}
# What `capture` says of programs with an argument that makes them launch a kernel that cannot run.
REFUSED = {
    "unused_kernels": {"m": "it launches multiply(__half const*, __half const*, float*): unused_kernels.ptx:"},
}
LARGEST_CAPTURE = 200_000  # bytes
# Programs whose kernels fail on purpose, with what the replay and the live run say. They end with status 4.
FAILING = {"errors": "address 0x40 is not in allocated global memory"}
# Options that a live run needs, because it does not know in advance how large a kernel's blocks are.
LIVE_OPTIONS = {"wide_blocks": ["-o", "isa.registers=32"]}
# Programs whose results may vary, with what the replay says, which ends with status 4; their live run ends well.
VARYING = {"arrival_order": "the order of atomics, which is free, may explain it"}


def find_nvcc():
    found = shutil.which("nvcc")
    return found or next((str(p) for p in [pathlib.Path("/usr/local/cuda/bin/nvcc")] if p.exists()), None)


def sources():
    """Name of each program, and its files: a file, or all of a folder."""
    programs = {path.stem: [path] for path in FOLDER.glob("*.cu")}
    programs.update({path.name: sorted(path.glob("*.cu")) for path in FOLDER.iterdir()
                     if path.is_dir() and path != LIBRARIES})
    return {name: files for name, files in sorted(programs.items()) if files}


def library_programs():
    return {path.stem: [path] for path in sorted(LIBRARIES.glob("*.cu"))}


def run(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=1200)


def check(nvcc, lookahead, name, files, work):
    """What went wrong, or None."""
    binary, capture = work / name, work / f"{name}.capture.h5"
    built = run([nvcc, *NVCC_FLAGS, *MORE_FLAGS.get(name, []), "-o", str(binary), *map(str, files)])
    if built.returncode != 0:
        return f"nvcc: {built.stderr}"
    captured = run([lookahead, "capture", "-o", str(capture), "--", str(binary)])
    if captured.returncode != 0 or not captured.stdout.rstrip().endswith("correct"):
        return f"capture, status {captured.returncode}: {captured.stdout}{captured.stderr}"
    for argument, sentence in REFUSED.get(name, {}).items():
        refused = run([lookahead, "capture", "-o", str(work / "refused.h5"), "--", str(binary), argument])
        if refused.returncode != 3 or sentence not in refused.stderr:
            return f"refusal, status {refused.returncode}: {refused.stdout}{refused.stderr}"
    replayed = run([lookahead, "run", str(capture), "--progress", "none", "--out", str(work / "replay.h5")])
    well = (0, "outputs match")
    fails = {program: (4, sentence) for program, sentence in FAILING.items()}
    expected, sentence = {**fails, **{program: (4, words) for program, words in VARYING.items()}}.get(name, well)
    if replayed.returncode != expected or sentence not in replayed.stdout + replayed.stderr:
        return f"replay, status {replayed.returncode}: {replayed.stdout}{replayed.stderr}"
    live = run([lookahead, "run", "-o", "sm.simt=convergence_barrier", *LIVE_OPTIONS.get(name, []), "--progress", "none",
                "--out", str(work / "live.h5"), "--", str(binary)])
    expected, sentence = fails.get(name, well)
    if live.returncode != expected or sentence not in live.stdout + live.stderr:
        return f"live, status {live.returncode}: {live.stdout}{live.stderr}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="lookahead")
    parser.add_argument("--regenerate", action="store_true")
    parser.add_argument("--libraries", action="store_true", help="also those that use CUDA's libraries of templates")
    parser.add_argument("names", nargs="*", help="only these programs")
    options = parser.parse_args()
    nvcc = find_nvcc()
    if nvcc is None:
        print("there is no nvcc here: the programs are not compiled; their captures are replayed by other tests")
        return SKIPPED
    lookahead = os.path.abspath(options.program)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        programs = sources()
        programs.update({name: files for name, files in library_programs().items()
                         if options.libraries or name in options.names})
        for name, files in programs.items():
            if options.names and name not in options.names:
                continue
            problem = check(nvcc, lookahead, name, files, pathlib.Path(folder))
            print(f"{name}: {problem or 'correct'}", flush=True)
            failures += problem is not None
            capture = pathlib.Path(folder) / f"{name}.capture.h5"
            if options.regenerate and problem is None and name not in VARYING and capture.stat().st_size <= LARGEST_CAPTURE:
                shutil.copy(capture, FOLDER)
    if options.regenerate:
        run([nvcc, "-ptx", "-std=c++17", "-arch=compute_75", "-o", str(FOLDER / "device_assert.ptx"),
             str(FOLDER / "device_assert.cu")])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
