#!/usr/bin/env python3
"""Finds what does not have the project's form in C++ sources, and strangers at the top level: control statements
without braces, lines beyond 120 columns, messages joined by `+` (fmt makes them), namespaces that are not their
folder's.

    source_form.py FILE...    # of the repository if no file is given; exit code 1 if anything is found

clang-format, which `cluster/check_format` runs, wraps comments and code, but it cannot add braces (version 14) or break
text without spaces. Raw strings are left out.
"""

import pathlib
import re
import subprocess
import sys

COLUMNS = 120
TOP_LEVEL = {"CMakeLists.txt", "CMakePresets.json", "README.md", "cluster", "components", "core", "experiments", "hdf5_schemas",
             "partitioning", "tests", ".ci", ".clang-format", ".containerignore", ".gitignore"}
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
                   r"""|^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*|(?P<word>[A-Za-z_]\w*)|[0-9][\w'.]*|[^\s\w]""", re.S | re.M)
OPENS, CLOSES = "([{", ")]}"


def words_of(text):
    """(word, offset) of each token except comments, literals and directives, each of which is one empty word or
    nothing."""
    words = []
    for match in TOKEN.finditer(text):
        token = match[0]
        if token.startswith(("//", "/*")) or token.lstrip().startswith("#"):
            continue
        words.append(("" if token[0] in "\"'" or token.startswith('R"') else token, match.start()))
    return words


def behind_group(words, at):
    """The index after the bracket that closes the one at `at`."""
    depth = 0
    for index in range(at, len(words)):
        word = words[index][0]
        depth += (word != "" and word in OPENS) - (word != "" and word in CLOSES)
        if depth == 0:
            return index + 1
    return len(words)


def without_braces(text):
    """Offsets of control statements whose body has no braces."""
    words = words_of(text) + [("", len(text))] * 3
    for index, (word, offset) in enumerate(words):
        if word in ("if", "for", "while"):
            at = index + 1
            while words[at][0] in ("constexpr", "consteval", "!"):
                at += 1
            if words[at][0] != "(":
                continue
            at = behind_group(words, at)
        elif word in ("else", "do"):
            at = index + 1
        else:
            continue
        while words[at][0] == "[" and words[at + 1][0] == "[":
            at = behind_group(words, at)
        allowed = {"else": ("{", "if"), "while": ("{", ";")}.get(word, ("{",))
        if words[at][0] not in allowed:
            yield offset


def joined_texts(text):
    """Offsets of texts in quotes that `+` joins to something."""
    tokens = [match for match in TOKEN.finditer(text) if not match[0].startswith(("//", "/*"))]
    for before, token, after in zip(tokens, tokens[1:], tokens[2:]):
        if token[0] == "+" and '"' in (before[0][-1], after[0][0]) and not before[0].lstrip().startswith("#"):
            yield token.start()


def namespaces_elsewhere(text, path):
    """(offset, name) of namespaces of the project except `lookahead`, `lookahead::gpu` (the machine's components) and
    those named after a folder of the file; those of tests end in `test`, or in FILE_tests."""
    allowed = {"lookahead", "gpu", "detail"} | {part.replace("-", "_") for part in path.parts} | set(path.stem.split("_"))
    is_test = "tests" in path.parts
    for match in re.finditer(r"^namespace (lookahead[\w:]*) \{\n(?!(?:(?:class|struct) \w+;\n)+\})", text, re.M):
        for part in match[1].split("::"):
            if part not in allowed and not (is_test and (part == "test" or part.endswith("_tests"))):
                yield match.start(), match[1]


def faults_of(path):
    text = path.read_text()
    for offset, name in namespaces_elsewhere(text, path):
        yield text.count("\n", 0, offset) + 1, f"the namespace {name} is not its folder's"
    if "tests" not in path.parts and "runtime" not in path.parts:
        for offset in joined_texts(text):
            yield text.count("\n", 0, offset) + 1, "texts joined by +; fmt makes messages"
    for offset in without_braces(text):
        yield text.count("\n", 0, offset) + 1, "a control statement without braces"
    raw = re.sub(r'R"([^(\s]*)\(.*?\)\1"', lambda match: "\n" * match[0].count("\n"), text, flags=re.S)
    for number, line in enumerate(raw.split("\n"), 1):
        if len(line) > COLUMNS:
            yield number, f"{len(line)} columns"


def strangers(tracked):
    """Of the tracked files' names, those at the top level of the repository that have no place there."""
    return sorted({name.split("/")[0] for name in tracked} - TOP_LEVEL)


def main() -> int:
    top = pathlib.Path(__file__).resolve().parents[2]
    files, faults = [pathlib.Path(name) for name in sys.argv[1:]], []
    if not files:
        tracked = subprocess.run(["git", "ls-files"], cwd=top, capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
        files = [top / name for name in tracked if name.endswith((".h", ".cpp")) and (top / name).exists()]
        faults = [f"{name}: not one of the files and folders of the top level" for name in strangers(tracked)]
    faults += [f"{path}:{line}: {what}" for path in files for line, what in faults_of(path)]
    print("\n".join(faults) if faults else f"{len(files)} files in form")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
