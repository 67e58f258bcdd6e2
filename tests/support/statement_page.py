"""Pages that compare a paper's statements with our measurements.

A statement is (subject, the paper's value, ours, whether they agree). The page lists statements that differ, so that only a new
difference is a fault.
"""

import re
import sys

import lookahead_process as lookahead


def argument_parser(document, page):
    """The parser of a program whose figures are of workloads of one size; with --update they go into the page."""
    parser = lookahead.argument_parser(document)
    parser.add_argument("--size", default="small")
    parser.add_argument("--update", action="store_true", help=f"write the tables into {page.name}")
    return parser


def table(statements):
    """Lines of the table."""
    return ["", "| statement | paper | ours | |", "|---|---|---|---|"] + [
        f"| {what} | {paper} | {ours} | {'' if agrees else '**differs**'} |" for what, paper, ours, agrees in statements]


def markdown(rows):
    """The lines of a table; the first of `rows` are its column names."""
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [rows[0], ["---"] * len(rows[0]), *rows[1:]])


def write(page, marks, text):
    """Puts the text between the page's marks."""
    written = page.read_text()
    page.write_text(written.split(marks[0])[0] + marks[0] + "\n" + text + "\n" + marks[1] + written.split(marks[1])[1])


def finish(page, marks, text, statements, update, faults=()):
    """The exit status: 0 with `update`, which puts the text between the page's marks; else 1 if there are faults or a
    statement differs that does not in the page."""
    if update:
        write(page, marks, text)
        return 0
    known = re.findall(r"^\| ([^|]+) \|.*\*\*differs\*\*", page.read_text(), re.MULTILINE)
    failed = [what for what, _, _, agrees in statements if not agrees and what not in known] + list(faults)
    for what in failed:
        print(f"differs from the paper: {what}", file=sys.stderr)
    return 1 if failed else 0
