#!/usr/bin/env python3
"""Micro-benchmarks: measurements of programs on a machine equal the values of the machine's configuration.

Each kernel of ptx/ is run with n and with 2n copies of its BODY; the difference of the cycles, divided by n, is the
cost of one. It is compared with a value computed from the effective configuration (`lookahead config show`), for the
machine as it is and with the keys in question set to other values. DEVIATIONS.md
compares the figures with real hardware."""

import dataclasses
import math
import pathlib
import sys
import tempfile
import tomllib
from collections.abc import Callable

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import lookahead_process as lookahead  # noqa: E402

LINE_BYTES = 128
READ_REPLY_BYTES = 8 + LINE_BYTES  # header and line


class Bench:
    """Runs kernels on a machine with some keys set."""

    def __init__(self, program, folder, machine="gtx480", **keys):
        self.program = program
        self.folder = folder
        self.options = ["--machine", machine]
        keys.setdefault("sm__operand_collectors", "false")  # their part is measured by itself, in operand_collection
        keys.setdefault("l1i__enabled", "false")            # 2 n copies of a BODY do not fit
        for key, value in keys.items():
            self.options += ["-o", f"{key.replace('__', '.')}={value}"]
        self.configuration = tomllib.loads(lookahead.output_of(program, ["config", "show", *self.options]))

    def __getitem__(self, key):
        value = self.configuration
        for part in key.split("."):
            value = value[part]
        return value

    def cycles(self, kernel, body="", count=1, arguments="", block=32, grid=1):
        text = (HERE / "ptx" / f"{kernel}.ptx").read_text().replace("BODY\n", f"\t{body}\n" * count)
        file = self.folder / f"{kernel}.ptx"
        file.write_text(text)
        summary = lookahead.simulate(self.program, ["ptx", "--set", f"file={file}", "--set", f"arguments={arguments}",
                                                    "--set", f"block={block}", "--set", f"grid={grid}",
                                                    "--out", self.folder / "run.h5", *self.options])
        if summary["status"] != "complete":
            raise RuntimeError(f"{kernel}: {summary}")
        return summary["cycles"]

    def cost(self, kernel, body, count=100, **launch):
        """Cycles of one more BODY."""
        return (self.cycles(kernel, body, 2 * count, **launch) - self.cycles(kernel, body, count, **launch)) / count


@dataclasses.dataclass
class Check:
    name: str
    measured: float
    least: float
    most: float

    def good(self):
        return self.least <= self.measured <= self.most

    def __str__(self):
        bounds = f"{self.least:g}" if self.least == self.most else f"{self.least:g} to {self.most:g}"
        return f"{'ok  ' if self.good() else 'FAIL'} {self.name}: {self.measured:g} cycles, expected {bounds}"


def exactly(name, measured, expected):
    return Check(name, measured, expected, expected)


# ---- Arithmetic -------------------------------------------------------------------------------------------------

@dataclasses.dataclass
class ArithmeticClass:
    """Bounds of the keys sm.timing.<name>_latency and _initiation, on the units of the key sm.<units>."""
    name: str
    instruction: str
    units: str


ARITHMETIC = [
    ArithmeticClass("integer", "add.s32 %r2, %r2, %r1;", "sp_units"),
    ArithmeticClass("integer", "xor.b32 %r2, %r2, %r1;", "sp_units"),
    ArithmeticClass("integer_min_max", "min.s32 %r2, %r2, %r1;", "sp_units"),
    ArithmeticClass("integer_multiply", "mul.lo.s32 %r2, %r2, %r1;", "sp_units"),
    ArithmeticClass("integer_mad", "mad.lo.s32 %r2, %r2, %r1, %r1;", "sp_units"),
    ArithmeticClass("integer_divide", "div.s32 %r2, %r2, %r1;", "sfu_units"),
    ArithmeticClass("fp32_add", "add.f32 %f2, %f2, %f1;", "sp_units"),
    ArithmeticClass("fp32_min_max", "min.f32 %f2, %f2, %f1;", "sp_units"),
    ArithmeticClass("fp32_multiply", "mul.f32 %f2, %f2, %f1;", "sp_units"),
    ArithmeticClass("fp32_fma", "fma.rn.f32 %f2, %f2, %f1, %f1;", "sp_units"),
    ArithmeticClass("fp32_divide", "div.rn.f32 %f2, %f2, %f1;", "sfu_units"),
    ArithmeticClass("fp64_add", "add.f64 %d2, %d2, %d1;", "dp_units"),
    ArithmeticClass("fp64_multiply", "mul.f64 %d2, %d2, %d1;", "dp_units"),
    ArithmeticClass("fp64_fma", "fma.rn.f64 %d2, %d2, %d1, %d1;", "dp_units"),
    ArithmeticClass("fp64_divide", "div.rn.f64 %d2, %d2, %d1;", "dp_units"),
    ArithmeticClass("special", "sin.approx.f32 %f2, %f2;", "sfu_units"),
]


def arithmetic_cost(bench, instruction, **launch):
    return bench.cost("arithmetic", instruction, arguments="u64[32]=0 u32:3", **launch)


def arithmetic_latency(make_bench):
    """One warp issues a dependent instruction when its predecessor's latency has passed."""
    default = make_bench()
    for each in ARITHMETIC:
        key = f"sm.timing.{each.name}_latency"
        opcode = each.instruction.split()[0]
        yield exactly(f"{opcode} latency", arithmetic_cost(default, each.instruction), default[key])
        other = make_bench(**{key.replace(".", "__"): default[key] + 7})
        yield exactly(f"{opcode} latency, {key} + 7", arithmetic_cost(other, each.instruction), default[key] + 7)


def arithmetic_throughput(make_bench):
    """32 warps keep a class's units busy, which then take a warp in each initiation interval. The warps take turns,
    because a greedy scheduler would end with a few warps that cannot fill a long pipeline by themselves."""
    warps = 32
    bench = make_bench(sm__warp_scheduler="lrr")
    for each in ARITHMETIC:
        busy = warps * bench[f"sm.timing.{each.name}_initiation"] / bench[f"sm.{each.units}"]
        least = max(busy, warps / bench["sm.schedulers"], bench[f"sm.timing.{each.name}_latency"])
        measured = arithmetic_cost(bench, each.instruction, block=32 * warps, count=50)
        yield exactly(f"{each.instruction.split()[0]} by 32 warps", measured, least)


def issue_bound(make_bench):
    """With a memory that takes no time and units without limit every scheduler issues in every cycle, whatever the
    classes of the instructions, by themselves and one after the other."""
    unlimited = {f"sm__{units}": 8 for units in ("sp_units", "sfu_units", "dp_units")}
    for each in ARITHMETIC:
        unlimited[f"sm__timing__{each.name}_latency"] = unlimited[f"sm__timing__{each.name}_initiation"] = 1
    mixed = [each.instruction for each in ARITHMETIC]
    for schedulers in (1, 2):
        bench = make_bench(gpu__perfect_memory="true", sm__schedulers=schedulers, sm__warp_scheduler="lrr",
                           sm__instruction_buffer=8, constant_cache__enabled="false", **unlimited)
        for warps in (8, 32):
            for name, body in ([(each.instruction.split()[0], [each.instruction]) for each in ARITHMETIC] +
                               [("all classes in turn", mixed)]):
                measured = arithmetic_cost(bench, " ".join(body), block=32 * warps, count=40)
                yield exactly(f"issue of {name} by {warps} warps, {schedulers} schedulers, nothing limited", measured,
                              len(body) * warps / schedulers)
        if schedulers == 1:
            # A load a warp and round, which the load/store unit takes as fast as one scheduler issues.
            body = [*mixed, "ld.volatile.global.u32 %r3, [%rd1];"]
            measured = arithmetic_cost(bench, " ".join(body), block=32 * 32, count=40)
            yield Check("issue of all classes and a load by 32 warps, 1 scheduler, nothing limited", measured,
                        len(body) * 32, 1.01 * len(body) * 32)


# From the issue of an instruction to the unit's pipeline and from its end to the write-back: the issue latch, a
# collector unit, a read of the operands, the latch before the unit, the unit, the write-back.
COLLECTION_STAGES = 6


def operand_collection(make_bench):
    """A dependent instruction waits for the stages of operand collection too."""
    default = make_bench(sm__operand_collectors="true")
    for each in ARITHMETIC:
        latency = default[f"sm.timing.{each.name}_latency"]
        # Two operands are in different banks, or cost a cycle more; 64-bit ones have two registers each.
        yield Check(f"{each.instruction.split()[0]} latency with operand collection",
                    arithmetic_cost(default, each.instruction), latency + COLLECTION_STAGES,
                    latency + COLLECTION_STAGES + 2)
    one_bank = make_bench(sm__operand_collectors="true", sm__register_banks=1)
    yield exactly("add.s32 latency with operand collection from one bank",
                  arithmetic_cost(one_bank, "add.s32 %r2, %r2, %r2;"),
                  default["sm.timing.integer_latency"] + COLLECTION_STAGES + 1)


# ---- Global memory ----------------------------------------------------------------------------------------------

def l1_latency(bench):
    """An access's cycle in L1, and hit_latency from there."""
    return 1 + bench["l1d.hit_latency"]


def l2_latency(bench):
    """The pipelines there and back and the reply from its first flit to its last, in cycles of the network; the SM's
    cycle in which it has arrived, and the fill."""
    network = (bench["crossbar.request_latency"] + bench["crossbar.reply_latency"] + bench["l2.data_latency"] +
               math.ceil(READ_REPLY_BYTES / bench["crossbar.flit_bytes"]) - 1)
    return (math.ceil(network / bench["gpu.memory_clock_ratio"]) + 1 + bench["l1d.fill_latency"] +
            bench["l1d.miss_latency"])


def dram_latency(bench, *commands):
    """L2's latency, the fixed part, and the DRAM commands' cycles with the line's bursts, in cycles of the SM."""
    burst_bytes = bench["dram.chips"] * bench["dram.chip_bytes"] * bench["dram.burst_length"]
    bursts = LINE_BYTES / min(burst_bytes, bench["dram.read_bytes"])
    transfer = bursts * bench["dram.burst_length"] / bench["dram.data_rate"]
    dram_cycles = sum(bench[f"dram.{command}"] for command in commands) + transfer
    return (l2_latency(bench) + bench["dram.fixed_latency"] / bench["gpu.memory_clock_ratio"] +
            dram_cycles * bench["sm.frequency"] / bench["dram.frequency"])


# From the SMs' clock to the DRAM's and back, each to the next edge, and a cycle in the DRAM's queue.
MOST_CLOCK_CROSSING = 3
# In addition a miss of L2 may have to open a row and to wait for a write-back.
MOST_DRAM_MISS = 60


def global_latency(make_bench):
    load = "ld.global.u64 %rd2, [%rd2];"
    past_l1 = "ld.relaxed.gpu.global.u64 %rd2, [%rd2];"
    for keys in ({}, {"l1d__hit_latency": 18}, {"l1d__hit_latency": 80}):
        bench = make_bench(**keys)
        measured = bench.cost("global_pointer", load, arguments="u64[32]=0")
        yield exactly(f"L1 hit {keys or ''}", measured, l1_latency(bench))
    for keys in ({}, {"crossbar__request_latency": 20}, {"crossbar__request_latency": 100},
                 {"crossbar__reply_latency": 31}, {"l2__data_latency": 9}, {"l1d__fill_latency": 11},
                 {"l1d__miss_latency": 1}, {"l1d__miss_latency": 35},
                 {"crossbar__flit_bytes": 8}, {"crossbar__flit_bytes": 136}, {"gpu__memory_clock_ratio": 2},
                 {"gpu__memory_clock_ratio": 2, "crossbar__reply_latency": 63}, {"gpu__memory_clock_ratio": 3}):
        bench = make_bench(**keys)
        measured = bench.cost("global_pointer", past_l1, arguments="u64[32]=0")
        yield exactly(f"L2 hit {keys or ''}", measured, l2_latency(bench))


def stride_cost(bench, stride, count=40):
    """Cost of a single load."""
    body = "ld.global.u64 %rd3, [%rd2]; add.s64 %rd2, %rd2, %rd3;"
    words = stride * (2 * count + 1) // 8
    cost = bench.cost("global_stride", body, count, arguments=f"u64[{words}]={stride}")
    return cost - bench["sm.timing.integer_latency"]


def dram_check(name, bench, stride, commands, count=40):
    least = dram_latency(bench, *commands)
    return Check(name, stride_cost(bench, stride, count), least, least + MOST_CLOCK_CROSSING)


def dram_access(make_bench):
    open_row = LINE_BYTES
    # Past one row of every bank of every channel: the next row of the same bank.
    next_row = 6 * 16 * 4096
    for keys in ({}, {"dram__cl": 40}, {"dram__fixed_latency": 10}, {"dram__fixed_latency": 300},
                 {"dram__frequency": 462_000_000}):
        bench = make_bench(**keys)
        yield dram_check(f"DRAM, open row {keys or ''}", bench, open_row, ["cl"])
    for keys in ({}, {"dram__rp": 30}, {"dram__rcd": 30}):
        bench = make_bench(**keys)
        yield dram_check(f"DRAM, another row open {keys or ''}", bench, next_row, ["rp", "rcd", "cl"], count=12)


def ring_cost(bench, lines):
    """A step in the second lap."""
    def cycles(steps):
        return bench.cycles("global_ring", arguments=f"u64[{16 * lines}]=0 u32:{lines} u32:{steps}")
    return (cycles(2 * lines) - cycles(lines)) / lines


def cache_capacity(make_bench):
    """A ring that fits has only hits; with one more line one set has a line too many, which LRU then always misses."""
    bench = make_bench()
    slices = bench["address_mapping.channels"] * bench["address_mapping.slices_per_channel"]
    for cache, lines, ways, hit, least_miss in (
            ("L1", bench["l1d.sets"] * bench["l1d.ways"], bench["l1d.ways"], l1_latency(bench), l2_latency(bench)),
            ("L2", slices * bench["l2.sets"] * bench["l2.ways"], bench["l2.ways"], l2_latency(bench),
             dram_latency(bench, "cl"))):
        yield exactly(f"ring as large as {cache}", ring_cost(bench, lines), hit)
        misses = ways + 1
        least = hit + misses * (least_miss - hit) / (lines + 1)
        most = least + misses * (0 if cache == "L1" else MOST_DRAM_MISS) / (lines + 1)
        measured = ring_cost(bench, lines + 1)
        yield Check(f"ring one line larger than {cache}", measured, least - 1e-9, most + 1e-9)


def local_memory(make_bench):
    """A warp stores a ring into lines of its local memory and follows it. What it stored is in L1, or in L2 behind a
    cache that does not keep it; with one line more than fits lines are written back, and the set with one too many
    misses each time."""
    def cycles(bench, lines, steps):
        return bench.cycles("local_ring", arguments=f"u64[1]=0 u32:{lines} u32:{steps}")

    for policy, first in (("write_back", l1_latency), ("write_back_no_allocate", l2_latency),
                          ("write_through", l2_latency), ("write_evict", l2_latency)):
        for keys in ({}, {"l1d__ways": 2, "l1d__pinned_ways": 1}, {"l1d__hit_latency": 20}):
            bench = make_bench(l1d__local_write_policy=policy, **keys)
            lines = bench["l1d.sets"] * bench["l1d.ways"]
            lap = (cycles(bench, lines, lines) - cycles(bench, lines, 1)) / (lines - 1)
            least = first(bench) - 1 / (lines - 1)  # the first load goes behind the last store
            yield Check(f"local memory, first lap, {policy} {keys or ''}", lap, least - 1e-9, first(bench))
            lap = (cycles(bench, lines, 2 * lines) - cycles(bench, lines, lines)) / lines
            yield exactly(f"local memory, second lap, {policy} {keys or ''}", lap, l1_latency(bench))
    bench = make_bench()
    lines = bench["l1d.sets"] * bench["l1d.ways"] + 1
    misses = bench["l1d.ways"] + 1
    expected = l1_latency(bench) + misses * (l2_latency(bench) - l1_latency(bench)) / lines
    lap = (cycles(bench, lines, 2 * lines) - cycles(bench, lines, lines)) / lines
    yield Check("local memory, a line more than L1 holds", lap, expected - 1e-9, expected + 1e-9)


def texture_groups(bench):
    """Lanes that are addressed together: all fetch one texel, and each group is an access."""
    return math.ceil(32 / bench["texture.lanes_per_cycle"])


def texture_hit(bench):
    """One cycle for each group, one from the tags to the data, and the filter's cycles."""
    return texture_groups(bench) + 1 + bench["texture.filter_latency"]


def texture_miss(bench):
    """As long as a load's from issue to the line's arrival, which fills nothing into L1D; the first group is served at
    once and the others behind it; the filter."""
    return (l2_latency(bench) - bench["l1d.fill_latency"] + texture_groups(bench) - 1 +
            bench["texture.filter_latency"])


def texture_cache(make_bench):
    def ring_cost(bench, lines):
        def cycles(laps):
            return bench.cycles("texture_ring",
                                arguments=f"u64[16]=0 u32[{32 * lines}]=0 u32:{lines} u32:{laps * lines}")
        return (cycles(3) - cycles(2)) / lines

    for keys in ({}, {"texture__filter_latency": 10}, {"texture__lanes_per_cycle": 1},
                 {"texture__lanes_per_cycle": 32}):
        bench = make_bench(**keys)
        yield exactly(f"texture hit {keys or ''}", ring_cost(bench, 4), texture_hit(bench))
    for keys in ({}, {"texture__sets": 2}, {"texture__ways": 8}):
        bench = make_bench(**keys)
        sets, ways = bench["texture.sets"], bench["texture.ways"]
        yield exactly(f"ring as large as the texture cache {keys or ''}", ring_cost(bench, sets * ways),
                      texture_hit(bench))
        # With one line more than fits, one set has a line too many, which LRU then always misses.
        lines = sets * ways + 1
        misses = ways + 1
        expected = (misses * texture_miss(bench) + (lines - misses) * texture_hit(bench)) / lines
        yield Check(f"ring one line larger {keys or ''}", ring_cost(bench, lines), expected - 1e-9, expected + 1e-9)
    for keys in ({}, {"crossbar__request_latency": 20}, {"l2__data_latency": 9}, {"l1d__fill_latency": 11},
                 {"texture__lanes_per_cycle": 32}, {"texture__lanes_per_cycle": 1}):
        bench = make_bench(texture__ways=2, **keys)
        yield exactly(f"texture miss, L2 hit {keys or ''}", ring_cost(bench, 4 * bench["texture.sets"]),
                      texture_miss(bench))


def constant_cache(make_bench):
    """A ring of lines of 64 bytes in a .const variable, whose first words hold the next one's address (.const variables
    begin at the address that components/isa/address_space.h says); loads of words that are the same or not."""
    line_bytes = 64

    def ring_cost(bench, lines):
        words = ", ".join(f"{0x51_0000_0000 + (line + 1) % lines * line_bytes}" + ", 0" * 7 for line in range(lines))
        ring = f".const .align 128 .u64 ring[{8 * lines}] = {{{words}}};"

        def cycles(laps):
            return bench.cycles("constant_ring", ring, 1, arguments=f"u64[1]=0 u32:{laps * lines}")
        return (cycles(3) - cycles(2)) / lines

    def miss(bench):
        """The latency of a load that misses L1D, but the miss is sent at once, and the reply has half of the bytes."""
        flits = [math.ceil(size / bench["crossbar.flit_bytes"]) for size in (READ_REPLY_BYTES, 8 + line_bytes)]
        return l2_latency(bench) - bench["l1d.miss_latency"] - flits[0] + flits[1]

    def hit(bench):
        """The last pass's cycle in the cache, and hit_latency from there."""
        return 1 + bench["constant_cache.hit_latency"]

    for keys in ({}, {"constant_cache__hit_latency": 27}, {"constant_cache__hit_latency": 60}):
        bench = make_bench(**keys)
        yield exactly(f"constant hit {keys or ''}", ring_cost(bench, 4), hit(bench))
    for keys in ({}, {"constant_cache__sets": 16}, {"constant_cache__ways": 4}):
        bench = make_bench(**keys)
        sets, ways = bench["constant_cache.sets"], bench["constant_cache.ways"]
        yield exactly(f"ring as large as the constant cache {keys or ''}", ring_cost(bench, sets * ways), hit(bench))
        lines = sets * ways + 1
        expected = ((ways + 1) * miss(bench) + (lines - ways - 1) * hit(bench)) / lines
        yield exactly(f"ring one line larger {keys or ''}", ring_cost(bench, lines), expected)
    for keys in ({}, {"crossbar__request_latency": 20}, {"l2__data_latency": 9}, {"l1d__fill_latency": 11},
                 {"crossbar__flit_bytes": 8}, {"l1d__miss_latency": 35}):
        bench = make_bench(constant_cache__sets=1, **keys)
        yield exactly(f"constant miss, L2 hit {keys or ''}", ring_cost(bench, 3), miss(bench))

    # One word a cycle, whichever lanes want it. 64-bit words behave alike.
    bench = make_bench(sm__warp_scheduler="lrr", constant_cache__hit_latency=10)
    for mask, words in ((0, 1), (7, 8), (31, 32)):
        measured = bench.cost("constant_pointer", "ld.const.u64 %rd4, [%rd4];", arguments=f"u64[1]=0 u32:{mask}",
                              block=32 * WARPS, count=40)
        yield exactly(f"{words} words of constants by {WARPS} warps", measured, WARPS * words)
        one_warp = make_bench().cost("constant_pointer", "ld.const.u64 %rd4, [%rd4];",
                                     arguments=f"u64[1]=0 u32:{mask}", count=40)
        yield exactly(f"{words} words of constants by a warp", one_warp, hit(make_bench()) + words - 1)


def atomics(make_bench):
    """The lanes of a warp that meet at one word take their turns in L2."""
    costs = [make_bench(l2__atomic_cycles=cycles).cost("global_pointer", "atom.global.add.u64 %rd2, [%rd2], 0;",
                                                       arguments="u64[32]=0") for cycles in (1, 2, 6)]
    yield Check("atomic of 32 lanes on one word", costs[0], l2_latency(make_bench()) + 32, math.inf)
    yield exactly("the same, l2.atomic_cycles = 2", costs[1], costs[0] + 32)
    yield exactly("the same, l2.atomic_cycles = 6", costs[2], costs[0] + 5 * 32)


def pmode_latencies(make_bench):
    """What pmode_fermi's file makes of its table's 200 and 440 cycles."""
    bench = make_bench(machine="pmode_fermi")
    measured = bench.cost("global_pointer", "ld.relaxed.gpu.global.u64 %rd2, [%rd2];", arguments="u64[32]=0")
    yield exactly("pmode_fermi, L2", measured, 200)
    yield Check("pmode_fermi, DRAM", stride_cost(bench, LINE_BYTES), 638.5, 641.5)


# Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018: table 4.1, in cycles.
JIA_LATENCIES = {"add.s32 %r2, %r2, %r1;": 4, "xor.b32 %r2, %r2, %r1;": 4, "mad.lo.s32 %r2, %r2, %r1, %r1;": 5,
                 "add.f32 %f2, %f2, %f1;": 4, "mul.f32 %f2, %f2, %f1;": 4, "fma.rn.f32 %f2, %f2, %f1, %f1;": 4,
                 "min.f32 %f2, %f2, %f1;": 5, "add.f64 %d2, %d2, %d1;": 8, "fma.rn.f64 %d2, %d2, %d1, %d1;": 8,
                 "sin.approx.f32 %f2, %f2;": 14}
# NVIDIA's Tesla V100 white paper, 2017: lanes of an SM by class, so warps a cycle of all four blocks together.
V100_WARPS_A_CYCLE = {"add.s32 %r2, %r2, %r1;": 2, "add.f32 %f2, %f2, %f1;": 2, "add.f64 %d2, %d2, %d1;": 1,
                      "sin.approx.f32 %f2, %f2;": 0.5}


def v100(make_bench):
    """The published figures of a V100, measured on the machine of that name."""
    bench = make_bench(machine="v100")
    for instruction, cycles in JIA_LATENCIES.items():
        yield exactly(f"v100, {instruction.split()[0]} latency", arithmetic_cost(bench, instruction), cycles)
    for instruction, warps_a_cycle in V100_WARPS_A_CYCLE.items():
        measured = arithmetic_cost(make_bench(machine="v100", sm__warp_scheduler="lrr"), instruction, block=1024,
                                   count=40)
        yield exactly(f"v100, {instruction.split()[0]} by 32 warps", measured, 32 / warps_a_cycle)
    # Jia's table 3.1: L1, L2 and, for a miss of L2 that hits the TLBs, DRAM; shared memory; constants.
    measured = bench.cost("global_pointer", "ld.global.u64 %rd2, [%rd2];", arguments="u64[32]=0")
    yield exactly("v100, L1 hit", measured, 28)
    measured = bench.cost("global_pointer", "ld.relaxed.gpu.global.u64 %rd2, [%rd2];", arguments="u64[32]=0")
    yield exactly("v100, L2 hit", measured, 193)
    # A stride past the rows of all banks of all pseudo-channels: each access closes a row and opens the next one of the
    # same bank. The 64-bit addition is a pair of 32-bit ones.
    measured = stride_cost(bench, 64 * 16 * 1024, count=8) - bench["sm.timing.integer_latency"]
    yield Check("v100, DRAM", measured, 375, 400)
    measured = bench.cost("shared_pointer", "ld.shared.u32 %r3, [%r3];", arguments="u32[32]=0 u32:4")
    yield exactly("v100, shared memory", measured, 19)
    measured = bench.cost("constant_pointer", "ld.const.u64 %rd4, [%rd4];", arguments="u64[1]=0 u32:0")
    yield exactly("v100, constants", measured, 27)


# ---- Shared memory and barriers ---------------------------------------------------------------------------------

def conflict_degree(stride, banks):
    """The most distinct words in one bank."""
    words = {lane * stride // 4 for lane in range(32)}
    return max(sum(word % banks == bank for word in words) for bank in range(banks))


def shared_memory(make_bench):
    for keys in ({}, {"shared_memory__latency": 10}, {"shared_memory__latency": 60}, {"shared_memory__banks": 16}):
        bench = make_bench(**keys)
        for stride in (0, 4, 8, 16, 32, 64, 128, 132) if not keys else (4, 8, 132):
            measured = bench.cost("shared_pointer", "ld.shared.u32 %r3, [%r3];",
                                  arguments=f"u32[32]=0 u32:{stride}")
            degree = conflict_degree(stride, bench["shared_memory.banks"])
            yield exactly(f"shared memory, stride {stride}, {degree} words in a bank {keys or ''}", measured,
                          bench["shared_memory.latency"] + degree)


def barrier_cost(bench, warps):
    return bench.cost("barrier", "bar.sync 0;", block=32 * warps)


def barrier(make_bench):
    """One warp: the barrier's latency, and its share of a fetch, which starts when the warp may go on."""
    for keys in ({}, {"sm__barrier_latency": 9}, {"sm__fetch_latency": 6}, {"sm__instruction_buffer": 4}):
        bench = make_bench(**keys)
        yield exactly(f"barrier of one warp {keys or ''}", barrier_cost(bench, 1),
                      bench["sm.barrier_latency"] + bench["sm.fetch_latency"] / bench["sm.instruction_buffer"])
    default, slow = make_bench(), make_bench(sm__barrier_latency=11)
    for warps in (2, 8, 32):
        cost = barrier_cost(default, warps)
        # All warps issue it, and then all fetch, one a cycle.
        yield Check(f"barrier of {warps} warps", cost, warps / default["sm.schedulers"],
                    default["sm.barrier_latency"] + default["sm.fetch_latency"] + warps)
        yield exactly(f"barrier of {warps} warps, sm.barrier_latency + 10", barrier_cost(slow, warps), cost + 10)


# ---- Bandwidth ---------------------------------------------------------------------------------------------------

WARPS = 32


def chains(load):
    """Four loads that wait for nothing but the one before in their chain."""
    return " ".join(f"{load} %rd{chain}, [%rd{chain}];" for chain in range(2, 6))


def shared_bandwidth(make_bench):
    """One access a cycle: 128 bytes without conflicts. Warps in turn keep it busy; conflicts take their cycles from
    all."""
    for banks in (32, 16):
        bench = make_bench(shared_memory__banks=banks, shared_memory__latency=10, sm__warp_scheduler="lrr")
        for stride in (4, 8):
            measured = bench.cost("shared_pointer", "ld.shared.u32 %r3, [%r3];", block=32 * WARPS, count=40,
                                  arguments=f"u32[1024]=0 u32:{stride}")
            degree = conflict_degree(stride, banks)
            yield exactly(f"shared memory by {WARPS} warps, {banks} banks, {degree} words in a bank", measured,
                          WARPS * degree)


def l1_bandwidth(make_bench):
    """One line a cycle."""
    for keys in ({}, {"l1d__hit_latency": 70}):
        bench = make_bench(sm__warp_scheduler="lrr", **keys)
        measured = bench.cost("global_chains", chains("ld.global.u64"), block=32 * WARPS, count=40,
                              arguments="u64[32]=0")
        yield exactly(f"L1 hits by {WARPS} warps, four each {keys or ''}", measured, 4 * WARPS)


def l2_bandwidth(make_bench):
    """A reply's flits, one a cycle of the network, are an SM's share of L2."""
    for flit, ratio in ((40, 1), (20, 1), (40, 2), (20, 2)):
        bench = make_bench(crossbar__flit_bytes=flit, gpu__memory_clock_ratio=ratio, l1d__mshrs=256,
                           coalescing__pending_loads=1024)
        measured = bench.cost("global_chains", chains("ld.relaxed.gpu.global.u64"), block=32 * WARPS, count=40,
                              arguments="u64[32]=0")
        least = 4 * WARPS * math.ceil(READ_REPLY_BYTES / flit) / ratio
        yield Check(f"L2 to one SM, {flit} bytes a flit, {ratio} a cycle", measured, least, 1.1 * least)


def dram_bandwidth(make_bench):
    """All SMs stream: never more than the buses carry, and not much less."""
    grid, block, count = 90, 256, 24
    body = "ld.global.u32 %r1, [%rd1]; add.s64 %rd1, %rd1, %rd3; xor.b32 %r2, %r2, %r1;"
    for keys in ({}, {"dram__frequency": 462_000_000}):
        bench = make_bench(**keys)
        words = grid * block * (2 * count + 1)
        measured = bench.cost("global_stream", body, count, block=block, grid=grid, arguments=f"u32[{words}]=0")
        bytes_a_cycle = (bench["address_mapping.channels"] * bench["dram.chips"] * bench["dram.chip_bytes"] *
                         bench["dram.data_rate"] * bench["dram.frequency"] / bench["sm.frequency"])
        least = grid * block * 4 / bytes_a_cycle
        yield Check(f"DRAM stream {keys or ''}", measured, least, 1.35 * least)


def atomic_throughput(make_bench):
    """Lanes that meet at one word take their turns in L2, whichever warps they belong to."""
    for cycles in (1, 2):
        bench = make_bench(l2__atomic_cycles=cycles)
        measured = bench.cost("global_pointer", "red.global.add.u32 [%rd1+256], 1;", count=20, block=32 * WARPS,
                              arguments="u32[128]=0")
        yield Check(f"reductions of {WARPS} warps on one word, l2.atomic_cycles = {cycles}", measured,
                    32 * WARPS * cycles, 1.01 * 32 * WARPS * cycles)


def divergence(make_bench):
    """A warp whose lanes part walks both paths; the instructions on one path cost as much as without divergence."""
    bench = make_bench()
    for opcode, key in (("add.s32 %r4, %r4, %r1;", "integer"), ("mul.lo.s32 %r4, %r4, %r1;", "integer_multiply")):
        latency = bench[f"sm.timing.{key}_latency"]
        for bit, paths in ((32, 1), (0, 2), (4, 2)):
            measured = bench.cost("divergence", opcode, arguments=f"u32[32]=0 u32:{bit}")
            yield exactly(f"{opcode.split()[0]} on {paths} of two paths", measured, paths * latency)


GROUPS: list[Callable] = [issue_bound, shared_bandwidth, l1_bandwidth, l2_bandwidth, dram_bandwidth, atomic_throughput, divergence,
                          arithmetic_latency, arithmetic_throughput, operand_collection, global_latency, dram_access,
                          cache_capacity, local_memory, texture_cache, constant_cache, atomics,
                          pmode_latencies, v100, shared_memory, barrier]


def main() -> int:
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--only", help="run the groups whose name contains this")
    parser.add_argument("--all", action="store_true", help="print the checks that hold too")
    arguments = parser.parse_args()

    checks = []
    with tempfile.TemporaryDirectory() as folder:
        def make_bench(machine="gtx480", **keys):
            return Bench(arguments.program, pathlib.Path(folder), machine, **keys)
        for group in GROUPS:
            if not arguments.only or arguments.only in group.__name__:
                checks += group(make_bench)
    for check in checks:
        if arguments.all or not check.good():
            print(check)
    failed = sum(not check.good() for check in checks)
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed or not checks else 0


if __name__ == "__main__":
    sys.exit(main())
