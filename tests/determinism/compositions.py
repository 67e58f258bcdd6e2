#!/usr/bin/env python3
"""Checks DAC beside the other mechanisms: with each the outputs match, every tuple and dequeue is right (dac.check), and the
result is the same on one rank and on three; or the combination is refused by name when the configuration is read.

The variants are those of `lookahead list`, so that new ones are tried, too. All run on one rank, and a random third on three
ranks; `--every 1` runs all on three. Prints a line for each failure, the seed, and a closing count; exit code 1 if one fails.
"""

import pathlib
import random
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

# What cannot work, with what its message must have. The reasons stand in components/mechanisms/dac/README.md.
REFUSED = {
    "l1d.companion=avc": "needs l1d.companion = none",
    "sm.simt=convergence_barrier": "sm.simt must be stack",
    "sm.prefetcher=oracle": "sm.prefetcher = oracle",
    # Without its scheduler, beside whatever else.
    "sm.prefetcher=orch": "sm.warp_scheduler = group_interleaved",
}
SLOTS = ["sm.warp_scheduler", "sm.prefetcher", "l1d.companion", "l1d.replacement", "memory.request_path", "sm.simt",
         "dram.scheduler", "interconnect.topology"]
FURTHER = [
    ["sm.prefetcher=orch", "sm.warp_scheduler=group_interleaved"],
    ["sm.prefetcher=caps", "sm.warp_scheduler=pas"],
    ["sm.prefetcher=mta", "l1d.sets=128", "l1d.ways=3", "l1d.prefetch_ways=1"],
    ["sm.issue_extension=dac+pmode"],
    ["sm.issue_extension=cae+dac", "cae.check=true"],
    ["sm.issue_extension=cae+dac+pmode"],
    ["kernel.transform=dac+vecmem"],
    # With spilled values.
    ["finaliser.register_share=0.5"],
    ["finaliser.register_share=0.25", "finaliser.rematerialise=false", "dac.reports=true"],
    ["finaliser.register_share=0.5", "sm.issue_extension=dac+pmode"],
    ["finaliser.register_share=0.5", "sm.issue_extension=cae+dac", "cae.check=true"],
]


def compositions(program):
    """Lists of keys beside sm.issue_extension=dac."""
    variants = lookahead.json_of(program, ["list", "variants"])["variants"]
    for slot in SLOTS:
        names = variants.get(slot, [])
        if len(names) < 2:
            raise RuntimeError(f"{slot} has {len(names)} variants")
        yield from ([f"{slot}={name}"] for name in names)
    yield from FURTHER


def fault(program, workload, keys, machine, out, on_ranks):
    """What is wrong with the composition, `on_ranks` on three ranks too; None: nothing."""
    options = [word for key in ["sm.issue_extension=dac", "dac.check=true", *keys] for word in ("--option", key)]
    arguments = [workload, "--size", "tiny", "--machine", machine, *options]
    refusal = REFUSED.get(keys[0]) if len(keys) == 1 else None
    if refusal is not None:
        done = lookahead.execute(program, ["run", *arguments, "--out", out])
        if done.returncode != 2 or refusal not in done.stderr:
            return f"exit {done.returncode}, expected 2 and \"{refusal}\": {done.stderr.strip()}"
        return None
    try:
        runs = [lookahead.simulate(program, [*arguments, "--out", out], count) for count in ((0, 3) if on_ranks else (0,))]
    except RuntimeError as error:
        return str(error)
    for run in runs:
        if run["outputs"] != "match":
            return f"outputs {run['outputs']}"
    hashes = [run["state_hash"] for run in runs]
    return None if len(set(hashes)) == 1 else f"state hash {hashes[0]}, on three ranks {hashes[1]}"


def main() -> int:
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--workloads", nargs="+", default=["hotspot"])
    parser.add_argument("--machine", default="dac_gtx480")
    parser.add_argument("--every", type=int, default=3, help="one in so many runs on three ranks, too (default 3)")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    failures = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        for workload in arguments.workloads:
            for keys in compositions(arguments.program):
                tried += 1
                found = fault(arguments.program, workload, keys, arguments.machine, pathlib.Path(folder) / "run.h5",
                              on_ranks=draw.randrange(arguments.every) == 0)
                if found is not None:
                    failures += 1
                    print(f"{workload}, dac with {' '.join(keys)}: {found}")
    print(f"{tried} compositions, {failures} failures; seed {arguments.seed}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
