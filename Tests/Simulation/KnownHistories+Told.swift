// More histories that miss a rule which they would break without it, most of them by a rule about
// requests, views or modes. Not responsible for the others (`KnownHistories+Rules.swift`).

import RemoteStoreTesting

extension Plan {
    /// The name of each is that of the mutant that it catches.
    static let knownTold: [(name: String, plan: Plan)] = [
        (
            "a restored file keeps its staged content",
            Plan(
                seed: 12, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .other(.put("/a")), .wait(6000), .user(0, .open("/a")), .user(0, .writeOpen),
                    .disk(0, isFull: true), .user(0, .unlink("/a")), .user(0, .close),
                    .other(.put("/a")),
                ])
        ),
        (
            "a restored content is taken for one that was sent",
            Plan(
                seed: 1, mounts: 2, pageSize: 2000, distance: 0, keepsNames: true,
                steps: [
                    .networkCutInRequest(0, changes: 1), .user(0, .write("/a")), .wait(6000),
                    .network(0, isCut: false), .wait(20000), .other(.put("/a")), .wait(6000),
                    .user(0, .open("/a")), .user(1, .restore("/a")), .wait(6000),
                ])
        ),
        (
            "contents of a folder that a response has placed are believed",
            Plan(
                seed: 4, mounts: 1, pageSize: 2000, distance: 0, compaction: .paths,
                steps: [
                    .other(.put("/a/x")), .wait(6000), .network(0, isCut: true),
                    .other(.delete("/a/x")), .wait(40000), .user(0, .rename("/a", "/b")),
                    .network(0, isCut: false), .wait(5000), .other(.put("/a/x")),
                ])
        ),
        (
            "untold contents of a moved folder are believed",
            Plan(
                seed: 2, mounts: 1, pageSize: 2000, distance: 0, compaction: .paths,
                steps: [
                    .other(.put("/a/x")), .wait(6000), .other(.delete("/a/x")),
                    .other(.move("/a", "/b")), .other(.put("/a/x")), .other(.delete("/a")),
                ])
        ),
        (
            "moves that responses tell are not noted",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, compaction: .paths,
                isHurried: true,
                steps: [
                    .other(.put("/a/x")), .other(.put("/a/y")), .wait(20000),
                    .other(.move("/a", "/c")), .other(.delete("/c/x")), .other(.move("/c", "/b")),
                    .user(0, .unlink("/a/y")),
                ])
        ),
        (
            "a deletion at a previous path is ignored",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, isHurried: true,
                steps: [
                    .other(.put("/a/x")), .other(.put("/a/y")), .wait(20000),
                    .other(.delete("/a/x")), .other(.move("/a", "/b")), .user(0, .unlink("/a/y")),
                ])
        ),
        (
            "a deletion at an unknown path asks for nothing",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, compaction: .paths,
                isHurried: true,
                steps: [
                    .other(.put("/a/x")), .other(.put("/a/y")), .wait(20000),
                    .other(.move("/a", "/c")), .other(.delete("/c/x")), .other(.move("/c", "/b")),
                    .user(0, .unlink("/a/y")),
                ])
        ),
        (
            "a step is not checked before it is sent",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 400, isHurried: true,
                steps: [
                    .other(.put("/a")), .wait(6000), .user(0, .rename("/a", "/b")),
                    .other(.delete("/a")), .wait(1200), .user(0, .rename("/b", "/c")),
                ])
        ),
        (
            "a folder's move has no intent",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, isHurried: true,
                steps: [
                    .user(0, .makeFolder("/a")), .wait(6000), .faults(0, 50),
                    .user(0, .rename("/a", "/b")), .user(0, .write("/b/x")), .wait(10000),
                ])
        ),
        (
            "a refused step keeps its intent",
            Plan(
                seed: 13, mounts: 3, pageSize: 2000, distance: 0, isHurried: true,
                steps: [
                    .wait(6000), .faults(0, 100), .user(0, .makeFolder("/a")), .wait(10),
                    .user(0, .removeFolder("/a")), .other(.makeFolder("/a")),
                ])
        ),
        (
            "a renamed file is sent to its old name",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 400, isHurried: true,
                steps: [
                    .other(.put("/a")), .user(0, .rename("/a", "/b")), .other(.delete("/a")),
                    .wait(1200), .user(0, .rename("/b", "/c")),
                ])
        ),
        (
            "an open file is sent with the time of its last flush",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, pause: 400,
                steps: [
                    .user(0, .write("/a")), .user(0, .open("/a")), .wait(15000),
                    .user(0, .writeOpen), .wait(15000),
                ])
        ),
        (
            "a file is sent before its first write",
            Plan(
                seed: 8, mounts: 1, pageSize: 2000, distance: 400, isHurried: true,
                steps: [
                    .wait(3000), .user(0, .write("/a")), .user(0, .write("/b")), .wait(6000),
                    .faults(0, 40), .user(0, .append("/a")),
                ])
        ),
        (
            "a node's hash is not noted before it is sent",
            Plan(
                seed: 3, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .networkCutInRequest(0, changes: 1),
                    .user(0, .append("/a")), .wait(6000), .user(0, .rename("/a", "/b")),
                ])
        ),
    ]
}
