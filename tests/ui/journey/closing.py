# SPDX-License-Identifier: GPL-3.0-or-later
"""The window and the job live apart: either is killed, and what is shown afterwards is true.

  under-display closing.py
"""
import json
import os
import re
import signal
import sys
import time

from desk import check, engine, processes_of, run_test, until
from figures import agree
from journey import state, steps_done

EXPERIMENT = """name = "{name}"
[model]
zoo = "lenet"
[data]
source = "fashion-mnist"
[train]
steps = {steps}
batch_per_worker = 64
[cluster]
workers = 2
[strategy]
name = "sync"
"""


def shown(workspace, name):
    return json.loads(engine("show", name, "--json", workspace=workspace))


def launch(desk, folder, workspace, name, steps):
    """Starts the window with the run in it, and waits until it trains."""
    file = f"{folder}/{name}.toml"
    with open(file, "w") as text:
        text.write(EXPERIMENT.format(name=name, steps=steps))
    desk.start("--workspace", workspace, "--start", file)
    state(desk, "Running", 40)
    until("some steps", lambda: steps_done(desk) >= 5, 40)


def kill(pids):
    for number in (signal.SIGSTOP, signal.SIGKILL):  # all at once: none sees another one end
        for pid in pids:
            os.kill(pid, number)


def command_line(pid):
    with open(f"/proc/{pid}/cmdline") as line:
        return line.read().replace("\0", " ")


def parent(pid):
    with open(f"/proc/{pid}/stat") as stat:
        return int(stat.read().rpartition(")")[2].split()[1])


def a_killed_window_does_not_end_the_run(desk, folder):
    workspace = f"{folder}/window.db"
    launch(desk, folder, workspace, "outlives", 400)
    time.sleep(2.5)  # what is open is remembered two seconds after it changed
    desk.window.kill()
    desk.window.wait()
    before = shown(workspace, "outlives")
    check(before["run"]["state"] == "running", f"after the window was killed the run is {before['run']['state']}")
    check(before["summary"]["steps"] < 300, "the window was killed too late to be in the middle of the run")
    until("the run to finish without its window", lambda: shown(workspace, "outlives")["run"]["state"] == "finished", 90, 0.5)
    desk.start("--workspace", workspace)
    desk.label("Syncline ended unexpectedly; 1 page was opened again")
    state(desk, "Finished")
    until("the last step", lambda: steps_done(desk) == 400)
    loss = shown(workspace, "outlives")["summary"]["final_train_loss"]
    newest = desk.label("^Newest values: .*loss").name
    check(agree(newest.partition("loss ")[2], loss), f"the window says {newest!r}, show says {loss}")
    desk.quit()


def what_became_of_a_job_while_the_window_was_closed(desk, folder):
    workspace = f"{folder}/job.db"
    for name, which, word in (("one-rank-killed", "rank", "failed"), ("all-killed", "all", "lost")):
        launch(desk, folder, workspace, name, 100000 + len(name))  # or they would be one group, seeds of one experiment
        desk.quit()
        check(shown(workspace, name)["run"]["state"] == "running", "closing the window ended the run")
        jobs = processes_of(f"{folder}/job.")
        ranks = [pid for pid in jobs if command_line(parent(pid)).startswith("mpirun ")]
        check(len(ranks) == 2 and len(jobs) > 2, f"processes of the job: {[command_line(pid) for pid in jobs]}")
        kill(ranks[-1:] if which == "rank" else jobs)
        until(f"{name} to be {word}", lambda: shown(workspace, name)["run"]["state"] == word, 90, 0.5)
        desk.start("--workspace", workspace, "--page", "runs")
        until(f"{name} as {word} in Runs", lambda: row_state(desk, name).startswith(word.capitalize()))
        desk.quit()
        desk.start("--workspace", workspace, "--run", name)
        state(desk, word.capitalize())
        reason = shown(workspace, name)["run"]["reason"]
        check(which == "all" or "signal 9" in reason, f"the reason is {reason!r}")
        strip = desk.label("^(Error|Warning): ").name
        check(reason[:30] in strip, f"the page says {strip!r}, show says {reason!r}")
        desk.quit()


def row_state(desk, name):
    table = desk.seek("tree", re.compile("^Runs: star"))
    rows = table.table() if table else []
    return next((row[2].partition(": ")[2] for row in rows if row[1] == f"Name: {name}"), "")


def test(desk, folder):
    a_killed_window_does_not_end_the_run(desk, folder)
    what_became_of_a_job_while_the_window_was_closed(desk, folder)


if __name__ == "__main__":
    sys.exit(run_test(test))
