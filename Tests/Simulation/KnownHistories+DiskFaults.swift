// Histories that once broke a rule because of a power cut, a flush or a full disk. Not responsible
// for those without a fault of the disk (`KnownHistories.swift`).

import RemoteStoreTesting

extension Plan {
    /// The name of each says what went wrong.
    static let knownDiskFaults: [(name: String, plan: Plan)] = [
        (
            "what an fsync of its folder had acknowledged goes with what was added later",
            Plan(
                seed: 3, mounts: 1, pageSize: 2, distance: 0,
                steps: [
                    .user(0, .write("/a")), .user(0, .flushFolder("/")), .user(0, .open("/a")),
                    .wait(10), .user(0, .writeOpen), .powerCut(0, calls: 0),
                ])
        ),
        (
            "an edit that was moved over another file is there after a power cut, or that one is",
            Plan(
                seed: 5041, mounts: 1, pageSize: 2, distance: 0, refusesIDs: false,
                compaction: .none,
                steps: [
                    .other(.put("/a/a")), .user(0, .save("/b")), .wait(40000),
                    .user(0, .write("/a/a")), .user(0, .removeTree("/A")),
                    .user(0, .save("/a/b")), .user(0, .rename("/a/a", "/b")),
                    .powerCut(0, calls: 0),
                ])
        ),
        (
            "a folder kept for what a power cut then took is on the server again",
            Plan(
                seed: 1490, mounts: 2, pageSize: 3, distance: 0, refusesIDs: false,
                compaction: .nodes,
                steps: [
                    .other(.makeFolder("/a/a")), .remount(0, ignoring: "a"),
                    .user(1, .rename("/a/a", "/a/a")), .user(0, .save("/a/a")),
                    .remount(1, ignoring: "b"), .user(1, .removeTree("/a")),
                    .user(1, .flush("/a/a")), .other(.delete("/a")), .powerCut(0, calls: 3),
                    .wait(100),
                ])
        ),
        (
            "a power cut during a write over flushed content leaves a mixture of versions",
            Plan(
                seed: 3, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .user(0, .write("/a")), .user(0, .append("/a")), .wait(3000),
                    .user(0, .overwrite("/a")), .powerCut(0, calls: 0),
                ])
        ),
        (
            "a block of the base that was filled in after a flush counts as flushed",
            Plan(
                seed: 1608, mounts: 1, pageSize: 2, distance: 0,
                steps: [
                    .user(0, .makeFolder("/a/b")), .other(.put("/a/b/a")),
                    .other(.makeFolder("/a/a")), .user(0, .flushFolder("/a")),
                    .other(.put("/a/c")), .wait(400_000), .other(.put("/a/c")),
                    .disk(0, isFull: true), .user(0, .append("/a")), .user(0, .makeFolder("/a")),
                    .user(0, .append("/a")), .user(0, .list("/a/a")),
                    .user(0, .append("/a/b/a")), .user(0, .makeFolder("/b")),
                    .user(0, .flushFolder("/a")), .user(0, .unlink("/a")),
                    .user(0, .write("/a/c")), .powerCutInRequest(0, changes: 1), .wait(40_000),
                ])
        ),
        (
            "a truncation that a full disk refuses after the change, and the kernel keeps the size",
            Plan(
                seed: 497, mounts: 2, pageSize: 2, distance: 20, compaction: .paths,
                keepsNames: true,
                steps: [
                    .user(0, .makeFolder("/a/b")), .other(.put("/c")), .user(0, .makeFolder("/a")),
                    .user(0, .write("/a/b")), .user(0, .write("/c/b")),
                    .user(1, .makeFolder("/c/b")), .other(.put("/a")), .user(1, .writeOpen),
                    .wait(3000), .other(.put("/b")), .user(1, .flush("/b")),
                    .user(1, .flushFolder("/a")), .kill(1), .user(0, .write("/c")),
                    .resetCursors, .user(0, .makeFolder("/c/a")),
                    .powerCutInRequest(0, changes: 6), .disk(0, isFull: true),
                    .user(0, .overwrite("/a")), .user(0, .truncate("/a")),
                ])
        ),
        (
            "a folder is taken for deleted while the disk takes no deltas, and its content is sent twice",
            Plan(
                seed: 1031908, mounts: 1, pageSize: 2, distance: 0, compaction: .paths,
                keepsNames: true,
                steps: [
                    .user(0, .write("/a")),
                    .user(0, .makeFolder("/b")),
                    .wait(6000),
                    .user(0, .write("/b/b")),
                    .wait(6000),
                    .user(0, .rename("/a", "/b/b")),
                    .user(0, .saveSafely("/a")),
                    .user(0, .rename("/a", "/b")),
                    .wait(1),
                    .user(0, .overwriteOpen),
                    .user(0, .exchange("/b", "/a")),
                    .user(0, .rename("/b/b/b", "/a")),
                    .user(0, .open("/a")),
                    .wait(1),
                    .user(0, .write("/b/c")),
                    .other(.delete("/b")),
                    .user(0, .flush("/b/c")),
                    .user(0, .close),
                    .disk(0, isFull: true),
                    .wait(400_000),
                    .powerCutInRequest(0, changes: 1),
                ])
        ),
        (
            "after a power cut, what a file had before it was written has replaced another file",
            Plan(
                seed: 300708, mounts: 1, pageSize: 2000, distance: 0, compaction: .nodes,
                keepsNames: true, isLate: true, isHurried: true,
                steps: [
                    .user(0, .save("/a")), .other(.put("/b")), .user(0, .writeOpen),
                    .powerCut(0, calls: 0), .powerCutInRequest(0, changes: 1), .mount(0),
                    .user(0, .flush("/a")), .user(0, .write("/a")), .wait(2200), .mount(0),
                    .user(0, .write("/A")), .user(0, .write("/a")),
                    .user(0, .rename("/a", "/b")), .powerCut(0, calls: 0),
                ])
        ),
    ]
}
