// Histories that once broke a rule about own names, modes or times. Not responsible for those about
// content and places (`KnownHistories.swift`).

import RemoteStoreTesting

extension Plan {
    /// Each with the name of what went wrong.
    static let knownNames: [(name: String, plan: Plan)] = [
        (
            "a node returns to its own name, which the server has under a key that was not predicted",
            Plan(
                seed: 4029, mounts: 3, pageSize: 3, distance: 400, refusesIDs: true,
                folding: .contextual, pause: 400,
                steps: [
                    .user(0, .makeFolder("/aσ")), .user(0, .write("/aΣ")), .wait(6000),
                    .other(.delete("/aΣ")), .other(.move("/aσ", "/aΣ")), .other(.putSame(0, "/aΣ")),
                ])
        ),
        (
            "a file that is renamed over the one which it made need an alias takes the alias",
            Plan(
                seed: 5206, mounts: 3, pageSize: 2000, distance: 400, compaction: .nodes,
                steps: [
                    .other(.put("/A")), .user(0, .save("/a")), .user(0, .rename("/A", "/a")),
                ])
        ),
        (
            "a node keeps its alias in a folder where nothing has its own name",
            Plan(
                seed: 791, mounts: 3, pageSize: 2000, distance: 400, compaction: .paths,
                keepsNames: true, isLate: true, faults: 10, isHurried: true, pause: 30,
                sharesModes: true,
                steps: [
                    .other(.put("/a/b")), .other(.makeFolder("/a/A")),
                    .user(0, .overwrite("/a/b")), .other(.move("/a", "/b")),
                    .user(0, .write("/a/a")),
                ])
        ),
        (
            "a moved file that others edit comes back under an own name that is a folder's by now",
            Plan(
                seed: 1812, mounts: 1, pageSize: 2, distance: 400, compaction: .nodes, faults: 40,
                isHurried: true, pause: 30, sharesModes: true,
                steps: [
                    .user(0, .makeFolder("/a")), .user(0, .write("/A")), .wait(40000),
                    .user(0, .chmod("/A", 493)),
                    .user(0, .rename("/A", "/a/a (Case Conflict)")), .other(.makeFolder("/a")),
                    .user(0, .write("/a")), .user(0, .write("/a/a (Case Conflict)")),
                    .user(0, .rename("/a", "/A")), .other(.put("/a (Case Conflict)")),
                ])
        ),
        (
            "the mode of a content that a power cut has taken stays with the one that comes back",
            Plan(
                seed: 12982, mounts: 1, pageSize: 2, distance: 0, compaction: .nodes,
                isHurried: true, sharesModes: true,
                steps: [
                    .user(0, .write("/a")), .user(0, .chmod("/a", 493)), .powerCut(0, calls: 41),
                    .wait(2200), .user(0, .save("/a")),
                ])
        ),
        (
            "one of two exchanged nodes with equal aliases loses its own name between two moves",
            Plan(
                seed: 61566, mounts: 1, pageSize: 3, distance: 0, isHurried: true, pause: 30,
                steps: [
                    .other(.makeFolder("/a/a")), .user(0, .write("/a/A")),
                    .user(0, .makeFolder("/a/a/b")), .user(0, .makeFolder("/A")),
                    .user(0, .exchange("/A", "/a/A")),
                ])
        ),
        (
            "a file that others restore keeps the time that it had here before they had changed it",
            Plan(
                seed: 67028, mounts: 3, pageSize: 2000, distance: 400, compaction: .paths,
                faults: 10, pause: 3000,
                steps: [
                    .other(.makeFolder("/a/a")), .user(1, .makeFolder("/a/a/a")),
                    .user(2, .write("/b")), .user(0, .write("/b")), .user(1, .restore("/b")),
                ])
        ),
        (
            "a mode that the server had of a deleted file counts as that of others' file in its place",
            Plan(
                seed: 102_971, mounts: 1, pageSize: 2000, distance: 400, compaction: .paths,
                keepsNames: true, moveLimit: 5, faults: 10, pause: 0, sharesModes: true,
                steps: [
                    .other(.put("/a/a")), .user(0, .chmod("/a/a", 493)), .wait(6000),
                    .other(.delete("/a/a")), .user(0, .write("/a/a")),
                    .other(.putSame(0, "/a/a")), .user(0, .chmod("/a/a", 493)), .wait(10000),
                ])
        ),
        (
            "content that is written between its decision and its upload is sent with its own time",
            Plan(
                seed: 143_841, mounts: 1, pageSize: 3, distance: 400, compaction: .nodes,
                keepsNames: true, isHurried: true, pause: 0,
                steps: [
                    .user(0, .makeFolder("/b/a")), .user(0, .flush("/a")), .user(0, .save("/a")),
                    .wait(2200), .user(0, .overwrite("/a")), .date(0, 86400),
                    .user(0, .write("/a")),
                ])
        ),
        (
            "a delta from before an exchange shows a folder under its old name, and the next one under an alias without its own name",
            Plan(
                seed: 914963, mounts: 1, pageSize: 2000, distance: 0, keepsNames: true,
                isLate: true, faults: 40, isHurried: true, pause: 400,
                steps: [
                    .user(0, .write("/a/b")), .user(0, .makeFolder("/A")), .wait(6000),
                    .user(0, .save("/a")), .user(0, .exchange("/A", "/a")),
                ])
        ),
        (
            "a mode arrives whose file a save has replaced since",
            Plan(
                seed: 88, mounts: 1, pageSize: 2000, distance: 400, isHurried: true,
                sharesModes: true,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .user(0, .chmod("/a", 0o600)),
                    .wait(300), .user(0, .save("/a")), .wait(60000),
                ])
        ),
        (
            "the response to a mode is lost, whose file a save has replaced since",
            Plan(
                seed: 262, mounts: 1, pageSize: 2000, distance: 400, faults: 20, isHurried: true,
                sharesModes: true,
                steps: [
                    .user(0, .write("/a")), .wait(60000), .user(0, .chmod("/a", 0o600)),
                    .wait(300), .user(0, .save("/a")), .wait(60000),
                ])
        ),
        (
            "a file takes its own name on the server, where another one has it under a key that was not predicted",
            Plan(
                seed: 15, mounts: 1, pageSize: 3, distance: 400, compaction: .paths,
                keepsNames: true, isLate: true, folding: .simple, faults: 10, isHurried: true,
                pause: 400,
                steps: [
                    .user(0, .write("/\u{130}")), .user(0, .write("/\u{130}")),
                    .user(0, .write("/I\u{307}")), .networkCutInRequest(0, changes: 1),
                    .wait(40000), .user(0, .rename("/\u{130}", "/i")),
                    .user(0, .save("/\u{130}")),
                ])
        ),
        (
            "a file is written under the name of one between two moves, which the server has under a key that was not predicted",
            Plan(
                seed: 111772, mounts: 1, pageSize: 2000, distance: 400, folding: .simple,
                isHurried: true, pause: 400,
                steps: [
                    .user(0, .write("/\u{130}")), .wait(6000), .faults(0, 40),
                    .user(0, .rename("/\u{130}", "/i")), .user(0, .write("/\u{130}")),
                ])
        ),
        (
            "a file that Dropbox has gets another spelling of a name that is ignored since",
            Plan(
                seed: 525733, mounts: 1, pageSize: 2, distance: 20, keepsNames: true, moveLimit: 4,
                isLate: true, pause: 3000,
                steps: [
                    .user(0, .write("/a")), .remount(0, ignoring: "a "),
                    .user(0, .rename("/a", "/A")),
                ])
        ),
    ]
}
