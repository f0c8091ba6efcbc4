#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recipes as a person runs them (tests/run --recipes).

    recipes.py quick NAME    the quick size of a recipe that ships: every claim of its file appears, none is false that is not declared here
    recipes.py jobs          stopping, going on, leaving alone, failing, and a file that is wrong, with a recipe of seconds
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[3]
ENGINE = os.environ.get("SYNCLINE_BUILD", str(ROOT / "build")) + "/app/syncline-engine"

# Claims that do not hold at the quick size, each with the reason found. A claim that holds after all fails the test too: it goes from here.
DECLARED = {}
# Claims whose two sides lie closer together than this machine's hour: what the recipe finds is printed, and either is right here.
CLOSE = {
    ("multicolor-allreduce", "1.pipeline"): "8 ranks add up on 2 cores: 1.21 measured where the card's model without them has 1.47, and 1.2 is asked",
    ("multicolor-allreduce", "2.tie-4"): "on four ranks both take 28 ms",
}

SMALL = """title = "Small"
[paper]
title = "On small things"
[base]
name = "small"
[base.model]
layers = [{ type = "flatten" }, { type = "linear", features = 3 }]
[base.data]
source = "synthetic"
classes = 3
height = 4
width = 4
train_size = 60
test_size = 12
[base.train]
steps = 10
batch_per_worker = 4
evaluate_every = "never"
[base.cluster]
workers = 2
compute = "emulate"
profile = { forward_s = [0.005, 0.005], backward_s = [0.005, 0.005] }
[base.cluster.link]
bandwidth = "10 Gbit/s"
[base.strategy]
name = "sync"
[[steps]]
id = "short"
kind = "train"
[[steps]]
id = "long"
kind = "train"
set = { train = { steps = 250 } }
[[steps]]
id = "guess"
kind = "simulate"
workers = "2"
[[claims]]
id = "1"
text = "both run to their end"
holds = "short.steps = 10 and long.steps = 250"
[[claims]]
id = "2"
text = "one is 25 times as long"
measure = "long.samples / short.samples"
equals = 25
tolerance = 0.05
[[claims]]
id = "3"
text = "and so it was foreseen"
measure = "guess.step_s[workers=2]"
equals = 0.02
tolerance = 0.05
"""


class Here:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="syncline-recipes-")
        self.path = pathlib.Path(self.folder.name)
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                SYNCLINE_WORKSPACE=str(self.path / "w.db"))

    def start(self, *arguments):
        return subprocess.Popen([ENGINE, *arguments], cwd=self.path, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True, start_new_session=True)

    def run(self, *arguments, code=0, limit=150):
        ended = subprocess.run([ENGINE, *arguments], cwd=self.path, env=self.environment, capture_output=True, text=True, timeout=limit)
        check(ended.returncode == code, f"{' '.join(arguments)} ended with {ended.returncode}, not {code}:\n{ended.stdout}{ended.stderr}")
        return ended

    def json(self, *arguments, **more):
        return json.loads(self.run(*arguments, "--json", **more).stdout)

    def runs(self):
        return self.json("runs")["runs"]

    # Nothing yet while the workspace is being made.
    def trains(self, name):
        ended = subprocess.run([ENGINE, "runs", "--json"], cwd=self.path, env=self.environment, capture_output=True, text=True, timeout=30)
        runs = json.loads(ended.stdout).get("runs", [])
        return any(run["name"] == name and run["state"] == "running" for run in runs)


def check(holds, sentence):
    if not holds:
        raise SystemExit(sentence)


def wait_for(what, limit, sentence):
    end = time.monotonic() + limit
    while not what():
        check(time.monotonic() < end, sentence)
        time.sleep(0.1)


def run_quick(name):
    here = Here()
    began = time.monotonic()
    ended = subprocess.run([ENGINE, "recipes", "run", name, "--quick", "--json"], cwd=here.path, env=here.environment, capture_output=True,
                           text=True, timeout=240)
    print(f"{name}: {time.monotonic() - began:.1f} s, code {ended.returncode}")
    document = json.loads(ended.stdout)
    for claim in document["claims"]:
        print(f"  {claim['id']:<18} held {claim['held']!s:<6} measured {claim['measured']!s:<22} expected {claim['expected']}  {claim['note']}")
    tags = {tag for run in here.runs() for tag in run["tags"]}
    check(tags == {f"recipe:{name}"}, f"its runs have the tags {tags}")
    return document, ended.returncode


def false_in(document):
    return {claim["id"] for claim in document["claims"] if claim["held"] is False}


def quick(name):
    claims = tomllib.loads((ROOT / "resources" / "recipes" / f"{name}.toml").read_text())["claims"]
    declared = {claim for recipe, claim in DECLARED if recipe == name}
    close = {claim for recipe, claim in CLOSE if recipe == name}
    document, code = run_quick(name)
    wrong = false_in(document) - close
    if wrong - declared:  # times were measured beside whatever else this machine does: what is wrong is so twice
        print(f"once more, because of {sorted(wrong - declared)}")
        document, code = run_quick(name)
        wrong &= false_in(document)
    check(document["recipe"] == name and set(document) == {"recipe", "claims"}, f"the document has {list(document)}")
    for claim in document["claims"]:
        check(set(claim) == {"id", "text", "expected", "measured", "held", "note"}, f"claim {claim['id']} has {list(claim)}")
    check([claim["id"] for claim in document["claims"]] == [claim["id"] for claim in claims], "the claims are not those of the file")
    check(wrong <= declared, f"{name}: claims do not hold that are not declared: {sorted(wrong - declared)}")
    check(declared <= wrong, f"{name}: declared as false, and they hold: {sorted(declared - wrong)}")
    tested = [claim for claim in document["claims"] if claim["held"] is not None]
    for claim in document["claims"]:
        untested = claim["held"] is None
        late = claim["note"].startswith("not tested: ") and "a wait was over before it began" in claim["note"]  # two cores cannot keep its times
        check(not untested or late or claim["note"].startswith(("not at this size: ", "needs: ")), f"{claim['id']} was not tested: {claim['note']}")
        check(not untested or claim["measured"] is None, f"{claim['id']} was not tested and measured {claim['measured']}")
    right = 0 if not false_in(document) and 2 * len(tested) >= len(claims) else 1
    check(code == right, f"code {code} and not {right}")


def stop_and_go_on():
    here = Here()
    (here.path / "small.toml").write_text(SMALL)
    job = here.start("recipes", "run", "./small.toml")
    wait_for(lambda: here.trains("small: long"), 30, "the long step did not begin")
    check("running" in here.run("recipes", "run", "./small.toml", code=2).stderr, "a second one began beside the first")
    os.kill(job.pid, signal.SIGINT)
    output = job.communicate(timeout=30)[0]
    check(job.returncode == 5, f"stopped with {job.returncode}: {output}")
    check("[1/3] train short: step" in output and "stopped after 1 of 3 steps" in output, output)
    check([run["state"] for run in here.runs()] == ["finished", "stopped"], str(here.runs()))
    check(here.json("recipes", "show", "./small.toml")["last"]["state"] == "stopped", "show does not say that it was stopped")
    again = here.run("recipes", "run", "./small.toml")
    check("[1/3] train short: finished before" in again.stdout and "3 held" in again.stdout, again.stdout)
    check([run["name"] for run in here.runs()] == ["small: short", "small: long", "small: long"], "a finished step was run again")
    check(here.json("recipes", "show", "./small.toml")["last"]["state"] == "finished", "show does not say that it has finished")
    # What has come to its end begins anew.
    document = here.json("recipes", "run", "./small.toml")
    check([claim["held"] for claim in document["claims"]] == [True, True, True], str(document))
    check(len(here.runs()) == 5, "the second time was no second time")
    check(all(run["tags"] == ["recipe:small"] for run in here.runs()), "a run does not say which recipe it is of")


def begin_twice():
    here = Here()
    (here.path / "small.toml").write_text(SMALL.replace("steps = 250", "steps = 50"))
    jobs = [here.start("recipes", "run", "./small.toml") for _ in range(2)]
    outputs = [job.communicate(timeout=60)[0] for job in jobs]
    check(sorted(job.returncode for job in jobs) == [1, 2], f"{[job.returncode for job in jobs]}: {outputs}")
    check(sum("is running already" in output for output in outputs) == 1 and len(here.runs()) == 2, str(outputs))


def leave_alone_and_stop():
    here = Here()
    (here.path / "small.toml").write_text(SMALL)
    log = here.json("recipes", "run", "./small.toml", "--detach")["log"]
    wait_for(lambda: here.trains("small: long"), 30, "the long step did not begin")
    here.run("recipes", "stop", "./small.toml")
    last = lambda: here.json("recipes", "show", "./small.toml")["last"]["state"]
    wait_for(lambda: last() == "stopped", 30, "it did not stop: " + pathlib.Path(log).read_text())
    check("there is nothing to stop" in here.run("recipes", "stop", "./small.toml", code=2).stderr, "it could be stopped twice")
    # Its run stopped by its own name stops the recipe too.
    job = here.start("recipes", "run", "./small.toml", "--restart")
    wait_for(lambda: here.trains("small: long"), 30, "the long step did not begin")
    here.run("stop", "last")
    output = job.communicate(timeout=30)[0]
    check(job.returncode == 5 and "finished before" not in output, f"{job.returncode}: {output}")


def failures():
    here = Here()
    broken = here.path / "broken.toml"
    broken.write_text(SMALL.replace('kind = "simulate"', 'kind = "simulat"'))
    ended = here.run("recipes", "run", "./broken.toml", code=2)
    lines = [line for line in ended.stderr.splitlines() if line]
    check(ended.stdout == "" and len(lines) == 1 and "broken.toml:36: steps.2.kind: 'simulat' is not known; did you mean 'simulate'?" in lines[0],
          f"{ended.stdout}{ended.stderr}")
    error = here.json("recipes", "run", "./broken.toml", code=2)["error"]
    check((error["line"], error["key"]) == (36, "steps.2.kind"), str(error))
    ended = here.run("recipes", "run", "mg-wbfp", code=2)
    check("the recipe 'mg-wbfp' is not known; did you mean 'mg-wfbp'?" in ended.stderr, ended.stderr)
    # A step that fails leaves its claims untested: less than half are left.
    (here.path / "failing.toml").write_text(SMALL.replace("steps = 250", "steps = 12 }, model = { layers = [{ type = \"flatten\" }, "
                                                          "{ type = \"linear\", features = 2 }]", 1))
    ended = here.run("recipes", "run", "./failing.toml", "--json", code=1)
    claims = {claim["id"]: claim for claim in json.loads(ended.stdout)["claims"]}
    check(claims["1"]["held"] is None and "step long failed: " in claims["1"]["note"] and claims["3"]["held"] is True, str(claims))


if __name__ == "__main__":
    if sys.argv[1:2] == ["quick"] and len(sys.argv) == 3:
        quick(sys.argv[2])
    elif sys.argv[1:] == ["jobs"]:
        stop_and_go_on()
        begin_twice()
        leave_alone_and_stop()
        failures()
    else:
        raise SystemExit(__doc__)
