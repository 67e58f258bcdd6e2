#!/usr/bin/env python3
"""Tests the pages of the papers' studies: each equals the page made from its recorded studies, and its claims, checked on a few
workloads of size tiny on one SM (which then has several CTAs), are unchanged; a change of a claim needs a look at the page. The
test goes from the studies' definitions to sweeps, records and claims."""

import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402
from made_sweeps import study_tables  # noqa: E402

STUDIES = pathlib.Path(__file__).resolve().parents[2] / "experiments/studies"
PAGES = sorted(path.parent.name for path in STUDIES.glob("*/claims.py"))


def on_one_sm(text):
    first_axis = text.index("[[axis]]")
    before, own_options = re.subn(r"(?m)^options = \[", 'options = ["gpu.sms=1", ', text[:first_axis])
    return before + ("" if own_options else 'options = ["gpu.sms=1"]\n') + text[first_axis:]


def verdicts(program, page, folder):
    """Which claims hold on the workloads of its trial, by name, with our value."""
    made = study_tables.Page(folder / page.name, page.paper, page.tables, page.claims)
    made.folder.mkdir()
    for study in dict.fromkeys(study for study, _, _ in page.claims.values()):
        definition, sweep = (made.folder / f"{study}.{ending}" for ending in ("toml", "sweep"))
        workloads = page.trial.of_one.get(study, page.trial.workloads)
        definition.write_text(on_one_sm(lookahead.tiny_study(page.folder / f"{study}.toml", workloads)))
        lookahead.output_of(program, ["sweep", "run", definition, "--out", sweep, "--jobs", "2", "--progress", "none"])
        study_tables.record(sweep, page.paper.facts_of(study), made.file(study))
    return {claim: check(made.recorded(study)) for claim, (study, _, check) in page.claims.items()}


def faults(program, name, folder):
    page = study_tables.page_of(STUDIES / name)
    failing = page.trial.failing
    for path in page.differing():
        yield f"{path} is not what its recorded studies make: run experiments/studies/tables.py"
    found = verdicts(program, page, folder)
    for claim in sorted(failing - found.keys()):
        yield f"{name}: the page has no claim '{claim}'"
    for claim, (ours, holds) in found.items():
        if bool(holds) == (claim in failing):
            yield f"{name}: '{claim}' {'holds' if holds else 'fails'} now on {', '.join(page.trial.workloads)}, tiny: {ours}"


def main() -> int:
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--pages", nargs="+", choices=PAGES, default=PAGES)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = [fault for name in chosen.pages for fault in faults(chosen.program, name, pathlib.Path(folder))]
    print("\n".join(found) or "the pages and their claims are as they were")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
