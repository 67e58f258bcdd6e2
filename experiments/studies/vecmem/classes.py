"""stride, shared stride, indirect: the uses of the paper's new instructions (Crago et al., TACO 2018, table 2): global
accesses with a stride, shared accesses with one, and global accesses whose address a load of the same loop gave. A use
counts if a tenth or more of all accesses to both memories are of its kind. Loops are those of form=looped, not
unrolled, if the workload has this form. "none" if no use counts."""

ROW = "access patterns"
PATTERN_SHARE = 0.1


def measure(workload):
    """How the addresses of the workload's loads and stores change in innermost loops."""
    looped = ["--set", "form=looped", "--set", "unroll=1"] if (workload.folder / "looped.cu").exists() else []
    profile = workload.json_of("profile", "patterns", workload.name, "--size", workload.size, *looped)
    accesses = sum(profile["global"].values()) + sum(profile["shared"].values())
    counts = {"stride": profile["global"]["strided"], "shared stride": profile["shared"]["strided"],
              "indirect": profile["global"]["regular_indirect"]}
    shares = {what: count / max(1, accesses) for what, count in counts.items()}
    text = ", ".join(f"{what} {100 * share:.0f} %" for what, share in shares.items() if share >= 0.005) or "no loops"
    found = " and ".join(what for what, share in shares.items() if share >= PATTERN_SHARE) or "none"
    return f"{'looped: ' if looped else ''}{text}", found
