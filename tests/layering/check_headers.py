#!/usr/bin/env python3
"""Checks that every header of the product compiles alone, without the precompiled header that hides missing includes.

    check_headers.py ROOT COMPILER [FLAG...]

A header that is included after others does not prove that it compiles alone, because the others may help it. But earlier
headers that it includes itself, directly or not, add no help. So headers are compiled in chains, each including the previous
one, in half the time; and a chain begins with the part of the standard library that its first header includes, compiled once.
Headers that fail are compiled again alone.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDERS = ("core", "hdf5_schemas", "components", "partitioning", "experiments")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
STANDARD = re.compile(r"^\s*#\s*include\s+<(\w+)>", re.MULTILINE)
# What many headers include, the larger part first.
PARTS = ("cstdint string vector optional map span functional algorithm", "cstdint string vector optional map",
         "cstdint string vector optional", "cstdint string vector")
LEAST_HEADERS = 200  # fewer means that the check looked in the wrong place
JOBS = 2  # tests/layering/CMakeLists.txt says as much to ctest


def headers_with_includes(root: pathlib.Path) -> dict[str, set[str]]:
    """Each header, and those that it includes, also through others."""
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*.h"))]
    direct = {str(path.relative_to(root)): INCLUDE.findall(path.read_text(encoding="utf-8")) for path in paths}
    closures: dict[str, set[str]] = {}

    def closure(header: str) -> set[str]:
        if header not in closures:
            found = closures[header] = set()
            for name in direct[header]:
                if name in direct:
                    found |= {name} | closure(name)
        return closures[header]

    return {header: closure(header) for header in direct}


def chains(includes: dict[str, set[str]]) -> list[list[str]]:
    """As few as cover all headers, by a greatest matching of headers with those that include them."""
    includers: dict[str, list[str]] = {header: [] for header in includes}
    for header, included in includes.items():
        for name in included:
            includers[name].append(header)
    before: dict[str, str] = {}

    def place(header: str, seen: set[str]) -> bool:
        for after in includers[header]:
            if after not in seen:
                seen.add(after)
                if after not in before or place(before[after], seen):
                    before[after] = header
                    return True
        return False

    for header in includers:
        place(header, set())
    after = {first: second for second, first in before.items()}
    result = []
    for header in includes:
        if header not in before:
            chain = [header]
            while chain[-1] in after:
                chain.append(after[chain[-1]])
            result.append(chain)
    return result


def main() -> int:
    root, command = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]

    def compile_together(headers: list[str], part: str = "") -> str:
        text = "".join(f'#include "{header}"\n' for header in headers)
        before = ["-include", str(folder / str(PARTS.index(part)))] if part else []
        done = subprocess.run([*command, "-fsyntax-only", "-I", root, *before, "-x", "c++", "-"], input=text, text=True,
                              stderr=subprocess.PIPE, check=False)
        return "" if done.returncode == 0 else done.stderr

    def part_of(chain: list[str]) -> str:
        """The largest part that the chain's first header includes, also through others."""
        included = {name for header in includes[chain[0]] | {chain[0]}
                    for name in STANDARD.findall((root / header).read_text(encoding="utf-8"))}
        return next((part for part in PARTS if included.issuperset(part.split())), "")

    def compile_part(part: str) -> None:
        header = folder / str(PARTS.index(part))
        header.write_text("".join(f"#include <{name}>\n" for name in part.split()))
        subprocess.run([*command, "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)

    includes = headers_with_includes(root)
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        folder = pathlib.Path(name)
        list(pool.map(compile_part, PARTS))
        tried = chains(includes)
        failed = [chain for chain, fault in zip(tried, pool.map(lambda each: compile_together(each, part_of(each)), tried))
                  if fault]
        alone = [header for chain in failed for header in chain]
        faults = {header: fault for header, fault in zip(alone, pool.map(lambda each: compile_together([each]), alone))
                  if fault}
    for header, fault in faults.items():
        print(f"{header} does not compile alone:\n{fault}")
    if len(includes) < LEAST_HEADERS:
        print(f"only {len(includes)} headers found under {root}")
        return 1
    print(f"{len(includes)} headers in {len(tried)} compilations, {len(faults)} do not compile alone")
    return 1 if faults or failed else 0


if __name__ == "__main__":
    sys.exit(main())
