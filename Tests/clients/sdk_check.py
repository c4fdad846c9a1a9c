#!/usr/bin/env python3
"""Drives every route of the emulator with the official Dropbox SDK, whose validators check each
answer against the specification: here even stricter than the SDK itself, which overlooks unknown
tags and fields. A route of which no check gets a result is a failure.
"""

import pathlib
import subprocess

from support import Report, arguments, running

options = arguments(__doc__, "dropbox")

import sdk_accounts
import sdk_files
import sdk_properties
import sdk_sessions
import sdk_sharing
import sdk_wire
from sdk_client import Client

ROUTES = pathlib.Path(__file__).resolve().parents[2] / "Scripts/check-doc-emulator"


def results(emulator):
    """The routes that gave a result since the counters were reset."""
    return {name for name, counters in emulator.admin("stats")["routes"].items() if "200" in counters["statuses"]}


with running(options.emulator) as emulator:
    report = Report()
    client = Client(emulator)
    seen = set()
    for part in (sdk_accounts, sdk_files, sdk_properties, sdk_sessions, sdk_sharing, sdk_wire):
        print(f"-- {part.__doc__.splitlines()[0]}")
        for name, check in list(vars(part).items()):
            if name.startswith("check_"):
                try:
                    check(report, client, emulator)
                except Exception as error:
                    report.check(f"{name} ran to its end", False, f"({type(error).__name__}: {error})")
                seen |= results(emulator)
    print("-- every route")
    for route in subprocess.run([ROUTES, "--routes"], check=True, capture_output=True, text=True).stdout.split():
        report.check(f"{route} gave a result", route in seen)
report.finish()
