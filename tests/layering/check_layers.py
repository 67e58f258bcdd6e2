#!/usr/bin/env python3
"""Checks that includes point one way: experiments -> partitioning -> components -> core.

Also: the folders of components include what the table in components/README.md says, which has no circle; every header
says `#pragma once`, core knows no GPU word in its includes, and includes start at the repository's root. Prints each
violation as file:line and exits with 1 if there is one.
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
PARTS_README = "components/README.md"
PARTS_ROW = re.compile(r"^\| `(\w+)` \|.*\|([^|]*)\|$")


def allowed_parts(root: pathlib.Path) -> dict[str, set[str]]:
    """What each folder of components may include of the others, by the last column of the README's table."""
    rows = map(PARTS_ROW.match, (root / PARTS_README).read_text(encoding="utf-8").splitlines())
    return {row.group(1): set(re.findall(r"`(\w+)`", row.group(2))) for row in rows if row}


def table_violations(root: pathlib.Path, allowed: dict[str, set[str]]):
    """Faults of the table itself: it must have every folder, no other names, and no circle."""
    folders = {path.name for path in (root / "components").iterdir() if path.is_dir()}
    for name in sorted(folders ^ allowed.keys()):
        yield f"{PARTS_README}: the table and the folders differ in {name}"
    for name in sorted(set().union(*allowed.values()) - folders):
        yield f"{PARTS_README}: {name}, which a folder may include, is no folder"
    left = dict(allowed)
    while free := [name for name, needs in left.items() if not needs & left.keys()]:
        for name in free:
            del left[name]
    if left:
        yield f"{PARTS_README}: {', '.join(sorted(left))} may include one another in a circle"


def violations(root: pathlib.Path):
    seen = 0
    parts = allowed_parts(root)
    yield from table_violations(root, parts)
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
                if folder == target == "components":
                    part, other = name.parts[1], match.group(1).split("/")[1]
                    if other != part and other not in parts.get(part, ()):
                        yield f"{name}:{number}: components/{part} must not include components/{other}"
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
