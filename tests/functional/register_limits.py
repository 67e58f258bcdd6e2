#!/usr/bin/env python3
"""Workloads at tiny through the timing model at register limits and widths of pointers drawn by chance: the outputs match.

    register_limits.py --program LOOKAHEAD [--runs 2] [--some N] [--seed S] [WORKLOAD...]

Without names all workloads run, --runs times each; --some N draws N of them, which is what CI does. Each run has a
limit of its own, from the least that all kernels can be allocated with to the most that the machine has; 32-bit
pointers, words for 64-bit operations, Volta's forms or none of these; values recomputed or all spilled, the affine ones
first or not; L1 for all loads or for those of local memory; half of the time a small L1; half of the time an affine
vector cache of a random size and kind; and CAPS, P-mode, CAE or none of them, with or without that cache, or DAC, which
refuses it. The seed is printed.
"""

import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

WORKLOADS = pathlib.Path(__file__).resolve().parents[2] / "experiments/workloads"
LEAST_LIMIT, MOST_LIMIT = 10, 63


def draw(chance):
    """Options of one run. Low limits are drawn more often, because values are spilled there."""
    limit = chance.choice([chance.randint(LEAST_LIMIT, 24), chance.randint(LEAST_LIMIT, MOST_LIMIT)])
    volta = ["isa.expand_64bit=true", "isa.single_constant=true", "isa.held_sources=12", "finaliser.fuse_products=true"]
    isa = chance.choice([["isa.pointers=32"], ["isa.expand_64bit=true"], volta, []])
    l1 = chance.choice([["l1d.ways=1"], []])
    avc = ["l1d.companion=avc", f"avc.sets={chance.choice([1, 4, 64])}", f"avc.ways={chance.randint(1, 3)}",
           f"avc.granularity={chance.choice([16, 32])}", f"avc.layout={chance.choice(['warp_major', 'word_major'])}",
           f"avc.partial_writes={chance.choice(['word_masks', 'word_masks', 'read_modify_write'])}"]
    spills = [f"finaliser.rematerialise={chance.choice(['true', 'false'])}",
              f"finaliser.spill_order={chance.choice(['cost', 'affine_first'])}",
              f"l1d.cached_loads={chance.choice(['all', 'local'])}"]
    beside = chance.choice([[], ["sm.prefetcher=caps", "sm.warp_scheduler=pas"], ["sm.issue_extension=pmode"],
                            ["sm.issue_extension=cae", "cae.check=true"], ["sm.issue_extension=dac", "dac.check=true"]])
    companion = [] if "sm.issue_extension=dac" in beside else chance.choice([avc, []])  # DAC refuses companions
    return [f"isa.registers={limit}", *spills, *isa, *l1, *companion, *beside]


def main():
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--some", type=int)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("workloads", nargs="*")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}")
    chance = random.Random(arguments.seed)
    names = arguments.workloads or sorted(file.parent.name for file in WORKLOADS.glob("*/workload.toml"))
    if arguments.some:
        names = chance.sample(names, arguments.some)

    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for _ in range(arguments.runs):
                options = draw(chance)
                try:
                    summary = lookahead.simulate(arguments.program, [name, "--size", "tiny", *lookahead.words("-o", options), "--out",
                                                                     pathlib.Path(folder) / "run.h5"])
                    good = summary["outputs"] == "match"
                    print(f"{name}: {' '.join(options)}: {summary['outputs']}, {summary['cycles']} cycles", flush=True)
                except RuntimeError as error:
                    good = False
                    print(f"{name}: {' '.join(options)}: {error}", flush=True)
                failed += not good
    print(f"{len(names) * arguments.runs - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
