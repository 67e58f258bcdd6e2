#!/usr/bin/env python3
"""Runs compositions and random programs under AddressSanitizer and UndefinedBehaviorSanitizer.

    sanitized.py --build build/sanitizers --draws 200 --times 8 --seed 7

Configures and builds the preset `sanitizers` first, which takes some twenty minutes on two cores. `--times` multiplies
the 25 random programs that one run of `simt_test` draws. A sanitizer's report ends the program with an exit code that
no check accepts. Leaks are not looked for: Open MPI has some. Exit code 1 if anything failed.
"""

import argparse
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=TOP / "build/sanitizers")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--times", type=int, default=8)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("LOOKAHEAD_TEST_SEED", 1)))
    arguments = parser.parse_args()
    subprocess.run(["cmake", "--preset", "sanitizers", "-B", arguments.build, "-DCMAKE_UNITY_BUILD=ON",
                    "-DCMAKE_UNITY_BUILD_BATCH_SIZE=0"], cwd=TOP, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", arguments.build, "--parallel", str(os.cpu_count()), "--target", "lookahead", "simt_test"],
                   check=True, stdout=subprocess.DEVNULL)
    environment = os.environ | {"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1",
                                "LOOKAHEAD_TEST_SEED": str(arguments.seed), "LOOKAHEAD_TEST_TIMES": str(arguments.times)}
    commands = [
        [sys.executable, HERE / "compositions.py", "--program", arguments.build / "lookahead", "--draws", str(arguments.draws)],
        [arguments.build / "tests/functional/simt/simt_test", "--test-case=random*"],
    ]
    return 1 if any([subprocess.run(command, env=environment, check=False).returncode for command in commands]) else 0


if __name__ == "__main__":
    sys.exit(main())
