# SPDX-License-Identifier: GPL-3.0-or-later
"""The first hour of somebody who has never seen the program, in a minute: demo, watch, stop, resume, another plan, compare, export.

  under-display journey.py mouse|keyboard

What the window shows is read from the accessibility bus and held against `show --json` and against the exported CSV, to the printed digits.
At the end a stored value of a copy of the workspace is changed, and the same comparison has to notice.
"""
import csv
import json
import os
import re
import sqlite3
import sys
import time
import xml.etree.ElementTree

from desk import check, engine, run_test, until
from figures import agree
from hands import Keys, Mouse

FIRST, SECOND = "quickstart, one message", "layer by layer"
# Columns of the Compare page's table, and the summary's name of what stands in them.
COMPARED = {"Train loss": "final_train_loss", "Samples/s": "samples_per_s", "Step": "step_s", "Compute": "compute_s",
            "Communication": "comm_s", "Exposed communication": "exposed_comm_s", "Hidden transfer": "hidden_transfer_fraction",
            "Sent per step": "bytes_sent_per_step_per_worker"}
# The same of the Runs page.
LISTED = {"Loss (last)": "final_train_loss", "Samples/s": "samples_per_s"}


def state(desk, pattern, seconds=30):
    return desk.find("label", re.compile(f"^State: .*{pattern}"), seconds=seconds)


def newest(desk):
    label = desk.seek("label", re.compile("^Newest values: "))
    return label.name if label else ""


def steps_done(desk):
    progress = desk.seek("label", re.compile("^Progress: "))
    found = re.search(r"step ([\d,]+)", progress.name if progress else "")
    return int(found[1].replace(",", "")) if found else 0


def watch(desk, least_step):
    """Until the run is at that step; says what was seen of the figures that the page is there for."""
    losses, rates, exposed = set(), set(), set()

    def look():
        text = newest(desk)
        for name, seen in (("loss (\\S+)", losses), ("([\\d.]+ ?k?) samples/s", rates), ("exposed (\\S+ %)", exposed)):
            if found := re.search(name, text):
                seen.add(found[1])
        return steps_done(desk) >= least_step and all(len(seen) > 1 for seen in (losses, rates, exposed))

    until(f"step {least_step} with loss, throughput and exposed share that change on the way", look, 60, 0.1)
    for chart, wanted in (("Loss", "training (falls|rises)"), ("Accuracy", "training (falls|rises)"), ("Throughput", "while training")):
        said = desk.find("chart", chart).description
        check(re.search(wanted, said), f"the chart {chart} says {said!r}")


def watch_communication(desk, hands):
    hands.tab("Communication")
    strip = desk.find("label", re.compile("^Figures of the overlap: .*%"), seconds=30).name
    check("xposed" in strip and "idden" in strip, f"hidden and exposed communication are not told: {strip!r}")
    hands.tab("Files")  # past Settings, which has tabs of its own
    hands.tab("Overview")


def runs_table(desk):
    """{run: {column: text}} of the Runs page."""
    table = desk.find("tree", re.compile("^Runs: values"))
    until("two runs with their figures", lambda: table.rows == 2 and all("…" not in i for row in table.table() for i in row), 15)
    headings = table.headings()
    rows = {}
    for row in table.table():
        cells = {heading: text.partition(": ")[2] for heading, text in zip(headings, row)}
        rows[cells["Name"]] = cells
    return rows


def compare_table(desk):
    table = desk.find("table", "Values and differences to the baseline")
    headings = table.headings()
    return {row[0].split("\n")[0].removeprefix("★ "): dict(zip(headings, row)) for row in table.table()}


def stored(workspace):
    return {name: json.loads(engine("show", name, "--json", workspace=workspace))["summary"] for name in (FIRST, SECOND)}


def disagreements(listed, compared, shown, exported, curves, descriptions):
    """Sentences; none when the window, `show --json` and the exported files tell the same."""
    found = []

    def hold(what, text, *values):
        for source, value in values:
            if not agree(text, value):
                found.append(f"{what}: the window says {text!r}, {source} says {value!r}")

    for run in (FIRST, SECOND):
        for column, key in LISTED.items():
            hold(f"{run}, {column} of Runs", listed[run][column], ("show", shown[run][key]))
        for column, key in COMPARED.items():
            hold(f"{run}, {column} of Compare", compared[run][column], ("show", shown[run][key]), ("the CSV", exported[run].get(key)))
        # The chart says where its curve ends, and so do the exported samples.
        said = re.search(re.escape(run) + r"(?:, stopped)? (?:falls|rises) from (\S+) to (\S+?)(;|$)", descriptions)
        if not said:
            found.append(f"{run}: the chart says nothing of it: {descriptions!r}")
        else:
            hold(f"{run}, first training loss", said[1], ("the exported curve", curves[run][0]))
            hold(f"{run}, last training loss", said[2], ("the exported curve", curves[run][-1]), ("show", shown[run]["final_train_loss"]))
    return found


def number(text):
    return float(text) if text else None


def read_table(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {row["name"]: {key: number(value) for key, value in row.items() if key in COMPARED.values()} for row in rows}


def read_curves(path):
    curves = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if not row["superseded"]:
                curves.setdefault(row["curve"], []).append(float(row["value"]))
    return curves


def check_figures(folder):
    with open(f"{folder}/figure.pdf", "rb") as file:
        pdf = file.read()
    check(pdf.startswith(b"%PDF-") and b"%%EOF" in pdf[-64:], "figure.pdf is no PDF")
    texts = " ".join(xml.etree.ElementTree.parse(f"{folder}/figure.svg").getroot().itertext())
    check("raining loss" in texts, f"figure.svg does not say what it shows: {texts[:200]!r}")
    with open(f"{folder}/figure.png", "rb") as file:
        png = file.read()
    check(png.startswith(b"\x89PNG") and len(png) > 5000, "figure.png is no picture")


def open_comparison(desk, hands):
    hands.select_first_rows(desk.find("tree", re.compile("^Runs: star")), 2)
    hands.new_comparison()
    desk.find("page tab", "Time to Target")


def look(desk, hands):
    """What the Runs and the Compare page say: cells, cells, chart."""
    listed = runs_table(desk)
    open_comparison(desk, hands)
    chart = desk.find("chart", "Training loss")
    until("both curves", lambda: FIRST in chart.description and SECOND in chart.description, 10)
    said = chart.description
    return listed, said


def journey(desk, folder, hands):
    workspace = f"{folder}/w.db"
    desk.start("--workspace", workspace)
    hands.press("push button", "Run the Two-Minute Demo")
    began = time.monotonic()
    state(desk, "Running")
    watch(desk, 8)
    watch_communication(desk, hands)
    print(f"live figures {time.monotonic() - began:.1f} s after the demo's button")

    hands.stop("After a Checkpoint")
    state(desk, "Stopped")
    stopped_at = steps_done(desk)
    hands.resume()
    desk.find("label", re.compile("^Attempts: "), seconds=30)
    state(desk, "Running")
    watch(desk, stopped_at + 25)
    hands.stop("After This Step")
    state(desk, "Stopped")

    hands.duplicate()
    hands.step_of_editor("Strategy")
    hands.pick("single: One message", "wfbp")
    desk.find("combo box", re.compile("^wfbp: "))
    hands.step_of_editor("Launch")
    hands.replace_text("text", "Name", SECOND)
    hands.launch()
    state(desk, "Running", 40)
    watch(desk, 40)
    hands.stop("After This Step")
    state(desk, "Stopped")

    hands.show_runs()
    listed, said = look(desk, hands)
    for ending in ("pdf", "svg", "png"):
        hands.chart_menu("Training loss", "Export Picture…")
        hands.save_as("Export Picture", f"{folder}/figure.{ending}")
        until(f"figure.{ending}", lambda: os.path.exists(f"{folder}/figure.{ending}"))
    check_figures(folder)
    hands.chart_menu("Training loss", "Export Data…")
    hands.save_as("Export Data", f"{folder}/curves.csv")
    until("curves.csv", lambda: os.path.exists(f"{folder}/curves.csv"))
    hands.tab("Table")
    compared = compare_table(desk)
    better = compared[FIRST if compared[SECOND]["Samples/s"].endswith("single run") else SECOND]["Samples/s"]
    check("better than the baseline" in better or "worse than the baseline" in better, f"which is better is not said: {better!r}")
    hands.press("push button", "Export Table…")
    hands.save_as("Export Table", f"{folder}/table.csv")
    until("table.csv", lambda: os.path.exists(f"{folder}/table.csv"))

    shown, exported, curves = stored(workspace), read_table(f"{folder}/table.csv"), read_curves(f"{folder}/curves.csv")
    found = disagreements(listed, compared, shown, exported, curves, said)
    check(not found, "\n".join(found))

    desk.quit()
    notices_a_change(desk, hands, folder, workspace, shown, exported, curves)


def notices_a_change(desk, hands, folder, workspace, shown, exported, curves):
    """The comparison above is worth nothing unless it can fail."""
    other = f"{folder}/changed.db"
    database = sqlite3.connect(other)
    with sqlite3.connect(workspace) as original:
        original.backup(database)
    where = "series = (SELECT s.key FROM series s JOIN run r ON r.key = s.run WHERE s.name = 'train_loss' AND r.name = ?)"
    # The last sample, and the summary that was stored at the end of the run.
    changed = database.execute(f"UPDATE point SET value = value + 0.01 WHERE {where} AND n = (SELECT max(n) FROM point WHERE {where})",
                               (SECOND, SECOND)).rowcount
    changed += database.execute("UPDATE summary SET json = json_set(json, '$.final_train_loss', json_extract(json, '$.final_train_loss') "
                                "+ 0.01) WHERE run = (SELECT key FROM run WHERE name = ?)", (SECOND,)).rowcount
    database.commit()
    database.close()
    check(changed == 2, f"two stored values were to be changed, not {changed}")
    desk.start("--workspace", other)
    listed, said = look(desk, hands)
    hands.tab("Table")
    found = disagreements(listed, compare_table(desk), shown, exported, curves, said)
    noticed = [what for what in ("Train loss of Compare", "Loss (last) of Runs", "last training loss")
               if any(one.startswith(f"{SECOND}, {what}: ") for one in found)]
    check(len(noticed) == 3, f"a changed training loss of {SECOND!r} was noticed in {noticed} only: {found}")
    check(all(one.startswith(SECOND) and "oss" in one for one in found), f"what was not changed is told as changed: {found}")


def main():
    kind = {"mouse": Mouse, "keyboard": Keys}[sys.argv[1]]
    return run_test(lambda desk, folder: journey(desk, folder, kind(desk)))


if __name__ == "__main__":
    sys.exit(main())
