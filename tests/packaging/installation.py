"""Shared code of tests of installations: a root with bin/lookahead, tried from a separate folder with a clean environment."""

import os
import pathlib
import re
import subprocess

PYTHON = "/usr/bin/python3"
SKIPPED = 77


class Installation:
    def __init__(self, root, folder):
        self.root, self.folder = pathlib.Path(root), pathlib.Path(folder)
        self.program = self.root / "bin" / "lookahead"
        self.passed = self.failed = 0

    def check(self, name, holds, detail=""):
        self.passed += bool(holds)
        self.failed += not holds
        if not holds:
            print(f"{name}: {detail}")

    def execute(self, *command, **more_environment):
        """Runs with nothing of the builder's environment except where system programs are."""
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "MPLBACKEND": "Agg", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **more_environment}
        return subprocess.run([str(word) for word in command], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=1200, check=False)

    def succeeds(self, *command, prints="", **more_environment):
        done = self.execute(*command, **more_environment)
        self.check(" ".join(map(str, command)), done.returncode == 0 and prints in done.stdout,
                   f"exit code {done.returncode}: {done.stdout[-800:]}{done.stderr[-800:]}")
        return done.stdout

    def run_everything(self, client):
        self.succeeds(self.program, "run", "vecadd", "--size", "tiny", "--out", "one.h5", prints="outputs match")
        self.succeeds("mpirun", "-n", 2, "--oversubscribe", self.program, "run", "vecadd", "--size", "tiny", "--out", "two.h5",
                      prints="on 2 ranks")
        self.succeeds(self.program, "diff", "one.h5", "two.h5", prints="same results")
        self.succeeds(self.program, "report", "one.h5", "--python", PYTHON, "-o", "page.html")
        self.check("page.html", "</html>" in self.text_of("page.html"))
        self.succeeds(self.program, "capture", "-o", "client.capture.h5", "--", client, 13, prints="correct")
        self.succeeds(self.program, "run", "client.capture.h5", "--out", "replay.h5", prints="outputs match")
        self.check_analysis(self.root / "share" / "lookahead" / "python")
        completion = self.root / "share" / "bash-completion" / "completions" / "lookahead"
        self.succeeds("bash", "-c", f"source {completion}; complete -p lookahead", prints="_lookahead")
        self.check("guides", (self.root / "share/doc/lookahead/guide/first_hour.md").is_file())
        self.check("reference", "l1d.ways" in (self.root / "share/doc/lookahead/reference/parameters.md").read_text())

    def text_of(self, name):
        path = self.folder / name
        return path.read_text() if path.is_file() else ""

    def check_analysis(self, path):
        self.succeeds(PYTHON, "-c", "from lookahead_analysis import Run; print(Run('one.h5').summary['outputs'])",
                      PYTHONPATH=str(path), prints="match")
        self.succeeds(PYTHON, "-m", "lookahead_analysis.figures", "--help", PYTHONPATH=str(path), prints="caps/fig10,")

    def check_binaries(self):
        """Each is stripped, finds its libraries, and looks for none where it was built."""
        binaries = [self.program, *self.root.glob("lib/lookahead/**/*.so*")]
        self.check("binaries", len(binaries) == 6, binaries)
        for binary in binaries:
            sections = self.succeeds("readelf", "-SW", binary)
            self.check(f"{binary.name} is stripped", ".symtab" not in sections and ".debug_info" not in sections)
            dynamic = self.succeeds("readelf", "-d", binary)
            self.check(f"{binary.name} has no path", not re.search("RUNPATH|RPATH", dynamic), dynamic)
            self.check(f"{binary.name} finds its libraries", "not found" not in self.succeeds("ldd", binary))
        megabytes = sum(path.stat().st_size for path in self.root.rglob("*") if path.is_file()) / 1e6
        print(f"installed: {megabytes:.1f} MB, of which the program {self.program.stat().st_size / 1e6:.1f} MB")
        self.check("size", megabytes < 40, f"{megabytes} MB")

    def end(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed else 0


def arguments_of(parser):
    root = pathlib.Path(__file__).resolve().parents[2]
    build = root / "build" / "release"
    parser.add_argument("--build", type=pathlib.Path, default=build)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--client", type=pathlib.Path, default=build / "tests/functional/cuda/runtime_client_13",
                        help="a program that loads libcudart.so.13")
    return parser.parse_args()


def finish_or_stop(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env={**os.environ}, check=False,
                          **options)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout
