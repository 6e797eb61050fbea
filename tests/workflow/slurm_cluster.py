"""A SLURM cluster of one node, this machine, for the tests.

Debian only, and root only: it installs packages with apt-get, and SLURM reads its configuration
from /etc/slurm. A slurm.conf that this script has not written is never touched. No accounting, no
cgroups and no systemd, so that it also runs in a container.
"""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

MARK = "# Written by Frugal's tests/workflow/slurm_cluster.py, which overwrites it."
CONF = Path("/etc/slurm/slurm.conf")
STATE = Path("/var/lib/frugal-slurm")
MUNGE_RUN = Path("/run/munge")
START_S = 60  # how long the node may take to become idle
STOP_S = 60  # how long the daemons may take to end


class ClusterError(Exception):
    """The cluster cannot be installed or started here; the message says why in one sentence."""


def run(*command: str, **kwargs: object) -> str:
    """Run a command and return what it prints; its own words are the error if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **kwargs)
    if done.returncode != 0:
        message = (done.stderr or done.stdout).strip()
        raise ClusterError(f"`{' '.join(command)}` failed with exit code {done.returncode}: {message}")
    return done.stdout


def install() -> None:
    """Install Debian's slurm-wlm and munge where a daemon is missing."""
    if all(shutil.which(daemon) for daemon in ("slurmctld", "slurmd", "munged", "sinfo")):
        return
    if shutil.which("apt-get") is None:
        raise ClusterError("SLURM is missing, and without apt-get this script cannot install it.")
    env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    run("apt-get", "update", "-q", env=env)
    packages = ("slurm-wlm", "munge")
    run("apt-get", "install", "-q", "-y", "--no-install-recommends", *packages, env=env)


def configuration(host: str, n_cpus: int, memory_mb: int) -> str:
    """The text of slurm.conf for a cluster whose only node is `host`."""
    return f"""{MARK}
ClusterName=frugal
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={STATE}/ctld
SlurmdSpoolDir={STATE}/d
SlurmctldPidFile={STATE}/slurmctld.pid
SlurmdPidFile={STATE}/slurmd.pid
SlurmctldLogFile={STATE}/slurmctld.log
SlurmdLogFile={STATE}/slurmd.log
# Neither cgroups, over which a container has no say, nor accounting, which needs a database.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
# A node that was down serves again as soon as it registers.
ReturnToService=2
# squeue is how the workflow learns that a job has ended, so ended jobs stay listed for a while.
MinJobAge=7200
# Look for work at every submission: the jobs of the tests are short.
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=5
NodeName={host} NodeAddr=127.0.0.1 CPUs={n_cpus} RealMemory={memory_mb} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def write_configuration() -> None:
    """Write slurm.conf in its default place, unless somebody else's is there.

    Raises:
        ClusterError: if the file there was not written by this script.
    """
    if CONF.exists() and not CONF.read_text().startswith(MARK):
        raise ClusterError(f"{CONF} was not written by this script, which will not overwrite it.")
    hardware = dict(word.split("=", 1) for word in run("slurmd", "-C").split() if "=" in word)
    text = configuration(
        host=socket.gethostname().split(".")[0],
        n_cpus=len(os.sched_getaffinity(0)),
        memory_mb=int(hardware["RealMemory"]),
    )
    CONF.parent.mkdir(parents=True, exist_ok=True)
    CONF.write_text(text)


def pid_in(path: Path) -> int | None:
    """The process named in a pid file, if it is alive."""
    try:
        pid = int(path.read_text())
        os.kill(pid, 0)
    except (OSError, ValueError):
        return None
    return pid


def start_munge() -> None:
    """Start munged as its own user, with the key that the package made."""
    if subprocess.run(["munge", "-n"], capture_output=True, check=False).returncode == 0:
        return
    MUNGE_RUN.mkdir(mode=0o755, exist_ok=True)
    shutil.chown(MUNGE_RUN, "munge", "munge")
    if not Path("/etc/munge/munge.key").exists():
        run("runuser", "-u", "munge", "--", "mungekey", "--create")
    run("runuser", "-u", "munge", "--", "munged")


def node_state() -> str:
    """What sinfo calls the node, or what it says instead."""
    done = subprocess.run(["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).strip()


def wait_until_idle() -> None:
    """Wait until the node takes jobs.

    Raises:
        ClusterError: if it does not within `START_S` seconds.
    """
    deadline = time.monotonic() + START_S
    while (state := node_state()) != "idle":
        if time.monotonic() > deadline:
            raise ClusterError(f"After {START_S} s sinfo says {state!r} instead of 'idle'; see {STATE}/*.log.")
        time.sleep(0.5)


def start() -> None:
    """Install what is missing, start the three daemons afresh and wait for the node.

    Raises:
        ClusterError: if it is not run as root, or any step fails.
    """
    if os.geteuid() != 0:
        raise ClusterError("The SLURM test installs and starts daemons, so it has to run as root.")
    install()
    stop()
    write_configuration()
    for folder in (STATE / "ctld", STATE / "d"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    start_munge()
    run("slurmctld")
    run("slurmd")
    wait_until_idle()


def stop() -> None:
    """End the SLURM daemons that this script started, by their pid files; munged may stay.

    Its slurm.conf goes too: where there is one, the executor's plugin asks the controller that it names at every
    start of Snakemake, and waits for an answer.
    """
    pids = [pid for name in ("slurmd", "slurmctld") if (pid := pid_in(STATE / f"{name}.pid"))]
    for pid in pids:
        os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_S
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        if time.monotonic() > deadline:
            raise ClusterError(f"The SLURM daemons {pids} have not ended within {STOP_S} s.")
        time.sleep(0.1)
    if CONF.exists() and CONF.read_text().startswith(MARK):
        CONF.unlink()
