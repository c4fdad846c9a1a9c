// More histories that miss a rule which they would break without it, most of them by a rule about
// requests, views or modes. Not responsible for the others (`KnownHistories+Rules.swift`).

import RemoteStoreTesting

extension Plan {
    /// The name of each is that of the mutant that it catches.
    static let knownToldMore: [(name: String, plan: Plan)] = [
        (
            "unknown contents go with a folder",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .other(.makeFolder("/a")), .wait(6000), .network(0, isCut: true),
                    .other(.put("/a/x")), .wait(3000), .user(0, .removeTree("/a")),
                ])
        ),
        (
            "another folder at the path is deleted",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, isHurried: true,
                steps: [
                    .other(.makeFolder("/a")), .wait(6000), .other(.move("/a", "/b")),
                    .other(.makeFolder("/a")), .user(0, .removeFolder("/a")),
                ])
        ),
        (
            "a commit runs beside a metadata read",
            Plan(
                seed: 3000087, mounts: 1, pageSize: 2000, distance: 400, keepsNames: true,
                isHurried: true, pause: 3000, sharesModes: true,
                steps: [
                    .network(0, isCut: false), .wait(100), .wait(100), .wait(6000),
                    .user(0, .write("/a")), .user(0, .chmod("/a", 0o700)),
                ])
        ),
        (
            "no flush before a commit is sent",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .wait(3000), .faults(0, 100), .user(0, .write("/a")), .wait(5000),
                    .user(0, .write("/a")), .faults(0, 0), .powerCutInRequest(0, changes: 1),
                    .wait(20000),
                ])
        ),
        (
            "no flush before a folder is deleted",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 400, isHurried: true,
                steps: [
                    .other(.makeFolder("/a")), .wait(6000), .powerCutInRequest(0, changes: 1),
                    .user(0, .removeFolder("/a")), .wait(600), .other(.put("/a/y")), .wait(3000),
                ])
        ),
        (
            "no flush before a staging file is removed",
            Plan(
                seed: 2, mounts: 1, pageSize: 2000, distance: 0, isHurried: true,
                steps: [
                    .wait(3000), .network(0, isCut: true), .user(0, .write("/a")), .wait(4000),
                    .user(0, .unlink("/a")), .wait(3000), .powerCut(0, calls: 0),
                ])
        ),
        (
            "a file is put aside before the end of its row is on the disk",
            Plan(
                seed: 3, mounts: 1, pageSize: 2000, distance: 0, isHurried: true,
                steps: [
                    .wait(100), .network(0, isCut: true), .user(0, .write("/a")), .wait(2000),
                    .user(0, .append("/a")), .powerCut(0, calls: 0), .powerCut(0, calls: 25),
                    .mount(0),
                ])
        ),
        (
            "the pin of a detached open file stays with its successor",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .other(.put("/a")), .user(0, .pin("/a", true)), .user(0, .open("/a")),
                    .other(.put("/a")), .other(.delete("/a")), .user(0, .writeOpen),
                ])
        ),
        (
            "the kernel takes a name for free before the tree is complete",
            Plan(
                seed: 4, mounts: 1, pageSize: 1, distance: 400, keepsNames: true,
                steps: [
                    .other(.put("/b")), .other(.put("/c")), .other(.put("/d")),
                    .user(0, .unlink("/z")), .other(.put("/z")),
                ])
        ),
        (
            "a mode that others tell replaces one that is on its way",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, sharesModes: true,
                steps: [
                    .user(0, .write("/a")), .networkCutInRequest(0, changes: 1),
                    .user(0, .chmod("/a", 0o700)), .wait(40000), .user(0, .chmod("/a", 0o644)),
                ])
        ),
        (
            "a move by others makes the mode owed",
            Plan(
                seed: 6, mounts: 2, pageSize: 2000, distance: 0, isHurried: true, sharesModes: true,
                steps: [
                    .other(.put("/a")), .user(1, .chmod("/a", 0o700)), .wait(10000),
                    .user(1, .chmod("/a", 0o600)), .other(.move("/a", "/c/a")),
                ])
        ),
        (
            "a save takes modes along that others may have changed unseen",
            Plan(
                seed: 1, mounts: 2, pageSize: 2000, distance: 0, sharesModes: true,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .user(1, .chmod("/a", 0o600)),
                    .user(0, .append("/a")),
                ])
        ),
        (
            "a link whose text others have changed stays a link",
            Plan(
                seed: 7, mounts: 1, pageSize: 2000, distance: 0, sharesModes: true,
                steps: [
                    .user(0, .link("/a")), .wait(6000), .other(.put("/a")),
                ])
        ),
        (
            "a restored content has the time of the one before where a mode is not sent yet",
            Plan(
                seed: 910617, mounts: 3, pageSize: 3, distance: 20, compaction: .paths,
                moveLimit: 2, isLate: true, faults: 10, isHurried: true, pause: 3000,
                sharesModes: true,
                steps: [
                    .user(0, .makeFolder("/a")), .user(0, .write("/a/a")), .kill(0, calls: 4),
                    .user(0, .chmod("/a/a", 493)), .user(1, .saveSafely("/a/a")),
                    .user(2, .restore("/a/a")),
                ])
        ),
        (
            "a file that is back in its folder, which users have moved, goes when others delete it",
            Plan(
                seed: 278918, mounts: 1, pageSize: 2000, distance: 400, compaction: .paths,
                folding: .scalar, faults: 10, blockSize: 8,
                steps: [
                    .other(.makeFolder("/a/a")), .other(.put("/b/a")),
                    .user(0, .exchange("/a/a", "/b")), .other(.delete("/a/a")),
                    .user(0, .exchange("/b", "/a")), .user(0, .exchange("/b/a", "/a")),
                ])
        ),
        (
            "a file whose deletion is refused has the time of an edit before that",
            Plan(
                seed: 4039, mounts: 1, pageSize: 3, distance: 0, moveLimit: 4,
                steps: [
                    .other(.put("/a/b")), .readOnly("/a"), .user(0, .write("/a/b")),
                    .user(0, .unlink("/a/b")), .wait(3000),
                ])
        ),
    ]
}
