"""Runs the lookahead program for tests: alone or under mpirun, with its JSON summary read back."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

# Seconds that a test waits for an event that takes seconds, on a machine that is busy with fifty other things.
PATIENCE = 1200

# When a rank has failed, mpirun ends the others at once, not after two seconds: what a job says must not depend on them.
# Ranks, threads and other options of runs that all end in the same state.
WAYS = [(1, 1, []), (1, 2, []), (2, 1, ["--sync", "window"]), (3, 1, ["--sync", "window"]), (3, 1, ["--sync", "null_message"]),
        (2, 2, ["--sync", "null_message", "--partition", "round_robin"])]
MPI_ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_odls_base_sigkill_timeout": "0"}


# Where mpirun puts ranks: tests may have more of them than cores, and run beside one another.
ANYWHERE = ("--oversubscribe",)
ON_CORES = ("--bind-to", "core")


def command(program, arguments, ranks=0, placement=ANYWHERE):
    """The command line; ranks = 0 means without mpirun."""
    line = [str(program), *map(str, arguments)]
    if ranks:
        line = ["mpirun", "-n", str(ranks), *placement, *line]
    return line


def words(option, values):
    """Each value behind the option: ("-o", ["a=1", "b=2"]) is -o a=1 -o b=2."""
    return [word for value in values for word in (option, value)]


def execute(program, arguments, ranks=0, timeout=PATIENCE, placement=ANYWHERE):
    """Runs to the end; returns the finished process with stdout, stderr and returncode."""
    return subprocess.run(command(program, arguments, ranks, placement), env={**os.environ, **MPI_ENVIRONMENT},
                          timeout=timeout, capture_output=True, text=True, check=False)


def start(program, arguments, ranks=0, **options):
    """Begins the command; the process gives its output as text."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": {**os.environ, **MPI_ENVIRONMENT}, **options}
    return subprocess.Popen(command(program, arguments, ranks), text=True, **pipes)


def output_of(program, arguments, ranks=0, timeout=PATIENCE, placement=ANYWHERE):
    """What the command prints. Raises RuntimeError if it fails."""
    done = execute(program, arguments, ranks, timeout, placement)
    if done.returncode != 0:
        line = " ".join(command(program, arguments, ranks, placement))
        raise RuntimeError(f"{line}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def json_of(program, arguments, ranks=0, timeout=PATIENCE, placement=ANYWHERE):
    """What the command prints with --json."""
    return json.loads(output_of(program, [*arguments, "--json"], ranks, timeout, placement))


def simulate(program, arguments, ranks=0, timeout=PATIENCE, placement=ANYWHERE):
    """`lookahead run ... --json`; returns the summary. Raises RuntimeError if the run failed."""
    return json_of(program, ["run", *arguments, "--progress", "none"], ranks, timeout, placement)


def workloads(program):
    """The names of all workloads except those that run the user's files."""
    return [name for name in json_of(program, ["list", "workloads"])["workloads"] if name not in ("ptx", "capture", "trace")]


def has_ptxas():
    """Whether `lookahead` finds NVIDIA's assembler."""
    folders = [*os.environ.get("PATH", "").split(":"), os.environ.get("CUDA_HOME", "/usr/local/cuda") + "/bin", "/usr/local/cuda/bin"]
    return any(shutil.which("ptxas", path=folder) for folder in folders if folder)


def machines(program):
    """The names of all built-in machines; without ptxas, of those that run PTX."""
    names = json_of(program, ["list", "machines"])["machines"]
    return names if has_ptxas() else [name for name in names if not name.endswith("_native")]


def difference(program, first, second):
    """What `lookahead diff` finds between two result files; nothing if their results are the same."""
    done = execute(program, ["diff", first, second])
    return "" if done.returncode == 0 else (done.stdout + done.stderr).strip() or f"exit {done.returncode}"


def _simulate_on_core(program, arguments, core):
    """In a thread of its own: the run inherits the thread's cores."""
    os.sched_setaffinity(0, {core})
    return simulate(program, arguments, timeout=1800)


def two_at_once(program, arguments, outs):
    """The summaries of two independent runs at once, each on a core of its own, one for each result file."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(_simulate_on_core, program, [*arguments, "--out", out], core) for core, out in zip(cores, outs, strict=True)]
        return [run.result() for run in runs]


def timed(program, arguments, ranks=0, timeout=PATIENCE):
    """The summary of a run and its wall time as a whole process, in seconds."""
    begin = time.perf_counter()
    summary = simulate(program, arguments, ranks, timeout)
    return summary, time.perf_counter() - begin


class Checks:
    """Counts what holds and prints what does not. `folder` is for the files of the test."""

    def __init__(self, program, folder=None):
        self.program, self.folder = program, folder
        self.passed = self.failed = 0

    def expect(self, holds, sentence):
        self.passed += bool(holds)
        self.failed += not holds
        if not holds:
            print(sentence, flush=True)

    def check(self, name, holds, detail=""):
        self.expect(holds, f"{name}: {detail}")

    def succeeds(self, arguments):
        """The command ends with 0; returns what it prints."""
        done = execute(self.program, arguments)
        self.check(" ".join(map(str, arguments)), done.returncode == 0, done.stdout + done.stderr)
        return done.stdout

    def refuses(self, arguments, code, fragment):
        """The command ends with this code and says this on stderr."""
        done = execute(self.program, arguments)
        self.check(" ".join(map(str, arguments)), done.returncode == code and fragment in done.stderr,
                   f"exit {done.returncode}: {done.stderr}")

    def same(self, name, first, second):
        """Two files have the same results."""
        found = difference(self.program, first, second)
        self.check(name, not found, found)

    def finish(self, more=""):
        """Prints the counts; the test's exit code."""
        print(f"{self.passed} passed, {self.failed} failed{more}")
        return 1 if self.failed else 0


def argument_parser(document):
    """Of a command that takes --program."""
    parser = argparse.ArgumentParser(description=document, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=pathlib.Path, default=default_program())
    return parser


def program_of_unit_tests(document):
    """What --program names; the other words of the command line remain for unittest."""
    chosen, sys.argv[1:] = argument_parser(document).parse_known_args()
    return chosen.program


def run_checks(document, kind, *functions):
    """The main function of a test: check_NAME(kind(program, folder)) for each of the functions, or with --only NAME for one."""
    parser = argument_parser(document)
    parser.add_argument("--only", choices=[function.__name__.removeprefix("check_") for function in functions])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checks = kind(arguments.program.resolve(), pathlib.Path(folder))
        for function in functions:
            if arguments.only in (None, function.__name__.removeprefix("check_")):
                function(checks)
        return checks.finish()


def seed_of_run():
    """The seed of a randomised test, from LOOKAHEAD_TEST_SEED or drawn; it is printed."""
    seed = int(os.environ.get("LOOKAHEAD_TEST_SEED", random.randrange(1 << 30)))
    print(f"seed {seed}: again with LOOKAHEAD_TEST_SEED={seed}", flush=True)
    return seed


def wait_for(condition, seconds=PATIENCE, period=0.005):
    """The condition's value as soon as it is true; None if it is not in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(period)
    return None


# Several times what `wait_until_simulating` waits for, so that the run is still under way afterwards.
LONG_RUN = ["run", "sgemm", "--size", "small", "--set", "m=512", "--set", "n=512", "--set", "k=512"]


def wait_until_simulating(process, seconds=0.3):
    """Until the program, or a rank that mpirun has started, has computed for longer than it takes to begin a run."""
    least = seconds * os.sysconf("SC_CLK_TCK")
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        for pid in [process.pid, *children_of(process.pid)]:
            try:
                name, fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)
            except (FileNotFoundError, ProcessLookupError):
                continue  # it has ended
            if name.endswith("(lookahead") and int(fields.split()[11]) > least:
                return
        time.sleep(0.01)


def children_of(pid):
    """The processes that the first thread of a process has started."""
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def copy_built_otherwise(program, path):
    """A copy with a changed name of the linker; it stands for a program of another build."""
    notes = subprocess.run(["readelf", "-n", program], capture_output=True, text=True, check=True).stdout
    name = bytes.fromhex(notes.split("Build ID: ")[1].split()[0])
    path.write_bytes(program.read_bytes().replace(name, bytes(reversed(name))))
    path.chmod(0o755)


def catches(pid, number):
    """Whether the process is the program and catches the signal."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt"))
    return status.startswith("Name:\tlookahead") and bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def papers():
    """What the papers' folders say (paper.json), in the papers' order."""
    folder = pathlib.Path(__file__).resolve().parents[2] / "experiments/studies"
    return sorted((json.loads(path.read_text()) for path in folder.glob("*/paper.json")), key=lambda paper: paper["order"])


def tiny_study(path, workloads):
    """The text of a study with these workloads, of size tiny, without settings, which are of the study's own size."""
    text, workloads_found = re.subn(r"(?s)workloads = \[.*?\]", f"workloads = {json.dumps(list(workloads))}", path.read_text())
    text, sizes_found = re.subn(r'(?m)^size = ".*"$', 'size = "tiny"', text)
    assert workloads_found == sizes_found == 1
    return re.sub(r"(?s)\[settings\]\n.*?\n\n", "", text)


def default_program():
    return pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "lookahead"
