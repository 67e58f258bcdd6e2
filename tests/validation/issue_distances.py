#!/usr/bin/env python3
"""Prints how soon ptxas lets instructions issue after one of fixed latency on which they depend, in its code for sm_90.

    issue_distances.py --program P            # prints the table
    issue_distances.py --program P --write    # writes it into the README of components/frontend/native

A distance is the sum of the stall counts between two instructions of a basic block, and the table has the shortest one
over all workloads. It bounds the latency that ptxas assumes from above. Needs ptxas.
"""

import collections
import pathlib
import re
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402
import statement_page  # noqa: E402

PAGE = pathlib.Path(__file__).resolve().parents[2] / "components/frontend/native/README.md"
MARKS = ("<!-- tables: made by tests/validation/issue_distances.py -->", "<!-- end of tables -->")
LINE = re.compile(r"(0x[0-9a-f]+) +(?:@!?(U?P\d) )?(\S+) *(.*?) +// stall (\d+)(.*)")
REGISTER, PREDICATE = re.compile(r"\bU?R\d+"), re.compile(r"\bU?P\d")
TARGET = re.compile(r"(?:BRA|BSSY B\d+,|CALL\S*) (0x[0-9a-f]+)")
WITHOUT_RESULT = ("ST", "RED", "BRA", "EXIT", "BAR", "MEMBAR", "BSSY", "BSYNC", "NOP", "RET", "CALL", "BREAK")
COLUMNS = {"uniform": "to a register operand of a uniform instruction", "register": "of another one", "predicate": "to a predicate operand",
           "guard": "to a guard"}


def operands(name, text):
    """What an instruction writes and reads, as sets of names; the upper registers of wide operands are left out."""
    parts = [part.strip() for part in text.split(",")]
    if name.startswith(WITHOUT_RESULT):
        return set(), set(REGISTER.findall(text)) | set(PREDICATE.findall(text))
    results = 1
    while results < len(parts) - 1 and results < 3 and PREDICATE.fullmatch(parts[results]) and name != "SEL":
        results += 1
    written, read = ",".join(parts[:results]), ",".join(parts[results:])
    return (set(REGISTER.findall(written)) | set(PREDICATE.findall(written)),
            set(REGISTER.findall(read)) | set(PREDICATE.findall(read)))


def distances(text):
    """The shortest distances in the text, by opcode of the writer and kind of the reader's operand; None for opcodes whose
    latency varies, which have barriers."""
    shortest, targets = {}, {int(target, 16) for target in TARGET.findall(text)}
    writers, time = {}, 0
    for line in text.splitlines():
        found = LINE.match(line)
        if not found or int(found[1], 16) in targets:
            writers = {}
        if not found:
            continue
        _, guard, opcode, rest, stall, control = found.groups()
        name = opcode.split(".")[0]
        written, read = operands(name, rest)
        uses = [("guard", guard)] if guard else []
        kind_of_register = "uniform" if name.startswith("U") else "register"
        uses += [("predicate" if PREDICATE.fullmatch(each) else kind_of_register, each) for each in sorted(read)]
        for kind, each in uses:
            if each in writers:
                writer, at = writers[each]
                shortest[writer, kind] = min(shortest.get((writer, kind), time - at), time - at)
        for each in written:
            writers.pop(each, None)
            if "writes b" in control:
                shortest[name] = None
            else:
                writers[each] = ("IMAD.WIDE" if opcode.startswith("IMAD.WIDE") else name, time)
        time += max(1, int(stall))
    return shortest


def main():
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    shortest, vary = collections.defaultdict(dict), set()

    def native_text(workload):
        done = lookahead.execute(arguments.program, ["explain", "--native", workload, "-m", "h100"])
        return done.stdout if done.returncode == 0 else ""  # the vector memory forms are not ptxas' language
    with ThreadPoolExecutor(2) as pool:
        for text in pool.map(native_text, lookahead.workloads(arguments.program)):
            found = distances(text)
            vary |= {writer for writer, distance in found.items() if distance is None}
            for writer, kind in (key for key, distance in found.items() if distance is not None):
                distance = found[writer, kind]
                shortest[writer][kind] = min(shortest[writer].get(kind, distance), distance)
    rows = [[writer, *(shortest[writer].get(kind, "") for kind in COLUMNS)] for writer in sorted(shortest.keys() - vary)]
    text = statement_page.markdown([["from", *COLUMNS.values()], *rows])
    print(text)
    if arguments.write:
        statement_page.write(PAGE, MARKS, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
