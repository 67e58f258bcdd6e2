"""Figures of GPGPU-Sim 4.2 (PTX mode, stock configuration SM2_GTX480, copies fill L2) for the nine peer kernels.

Inputs and PTX are those of the workloads with `--set input=peer`; power model off; one process on a machine of the same kind as
that of the compared speeds below.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Point:
    warp_instructions: int
    speed: float  # thousand warp instructions a CPU-second
    cycles: int   # at 700 MHz


POINTS = {
    "small": {
        "vecadd": Point(180_224, 21.7, 21_196),
        "sgemm": Point(264_192, 36.1, 29_269),
        "hotspot": Point(166_656, 28.7, 12_074),
        "histogram": Point(53_920, 35.7, 4_603),
        "bfs": Point(355_522, 17.8, 123_667),
    },
    "medium": {
        "vecadd": Point(720_896, 23.0, 85_482),
        "sgemm": Point(2_023_424, 31.3, 165_338),
        "hotspot": Point(666_624, 26.0, 41_024),
        "histogram": Point(215_680, 28.3, 19_774),
        "bfs": Point(1_493_371, 14.1, 452_954),
    },
}



@dataclasses.dataclass(frozen=True)
class OldPoint:
    """A point of GPGPU-Sim 4.2 with the settings of 3.2.3's configs/GTX480; a copy does not fill L2."""

    cycles: int
    l1d_misses: int
    l2_misses: int


POINTS_3 = {
    "small": {
        "vecadd": OldPoint(25_950, 24_576, 24_579),
        "sgemm": OldPoint(25_522, 12_858, 1_544),
        "hotspot": OldPoint(15_728, 18_172, 6_152),
        "histogram": OldPoint(6_675, 4_096, 4_108),
        "bfs": OldPoint(167_537, 144_156, 4_115),
    },
    "medium": {
        "vecadd": OldPoint(100_334, 98_304, 98_307),
        "sgemm": OldPoint(155_386, 107_232, 6_152),
        "hotspot": OldPoint(68_333, 82_062, 24_584),
        "histogram": OldPoint(22_137, 16_384, 16_396),
        "bfs": OldPoint(623_407, 623_030, 43_916),
    },
}

# Registers per thread that GPGPU-Sim counts for occupancy.
REGISTERS = {"vecadd": 12, "sgemm": 60, "hotspot": 22, "histogram": 10, "bfs": 18}

# Small sizes: L1D accesses, and the percentage of them that miss, which it prints in whole percent.
L1D_ACCESSES = {"sgemm": 17_408, "hotspot": 20_992, "bfs": 200_292}
L1D_MISS_PERCENT = {"vecadd": 100, "sgemm": 65, "hotspot": 80, "bfs": 80}

# Small size: percentage of the cycles in which the data buses are busy.
DRAM_PERCENT = {"vecadd": 92}


@dataclasses.dataclass(frozen=True)
class Launch:
    """A launch of a kernel of tests/validation/peer by the workload `ptx`; it has one size."""

    grid: str
    block: str
    arguments: str
    registers: int
    cycles: int
    warp_instructions: int


LAUNCHES = {
    "transpose_naive": Launch("32,32", "16,16", "f32[262144] f32[262144]=0 s32:512", 8, 55_200, 180_224),
    "transpose_tiled": Launch("32,32", "32,8", "f32[1048576] f32[1048576]=0 s32:1024", 26, 73_710, 442_368),
    "hist_global": Launch("60", "256", "u32[131072] u32[1024]=0 s32:131072 u32:1023", 12, 23_486, 48_160),
    "mandel": Launch("16,32", "16,8", "s32[65536]=0 s32:256 f32:-2.0 f32:-1.25 f32:0.0098 s32:64", 13, 39_570, 725_689),
}
