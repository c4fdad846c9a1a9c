"""Bars that compare programs, as SVG that needs nothing else: one small chart for each thing that was measured.

Not responsible for measuring, nor for how cost grows (growth).
"""

import pathlib
import typing
import xml.sax.saxutils

# In this order and these colours, which differ in brightness, too.
PROGRAMS = {"dbxfs": "#0061fe", "rclone": "#8a94a3", "python-dbxfs": "#c9ced6"}
NAMES = {"python-dbxfs": "Python dbxfs"}
COLUMNS = 2
WIDTH, TITLE, BAR, GAP = 400, 26, 18, 16
# Where bars begin, and how long the longest is; a number stands behind each.
LABEL, LONGEST = 92, 230


class Chart(typing.NamedTuple):
    """One thing that was measured: of which works, and which number."""
    title: str
    works: tuple
    value: typing.Callable
    unit: str


def seconds(row):
    return row["seconds"]


def mebibytes_down(row):
    return row["content_down"] / (1 << 20)


ALL_READS = ("sequential", "warm-kernel", "warm-cache", "first-byte", "random", "random-16", "grep", "cp-r", "tar",
             "two-readers", "heads", "player", "parallel-8")
READS = [
    Chart("Read 512 MiB for the first time", ("sequential",), seconds, "s"),
    Chart("Read it again after a remount", ("warm-cache",), seconds, "s"),
    Chart("The first 4 KiB of a file", ("first-byte",), lambda row: row["seconds"] * 1000, "ms"),
    Chart("Processor time for 512 MiB", ("sequential",), lambda row: row["cpu_seconds"], "s"),
    Chart("grep -r over 2,000 files of 4 KiB", ("grep",), seconds, "s"),
    Chart("8 files of 32 MiB by 8 readers", ("parallel-8",), seconds, "s"),
    Chart("200 reads of 4 KiB in 1 GiB", ("random",), seconds, "s"),
    Chart("What these 200 reads fetch", ("random",), mebibytes_down, "MiB"),
    Chart("What a file manager's look at 300 files fetches", ("heads",), mebibytes_down, "MiB"),
    Chart("Most memory in any of the works", ALL_READS, lambda row: row["peak_memory"] / (1 << 20), "MiB"),
]
TREE = [
    Chart("find over 10,000 files, right after the mount", ("cold find",),
          lambda row: row["seconds"] + row.get("mount_seconds", 0), "s"),
    Chart("Its requests", ("cold find",), lambda row: row["requests"], ""),
    Chart("find after a remount", ("find after a remount",),
          lambda row: row["seconds"] + row.get("mount_seconds", 0), "s"),
    Chart("find again", ("the same again",), seconds, "s"),
]
WRITES = [
    Chart("Untar 500 files: until they are on the server", ("untar",), lambda row: row["server_seconds"], "s"),
    Chart("Its requests", ("untar",), lambda row: row["requests"], ""),
    Chart("Write 256 MiB: until they are on the server", ("write",), lambda row: row["server_seconds"], "s"),
    Chart("rm -rf of 500 files: until they are gone", ("rm",), lambda row: row["server_seconds"], "s"),
    Chart("cp of 256 MiB: what travels", ("cp",),
          lambda row: (row["content_up"] + row["content_down"]) / (1 << 20), "MiB"),
    Chart("Rename 500 files: requests", ("mv",), lambda row: row["requests"], ""),
]

# By the name of the picture.
PICTURES = {"reads": READS, "tree": TREE, "writes": WRITES}


def values(chart, rows):
    """The result of each program: the greatest of its numbers; None where it has failed."""
    found = {}
    for row in rows:
        if row["program"] not in PROGRAMS or row["work"] not in chart.works:
            continue
        try:
            value = None if row.get("problem") else chart.value(row)
        except KeyError:
            continue
        known = found.get(row["program"])
        found[row["program"]] = value if known is None else max(known, value or 0)
    return {name: found[name] for name in PROGRAMS if name in found}


def shown(value, unit):
    if value is None:
        return "failed"
    number = f"{value:,.0f}" if value >= 20 or value == int(value) else f"{value:.2g}" if value < 10 else f"{value:.1f}"
    return f"{number} {unit}".strip()


def bars(chart, found, left, top):
    yield text(left, top + 14, chart.title, 'font-weight="bold"')
    most = max((value for value in found.values() if value), default=1)
    for index, (name, value) in enumerate(found.items()):
        y = top + TITLE + index * BAR
        length = max(1, (value or 0) / most * LONGEST)
        yield text(left + LABEL - 8, y + 11, NAMES.get(name, name), 'text-anchor="end" fill="#555"')
        yield (f'<rect x="{left + LABEL}" y="{y}" width="{length:.1f}" height="{BAR - 4}" '
               f'fill="{PROGRAMS[name]}"/>')
        yield text(left + LABEL + length + 6, y + 11, shown(value, chart.unit))


def text(x, y, words, attributes=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{xml.sax.saxutils.escape(words)}</text>'


def draw(charts, rows, path):
    """Draws the charts of which there are numbers; returns whether there were any. Shorter is better in all."""
    drawn = [(chart, found) for chart in charts if (found := values(chart, rows))]
    if not drawn:
        return False
    parts = []
    top = GAP
    for begin in range(0, len(drawn), COLUMNS):
        line = drawn[begin:begin + COLUMNS]
        for column, (chart, found) in enumerate(line):
            parts.extend(bars(chart, found, GAP + column * WIDTH, top))
        top += TITLE + BAR * max(len(found) for _, found in line) + GAP
    size = f'width="{COLUMNS * WIDTH + GAP}" height="{top}"'
    pathlib.Path(path).write_text("\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>"]) + "\n")
    return True
