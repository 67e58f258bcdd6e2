#!/usr/bin/env python3
"""Kills a run with SIGKILL at ten random times: under the final name there may only be a whole file, if the run was killed
after its end. Prints the seed."""

import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402


def main() -> int:
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    generator = random.Random(arguments.seed)

    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run.h5"
        run = ["run", "sgemm", "--size", "small", "--out", out, "--progress", "none"]
        begin = time.perf_counter()
        whole = lookahead.execute(arguments.program, run)
        length = time.perf_counter() - begin
        if whole.returncode != 0 or not out.exists():
            print(f"the whole run failed: {whole.stderr}")
            return 1
        undisturbed = out.rename(out.with_name("undisturbed.h5"))
        for _ in range(10):
            out.unlink(missing_ok=True)
            process = subprocess.Popen(lookahead.command(arguments.program, run), stdout=subprocess.DEVNULL)
            time.sleep(generator.uniform(0, 0.9 * length))
            process.send_signal(signal.SIGKILL)
            killed = process.wait() == -signal.SIGKILL
            if killed and out.exists():
                different = lookahead.difference(arguments.program, undisturbed, out)
                if different:
                    failed += 1
                    print(f"a killed run left a file under its final name: {different}")
    print(f"{10 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
