// Histories that reach places which those of the seeds seldom or never reach, and that miss the
// rule there: each is named after the mutant of `mutants.toml` that it catches. Not responsible for
// the other mutants (`KnownHistories+Rules.swift`).

import RemoteStoreTesting

extension Plan {
    /// The name of each says what would be wrong without the rule.
    static let knownReached: [(name: String, plan: Plan)] = [
        (
            "an open deleted file is restored in its inode",
            Plan(
                seed: 1, mounts: 2, pageSize: 2000, distance: 0,
                steps: [
                    .other(.put("/a")), .user(0, .open("/a")), .user(0, .unlink("/a")),
                    .other(.put("/a")), .user(0, .writeOpen),
                ])
        ),
        (
            "a remote move undoes the local one",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, compaction: .paths,
                steps: [
                    .other(.put("/a")), .user(0, .rename("/a", "/b")), .other(.move("/a", "/c")),
                    .other(.put("/a")), .wait(10000),
                ])
        ),
        (
            "a folder follows into itself",
            Plan(
                seed: 1, mounts: 2, pageSize: 2000, distance: 0,
                steps: [
                    .other(.makeFolder("/a")), .other(.makeFolder("/b")),
                    .user(0, .rename("/a", "/b/a")), .other(.move("/b", "/a/b")),
                ])
        ),
        (
            "a deleted folder stays deleted over new contents",
            Plan(
                seed: 2, mounts: 2, pageSize: 2000, distance: 0, compaction: .nodes,
                sharesModes: true,
                steps: [
                    .other(.makeFolder("/d")), .wait(6000), .network(0, isCut: true),
                    .user(0, .removeTree("/d")), .user(1, .rename("/d", "/e")),
                    .user(1, .write("/e/x")), .wait(6000), .user(1, .chmod("/e", 448)),
                    .wait(6000), .network(0, isCut: false), .wait(10000),
                ])
        ),
        (
            "moves into each other are not undone",
            Plan(
                seed: 1, mounts: 2, pageSize: 2000, distance: 0,
                steps: [
                    .other(.makeFolder("/a")), .other(.makeFolder("/b")),
                    .user(0, .rename("/a", "/b/a")), .other(.move("/b", "/a/b")),
                ])
        ),
        (
            "a file of another id is the same",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, compaction: .paths,
                steps: [
                    .other(.put("/a")), .user(0, .rename("/a", "/b")), .other(.delete("/a")),
                    .other(.put("/a")),
                ])
        ),
        (
            "a deleted folder comes back for a file that is gone within its batch",
            Plan(
                seed: 1, mounts: 2, pageSize: 2000, distance: 0,
                steps: [
                    .user(0, .makeFolder("/d")), .wait(6000), .user(0, .removeTree("/d")),
                    .user(0, .write("/d")), .other(.put("/d/x")), .other(.delete("/d/x")),
                ])
        ),
        (
            "a node that moves into its own place's folder is not detached",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, isHurried: true,
                steps: [
                    .other(.put("/a/b")), .wait(6000), .other(.move("/a/b", "/c")),
                    .other(.delete("/a")), .other(.move("/c", "/a")), .user(0, .unlink("/a/b")),
                ])
        ),
        (
            "a placeholder's children are lost",
            Plan(
                seed: 701966, mounts: 2, pageSize: 2000, distance: 0, compaction: .nodes,
                sharesModes: true,
                steps: [
                    .other(.makeFolder("/d")), .wait(6000), .user(1, .rename("/d", "/e")),
                    .user(1, .write("/e/x")), .user(1, .chmod("/e", 448)),
                ])
        ),
        (
            "a folder above that users moved does not keep a node",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .other(.put("/a/x")), .user(0, .rename("/a", "/b")), .other(.delete("/a")),
                ])
        ),
        (
            "a removed file that is kept loses its content",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, pause: 3000,
                steps: [
                    .other(.put("/a/b/a")), .network(0, isCut: true),
                    .user(0, .rename("/a/b/a", "/a/b/b")), .other(.delete("/a")),
                ])
        ),
        (
            "a file that another one replaced is not restored",
            Plan(
                seed: 2, mounts: 1, pageSize: 2000, distance: 400, isHurried: true,
                steps: [
                    .other(.makeFolder("/d")), .wait(6000), .user(0, .removeTree("/d")),
                    .wait(585), .other(.put("/d/x")), .wait(520), .other(.put("/d/x")),
                ])
        ),
        (
            "nothing waits for a folder between moves",
            Plan(
                seed: 1, mounts: 2, pageSize: 2000, distance: 0,
                steps: [
                    .other(.makeFolder("/a")), .other(.makeFolder("/b")),
                    .networkCutInRequest(1, changes: 1), .user(1, .exchange("/a", "/b")),
                    .wait(3000), .user(0, .write("/a/x")),
                ])
        ),
        (
            "a folder moves into itself",
            Plan(
                seed: 1, mounts: 2, pageSize: 2000, distance: 0,
                steps: [
                    .other(.makeFolder("/a/b")), .user(0, .rename("/a", "/c")),
                    .user(0, .rename("/c/b", "/b")), .user(0, .rename("/c", "/b/a")),
                ])
        ),
        (
            "a file is deleted although it has a successor by now",
            Plan(
                seed: 751579, mounts: 1, pageSize: 2000, distance: 0, isHurried: true,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .user(0, .unlink("/a")),
                    .user(0, .write("/a")),
                ])
        ),
        (
            "files moved out are restored",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 400, isHurried: true,
                steps: [
                    .other(.makeFolder("/d")), .wait(6000), .other(.put("/d/x")),
                    .user(0, .removeTree("/d")), .wait(600), .other(.move("/d/x", "/y")),
                ])
        ),
        (
            "the successor of promised content is flushed later",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .wait(100), .network(0, isCut: true), .user(0, .write("/a")),
                    .user(0, .flush("/a")), .user(0, .write("/a")), .wait(3000),
                    .user(0, .append("/a")), .powerCut(0, calls: 0),
                ])
        ),
        (
            "the fallback of an atomic save is not handed over",
            Plan(
                seed: 250015, mounts: 2, pageSize: 2000, distance: 0,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .network(0, isCut: true),
                    .user(0, .write("/a")), .wait(3000), .user(0, .save("/a")),
                    .powerCut(0, calls: 0),
                ])
        ),
        (
            "a deleted large folder stays in the way",
            Plan(
                seed: 1, mounts: 2, pageSize: 2000, distance: 0, moveLimit: 2,
                steps: [
                    .other(.put("/d/b")), .other(.put("/d/c")), .user(0, .makeFolder("/e")),
                    .user(0, .rename("/d/b", "/e/b")), .user(0, .rename("/d/c", "/e/c")),
                    .user(0, .rename("/e", "/d")),
                ])
        ),
        (
            "absence is believed while deltas fail",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 20, sharesModes: true,
                steps: [
                    .user(0, .makeFolder("/a")), .user(0, .write("/a/b")), .wait(6000),
                    .network(0, isCut: true), .user(0, .rename("/a", "/c")),
                    .user(0, .chmod("/c/b", 0o600)), .other(.delete("/a")),
                    .deltas(0, areCut: true), .network(0, isCut: false), .wait(60000),
                ])
        ),
        (
            "a new folder is sent under its former name",
            Plan(
                seed: 325710, mounts: 1, pageSize: 2, distance: 400, moveLimit: 3, faults: 10,
                isHurried: true,
                steps: [
                    .user(0, .makeFolder("/a")), .wait(100), .other(.makeFolder("/a/a")),
                    .resetCursors, .user(0, .rename("/a", "/b")),
                ])
        ),
        (
            "the size of an open file in its row is taken for that of its content",
            Plan(
                seed: 413411, mounts: 1, pageSize: 2000, distance: 20, compaction: .paths,
                keepsNames: true, faults: 40, isHurried: true, pause: 3000,
                steps: [
                    .other(.put("/a")), .wait(6000), .user(0, .open("/a")),
                    .user(0, .truncate("/a")), .user(0, .writeOpen), .other(.putSame(0, "/a")),
                ])
        ),
        (
            "a folder that users have made anew goes with the deleted one",
            Plan(
                seed: 436429, mounts: 1, pageSize: 2, distance: 20, moveLimit: 3, isHurried: true,
                pause: 30,
                steps: [
                    .user(0, .makeFolder("/a")), .user(0, .write("/a/b")), .wait(100),
                    .user(0, .makeFolder("/b")), .wait(100), .user(0, .removeFolder("/b")),
                    .wait(100), .user(0, .makeFolder("/b")),
                ])
        ),
        (
            "room is made for a folder that is deleted later",
            Plan(
                seed: 477011, mounts: 1, pageSize: 2, distance: 400, keepsNames: true,
                isHurried: true, sharesModes: true,
                steps: [
                    .user(0, .makeFolder("/a")), .wait(400), .user(0, .removeFolder("/a")),
                    .user(0, .link("/a")),
                ])
        ),
        (
            "a folder that users moved is taken for another",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, compaction: .paths,
                steps: [
                    .other(.put("/a/y")), .wait(6000), .network(0, isCut: true),
                    .user(0, .rename("/a", "/b")), .resetCursors, .other(.delete("/a")),
                    .other(.put("/a/x")),
                ])
        ),
        (
            "a former node is not asked for",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, isHurried: true,
                steps: [
                    .other(.put("/a/x")), .other(.put("/a/y")), .wait(20000),
                    .deltas(0, areCut: true), .other(.delete("/a/x")), .other(.move("/a", "/b")),
                    .user(0, .unlink("/a/y")), .wait(3000), .user(0, .makeFolder("/a")),
                    .user(0, .write("/a/x")), .wait(6000), .deltas(0, areCut: false),
                ])
        ),
        (
            "a creation is not awaited in the feed",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, compaction: .paths,
                isHurried: true,
                steps: [
                    .other(.put("/d/y")), .wait(20000), .deltas(0, areCut: true),
                    .other(.move("/d", "/e")), .user(0, .write("/d/x")), .wait(3000),
                    .other(.delete("/d")), .user(0, .unlink("/d/y")), .wait(3000),
                    .deltas(0, areCut: false),
                ])
        ),
        (
            "an intent is known by its folder only",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 400, isHurried: true,
                steps: [
                    .other(.makeFolder("/a")), .wait(6000), .networkCutInRequest(0, changes: 1),
                    .user(0, .write("/a/x")), .wait(60), .other(.delete("/a")), .wait(1500),
                    .user(0, .rename("/a", "/b")), .kill(0),
                ])
        ),
        (
            "a response's place is taken as free",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 20, folding: .contextual,
                isHurried: true,
                steps: [
                    .other(.put("/a\u{3C2}")), .wait(6000), .deltas(0, areCut: true),
                    .other(.delete("/a\u{3C2}")), .user(0, .write("/a\u{3A3}")), .wait(20000),
                    .deltas(0, areCut: false),
                ])
        ),
        (
            "a mode of another machine replaces one that is not sent",
            Plan(
                seed: 2, mounts: 2, pageSize: 2000, distance: 0, sharesModes: true,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .user(1, .chmod("/a", 0o600)),
                    .wait(200), .user(0, .chmod("/a", 0o700)), .wait(250),
                ])
        ),
        (
            "intents are dropped when the feed is up to date",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, isLate: true, isHurried: true,
                steps: [
                    .wait(6000), .faults(0, 100), .user(0, .write("/a")), .wait(10),
                    .user(0, .unlink("/a")), .faults(0, 0), .wait(60000), .other(.put("/b")),
                ])
        ),
        (
            "an own deletion is not noted, and own deletions are restored",
            Plan(
                seed: 517992, mounts: 1, pageSize: 2000, distance: 0, isLate: true,
                isHurried: true,
                steps: [
                    .other(.makeFolder("/d")), .wait(6000), .faults(0, 40),
                    .user(0, .removeTree("/d")), .wait(14), .faults(0, 0), .other(.put("/d/x")),
                    .wait(533), .user(0, .unlink("/d/x")),
                ])
        ),
        (
            "what stays here is not flushed before the server deletes it",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .other(.put("/a")), .remount(0, ignoring: "b"), .user(0, .open("/a")),
                    .user(0, .writeOpen), .user(0, .rename("/a", "/b")), .powerCut(0, calls: 0),
                    .mount(0),
                ])
        ),
    ]
}
