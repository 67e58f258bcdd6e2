#!/usr/bin/env python3
"""A paper is one folder: a copy of the sources gets the folder experiments/studies/example and nothing else; the analysis, its wheel,
the page, the table of classes, the program and the tests then have the paper."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import h5py

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))
import lookahead_process as lookahead  # noqa: E402
from made_sweeps import make_sweep  # noqa: E402

FILES = {
    "paper.json": json.dumps({
        "order": 9, "name": "Example", "source": "Nobody, 2026", "machine": "example_gpu", "example": "vecadd",
        "designs": {"fast": ["sm.warp_scheduler=gto"]}, "workloads": {"vecadd": ["VA", "quick"]},
        "figures": {"fig1": {"words": "twice as fast", "values": {"mean": {"fast": 2.5}}}}}),
    "speeds.toml": 'title = "Speeds of the example"\nmachine = "example_gpu"\nsize = "tiny"\nworkloads = ["vecadd"]\n'
                   '[[axis]]\nname = "design"\n[[axis.value]]\nname = "base"\n[[axis.value]]\nname = "fast"\n',
    "machines/example_gpu.toml": 'description = "The GPU of the example."\n',
    "figures.py": """from lookahead_analysis.sweeps import over, with_mean


def facts(run):
    return {"cycles": float(run.attrs["cycles"])}


STUDIES = {"speeds": {"design": ["base"]}}
FIGURES = {"fig1": ("speeds", "Speed-up", over("design", "base", with_mean)("cycles", invert=True), "IPC, normalised")}
""",
    "claims.py": """from lookahead_analysis import papers, study_tables

TABLES = {"speeds": ["fig1"]}
CLAIMS = {"twice, within 0.1": study_tables.claims_of(papers.of(__name__))("fig1", "mean", "fast", 0.1)}
TRIAL = study_tables.Trial(["vecadd"], set())
""",
    "classes.py": '"""quick or not."""\nROW = "divergence"\n',
    "test_figures.py": "",
    "README.md": "".join(f"<!-- example/{name}: made by tables.py -->\n<!-- end of example/{name} -->\n" for name in ("claims", "speeds")),
}
# The folders of the build that find papers, without a compiler.
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(copy NONE)
enable_testing()
add_executable(lookahead IMPORTED)
set_target_properties(lookahead PROPERTIES IMPORTED_LOCATION /lookahead)
function(lookahead_library)
endfunction()
function(lookahead_test name)
  add_test(NAME ${name} COMMAND ${name})
endfunction()
function(target_compile_options)
endfunction()
foreach(folder experiments/machines experiments/workloads experiments/sweep experiments/figures tests/experiments tests/regression)
  add_subdirectory(${folder})
endforeach()
"""


def make_point(path, cycles, _):
    with h5py.File(path, "w") as run:
        run.attrs.update({"cycles": cycles, "size": "tiny"})
        run.create_group("meta").attrs.update({"git_revision": "abc", "wall_s": 1.0})


def copy_with_example(folder):
    left_out = shutil.ignore_patterns("results", "__pycache__")
    for name in ("analysis", "figures", "machines", "studies", "sweep", "workloads"):
        shutil.copytree(ROOT / "experiments" / name, folder / "experiments" / name, ignore=left_out)
    for name in ("cluster", "tests"):
        (folder / name).symlink_to(ROOT / name)
    for name, text in FILES.items():
        path = folder / "experiments/studies/example" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "CMakeLists.txt").write_text(PROJECT)


def check_example(checks):
    root = checks.folder / "copy"
    experiments, build = root / "experiments", root / "build"
    copy_with_example(root)
    sweep = root / "example-speeds.sweep"
    make_sweep(sweep, "example/speeds", "design", {("vecadd", "base"): 1000, ("vecadd", "fast"): 400}, make_point)

    def succeeds(*words, text="", **environment):
        done = subprocess.run([*map(str, words)], input=text, capture_output=True, text=True, env=os.environ | environment)
        checks.check(" ".join(map(str, words[:3])), done.returncode == 0, done.stdout + done.stderr)
        return done.stdout

    def shows_figure(what, shown):
        lines = [" ".join(line.split()) for line in shown.splitlines()]
        checks.check(f"{what} has the figure", {"vecadd 2.500", "paper: twice as fast"} <= set(lines), shown)

    figure = ("example/fig1", sweep)
    shows_figure("the analysis", succeeds(sys.executable, "-m", "lookahead_analysis.figures", *figure, "-o", root / "fig1.svg",
                                          PYTHONPATH=str(experiments / "analysis")))
    checks.check("words are not below an image that has marks", "twice" not in (root / "fig1.svg").read_text())
    wheel = succeeds(sys.executable, experiments / "analysis/make_wheel.py", "1.0", root).strip()
    shows_figure("the wheel", succeeds(sys.executable, "-m", "lookahead_analysis.figures", *figure, PYTHONPATH=wheel))

    succeeds(sys.executable, experiments / "studies/tables.py", "example", "--sweeps", root)
    page = (experiments / "studies/example/README.md").read_text()
    checks.check("the page", "| vecadd | 2.500 |" in page and "| twice, within 0.1 | 2.5 | 2.500 | pass |" in page, page)
    classes = succeeds(sys.executable, experiments / "workloads/characterise", "--classes")
    checks.check("classes", "| Example | measured |" in classes and "| VA quick |" in classes, classes)

    succeeds("cmake", "-S", root, "-B", build)
    for name, text in {"workloads/manifest.cpp": '{"Example", "VA", "quick"}', "sweep/built_in_studies.cpp": '"example/speeds", "Speeds of',
                       "machines/built_in_machines.cpp": '"example_gpu", "The GPU of the example."'}.items():
        generated = (build / "generated/experiments" / name).read_text()
        checks.check(f"{name} of the program", text in generated, generated[-2000:])
    script = (build / "generated/experiments/figures/figures_script.cpp").read_text()
    script = script.split('R"LOOKAHEAD_PYTHON(')[1].split(')LOOKAHEAD_PYTHON"')[0]
    shows_figure("the program", succeeds(sys.executable, "-", "figures", *figure, text=script))
    tests = succeeds("ctest", "--test-dir", build, "-N")
    checks.check("tests", "studies.example.figures" in tests and "regression.study_pages.example" in tests, tests)
    (experiments / "studies/example/paper.json").write_text(FILES["paper.json"].replace("vecadd\": [", "vecad\": ["))
    refused = subprocess.run(["cmake", "-S", root, "-B", build], capture_output=True, text=True)
    checks.check("a workload that is not there", refused.returncode and "has the workload vecad, which" in " ".join(refused.stderr.split()), refused)


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, lookahead.Checks, check_example))
