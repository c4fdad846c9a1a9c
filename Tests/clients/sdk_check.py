#!/usr/bin/env python3
"""Drives every route of the emulator with the official Dropbox SDK, whose validators check each
answer against the specification: here even stricter than the SDK itself, which overlooks unknown
tags and fields.
"""

import sys

from support import Report, arguments, running

options = arguments(__doc__, "dropbox")

import sdk_accounts
import sdk_files
import sdk_sessions
import sdk_wire
from sdk_client import Client

with running(options.emulator) as emulator:
    report = Report()
    client = Client(emulator)
    for part in (sdk_accounts, sdk_files, sdk_sessions, sdk_wire):
        print(f"-- {part.__doc__.splitlines()[0]}")
        for name, check in list(vars(part).items()):
            if name.startswith("check_"):
                try:
                    check(report, client, emulator)
                except Exception as error:
                    report.check(f"{name} ran to its end", False, f"({type(error).__name__}: {error})")
report.finish()
