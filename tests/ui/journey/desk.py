# SPDX-License-Identifier: GPL-3.0-or-later
"""A person at the window: reads it through the accessibility bus as a screen reader does, acts with real pointer and key events.

Needs a display, a session bus and the accessibility bus (under-display brings all three). Waits end with what was awaited and what was
there instead.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import dbus
import dbus.mainloop.glib
from gi.repository import GLib

BUILD = os.environ.get("SYNCLINE_BUILD") or os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../build"))
SYNCLINE = os.path.join(BUILD, "app", "syncline")
ENGINE = os.path.join(BUILD, "app", "syncline-engine")

ACCESSIBLE = "org.a11y.atspi.Accessible"
# Bits of org.a11y.atspi's state set that are asked for here.
CHECKED, ENABLED, EXPANDED, FOCUSED, SELECTED, SHOWING = 4, 8, 10, 12, 23, 25


class Failure(Exception):
    pass


def check(condition, sentence):
    if not condition:
        raise Failure(sentence)


def until(what, look, seconds=20, every=0.05):
    """The first answer of look() that counts as true; fails with what was awaited."""
    end = time.monotonic() + seconds
    while True:
        answer = look()
        if answer:
            return answer
        if time.monotonic() > end:
            raise Failure(f"waited {seconds} s for {what}")
        time.sleep(every)


class Node:
    """One accessible object. Nothing is kept: every look asks the program."""

    def __init__(self, bus, owner, path):
        self.bus, self.owner, self.path = bus, owner, path

    def _call(self, interface, method, signature="", *arguments):
        return self.bus.call_blocking(self.owner, self.path, interface, method, signature, arguments, timeout=10.0)

    def _get(self, name, interface=ACCESSIBLE):
        return self._call("org.freedesktop.DBus.Properties", "Get", "ss", interface, name)

    @property
    def role(self):
        return str(self._call(ACCESSIBLE, "GetRoleName"))

    @property
    def name(self):
        return str(self._get("Name"))

    @property
    def description(self):
        return str(self._get("Description"))

    def _states(self):
        low, high = self._call(ACCESSIBLE, "GetState")
        return int(low) | int(high) << 32

    def has(self, state):
        return bool(self._states() >> state & 1)

    @property
    def showing(self):
        return self.has(SHOWING)

    @property
    def box(self):
        """x, y, width, height on the screen."""
        return tuple(int(i) for i in self._call("org.a11y.atspi.Component", "GetExtents", "u", dbus.UInt32(0)))

    @property
    def text(self):
        try:
            return str(self._call("org.a11y.atspi.Text", "GetText", "ii", 0, -1))
        except dbus.DBusException:
            return self.name

    @property
    def parent(self):
        owner, path = self._get("Parent")
        return Node(self.bus, owner, path)

    def children(self):
        return [Node(self.bus, owner, path) for owner, path in self._call(ACCESSIBLE, "GetChildren")]

    # Tables and trees.
    @property
    def rows(self):
        return int(self._get("NRows", "org.a11y.atspi.Table"))

    @property
    def columns(self):
        return int(self._get("NColumns", "org.a11y.atspi.Table"))

    def cell(self, row, column):
        owner, path = self._call("org.a11y.atspi.Table", "GetAccessibleAt", "ii", row, column)
        return Node(self.bus, owner, path)

    def heading(self, column):
        return str(self._call("org.a11y.atspi.Table", "GetColumnDescription", "i", column))

    def headings(self):
        return [self.heading(column) for column in range(self.columns)]

    def table(self):
        """Rows of cells as their texts, hidden columns included."""
        return [[self.cell(row, column).name for column in range(self.columns)] for row in range(self.rows)]


class Desk:
    """The display, the window manager and at most one window of the program."""

    def __init__(self):
        self.children = []
        self.window = self.root = None
        self.manager = subprocess.Popen(["openbox", "--sm-disable"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until("the window manager", lambda: b"window id" in subprocess.run(["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"], capture_output=True).stdout)
        session = dbus.SessionBus()
        address = session.call_blocking("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", "", ())
        self.bus = dbus.bus.BusConnection(address, mainloop=dbus.mainloop.glib.DBusGMainLoop())
        # The focus is told, not asked for; this also is the only way to the entries of a menu that has popped up.
        self.last_focus = None
        self.focus_count = 0
        registry = ("org.a11y.atspi.Registry", "/org/a11y/atspi/registry", "org.a11y.atspi.Registry")
        for event in ("object:state-changed:focused", "focus:"):
            self.bus.call_blocking(*registry, "RegisterEvent", "s", (event,))
        self.bus.add_signal_receiver(self._focused, "StateChanged", "org.a11y.atspi.Event.Object", sender_keyword="owner", path_keyword="path")

    def close(self):
        for process in (self.window, self.manager):
            if process and process.poll() is None:
                process.terminate()
                process.wait(10)

    def start(self, *arguments, program=SYNCLINE, environment=None, seconds=30):
        """Starts the program and waits until its window answers."""
        self.window = subprocess.Popen([program, *arguments], env=dict(os.environ, **(environment or {})))
        self.root_of(self.window.pid, seconds)
        return self.window

    def quit(self):
        """As a person does; only a window that ends with 0 ended well."""
        self.keys("ctrl+q")
        until("the window to close", lambda: self.window.poll() is not None)
        check(self.window.returncode == 0, f"the window ended with {self.window.returncode}")

    def root_of(self, pid, seconds):
        def look():
            check(self.window is None or self.window.poll() is None, f"the window ended with {self.window and self.window.returncode}")
            root = Node(self.bus, "org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
            try:
                for application in root.children():
                    # A program that is gone may still be listed.
                    owner = self.bus.call_blocking("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetConnectionUnixProcessID", "s",
                                                   (application.owner,))
                    if int(owner) == pid and application.children():
                        return application
            except dbus.DBusException:
                pass
            return None

        self.root = until("the window on the accessibility bus", look, seconds)

    def walk(self, inside=None):
        """What is shown, depth first; not the cells of tables, which cell() has."""
        start = self.root.children() if inside is None else inside.children()
        for node in start:
            try:
                states, role = node._states(), node.role
            except dbus.DBusException:
                continue  # went away meanwhile
            if not states >> SHOWING & 1 and role != "menu item":
                continue
            yield node, role
            if role in ("table", "tree", "tree table", "menu item", "list"):
                continue
            try:
                yield from self.walk(node)
            except dbus.DBusException:
                continue

    def all(self, role=None, name=None, inside=None):
        """name: the whole name, or a compiled pattern that is searched for."""
        roles = (role,) if isinstance(role, str) else role
        for node, its_role in self.walk(inside):
            if roles is not None and its_role not in roles:
                continue
            try:
                if name is None or (name.search(node.name) if isinstance(name, re.Pattern) else node.name == name):
                    yield node
            except dbus.DBusException:
                continue

    def seek(self, role=None, name=None, inside=None):
        return next(self.all(role, name, inside), None)

    def find(self, role=None, name=None, inside=None, seconds=20):
        return until(f"{role or 'something'} called {getattr(name, 'pattern', name)!r}", lambda: self.seek(role, name, inside), seconds)

    def gone(self, role, name, seconds=20):
        until(f"{role} {name!r} to go", lambda: self.seek(role, name) is None, seconds)

    def label(self, pattern, seconds=20):
        return self.find("label", re.compile(pattern), seconds=seconds)

    def tree(self):
        """Everything shown, one line each, for a message about a failure."""
        if self.root is None:
            return "no window has come"
        lines = []
        for node, role in self.walk():
            try:
                lines.append(f"{role}: {node.name!r} {node.box}")
            except dbus.DBusException:
                pass
        return "\n".join(lines)

    def _focused(self, kind, on, *_, owner=None, path=None):
        if kind == "focused" and on:
            self.last_focus = (owner, path)
            self.focus_count += 1

    def focus_mark(self):
        self.focused()
        return self.focus_count

    def focused(self):
        """What last said that it has the focus."""
        while GLib.MainContext.default().iteration(False):
            pass
        return Node(self.bus, *self.last_focus) if self.last_focus else None

    # Hands.
    def xdotool(self, *arguments):
        done = subprocess.run(["xdotool", *map(str, arguments)], capture_output=True, text=True)
        check(done.returncode == 0, f"xdotool {' '.join(map(str, arguments))}: {done.stderr.strip()}")
        return done.stdout

    def keys(self, *names):
        self.xdotool("key", "--delay", 30, *names)

    def type(self, text):
        self.xdotool("type", "--delay", 15, text)

    def click(self, node, button=1, *held):
        x, y, width, height = node.box
        check(width > 0 and height > 0, f"{node.role} {node.name!r} has no place on the screen")
        for key in held:
            self.xdotool("keydown", key)
        self.xdotool("mousemove", x + width // 2, y + height // 2, "sleep", 0.05, "click", button)
        for key in held:
            self.xdotool("keyup", key)

    def picture(self, path):
        """For people; where ImageMagick is missing there is none."""
        try:
            subprocess.run(["import", "-window", "root", path], capture_output=True, timeout=20)
        except (OSError, subprocess.TimeoutExpired):
            pass


def engine(*arguments, workspace):
    done = subprocess.run([ENGINE, *arguments, "--workspace", workspace], capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, f"syncline-engine {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def run_test(test):
    """test(desk, folder): one line and the exit code of what came of it."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="syncline-journey-") as folder:
        desk = Desk()
        try:
            test(desk, folder)
        except (Failure, dbus.DBusException, OSError, subprocess.SubprocessError) as failure:
            print(f"FAILED after {time.monotonic() - began:.1f} s: {failure}", flush=True)
            if keep := os.environ.get("SYNCLINE_DESK_PICTURES"):
                desk.picture(os.path.join(keep, f"{os.path.basename(sys.argv[0])}.png"))
            try:
                print(desk.tree())
            except dbus.DBusException as silent:
                print(f"and the window does not answer: {silent}")
            import traceback

            traceback.print_exc(file=sys.stdout)
            return 1
        finally:
            end_jobs(folder)
            desk.close()
    print(f"passed in {time.monotonic() - began:.1f} s")
    return 0


def processes_of(folder):
    """Ids of processes whose command line names something below the folder: the jobs of its workspaces."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            with open(f"/proc/{entry}/cmdline", "rb") as line, open(f"/proc/{entry}/environ", "rb") as environment:
                if folder.encode() in line.read() + environment.read():
                    found.append(int(entry))
        except OSError:
            continue
    return found


def end_jobs(folder):
    for pid in processes_of(folder):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            continue
