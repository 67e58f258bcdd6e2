#!/usr/bin/env python3
"""Tests `describe --markdown` and `completion`: the reference has all names, its tables are whole, and bash completes the line."""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

CELL_END = re.compile(r"(?<!\\)\|")


class ReferenceChecks(lookahead.Checks):
    def lines(self, *arguments):
        return lookahead.execute(self.program, arguments).stdout.splitlines()


def table_faults(text):
    """Rows with another number of cells than the head of their table."""
    width = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("|"):
            width = None
            continue
        cells = len(CELL_END.findall(line))
        width = width or cells
        if cells != width:
            yield f"line {number}: {line}"


def first_words(lines):
    return {line.split()[0] for line in lines if line.strip()}


def check_reference(checks):
    done = lookahead.execute(checks.program, ["describe", "--markdown", checks.folder / "deep" / "reference"])
    checks.check("describe --markdown", done.returncode == 0 and done.stdout.endswith("README.md\n"), done.stderr)
    pages = {path.name: path.read_text() for path in (checks.folder / "deep" / "reference").glob("*.md")}
    for name, text in pages.items():
        faults = list(table_faults(text))
        checks.check(f"tables of {name}", not faults, faults[:3])
    links = set(re.findall(r"\]\((\w+\.md)\)", pages["README.md"]))
    checks.check("links", links | {"README.md"} == set(pages), links)
    for page, *arguments in (("parameters.md", "config", "schema"), ("statistics.md", "list", "statistics"),
                             ("catalogue.md", "list", "machines"), ("catalogue.md", "list", "studies")):
        names = first_words(checks.lines(*arguments))
        missing = [name for name in names if f"`{name}`" not in pages[page]]
        checks.check(page, len(names) > 5 and not missing, missing)
    helps = checks.lines("--help")
    commands = first_words(helps[helps.index("Subcommands:") + 1:helps.index("", helps.index("Subcommands:"))])
    missing = [name for name in commands if f"## `lookahead {name}`" not in pages["commands.md"]]
    checks.check("commands.md", len(commands) > 14 and not missing, missing)
    checks.check("an option", "| `-m`, `--machine` | TEXT | gtx480 |" in pages["commands.md"])
    checks.check("a command of a command", "## `lookahead sweep run`" in pages["commands.md"])
    short = [line for line in pages["commands.md"].splitlines() if "`-o`" in line]
    checks.check("-o sets a key everywhere", len(short) > 2 and all("| `-o`, `--option` |" in line for line in short), short)
    checks.check("a variant", "| `gto` | Greedy" in pages["variants.md"] and "the default is `gto`" in pages["variants.md"])
    for schema in ("run", "capture", "checkpoint", "sweep"):
        checks.check("file_formats.md", f"## `lookahead.{schema}` " in pages["file_formats.md"], schema)
    checks.check("a dataset", re.search(r"^\| `warp_instructions` \| uint64 \|.*instruction", pages["file_formats.md"], re.M))

    file = checks.folder / "file"
    file.write_text("")
    for arguments, code, said in (([], 2, "NAME or --markdown"), (["gto", "--markdown", checks.folder / "x"], 2, "NAME or --markdown"),
                                  (["--markdown", file / "in"], 3, "the folder cannot be made: Not a directory; name a folder")):
        checks.refuses(["describe", *arguments], code, said)


def completions(program, script, folder, *words):
    """What bash offers for the last of the words."""
    line = " ".join(f"'{word}'" for word in (program.resolve(), *words))
    text = f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _lookahead; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return set(subprocess.run(["bash", "-c", text], cwd=folder, capture_output=True, text=True, check=True).stdout.split())


def check_completion(checks):
    script = checks.folder / "completion.bash"
    script.write_text("\n".join(checks.lines("completion", "bash")) + "\n")
    (checks.folder / "mine.toml").write_text("")
    for words, offered, not_offered in (
            (["sw"], {"sweep"}, {"run"}),
            (["sweep", ""], {"plan", "run", "status", "collect", "submit"}, {"list"}),
            (["run", "sg"], {"sgemm"}, {"bfs"}),
            (["run", "sgemm", "--max-c"], {"--max-cycles"}, {"--max-instructions"}),
            (["run", "sgemm", "--size", ""], {"tiny", "small", "medium", "large"}, {"sgemm"}),
            (["run", "sgemm", "--machine", "v1"], {"v100"}, {"gtx480"}),
            (["run", "sgemm", "-m", "mi"], {"mine.toml"}, set()),
            (["run", "sgemm", "-o", "l1d.wa"], {"l1d.ways="}, {"l1d.sets="}),
            (["run", "sgemm", "-o", "sm.warp_s"], {"sm.warp_scheduler="}, set()),
            (["run", "sgemm", "-o", "sm.warp_scheduler", "="], {"gto", "lrr"}, {"caps", "run"}),
            (["run", "sgemm", "-o", "sm.warp_scheduler", "=", "l"], {"lrr"}, {"gto"}),
            (["list", "ma"], {"machines"}, {"variants"}),
            (["sweep", "run", "caps/"], {"caps/prefetchers"}, {"baseline/schedulers"}),
            (["capture", "-o", "mi"], {"mine.toml"}, {"l1d.ways="}),
            (["validate", "mi"], {"mine.toml"}, set())):
        found = completions(checks.program, script, checks.folder, *words)
        checks.check(" ".join(words), offered <= found and not not_offered & found, sorted(found)[:8])
    checks.refuses(["completion", "fish"], 2, "bash")


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, ReferenceChecks, check_reference, check_completion))
