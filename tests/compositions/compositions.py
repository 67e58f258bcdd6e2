#!/usr/bin/env python3
"""Runs compositions drawn at random: each matches its reference with one hash, or is refused by one sentence.

    compositions.py --draws 2000                # the long run
    compositions.py --seconds 60 --seed 7       # as many as fit, drawn again from this seed
    compositions.py --least                     # each integer key at its least value, one at a time, on all machines

A composition is a workload, its form, a machine, variants of the slots, a limit on registers, and values of any keys
within their ranges. It runs in one process, and again on ranks, threads, protocol and partition drawn at random. It is
right if it is refused with exit code 2 and one sentence, or if its output matches the workload's reference and both
runs have the same state hash. A composition that fails is shrunk: options are left out while it fails in the same way,
and the shortest command is printed. Exit code 1 if anything failed.
"""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import lookahead_process as lookahead  # noqa: E402

USAGE = 2
PATIENCE = 600  # seconds of one run, on a machine that does other things too
MOST_CYCLES = 3_000_000  # a run that its keys make slow is compared as far as it came

# Refused, with exit code 3 or 4, when a kernel is compiled or launched: a machine has less than a CTA needs; ptxas or native code
# has no such instruction; control words stall too short a time for the latencies drawn.
AT_LAUNCH = re.compile(r"one CTA of \d+ threads needs|ptxas cannot compile|the machine ISA does not have this instruction|"
                       r"sm\.dependences = control_words: address")
# A composition that needs one process is refused on ranks.
ONE_PROCESS = re.compile(r"needs one process")

# Slots, and how often one is drawn.
SLOTS = {
    "sm.warp_scheduler": 0.4,
    "sm.prefetcher": 0.4,
    "l1d.companion": 0.25,
    "memory.request_path": 0.25,
    "l1d.replacement": 0.1,
    "dram.scheduler": 0.1,
    "interconnect.topology": 0.15,
    "sm.simt": 0.25,
}
TRANSFORMS = ["vecmem"]
EXTENSIONS = ["dac", "cae", "pmode"]
# The checks that a mechanism makes of itself are on in half of the draws.
CHECKS = {"dac": "dac.check=true", "cae": "cae.check=true", "pmode": "pmode.check=true"}
# Keys that are files, or that make a run of another size than the others.
LEFT_OUT = re.compile(r"^(energy\.|engine\.|run\.|host\.|gpu\.sms$|dram\.bytes$|memory\.bytes$)")


class Key:
    """A key of the configuration, from a line of `config schema`."""

    LINE = re.compile(r"^(?P<name>[\w.\-]+) = (?P<default>\"[^\"]*\"|\S+)[^(]*  \((?P<type>(?:[^()]|\([^()]*\))*)\)  ")

    def __init__(self, name, default, kind):
        self.name, self.default, self.kind = name, default.strip('"'), kind
        bounds = re.search(r"(-?[\d.e+]+) to (-?[\d.e+]+)", kind)
        self.least, self.most = bounds.groups() if bounds else (None, None)
        self.choices = kind.removeprefix("one of ").split(", ") if kind.startswith("one of ") else []

    @property
    def is_integer(self):
        return self.kind.startswith("integer") and self.least is not None

    def draw(self, draw):
        """A value within the range; None if the type has no value that could be drawn."""
        if self.choices:
            return draw.choice(self.choices).strip('"')
        if self.kind.startswith("switch"):
            return draw.choice(["true", "false"])
        if not self.is_integer:
            return None
        least, most, default = int(self.least), int(self.most), int(self.default)
        near = (max(least, default // 4), min(most, max(4 * default, default + 4)))
        return str(draw.choice([least, least + (most > least), draw.randint(*near), draw.randint(*near)]))


def keys_of(program):
    keys = []
    for line in lookahead.output_of(program, ["config", "schema"]).splitlines():
        match = Key.LINE.match(line)
        if match:
            keys.append(Key(match["name"], match["default"], match["type"]))
    if len(keys) < 200:
        raise RuntimeError(f"`config schema` has {len(keys)} keys that can be read")
    return keys


class Composition:
    """What is run: the words of the command, apart from how it is executed."""

    def __init__(self, workload, machine="", settings=(), options=()):
        self.workload, self.machine = workload, machine
        self.settings, self.options = list(settings), list(options)

    def words(self):
        machine = ["--machine", self.machine] if self.machine else []
        return [self.workload, "--size", "tiny", *machine, *lookahead.words("--set", self.settings),
                *lookahead.words("-o", self.options)]

    def smaller(self):
        """The composition with one word left out, each word in turn."""
        for i in range(len(self.options)):
            yield Composition(self.workload, self.machine, self.settings, self.options[:i] + self.options[i + 1:])
        for i in range(len(self.settings)):
            yield Composition(self.workload, self.machine, self.settings[:i] + self.settings[i + 1:], self.options)
        if self.machine:
            yield Composition(self.workload, "", self.settings, self.options)


class Execution:
    """How a composition is run; without ranks it is one process, without mpirun."""

    def __init__(self, ranks=0, threads=1, protocol="serial", partition="graph"):
        self.ranks, self.threads, self.protocol, self.partition = ranks, threads, protocol, partition

    @staticmethod
    def drawn(draw):
        ranks = draw.choice([0, 0, 1, 2, 2, 3, 3, 4, 5])
        protocol = draw.choice(["window", "null_message"]) if ranks else "serial"
        return Execution(ranks, draw.choice([1, 1, 2, 3]), protocol,
                         draw.choice(["linear", "round_robin", "by_kind", "graph"]))

    def words(self):
        return ["--threads", self.threads, "--sync", self.protocol, "--partition", self.partition]


class Outcome:
    """How a run ended: `fault` in a few words, or none; `hash` of its state, or none if it was refused."""

    def __init__(self, fault="", state_hash="", said=""):
        self.fault, self.state_hash, self.said = fault, state_hash, said


class Trial:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def command(self, composition, execution):
        return ["run", *composition.words(), *execution.words(), "--max-cycles", MOST_CYCLES]

    def run(self, composition, execution):
        line = [*self.command(composition, execution), "--json", "--progress", "none", "--out", self.folder / "run.h5"]
        try:
            done = lookahead.execute(self.program, line, execution.ranks, timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return Outcome(f"no end after {PATIENCE} s")
        said = done.stderr.strip()
        if done.returncode == USAGE or AT_LAUNCH.search(said):
            ours = [each for each in said.splitlines() if re.match("lookahead: (?!warning)", each)]
            return Outcome("" if len(ours) == 1 else "a refusal is not one sentence", said=said)
        if done.returncode != 0:
            return Outcome(f"exit {done.returncode}", said=said)
        summary = json.loads(done.stdout)
        if summary["outputs"] != "match" and summary["status"] == "complete":
            return Outcome(f"outputs {summary['outputs']}", said=said)
        return Outcome(state_hash=summary["state_hash"])

    def settled(self, composition):
        """The composition without the keys that nothing in it uses, and how it runs alone."""
        while True:
            outcome = self.run(composition, Execution())
            idle = re.search(r"override \"([^\"]*)\": \S+ has no effect", outcome.said)
            if idle is None or idle[1] not in composition.options:
                return composition, outcome
            composition = Composition(composition.workload, composition.machine, composition.settings,
                                      [option for option in composition.options if option != idle[1]])

    def fault(self, composition, execution, alone=None):
        """(what is wrong, what the program said), with `alone` known or not; nothing wrong: ("", "" or "refused")."""
        alone = alone or self.run(composition, Execution())
        if alone.fault:
            return alone.fault, alone.said
        other = self.run(composition, execution)
        if other.fault:
            return f"in another execution: {other.fault}", other.said
        if not other.state_hash and ONE_PROCESS.search(other.said):
            return "", ""
        if alone.state_hash != other.state_hash:
            return "another state hash", f"{alone.state_hash or 'refused'} and {other.state_hash or 'refused'}"
        return "", "" if alone.state_hash else "refused"

    def shrunk(self, composition, execution, fault):
        """The shortest composition that fails in the same way."""
        while True:
            found = next((each for each in composition.smaller() if self.fault(each, execution)[0] == fault), None)
            if found is None:
                return composition
            composition = found

    def report(self, composition, execution, fault, said):
        small = self.shrunk(composition, execution, fault)
        print(f"{fault}: {' '.join(map(str, self.command(small, Execution() if ':' not in fault else execution)))}"
              f"{f' on {execution.ranks} ranks' if ':' in fault and execution.ranks else ''}", flush=True)
        print("    " + self.fault(small, execution)[1].replace("\n", "\n    "), flush=True)


class Catalogue:
    """What compositions are drawn from."""

    def __init__(self, program):
        self.workloads = lookahead.workloads(program)
        listed = lookahead.json_of(program, ["list"])
        self.machines, self.variants = lookahead.machines(program), listed["variants"]
        keys = {key.name: key for key in keys_of(program)}
        self.forms = {name: keys[f"{name}.form"].choices for name in self.workloads if f"{name}.form" in keys}
        self.keys = [key for name, key in keys.items()
                     if not LEFT_OUT.match(name) and name not in SLOTS and name.split(".")[0] not in self.workloads]
        self.of_slot = {slot: self.variants.get(slot) or keys[slot].choices for slot in SLOTS}

    def composition(self, draw):
        workload = draw.choice(self.workloads)
        machine = draw.choice(self.machines) if draw.random() < 0.6 else ""
        settings, options = [], []
        if workload in self.forms and draw.random() < 0.4:
            settings.append(f"form={draw.choice(self.forms[workload])}")
        if draw.random() < 0.4:
            options.append(f"kernel.transform={draw.choice(TRANSFORMS)}")
            if draw.random() < 0.3:
                options.append(f"vecmem.length={draw.choice(['4', '8', '16', 'best'])}")
        extensions = [name for name in EXTENSIONS if draw.random() < 0.35]
        if extensions:
            options.append(f"sm.issue_extension={'+'.join(extensions)}")
            options += [CHECKS[name] for name in extensions if draw.random() < 0.5]
        for slot, chance in SLOTS.items():
            if draw.random() < chance:
                options.append(f"{slot}={draw.choice(self.of_slot[slot])}")
        if draw.random() < 0.35:
            options.append(draw.choice([f"finaliser.register_share={draw.choice(['0.25', '0.5', '0.75'])}",
                                        f"isa.registers={draw.randint(8, 63)}"]))
        for _ in range(draw.choice([0, 0, 1, 2, 4])):
            key = draw.choice(self.keys)
            value = key.draw(draw)
            if value is not None:
                options.append(f"{key.name}={value}")
        return Composition(workload, machine, settings, options)


def tried_at_random(trial, catalogue, arguments):
    """Numbers of draws, refusals and failures."""
    draws = refused = failed = 0
    deadline = time.monotonic() + arguments.seconds if arguments.seconds else None
    for number in range(arguments.first, arguments.first + arguments.draws):
        if deadline is not None and time.monotonic() > deadline:
            break
        draw = random.Random(f"{arguments.seed}.{number}")
        composition, execution = catalogue.composition(draw), Execution.drawn(draw)
        draws += 1
        composition, alone = trial.settled(composition)
        fault, said = trial.fault(composition, execution, alone)
        refused += said == "refused"
        if fault:
            failed += 1
            print(f"draw {number} of seed {arguments.seed}: {' '.join(map(str, composition.words()))}", flush=True)
            trial.report(composition, execution, fault, said)
    return draws, refused, failed


def tried_at_least_values(trial, catalogue, arguments):
    """The same numbers, for each integer key at its least value. Vector loads and stores need the most places in
    queues."""
    draw = random.Random(arguments.seed)
    cases = [Composition("spmv", machine, ["form=vector"], [f"{key.name}={key.least}"])
             for machine in catalogue.machines for key in catalogue.keys if key.is_integer]
    draw.shuffle(cases)
    refused = failed = tried = 0
    for composition in cases[:arguments.draws]:
        tried += 1
        outcome = trial.run(composition, Execution())
        refused += not outcome.fault and not outcome.state_hash
        if outcome.fault:
            failed += 1
            print(f"{outcome.fault}: {' '.join(map(str, composition.words()))}\n    {outcome.said}", flush=True)
    return tried, refused, failed


def main() -> int:
    parser = lookahead.argument_parser(__doc__)
    parser.add_argument("--draws", type=int, default=10**6)
    parser.add_argument("--first", type=int, default=0, help="number of the first draw")
    parser.add_argument("--seconds", type=float, default=0, help="no new draw after this time (default: no limit)")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("LOOKAHEAD_TEST_SEED", time.time_ns() % 2**32)))
    parser.add_argument("--least", action="store_true", help="try least values of keys instead")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    catalogue = Catalogue(arguments.program)
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(arguments.program, pathlib.Path(folder))
        tried = tried_at_least_values if arguments.least else tried_at_random
        draws, refused, failed = tried(trial, catalogue, arguments)
    print(f"{draws} compositions, {refused} refused, {failed} failed; seed {arguments.seed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
