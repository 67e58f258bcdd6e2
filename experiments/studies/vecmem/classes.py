"""stride, shared stride, indirect: what the paper's new instructions are used for (Crago et al., TACO 2018, table 2): global accesses
with a stride, shared ones, and global ones whose address a load of the same loop gave, each where a tenth or more of all
accesses to both memories are such. Loops are those of form=looped where there is one, not unrolled. "none" where there are
no such."""

ROW = "access patterns"
PATTERN_SHARE = 0.1


def measure(workload):
    """What the addresses of its loads and stores do in innermost loops."""
    looped = ["--set", "form=looped", "--set", "unroll=1"] if (workload.folder / "looped.cu").exists() else []
    profile = workload.json_of("profile", "patterns", workload.name, "--size", workload.size, *looped)
    accesses = sum(profile["global"].values()) + sum(profile["shared"].values())
    counts = {"stride": profile["global"]["strided"], "shared stride": profile["shared"]["strided"],
              "indirect": profile["global"]["regular_indirect"]}
    shares = {what: count / max(1, accesses) for what, count in counts.items()}
    text = ", ".join(f"{what} {100 * share:.0f} %" for what, share in shares.items() if share >= 0.005) or "no loops"
    found = " and ".join(what for what, share in shares.items() if share >= PATTERN_SHARE) or "none"
    return f"{'looped: ' if looped else ''}{text}", found
