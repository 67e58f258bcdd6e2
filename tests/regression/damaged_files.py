#!/usr/bin/env python3
"""Damaged HDF5 files: a result, a capture, a checkpoint and a sweep's files, with bytes changed, zeroed, exchanged or cut off, are
given to each command that reads them. Each must end in time, by an exit code of the contract, with one sentence and no crash.

A mutation is one of three kinds. A third of them leave the file's checksum as it was: each command must refuse the
file. A third remove the checksum, because an older program's file has none. A third change numbers and make the
checksum right.

    damaged_files.py --program build/release/lookahead --mutations 2000 --seed 7"""

import argparse
import concurrent.futures
import dataclasses
import itertools
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

import h5py

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import lookahead_process as lookahead  # noqa: E402
from hdf5_files import CHECKSUM_BYTES, sealed  # noqa: E402

SECONDS = 120
REPORTS = 4  # Python takes seconds for each: one of three mutations of a file in every so many rounds over the files
MEMORY = 16 << 30
FORBIDDEN = re.compile(r"Traceback|errno|std::|basic_\w|terminate called|bad_alloc|Assertion|internal error|HDF5-DIAG")
# A launch's shape determines how long it takes: if a kernel of 2^31 CTAs does not end in time, that is no fault.
SPARED = re.compile(r"calls/(grid|block)_")
STUDY = 'title = "damage"\nworkloads = ["vecadd"]\nsize = "tiny"\n[[axis]]\nkey = "l1d.ways"\nvalues = [2, 4]\n'


@dataclasses.dataclass
class Target:
    """A file, the folder that goes with it, and the command lines that read it."""

    folder: pathlib.Path
    file: str
    commands: list
    numbers: list = dataclasses.field(default_factory=list)  # where the numbers of its datasets lie: (begin, end)


def places_of_numbers(path):
    places, spared = [], []

    def visit(name, item):
        if not isinstance(item, h5py.Dataset) or item.dtype.hasobject or item.size == 0:
            return
        if item.chunks is None:
            pieces = [(item.id.get_offset(), item.id.get_storage_size())]
        else:
            chunks = (item.id.get_chunk_info(number) for number in range(item.id.get_num_chunks()))
            pieces = [(chunk.byte_offset, chunk.size) for chunk in chunks]
        (spared if SPARED.search(name) else places).extend((begin, begin + size) for begin, size in pieces if begin is not None)

    with h5py.File(path, "r") as file:
        file.visititems(visit)
    return places, spared


def make_targets(program, folder):
    def run(*arguments, codes=(0,)):
        done = lookahead.execute(program, arguments)
        if done.returncode not in codes:
            raise RuntimeError(f"{arguments}: exit {done.returncode}\n{done.stdout}{done.stderr}")

    for name in ("result", "capture", "checkpoint", "sweep"):
        (folder / name).mkdir()
    run("run", "vecadd", "--size", "tiny", "--progress", "none", "--out", folder / "result/run.h5")
    shutil.copy(folder / "result/run.h5", folder / "result/other.h5")
    run("capture", "--workload", "vecadd", "--size", "tiny", "--out", folder / "capture/app.capture.h5")
    run("run", "vecadd", "--size", "tiny", "--progress", "none", "--max-cycles", "3000", "--checkpoint-every", "1000",
        "--checkpoint-keep", "1", "--checkpoint-dir", folder / "checkpoint", "--out", folder / "checkpoint/run.h5")
    (folder / "study.toml").write_text(STUDY)
    run("sweep", "run", folder / "study.toml", "--out", folder / "sweep/study.sweep", "--jobs", "1")
    checkpoint = next((folder / "checkpoint").glob("*.checkpoint.h5")).name
    point = next((folder / "sweep/study.sweep/points").glob("*.h5")).relative_to(folder / "sweep")
    none = ["--progress", "none"]
    sweep = [["sweep", "status", "{study}", "--out", "study.sweep"], ["sweep", "collect", "{study}", "--out", "study.sweep"],
             ["report", "study.sweep", "--out", "page.html"]]
    study = folder / "study.toml"
    sweep = [[word.replace("{study}", str(study)) for word in line] for line in sweep]
    targets = [
        Target(folder / "result", "run.h5", [["validate", "run.h5"], ["diff", "run.h5", "other.h5"],
                                             ["partition", "graph", "--weights", "run.h5"],
                                             ["report", "run.h5", "--out", "page.html"]]),
        Target(folder / "capture", "app.capture.h5",
               [["validate", "app.capture.h5"], ["run", "app.capture.h5", "--max-cycles", "5000", "--out", "new.h5", *none],
                ["emulate", "app.capture.h5", "--max-instructions", "100000"]]),
        Target(folder / "checkpoint", checkpoint, [["validate", checkpoint], ["diff", checkpoint, checkpoint],
                                                   ["resume", checkpoint, "--out", "new.h5", *none]]),
        Target(folder / "sweep", "study.sweep/index.h5", [["validate", "study.sweep/index.h5"], *sweep]),
        Target(folder / "sweep", str(point), [["validate", str(point)], *sweep]),
    ]
    for target in targets:
        places, spared = places_of_numbers(target.folder / target.file)
        target.numbers, target.spared = places, spared
    return targets


# ---- Mutations -------------------------------------------------------------------------------------------------------

def flip(data, begin, end, chance):
    for _ in range(chance.choice((1, 1, 2, 8))):
        data[chance.randrange(begin, end)] ^= 1 << chance.randrange(8)


def overwrite(data, begin, end, chance):
    at = chance.randrange(begin, end)
    count = min(chance.choice((1, 4, 8)), end - at)
    data[at:at + count] = chance.choice((b"\xff" * count, chance.randbytes(count), b"\x7f" * count))


def zero(data, begin, end, chance):
    at = chance.randrange(begin, end)
    count = min(chance.choice((8, 64, 512)), end - at)
    data[at:at + count] = bytes(count)


def exchange(data, begin, end, chance):
    count = min(chance.choice((8, 64, 512)), (end - begin) // 2)
    first, second = (chance.randrange(begin, end - count + 1) for _ in range(2))
    if count and abs(first - second) >= count:
        data[first:first + count], data[second:second + count] = data[second:second + count], data[first:first + count]


def cut(data, begin, end, chance):
    del data[chance.randrange(begin, end):]


def mutated(whole, target, kind, chance):
    """The file's bytes after a mutation of the kind, and what was done."""
    body = bytearray(whole[:-CHECKSUM_BYTES])
    if kind == "sealed":
        begin, end = chance.choice(target.numbers)
        how = chance.choice((flip, overwrite, zero, exchange))
        how(body, begin, end, chance)
        return sealed(body), how
    how = chance.choice((flip, flip, overwrite, zero, exchange, cut))
    if kind == "kept":
        data = bytearray(whole)
        how(data, 0, len(body), chance)
        return bytes(data), how
    how(body, 0, len(body), chance)
    for begin, end in target.spared:
        body[begin:end] = whole[begin:min(end, len(body))]
    return bytes(body), how


# ---- What the commands must do ---------------------------------------------------------------------------------------

def fault_of(line, kind, done):
    """What is wrong with how a command ended; nothing if it is right."""
    said = done.stdout + done.stderr
    errors = [text for text in done.stderr.splitlines() if text.startswith("lookahead: ")]
    if FORBIDDEN.search(said):
        return "says what no user should read"
    codes = {0, 3}
    if kind == "kept":
        # A sweep's status and pages leave out points that cannot be read, and an index that cannot be read is made anew.
        codes = {0, 3} if line[0] in ("sweep", "report") else {3}
    elif line[0] in ("run", "emulate", "diff"):
        codes = {0, 3, 4}  # other bytes are another program, or a difference
    elif line[0] == "resume":
        codes = {0, 2, 3}
    if done.returncode not in codes:
        return f"exit {done.returncode}"
    if done.returncode != 0 and line[0] != "diff" and len(errors) != 1:
        return f"{len(errors)} sentences on stderr"
    return ""


def try_mutation(program, target, number, seed, with_report):
    chance = random.Random(f"{seed} {number}")
    kind = ("kept", "removed", "sealed")[number % 3]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "files"
        shutil.copytree(target.folder, folder)
        path = folder / target.file
        whole = path.read_bytes()
        data, how = mutated(whole, target, kind, chance)
        if data == whole:
            return []
        faults = []
        for line in target.commands:
            if line[0] == "report" and not with_report:
                continue
            path.write_bytes(data)
            words = [*line, *(["--python", sys.executable] if line[0] == "report" else [])]
            command = ["prlimit", f"--data={MEMORY}", "--core=0", str(program), *words]
            try:
                done = subprocess.run(command, cwd=folder, timeout=SECONDS, capture_output=True, text=True, errors="replace", check=False)
                fault = fault_of(line, kind, done)
                said = (done.stdout + done.stderr)[-600:]
            except subprocess.TimeoutExpired:
                fault, said = f"does not end in {SECONDS} s", ""
            if fault:
                faults.append(f"mutation {number} ({kind} checksum, {how.__name__}) of {target.file}: {' '.join(line)}: {fault}\n{said}")
        return faults


def has_report(seed, number):
    return number // 15 % REPORTS == 0 and random.Random(f"{seed} {number // 3}").randrange(3) == number % 3


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--mutations", type=int, default=30)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--only", type=int, help="one mutation, by its number")
    chosen = parser.parse_args()
    program = chosen.program.resolve()
    print(f"seed {chosen.seed}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        targets = make_targets(program, pathlib.Path(name))
        numbers = range(chosen.mutations) if chosen.only is None else [chosen.only]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(try_mutation, program, targets[number // 3 % len(targets)], number, chosen.seed,
                                has_report(chosen.seed, number) or chosen.only is not None) for number in numbers]
            faults = list(itertools.chain.from_iterable(job.result() for job in jobs))
    print("\n".join(faults))
    print(f"{len(numbers)} mutations, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
