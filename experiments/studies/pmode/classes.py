"""Type-L: long-latency RAW is the largest of the schedulers' stall causes; else Type-M. As in the paper (Kim et al.,
HPCA 2016, section 3) a wait for memory has long latency where it takes more than 100 cycles, and a cause is a state of
warps, so cycles of an SM without any CTA do not count."""

import h5py

ROW = "stalls on pmode_fermi_card"
STALLS = ["long_latency", "short_latency", "memory_unit_full", "unit_full", "buffer_empty", "barrier", "no_instruction_left",
          "constant_wait", "fence"]


def measure(workload):
    out, _ = workload.simulate("pmode_fermi_card")
    with h5py.File(out) as file:
        counted = {cause: int(value[:].sum()) for cause, value in file["counters/sm_scheduler"].items() if value.dtype.kind == "u"}
        cycles = sum(counted.values())
        counted["long_latency"] = int(file["counters/sm/long_latency"][:].sum())
    counted["short_latency"] += counted["memory_wait"] - counted["long_latency"]
    stalls = sorted(((counted[cause] / cycles, cause) for cause in STALLS), reverse=True)
    issued, empty = (counted[what] / cycles for what in ("issued", "no_cta"))
    text = f"issued {100 * issued:.0f} %, no CTA {100 * empty:.0f} %, " + ", ".join(
        f"{cause.replace('_', ' ')} {100 * share:.0f} %" for share, cause in stalls[:3])
    return text, "Type-L" if stalls[0][1] == "long_latency" else "Type-M"
