// Histories of contents with many blocks: sessions, bases under staged content, and copies.

import RemoteStoreTesting

extension Plan {
    static let knownBlocks: [(name: String, plan: Plan)] = [
        (
            "a session begins for a file that users have replaced meanwhile",
            Plan(
                seed: 856, mounts: 1, pageSize: 2, distance: 400, compaction: .nodes,
                keepsNames: true, isLate: true, isHurried: true, blockSize: 8,
                steps: [
                    .user(0, .save("/a")), .user(0, .write("/b")), .user(0, .rename("/b", "/a")),
                    .wait(1000), .powerCut(0, calls: 0),
                ])
        ),
        (
            "a copy by the server of a file that others have changed since is another client's",
            Plan(
                seed: 712571, mounts: 2, pageSize: 2000, distance: 0, compaction: .nodes,
                faults: 40, sharesModes: true,
                steps: [
                    .other(.put("/a")), .user(0, .chmod("/a/a", 448)), .wait(6000),
                    .user(1, .exchange("/a", "/a")), .wait(10000), .user(0, .write("/a/a")),
                    .user(1, .write("/a")), .user(1, .chmod("/a", 493)),
                    .powerCutInRequest(1, changes: 1), .user(1, .exchange("/a", "/a")),
                    .wait(10000), .user(0, .copy("/a", "/a.copy")),
                    .user(0, .copy("/a/a", "/a")), .wait(10000),
                ])
        ),
        (
            "a mode that was set back before its request, whose reply is lost, is the server's",
            Plan(
                seed: 721072, mounts: 1, pageSize: 3, distance: 0, compaction: .paths,
                keepsNames: true, moveLimit: 6, isHurried: true, sharesModes: true,
                steps: [
                    .user(0, .makeFolder("/b")), .user(0, .write("/b/a")),
                    .user(0, .link("/b/a")), .wait(6000), .user(0, .chmod("/b/a", 0o700)),
                    .networkCutInRequest(0, changes: 1), .user(0, .chmod("/b/a", 0o644)),
                    .wait(100), .user(0, .rename("/b/a", "/A")),
                ])
        ),
        (
            "a power cut leaves a file empty that was emptied before its last content was flushed",
            Plan(
                seed: 805760, mounts: 1, pageSize: 3, distance: 20, keepsNames: true,
                isLate: true, isHurried: true,
                steps: [
                    .powerCutInRequest(0, changes: 1), .wait(1000), .user(0, .write("/a")),
                    .user(0, .copy("/a", "/a.copy")), .user(0, .overwrite("/a")),
                    .user(0, .write("/a")), .wait(6000),
                ])
        ),
    ]
}
