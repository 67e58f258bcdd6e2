#!/usr/bin/env python3
"""The revision that the program names is -dirty for changed sources and for new ones, and not for what git ignores.

    git_revision.py GIT_REVISION.cmake
"""

import pathlib
import re
import subprocess
import sys
import tempfile


def main() -> int:
    script = pathlib.Path(sys.argv[1]).resolve()
    faults = []
    with tempfile.TemporaryDirectory() as name:
        source, output = pathlib.Path(name) / "source", pathlib.Path(name) / "revision.h"
        source.mkdir()

        def git(*arguments):
            subprocess.run(["git", "-c", "user.name=test", "-c", "user.email=test@localhost", *arguments], cwd=source,
                           check=True, capture_output=True)

        def check(what, pattern):
            subprocess.run(["cmake", f"-DSOURCE={source}", f"-DOUTPUT={output}", "-P", script], check=True)
            found = re.search('"(.*)"', output.read_text()).group(1)
            if not re.fullmatch(pattern, found):
                faults.append(f"{what}: {found}, expected {pattern}")

        git("init", "-q")
        (source / "a.cpp").write_text("int a;\n")
        (source / ".gitignore").write_text("build/\n")
        git("add", "-A")
        git("commit", "-q", "-m", "first")
        check("as committed", "[0-9a-f]{12}")
        (source / "build").mkdir()
        (source / "build/a.o").write_text("")
        check("with what is ignored", "[0-9a-f]{12}")
        (source / "new.cpp").write_text("int b;\n")
        check("with a new file", "[0-9a-f]{12}-dirty")
        (source / "a.cpp").write_text("int c;\n")
        check("with a new and a changed file", "[0-9a-f]{12}-dirty")
        (source / "new.cpp").unlink()
        check("with a changed file", "[0-9a-f]{12}-dirty")
        (source / ".git").rename(source.parent / "away")
        check("without a repository", "unknown")
    print("\n".join(faults) or "revisions are right")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
