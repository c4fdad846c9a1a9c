#!/usr/bin/env python3
"""Runs a program as systemd runs a service with Type=notify, and writes down what it says.

supervisor.py [--abstract] LOG PROGRAM ARGUMENT…

Each line of LOG is one message, with spaces for line breaks. Exits with the program's code.
"""

import os
import socket
import subprocess
import sys
import threading


def main():
    arguments = sys.argv[1:]
    is_abstract = arguments[0] == "--abstract"
    log, *command = arguments[is_abstract:]
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    address = f"@dbxfs-{os.getpid()}" if is_abstract else f"{log}.socket"
    listener.bind(address.replace("@", "\0") if is_abstract else address)

    def listen():
        with open(log, "w") as lines:
            while message := listener.recv(65536):
                print(message.decode().replace("\n", " "), file=lines, flush=True)

    threading.Thread(target=listen, daemon=True).start()
    service = subprocess.Popen(command, env={**os.environ, "NOTIFY_SOCKET": address})
    with open(log + ".pid", "w") as file:
        print(service.pid, file=file)
    sys.exit(service.wait())


main()
