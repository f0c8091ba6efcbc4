# SPDX-License-Identifier: GPL-3.0-or-later
"""Two ways to do the same things: with the pointer, and with keys alone. Text is typed in both."""
import time

from desk import Failure, check, until

MOST_STOPS = 90  # more than any page has places for the focus, or any menu entries


def plain(name):
    """Of a menu entry: without the key that stands behind it."""
    return name.split("\t")[0]


class Hands:
    def __init__(self, desk):
        self.desk = desk

    def new_focus(self, since, seconds=5):
        """What took the focus after the mark `since`."""

        def look():
            node = self.desk.focused()
            return node if node and self.desk.focus_count > since else None

        return until("something to take the focus", look, seconds)

    def save_as(self, title, path):
        """Answers the file dialog with a path."""
        self.desk.find("dialog", title)
        until("the file name to have the focus", lambda: self.desk.focused().role == "text", 5)
        self.desk.keys("ctrl+a")
        self.desk.type(path)
        self.desk.keys("Return")
        self.desk.gone("dialog", title)

    def replace_text(self, role, name, text):
        self.go_to(role, name)
        self.desk.keys("ctrl+a")
        self.desk.type(text)
        self.desk.keys("Tab")


class Mouse(Hands):
    def press(self, role, name):
        self.desk.click(self.desk.find(role, name))

    def go_to(self, role, name):
        self.press(role, name)

    def choose(self, name):
        """In the menu that has just popped up at the pointer, or whose first entry took the focus."""

        def look():
            node = self.desk.focused()
            if node is None or node.role != "menu item":
                x, y = (int(line.split("=")[1]) for line in self.desk.xdotool("getmouselocation", "--shell").split()[:2])
                self.desk.xdotool("mousemove", x, y + 14)  # onto the menu: the entry below takes the focus
                time.sleep(0.1)
                return None
            return next((entry for entry in node.parent.children() if plain(entry.name) == name and entry.box[2] > 0), None)

        self.desk.click(until(f"the menu entry {name!r}", look, 5))

    def menu(self, menu, entry):
        bar = self.desk.find("menu item", menu)
        self.desk.click(bar)
        popup = until(f"the menu {menu}", lambda: next((i for i in bar.children() if i.showing), None), 5)
        found = next((i for i in popup.children() if plain(i.name) == entry), None)
        check(found is not None, f"the menu {menu} has no {entry!r}: {[i.name for i in popup.children()]}")
        self.desk.click(found)

    def pick(self, combo, entry):
        """What begins with `entry` in the combo box that shows `combo`."""
        since = self.desk.focus_mark()
        self.press("combo box", combo)
        node = self.new_focus(since)
        entries = node if node.role == "list" else node.parent
        check(entries.role == "list", f"the list of {combo!r} did not open: {node.role} {node.name!r}")
        self.desk.click(next(i for i in entries.children() if i.name.startswith(entry)))

    def stop(self, how):
        self.press("push button", "Stop…")
        self.choose(how)

    def resume(self):
        self.press("push button", "Resume")

    def duplicate(self):
        self.press("button menu", "More actions on this run")
        self.choose("Duplicate as Draft")

    def step_of_editor(self, name):
        steps = self.desk.find("list", "Steps")
        self.desk.click(next(i for i in steps.children() if i.name.startswith(name)))

    def launch(self):
        self.press("push button", "Launch")

    def dry_run(self):
        self.press("push button", "Dry Run")

    def show_runs(self):
        self.menu("View", "Runs")

    def select_first_rows(self, table, count):
        for row in range(count):
            self.desk.click(table.cell(row, 1), 1, *(["ctrl"] if row else []))

    def new_comparison(self):
        self.menu("Compare", "New Comparison")

    def tab(self, name):
        self.press("page tab", name)

    def chart_menu(self, title, entry):
        self.desk.click(self.desk.find("push button", "Open the chart's menu", inside=self.desk.find("filler", title)))
        self.choose(entry)


class Keys(Hands):
    def step_until(self, what, wanted, key):
        """Presses the key until the focus is where it is wanted: nothing else moves it there."""
        seen = []
        for _ in range(MOST_STOPS):
            node = self.desk.focused()
            if node is not None and wanted(node):
                return node
            if node is not None:
                seen.append(f"{node.role} {node.name!r}")
            since = self.desk.focus_mark()
            self.desk.keys(key)
            try:
                self.new_focus(since, 1)
            except Failure:
                continue  # a key that moved nothing; the next may
        raise Failure(f"{key} does not come to {what}; it came to {', '.join(dict.fromkeys(seen))}")

    def go_to(self, role, name, key="Tab"):
        self.desk.find(role, name)
        return self.step_until(f"{role} {name!r}", lambda node: node.role == role and node.name == name, key)

    def press(self, role, name):
        self.go_to(role, name)
        self.desk.keys("space")

    def choose(self, name):
        self.step_until(f"the menu entry {name!r}", lambda node: node.role == "menu item" and plain(node.name) == name, "Down")
        self.desk.keys("Return")

    def pick(self, combo, entry):
        self.go_to("combo box", combo)
        self.desk.type(entry)
        self.desk.keys("Tab")

    def stop(self, how):
        self.desk.keys("ctrl+period")
        self.choose(how)

    def resume(self):
        self.desk.keys("alt+r", "r")

    def duplicate(self):
        self.desk.keys("ctrl+d")

    def step_of_editor(self, name):
        self.desk.find("list", "Steps")
        self.step_until("the list of steps", lambda node: "Steps" in (node.name, node.parent.name) and "list" in node.role, "shift+Tab")
        self.desk.keys("Home")
        self.step_until(f"the step {name}", lambda node: node.role == "list item" and node.name.startswith(name), "Down")

    def launch(self):
        self.desk.keys("ctrl+Return")

    def dry_run(self):
        self.desk.keys("ctrl+shift+Return")

    def show_runs(self):
        self.desk.keys("ctrl+1")

    def select_first_rows(self, table, count):
        self.step_until("the table of runs", lambda node: any(i.name.startswith("Runs: star") for i in (node, node.parent)), "Tab")
        self.desk.keys("Home", *["shift+Down"] * (count - 1))

    def new_comparison(self):
        self.desk.keys("alt+c", "n")

    def tab(self, name):
        self.desk.find("page tab", name)
        for _ in range(12):
            if self.desk.seek("page tab list", name):  # the list is called as its current tab
                return
            self.desk.keys("ctrl+Next")
            time.sleep(0.15)
        raise Failure(f"Ctrl+PgDown does not come to the tab {name}")

    def chart_menu(self, title, entry):
        self.go_to("chart", title)
        self.desk.keys("Menu")
        self.choose(entry)
