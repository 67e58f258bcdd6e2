#!/usr/bin/env python3
"""Replays captures (`lookahead capture`) on a real GPU through the CUDA driver, and compares each copy back with the emulator's.

    replay_on_gpu.py --out gpu.jsonl CAPTURE.h5 ...
    ncu --profile-from-start off --clock-control none --cache-control none --csv --page raw --log-file gpu.csv \\
        --metrics gpc__cycles_elapsed.max,smsp__inst_executed.sum replay_on_gpu.py --out gpu.jsonl CAPTURE.h5 ...

Needs the driver, h5py and numpy. One line of JSON per capture has each launch's time by events, the launches that are in
the profiler's table (the first --profiled launches of a capture, in order), and the differences of the copies. The
device's memory lies at the capture's own addresses, since kernels find pointers in memory.
"""

import argparse
import ctypes
import json
import pathlib
import re
import sys

import h5py
import numpy as np

ALLOCATE, RELEASE, TO_DEVICE, FROM_DEVICE, FILL, LAUNCH, ON_DEVICE, USE_PAGES = range(8)
# components/isa/address_space.h
GLOBAL_BASE, MODULE_BASE, CONSTANT_BASE = 0x10_0000_0000, 0x50_0000_0000, 0x51_0000_0000
# Driver 580 places smaller ranges of addresses itself, whatever address is requested.
LEAST_RESERVED = 1 << 32
WORD_BYTES, BLOCK_WORDS = 4, 4096
VARIABLE = re.compile(r"^\s*(?:\.(?:visible|weak|common)\s+)*\.(global|const)\s+(?:\.attribute\(\S+\)\s+)?(?:\.align\s+(\d+)\s+)?"
                      r"\.[bsuf](\d+)\s+(\w+)\s*((?:\[\d+\])*)", re.M)
TEXTURE = re.compile(r"^\s*(?:@!?%p\d+\s+)?(?:tex|tld4|suld|sust)\.", re.M)


class Driver:
    """The driver's calls by name; an error of one is a RuntimeError."""

    def __init__(self):
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            sys.exit(f"replay_on_gpu: this machine has no CUDA driver: {error}")

    def __getattr__(self, name):
        function = getattr(self.library, name)

        def call(*arguments):
            error = function(*arguments)
            if error:
                text = ctypes.c_char_p()
                self.library.cuGetErrorName(error, ctypes.byref(text))
                raise RuntimeError(f"{name}: {(text.value or b'error').decode()} ({error})")
        return call


def u64(value=0):
    return ctypes.c_uint64(int(value))


def u32(value):
    return ctypes.c_uint(int(value))


class Location(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class AllocationProperties(ctypes.Structure):
    """CUmemAllocationProp: pinned memory (type 1) of device 0 (location 1, 0)."""
    _fields_ = [("type", ctypes.c_int), ("handles", ctypes.c_int), ("location", Location), ("windows", ctypes.c_void_p),
                ("flags", ctypes.c_ubyte * 8)]


class Access(ctypes.Structure):
    """CUmemAccessDesc: read and write (3)."""
    _fields_ = [("location", Location), ("flags", ctypes.c_int)]


class Memory:
    """Memory of the device at the addresses from GLOBAL_BASE on, zero."""

    def __init__(self, driver, size):
        self.driver = driver
        where = Location(1, 0)
        properties = AllocationProperties(type=1, location=where)
        unit = ctypes.c_size_t()
        driver.cuMemGetAllocationGranularity(ctypes.byref(unit), ctypes.byref(properties), 0)
        self.bytes = ctypes.c_size_t(max(-(-size // unit.value), 1) * unit.value)
        self.base, self.handle = u64(), u64()
        self.reserved = ctypes.c_size_t(max(self.bytes.value, LEAST_RESERVED))
        driver.cuMemAddressReserve(ctypes.byref(self.base), self.reserved, ctypes.c_size_t(0), u64(GLOBAL_BASE), u64())
        if self.base.value != GLOBAL_BASE:
            raise RuntimeError(f"the driver reserves {self.base.value:#x} in place of {GLOBAL_BASE:#x}")
        driver.cuMemCreate(ctypes.byref(self.handle), self.bytes, ctypes.byref(properties), u64())
        driver.cuMemMap(self.base, self.bytes, ctypes.c_size_t(0), self.handle, u64())
        driver.cuMemSetAccess(self.base, self.bytes, ctypes.byref(Access(where, 3)), ctypes.c_size_t(1))
        driver.cuMemsetD8_v2(self.base, ctypes.c_ubyte(0), self.bytes)

    def close(self):
        self.driver.cuMemUnmap(self.base, self.bytes)
        self.driver.cuMemRelease(self.handle)
        self.driver.cuMemAddressFree(self.base, self.reserved)


class Capture:
    def __init__(self, path):
        with h5py.File(path) as file:
            self.ptx = "".join(text.decode() for text in file["modules/text"][...])
            self.calls = {name: column[...] for name, column in file["calls"].items()}
            self.words, self.blocks = file["contents/words"][...], file["contents/blocks"][...]
        self.count = len(self.calls["kind"])

    def call(self, number):
        return {name: column[number] for name, column in self.calls.items()}

    def contents(self, call):
        first, size = int(call["first_word"]), int(call["bytes"])
        block = first // BLOCK_WORDS
        last = (first + -(-size // WORD_BYTES) - 1) // BLOCK_WORDS
        kept = [self.words[b * BLOCK_WORDS:(b + 1) * BLOCK_WORDS] for b in self.blocks[block:last + 1].tolist()]
        words = np.concatenate([*kept, self.words[:0]])
        return words[first - block * BLOCK_WORDS:].tobytes()[:size]

    def end_of_memory(self):
        allocations = self.calls["kind"] == ALLOCATE
        return int((self.calls["address"] + self.calls["bytes"])[allocations].max(initial=GLOBAL_BASE))

    def variables(self):
        """(first address, end, name) of the module's variables, as module_layout.cpp places them."""
        following = {"global": MODULE_BASE, "const": CONSTANT_BASE}
        for space, alignment, bits, name, dimensions in VARIABLE.findall(re.sub(r"^\{.*?^\}", "", self.ptx, flags=re.S | re.M)):
            size = int(bits) // 8 * int(np.prod([int(each) for each in re.findall(r"\d+", dimensions)], dtype=np.int64))
            aligned = int(alignment or int(bits) // 8)
            first = -(-following[space] // aligned) * aligned
            following[space] = first + max(size, 1)
            yield first, first + size, name


def unfused(ptx):
    """The PTX with the rounding modifier that forbids the driver's compiler to fuse products and sums."""
    return re.sub(r"\b(add|sub|mul)((?:\.ftz)?(?:\.sat)?\.f(?:32|64))\b", r"\1.rn\2", ptx)


def difference(got, expected):
    """Words that differ, and the largest difference as fp32 numbers over the largest number; infinite if one is none."""
    size = len(got) // WORD_BYTES * WORD_BYTES
    ours, theirs = (np.frombuffer(each[:size], dtype=np.uint32) for each in (got, expected))
    other = ours != theirs
    with np.errstate(invalid="ignore"):  # words that are no numbers
        numbers, wanted = (each.view(np.float32).astype(np.float64) for each in (ours, theirs))
    apart = np.abs(numbers - wanted)[other]
    every = np.abs(wanted[np.isfinite(wanted)])
    part = float(apart.max(initial=0.0) / every.max(initial=1e-300)) if np.isfinite(apart).all() else np.inf
    return {"words": len(ours), "different": int(other.sum()) + (got[size:] != expected[size:]), "of_largest": part}


class Replay:
    def __init__(self, driver, capture, ptx, profiled):
        self.driver, self.capture, self.ptx, self.profiled = driver, capture, ptx, profiled
        self.module = ctypes.c_void_p()
        self.places = sorted(capture.variables())
        self.launches, self.copies = [], []
        self.events = [ctypes.c_void_p(), ctypes.c_void_p()]

    def run(self):
        driver = self.driver
        if TEXTURE.search(self.capture.ptx):
            raise RuntimeError("textures are descriptors in the emulator's memory, which no GPU reads")
        driver.cuModuleLoadData(ctypes.byref(self.module), ctypes.c_char_p(self.ptx.encode()))
        for event in self.events:
            driver.cuEventCreate(ctypes.byref(event), u32(0))
        memory = Memory(driver, self.capture.end_of_memory() - GLOBAL_BASE)
        try:
            for number in range(self.capture.count):
                self.do(self.capture.call(number))
        finally:
            memory.close()
        driver.cuModuleUnload(self.module)
        return {"launches": self.launches, "copies": self.copies}

    def address(self, captured):
        """The GPU's address of the capture's address; the two differ for modules' variables, which the driver
        places."""
        captured = int(captured)
        if captured < MODULE_BASE:
            return u64(captured)
        for first, end, name in self.places:
            if first <= captured < end:
                place, size = u64(), ctypes.c_size_t()
                self.driver.cuModuleGetGlobal_v2(ctypes.byref(place), ctypes.byref(size), self.module, ctypes.c_char_p(name.encode()))
                return u64(place.value + captured - first)
        raise RuntimeError(f"no variable at {captured:#x}")

    def do(self, call):
        driver, kind, size = self.driver, int(call["kind"]), ctypes.c_size_t(int(call["bytes"]))
        if kind == TO_DEVICE:
            driver.cuMemcpyHtoD_v2(self.address(call["address"]), ctypes.c_char_p(self.capture.contents(call)), size)
        elif kind == FROM_DEVICE:
            got = ctypes.create_string_buffer(size.value)
            driver.cuMemcpyDtoH_v2(got, self.address(call["address"]), size)
            self.copies.append(difference(got.raw, self.capture.contents(call)))
        elif kind == FILL:
            driver.cuMemsetD8_v2(self.address(call["address"]), ctypes.c_ubyte(int(call["value"])), size)
        elif kind == ON_DEVICE:
            driver.cuMemcpyDtoD_v2(self.address(call["address"]), self.address(call["source"]), size)
        elif kind == LAUNCH:
            self.launch(call)

    def launch(self, call):
        driver = self.driver
        function, shared = ctypes.c_void_p(), u32(call["dynamic_shared_bytes"])
        driver.cuModuleGetFunction(ctypes.byref(function), self.module, ctypes.c_char_p(call["kernel"]))
        if shared.value > 48 * 1024:
            driver.cuFuncSetAttribute(function, 8, ctypes.c_int(shared.value))
        parameters = ctypes.create_string_buffer(self.capture.contents(call))
        size = ctypes.c_size_t(int(call["bytes"]))
        # CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE, CU_LAUNCH_PARAM_END
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(parameters), 2, ctypes.addressof(size), 0)
        profiled = len(self.launches) < self.profiled
        if profiled:
            driver.cuProfilerStart()
        driver.cuEventRecord(self.events[0], None)
        driver.cuLaunchKernel(function, *(u32(call[f"{what}_{axis}"]) for what in ("grid", "block") for axis in "xyz"), shared,
                              None, None, extra)
        driver.cuEventRecord(self.events[1], None)
        driver.cuCtxSynchronize()
        if profiled:
            driver.cuProfilerStop()
        milliseconds = ctypes.c_float()
        driver.cuEventElapsedTime(ctypes.byref(milliseconds), *self.events)
        self.launches.append({"kernel": call["kernel"].decode(), "microseconds": 1000 * milliseconds.value, "profiled": profiled})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--profiled", type=int, default=40, help="launches of each capture for the profiler")
    parser.add_argument("--unfused", action="store_true", help="products and sums are rounded one after the other, as the emulator does")
    parser.add_argument("captures", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    driver = Driver()
    driver.cuInit(u32(0))
    failed = 0
    with arguments.out.open("w") as out:
        for path in arguments.captures:
            context = ctypes.c_void_p()
            driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
            driver.cuCtxSetCurrent(context)
            capture = Capture(path)
            replay = Replay(driver, capture, unfused(capture.ptx) if arguments.unfused else capture.ptx, arguments.profiled)
            try:
                found = replay.run()
            except RuntimeError as error:
                # Launches count for the profiler's table, too.
                found = {"launches": replay.launches, "copies": replay.copies, "error": str(error)}
                driver.cuDevicePrimaryCtxReset_v2(0)
                failed += 1
            print(json.dumps({"capture": path.name, **found}), file=out, flush=True)
            print(path.name, found.get("error", f"{len(found['launches'])} launches"), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
