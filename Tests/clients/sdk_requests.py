#!/usr/bin/env python3
"""Reads every request that DropboxAPIComplete sends with the validators of the official Dropbox SDK.

A server on loopback takes the place of Dropbox: a test of DropboxAPIComplete calls every route there, once with
the specification's example and once with every field set, and gets a result that fits.
"""

import argparse
import importlib
import json
import os
import pathlib
import pkgutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import dropbox
from dropbox import stone_serializers
from stone.backends.python_rsrc import stone_base
from support import Report

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = REPOSITORY / "Tests/DropboxAPICompleteTests/Generated/Documents/routes.jsonl"


def sdk_routes():
    """The SDK's routes by their addresses."""
    routes = {}
    for module in pkgutil.iter_modules(dropbox.__path__):
        for route in getattr(importlib.import_module(f"dropbox.{module.name}"), "ROUTES", {}).values():
            assert isinstance(route, stone_base.Route)
            version = "" if route.version == 1 else f"_v{route.version}"
            routes[f"{module.name}/{route.name}{version}"] = route
    return routes


class Recorder(BaseHTTPRequestHandler):
    """Takes requests, looks at each, and answers with a result of the route."""

    protocol_version = "HTTP/1.1"
    results = {}
    routes = {}
    seen = {}
    lock = threading.Lock()

    def log_message(self, *arguments):
        pass

    def fault(self, name, body):
        """The fault of a request; None for none."""
        route = self.routes[name]
        style, auth = route.attrs["style"], route.attrs["auth"]
        argument = body.decode() if style == "rpc" else self.headers["Dropbox-API-Arg"]
        expected = {"app": "Basic a2V5OnNlY3JldA==", "noauth": None}.get(auth, "Bearer token")
        if self.headers["Authorization"] != expected:
            return f"Authorization is {self.headers['Authorization']}, not {expected}"
        kind = self.headers["Content-Type"]
        if kind != {"rpc": "application/json", "upload": "application/octet-stream", "download": None}[style]:
            return f"Content-Type is {kind}"
        if body != {"rpc": body, "upload": b"content", "download": b""}[style]:
            return f"the body is {body!r}"
        try:
            value = stone_serializers.json_decode(route.arg_type, argument, strict=True)
            again = json.loads(stone_serializers.json_encode(route.arg_type, value))
        except Exception as error:
            return f"{type(error).__name__}: {error} in {argument}"
        if not same(again, json.loads(argument)):
            return f"the SDK would send {again}, not {argument}"
        return None

    def do_POST(self):
        name = self.path.removeprefix("/2/")
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        fault = self.fault(name, body) if name in self.routes else None
        with self.lock:
            self.seen.setdefault(name, []).append(fault)
        result = self.results[name]
        content = json.dumps(result).encode()
        self.send_response(200)
        if name in self.routes and self.routes[name].attrs["style"] == "download":
            self.send_header("Dropbox-API-Result", json.dumps(result))
            content = bytes(result.get("size", 3))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def same(left, right):
    """Whether two documents are equal, be a tag written bare or as an object."""
    if isinstance(left, str) and isinstance(right, dict):
        return right == {".tag": left}
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    lines = [json.loads(line) for line in DOCUMENTS.read_text().splitlines()]
    Recorder.results = {line["route"]: line["result"] for line in lines}
    Recorder.routes = {name: route for name, route in sdk_routes().items() if name in Recorder.results}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    test = subprocess.run(
        ["swift", "test", "--skip-build", "--disable-xctest", "--filter", "WireTests"], cwd=REPOSITORY,
        env=os.environ | {"REQUEST_RECORDER": address}, capture_output=True, text=True)

    report = Report()
    report.check("all routes were called over a network", test.returncode == 0, test.stdout[-4000:])
    for name in sorted(Recorder.results):
        faults = Recorder.seen.get(name, [])
        report.equal(f"{name} was called twice", len(faults), 2)
        if name in Recorder.routes:
            report.check(f"{name}: the SDK takes the arguments", not any(faults), faults)
        else:
            print(f"      {name} is not in this SDK")
    report.check("the SDK knows nearly all routes", len(Recorder.routes) > 0.95 * len(Recorder.results))
    report.finish()


main()
