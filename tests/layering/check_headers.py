#!/usr/bin/env python3
"""Checks that every header of the product compiles alone, without the precompiled header that hides what it forgot.

    check_headers.py ROOT COMPILER [FLAG...]

A header that another one includes proves nothing in its place there, for what stands before it helps it. But whatever
stands before a header and is among those that it includes itself, also through others, helps with nothing new: so headers
are compiled in chains, each including the one before, in half the time. What fails is compiled again by itself.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys

FOLDERS = ("core", "hdf5_schemas", "components", "partitioning", "experiments")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
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

    def compile_together(headers: list[str]) -> str:
        text = "".join(f'#include "{header}"\n' for header in headers)
        done = subprocess.run([*command, "-fsyntax-only", "-I", root, "-x", "c++", "-"], input=text, text=True,
                              stderr=subprocess.PIPE, check=False)
        return "" if done.returncode == 0 else done.stderr

    includes = headers_with_includes(root)
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        tried = chains(includes)
        failed = [chain for chain, fault in zip(tried, pool.map(compile_together, tried)) if fault]
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
