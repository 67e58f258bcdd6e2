#!/usr/bin/env python3
"""Checks that includes point one way: experiments -> partitioning -> components -> core.

Also: every header says `#pragma once`, core knows no GPU word in its includes, and includes start at the repository's
root. Prints each violation as file:line and exits with 1 if there is one.
"""

import pathlib
import re
import sys

# A folder may include itself and the folders listed.
MAY_INCLUDE = {
    "core": set(),
    "hdf5_schemas": {"core"},
    "components": {"core"},
    "partitioning": {"core", "components"},
    "experiments": {"core", "components", "partitioning", "hdf5_schemas"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
LEAST_FILES = 50  # fewer means that the check looked in the wrong place


def violations(root: pathlib.Path):
    seen = 0
    for folder, allowed in MAY_INCLUDE.items():
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in {".h", ".cpp"}:
                continue
            seen += 1
            text = path.read_text(encoding="utf-8")
            name = path.relative_to(root)
            if path.suffix == ".h" and "#pragma once" not in text:
                yield f"{name}:1: a header without #pragma once"
            for number, line in enumerate(text.splitlines(), 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                target = match.group(1).split("/")[0]
                if target not in MAY_INCLUDE:
                    yield f"{name}:{number}: include \"{match.group(1)}\" does not start at a top folder"
                elif target != folder and target not in allowed:
                    yield f"{name}:{number}: {folder} must not include {target}"
    if seen < LEAST_FILES:
        yield f"only {seen} files found under {root}"


def main() -> int:
    root = pathlib.Path(sys.argv[1]).resolve()
    found = list(violations(root))
    print("\n".join(found) or "include graph is one-way")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
