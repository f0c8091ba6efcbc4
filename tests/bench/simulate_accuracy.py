#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far predictions are from runs: `simulate` against workers whose compute is emulated.

For each model one real worker is traced, and its layer times are exported; that file and the link of the experiment are all that the
prediction knows. Runs of 4 and 8 workers then keep to the same layer times and really exchange over the emulated link. Nothing is fitted
to them. All times, those of the link too, are stretched alike (--stretch; else to steps that compute for 0.3 s), so that a small machine can keep them with many workers. The table is printed as it comes and ends with the largest error; exit code 1 above 10 %.

Usage: simulate_accuracy.py [--engine PROGRAM] [--models lenet,...] [--plans wfbp,...] [--workers 4,8] [--steps N] [--stretch FACTOR]
       [--output FILE.md]
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXPERIMENT = """name = "accuracy"
seed = 1
[model]
{model}
[data]
source = "fashion-mnist"
[train]
steps = 40
batch_per_worker = {batch}
evaluate_every = "never"
[cluster]
workers = 1
{compute}
[cluster.link]
bandwidth = "1 Gbit/s"
latency = "500 us"
[strategy]
name = "{strategy}"
[fault]
limit_s = 30
"""
MODELS = {
    "mlp": ('zoo = "mlp"', 128),
    "lenet": ('zoo = "lenet"', 64),
    "resnet20": ('zoo = "resnet20"', 16),
}
PLANS = ["single", "wfbp", "threshold", "mg-wfbp", "optimal"]


class Engine:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1",
                                SYNCLINE_WORKSPACE=str(folder / "accuracy.db"))

    def __call__(self, *arguments):
        ended = subprocess.run([self.program, *arguments], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=600)
        if ended.returncode != 0:
            raise SystemExit(f"{' '.join(arguments)}\nended with {ended.returncode}: {ended.stdout}{ended.stderr}")
        return ended.stdout


def sets(**values):
    return [word for key, value in values.items() for word in ("--set", f"{key.replace('__', '.')}={value}")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--engine", default=str(ROOT / "build/app/syncline-engine"))
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--plans", default=",".join(PLANS))
    parser.add_argument("--strategies", default="sync")
    parser.add_argument("--workers", default="4,8")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--stretch", type=float)
    parser.add_argument("--output", help="the table as Markdown")
    given = parser.parse_args()
    rows, skipped = [], []
    with tempfile.TemporaryDirectory(prefix="syncline-accuracy-") as name:
        folder = pathlib.Path(name)
        engine = Engine(str(pathlib.Path(given.engine).resolve()), folder)
        for model in given.models.split(","):
            text, batch = MODELS[model]
            (folder / "alone.toml").write_text(EXPERIMENT.format(model=text, batch=batch, strategy="none", compute=""))
            engine("train", "alone.toml", "--quiet", "--name", f"{model} alone")
            engine("export", "last", "--format", "profile", "--output", f"{model}.json")
            times = json.loads((folder / f"{model}.json").read_text())
            stretch = given.stretch or max(1, 0.3 / (sum(times["forward_s"]) + sum(times["backward_s"]) + times["update_s"]))
            for strategy in given.strategies.split(","):
                compute = f'compute = "emulate"\nprofile = "{model}.json"\ntime_scale = {stretch:.3f}'
                (folder / "job.toml").write_text(EXPERIMENT.format(model=text, batch=batch, strategy=strategy, compute=compute))
                for plan in given.plans.split(","):
                    for workers in map(int, given.workers.split(",")):
                        engine("train", "job.toml", "--quiet", "--name", f"{model} {plan} {workers}",
                               *sets(train__steps=given.steps, cluster__workers=workers, cluster__link__emulate="true",
                                     strategy__plan=f'"{plan}"'))
                        summary = json.loads(engine("show", "last", "--json"))["summary"]
                        predicted = json.loads(engine("simulate", "job.toml", "--workers", str(workers), "--plans", plan, "--json"))
                        predicted = predicted["results"][0]
                        measured = summary["step_s"]
                        if measured is None:
                            skipped.append(f"{model}, {strategy}, {plan}, {workers} workers: the machine could not keep the profile's times")
                            continue
                        rows.append((model, strategy, plan, workers, predicted["step_s"], measured, predicted["step_s"] / measured - 1,
                                     predicted["exposed_comm_s"], summary["exposed_comm_s"]))
                        print("{:<9} {:<6} {:<10} {:>2}  predicted {:8.2f} ms  measured {:8.2f} ms  error {:+6.1f} %  exposed {:8.2f} / "
                              "{:8.2f} ms".format(model, strategy, plan, workers, 1e3 * predicted["step_s"], 1e3 * measured,
                                                  100 * rows[-1][6], 1e3 * rows[-1][7], 1e3 * (rows[-1][8] or 0)), flush=True)
    for line in skipped:
        print("no times: " + line)
    if not rows:
        raise SystemExit("no run had times")
    worst = max(rows, key=lambda row: abs(row[6]))
    print(f"largest error {100 * worst[6]:+.1f} % ({worst[0]}, {worst[2]}, {worst[3]} workers)")
    if given.output:
        with open(given.output, "w", encoding="utf-8") as file:
            file.write("| model | strategy | plan | workers | predicted | measured | error |\n|---|---|---|---:|---:|---:|---:|\n")
            for row in rows:
                file.write(f"| {row[0]} | {row[1]} | {row[2]} | {row[3]} | {1e3 * row[4]:.2f} ms | {1e3 * row[5]:.2f} ms | {100 * row[6]:+.1f} % |\n")
    return 0 if abs(worst[6]) <= 0.1 else 1


if __name__ == "__main__":
    sys.exit(main())
