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
        (
            "a mode that users set back after the response to the creation was lost is the server's",
            Plan(
                seed: 90484, mounts: 1, pageSize: 2000, distance: 0, faults: 40, isHurried: true,
                pause: 3000, sharesModes: true, blockSize: 8,
                steps: [
                    .user(0, .makeFolder("/a/b")), .user(0, .link("/a/b/a")), .wait(6000),
                    .user(0, .append("/a/b/a")), .user(0, .append("/a")), .jobs(8),
                    .user(0, .open("/a")), .user(0, .writeOpen), .user(0, .removeTree("/a/b")),
                    .jobs(2), .user(0, .removeTree("/a/b")), .user(0, .chmod("/a/b/a", 0o644)),
                    .user(0, .write("/a")), .user(0, .copy("/a/b/a", "/a")), .jobs(4),
                    .user(0, .chmod("/a", 0o755)), .network(0, isCut: true), .kill(0, calls: 0),
                    .mount(0), .user(0, .chmod("/a", 0o644)),
                ])
        ),
        (
            "a folder that users moved away and back stays away, if the first response was lost",
            Plan(
                seed: 1036319, mounts: 1, pageSize: 3, distance: 0, compaction: .paths,
                keepsNames: true, isHurried: true, pause: 3000, sharesModes: true, blockSize: 8,
                steps: [
                    .other(.makeFolder("/a/a/a")), .networkCutInRequest(0, changes: 1),
                    .user(0, .rename("/a/a/a", "/A")), .user(0, .rename("/A", "/a/a/a")),
                ])
        ),
        (
            "content that users set back is the server's already, but other content has arrived",
            Plan(
                seed: 311583, mounts: 1, pageSize: 3, distance: 0, keepsNames: true,
                isHurried: true, pause: 3000, blockSize: 8,
                steps: [
                    .user(0, .write("/b")), .user(0, .copy("/b", "/b.copy")),
                    .user(0, .write("/a/b")), .user(0, .copy("/a/b", "/a/b.copy")),
                    .user(0, .write("/b")), .wait(6000), .other(.put("/a")),
                    .user(0, .hold("/a/b")), .other(.put("/b")), .other(.put("/a/b")),
                    .user(0, .copy("/b", "/b.copy")), .user(0, .hold("/b")),
                    .user(0, .write("/b")), .user(0, .hold("/b")), .faults(0, 50),
                    .user(0, .append("/b")), .jobs(16), .user(0, .copy("/a", "/b")),
                    .user(0, .overwrite("/b")), .jobs(4), .user(0, .truncate("/b")), .jobs(8),
                ])
        ),
        (
            "the feed tells a revision that this mount has replaced, and then its next one",
            Plan(
                seed: 109180, mounts: 1, pageSize: 2, distance: 400, isLate: true, faults: 40,
                isHurried: true, blockSize: 16,
                steps: [
                    .user(0, .makeFolder("/a")), .user(0, .write("/a/b")), .wait(6000),
                    .wait(6000), .user(0, .write("/a/a")), .user(0, .write("/a/b")),
                    .user(0, .write("/a/b")),
                ])
        ),
        (
            "a folder waits for ever for a new one whose key was not predicted, to move into it",
            Plan(
                seed: 1034106, mounts: 2, pageSize: 2, distance: 400, compaction: .nodes,
                moveLimit: 2, isLate: true, folding: .simple, isHurried: true, blockSize: 8,
                steps: [
                    .other(.put("/İ/i")), .user(1, .makeFolder("/İ")),
                    .user(1, .rename("/İ", "/İ/i")),
                ])
        ),
    ]
}
