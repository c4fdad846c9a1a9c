#!/usr/bin/env python3
"""A headless Chromium that is driven over its DevTools pipe, so it needs neither a driver nor a port.

Run as a program, it prints the browser's version, and fails where none can be started. Not responsible for
what is looked at (login, allow).
"""

import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

# Seconds for anything that a browser does here.
PATIENCE = 30
NAMES = ("chromium", "chromium-browser", "google-chrome")


class Failure(Exception):
    """The browser did not obey."""


def find():
    """The browser's path; None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A browser with a profile of its own, which ends with the block. It finds no host but this one, also under
    the names in `aliases`."""

    def __init__(self, program, aliases=()):
        self.folder = tempfile.mkdtemp(prefix="browser-")
        names = ", ".join([f"MAP {name} 127.0.0.1" for name in aliases]
                          + ["MAP * ~NOTFOUND", "EXCLUDE localhost", "EXCLUDE 127.0.0.1"])
        commands, self.commands = os.pipe()
        self.answers, answers = os.pipe()
        # The browser reads from 3 and writes to 4. It runs as root in containers, where its sandbox cannot be.
        self.process = subprocess.Popen(
            ["bash", "-c", 'exec "$@" 3<&"$COMMANDS" 4>&"$ANSWERS"', "-", program, "--headless", "--no-sandbox",
             "--remote-debugging-pipe", f"--user-data-dir={self.folder}", "--no-first-run", "--disable-gpu",
             "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", f"--host-resolver-rules={names}", "about:blank"],
            env=os.environ | {"COMMANDS": str(commands), "ANSWERS": str(answers), "HOME": self.folder},
            pass_fds=(commands, answers), start_new_session=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.number = 0
        self.received = b""
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.commands)
        os.close(self.answers)
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        except ProcessLookupError:
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self, end):
        """The next message; None when time is up."""
        while b"\0" not in self.received:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                return None
            data = os.read(self.answers, 1 << 16)
            if not data:
                raise Failure("the browser has ended")
            self.received += data
        message, _, self.received = self.received.partition(b"\0")
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + PATIENCE
        while (answer := self.receive(end)) is not None:
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise Failure(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]
        raise Failure(f"{method}: no answer")

    def page(self, **settings):
        return Page(self, **settings)


class Page:
    """A tab. What happens in it is in `events`."""

    def __init__(self, browser, runs_scripts=True):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime", "DOM"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setScriptExecutionDisabled", value=not runs_scripts)
        self.browser.events.clear()

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def events(self, *methods):
        """The events so far, of these kinds."""
        return [event["params"] for event in self.browser.events
                if event.get("sessionId") == self.session and event.get("method") in methods]

    def wait(self, condition, what):
        """Until a condition holds, which is looked at after every event."""
        end = time.monotonic() + PATIENCE
        while not condition():
            message = self.browser.receive(min(end, time.monotonic() + 0.2))
            if message is not None:
                self.browser.events.append(message)
            elif time.monotonic() > end:
                raise Failure(f"{what} has not come")

    def loads(self):
        return len(self.events("Page.loadEventFired"))

    def open(self, address):
        loads = self.loads()
        self.call("Page.navigate", url=address)
        self.wait(lambda: self.loads() > loads, address)

    def find(self, selector):
        """The nodes that a selector names. The DOM is asked from outside, which works without scripts."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        return self.call("DOM.querySelectorAll", nodeId=root, selector=selector)["nodeIds"]

    def text(self, selector):
        """The text of the first node that a selector names, without tags."""
        nodes = self.find(selector)
        if not nodes:
            return None
        parts = self.call("DOM.describeNode", nodeId=nodes[0], depth=-1)["node"]
        return "".join(self.texts(parts)).strip()

    def texts(self, node):
        yield node["nodeValue"] if node["nodeName"] == "#text" else ""
        for child in node.get("children", []):
            yield from self.texts(child)

    def click(self, node):
        """Clicks the middle of a node, with the mouse, and waits for the page that this leads to."""
        corners = self.call("DOM.getContentQuads", nodeId=node)["quads"][0]
        place = {"x": sum(corners[0::2]) / 4, "y": sum(corners[1::2]) / 4}
        loads = self.loads()
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)
        self.wait(lambda: self.loads() > loads, "the page after the click")

    def box(self, selector):
        """Left, top, right and bottom of the first node that a selector names, in pixels."""
        corners = self.call("DOM.getBoxModel", nodeId=self.find(selector)[0])["model"]["border"]
        return corners[0], corners[1], corners[4], corners[5]

    def show(self, width, height, scheme):
        """Makes the window so large, and the desktop light or dark."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def styles(self, selector):
        """The computed style of the first node that a selector names."""
        self.call("CSS.enable")
        found = self.call("CSS.getComputedStyleForNode", nodeId=self.find(selector)[0])["computedStyle"]
        return {item["name"]: item["value"] for item in found}

    def complaints(self):
        """The lines of the console."""
        return [event["entry"]["text"] for event in self.events("Log.entryAdded")] + [
            str(event) for event in self.events("Runtime.consoleAPICalled", "Runtime.exceptionThrown")]

    def requests(self):
        """All addresses that something was asked of."""
        return [event["request"]["url"] for event in self.events("Network.requestWillBeSent")]


if __name__ == "__main__":
    program = find()
    if program is None:
        raise SystemExit("no Chromium here")
    with Browser(program) as browser:
        print(browser.call("Browser.getVersion")["product"])
