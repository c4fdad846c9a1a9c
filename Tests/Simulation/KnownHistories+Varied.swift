// Histories that variations of others have become. Not responsible for drawn ones
// (`KnownHistories.swift`).

import RemoteStoreTesting

extension Plan {
    /// The name of each says what went wrong, or is that of the mutant that it catches.
    static let knownVaried: [(name: String, plan: Plan)] = [
        (
            "contents of a moved folder go with its old place, which the feed tells late",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 20, sharesModes: true,
                steps: [
                    .user(0, .makeFolder("/a")), .deltas(0, areCut: true),
                    .user(0, .write("/a/b")), .wait(6000), .user(0, .rename("/a", "/c")),
                    .other(.delete("/a")),
                ])
        ),
        (
            "a file that leaves the sync for a name of the same key cannot be renamed",
            Plan(
                seed: 5206, mounts: 3, pageSize: 2000, distance: 400, compaction: .nodes,
                steps: [
                    .remount(0, ignoring: "A"), .other(.put("/A")), .user(0, .save("/a")),
                    .user(0, .rename("/A", "/a")),
                ])
        ),
        (
            "a file deleted before the folder's move, whose response was lost, stays",
            Plan(
                seed: 376, mounts: 1, pageSize: 2000, distance: 0, compaction: .paths,
                steps: [
                    .networkCutInRequest(0, changes: 1), .other(.put("/a/x")), .wait(6000),
                    .network(0, isCut: true), .other(.delete("/a/x")), .wait(40_000),
                    .user(0, .rename("/a", "/b")), .network(0, isCut: false), .wait(5000),
                    .other(.put("/a/x")),
                ])
        ),
        (
            "a moved file has the bytes that others have stored in it: a conflicted copy",
            Plan(
                seed: 185, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .network(0, isCut: true),
                    .user(0, .write("/a")), .other(.putSame(0, "/a")),
                    .user(0, .rename("/a", "/b")), .wait(100),
                ])
        ),
        (
            "content that was sent twice, replaced and restored by others is taken for an upload",
            Plan(
                seed: 49, mounts: 2, pageSize: 2000, distance: 0, keepsNames: true,
                steps: [
                    .networkCutInRequest(0, changes: 1), .user(0, .write("/a")), .wait(6000),
                    .network(0, isCut: false), .wait(20_000), .other(.put("/a")), .wait(6000),
                    .user(0, .open("/a")), .user(0, .overwriteOpen), .user(1, .restore("/a")),
                ])
        ),
        (
            "a saved file gets the mode of the one that it has replaced, whose response was lost",
            Plan(
                seed: 12982, mounts: 1, pageSize: 2, distance: 0, compaction: .nodes,
                isHurried: true, sharesModes: true,
                steps: [
                    .user(0, .write("/a")), .user(0, .chmod("/a", 493)),
                    .networkCutInRequest(0, changes: 1), .wait(2200), .user(0, .save("/a")),
                ])
        ),
        (
            "the fallback of an atomic save is not handed over",
            Plan(
                seed: 250_017, mounts: 2, pageSize: 2000, distance: 0,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .network(0, isCut: true),
                    .user(0, .write("/a")), .wait(3000), .user(0, .save("/a")),
                    .user(0, .write("/a")), .powerCut(0, calls: 0),
                ])
        ),
        (
            "intents of a removed file stay",
            Plan(
                seed: 51, mounts: 2, pageSize: 2000, distance: 0, isHurried: true,
                steps: [
                    .wait(3000), .date(0, 30), .user(0, .write("/a")), .other(.putSame(0, "/a")),
                    .wait(10_000), .other(.delete("/a")), .wait(19_900), .wait(100),
                    .user(1, .restore("/a")),
                ])
        ),
        (
            "a name that users gave is replaced by the one that was told before",
            Plan(
                seed: 1942, mounts: 1, pageSize: 2, distance: 400, compaction: .nodes, faults: 40,
                isHurried: true, pause: 30, sharesModes: true,
                steps: [
                    .user(0, .makeFolder("/a")), .user(0, .write("/A")), .wait(40_000),
                    .user(0, .rename("/A", "/a/a (Case Conflict)")), .other(.makeFolder("/a")),
                ])
        ),
        (
            "a node on its way back to its own name becomes a conflicted copy",
            Plan(
                seed: 2, mounts: 2, pageSize: 2000, distance: 20, sharesModes: true,
                steps: [
                    .user(0, .write("/a")), .user(0, .write("/A")), .wait(10_000),
                    .network(0, isCut: true), .other(.delete("/a")), .wait(5000),
                    .other(.put("/A")), .wait(10_000), .network(0, isCut: false),
                ])
        ),
        (
            "a name that a node has left is not given to the one that waits for it",
            Plan(
                seed: 2, mounts: 1, pageSize: 2000, distance: 20,
                steps: [
                    .user(0, .write("/a")), .user(0, .write("/A")), .wait(10_000),
                    .other(.delete("/a")), .wait(5000), .other(.put("/A")), .wait(10_000),
                    .other(.delete("/A (Case Conflict)")),
                ])
        ),
        (
            "a name that users have freed is not given to the node that waits for it",
            Plan(
                seed: 1311, mounts: 1, pageSize: 2000, distance: 20, isLate: true,
                steps: [
                    .user(0, .write("/É")), .other(.makeFolder("/é/é")), .user(0, .write("/é")),
                    .wait(40_000), .user(0, .unlink("/é")),
                ])
        ),
        (
            "torn content is sent after an append, a write in place and a power cut",
            Plan(
                seed: 11_870, mounts: 1, pageSize: 2000, distance: 400, compaction: .nodes,
                isLate: true, faults: 10, isHurried: true, pause: 400, sharesModes: true,
                steps: [
                    .wait(1), .wait(2200), .network(0, isCut: true), .user(0, .write("/é")),
                    .user(0, .close), .wait(3000), .powerCut(0, calls: 9),
                    .user(0, .copy("/é", "/é")), .wait(1000), .user(0, .append("/é")),
                    .user(0, .copy("/é", "/é")), .user(0, .overwrite("/é")), .wait(2200),
                ])
        ),
        (
            "content that others restored after an edit without a response is replaced by it",
            Plan(
                seed: 483, mounts: 2, pageSize: 2000, distance: 0, keepsNames: true,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .networkCutInRequest(0, changes: 1),
                    .user(0, .truncate("/a")), .wait(20_000), .user(1, .restore("/a")),
                ])
        ),
        (
            "a move that was sent again in vain undoes the user's way back",
            Plan(
                seed: 1_036_319, mounts: 1, pageSize: 3, distance: 0, compaction: .paths,
                keepsNames: true, isHurried: true, pause: 3000, sharesModes: true, blockSize: 8,
                steps: [
                    .other(.put("/a/a/a")), .networkCutInRequest(0, changes: 1),
                    .user(0, .rename("/a/a/a", "/A")), .user(0, .rename("/A", "/a/a/a")),
                ])
        ),
        (
            "contents of a moved folder go when a listing lacks both",
            Plan(
                seed: 1143, mounts: 1, pageSize: 3, distance: 400, faults: 10, isHurried: true,
                pause: 400,
                steps: [
                    .other(.makeFolder("/a")), .user(0, .rename("/a", "/b")), .wait(40_000),
                    .other(.move("/b", "/a/b")), .wait(3000), .user(0, .rename("/a", "/b")),
                    .other(.delete("/a")), .resetCursors,
                ])
        ),
        (
            "a folder goes with the one before it, which arrived without a response",
            Plan(
                seed: 477_131, mounts: 1, pageSize: 2, distance: 400, keepsNames: true,
                isHurried: true, sharesModes: true,
                steps: [
                    .user(0, .makeFolder("/a")), .wait(400), .user(0, .removeFolder("/a")),
                    .user(0, .makeFolder("/a")), .user(0, .link("/a")),
                ])
        ),
        (
            "the base of an edit that a power cut has torn keeps the edit as its fallback",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .other(.put("/a")), .user(0, .open("/a")), .other(.put("/a")),
                    .remount(0, ignoring: "b"), .user(0, .open("/a")), .user(0, .writeOpen),
                    .user(0, .rename("/a", "/b")), .powerCut(0, calls: 0), .mount(0),
                ])
        ),
        (
            "an edit that arrived without a response is sent again over what others restored",
            Plan(
                seed: 483, mounts: 2, pageSize: 2000, distance: 0, keepsNames: true,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .networkCutInRequest(0, changes: 1),
                    .user(0, .truncate("/a")), .wait(20_000), .user(1, .restore("/a")),
                ])
        ),
    ]
}
