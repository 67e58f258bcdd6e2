#!/usr/bin/env python3
"""Figures 1 and 2 of Collange and Kouyoumdjian (Affine Vector Cache, 2011): registers of the kernels and warps' vectors in
private memory with few registers, from `lookahead profile vectors`.

Applications weigh equally and their kernels share their weight; kernels whose r_base is below 8 are left out, as the
paper does. The paper's bars have no numbers; statements of its text are checked, and PRIVATE_VECTORS.md, which --update
writes, lists the differences. Exits with 1 if a statement fails that PRIVATE_VECTORS.md does not list as differing.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import lookahead_process as lookahead  # noqa: E402
import statement_page  # noqa: E402

PAGE = pathlib.Path(__file__).with_name("PRIVATE_VECTORS.md")
MARKS = ("<!-- tables: made by private_vectors.py -->", "<!-- end of tables -->")
WORKLOADS = ("BinomialOptions", "BlackScholes", "FastWalshTransform", "FDTD3d", "backprop", "srad_v2", "hotspot", "heartwall",
             "lud", "nw", "cfd")
WIDE = ("backprop", "srad_v2", "hotspot")  # have versions with blocks of 32 x 32 threads
CURVES = ("cfd", "FDTD3d", "hotspot", "nw", "heartwall")
CLASSES = ("zero", "uniform", "affine", "generic")
LEAST_BASE = 8
# The paper's compiler spills addresses and counters: it is assumed to recompute no values.
PAPERS = ("finaliser.rematerialise=false",)
ORDERS = {"spilled, by cost": PAPERS, "spilled, affine first": (*PAPERS, "finaliser.spill_order=affine_first"),
          "recomputed, by cost": (), "recomputed, affine first": ("finaliser.spill_order=affine_first",)}


def profile(program, workload, size, pointers, registers, form=(), code=PAPERS):
    found = lookahead.json_of(program, ["profile", "vectors", workload, "--size", size, *form, "--machine", "avc_fermi_sm",
                                        "-o", f"isa.pointers={pointers}", *lookahead.words("-o", code), "--registers", *registers])
    return {point["registers"]: point["kernels"] for point in found["points"]}


def counts_of(kernel):
    return {name: kernel["loads"][name] + kernel["stores"][name] for name in CLASSES}


def counted(kernels):
    """Kernels with private traffic that the paper would have taken."""
    return [kernel for kernel in kernels if kernel["r_base"] >= LEAST_BASE and sum(counts_of(kernel).values()) > 0]


def shares(kernel):
    counts = counts_of(kernel)
    return {name: 100 * counts[name] / (sum(counts.values()) or 1) for name in CLASSES}


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else 0.0


def affine_share(results, point):
    """Percent of zero, uniform and affine vectors: the mean over applications of the means over their kernels."""
    return mean(mean(100 - shares(kernel)["generic"] for kernel in counted(points[point])) for points in results.values()
                if counted(points[point]))


def part_of_affine(results, what):
    """Percent of all vectors with one base and one stride; applications weigh equally."""
    parts = []
    for points in results.values():
        for kernel in counted(points["0.5"]):
            counts = counts_of(kernel)
            unencoded = kernel["other_strides"] + kernel["masks_without_stride"]
            parts.append(100 * kernel[what] / (counts["zero"] + counts["uniform"] + counts["affine"] + unencoded or 1))
    return mean(parts)


def by_name(results, workload, point):
    return {kernel["kernel"]: kernel for kernel in results[workload][point]}


def statements(narrow, long, wide, curves):
    with_wide = narrow | wide
    heartwall = mean(100 - shares(kernel)["generic"] for kernel in counted(narrow["heartwall"]["0.5"]))
    cfd = mean(100 - shares(kernel)["generic"] for kernel in counted(narrow["cfd"]["0.5"]))
    average = affine_share(narrow, "0.5")
    more = {name: mean(long_one["r_base"] - narrow_one["r_base"] for long_one, narrow_one in
                       zip(long[name]["0.5"], narrow[name]["0.5"])) for name in ("nw", "heartwall")}
    few = [kernel for kernels in curves["nw"].values() for kernel in kernels if counts_of(kernel)["generic"] == 0]
    fewest = min((kernel["registers"] for kernel in few), default=0)
    sequence = [shares(counted(kernels)[0])["generic"] for _, kernels in
                sorted(curves["FDTD3d"].items(), key=lambda item: -int(item[0])) if counted(kernels)]
    return [
        ("affine share at 0.75 r_base", "66 %", f"{affine_share(narrow, '0.75'):.1f} %",
         abs(affine_share(narrow, "0.75") - 66) <= 10),
        ("affine share at 0.5 r_base", "67 %", f"{average:.1f} %", abs(average - 67) <= 10),
        ("affine share at 0.5 r_base, blocks 32 wide", "80 %", f"{affine_share(with_wide, '0.5'):.1f} %",
         abs(affine_share(with_wide, "0.5") - 80) <= 10),
        ("blocks 32 wide have a larger affine share", "yes",
         f"{affine_share({n: narrow[n] for n in WIDE}, '0.5'):.1f} and {affine_share(wide, '0.5'):.1f} %",
         affine_share(wide, "0.5") > affine_share({n: narrow[n] for n in WIDE}, "0.5")),
        ("strides that are no power of two, of affine vectors", "below 3 %", f"{part_of_affine(narrow, 'other_strides'):.2f} %",
         part_of_affine(narrow, "other_strides") < 3),
        ("sparse masks, of affine vectors", "below 0.1 %", f"{part_of_affine(narrow, 'sparse_masks'):.2f} %",
         part_of_affine(narrow, "sparse_masks") < 0.1),
        ("Heartwall's traffic is affine", "100 %", f"{heartwall:.1f} %", heartwall > 98),
        ("CFD's affine share is below the average", "yes", f"{cfd:.1f} %", cfd < average),
        ("FDTD3D spills computation data first", "yes", f"generic {sequence[0]:.0f} % at first, {sequence[-1]:.0f} % at last",
         sequence[0] > sequence[-1]),
        ("registers with which nw spills no generic vector", "3", str(fewest), fewest == 3),
        ("further registers of nw with 64-bit pointers", "20", f"{more['nw']:.0f}", more["nw"] >= 10),
        ("further registers of Heartwall with 64-bit pointers", "12", f"{more['heartwall']:.0f}", more["heartwall"] >= 6),
    ]


def breakdown(title, results):
    lines = ["", title, "",
             "| workload | kernel | r_default | r_base | r | accesses per 1000 instructions | zero | uniform | affine | generic "
             "| half warps | 0.75 r_base: affine share |", "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for name, points in results.items():
        before = {kernel["kernel"]: kernel for kernel in points["0.75"]}
        for kernel in points["0.5"]:
            whole = sum(counts_of(kernel).values())
            each = shares(kernel)
            cells = [f"{each[one]:.1f}" for one in CLASSES] if whole else [""] * 4
            halves = f"{100 * kernel['affine_by_half_warps'] / whole:.1f}" if whole else ""
            earlier = before[kernel["kernel"]]
            other = f"{100 - shares(earlier)['generic']:.1f}" if sum(counts_of(earlier).values()) else ""
            lines.append(f"| {name} | {kernel['kernel']} | {kernel['r_default']} | {kernel['r_base']} | {kernel['registers']} | "
                         f"{1000 * whole / kernel['warp_instructions']:.1f} | " + " | ".join(cells) + f" | {halves} | {other} |")
    return lines


def curve_tables(curves):
    lines = ["", "Accesses per 1000 warp instructions at each number of registers, 32-bit pointers (figure 2), for the kernel "
             "with the most instructions of its workload:"]
    for name, points in curves.items():
        lines += ["", f"| {name}: r | affine | generic | global |", "|---|---|---|---|"]
        seen = set()
        for _, kernels in sorted(points.items(), key=lambda item: -int(item[0])):
            kernel = max(kernels, key=lambda each: each["warp_instructions"])
            if kernel["registers"] in seen:
                continue
            seen.add(kernel["registers"])
            counts = counts_of(kernel)
            rate = 1000 / kernel["warp_instructions"]
            affine = sum(counts.values()) - counts["generic"]
            lines.append(f"| {kernel['registers']} | {affine * rate:.1f} | {counts['generic'] * rate:.1f} | "
                         f"{kernel['global_accesses'] * rate:.1f} |")
    return lines


def accesses(results, point):
    """Private accesses in 1000 instructions; applications weigh equally."""
    return mean(mean(1000 * sum(counts_of(kernel).values()) / kernel["warp_instructions"] for kernel in counted(points[point]))
                for points in results.values() if counted(points[point]))


def order_table(orders):
    lines = ["", "The finaliser's choices for values that do not fit, 32-bit pointers: `spilled`: all go to local memory; "
             "`recomputed`: values that a few plain instructions can compute are not spilled; `affine first`: "
             "finaliser.spill_order. The mean of r_base is over kernels.", "",
             "| values that do not fit | r_base | affine share at 0.75 r_base | at 0.5 | accesses per 1000 instructions at 0.5 |",
             "|---|---|---|---|---|"]
    for name, results in orders.items():
        bases = [kernel["r_base"] for points in results.values() for kernel in points["0.5"]]
        lines.append(f"| {name} | {mean(bases):.1f} | {affine_share(results, '0.75'):.1f} | {affine_share(results, '0.5'):.1f} | "
                     f"{accesses(results, '0.5'):.1f} |")
    return lines


def main():
    options = statement_page.argument_parser(__doc__, PAGE).parse_args()

    def all_of(names, pointers, form=(), code=PAPERS):
        return {name: profile(options.program, name, options.size, pointers, ("0.75", "0.5"), form, code) for name in names}

    narrow, long = all_of(WORKLOADS, 32), all_of(WORKLOADS, 64)
    wide = all_of(WIDE, 32, ("--set", "form=wide"))
    # No statement needs the orders: they are for the page.
    orders = {name: narrow if code == PAPERS else all_of(WORKLOADS, 32, (), code) for name, code in ORDERS.items()
              } if options.update else {}
    curves = {}
    for name in CURVES:
        most = max(kernel["r_base"] for kernel in narrow[name]["0.5"])
        least = min(kernel["r_least"] for kernel in narrow[name]["0.5"])
        curves[name] = profile(options.program, name, options.size, 32, range(most, max(least, 2) - 1, -1))
    made = statements(narrow, long, wide, curves)
    lines = [f"Size {options.size}. Percent of the loads and stores of private memory at 0.5 r_base (figure 1). `half warps`: "
             "generic vectors whose halves are both affine."]
    lines += breakdown("32-bit pointers:", narrow) + breakdown("32-bit pointers, blocks 32 wide:", wide)
    lines += breakdown("64-bit pointers:", long) + (order_table(orders) if orders else []) + curve_tables(curves)
    text = "\n".join(lines + statement_page.table(made))
    print(text)
    return statement_page.finish(PAGE, MARKS, text, made, options.update)


if __name__ == "__main__":
    sys.exit(main())
