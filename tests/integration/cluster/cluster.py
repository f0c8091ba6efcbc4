# SPDX-License-Identifier: Apache-2.0
"""Training across hosts (hosts.py): cluster.py CASE, from ctest; SYNCLINE_BUILD is the build folder."""
import json
import os
import pathlib
import subprocess
import sys
import time

from hosts import Hosts, wait_for

BUILD = pathlib.Path(os.environ["SYNCLINE_BUILD"])
ENGINE = str(BUILD / "app" / "syncline-engine")
GBIT = 125e6  # bytes per second
LIMIT_S = 90  # of any job here

EXPERIMENT = """
name = "cluster"
seed = 7
[model]
zoo = "lenet"
[data]
source = "synthetic"
train_size = 4096
test_size = 256
[train]
steps = {steps}
batch_per_worker = 64
evaluate_every = "never"
[cluster]
workers = {workers}
threads_per_worker = 1
[strategy]
name = "sync"
plan = "{plan}"
[fault]
limit_s = 4
[checkpoint]
every = "{every}"
{more}
"""


class Job:
    """An experiment in a workspace of its own folder, started under mpirun across the hosts, or by the engine itself on one machine."""

    def __init__(self, hosts, name, steps=40, workers=2, plan="wfbp", every="never", more=""):
        self.hosts, self.workers = hosts, workers
        self.folder = hosts.folder / name
        self.folder.mkdir()
        self.file, self.workspace = self.folder / "job.toml", self.folder / "runs.db"
        self.file.write_text(EXPERIMENT.format(steps=steps, workers=workers, plan=plan, every=every, more=more))

    def words(self, *more):
        return [ENGINE, "train", str(self.file), "--workspace", str(self.workspace), *more]

    def across(self, *more):
        self.process = self.hosts.start(self.hosts.mpirun(self.workers) + self.words(*more), output=open(self.folder / "output.txt", "w"))
        return self

    def alone(self):
        self.process = subprocess.Popen(self.words(), stdout=open(self.folder / "output.txt", "w"), stderr=subprocess.STDOUT, text=True,
                                        env=self.hosts.environment())
        return self

    def ended(self, limit_s=LIMIT_S):
        self.process.wait(timeout=limit_s)
        return self.process.returncode

    def output(self):
        return (self.folder / "output.txt").read_text()

    def done(self):
        code = self.ended()
        assert code == 0, f"ended with {code}: {self.output()}"
        return self

    def engine(self, *words):
        return subprocess.run([ENGINE, *words, "--workspace", str(self.workspace)], check=True, capture_output=True, text=True).stdout

    def document(self, *command):
        """What show or export says of the newest run; None: it is not made yet."""
        try:
            return json.loads(self.engine(*command))
        except subprocess.CalledProcessError:
            return None

    def show(self):
        return self.document("show", "last", "--json")

    def summary(self):
        return self.show()["summary"]

    def export(self):
        file = self.folder / "out.json"
        self.engine("export", "last", "--format", "json", "--output", str(file))
        return json.loads(file.read_text())

    def steps_saved(self):
        return [int(folder.name.split("_")[1]) for folder in self.folder.glob("runs.runs/*/checkpoints/step_*") if folder.name[5:].isdigit()]

    def losses(self):
        series = next(s for s in self.export()["series"] if s["name"] == "train_loss")
        at = series["columns"].index("value")
        return [point[at] for point in series["points"]]


def link():
    """The hosts are what they claim to be: plain sockets reach 95 % of the rate in a ring."""
    hosts = Hosts(4, "1gbit")
    ring = pathlib.Path(__file__).with_name("ring.py")
    best = 0
    for _ in range(5):
        each = [hosts.start(["/usr/bin/python3", str(ring), hosts.address(i), hosts.address((i + 1) % 4), str(48 << 20)], host=i,
                            output=subprocess.PIPE) for i in range(4)]
        rates = [float(process.communicate(timeout=30)[0]) for process in each]
        best = max(best, min(rates))
        print(f"slowest of the four: {min(rates) / GBIT:.3f} of 1 Gbit/s")
        if best >= 0.95 * GBIT:
            break
    assert best >= 0.95 * GBIT, f"{best / GBIT:.3f} of the rate"


def losses():
    """Bitwise those of one machine: where ranks run changes no number."""
    hosts = Hosts(3, "1gbit")
    for workers, plan in ((2, "wfbp"), (3, "single")):
        across = Job(hosts, f"across{workers}", workers=workers, plan=plan, steps=15).across().done()
        alone = Job(hosts, f"alone{workers}", workers=workers, plan=plan, steps=15).alone().done()
        found = across.losses()
        assert len(found) == 15, len(found)
        assert found == alone.losses(), f"{workers} workers: {found} and {alone.losses()}"
        print(f"{workers} workers, {plan}: {len(found)} losses are equal, the last {found[-1]:.6f}")


def overlap():
    """Over a real link too, layer by layer hides what one message after the pass cannot."""
    hosts = Hosts(2, "1gbit")
    for attempt in range(5):
        single = Job(hosts, f"single{attempt}", plan="single").across().done().summary()
        layered = Job(hosts, f"wfbp{attempt}", plan="wfbp").across().done().summary()
        ratio = layered["exposed_comm_s"] / single["exposed_comm_s"]
        print(f"exposed {single['exposed_comm_s'] * 1e3:.2f} ms single, {layered['exposed_comm_s'] * 1e3:.2f} ms wfbp; steps "
              f"{single['step_s'] * 1e3:.2f} and {layered['step_s'] * 1e3:.2f} ms")
        if ratio < 0.7 and layered["step_s"] < single["step_s"]:
            return
    raise AssertionError(f"wfbp left {ratio:.2f} of what single exposes")


def emulated():
    """An emulated link of the same bandwidth gives the step time of the real one within 15 %."""
    hosts = Hosts(2, "500mbit")
    emulation = '[cluster.link]\nbandwidth = "500 Mbit/s"\nlatency = "50 us"\nemulate = true\n'
    for attempt in range(5):
        real = Job(hosts, f"real{attempt}", plan="single").across().done().summary()["step_s"]
        shaped = Job(hosts, f"shaped{attempt}", plan="single", more=emulation).alone().done().summary()["step_s"]
        print(f"step {real * 1e3:.2f} ms over the real link, {shaped * 1e3:.2f} ms over the emulated one: {shaped / real:.3f}")
        if abs(shaped / real - 1) <= 0.15:
            return
    raise AssertionError(f"{shaped / real:.3f}")


def cut():
    """A host whose cable is pulled ends the job with the reason, leaves a checkpoint to go on from, and nothing that runs."""
    hosts = Hosts(2, "1gbit")
    job = Job(hosts, "cut", steps=100000, every="10 steps").across()
    wait_for(job.steps_saved, 30, "a checkpoint")
    hosts.cut(1)
    start = time.monotonic()
    code = job.ended(14)  # 10 s beyond the limit
    print(f"ended with {code} {time.monotonic() - start:.1f} s after the cut: {[line for line in job.output().splitlines() if line.startswith('error')]}")
    assert code != 0
    run = job.show()["run"]
    assert run["state"] == "failed", run["state"]
    assert "took longer than the limit of 4 s" in run["reason"] and "rank 1" in run["reason"], run["reason"]
    try:
        wait_for(lambda: not hosts.left_running(), 15, "the end of all processes")
    except AssertionError as late:
        raise AssertionError(f"{late}: {hosts.left_running()}") from None
    step = max(job.steps_saved())
    words = [ENGINE, "train", "--resume", run["id"], "--workspace", str(job.workspace)]
    with open(job.folder / "resumed.txt", "w") as output:
        resumed = subprocess.Popen(words, stdout=output, stderr=subprocess.STDOUT, env=hosts.environment())
    wait_for(lambda: max(job.steps_saved()) > step, 30, "a checkpoint of the resumed run")
    resumed.terminate()
    resumed.wait(20)


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    {case.__name__: case for case in (link, losses, overlap, emulated, cut)}[sys.argv[1]]()
