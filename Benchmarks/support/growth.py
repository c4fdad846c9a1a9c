"""How cost grows with the account: the first listing, a remount, `find`, one change. Only dbxfs, with bindfs beside `find`.

Not responsible for the comparison with others (tree).
"""

import contextlib
import json
import os
import pathlib
import shutil
import tempfile
import time
import urllib.request

import mounts

# Entries in one folder, as in the works that are compared: 20 files each.
FILES_PER_FOLDER = 20
# Changes by another client whose cost is measured.
CHANGES = 50


def wait(mount, entries, limit=900):
    end = time.monotonic() + limit
    while not mount.has_listed(entries):
        if time.monotonic() > end:
            raise SystemExit(f"{entries} entries are not listed after {limit} s")
        time.sleep(0.2)


def timed(commands, mount, limit=mounts.LIMIT):
    begin = time.monotonic()
    status, output = mounts.run(["sh", "-euc", commands], limit=limit,
                                env=os.environ | {"MNT": str(mount.mountpoint)})
    if status != 0:
        raise SystemExit(f"failed: {output}")
    return time.monotonic() - begin, output


@contextlib.contextmanager
def account(options, folder, files, folders):
    with tempfile.TemporaryDirectory(dir=folder) as name:
        place = pathlib.Path(name)
        emulator = mounts.Emulator(f"{options.bin}/dropbox-emulator", place)
        try:
            emulator.admin("seed", {"files": files, "folders": folders, "bytes": 1000})
            yield place, emulator
        finally:
            emulator.stop()


@contextlib.contextmanager
def mounted(options, place, emulator):
    mount = mounts.Dbxfs(place, emulator, options.bin)
    with mount:
        yield mount
    mount.mountpoint.rmdir()


def database_bytes(place):
    """The database; of a small one, all may still be in its log."""
    size = (place / "state/default/tree.sqlite").stat().st_size
    return size if size > 100_000 else (place / "state/default/tree.sqlite-wal").stat().st_size


def measure(options, folder, rows, size):
    """One account of so many entries, from the first mount on."""
    folders = max(10, size // (FILES_PER_FOLDER + 1) // 10 * 10)
    files = size - folders
    with account(options, folder, files, folders) as (place, emulator):
        row = {"entries": size}
        with mounted(options, place, emulator) as mount:
            begin = time.monotonic()
            wait(mount, size)
            row |= {"index_seconds": time.monotonic() - begin, "index_cpu": mount.processor_seconds(),
                    "index_peak_mib": mount.peak() / (1 << 20)}
            row["change_cpu_ms"] = changes(mount, emulator)
        row["database_bytes_per_entry"] = database_bytes(place) / size
        begin = time.monotonic()
        with mounted(options, place, emulator) as mount:
            number = folders // 10 * 10 - 10
            timed(f'ls "$MNT/Folder {number}/Folder {number + 1}" > /dev/null', mount)
            row["remount_seconds"] = time.monotonic() - begin
            before = emulator.admin("stats")["routes"]
            row["find_seconds"], output = timed('find "$MNT" | wc -l', mount)
            if int(output) < size:
                raise SystemExit(f"find shows {output} of {size}")
            row["find_peak_mib"] = mount.peak() / (1 << 20)
            row["find_calls"] = mount.calls()
            row["find_again_seconds"], _ = timed('find "$MNT" > /dev/null', mount)
            after = emulator.admin("stats")["routes"]
            row["find_requests"] = sum(
                after[name]["requests"] - before.get(name, {"requests": 0})["requests"]
                for name in after if name.startswith("files/") and "longpoll" not in name)
            listed = names(mount) if shutil.which("bindfs") else None
        rows.add("growth", "dbxfs", **row)
    if listed:
        rows.add("find", "bindfs", entries=size, **mirrored(folder, listed))


def names(mount):
    """Folders, each before its contents, and files."""
    _, output = timed('cd "$MNT"; find . -mindepth 1 -printf "%y%P\\n"', mount)
    return output.splitlines()


def mirrored(folder, listed):
    """`find` over the same names in a local folder behind bindfs: what FUSE itself costs."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        mount = mounts.Bindfs(pathlib.Path(name))
        for entry in listed:
            path = f"{mount.mirrored}/{entry[1:]}"
            if entry[0] == "d":
                os.mkdir(path)
            else:
                os.mknod(path)
        with mount:
            cold, _ = timed('find "$MNT" > /dev/null', mount)
            again, _ = timed('find "$MNT" > /dev/null', mount)
        return {"find_seconds": cold, "find_again_seconds": again}


def changes(mount, emulator):
    """Processor milliseconds for one change of another client."""
    time.sleep(2)
    cpu = mount.processor_seconds()
    for number in range(CHANGES):
        upload(emulator, f"/Folder 0/change-{number}", b"change")
        # Each is told apart, not many at once.
        time.sleep(0.05)
    timed(f'until test -e "$MNT/Folder 0/change-{CHANGES - 1}"; do sleep 0.01; done', mount)
    return (mount.processor_seconds() - cpu) / CHANGES * 1000


def upload(emulator, path, content):
    """Another client makes a file; returns when the server has it."""
    argument = json.dumps({"path": path, "mode": "overwrite"})
    request = urllib.request.Request(
        f"{emulator.base}/2/files/upload", data=content,
        headers={"Authorization": f"Bearer {emulator.token}", "Dropbox-API-Arg": argument,
                 "Content-Type": "application/octet-stream"})
    urllib.request.urlopen(request).read()


def wide(options, folder, rows):
    """100,000 entries in one folder."""
    size = 100_000
    with account(options, folder, size, 0) as (place, emulator):
        with mounted(options, place, emulator) as mount:
            wait(mount, size)
            row = {}
            for name in ("ls_seconds", "ls_again_seconds"):
                row[name], output = timed('ls "$MNT" | wc -l', mount)
                if int(output) != size:
                    raise SystemExit(f"ls shows {output} of {size}")
            row["ls_l_seconds"], _ = timed('ls -l "$MNT" > /dev/null', mount)
            row["peak_mib"] = mount.peak() / (1 << 20)
            rows.add("wide folder", "dbxfs", **row)


def plot(rows, path):
    """Draws the results as SVG: one small chart for each value, against the number of entries."""
    charts = [("index_cpu", "first listing, s of CPU"), ("index_peak_mib", "first listing, peak MiB"),
              ("database_bytes_per_entry", "database, bytes an entry"), ("remount_seconds", "remount and ls, s"),
              ("find_seconds", "find, s"), ("change_cpu_ms", "one change, ms of CPU")]
    width, height, margin = 260, 170, 44
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{3 * width}" height="{2 * height}" '
             'font-family="sans-serif" font-size="11">', '<rect width="100%" height="100%" fill="white"/>']
    for index, (key, title) in enumerate(charts):
        left, top = index % 3 * width, index // 3 * height
        values = [(row["entries"], row[key]) for row in rows]
        most = max(value for _, value in values) or 1
        points = []
        for position, (_, value) in enumerate(values):
            x = left + margin + position * (width - 2 * margin) / max(1, len(values) - 1)
            y = top + height - 30 - value / most * (height - 75)
            points.append((x, y, value))
        parts.append(f'<text x="{left + 12}" y="{top + 20}" font-weight="bold">{title}</text>')
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="#0061fe" stroke-width="2"/>')
        for (x, y, value), (entries, _) in zip(points, values):
            shown = f"{value:.0f}" if value >= 20 else f"{value:.2g}"
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="#0061fe"/>'
                         f'<text x="{x:.1f}" y="{y - 8:.1f}" text-anchor="middle">{shown}</text>'
                         f'<text x="{x:.1f}" y="{top + height - 12}" text-anchor="middle" fill="#666">'
                         f'{entries:,}</text>')
    parts.append("</svg>")
    pathlib.Path(path).write_text("\n".join(parts) + "\n")
