#!/usr/bin/env python3
"""Tests the Debian package that cpack makes: its description, and its contents, unpacked into an empty folder and run there."""

import argparse
import pathlib
import re
import shutil
import sys
import tempfile

import installation
from installation import SKIPPED, Installation


def main() -> int:
    arguments = installation.arguments_of(argparse.ArgumentParser(description=__doc__))
    if shutil.which("dpkg-deb") is None or shutil.which("dpkg-shlibdeps") is None:
        print("skipped: no dpkg-deb, or no dpkg-shlibdeps")
        return SKIPPED
    cpack = pathlib.Path(shutil.which(arguments.cmake)).with_name("cpack")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        installation.finish_or_stop([cpack, "-G", "DEB", "-B", folder / "packages"], cwd=arguments.build)
        packages = list((folder / "packages").glob("*.deb"))
        root, work = folder / "root", folder / "work"
        work.mkdir()
        installation.finish_or_stop(["dpkg-deb", "-x", packages[0], root])
        installed = Installation(root / "usr", work)
        installed.check("one package", len(packages) == 1 and re.fullmatch(r"lookahead_\d+\.\d+\.\d+_amd64\.deb", packages[0].name),
                        packages)
        needed = installed.succeeds("dpkg-deb", "-f", packages[0], "Depends")
        for library in ("libc6 ", "libstdc++6 ", "libopenmpi3 ", "libzstd1 "):
            installed.check(f"it depends on {library}", library in needed, needed)
        installed.check("nothing outside /usr", sorted(path.name for path in root.iterdir()) == ["usr"])
        print(f"{packages[0].name}: {packages[0].stat().st_size / 1e6:.1f} MB")
        installed.check_binaries()
        installed.run_everything(arguments.client.resolve())
        return installed.end()


if __name__ == "__main__":
    sys.exit(main())
