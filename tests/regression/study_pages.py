#!/usr/bin/env python3
"""Tests the pages of the papers' studies: each equals the page made from its recorded studies, and its claims, checked on a few
workloads of size tiny on one SM (which then has several CTAs), are unchanged; a change of a claim needs a look at the page. The
test goes from the studies' definitions to sweeps, records and claims."""

import importlib.util
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

STUDIES = pathlib.Path(__file__).resolve().parents[2] / "experiments/studies"
# Studies of so many points that one workload is enough.
OF_ONE = {"avc/registers": ["nw"], "vecmem/memory": ["sgemm"], "vecmem/related_bounds": ["bfs"]}
# For each page, which is a test of its own in CMakeLists.txt, the workloads, and the claims that fail on them; all others hold.
PAGES = {
    "caps": (["matrixMul", "stencil", "histogram", "bfs"], {
        "CAPS has the best mean of all", "and the best median", "mean speed-up within 0.03", "of the irregular ones, too",
        "the prefetcher alone gains 2 % or more", "CAPS is better than gto without prefetches", "the gain stays with a large L1I",
        "LAP and ORCH gain about 1 %", "INTER loses", "coverage within 0.05", "accuracy above 0.9",
        "addresses are right in 0.9 of predictions", "and in 0.9 of issued prefetches", "CAPS reads 3 % more at most", "demand evicts 2 % of its lines at most"}),
    "pmode": (["sgemm", "spmv", "FDTD3d", "stencil"], {
        "all 28 within 0.05", "long-latency RAW of Type-L within 0.05", "pre-executed a switch within 2",
        "skipped a switch within 4", "long-latency instructions pre-loaded within 0.05, Type-L", "net energy within 0.05",
        "16 entries are a little better than 8", "OptTB adds to P-mode, Type-L"}),
    "dac": (["hotspot", "pathfinder", "sgemm", "bfs"], {
        "speed-up, all, within 0.05", "speed-up, compute, within 0.05", "speed-up, memory, within 0.05",
        "MTA on memory within 0.05", "instructions, affine ones too, within 0.05",
        "one affine instruction replaces nine, within one", "coverage on compute, geometric mean, within 0.05", "and CAE's",
        "loads that the affine warp asks for, memory, within 0.1", "static energy within 0.05", "arithmetic within 0.1", "register accesses within 0.1",
        "classes by a perfect memory", "a cause for each workload 0.15 below its class's mean"}),
    "avc": (["heartwall", "nw"], {
        "performance within 0.03", "dynamic energy within 0.05", "its best within 0.05",
        "registers by kernel that the three sizes hold more, within one", "capacity, percent, within 10"}),
    "vecmem": (["spsum", "bfs", "sgemm"], {
        "speed-up within 0.05", "speed-up of 1.15 or more", "energy within 0.05", "of functional units, within 0.05",
        "of L2, within 0.05", "of DRAM, within 0.05", "of leakage, within 0.05", "fewer instructions' part of the cycles saved, within 0.1",
        "global memory's part of the gain, within 0.1", "indirect vectors' part, within 0.1",
        "energy x delay within 0.05", "misses of L1 within 0.05", "misses of L2 within 0.05", "misses of DRAM rows within 0.05",
        "speed-up within 0.05, where nothing is scheduled", "misses of L1 within 0.05, where nothing is scheduled",
        "misses of L2 within 0.05, where nothing is scheduled", "misses of DRAM rows within 0.05, where nothing is scheduled",
        "CCWS on its workloads within 0.05", "BATCH on its workloads within 0.03", "CCWS on the original forms within 0.05",
        "a sixteenfold L1 gives CCWS's workloads 1.18", "free rows give BATCH's workloads 1.06", "CCWS on top of vectors within 0.03",
        "BATCH on top of vectors within 0.03"}),
}


def module_of(name):
    spec = importlib.util.spec_from_file_location(f"{name}_tables", STUDIES / name / "tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def of_workloads(text, workloads):
    """The text of a study with these workloads, of size tiny, on one SM."""
    text, workloads_found = re.subn(r"(?s)workloads = \[.*?\]", f"workloads = {workloads}".replace("'", '"'), text)
    text, sizes_found = re.subn(r'(?m)^size = ".*"$', 'size = "tiny"', text)
    assert workloads_found == sizes_found == 1
    first_axis = text.index("[[axis]]")
    before, own_options = re.subn(r"(?m)^options = \[", 'options = ["gpu.sms=1", ', text[:first_axis])
    return before + ("" if own_options else 'options = ["gpu.sms=1"]\n') + text[first_axis:]


def verdicts(program, page, workloads, folder):
    """Which claims hold on these workloads, by name, with our value."""
    from lookahead_analysis import study_tables
    from lookahead_analysis.sweeps import facts_of
    trial = study_tables.Page(folder / page.name, page.paper, page.tables, page.claims)
    trial.folder.mkdir()
    for study in dict.fromkeys(study for study, _, _ in page.claims.values()):
        name = study.rsplit("/")[-1]
        definition = trial.folder / f"{name}.toml"
        definition.write_text(of_workloads((page.folder / f"{name}.toml").read_text(), OF_ONE.get(study, workloads)))
        sweep = trial.folder / f"{name}.sweep"
        lookahead.output_of(program, ["sweep", "run", definition, "--out", sweep, "--jobs", "2", "--progress", "none"])
        study_tables.record(sweep, facts_of(page.paper, study), trial.folder / "results" / f"{name}.csv")
    return {claim: check(trial.recorded(study)) for claim, (study, _, check) in page.claims.items()}


def faults(program, name, folder):
    workloads, failing = PAGES[name]
    page = module_of(name).PAGE
    if page.text() != (page.folder / "README.md").read_text():
        yield f"{page.folder / 'README.md'} is not what its recorded studies make: run tables.py beside it"
    found = verdicts(program, page, workloads, folder)
    for claim in sorted(failing - found.keys()):
        yield f"{name}: the page has no claim '{claim}'"
    for claim, (ours, holds) in found.items():
        if bool(holds) == (claim in failing):
            yield f"{name}: '{claim}' {'holds' if holds else 'fails'} now on {', '.join(workloads)}, tiny: {ours}"


def main() -> int:
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--pages", nargs="+", choices=PAGES, default=list(PAGES))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = [fault for name in chosen.pages for fault in faults(chosen.program, name, pathlib.Path(folder))]
    print("\n".join(found) or "the pages and their claims are as they were")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
