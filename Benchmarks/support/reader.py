"""Reads files and says how long it took and what it read: a child of reads, of which it is told what to
read as JSON. What it answers is JSON as well.

Bytes are kept in memory, which is touched before, and their digests are made when the clock has stopped:
comparing costs the measurement nothing but the writing to that memory.
"""

import hashlib
import json
import mmap
import multiprocessing
import os
import pathlib
import random
import sys
import threading
import time

PAGE = 4096


def memory(size):
    """Memory that the system has given already."""
    pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for offset in range(0, size, PAGE):
        pages[offset] = 1
    return memoryview(pages)


def digest(content):
    return hashlib.sha256(content).hexdigest()


def fill(file, target, offset, piece):
    """Reads from an offset on, a piece at a time, until the target is full."""
    done = 0
    while done < len(target):
        count = os.preadv(file, [target[done:done + piece]], offset + done)
        if count == 0:
            raise SystemExit(f"the file ends at {offset + done}")
        done += count


def read_part(path, offset, size, piece, barrier, answers):
    target = memory(size)
    barrier.wait()
    begin = time.monotonic()
    file = os.open(path, os.O_RDONLY)
    fill(file, target, offset, piece)
    os.close(file)
    answers.put((path, offset, begin, time.monotonic(), digest(target)))


def parts(jobs, piece):
    """Each job, a path, an offset and a size, in a process of its own; all begin at once."""
    fork = multiprocessing.get_context("fork")
    barrier, answers = fork.Barrier(len(jobs)), fork.SimpleQueue()
    readers = [fork.Process(target=read_part, args=(*job, piece, barrier, answers)) for job in jobs]
    for reader in readers:
        reader.start()
    found = []
    while len(found) < len(jobs):
        # A worker that has failed answers nothing.
        if answers.empty() and any(reader.exitcode not in (None, 0) for reader in readers):
            for reader in readers:
                reader.kill()
            raise SystemExit("a reader failed")
        if answers.empty():
            time.sleep(0.02)
        else:
            found.append(answers.get())
    found.sort()
    begin = min(answer[2] for answer in found)
    return {"seconds": max(answer[3] for answer in found) - begin, "answer": [answer[4] for answer in found],
            "each": [answer[3] - begin for answer in found]}


def heads(paths, size, pause):
    """The first bytes of each file, one after the other."""
    each, found = [], []
    target = memory(size)
    for path in paths:
        time.sleep(pause)
        begin = time.monotonic()
        file = os.open(path, os.O_RDONLY)
        fill(file, target, 0, size)
        each.append(time.monotonic() - begin)
        os.close(file)
        found.append(digest(target))
    return {"seconds": sum(each), "each": each, "answer": found}


def pieces(path, count, size, threads):
    """Pieces from places all over a file, which is opened once."""
    generator = random.Random(2)
    length = os.stat(path).st_size
    offsets = [generator.randrange(length // size) * size for _ in range(count)]
    targets = [memory(size) for _ in offsets]
    failures = []

    def work(file, first):
        try:
            for number in range(first, count, threads):
                fill(file, targets[number], offsets[number], size)
        except OSError as error:
            failures.append(str(error))

    begin = time.monotonic()
    file = os.open(path, os.O_RDONLY)
    workers = [threading.Thread(target=work, args=(file, first)) for first in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    seconds = time.monotonic() - begin
    if failures:
        raise SystemExit(failures[0])
    return {"seconds": seconds, "answer": digest(b"".join(targets))}


def play(path, head, tail, rest, piece):
    """What a player does with a film whose index lies at its end: a little of the head, the tail, and then
    on from where it was."""
    length = os.stat(path).st_size
    targets = [memory(head), memory(tail), memory(rest)]
    begin = time.monotonic()
    file = os.open(path, os.O_RDONLY)
    fill(file, targets[0], 0, piece)
    head_read = time.monotonic()
    fill(file, targets[1], length - tail, piece)
    tail_read = time.monotonic()
    fill(file, targets[2][:1 << 20], head, piece)
    plays = time.monotonic()
    fill(file, targets[2][1 << 20:], head + (1 << 20), piece)
    end = time.monotonic()
    os.close(file)
    return {"seconds": end - begin, "head": head_read - begin, "tail": tail_read - head_read,
            "back": plays - tail_read, "plays_after": plays - begin, "answer": [digest(target) for target in targets]}


def tree(folder):
    """All files below a folder."""
    paths = sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file())
    return {"answer": [[str(path.relative_to(folder)), digest(path.read_bytes())] for path in paths]}


def main():
    kinds = {kind.__name__: kind for kind in (parts, heads, pieces, play, tree)}
    print(json.dumps(kinds[sys.argv[1]](**json.loads(sys.argv[2]))))


if __name__ == "__main__":
    main()
