#!/usr/bin/env python3
"""Refuses each point of mutation that is not a conjunct of a condition that the product has.

    tests/mutation/point_form.py [FILE ...]

Without files it reads all sources of the product. Exit status: 1 if a point has another form. core/mutation/rule.h says
what a point is.
"""

import re
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
FOLDERS = ["core", "components", "partitioning", "experiments"]
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
                   r"""|\w+|&&|\|\||[=!<>+\-*/%&|^]=|<<=?|>>=?|->|::|\+\+|--|[^\s\w]""", re.DOTALL)
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
BEGINNINGS = ASSIGNMENTS | OPENING.keys() | {";", ",", "}", "return", "?", ":"}
ENDS = CLOSING | {";", ",", "?", ":"}
POINT = "LOOKAHEAD_RULE"


def tokens_of(text):
    """Words and signs with their lines; no comments, no directives of the preprocessor."""
    text = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", "", text, flags=re.MULTILINE)
    line, end, tokens = 1, 0, []
    for match in TOKEN.finditer(text):
        line += text.count("\n", end, match.start())
        end = match.start()
        if not match[0].startswith(("//", "/*")):
            tokens.append((match[0], line))
    return tokens


def partners_of(words):
    """The place of each bracket's partner."""
    partner, opened = {}, []
    for place, word in enumerate(words):
        if word in OPENING:
            opened.append(place)
        elif word in CLOSING and opened:
            partner[place] = opened.pop()
            partner[partner[place]] = place
    return partner


def conjuncts_of(words, partner, begin, end):
    """The expression around [begin, end): its first place, the place behind it, and its parts between && or ||."""
    first = begin
    while first > 0 and words[first - 1] not in BEGINNINGS:
        first = partner.get(first - 1, first - 1)
    behind = end
    while behind < len(words) and words[behind] not in ENDS:
        behind = partner.get(behind, behind) + 1
    parts, joints, place = [[]], [], first
    while place < behind:
        if words[place] in ("&&", "||"):
            joints.append(words[place])
            parts.append([])
            place += 1
            continue
        after = partner.get(place, place) + 1
        parts[-1] += words[place:after]
        place = after
    return first, behind, parts, joints


def fault_of(words, partner, place):
    """What is wrong with the form of the point at `place`, or None."""
    begin, end = place, partner[place + 1] + 1
    first, behind, parts, joints = conjuncts_of(words, partner, begin, end)
    point = words[begin:end]
    if begin > 0 and words[begin - 1] == "!":
        return "is negated"
    if "||" in joints:
        return "is combined by ||"
    if point not in parts:
        return "is an operand of another operator than &&"
    if all(part[0] == POINT for part in parts):
        return "has no condition beside it"
    while True:
        if "?" in (words[first - 1], words[behind]) or words[first - 1] == ":":
            return "is in a choice by ?:"
        if words[first - 1] != "(" or words[behind] != ")":
            return None
        before = words[first - 2]
        if before == "!":
            return "is in a condition that is negated"
        if re.fullmatch(r"\w+|>|\]", before) and before != "return":
            return None  # an argument, or the condition of a statement
        first, behind, _, _ = conjuncts_of(words, partner, first - 1, behind + 1)


def faults_of(text):
    """Pairs of a line and a sentence, for each point that is not a conjunct."""
    tokens = tokens_of(text)
    words = [word for word, _ in tokens]
    partner = partners_of(words)
    for place, (word, line) in enumerate(tokens):
        if word == POINT:
            if fault := fault_of(words, partner, place):
                yield line, f"{POINT}({words[place + 2]}) {fault}"


def main():
    files = [Path(name) for name in sys.argv[1:]] or [
        path for folder in FOLDERS for path in sorted((SOURCE / folder).rglob("*.cpp"))]
    faults = [f"{path}:{line}: {fault}" for path in files for line, fault in faults_of(path.read_text())]
    if faults:
        print(*faults, "A point is a conjunct of a condition that the product has: `condition && LOOKAHEAD_RULE(name)`.",
              sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
