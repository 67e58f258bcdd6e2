#!/usr/bin/env python3
"""Compares warp instructions of the automatic pass `vecmem` with those of form=looped and of the hand-written form=vector.

--update writes the table of VECTOR_PASS.md. Exits with 1 if outputs differ, or if the pass at its best length has more
instructions than its input and the page does not say so.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import lookahead_process as lookahead  # noqa: E402
import statement_page  # noqa: E402
from unroll_factors import best_factors  # noqa: E402

PAGE = pathlib.Path(__file__).with_name("VECTOR_PASS.md")
MARKS = ("<!-- table: made by vector_pass.py -->", "<!-- end of table -->")
LENGTHS = ("4", "8", "16")
OPTIONS = ["--machine", "vecmem_nvidia"]


def instructions(program, workload, size, settings, options=()):
    """Warp instructions; None where the workload's loops are not unrolled by this factor."""
    words = lookahead.words("--set", settings) + lookahead.words("-o", options)
    done = lookahead.execute(program, ["emulate", workload, "--size", size, *words, *OPTIONS, "--json"])
    if done.returncode == 2 and "unroll=16" in settings:
        return None
    if done.returncode != 0:
        raise RuntimeError(f"emulate {workload} {settings} {options}: exit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)["warp_instructions"]


def measure(program, size):
    results = {}
    for workload, factor in best_factors().items():
        def loops(unroll, *options):
            return instructions(program, workload, size, ["form=looped", f"unroll={unroll}"], options)
        results[workload] = {
            "factor": factor, "base": loops(factor), "plain": loops(1),
            "hand": {length: instructions(program, workload, size, ["form=vector", f"length={length}"])
                     for length in LENGTHS},
            "pass": {length: loops(1, "kernel.transform=vecmem", f"vecmem.length={length}")
                     for length in (*LENGTHS, "best")},
            "unrolled": {length: loops(length, "kernel.transform=vecmem", f"vecmem.length={length}") for length in LENGTHS}}
    return results


def behind(result):
    """Percentage points of the loops' instructions."""
    automatic = min(each for kind in ("pass", "unrolled") for each in result[kind].values() if each is not None)
    return 100 * (automatic - min(result["hand"].values())) / result["base"]


def table(results, size):
    lines = [f"Size {size}; change in percent from the loops unrolled by the second column's factor; `plain`: not unrolled, the pass's input; "
             "`source`: the pass on loops that the source unrolls by the length; the last column: points by which the best result of the pass is "
             "behind the best hand-written one.",
             "", "| workload | unrolled by | instructions | plain | " + " | ".join(f"hand {each}" for each in LENGTHS) + " | " +
             " | ".join(f"pass {each}" for each in (*LENGTHS, "best")) + " | " +
             " | ".join(f"source {each}" for each in LENGTHS) + " | behind |",
             "|---|---|---|---|" + "---|" * (3 * len(LENGTHS) + 2)]
    for name, result in results.items():
        def cell(value):
            return "-" if value is None else f"{100 * (value / result['base'] - 1):+.0f}"
        cells = [cell(result["plain"])]
        cells += [cell(each) for kind in ("hand", "pass", "unrolled") for each in result[kind].values()]
        cells.append(f"{behind(result):+.0f}")
        lines.append(f"| {name} | {result['factor']} | {result['base']} | " + " | ".join(cells) + " |")
    worse = [name for name, result in results.items() if min(result["pass"].values()) > result["plain"]]
    near = [name for name, result in results.items() if behind(result) <= 5]
    lines += ["", f"Within 5 points of hand-written code: {len(near)} of {len(results)}.", "", f"More instructions than its input at every length: {', '.join(worse) or 'none'}."]
    return "\n".join(lines), worse


def main():
    options = statement_page.argument_parser(__doc__, PAGE).parse_args()
    text, worse = table(measure(options.program, options.size), options.size)
    print(text)
    if options.update:
        statement_page.write(PAGE, MARKS, text)
        return 0
    known = re.search(r"^More instructions than its input at every length: (.*)\.$", PAGE.read_text(), re.MULTILINE)
    new = [name for name in worse if known is None or name not in known.group(1).split(", ")]
    for name in new:
        print(f"{name}: more instructions than without the pass", file=sys.stderr)
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
