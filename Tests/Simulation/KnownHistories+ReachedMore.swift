// More histories that reach places which those of the seeds seldom or never reach, each named after
// the mutant of `mutants.toml` that it catches. Not responsible for the others
// (`KnownHistories+Reached.swift`).

import RemoteStoreTesting

extension Plan {
    /// As many folders as are looked at by the last names of a path: the contents of others are
    /// found by their former paths only.
    private static let many = "fghijklmopqrstwz".map { "/\($0)" }
    private static var makesMany: [Step] { many.map { .user(0, .makeFolder($0)) } }
    private static var renamesMany: [Step] { many.map { .user(0, .rename($0, $0 + "1")) } }

    /// The name of each says what would be wrong without the rule.
    static let knownReachedMore: [(name: String, plan: Plan)] = [
        (
            "the same bytes are a conflict",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .network(0, isCut: true),
                    .user(0, .write("/a")), .other(.putSame(0, "/a")),
                    .user(0, .rename("/a", "/b")),
                ])
        ),
        (
            "what a failed close has not kept stays in the cache of the kernel",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, keepsNames: true,
                steps: [
                    .user(0, .write("/a")), .user(0, .append("/a")), .wait(6000),
                    .user(0, .open("/a")), .disk(0, isFull: true), .user(0, .overwriteOpen),
                    .user(0, .close), .wait(100),
                ])
        ),
        (
            "unknown folders above a node are not asked for",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, compaction: .paths,
                isHurried: true,
                steps: [
                    .other(.put("/d/y")), .other(.put("/d/z")), .wait(20000),
                    .deltas(0, areCut: true), .other(.move("/d", "/e")),
                    .user(0, .unlink("/d/y")), .wait(3000),
                ])
        ),
        (
            "a metadata read runs beside commits",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 400, isHurried: true,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .user(0, .write("/b")),
                    .user(0, .write("/c")), .other(.move("/a", "/d")), .user(0, .unlink("/a")),
                    .user(0, .write("/e")), .wait(200), .user(0, .write("/f")), .wait(200),
                    .user(0, .write("/g")),
                ])
        ),
        (
            "a file in flight gives away its identity",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 400, isHurried: true,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .user(0, .unlink("/a")), .wait(50),
                    .user(0, .write("/a")),
                ])
        ),
        (
            "intents of a removed file stay",
            Plan(
                seed: 1, mounts: 2, pageSize: 2000, distance: 0, isHurried: true,
                steps: [
                    .wait(3000), .date(0, 30), .network(0, isCut: true), .user(0, .write("/a")),
                    .wait(100), .other(.putSame(0, "/a")), .network(0, isCut: false),
                    .wait(10000), .other(.delete("/a")), .wait(19900),
                    .user(1, .restore("/a")), .wait(6000),
                ])
        ),
        (
            "the kernel keeps a listing",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, keepsNames: true,
                steps: [
                    .other(.put("/a")), .wait(6000), .user(0, .list("/")), .other(.put("/b")),
                    .wait(6000),
                ])
        ),
        (
            "a moved folder's listing is believed",
            Plan(
                seed: 1, mounts: 1, pageSize: 1, distance: 400,
                steps: [
                    .other(.put("/a/x")), .other(.put("/c")), .wait(1500),
                    .other(.delete("/a/x")), .other(.move("/a", "/d")),
                ])
        ),
        (
            "a temporary name is followed",
            Plan(
                seed: 1, mounts: 2, pageSize: 2000, distance: 0, compaction: .paths,
                steps: [
                    .other(.put("/d/x")), .wait(6000), .deltas(0, areCut: true),
                    .networkCutInRequest(1, changes: 1), .user(1, .rename("/d/x", "/t")),
                    .user(1, .removeFolder("/d")), .user(1, .rename("/t", "/d")), .wait(3000),
                    .other(.put("/d/x")), .deltas(0, areCut: false), .wait(15000),
                ])
        ),
        (
            "a placeholder stays, and an empty one",
            Plan(
                seed: 286912, mounts: 1, pageSize: 2000, distance: 400, isHurried: true,
                steps: [
                    .other(.makeFolder("/g/d")), .wait(6000), .user(0, .removeFolder("/g/d")),
                    .wait(600), .other(.put("/g/d/x")), .wait(1500), .deltas(0, areCut: true),
                    .other(.delete("/g/d")), .user(0, .rename("/g", "/k")), .wait(1500),
                ])
        ),
        (
            "a file without a row is moved before its number is reserved on the disk",
            Plan(
                seed: 397170, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .wait(106), .user(0, .write("/a")), .powerCut(0, calls: 0),
                    .powerCut(0, calls: 13), .mount(0), .mount(0), .user(0, .write("/a")),
                    .kill(0),
                ])
        ),
        (
            "a node whose alias others have taken keeps it",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .other(.put("/a")), .wait(6000), .user(0, .write("/A")), .wait(6000),
                    .other(.move("/A (Case Conflict)", "/x")),
                    .other(.move("/x", "/A (CASE CONFLICT)")), .wait(6000),
                    .network(0, isCut: true), .user(0, .write("/A")),
                    .other(.delete("/A (CASE CONFLICT)")), .other(.put("/A (CASE CONFLICT)")),
                ])
        ),
        (
            "a folder's deletion by a response is not noted, and commits to a split folder concern the new one",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, moveLimit: 2, isHurried: true,
                steps: [
                    .other(.put("/d/c/x")), .other(.put("/d/c/y")), .other(.put("/d/u")),
                    .other(.put("/d/v")),
                ] + makesMany + [
                    .wait(20000), .deltas(0, areCut: true), .other(.delete("/d/c/x")),
                    .other(.move("/d/c", "/b")),
                ] + renamesMany + [
                    .wait(6000), .user(0, .unlink("/d/c/y")), .wait(3000),
                    .user(0, .rename("/d", "/e")), .wait(6000), .deltas(0, areCut: false),
                    .wait(3000),
                ])
        ),
        (
            "children of a folder that changed its id are believed",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, compaction: .nodes,
                isHurried: true,
                steps: [.other(.put("/c/x")), .other(.put("/c/y"))] + makesMany + [
                    .wait(20000), .deltas(0, areCut: true),
                ] + renamesMany + [
                    .wait(3000), .user(0, .rename("/c", "/a")), .wait(3000),
                    .other(.makeFolder("/n")), .other(.move("/a", "/n/a")),
                    .other(.delete("/n/a/x")), .other(.move("/n", "/a")),
                    .deltas(0, areCut: false), .wait(6000),
                ])
        ),
        (
            "content that was written to since is sent",
            Plan(
                seed: 847806, mounts: 1, pageSize: 2000, distance: 400, isHurried: true,
                steps: [
                    .user(0, .write("/a")), .user(0, .append("/a")), .user(0, .append("/a")),
                    .user(0, .append("/a")), .wait(12000), .user(0, .truncate("/a")), .wait(89),
                    .user(0, .truncate("/a")),
                ])
        ),
        (
            "an outdated entry of a file is applied",
            Plan(
                seed: 203399, mounts: 1, pageSize: 2000, distance: 400, pause: 400,
                sharesModes: true,
                steps: [
                    .user(0, .write("/a")), .user(0, .chmod("/a", 448)), .user(0, .save("/c")),
                    .mount(0), .user(0, .overwrite("/c")), .user(0, .overwrite("/a")),
                    .user(0, .chmod("/c", 448)), .user(0, .write("/a")),
                ])
        ),
        (
            "a large folder whose case changes is split",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, moveLimit: 2,
                steps: [
                    .other(.put("/d/a")), .other(.put("/d/b")), .other(.put("/d/c")),
                    .wait(6000), .user(0, .rename("/d", "/D")), .wait(6000),
                ])
        ),
        (
            "what was written since is retired",
            Plan(
                seed: 200015, mounts: 1, pageSize: 3, distance: 400, compaction: .nodes,
                keepsNames: true, faults: 10, isHurried: true, pause: 30,
                steps: [
                    .other(.put("/b/a")), .wait(6000), .user(0, .write("/b/b")),
                    .user(0, .write("/b/b")),
                ])
        ),
        (
            "others store the content that a program has just written to an open file",
            Plan(
                seed: 618137, mounts: 1, pageSize: 3, distance: 20, compaction: .nodes,
                pause: 400,
                steps: [
                    .other(.put("/a/a/b")), .user(0, .open("/a/a/b")), .user(0, .overwriteOpen),
                    .other(.putSame(0, "/a/a/b")),
                ])
        ),
        (
            "a deleted file that others have edited comes back with the mode that the server has",
            Plan(
                seed: 675269, mounts: 1, pageSize: 2000, distance: 0, refusesIDs: true,
                compaction: .paths, isHurried: true, sharesModes: true,
                steps: [
                    .other(.put("/b/b")), .user(0, .chmod("/b/b", 493)), .wait(40000),
                    .user(0, .save("/b/b")), .other(.put("/b/b")), .user(0, .unlink("/b/b")),
                ])
        ),
        (
            "the server carries out a mode after the save that has replaced it",
            Plan(
                seed: 200360, mounts: 1, pageSize: 2000, distance: 400, isHurried: true,
                sharesModes: true,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .user(0, .chmod("/a", 0o600)), .wait(1),
                    .user(0, .save("/a")), .wait(60000),
                ])
        ),
    ]
}
