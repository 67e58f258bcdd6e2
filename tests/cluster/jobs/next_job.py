#!/usr/bin/env python3
"""Tests jobs whose time ends before their sweep: the templates for PBS and Flux, filled in, with stand-ins for the schedulers'
commands that record submissions."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))
import lookahead_process as lookahead  # noqa: E402
from sweep_checks import Checks  # noqa: E402


QSUB = """#!/bin/bash
echo "qsub $*" >> "$SUBMITTED"
"""
# Ranks are Open MPI's own.
FLUX = """#!/bin/bash
if [ "$1" = --parent ]; then
    echo "flux $*" >> "$SUBMITTED"
    exit
fi
while [ "${2:0:2}" = -- ]; do
    [[ $2 != --ntasks=* ]] || ranks=${2#--ntasks=}
    shift
done
exec mpirun -n "$ranks" "${@:2}"
"""


class JobChecks(Checks):
    def job(self, template, seconds, study, **stand_ins):
        """Runs a template as its scheduler would, with the scheduler's commands in the first folder of PATH."""
        out = self.folder / template.suffix[1:]
        commands = self.folder / "commands"
        commands.mkdir(exist_ok=True)
        for name, text in stand_ins.items():
            (commands / name).write_text(text)
            (commands / name).chmod(0o755)
        values = {"NAME": "job", "NODES": 1, "CORES": 2, "RANKS": 2, "TIME": "10:00", "SECONDS": seconds, "FOLDER": out,
                  "PROGRAM": self.program, "STUDY": study}
        text = re.sub("@([A-Z]+)@", lambda found: str(values[found[1]]), template.read_text())
        out.mkdir(exist_ok=True)
        script = out / template.name
        script.write_text(text)
        submitted = self.folder / f"submitted{template.suffix}"
        submitted.write_text("")
        environment = {**os.environ, **lookahead.MPI_ENVIRONMENT, "PATH": f"{commands}:{os.environ['PATH']}",
                       "OMPI_MCA_rmaps_base_oversubscribe": "1", "SUBMITTED": str(submitted),
                       "PBS_JOBID": "17.server"}
        done = subprocess.run(["bash", script], env=environment, text=True, capture_output=True, check=False, timeout=lookahead.PATIENCE)
        return done, submitted.read_text()


# Each point takes some seconds on any machine, so that a job does not end all of them in its four seconds, some of
# which mpirun may need to begin.
POINTS, SECONDS = 2, 4


def check_stopped(checks, template, study, again, **stand_ins):
    """A job that leaves points submits the next one."""
    name = template.name
    done, submitted = checks.job(template, SECONDS, study, **stand_ins)
    out = checks.folder / template.suffix[1:]
    checks.check(f"{name}: its time is over", done.returncode == 75, f"{done.returncode} {done.stdout}{done.stderr}")
    checks.check(f"{name}: the next job", submitted == again.format(out=out), submitted)
    points = list((out / "points").glob("*.h5"))
    checks.check(f"{name}: points are left", len(points) < POINTS, points)


def check_last(checks, template, study, **stand_ins):
    """The job that ends the sweep submits none."""
    name = template.name
    done, submitted = checks.job(template, 140, study, **stand_ins)
    checks.check(f"{name}: the next job ends", done.returncode == 0, f"{done.returncode} {done.stdout}{done.stderr}")
    checks.check(f"{name}: and is the last", submitted == "", submitted)
    points = checks.points(template.suffix[1:])
    checks.check(f"{name}: complete", list(points["status"]) == ["complete"] * POINTS, points["status"])


def check_templates(checks):
    study = checks.study('title = "Jobs"\nsize = "medium"\nworkloads = ["sgemm"]\n'
                         'options = ["sgemm.m=640", "sgemm.n=640", "sgemm.k=640"]\n[[axis]]\nkey = "l1d.ways"\nvalues = ["4", "8"]\n')
    pbs, flux = ROOT / "cluster/pbs/sweep.pbs", ROOT / "cluster/flux/sweep.flux"
    check_stopped(checks, pbs, study, "qsub -W depend=afterany:17.server {out}/sweep.pbs\n", qsub=QSUB)
    check_last(checks, pbs, study, qsub=QSUB)
    check_stopped(checks, flux, study, "flux --parent batch {out}/sweep.flux\n", flux=FLUX)
    # No points are left to it: PBS's results are there.
    shutil.rmtree(checks.folder / "flux")
    (checks.folder / "pbs").rename(checks.folder / "flux")
    check_last(checks, flux, study, flux=FLUX)


if __name__ == "__main__":
    sys.exit(lookahead.run_checks(__doc__, JobChecks, check_templates))
