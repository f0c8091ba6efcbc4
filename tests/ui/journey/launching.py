# SPDX-License-Identifier: GPL-3.0-or-later
"""Two ranks from the editor: dry run, then launch; and app/demo with a display, which opens the window on the running quickstart.

  under-display launching.py mouse|keyboard
  under-display launching.py demo
"""
import json
import os
import re
import subprocess
import sys

from desk import check, engine, run_test, until
from hands import Keys, Mouse
from journey import state, steps_done

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


def from_the_editor(desk, folder, hands):
    workspace = f"{folder}/w.db"
    desk.start("--workspace", workspace, "--draft", f"{ROOT}/resources/experiments/quickstart-wfbp.toml")
    desk.find("push button", "valid ✓")
    hands.step_of_editor("Launch")
    until("the command", lambda: "syncline-engine" in desk.find("text", "Command that Launch runs").text)
    hands.dry_run()
    # Below what is seen of the step: found by its text wherever it is.
    answer = desk.label("^Dry run: (?!starting)", seconds=60).name
    check(re.search(r"2 ranks of \d+ threads? over MPI", answer) and "431 k parameters" in answer.replace("431,080", "431 k"), answer)
    check(json.loads(engine("runs", "--json", workspace=workspace))["runs"] == [], "a dry run was recorded")
    hands.launch()
    state(desk, "Running", 40)
    until("some steps", lambda: steps_done(desk) >= 5, 40)
    run = json.loads(engine("show", "last", "--json", workspace=workspace))["run"]
    check((run["workers"], run["plan"], run["state"]) == (2, "wfbp", "running"), f"launched was {run}")
    hands.stop("Now")
    state(desk, "Stopped")
    desk.quit()


def the_demo(desk, folder):
    """app/demo builds first, which here finds nothing to do, and then becomes the window."""
    workspace = f"{folder}/w.db"
    desk.start("--workspace", workspace, program=f"{ROOT}/app/demo", seconds=300)
    state(desk, "Running", 60)
    until("live figures", lambda: steps_done(desk) >= 5, 60)
    without = dict(os.environ)
    del without["DISPLAY"]
    refused = subprocess.run([f"{ROOT}/app/demo"], env=without, capture_output=True, text=True)
    check(refused.returncode == 2 and "no display" in refused.stderr, f"without a display app/demo said {refused}")
    engine("stop", "last", "--now", workspace=workspace)
    state(desk, "Stopped", 60)
    desk.quit()


def main():
    how = sys.argv[1]
    if how == "demo":
        return run_test(the_demo)
    return run_test(lambda desk, folder: from_the_editor(desk, folder, {"mouse": Mouse, "keyboard": Keys}[how](desk)))


if __name__ == "__main__":
    sys.exit(main())
