#!/usr/bin/env python3
"""Compares traces with the cycles that the GPU took for them.

    traces.py FOLDER            # each folder in it with kernelslist.g and gt, the cycles; prints the table
    traces.py FOLDER --write    # also puts it into TRACES.md

The traces are not part of the project: github.com/sarchlab/mgpusim has them.
"""

import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402
import statement_page  # noqa: E402

PAGE = pathlib.Path(__file__).resolve().parent / "TRACES.md"
MARKS = ("<!-- tables: made by traces.py -->", "<!-- end of tables -->")
MACHINE = "h100_pcie"
# Nsight Compute empties the caches before it measures, so the kernel's code is not in L2 either.
WAYS = {"as the machine": [], "code not in L2": ["-o", "host.code_fills_l2=false"]}


def main():
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    rows = [["trace", "GPU", *(f"{way}, error" for way in WAYS)]]
    errors = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        for measured in sorted(arguments.folder.glob("*/gt")):
            cycles = int(measured.read_text())
            row = [measured.parent.name, str(cycles)]
            for way, options in WAYS.items():
                found = lookahead.simulate(arguments.program, [measured.parent / "kernelslist.g", "-m", MACHINE, *options,
                                                               "--out", pathlib.Path(folder) / "run.h5"])["cycles"]
                errors[way].append(found / cycles - 1)
                row.append(f"{found}, {found / cycles - 1:+.1%}")
            rows.append(row)
    rows.append(["mean absolute error", "", *(f"{statistics.mean(map(abs, errors[way])):.1%}" for way in WAYS)])
    text = statement_page.markdown(rows)
    print(text)
    if arguments.write:
        statement_page.write(PAGE, MARKS, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
