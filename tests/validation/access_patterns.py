#!/usr/bin/env python3
"""Figures 2 and 4 of Crago, Stephenson and Keckler (TACO 2018) for the paper's sixteen workloads: the roles of instructions
and the patterns of addresses, from `lookahead profile patterns`.

Workloads with a form `looped` run in it, with the loops as written (unroll=1), because the paper made loops of kernels
that handle one element. 64-bit operations are expanded, so that an address has its cost on the paper's machine. The
paper's bars have no numbers; statements of its text are checked, and ACCESS_PATTERNS.md, which --update writes, lists
the differences. Exits with 1 if a statement fails that ACCESS_PATTERNS.md does not list as differing.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import lookahead_process as lookahead  # noqa: E402
import statement_page  # noqa: E402

PAGE = pathlib.Path(__file__).with_name("ACCESS_PATTERNS.md")
MARKS = ("<!-- tables: made by access_patterns.py -->", "<!-- end of tables -->")
WORKLOADS = ("spsum", "transpose", "vecadd", "bfs", "btree", "gaussian", "histo", "kmeans", "mri-q", "nw", "sgemm", "spmv",
             "stencil", "comd", "hpgmg", "miniamr")
LARGE = ("comd", "hpgmg", "miniamr")
OPTIONS = ["--machine", "vecmem_nvidia"]
ROLES = ("address_generation", "memory", "control", "integer", "floating_point")
PATTERNS = ("strided", "regular_indirect", "irregular_indirect", "other")


def profile(program, workload, size):
    has_looped_form = "looped" in lookahead.output_of(program, ["describe", workload])
    form = ["--set", "form=looped", "--set", "unroll=1"] if has_looped_form else []
    found = lookahead.json_of(program, ["profile", "patterns", workload, "--size", size, *form, *OPTIONS])
    return found | {"looped": has_looped_form}


def shares(counts, names):
    """Shares in percent; zeros where nothing was counted."""
    whole = sum(counts[name] for name in names)
    return {name: 100 * counts[name] / whole if whole else 0.0 for name in names}


def both_spaces(result):
    return {name: result["global"][name] + result["shared"][name] for name in PATTERNS}


def in_patterns(result):
    """Percent of global and shared accesses that are strided or regular indirect."""
    each = shares(both_spaces(result), PATTERNS)
    return each["strided"] + each["regular_indirect"]


def statements(results):
    """What the paper's text says, ours beside it, and whether ours agrees."""
    agen = {name: shares(results[name]["instructions"], ROLES)["address_generation"] for name in WORKLOADS}
    indirect = {name: shares(both_spaces(results[name]), PATTERNS)["regular_indirect"] for name in WORKLOADS}
    fitting = {name: in_patterns(results[name]) for name in WORKLOADS}
    sums = {name: sum(both_spaces(r)[name] for r in results.values()) for name in PATTERNS}
    mean = sum(agen.values()) / len(agen)
    many = [name for name in WORKLOADS if fitting[name] >= 80]
    strides = {}
    for result in results.values():
        whole = sum(step["steps"] for step in result["strides"]) or 1
        for step in result["strides"]:
            strides[step["bytes"]] = strides.get(step["bytes"], 0) + step["steps"] / whole / len(results)
    warps = sum(part for stride, part in strides.items() if stride != 0 and (128 % stride == 0 or stride % 128 == 0))
    least = min(indirect[name] for name in ("bfs", "btree", "spmv", "spsum"))
    return [
        ("address generation, mean", "42 %", f"{mean:.1f} %", 37 <= mean <= 47),
        ("address generation of kmeans above 50 %", "yes", f"{agen['kmeans']:.1f} %", agen["kmeans"] > 50),
        ("address generation of spmv above 50 %", "yes", f"{agen['spmv']:.1f} %", agen["spmv"] > 50),
        ("address generation of mri-q below the mean", "yes", f"{agen['mri-q']:.1f} %", agen["mri-q"] < mean),
        ("address generation of sgemm below the mean", "yes", f"{agen['sgemm']:.1f} %", agen["sgemm"] < mean),
        ("workloads with 80 % of their accesses in the two patterns", "most", f"{len(many)} of 16", len(many) > 8),
        ("more strided than indirect accesses", "yes", f"{sums['strided'] / max(1, sums['regular_indirect']):.1f} : 1",
         sums["strided"] > sums["regular_indirect"]),
        ("strided accesses of both spaces", "yes",
         f"{sum(r['global']['strided'] > 0 for r in results.values())} and "
         f"{sum(r['shared']['strided'] > 0 for r in results.values())} workloads",
         any(r["shared"]["strided"] for r in results.values())),
        ("strides of 32 words, its factors and multiples", "the most common", f"{100 * warps:.0f} % of the steps, workloads weighted equally",
         warps > 0.5),
        ("indirect accesses of bfs, btree, spmv and spsum", "prominent", f"at least {least:.1f} %", least > 20),
        ("comd, hpgmg, miniamr fit less than the others", "yes",
         ", ".join(f"{fitting[name]:.0f} %" for name in LARGE),
         sum(fitting[name] for name in LARGE) / 3 <
         sum(fitting[name] for name in WORKLOADS if name not in LARGE) / 13),
    ]


def tables(results, size):
    lines = [f"Size {size}. Percent of warp instructions (figure 2):", "",
             "| workload | form | " + " | ".join(role.replace("_", " ") for role in ROLES) + " |",
             "|---|---|" + "---|" * len(ROLES)]
    for name, result in results.items():
        each = shares(result["instructions"], ROLES)
        lines.append(f"| {name} | {'looped' if result['looped'] else 'original'} | "
                     + " | ".join(f"{each[role]:.1f}" for role in ROLES) + " |")
    lines += ["", "Percent of the loads and stores of each space (figure 4), by warps; `other` is the rest:", "",
              "| workload | global: strided | regular indirect | irregular | shared: strided | regular indirect | irregular "
              "| both in the two patterns |", "|---|---|---|---|---|---|---|---|"]
    for name, result in results.items():
        cells = []
        for space in ("global", "shared"):
            each = shares(result[space], PATTERNS)
            any_there = sum(result[space].values()) > 0
            cells += [f"{each[pattern]:.1f}" if any_there else "" for pattern in PATTERNS[:3]]
        lines.append(f"| {name} | " + " | ".join(cells) + f" | {in_patterns(result):.1f} |")
    return "\n".join(lines + statement_page.table(statements(results)))


def main():
    options = statement_page.argument_parser(__doc__, PAGE).parse_args()
    results = {name: profile(options.program, name, options.size) for name in WORKLOADS}
    text = tables(results, options.size)
    print(text)
    return statement_page.finish(PAGE, MARKS, text, statements(results), options.update)


if __name__ == "__main__":
    sys.exit(main())
