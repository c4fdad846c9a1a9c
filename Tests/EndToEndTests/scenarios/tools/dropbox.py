#!/usr/bin/env python3
"""A second client: calls of the Dropbox API, with TOKEN2, against ENDPOINT.

upload PATH [CLIENT_MODIFIED] < content | update PATH REV < content | get PATH | mkdir PATH | move FROM TO
delete PATH | rev PATH | modified PATH | mkdirs PATH COUNT
"""

import json
import os
import sys
import urllib.request


def call(route, argument, body=None):
    headers = {"Authorization": "Bearer " + os.environ["TOKEN2"]}
    if body is None and route != "files/download":
        headers["Content-Type"] = "application/json"
        data = json.dumps(argument).encode()
    else:
        # HTTP headers are ASCII: json.dumps escapes everything else.
        headers["Dropbox-API-Arg"] = json.dumps(argument)
        headers["Content-Type"] = "application/octet-stream"
        data = body or b""
    request = urllib.request.Request(
        f"{os.environ['ENDPOINT']}/2/{route}", data=data, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        sys.exit(f"{route}: {error.code} {error.read().decode(errors='replace')}")


def main():
    command, *paths = sys.argv[1:]
    if command == "upload":
        argument = {"path": paths[0], "mode": "overwrite"}
        if len(paths) > 1:
            argument["client_modified"] = paths[1]
        call("files/upload", argument, sys.stdin.buffer.read())
    elif command == "update":
        mode = {".tag": "update", "update": paths[1]}
        call("files/upload", {"path": paths[0], "mode": mode}, sys.stdin.buffer.read())
    elif command == "get":
        sys.stdout.buffer.write(call("files/download", {"path": paths[0]}))
    elif command == "mkdir":
        call("files/create_folder_v2", {"path": paths[0]})
    elif command == "mkdirs":
        folders = [f"{paths[0]}/{'long name ' * 20}{number}" for number in range(int(paths[1]))]
        for start in range(0, len(folders), 1000):
            call("files/create_folder_batch", {"paths": folders[start : start + 1000]})
    elif command == "move":
        call("files/move_v2", {"from_path": paths[0], "to_path": paths[1]})
    elif command == "delete":
        call("files/delete_v2", {"path": paths[0]})
    elif command == "modified":
        print(json.loads(call("files/get_metadata", {"path": paths[0]}))["client_modified"])
    elif command == "rev":
        print(json.loads(call("files/get_metadata", {"path": paths[0]}))["rev"])
    else:
        sys.exit(__doc__)


main()
