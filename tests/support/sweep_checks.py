"""Shared code of tests of sweeps: counted checks, studies written into a folder, commands on them, and the contents of their tables."""

import contextlib
import fcntl
import pathlib
import subprocess

import h5py
import lookahead_process as lookahead

PTX = pathlib.Path(__file__).resolve().parents[1] / "regression/ptx"

# Programs by how they end: one never ends, two are complete, one accesses an illegal address.
PROGRAMS = {
    "endless": ["file={ptx}/endless.ptx", "arguments=s32:1"],
    "good": ["file={ptx}/endless.ptx", "arguments=s32:0"],
    "wrong": ["file={ptx}/illegal_address.ptx", "arguments=u32[32]"],
    "as good": ["file={ptx}/endless.ptx", "arguments=s32:0", "grid=2"],
}


def study_of_programs(*names, title="Some fail"):
    """A study whose axis `what` has one of PROGRAMS for each name."""
    text = f'title = "{title}"\nworkloads = ["ptx"]\n[[axis]]\nname = "what"\n'
    for name in names:
        settings = ", ".join(f'"{setting.format(ptx=PTX)}"' for setting in PROGRAMS[name])
        text += f'[[axis.value]]\nname = "{name}"\nsettings = [{settings}]\n'
    return text


def texts(dataset):
    """The elements of a dataset; texts as str."""
    return dataset.asstr()[...] if h5py.check_string_dtype(dataset.dtype) else dataset[...]


class Checks(lookahead.Checks):
    """Checks with studies and their sweeps in one folder."""

    def study(self, text, name="small.toml"):
        path = self.folder / name
        path.write_text(text)
        return path

    def command(self, command, study, out, *options):
        return lookahead.execute(self.program, ["sweep", command, study, "--out", self.folder / out, *options])

    def done(self, command, study, out, *options):
        """The same for a command that must succeed."""
        done = self.command(command, study, out, *options)
        self.check(f"{command} {out} {options}", done.returncode == 0, done.stdout + done.stderr)
        return done

    def line(self, study, out, ranks, *options, mpi=lookahead.ANYWHERE):
        """The words of a `sweep run`; ranks = 0 means without mpirun."""
        return lookahead.command(self.program, ["sweep", "run", study, "--out", self.folder / out, "--progress", "none",
                                                *options], ranks, mpi)

    def start(self, *line, mpi=lookahead.ANYWHERE, **options):
        begun = self.line(*line, mpi=mpi)
        return lookahead.start(begun[0], begun[1:], **options)

    def run(self, *line, mpi=lookahead.ANYWHERE, **options):
        process = self.start(*line, mpi=mpi, **options)
        out, errors = process.communicate(timeout=lookahead.PATIENCE)
        return subprocess.CompletedProcess(process.args, process.returncode, out, errors)

    def keys(self, study):
        """The points' keys, in their order."""
        plan = lookahead.execute(self.program, ["sweep", "plan", study])
        return [line.split()[0] for line in plan.stdout.splitlines()[2:]]

    @contextlib.contextmanager
    def held(self, out, key):
        """While the context lasts, another program runs the point."""
        claim = self.folder / out / "points" / f"{key}.claim"
        claim.parent.mkdir(parents=True, exist_ok=True)
        with claim.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
            claim.unlink()

    def index(self, out):
        return h5py.File(self.folder / out / "index.h5")

    def points(self, out):
        """The columns of the index's table of points."""
        with self.index(out) as file:
            return {name: texts(dataset) for name, dataset in file["points"].items()}

    def left_over(self, out):
        """Files of points that are neither results nor records of failures."""
        return sorted(file.name for file in (self.folder / out / "points").iterdir()
                      if file.suffix != ".h5" and not file.name.endswith(".failure.json"))

    def same_results(self, name, first, second):
        files = sorted(file.name for file in (self.folder / first / "points").glob("*.h5"))
        self.check(name, files == sorted(file.name for file in (self.folder / second / "points").glob("*.h5")), second)
        for file in files:
            self.same(f"{name}: {file}", self.folder / first / "points" / file, self.folder / second / "points" / file)
