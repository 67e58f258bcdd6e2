#!/usr/bin/env python3
"""Tests sweeps under a real Slurm of one node: an array of jobs on one folder, two of which are preempted, and a job whose time
ends before its points, which requeues itself. Skipped without Slurm or without root (exit code 77), after a check of the script
that `sweep submit` writes."""

import argparse
import os
import pathlib
import re
import sys
import tempfile
import time

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import lookahead_process as lookahead  # noqa: E402
import slurm_node  # noqa: E402
from sweep_checks import Checks  # noqa: E402

STUDY = """
title = "Jobs"
size = "{size}"
workloads = [{workloads}]
[[axis]]
key = "sm.warp_scheduler"
values = ["lrr", "gto"]
[[axis]]
key = "l1d.ways"
values = ["4", "8", "16"]
"""


class SlurmChecks(Checks):
    def study(self, name, size, workloads):
        return super().study(STUDY.format(size=size, workloads=", ".join(f'"{each}"' for each in workloads)), f"{name}.toml")

    def submit(self, study, out, *options):
        return self.command("submit", study, out, *options)

    def status(self, study, out):
        return self.command("status", study, out).stdout

    def logs(self, out):
        return "\n".join(f"{file.name}: {file.read_text()[-600:]}" for file in (self.folder / out).glob("job-*.out"))


def check_script(checks):
    study = checks.study("script", "tiny", ["vecadd"])
    done = checks.submit(study, "script", "--dry-run", "--partition", "fast", "--time", "12:34", "--nodes", "3",
                         "--tasks-per-node", "5", "--array", "4", "--grace", "77", "--timeout", "9", "--memory", "1000",
                         "--ranks-per-point", "auto")
    text = (checks.folder / "script/job.sbatch").read_text()
    checks.check("dry run", done.returncode == 0 and "6 points" in done.stdout, done.stdout + done.stderr)
    for fragment in ("#SBATCH --partition=fast\n", "--time=12:34\n", "--nodes=3\n", "--ntasks-per-node=5\n",
                     "--array=0-3\n", "--signal=B:USR1@77\n", f'sweep run "{study}"', "--no-wait",
                     '"--ranks-per-point" "auto"', '"--memory" "1000"', '"--timeout" "9'):
        checks.check("script", fragment in text, f"no {fragment!r} in {text}")
    checks.check("everything is filled in", not re.findall("@[A-Z]+@", text), text)
    plain = checks.submit(study, "plain", "--dry-run")
    text = (checks.folder / "plain/job.sbatch").read_text()
    checks.check("without an array", plain.returncode == 0 and "array" not in text.split("\n\n")[0].replace("of an array", "")
                 and "--partition" not in text, text)
    bad = checks.submit(study, 'with "quotes"', "--dry-run")
    checks.check("quotes", bad.returncode == 2 and "cannot contain" in bad.stderr, bad.stderr)
    study.write_text(study.read_text().replace("l1d.ways", "l1d.weys"))
    bad = checks.submit(study, "bad", "--dry-run")
    checks.check("a bad study", bad.returncode == 2 and "did you mean l1d.ways" in bad.stderr, bad.stderr)


def check_array(checks, slurm):
    study = checks.study("array", "tiny", ["vecadd", "histogram", "bfs", "sgemm"])
    done = checks.submit(study, "array", "--array", "6", "--tasks-per-node", "1", "--time", "10")
    checks.check("submit", done.returncode == 0 and "Submitted batch job" in done.stdout, done.stdout + done.stderr)
    preempted = set()
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        jobs = slurm.jobs()
        running = [job for job, state in jobs.items() if state == "RUNNING" and job not in preempted]
        if running and len(preempted) < 2 and list(checks.folder.glob("array/points/*.h5")):
            preempted.add(running[0])
            slurm.call("scontrol", "requeue", str(running[0]))
        if jobs and all(state in ("COMPLETED", "FAILED", "CANCELLED") for state in jobs.values()) and len(jobs) >= 6:
            break
        time.sleep(0.2)
    checks.check("two preempted", len(preempted) == 2, preempted)
    checks.check("jobs ended", set(slurm.jobs().values()) == {"COMPLETED"}, f"{slurm.jobs()}\n{checks.logs('array')}")
    status = checks.status(study, "array")
    checks.check("complete", "24 points: 24 complete, 0 failed" in status, status + checks.logs("array"))
    with h5py.File(checks.folder / "array/index.h5") as index:
        rows = index["points/status"].asstr()[:]
        checks.check("table", len(rows) == 24 and all(rows == "complete"), rows)


def check_requeue(checks, slurm):
    """The job has time for some of the points: Slurm's signal stops them at checkpoints, and the job goes on by
    itself."""
    study = checks.study("requeue", "medium", ["sgemm", "hotspot"])  # some 10 s a point, the signal comes after 30
    done = checks.submit(study, "requeue", "--tasks-per-node", "2", "--time", "2", "--grace", "90")
    checks.check("submit", done.returncode == 0, done.stdout + done.stderr)
    restarts = hastened = 0
    pending_since = None
    deadline = time.monotonic() + 700
    while time.monotonic() < deadline and ("12 complete" not in checks.status(study, "requeue") or
                                           {"RUNNING", "COMPLETING"} & set(slurm.jobs().values())):
        for job, state in slurm.jobs().items():
            shown = slurm.call("scontrol", "show", "job", str(job)).stdout
            if "JobName=requeue" in shown:
                restarts = max(restarts, int(shown.split("Restarts=")[1].split()[0]))
                # Slurm lets a requeued job wait for two minutes. A start within the second of the requeue would be refused:
                # slurmd revokes the job's credentials up to that second, and the job would end as failed.
                if state == "PENDING" and restarts > hastened:
                    pending_since = pending_since or time.monotonic()
                    if time.monotonic() - pending_since > 5:
                        hastened, pending_since = restarts, None
                        slurm.call("scontrol", "update", f"JobId={job}", "StartTime=now")
        time.sleep(0.5)
    status = checks.status(study, "requeue")
    checks.check("complete", "12 points: 12 complete, 0 failed" in status, status + checks.logs("requeue"))
    lines = [" ".join(h5py.File(file)["meta"].attrs["argv"]) for file in (checks.folder / "requeue/points").glob("*.h5")]
    checks.check("requeued", restarts > 0 and any(" resume " in line for line in lines), f"{restarts} restarts")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, default=lookahead.default_program())
    parser.add_argument("--only")
    arguments = parser.parse_args()
    os.environ.update(lookahead.MPI_ENVIRONMENT)
    reason = slurm_node.why_not()
    with tempfile.TemporaryDirectory() as name:
        checks = SlurmChecks(arguments.program.resolve(), pathlib.Path(name))
        check_script(checks)
        if not reason:
            (checks.folder / "slurm").mkdir()
            with slurm_node.SlurmNode(checks.folder / "slurm", max(2, os.cpu_count())) as slurm:
                os.environ["SLURM_CONF"] = slurm.environment["SLURM_CONF"]
                for check in (check_array, check_requeue):
                    if arguments.only in (None, check.__name__.removeprefix("check_")):
                        check(checks, slurm)
    return checks.finish(f"; no Slurm: {reason}" if reason else "") or (77 if reason else 0)


if __name__ == "__main__":
    sys.exit(main())
