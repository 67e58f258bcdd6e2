"""Runs a paper's studies `map` and `places` at size tiny, for tests of its map."""

import pathlib
import sys
import tomllib

import lookahead_process as lookahead

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "experiments/analysis"))
from lookahead_analysis import papers  # noqa: E402
from lookahead_analysis.sweeps import Sweep  # noqa: E402


def tables_of(checks, name, workloads):
    """The tables of the figures `kernel`, `map` and `agreement`, of all points of the map and of these workloads. All points are
    complete, which a point with a wrong output would not be; and the map can be drawn."""
    paper, folder, tables = papers.of(name), checks.folder / name, {}
    folder.mkdir()
    for study in ("map", "places"):
        source = ROOT / "experiments/studies" / name / f"{study}.toml"
        its = workloads if study == "places" else tomllib.loads(source.read_text())["workloads"]
        (folder / f"{study}.toml").write_text(lookahead.tiny_study(source, its))
        out = folder / f"{name}-{study}.sweep"
        said = checks.succeeds(["sweep", "run", folder / f"{study}.toml", "--out", out, "--jobs", "2", "--progress", "none"])
        checks.check(f"points of {name}/{study}", " 0 failed" in said, said)
        sweep = Sweep(out, paper.facts_of(study))
        for figure in ("kernel",) if study == "map" else ("map", "agreement"):
            tables[figure] = paper.table(figure, sweep)
    image = folder / "map.png"
    checks.succeeds(["report", folder / f"{name}-places.sweep", "--figure", f"{name}/map", "-o", image, "--python", sys.executable])
    checks.check("the map's image", image.stat().st_size > 10_000, image)
    return tables


def check(checks, name, workloads, what, holds):
    """Checks a paper's map of all its points and these workloads: `holds`, called `what`, is true of the kernel's gains, all workloads
    have places, and the figure `agreement` has their distance from the map."""
    tables = tables_of(checks, name, workloads)
    kernel, placed = tables["kernel"], tables["map"]
    checks.check(what, holds(kernel), kernel)
    checks.check("all workloads have places", len(placed) == len(workloads) and placed.notna().to_numpy().all(), placed)
    difference = (placed["the map's gain"] - placed["its gain"]).abs().mean()
    checks.check("how far they are apart", abs(tables["agreement"].loc["the map", "mean absolute difference"] - difference) < 1e-9, tables)
