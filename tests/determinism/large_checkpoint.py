#!/usr/bin/env python3
"""A checkpoint of one process with more than an int counts, written by one rank and read by another.

    large_checkpoint.py --program LOOKAHEAD --gib 3     # takes some minutes and twice the memory

All of the device's memory is one partition's, on rank 1 of 2: its state goes to rank 0, which writes, and from there to rank
1 when the checkpoint is resumed. The result is that of one rank without a checkpoint, bit by bit.
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

KERNEL = pathlib.Path(__file__).resolve().parents[1] / "regression" / "ptx" / "three_kernels.ptx"
CYCLES_PER_GIB = 94e6  # that copies to the device take on the default machine
TIMEOUT = 1800


def placement(checks, folder, options):
    """A partition file with the memory partition on rank 1 and everything else on rank 0."""
    shown = lookahead.execute(checks.program, ["partition", "linear", *options]).stdout
    processes = [line.split()[0] for line in shown.split("\n\n")[-1].splitlines() if " rank " in line]
    path = folder / "apart.partition"
    path.write_text("".join(f"{name} {int(name.startswith('partition'))}\n" for name in processes))
    return path


def main():
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--gib", type=float, default=3)
    arguments = parser.parse_args()
    checks = lookahead.Checks(arguments.program)
    machine = ["-o", "address_mapping.channels=1"]
    words = int(arguments.gib * 2**28)
    run = ["run", "ptx", *machine, "--set", f"file={KERNEL}", "--set", "kernel=fill(float*, int)", "--set",
           f"arguments=f32[{words}]=1.5 s32:32", "--progress", "none"]

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        apart = placement(checks, folder, machine)
        whole, stopped, resumed = (folder / f"{what}.h5" for what in ("whole", "stopped", "resumed"))

        def execute(words, ranks):
            done = lookahead.execute(checks.program, words, ranks, TIMEOUT)
            checks.check(" ".join(map(str, words)), done.returncode == 0, done.stderr)

        execute([*run, "--out", whole], 0)
        late = int(0.9 * arguments.gib * CYCLES_PER_GIB)  # most of the copy lies in the partition
        execute([*run, "--out", stopped, "--partition", apart, "--checkpoint-every", late, "--checkpoint-dir", folder], 2)
        checkpoints = list(folder.glob("*.checkpoint.h5"))
        checks.check("checkpoints", len(checkpoints) == 1, checkpoints)
        for checkpoint in checkpoints:
            print(f"{checkpoint.stat().st_size / 2**20:.1f} MiB in the file", flush=True)
            execute(["resume", checkpoint, "--out", resumed, "--partition", apart], 2)
        for result in (stopped, resumed):
            checks.same(result.name, whole, result)
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
