#!/usr/bin/env python3
"""The figures of vector memory instructions, of made tables and result files."""

import pathlib
import sys

import h5py
import numpy as np
import pandas as pd

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tests/support"))
import lookahead_process as lookahead  # noqa: E402
from made_sweeps import papers, write_counters  # noqa: E402

PAPER = papers.of(HERE.name)


class Forms:
    """Stands for a sweep over loops and vectors: bfs gains by stalls alone, spmv by instructions alone."""

    LOOPS = {"bfs": (1000.0, 400.0, 600.0, 100.0), "spmv": (1000.0, 800.0, 200.0, 200.0)}
    VECTORS = {"bfs": (500.0, 400.0, 100.0, 50.0), "spmv": (500.0, 300.0, 200.0, 200.0)}

    def of(self, rows, factor=1.0):
        columns = ["workload", "cycles", "execute", "stall", "l1_misses"]
        table = pd.DataFrame([(workload, *values) for workload, values in rows.items()], columns=columns)
        for name in ("l2_misses", "row_misses", "energy", "energy_delay"):
            table[name] = table["cycles"]
        table["warp_instructions"] = table["execute"]
        table["integer"] = table["execute"] * factor
        for name in ("memory", "control", "floating"):
            table[name] = 0.0
        return table

    def best(self, name, *axes):
        return self.of(self.LOOPS) if name == "best unrolling" else self.of(self.VECTORS, 0.5)

    def table(self, axis):
        if axis == "kind":
            found = {"unroll 1": (1000.0, 800.0), "both": (500.0, 400.0), "global": (625.0, 500.0), "shared": (1000.0, 700.0),
                     "strided": (500.0, 400.0), "indirect": (1000.0, 800.0)}
            return pd.DataFrame([(workload, kind, *values) for workload in ("bfs", "spmv") for kind, values in found.items()],
                                columns=["workload", "kind", "cycles", "warp_instructions"])
        return pd.DataFrame([("bfs", "length 4", 800.0), ("bfs", "length 8", 500.0), ("bfs", "length 16", 1000.0)],
                            columns=["workload", "form", "cycles"])


class Bests:
    """Stands for a sweep with bests: (name, workload, value of the axis, cycles, warp instructions)."""

    def __init__(self, axis, rows, original=()):
        self.axis, self.rows, self.original = axis, rows, original

    def best(self, name, *axes):
        rows = [row[1:] for row in self.rows if row[0] == name]
        return pd.DataFrame(rows, columns=["workload", self.axis, "cycles", "warp_instructions"][:len(rows[0])])

    def table(self, *axes):
        return pd.DataFrame(self.original, columns=["workload", *axes, "cycles"])


def check_vecmem_bounds(checks):
    # The vectors' cycles of 1000 with each memory, and their instructions of 100.
    vectors = {"btree": ((952, 900, 900, 900), 60), "vecadd": ((1000, 961, 900, 900), 90), "spmv": ((1000, 1000, 793, 793), 90),
               "bfs": ((1000, 1000, 1000, 1000), 56), "nw": ((1000, 1000, 1000, 1000), 80), "histo": ((1000, 1000, 1000, 862), 90),
               "spsum": ((892, 892, 892, 892), 90), "transpose": ((1000, 1000, 892, 892), 90),
               "miniamr": ((1000, 1000, 893, 893), 68), "gaussian": ((1000, 1000, 1000, 893), 67)}
    memories = PAPER.module.MEMORIES
    rows = [("best unrolling", workload, memory, 2000 if memory == "as it is" else 1000, 100) for workload in vectors for memory in memories]
    rows += [("best length", workload, memory, cycles * (2 if memory == "as it is" else 1), instructions)
             for workload, (all_cycles, instructions) in vectors.items() for memory, cycles in zip(memories, all_cycles)]
    table = PAPER.table("memory", Bests("machine", rows))
    checks.check("memory", dict(table["what keeps it"]) == {"btree": "", "vecadd": "bandwidth", "spmv": "memory", "bfs": "instructions",
                                                            "nw": "unknown", "histo": "lines and results", "spsum": "", "transpose": "memory",
                                                            "miniamr": "instructions", "gaussian": "unknown", "mean": ""}
          and np.isclose(table.loc["spmv", "perfect"], 1000 / 793) and np.isclose(table.loc["mean", "loops, perfect over as it is"], 2), table)
    rows = [(name, "bfs", "", cycles) for name, cycles in
            (("best unrolling", 1000), ("best unrolling by 16, too", 800), ("best length", 500))]
    table = PAPER.table("unroll_16", Bests("form", rows))
    checks.check("unroll_16", np.allclose(table.loc["bfs"], [2, 1.6]), table)

    techniques = {"none": 1000, "CCWS": 800, "1 CTA": 500, "2 CTAs": 400, "4 CTAs": 2000, "L1 x 16": 250, "BATCH": 1250, "free rows": 625}
    rows = [(name, workload, technique, cycles) for name in ("best unrolling", "best length") for workload in ("bfs", "spsum", "histo")
            for technique, cycles in techniques.items()]
    original = [("bfs", form, technique, cycles / (2 if technique == "CCWS" and form == "original" else 1))
                for form in ("original", "unroll 1") for technique, cycles in techniques.items()]
    sweep = Bests("technique", rows, original)
    table = PAPER.table("ccws_bounds", sweep)
    checks.check("ccws_bounds", np.allclose(table.loc["bfs"], [2.5, 2.5, 4, 1.25, 2.5, 4, 1.25, 2.5, 4])
          and list(table.index) == ["bfs", "spsum", "mean"], table)
    table = PAPER.table("batch_bounds", sweep)
    checks.check("batch_bounds", np.allclose(table.loc["bfs"], [0.8, 1.6] * 3) and list(table.index) == ["bfs", "histo", "mean"], table)


def check_vecmem(checks):
    table = PAPER.table("fig10", Forms())
    checks.check("fig10", np.allclose(table["cycles"], [2, 2, 2]), table)
    table = PAPER.table("fig8", Forms())
    checks.check("fig8", np.isclose(table.loc["bfs", "all"], 1) and np.isclose(table.loc["mean", "all"], np.sqrt(3 / 8))
          and np.isclose(table.loc["spmv", ("vectors", "integer")], 0.5 * 3 / 8), table)
    table = PAPER.table("fig9", Forms())
    checks.check("fig9", np.isclose(table.loc["bfs", "l1_misses"], 0.5) and np.isclose(table.loc["mean", "l1_misses"], np.sqrt(0.5)), table)
    table = PAPER.table("fig11", Forms())
    checks.check("fig11", np.isclose(table.loc["mean", "of what is saved: execute"], 0.5)
          and np.isclose(table.loc["bfs", "vectors, stall"], 0.1), table)
    table = PAPER.table("fig14", Forms())
    checks.check("fig14", np.allclose(table.loc["bfs"], [1.25, 2, 1]), table)
    table = PAPER.table("fig15", Forms())
    checks.check("fig15", np.isclose(table.loc["mean", "global's part"], 0.6) and np.isclose(table.loc["mean", "shared's part"], 0)
          and len(table) == 3, table)
    table = PAPER.table("fig16", Forms())
    checks.check("fig16 is of those that have both", list(table.index) == ["mean"], table)
    path = checks.folder / "vecmem.h5"
    with h5py.File(path, "w") as run:
        run.attrs["cycles"] = 10
        write_counters(run, {"sm/warp_instructions": 100, "sm/load_global": 20, "sm/store_shared": 5, "sm/branch_instructions": 10,
                             "sm/fp32_fma": 15, "l1d/misses_demand": 7, "l2_slice/reads": 9, "l2_slice/read_hits": 3, "l2_slice/merges": 1,
                             "dram/row_misses": 2, "dram/row_conflicts": 3, "sm_scheduler/issued": 100,
                             "sm_scheduler/slot_held": 4, "sm_scheduler/memory_wait": 30, "sm_scheduler/constant_wait": 15,
                             "sm_scheduler/fence": 5, "sm_scheduler/no_cta": 9})
    with h5py.File(path, "r") as run:
        found = PAPER.module.facts(run)
        checks.check("facts of vecmem", [found[name] for name in ("memory", "control", "floating", "integer", "l2_misses", "row_misses",
                                                           "execute", "stall")] == [25, 10, 15, 50, 5, 5, 104, 50], found)


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, lookahead.Checks, check_vecmem_bounds, check_vecmem))
