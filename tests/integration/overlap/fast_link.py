# SPDX-License-Identifier: Apache-2.0
"""Over a link of 1 Tbit/s one message takes as long a step as one per layer, within 3 %: fast_link.py ENGINE EXPERIMENTS, from ctest. Both jobs
live at once and take turns: while one computes, all processes of the other are stopped, so that a machine whose speed drifts is as fast for
one as for the other, and medians know nothing of the few steps in which they were stopped."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

TURN_S = 0.4
engine, experiments = sys.argv[1], pathlib.Path(sys.argv[2])


def processes_of(root):
    children = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            parent = int(pathlib.Path(f"/proc/{entry}/stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError, ValueError):  # it has ended
            continue
        children.setdefault(parent, []).append(int(entry))
    found, wanted = [], [root]
    while wanted:
        found.append(wanted.pop())
        wanted += children.get(found[-1], [])
    return found


def tell(job, number):
    for process in processes_of(job.pid):
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


def steps_of_both():
    with tempfile.TemporaryDirectory(prefix="syncline-fast-link-") as folder:
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        jobs, stores = [], []
        for name in ("quickstart.toml", "quickstart-wfbp.toml"):
            stores.append(f"{folder}/{name}.db")
            jobs.append(subprocess.Popen(
                [engine, "train", str(experiments / name), "--quiet", "--workspace", stores[-1], "--set", "cluster.link.bandwidth=1 Tbit/s",
                 "--set", "cluster.link.latency=0", "--set", "train.epochs=1", "--set", "train.evaluate_every=never"], env=environment))
        turn = 0
        try:
            while all(job.poll() is None for job in jobs):
                tell(jobs[1 - turn % 2], signal.SIGSTOP)
                tell(jobs[turn % 2], signal.SIGCONT)
                time.sleep(TURN_S)
                turn += 1
        finally:
            for job in jobs:
                tell(job, signal.SIGCONT)
        if any(job.wait(120) != 0 for job in jobs):
            raise SystemExit("a job did not end well")
        shown = [subprocess.run([engine, "show", "last", "--json", "--workspace", store], capture_output=True, check=True) for store in stores]
        return [json.loads(each.stdout)["summary"]["step_s"] for each in shown]


for attempt in range(5):
    single, layered = steps_of_both()
    print(f"steps of {single * 1e3:.3f} ms in one message and {layered * 1e3:.3f} ms layer by layer, ratio {layered / single:.4f}", flush=True)
    if abs(single / layered - 1) < 0.03:
        sys.exit(0)
sys.exit(1)
