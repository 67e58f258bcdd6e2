#!/usr/bin/env python3
"""Runs the commands and examples of the guides (experiments/guide), each guide in its own temporary folder.

A fenced block's first word is its language, and the other words say how to treat it:

    sh                 runs, and ends with status 0; `needs=nvcc` skips it, by name, where that command is not there
    python             runs with the analysis package
    text               the output of the sh block before it, line by line, with any numbers
    LANG file=NAME     becomes that file
    cpp compile        compiles as a source of this repository
    LANG in=PATH       is in that file of the repository, word for word
    cmake, diagram     is shown only; every other block must be one of the above

Indented blocks are shown only. Links to files, and paths of the repository between `, must exist.
"""

import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = "/usr/bin/python3"  # Debian's Python, which has h5py
NVCC = "/usr/local/cuda/bin"
SHOWN_ONLY = {"cmake", "diagram"}
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#:]+)\)")
FOLDERS = ("components", "core", "experiments", "cluster", "hdf5_schemas", "partitioning", "tests")
PATH = re.compile(r"`((?:" + "|".join(FOLDERS) + r")(?:/[\w.]+)*)`")
NUMBER = re.compile(r"\d[\d.]*(?:e[-+]\d+)?")


class Block:
    def __init__(self, match, text):
        words = match.group(1).split()
        self.language = words[0] if words else ""
        self.options = dict(word.partition("=")[::2] for word in words[1:])
        self.body = match.group(2)
        self.line = text.count("\n", 0, match.start()) + 1


def blocks_of(text):
    return [Block(match, text) for match in FENCE.finditer(text)]


def has_command(name):
    return shutil.which(name, path=f"{os.environ['PATH']}:{NVCC}") is not None


class Guide:
    """One guide's blocks, run one after another in one folder."""

    def __init__(self, path, program, compiler, folder):
        self.path, self.compiler, self.folder = path, compiler, folder
        self.faults, self.skipped, self.ran = [], [], 0
        self.printed = None
        commands = folder / ".bin"
        commands.mkdir()
        (commands / "lookahead").symlink_to(program.resolve())
        (commands / "python3").symlink_to(PYTHON)
        self.environment = {**os.environ, "PATH": f"{commands}:{os.environ['PATH']}:{NVCC}",
                            "PYTHONPATH": str(ROOT / "experiments" / "analysis"), "MPLBACKEND": "Agg",
                            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_rmaps_base_oversubscribe": "1"}

    def fault(self, block, what):
        self.faults.append(f"{self.path.name}:{block.line}: {what}")

    def execute(self, block, command):
        self.ran += 1
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=1200,
                              check=False)
        if done.returncode != 0:
            self.fault(block, f"exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def run_shell(self, block):
        self.printed = None
        needed = block.options.get("needs")
        if needed and not has_command(needed):
            self.skipped.append(f"{self.path.name}:{block.line}: no {needed}")
            return
        self.printed = self.execute(block, ["bash", "-euo", "pipefail", "-c", block.body])

    def compare(self, block):
        if self.printed is None:
            self.fault(block, "there is no output to compare this with")
            return
        printed = [NUMBER.sub("#", line).rstrip() for line in self.printed.splitlines()]
        for line in block.body.splitlines():
            if NUMBER.sub("#", line).rstrip() not in printed:
                self.fault(block, f"this line is not printed: {line}\nbut:\n{self.printed[-2000:]}")

    def quote(self, block):
        source = ROOT / block.options["in"]
        if not source.is_file() or block.body not in source.read_text():
            self.fault(block, f"this is not in {block.options['in']}")

    def take(self, block):
        known = False
        if "in" in block.options:
            self.quote(block)
            return
        if "file" in block.options:
            (self.folder / block.options["file"]).write_text(block.body)
            known = True
        if "compile" in block.options:
            self.execute(block, [*self.compiler, f"-I{ROOT}", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Werror",
                                 block.options["file"]])
            known = True
        if block.language == "sh":
            self.run_shell(block)
        elif block.language == "python":
            self.execute(block, [PYTHON, "-c", block.body])
        elif block.language == "text":
            self.compare(block)
        elif not known and block.language not in SHOWN_ONLY:
            self.fault(block, f"nobody runs a block of '{block.language}': say file=NAME, compile or in=PATH")

    def check_paths(self, text):
        for link in LINK.findall(text):
            if not (self.path.parent / link).exists():
                self.faults.append(f"{self.path.name}: no {link}, to which it links")
        for path in PATH.findall(text):
            if not (ROOT / path).exists():
                self.faults.append(f"{self.path.name}: no {path}, which it names")

    def run(self):
        text = self.path.read_text()
        self.check_paths(text)
        for block in blocks_of(text):
            try:
                self.take(block)
            except subprocess.TimeoutExpired:
                self.fault(block, "it runs for longer than two minutes")


def run_guide(path, program, compiler):
    with tempfile.TemporaryDirectory() as name:
        guide = Guide(path, program, compiler, pathlib.Path(name))
        guide.run()
        return guide


def check_list(folder):
    """Each guide is in the list of the folder, and the main page leads there."""
    listed = set(LINK.findall((folder / "README.md").read_text()))
    for path in folder.glob("*.md"):
        if path.name not in listed | {"README.md"}:
            yield f"README.md does not list {path.name}"
    if "experiments/guide/README.md" not in LINK.findall((ROOT / "README.md").read_text()):
        yield "the README of the repository does not lead to the guides"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "release" / "lookahead")
    parser.add_argument("--compiler", default="g++ -std=c++20 -march=x86-64-v3", type=shlex.split)
    parser.add_argument("guides", nargs="*", type=pathlib.Path, help="[all of experiments/guide]")
    arguments = parser.parse_args()

    folder = ROOT / "experiments" / "guide"
    paths = arguments.guides or [ROOT / "README.md", *sorted(folder.glob("*.md"))]
    faults = [] if arguments.guides else list(check_list(folder))
    ran = 0
    for path in paths:
        guide = run_guide(path, arguments.program, arguments.compiler)
        faults += guide.faults
        ran += guide.ran
        for skipped in guide.skipped:
            print(f"skipped: {skipped}")
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{len(paths)} pages, {ran} blocks run, {len(faults)} faults")
    return 1 if faults or (not arguments.guides and ran < 30) else 0


if __name__ == "__main__":
    sys.exit(main())
