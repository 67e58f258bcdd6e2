"""A Slurm of one node for tests: munged, slurmctld and slurmd of this machine, with files, ports and keys of their own."""

import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import time

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel")

CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
MpiDefault=none
SlurmUser=root
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
SchedulerParameters=batch_sched_delay=1,sched_interval=1,requeue_delay=1
SchedulerType=sched/backfill
KillWait=5
MinJobAge=300
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=short Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""


def why_not():
    """Why no Slurm can be started here; empty if one can."""
    missing = [name for name in NEEDED if shutil.which(name) is None and not pathlib.Path("/usr/sbin", name).exists()]
    if missing:
        return f"there is no {missing[0]}"
    return "" if os.geteuid() == 0 else "slurmd has to be started by root"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class SlurmNode:
    """A context manager; `call` runs Slurm's commands."""

    def __init__(self, folder, cores):
        self.folder = pathlib.Path(folder)
        self.cores = cores
        self.processes = []
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"),
                            "PATH": os.environ["PATH"] + ":/usr/sbin"}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.folder.chmod(0o755)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], folder=self.folder, cores=self.cores, controller_port=free_port(),
            node_port=free_port()))
        self.spawn("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                   f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
                   f"--seed-file={self.folder}/munged.seed")
        self.wait_until(lambda: (self.folder / "munge.socket").exists(), "munged")
        self.spawn("slurmctld", "-D", "-i")
        self.wait_until(lambda: self.call("scontrol", "ping").stdout.count("is UP"), "slurmctld")
        self.spawn("slurmd", "-D")
        self.wait_until(lambda: "State=IDLE" in self.call("scontrol", "show", "node").stdout, "slurmd")

    def spawn(self, *line):
        log = open(self.folder / f"{line[0]}.out", "wb")
        self.processes.append(subprocess.Popen(line, env=self.environment, stdout=log, stderr=log))

    def wait_until(self, condition, what, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if condition():
                return
            time.sleep(0.1)
        logs = "\n".join(file.read_text(errors="replace")[-800:] for file in self.folder.glob("*.log"))
        outs = "\n".join(file.read_text(errors="replace")[-800:] for file in self.folder.glob("*.out"))
        raise RuntimeError(f"{what} did not come up:\n{logs}\n{outs}")

    def call(self, *line):
        return subprocess.run(line, env=self.environment, capture_output=True, text=True, check=False, timeout=1200)

    def jobs(self):
        """State of each job that Slurm still knows, by its number."""
        lines = self.call("squeue", "--all", "--states=all", "--noheader", "--format=%A %T %r").stdout.splitlines()
        return {int(line.split()[0]): line.split()[1] for line in lines if line.strip()}

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            if process.poll() is None:
                process.kill()
                process.wait()
