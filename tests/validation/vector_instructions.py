#!/usr/bin/env python3
"""Figure 8 of Crago, Stephenson and Keckler (TACO 2018) for the workloads with a form `vector`: warp instructions of the
hand-written vector memory instructions against the best-unrolled loops, by `lookahead profile patterns`.

VECTOR_MEMORY.md, which --update writes, has the tables and lists the differences. Exits with 1 if outputs differ, if a
workload's best length does not have fewer instructions than its baseline, or if a statement of the paper fails that
VECTOR_MEMORY.md does not list as differing.
"""

import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import lookahead_process as lookahead  # noqa: E402
import statement_page  # noqa: E402
from unroll_factors import best_factors  # noqa: E402

PAGE = pathlib.Path(__file__).with_name("VECTOR_MEMORY.md")
MARKS = ("<!-- tables: made by vector_instructions.py -->", "<!-- end of tables -->")
BASELINES = best_factors()
LENGTHS = (4, 8, 16)
OPTIONS = ["--machine", "vecmem_nvidia"]
ROLES = ("address_generation", "memory", "control", "integer", "floating_point")
MEMORY_ONLY = ("sgemm", "stencil", "mri-q")
NEARLY_45 = ("bfs", "btree", "spmv")


def profile(program, workload, size, *settings):
    return lookahead.json_of(program, ["profile", "patterns", workload, "--size", size, *lookahead.words("--set", settings), *OPTIONS])


def change(new, old):
    """The change in percent; below 0: fewer."""
    return 100 * (new / old - 1) if old else 0.0


def measure(program, size):
    results = {}
    for workload, factor in BASELINES.items():
        base = profile(program, workload, size, "form=looped", f"unroll={factor}")
        vector = {length: profile(program, workload, size, "form=vector", f"length={length}") for length in LENGTHS}
        best = min(LENGTHS, key=lambda length: vector[length]["warp_instructions"])
        results[workload] = (base, vector, best)
    return results


def statements(results):
    total = {name: change(vector[best]["warp_instructions"], base["warp_instructions"])
             for name, (base, vector, best) in results.items()}
    mean = 100 * (math.exp(sum(math.log(1 + each / 100) for each in total.values()) / len(total)) - 1)
    lost = {}  # of the instructions lost, those of a role, in percent
    for name, (base, vector, best) in results.items():
        whole = base["warp_instructions"] - vector[best]["warp_instructions"]
        lost[name] = {role: 100 * (base["instructions"][role] - vector[best]["instructions"][role]) / whole
                      for role in ROLES}
    floats = max(abs(change(vector[best]["instructions"]["floating_point"], base["instructions"]["floating_point"]))
                 for base, vector, best in results.values())
    # Each workload by the share of its instructions that it loses.
    most = (sum(-total[name] * (lost[name]["address_generation"] + lost[name]["memory"]) for name in results) /
            sum(-total[name] for name in results))
    rows = [("instructions, geometric mean", "-33 % (of 16)", f"{mean:.0f} % (of {len(total)})", mean <= -28),
            ("share of address generation and memory in the saved instructions", "the majority", f"{most:.0f} %", most > 50),
            ("floating-point instructions", "the same", f"within {floats:.1f} %", floats < 1)]
    rows += [(f"instructions of {name}", "nearly -45 %", f"{total[name]:.0f} %", -60 <= total[name] <= -35)
             for name in NEARLY_45]
    rows += [(f"{name} saves memory instructions, little address generation", "yes",
              f"{lost[name]['memory']:.0f} % and {lost[name]['address_generation']:.0f} % of its savings",
              lost[name]["memory"] > lost[name]["address_generation"]) for name in MEMORY_ONLY]
    rows += [(f"instructions of {name}", "-20 to -32 %", f"{total[name]:.0f} %", -37 <= total[name] <= -15)
             for name in ("histo", "kmeans", "nw")]
    rows += [(f"instructions of {name}", "-12 to -24 %", f"{total[name]:.0f} %", -29 <= total[name] <= -7)
             for name in ("comd", "hpgmg", "miniamr")]
    return rows


def tables(results, size):
    lines = [f"Size {size}; change of warp instructions from form=looped with the factor of the second column.", "",
             "| workload | loops unrolled by | " + " | ".join(f"length {length}" for length in LENGTHS) +
             " | at the best: " + " | ".join(role.replace("_", " ") for role in ROLES) + " |",
             "|---|---|" + "---|" * (len(LENGTHS) + len(ROLES))]
    for name, (base, vector, best) in results.items():
        each = [f"{change(vector[length]['warp_instructions'], base['warp_instructions']):+.0f} %" for length in LENGTHS]
        each[LENGTHS.index(best)] = f"**{each[LENGTHS.index(best)]}**"
        roles = [f"{change(vector[best]['instructions'][role], base['instructions'][role]):+.0f} %" for role in ROLES]
        lines.append(f"| {name} | {BASELINES[name]} | " + " | ".join(each + roles) + " |")
    return "\n".join(lines + statement_page.table(statements(results)))


def main():
    options = statement_page.argument_parser(__doc__, PAGE).parse_args()
    results = measure(options.program, options.size)
    text = tables(results, options.size)
    print(text)
    faults = [f"{name} has no fewer instructions" for name, (base, vector, best) in results.items()
              if vector[best]["warp_instructions"] >= base["warp_instructions"]]
    return statement_page.finish(PAGE, MARKS, text, statements(results), options.update, faults)


if __name__ == "__main__":
    sys.exit(main())
