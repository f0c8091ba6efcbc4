# SPDX-License-Identifier: Apache-2.0
"""Hosts played by network namespaces: each has an address, a name and a temporary folder of its own and reaches the others through one
switch and sends over a link as fast as asked; what several send to one host at once is not limited. Open MPI starts its daemons in them
through the script `agent` beside this file. Latency cannot be shaped: not every kernel has what it takes (netem)."""
import atexit
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
PREFIX = "slh"


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def namespaces():
    return [line.split()[0] for line in run("ip", "netns", "list").splitlines() if line.startswith(PREFIX)]


def processes_in(namespace):
    return [int(pid) for pid in run("ip", "netns", "pids", namespace).split()]


def remove(namespace):
    for pid in processes_in(namespace):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    subprocess.run(["ip", "netns", "delete", namespace], capture_output=True)


def sweep():
    """What a test that was killed has left: its namespaces carry its process id."""
    for namespace in namespaces():
        owner = namespace[len(PREFIX):].split("-")[0]
        if not os.path.exists(f"/proc/{owner}"):
            remove(namespace)


class Hosts:
    """`rate`: of what each host sends, as tc writes it ("1gbit")."""

    def __init__(self, count, rate):
        if os.geteuid() != 0:
            skip("network namespaces need root")
        for program in ("ip", "tc", "unshare", "mpirun"):
            if shutil.which(program) is None:
                skip(f"{program} is not installed; tests/run installs it")
        sweep()
        self.count = count
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="syncline-hosts-"))
        self.switch = f"{PREFIX}{os.getpid()}-s"
        self.names = [f"{PREFIX}{os.getpid()}-{i + 1}" for i in range(count)]
        atexit.register(self.close)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: sys.exit(143))
        made = subprocess.run(["ip", "netns", "add", self.switch], capture_output=True, text=True)
        if made.returncode != 0:
            skip(f"this system allows no network namespaces: {made.stderr.strip()}")
        self._in(self.switch, "ip", "link", "add", "bridge", "type", "bridge")
        self._in(self.switch, "ip", "link", "set", "bridge", "up")
        for i, name in enumerate(self.names):
            run("ip", "netns", "add", name)
            port = f"port{i + 1}"
            run("ip", "link", "add", port, "netns", self.switch, "type", "veth", "peer", "name", "eth0", "netns", name)
            self._in(self.switch, "ip", "link", "set", port, "master", "bridge", "up")
            self._in(name, "ip", "address", "add", f"{self.address(i)}/24", "dev", "eth0")
            for device in ("lo", "eth0"):
                self._in(name, "ip", "link", "set", device, "up")
            # A smaller burst limits TCP itself; and a second bucket at the switch's port, for what several send to one host, takes TCP below
            # 95 % of the rate.
            self._in(name, "tc", "qdisc", "add", "dev", "eth0", "root", "tbf", "rate", rate, "burst", "128kb", "limit", "1mb")
            (self.folder / f"tmp{i + 1}").mkdir()

    def address(self, i):
        return f"10.77.0.{i + 1}"

    def _in(self, namespace, *command):
        return run("ip", "netns", "exec", namespace, *command)

    def environment(self):
        return dict(os.environ, SYNCLINE_HOSTS=f"{PREFIX}{os.getpid()}", SYNCLINE_HOSTS_FOLDER=str(self.folder), OMP_NUM_THREADS="1",
                    OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def enter(self, i):
        """The words that run what follows on host i, as the agent does."""
        return [str(pathlib.Path(__file__).with_name("agent")), self.address(i)]

    def mpirun(self, ranks):
        """One rank a host, then round about; mpirun itself runs on the first."""
        names = ",".join(f"{self.address(i)}:{-(-ranks // self.count)}" for i in range(self.count))
        return ["mpirun", "-n", str(ranks), "--host", names, "--map-by", "node", "--bind-to", "none", "--oversubscribe",
                "--mca", "plm_rsh_agent", str(pathlib.Path(__file__).with_name("agent")), "--mca", "plm_rsh_no_tree_spawn", "1",
                "--mca", "pml", "ob1", "--mca", "btl", "self,vader,tcp", "--mca", "mpi_yield_when_idle", "0",
                "--mca", "btl_tcp_if_include", "10.77.0.0/24", "--mca", "oob_tcp_if_include", "10.77.0.0/24"]

    def start(self, command, host=0, output=None):
        """In a process group of its own on that host."""
        return subprocess.Popen(self.enter(host) + [shlex.quote(word) for word in command], env=self.environment(), stdout=output,
                                stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def cut(self, i):
        self._in(self.names[i], "ip", "link", "set", "eth0", "down")

    def left_running(self):
        """Commands by host."""
        left = {}
        for i, name in enumerate(self.names):
            for pid in processes_in(name):
                try:
                    words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                except FileNotFoundError:
                    continue
                left.setdefault(self.address(i), []).append(b" ".join(words[:3]).decode())
        return left

    def close(self):
        for name in [*self.names, self.switch]:
            if name in namespaces():
                remove(name)
        shutil.rmtree(self.folder, ignore_errors=True)


def wait_for(condition, limit_s, what):
    end = time.monotonic() + limit_s
    while not (found := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come within {limit_s} s")
        time.sleep(0.05)
    return found
