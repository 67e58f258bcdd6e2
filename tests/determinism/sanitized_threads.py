#!/usr/bin/env python3
"""Runs every case of stress.py, size tiny, on four threads, with a program that was built with ThreadSanitizer.

    cmake --preset tsan && cmake --build --preset tsan --target lookahead
    sanitized_threads.py --sanitized build/tsan/lookahead

Threads must have shared windows, no race may be reported, and the results must be those of the ordinary program on one
thread.
"""

import os
import pathlib
import sys
import tempfile

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402
from stress import CASES  # noqa: E402


def main():
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--sanitized", type=pathlib.Path, required=True)
    parser.add_argument("--size", default="tiny")
    parser.add_argument("--threads", type=int, default=4)
    arguments = parser.parse_args()
    checks = lookahead.Checks(arguments.sanitized)
    os.environ["TSAN_OPTIONS"] = "exitcode=66"
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run.h5"
        for case in CASES:
            name = " ".join(case)
            words = ["run", *case, "--size", arguments.size, "--progress", "none", "--out", out, "--threads"]
            alone = lookahead.execute(arguments.program, [*words, 1])
            checks.check(name, alone.returncode == 0, alone.stderr)
            with h5py.File(out) as file:
                expected = file.attrs["state_hash"]
            done = lookahead.execute(arguments.sanitized, [*words, arguments.threads], timeout=1800)
            checks.check(name, done.returncode == 0, done.stderr[:5000])
            with h5py.File(out) as file:
                shared = int(file["engine/shared_windows"][0])
                checks.check(name, file.attrs["state_hash"] == expected, "another result than on one thread")
            checks.check(name, shared > 0, "no window was shared")
            print(f"{name}: {shared} windows shared", flush=True)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
