// Histories that once broke a rule, shortened: `Simulation --known` plays them all. Not responsible
// for those in which the disk has a part (`KnownHistories+DiskFaults.swift`).

import RemoteStoreTesting

extension Plan {
    /// All, of which the program was at fault or a rule was too strict.
    static let known: [(name: String, plan: Plan)] = [
        knownFaults, knownDiskFaults, knownDoubts, knownNames, knownRules, knownTold,
        knownToldMore, knownReached, knownReachedMore, knownBlocks, knownVaried,
    ].flatMap(\.self)

    /// The name of each says what went wrong.
    private static let knownFaults: [(name: String, plan: Plan)] = [
        (
            "a folder that is moved in parts comes back with the mode that the server has",
            Plan(
                seed: 12837, mounts: 1, pageSize: 2000, distance: 20, keepsNames: true,
                moveLimit: 2,
                faults: 10, isHurried: true, pause: 30, sharesModes: true,
                steps: [
                    .other(.makeFolder("/b")), .user(0, .chmod("/b", 420)), .other(.put("/b/b")),
                    .user(0, .rename("/b", "/a")), .other(.put("/b/a")),
                ])
        ),
        (
            "a delta of a file that this mount has deleted since makes its own new file step aside",
            Plan(
                seed: 51619, mounts: 1, pageSize: 2000, distance: 400, keepsNames: true,
                isHurried: true, pause: 400,
                steps: [
                    .user(0, .save("/a")), .user(0, .save("/a")), .user(0, .rename("/a", "/b")),
                    .mount(0), .powerCut(0, calls: 8), .user(0, .rename("/b", "/a")),
                ])
        ),
        (
            "a file restored by the feed is taken for an upload that arrived late, and deleted",
            Plan(
                seed: 2557, mounts: 2, pageSize: 2, distance: 20,
                steps: [
                    .other(.makeFolder("/a/c")), .user(1, .write("/a/c/a")),
                    .network(1, isCut: true), .wait(40000), .other(.put("/c/c")),
                    .other(.put("/b")), .user(1, .rename("/a/c", "/c")), .resetCursors,
                ])
        ),
        (
            "a deletion in a folder that was moved here since hits the new file at its path",
            Plan(
                seed: 2000, mounts: 2, pageSize: 2, distance: 0,
                steps: [
                    .user(1, .makeFolder("/b")), .user(1, .makeFolder("/a")), .wait(6000),
                    .other(.put("/a/A")), .user(1, .makeFolder("/a")), .wait(3000),
                    .other(.put("/b/A")), .user(1, .exchange("/a", "/b")),
                    .user(0, .unlink("/a/A")), .other(.delete("/b")),
                ])
        ),
        (
            "folder by folder, the answers of two requests are exchanged (a miscompiled tuple)",
            Plan(
                seed: 257, mounts: 1, pageSize: 3, distance: 400,
                steps: [
                    .user(0, .write("/b")), .user(0, .makeFolder("/A")),
                    .other(.makeFolder("/b")), .wait(6000), .other(.makeFolder("/A/a")),
                    .user(0, .write("/A/a")), .network(0, isCut: true), .wait(10),
                    .user(0, .write("/a/A")), .user(0, .removeTree("/A")),
                    .user(0, .unlink("/a/A")), .user(0, .write("/b/a")), .user(0, .write("/b")),
                    .user(0, .rename("/b", "/b")), .user(0, .write("/a/A")),
                    .other(.put("/A/a/b")), .user(0, .rename("/A", "/A/a")),
                    .user(0, .writeOpen), .faults(0, 40), .user(0, .append("/A/a")),
                    .user(0, .rename("/b", "/a/a")), .user(0, .writeOpen),
                    .user(0, .makeFolder("/A/a/b")), .wait(40000), .user(0, .list("/b")),
                    .resetCursors, .user(0, .append("/a/a")),
                    .user(0, .rename("/A/a/b", "/a/A")), .user(0, .write("/A/a/b")),
                    .user(0, .save("/A")), .user(0, .makeFolder("/A/a/A")),
                    .user(0, .write("/b")), .user(0, .makeFolder("/b")),
                    .user(0, .removeFolder("/A/a/b")), .network(0, isCut: false), .wait(40000),
                ])
        ),
        (
            "what was in a deleted folder shows in the one made in its place",
            Plan(
                seed: 1069, mounts: 2, pageSize: 2000, distance: 0,
                steps: [
                    .other(.makeFolder("/a/b")), .user(1, .makeFolder("/b")),
                    .other(.put("/a/a")), .network(0, isCut: true),
                    .user(0, .rename("/a", "/b")), .wait(43000), .user(0, .makeFolder("/a")),
                    .other(.delete("/a")),
                ])
        ),
        (
            "a folder that only earlier paths named stays in the one made in its place",
            Plan(
                seed: 7826, mounts: 1, pageSize: 2, distance: 20,
                steps: [
                    .other(.makeFolder("/a/c/a")), .user(0, .makeFolder("/a/b")),
                    .user(0, .makeFolder("/a/b/a")), .user(0, .rename("/a", "/c")),
                    .user(0, .makeFolder("/a")), .other(.move("/a/c/a", "/a/b/a")), .kill(0),
                    .wait(40000),
                ])
        ),
        (
            "another client moves a folder to where this mount makes one",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 20,
                steps: [
                    .other(.makeFolder("/b/c")), .wait(6000), .user(0, .makeFolder("/a")),
                    .other(.move("/b", "/a")),
                ])
        ),
        (
            "a deletion in a folder that is exchanged here is taken for one of the other folder's file",
            Plan(
                seed: 38677, mounts: 2, pageSize: 3, distance: 400, compaction: .nodes,
                steps: [
                    .other(.put("/a/a/a")), .other(.put("/a/b/a")), .wait(6000),
                    .user(0, .unlink("/a/a/a")), .user(1, .exchange("/a/b", "/a/a")),
                ])
        ),
        (
            "a file that arrived without a reply, in the place of a folder that others had moved, is there twice",
            Plan(
                seed: 1146070, mounts: 1, pageSize: 2, distance: 400, refusesIDs: true,
                compaction: .nodes,
                steps: [
                    .user(0, .makeFolder("/b")),
                    .other(.makeFolder("/a")),
                    .wait(6000),
                    .user(0, .write("/b")),
                    .other(.move("/a", "/b/b")),
                    .user(0, .saveSafely("/b/b")),
                    .user(0, .write("/b")),
                    .user(0, .exchange("/b/b", "/b/b")),
                    .other(.makeFolder("/a")),
                    .disk(0, isFull: true),
                    .powerCutInRequest(0, changes: 1),
                    .user(0, .removeTree("/a")),
                    .other(.delete("/a")),
                    .user(0, .unlink("/a")),
                    .wait(3000),
                    .other(.move("/b", "/a")),
                    .wait(3000),
                ])
        ),
        (
            "a deletion that is sent again leaves the search after the first, which cannot succeed",
            Plan(
                seed: 1045548, mounts: 1, pageSize: 3, distance: 400, compaction: .paths,
                keepsNames: true,
                steps: [
                    .user(0, .makeFolder("/a/A")),
                    .other(.put("/a/A/b")),
                    .user(0, .write("/A")),
                    .other(.makeFolder("/b")),
                    .wait(6000),
                    .user(0, .flushOpen),
                    .user(0, .flush("/a/A/b")),
                    .user(0, .removeTree("/b")),
                    .faults(0, 40),
                    .user(0, .pin("/a", true)),
                    .user(0, .open("/a")),
                    .user(0, .removeFolder("/b")),
                    .wait(400_000),
                    .resetCursors,
                    .powerCutInRequest(0, changes: 2),
                ])
        ),
        (
            "others edit and delete a file that was edited and moved here, and its pin is gone",
            Plan(
                seed: 3052921, mounts: 2, pageSize: 2, distance: 0, refusesIDs: true,
                steps: [
                    .other(.put("/a")),
                    .user(1, .makeFolder("/A")),
                    .other(.put("/A")),
                    .user(1, .write("/a")),
                    .user(1, .pin("/a", true)),
                    .other(.delete("/a")),
                    .user(1, .rename("/a", "/b")),
                ])
        ),
        (
            "a folder between two moves steps aside for another one, and is kept though others delete it",
            Plan(
                seed: 148105, mounts: 2, pageSize: 3, distance: 0, keepsNames: true,
                isLate: true, pause: 400,
                steps: [
                    .other(.put("/a/b")), .other(.makeFolder("/c")), .network(0, isCut: true),
                    .user(1, .exchange("/a", "/c")), .other(.putSame(0, "/a")),
                    .other(.delete("/c")),
                ])
        ),
        (
            "a page from before a response moves a file back, and deletes it there",
            Plan(
                seed: 110525, mounts: 1, pageSize: 2, distance: 400, isLate: true, faults: 10,
                isHurried: true,
                steps: [
                    .other(.put("/a/c/b")), .user(0, .write("/c")),
                    .other(.move("/a/c/b", "/a/c/a")), .other(.put("/c")),
                    .user(0, .rename("/c", "/a/c/c")), .user(0, .write("/a/c/c")),
                ])
        ),
        (
            "an open file is sent with the time of before its last write",
            Plan(
                seed: 113564, mounts: 3, pageSize: 2, distance: 20, pause: 3000,
                steps: [
                    .other(.put("/a")), .user(2, .open("/a")), .user(2, .overwriteOpen),
                    .wait(400000),
                ])
        ),
        (
            "a restored content is taken for one that was sent, and keeps the time of the replaced one",
            Plan(
                seed: 188328, mounts: 1, pageSize: 2, distance: 0, keepsNames: true,
                isLate: true, faults: 40, pause: 3000,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .user(0, .overwrite("/a")),
                    .other(.move("/a", "/a/a")), .user(0, .restore("/a")),
                ])
        ),
        (
            "the same bytes in a folder that is new on both sides are two files",
            Plan(
                seed: 183292, mounts: 1, pageSize: 3, distance: 400, isLate: true,
                steps: [
                    .user(0, .makeFolder("/a")), .user(0, .write("/a/b")),
                    .other(.putSame(0, "/a/b")),
                ])
        ),
        (
            "a file that was restored after the deletion of its folder is restored again beside it",
            Plan(
                seed: 304994, mounts: 1, pageSize: 3, distance: 400, refusesIDs: true,
                compaction: .paths, isLate: true, faults: 10, isHurried: true, pause: 400,
                steps: [
                    .wait(6000), .user(0, .write("/b")), .wait(6000),
                    .other(.makeFolder("/a/a")), .wait(6000),
                    .user(0, .rename("/a/a", "/a/a/a")), .wait(1), .other(.delete("/a/a/a")),
                    .other(.put("/a/a/b")), .user(0, .removeFolder("/a/a/a")),
                    .user(0, .unlink("/b")), .jobs(16), .user(0, .removeTree("/a/a")),
                    .powerCutInRequest(0, changes: 2), .network(0, isCut: false),
                    .user(0, .list("/a/a")), .user(0, .makeFolder("/b")), .other(.put("/a/a/a")),
                    .wait(3000),
                ])
        ),
        (
            "a folder that was made in another spelling keeps what others delete with theirs",
            Plan(
                seed: 42832, mounts: 1, pageSize: 2, distance: 400, keepsNames: true,
                steps: [
                    .user(0, .write("/a/b")), .other(.put("/a/b")), .other(.makeFolder("/a/A")),
                    .other(.delete("/a")), .other(.put("/a")), .user(0, .makeFolder("/A")),
                ])
        ),
        (
            "the same bytes under a name that has another key on the server are two files",
            Plan(
                seed: 44197, mounts: 1, pageSize: 2, distance: 0, folding: .contextual,
                steps: [
                    .user(0, .write("/a")), .other(.put("/aΣ")), .user(0, .write("/aΣ")),
                    .other(.delete("/aΣ")), .other(.putSame(0, "/aΣ")),
                ])
        ),
        (
            "a file waits for ever to take the place of a deleted folder that holds it and is too large to move",
            Plan(
                seed: 135473, mounts: 2, pageSize: 2, distance: 20, keepsNames: true, moveLimit: 2,
                steps: [
                    .other(.put("/b")), .other(.put("/a/b/b")), .user(0, .open("/b")),
                    .other(.move("/b", "/a/b/a")), .user(0, .exchange("/a", "/b")),
                ])
        ),
        (
            "a file is restored at each path that it had in a folder whose deletion came late",
            Plan(
                seed: 1_000_091, mounts: 1, pageSize: 2000, distance: 0, compaction: .paths,
                isLate: true, faults: 10, pause: 400,
                steps: [
                    .user(0, .makeFolder("/a")), .wait(6000), .other(.makeFolder("/a/a")),
                    .other(.move("/a/a", "/a")), .wait(100), .user(0, .rename("/a", "/a")),
                    .user(0, .removeFolder("/a/a")), .other(.put("/a/a/a")),
                    .user(0, .rename("/a", "/b")),
                ])
        ),
        (
            "a file is made anew with the bytes that others store in the deleted one, and is a conflict",
            Plan(
                seed: 67165, mounts: 1, pageSize: 2, distance: 0, compaction: .paths,
                keepsNames: true, moveLimit: 4, isHurried: true,
                steps: [
                    .other(.put("/c")), .user(0, .unlink("/c")), .user(0, .save("/c")),
                    .other(.putSame(0, "/c")),
                ])
        ),
    ]
}
