"""memory: perfect memory is at least 1.5 times as fast (Wang and Lin, ISCA 2017, section 5.1.2); else compute."""

ROW = "perfect memory on dac_gtx480_card"
MEMORY_SPEEDUP = 1.5


def measure(workload):
    base, ideal = (workload.simulate("dac_gtx480_card", *options)[1]["cycles"] for options in ((), ("-o", "gpu.perfect_memory=true")))
    return f"{base / ideal:.2f} times as fast", "memory" if base / ideal >= MEMORY_SPEEDUP else "compute"
