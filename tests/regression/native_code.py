#!/usr/bin/env python3
"""Tests native code: cubins of the folder native run right and always in the same way, what cannot be run is refused, and
workloads that ptxas compiles for each architecture give matching outputs."""

import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

CAPTURES = pathlib.Path(__file__).resolve().parents[1] / "functional" / "cuda"
CUBINS = pathlib.Path(__file__).resolve().parent / "native"
ARCHITECTURES = [75, 80, 86, 89, 90, 100]
# Workloads that cannot be run as native code, and the message that says so: textures; vector memory instructions, which
# ptxas does not know.
BEYOND = {"imageDenoising": "the machine ISA does not have this instruction", "vecmem_premise": "cannot compile it for"}
# Captures of CUDA programs that do not end with the same outputs, and the message that says why: textures and surfaces; a
# program that gets an error also from PTX, and one that copies pointers to functions back, whose values differ. And those that
# only one architecture refuses: HFMA2.F32, and the place of a grid's workspace.
REFUSED_BY = {("half_precision", 75): "a sum of halves as a single is not supported", ("grid_barrier", 100): "is not known"}
CAPTURES_BEYOND = {
    **dict.fromkeys(("cube_map", "small_network", "surfaces", "texture_filter"), (3, "")),
    "errors": (4, "address 0x40 is not in allocated global memory"),
    "indirect_calls": (4, "a copy differs"),
}


def native(architecture, cubin=None):
    return lookahead.words("-o", ["program.code=native", f"isa.native={architecture}", *([f"program.cubin={cubin}"] if cubin else [])])


def of_cubin(cubin, machine="h100"):
    """The words for a run of the cubin's workload."""
    workload, architecture, _ = cubin.name.split(".")
    return [workload, "--size", "tiny", "-m", machine, *native(architecture.removeprefix("sm_"), cubin)]


def cubins():
    return sorted(CUBINS.glob("*.cubin"))



def check_cubins(checks):
    """Outputs match, and the state is the same however the run is done."""
    checks.expect(len(cubins()) == 10, f"{len(cubins())} cubins")
    by_scoreboard = [(cubin, "h100") for cubin in cubins()]
    by_control_words = [(cubin, "h100_native") for cubin in cubins() if cubin.name.endswith(".sm_90.cubin")]
    for number, (cubin, machine) in enumerate(by_scoreboard + by_control_words):
        # All ways for every cubin would take minutes: each has the first one and two others.
        chosen = [lookahead.WAYS[0], *(lookahead.WAYS[1 + (2 * number + i) % (len(lookahead.WAYS) - 1)] for i in range(2))]
        summaries = [lookahead.simulate(checks.program, [*of_cubin(cubin, machine), "--threads", threads, *more, "--out", checks.folder / "way.h5"],
                                        ranks) for ranks, threads, more in chosen]
        checks.check(f"{cubin.name} on {machine}", all(each["outputs"] == "match" for each in summaries), summaries)
        hashes = [each["state_hash"] for each in summaries]
        checks.check(f"{cubin.name} on {machine}", len(set(hashes)) == 1, f"{hashes} of {chosen}")


def check_models(checks):
    """Under both SIMT models, with and without timing."""
    for cubin in cubins():
        for simt in ("stack", "convergence_barrier"):
            option = ["-o", f"sm.simt={simt}"]
            counts = [lookahead.json_of(checks.program, ["emulate", *of_cubin(cubin), *option]),
                      lookahead.simulate(checks.program, [*of_cubin(cubin), *option, "--out", checks.folder / "model.h5"])]
            checks.check(f"{cubin.name}, {simt}", all(each["outputs"] == "match" for each in counts), counts)
            # A loop that waits for others may make a round more or less; these workloads have no such loop.
            checks.check(f"{cubin.name}, {simt}", counts[0]["thread_instructions"] == counts[1]["thread_instructions"], counts)


def check_resumed(checks):
    """A run that goes on from a checkpoint in its middle has the result of one without a stop."""
    whole, resumed = checks.folder / "whole.h5", checks.folder / "resumed.h5"
    for name, ranks, machine in (("bfs.sm_80", 0, "h100"), ("histogram.sm_90", 2, "h100"), ("libor.sm_90", 3, "h100_native"),
                                 ("hotspot.sm_80", 2, "h100"), ("bfs.sm_90", 2, "h100_native")):
        run = of_cubin(CUBINS / f"{name}.cubin", machine)
        cycles = lookahead.simulate(checks.program, [*run, "--out", whole])["cycles"]
        for path in checks.folder.glob("*.checkpoint.h5"):
            path.unlink()
        lookahead.simulate(checks.program, [*run, "--out", whole, "--checkpoint-every", cycles // 3, "--checkpoint-keep", 0,
                                            "--checkpoint-dir", checks.folder])
        taken = sorted(checks.folder.glob("*.checkpoint.h5"), key=lambda path: int(path.name.split("-")[-1].split(".")[0]))
        checks.check(name, len(taken) >= 2, f"{len(taken)} checkpoints")
        for path in taken[:2]:
            done = lookahead.execute(checks.program, ["resume", path, "--out", resumed, "--progress", "none"], ranks)
            checks.check(f"{name}, {path.name}", done.returncode == 0, done.stderr)
            checks.same(f"{name}, {path.name}, {ranks} ranks", whole, resumed)


def check_refusals(checks):
    """What cannot be run is refused with one sentence."""
    cubin = CUBINS / "vecadd.sm_90.cubin"
    bytes_of_cubin = cubin.read_bytes()
    def changed(name, content):
        path = checks.folder / name
        path.write_bytes(content)
        return path
    run = ["run", "vecadd", "--size", "tiny", "-m"]
    checks.refuses([*run, "h100", *native(80, cubin)], 2, "is for sm_90; the machine executes the code of sm_80 (isa.native)")
    checks.refuses([*run, "h100", *native(77, cubin)], 2, "isa.native")
    checks.refuses([*run, "gtx480", "-o", "program.code=native"], 2, "the machine executes no native code (isa.native = 0)")
    checks.refuses(["run", *of_cubin(cubin), "-o", "kernel.transform=dac"], 2, "use kernel.transform = none or program.code = ptx")
    checks.refuses([*run, "h100", "-o", "program.code=sass"], 2, "program.code")
    checks.refuses([*run, "h100", "--code", "sass"], 2, "program.code")
    checks.refuses([*run, "gtx480", "--code", "native"], 2, "the machine executes no native code (isa.native = 0)")
    checks.refuses([*run, "h100", "--code", "ptx", "-o", f"program.cubin={cubin}"], 2, "is for program.code = native")
    checks.refuses([*run, "h100", *native(90, checks.folder / "none.cubin")], 3, "none.cubin: cannot be read; give a cubin")
    checks.refuses([*run, "h100", *native(90, checks.folder)], 3, "cannot be read; give a cubin")
    checks.refuses([*run, "h100", *native(90, changed("text.cubin", b"no cubin\n"))], 3, "this is no complete cubin")
    checks.refuses(["run", "hotspot", "--size", "tiny", "-m", "h100", *native(90, cubin)], 4, "kernel 'hotspot', which no loaded module has")
    checks.refuses([*run, "h100", "-o", f"program.cubin={cubin}"], 2, "is for program.code = native")
    checks.refuses(["run", *of_cubin(cubin, "h100_native"), "-o", "sm.timing.integer_mad_latency=20"], 3,
                   "may issue 15 cycles too early for the latency of 20 cycles")
    for count in (0, 1, 63, 64, 1000, len(bytes_of_cubin) // 2):
        checks.refuses([*run, "h100", *native(90, changed("short.cubin", bytes_of_cubin[:count]))], 3, "this is no complete cubin")


def check_damaged(checks):
    """A cubin with changed bytes ends the program in an orderly way, whatever it then does."""
    content = bytearray((CUBINS / "bfs.sm_90.cubin").read_bytes())
    path = checks.folder / "damaged.cubin"
    for place in range(7, len(content), len(content) // 60):
        damaged = content.copy()
        damaged[place] ^= 0xff
        path.write_bytes(damaged)
        done = lookahead.execute(checks.program, ["emulate", "bfs", "--size", "tiny", "-m", "h100", "--max-instructions", 1000000,
                                                  *native(90, path)])
        checks.check(f"byte {place}", done.returncode in (0, 2, 3, 4), f"exit {done.returncode}: {done.stderr}")


def check_compiled(checks, names=("histogram", "hotspot", "libor"), architectures=(80, 90)):
    """Workloads that ptxas compiles."""
    if not lookahead.has_ptxas():
        print("skipped: no ptxas")
        return
    for name in names:
        for architecture in architectures:
            run = ["emulate", name, "--size", "tiny", "-m", "h100", *native(architecture)]
            if name in BEYOND:
                checks.refuses(run, 3, BEYOND[name])
                continue
            done = lookahead.execute(checks.program, run)
            checks.check(f"{name}, sm_{architecture}", done.returncode == 0 and "outputs match" in done.stdout,
                         f"exit {done.returncode}: {done.stdout}{done.stderr}")


def check_all_compiled(checks):
    """All workloads for all architectures."""
    check_compiled(checks, lookahead.workloads(checks.program), ARCHITECTURES)


def check_own_code(checks):
    """A capture's own native code for the machine's architecture is run; ptxas is asked for other architectures only."""
    tools = checks.folder / "tools"
    tools.mkdir()
    (tools / "ptxas").write_text("#!/bin/sh\necho no such target\nexit 1\n")
    (tools / "ptxas").chmod(0o755)
    for architecture, code, phrase in ((75, 0, "outputs match"), (80, 3, "ptxas cannot compile it for sm_80: no such target")):
        process = lookahead.start(checks.program, ["run", CAPTURES / "symbols.capture.h5", "-m", "h100", *native(architecture), "--out",
                                                   checks.folder / "own.h5", "--force", "--progress", "none"],
                                  env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"})
        out, err = process.communicate(timeout=lookahead.PATIENCE)
        checks.check(f"own code for sm_{architecture}", process.returncode == code and phrase in out + err,
                     f"exit {process.returncode}: {out}{err}")


def check_captures(checks, architectures=None):
    """Captures of CUDA programs, each for an architecture that is drawn."""
    if not lookahead.has_ptxas():
        print("skipped: no ptxas")
        return
    captures = sorted(CAPTURES.glob("*.capture.h5"))
    checks.expect(len(captures) > 40, f"{len(captures)} captures")
    draw = random.Random(lookahead.seed_of_run())
    for capture in captures:
        name = capture.name.removesuffix(".capture.h5")
        for architecture in architectures or [draw.choice(ARCHITECTURES)]:
            run = ["run", capture, "-m", "h100", *native(architecture), "--out", checks.folder / "capture.h5", "--force", "--progress", "none"]
            code, phrase = CAPTURES_BEYOND.get(name, (0, "outputs match"))
            if (name, architecture) in REFUSED_BY:
                code, phrase = 3, REFUSED_BY[name, architecture]
            done = lookahead.execute(checks.program, run)
            checks.check(f"{name}, sm_{architecture}", done.returncode == code and phrase in done.stdout + done.stderr,
                         f"exit {done.returncode}: {done.stdout}{done.stderr}")


def check_all_captures(checks):
    check_captures(checks, ARCHITECTURES)


QUICK = [check_cubins, check_models, check_resumed, check_refusals, check_damaged, check_compiled, check_own_code, check_captures]

if __name__ == "__main__":
    if "--all" in sys.argv:
        sys.argv.remove("--all")
        QUICK += [check_all_compiled, check_all_captures]
    sys.exit(lookahead.run_checks(__doc__, lookahead.Checks, *QUICK))
