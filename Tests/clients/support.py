"""What both checks need: a running emulator, a virtual environment, and a way to report.

Not responsible for the checks (sdk_check.py, rclone_check.py).
"""

import argparse
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv


class Emulator:
    """A dropbox-emulator of our own, with its state in a temporary folder."""

    token = "client-check-token"

    def __init__(self, binary, folder):
        port_file = pathlib.Path(folder) / "port"
        self.process = subprocess.Popen(
            [binary, "--state", str(pathlib.Path(folder) / "state"), "--port", "0",
             "--port-file", str(port_file), "--token", self.token, "--exit-with-parent"],
            stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while not port_file.exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("the emulator did not start")
            time.sleep(0.05)
        self.port = int(port_file.read_text())
        self.base = f"http://127.0.0.1:{self.port}"

    def admin(self, path, body=None, method=None):
        """Calls an admin route."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.base}/admin/{path}", data=data, method=method)
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)

    def fault(self, **fault):
        """Plans a fault for the next calls."""
        return self.admin("faults", fault)

    def stop(self):
        """Ends the emulator and checks that it ends well."""
        self.process.terminate()
        if self.process.wait(timeout=30) != 0:
            raise SystemExit(f"the emulator ended with {self.process.returncode}")


class Report:
    """Prints the check, and remembers whether all were right."""

    def __init__(self):
        self.failures = 0
        self.checks = 0

    def check(self, what, condition, detail=""):
        self.checks += 1
        if condition:
            print(f"ok    {what}", flush=True)
        else:
            self.failures += 1
            print(f"FAIL  {what} {detail}", flush=True)

    def equal(self, what, found, expected):
        self.check(what, found == expected, f"(found {found!r}, expected {expected!r})")

    def finish(self):
        print(f"{self.checks} checks, {self.failures} failures")
        sys.exit(1 if self.failures else 0)


def arguments(description, package):
    """Reads the command line, and continues in a virtual environment that has the package."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("emulator", help="the dropbox-emulator binary")
    parser.add_argument("--venv", help=f"a virtual environment that has {package}")
    options = parser.parse_args()
    if options.venv is None:
        options.venv = tempfile.mkdtemp(prefix="dropbox-client-")
        venv.create(options.venv, with_pip=True)
        subprocess.run([f"{options.venv}/bin/pip", "install", "--quiet", package], check=True)
    if pathlib.Path(sys.prefix).resolve() != pathlib.Path(options.venv).resolve():
        python = f"{options.venv}/bin/python"
        os.execv(python, [python, sys.argv[0], options.emulator, "--venv", options.venv])
    return options


@contextlib.contextmanager
def running(binary):
    """An emulator for the length of a block."""
    with tempfile.TemporaryDirectory(prefix="dropbox-emulator-") as folder:
        emulator = Emulator(binary, folder)
        try:
            yield emulator
        finally:
            emulator.stop()
