#!/usr/bin/env python3
"""Adds a prefetcher, an issue extension of the SM and a paper to a copy of the repository, each as one folder, and touches no other
file. The program built from the copy lists them, runs them with right outputs, and plans the paper's study.

    seams.py --folder build/seams    # keeps the copy and its build there; builds the program, minutes"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/support"))
import lookahead_process as lookahead  # noqa: E402

LIBRARY = """lookahead_mechanism(components_mechanisms_sample SOURCES {source}
  DEPENDS components_sm_prefetch components_sm_pipeline core_component core_param core_stats)
"""
PREFETCHER = """#include "components/sm/prefetch/prefetcher.h"
#include "core/param/parameters.h"

namespace lookahead::gpu {

class PreviousLinePrefetcher final : public Prefetcher {
  public:
    explicit PreviousLinePrefetcher(const PrefetcherArguments& arguments) : port_(arguments.port) {}

    void on_access(const L1Event& event, Cycle) override {
        if (event.kind == L1EventKind::miss) { port_.prefetch({.line = event.line - kLineBytes, .pc = event.pc}); }
    }
    void fields(StateArchive&) override {}

  private:
    PrefetchPort& port_;
};

LOOKAHEAD_REGISTER_VARIANT(Prefetcher, PreviousLinePrefetcher, "previous", "The line before one that missed.", "none")

}  // namespace lookahead::gpu
"""
EXTENSION = """#include "components/sm/pipeline/issue_extension.h"
#include "core/state/state_archive.h"

namespace lookahead::gpu {

class WarpCounter final : public IssueExtension {
  public:
    explicit WarpCounter(const IssueExtensionArguments& arguments) : IssueExtension(arguments) {}

    void warp_started(unsigned) override { ++warps_; }
    void fields(StateArchive& archive) override { archive& warps_; }

  private:
    std::uint64_t warps_ = 0;
};

LOOKAHEAD_REGISTER_VARIANT(IssueExtension, WarpCounter, "warp_counter", "Counts the warps that start.", "none")

}  // namespace lookahead::gpu
"""
PAPER = """{
 "order": 99, "name": "Sample", "source": "none", "machine": "gtx480", "example": "vecadd", "designs": {}, "figures": {},
 "workloads": {"vecadd": ["VA", "regular"]}
}
"""
FIGURES = '''"""The figures of a paper without any."""

FIGURES, STUDIES = {}, {}
'''
STUDY = """title = "Two prefetchers"
size = "tiny"
workloads = ["vecadd"]
[[axis]]
key = "sm.prefetcher"
values = ["none", "previous"]
"""
ADDED = {"components/mechanisms/sample_prefetcher/CMakeLists.txt": LIBRARY.format(source="previous_line.cpp"),
         "components/mechanisms/sample_prefetcher/previous_line.cpp": PREFETCHER,
         "components/mechanisms/sample_extension/CMakeLists.txt":
             LIBRARY.format(source="warp_counter.cpp").replace("_sample", "_sample_extension"),
         "components/mechanisms/sample_extension/warp_counter.cpp": EXTENSION,
         "experiments/studies/sample/paper.json": PAPER, "experiments/studies/sample/figures.py": FIGURES,
         "experiments/studies/sample/lines.toml": STUDY}


def copy_tree(to):
    """The tracked files as they are in the working tree, with the added files. Equal files keep their times."""
    listed = subprocess.run(["git", "ls-files"], cwd=TOP, capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
    for name in [name for name in listed if (TOP / name).is_file()]:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        if not (to / name).exists() or (to / name).read_bytes() != (TOP / name).read_bytes():
            shutil.copy(TOP / name, to / name)
    for name, text in ADDED.items():
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        (to / name).write_text(text)


def build(tree):
    subprocess.run(["cmake", "--preset", "release", "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=0"], cwd=tree, check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "build/release", "--parallel", str(os.cpu_count()), "--target", "lookahead"], cwd=tree,
                   check=True, stdout=subprocess.DEVNULL)
    return tree / "build/release/lookahead"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    tree = parser.parse_args().folder.resolve()
    copy_tree(tree)
    program = build(tree)
    failures = []

    def check(what, words, expected):
        done = lookahead.execute(program, words)
        if done.returncode != 0 or expected not in done.stdout:
            failures.append(f"{what}: exit code {done.returncode}\n{done.stdout[-400:]}{done.stderr[-400:]}")

    run = ["run", "vecadd", "--size", "tiny", "--progress", "none", "--out", tree / "seams.h5", "-o"]
    check("prefetcher listed", ["list", "variants"], "previous")
    check("prefetcher", [*run, "sm.prefetcher=previous"], "outputs match")
    check("extension listed", ["describe", "warp_counter"], "Counts the warps")
    check("extension", [*run, "sm.issue_extension=warp_counter"], "outputs match")
    check("both beside others", [*run, "sm.issue_extension=warp_counter+pmode", "-o", "sm.prefetcher=previous"], "outputs match")
    check("study listed", ["list", "studies"], "sample/lines")
    check("study planned", ["sweep", "plan", "sample/lines"], "2 points")
    print("\n".join(failures) or f"{len(ADDED)} files added, none changed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
