// Histories that miss a rule which they would break without it: each is named after the mutant of
// `mutants.toml` that it catches. Not responsible for histories that once broke a rule
// (`KnownHistories.swift`).

import RemoteStoreTesting

extension Plan {
    /// The name of each says what would be wrong without the rule.
    static let knownRules: [(name: String, plan: Plan)] = [
        (
            "a folder that was deleted and made anew here steps aside when others have stored something in it",
            Plan(
                seed: 203909, mounts: 1, pageSize: 2000, distance: 0, compaction: .nodes,
                keepsNames: true, faults: 10, pause: 400,
                steps: [
                    .other(.makeFolder("/a")), .network(0, isCut: true),
                    .other(.makeFolder("/a/a/c")), .user(0, .removeTree("/a")),
                    .user(0, .makeFolder("/a")),
                ])
        ),
        (
            "content sent from here counts as another's",
            Plan(
                seed: 201939, mounts: 1, pageSize: 2000, distance: 0, compaction: .nodes,
                keepsNames: true, isLate: true, faults: 10, isHurried: true, pause: 400,
                steps: [
                    .other(.put("/b/a")), .networkCutInRequest(0, changes: 1),
                    .user(0, .save("/b/a")), .user(0, .write("/b/a")),
                ])
        ),
        (
            "an edit does not restore what users deleted",
            Plan(
                seed: 200184, mounts: 1, pageSize: 2000, distance: 400, compaction: .paths,
                keepsNames: true, moveLimit: 4,
                steps: [
                    .other(.put("/a/a")), .user(0, .removeTree("/a")), .other(.put("/a/a")),
                ])
        ),
        (
            "an edit replaces the content under an open handle",
            Plan(
                seed: 200942, mounts: 3, pageSize: 2, distance: 0, compaction: .nodes,
                keepsNames: true, isLate: true, faults: 10, isHurried: true, pause: 3000,
                sharesModes: true,
                steps: [
                    .user(0, .chmod("/a/a", 0o700)), .user(0, .write("/a")), .user(1, .open("/a")),
                    .other(.put("/a")), .user(1, .open("/a")),
                ])
        ),
        (
            "an edited file is removed",
            Plan(
                seed: 200259, mounts: 2, pageSize: 2000, distance: 0, compaction: .paths,
                isHurried: true,
                steps: [
                    .other(.put("/a")), .user(1, .write("/a")), .other(.delete("/a")),
                ])
        ),
        (
            "a moved folder is removed",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .user(0, .makeFolder("/a")), .wait(6000), .network(0, isCut: true),
                    .user(0, .rename("/a", "/b")), .other(.delete("/a")), .network(0, isCut: false),
                ])
        ),
        (
            "an intent is not recognised by its delta",
            Plan(
                seed: 200293, mounts: 2, pageSize: 2, distance: 400, compaction: .paths,
                isLate: true, sharesModes: true,
                steps: [
                    .networkCutInRequest(0, changes: 1), .user(0, .write("/b")), .wait(3000),
                    .user(0, .save("/b")),
                ])
        ),
        (
            "a local-only node inherits an arrival",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .networkCutInRequest(0, changes: 1), .user(0, .write("/a")), .wait(6000),
                    .user(0, .unlink("/a")), .remount(0, ignoring: "a"), .user(0, .write("/a")),
                    .network(0, isCut: false), .wait(10000),
                ])
        ),
        (
            "content that was sent is not known again",
            Plan(
                seed: 201939, mounts: 1, pageSize: 2000, distance: 0, compaction: .nodes,
                keepsNames: true, isLate: true, faults: 10, isHurried: true, pause: 400,
                steps: [
                    .other(.put("/b/a")), .networkCutInRequest(0, changes: 1),
                    .user(0, .save("/b/a")), .user(0, .write("/b/a")),
                ])
        ),
        (
            "a temporary name is shown",
            Plan(
                seed: 1, mounts: 2, pageSize: 2000, distance: 0,
                steps: [
                    .other(.makeFolder("/a")), .other(.makeFolder("/b")), .wait(6000),
                    .network(0, isCut: true), .other(.put("/a/x")), .wait(3000),
                    .networkCutInRequest(1, changes: 1), .user(1, .exchange("/a", "/b")),
                    .wait(10000), .user(0, .removeTree("/a")), .network(0, isCut: false),
                    .wait(10000), .network(1, isCut: false),
                ])
        ),
        (
            "content has no intent",
            Plan(
                seed: 201939, mounts: 1, pageSize: 2000, distance: 0, compaction: .nodes,
                keepsNames: true, isLate: true, faults: 10, isHurried: true, pause: 400,
                steps: [
                    .other(.put("/b/a")), .networkCutInRequest(0, changes: 1),
                    .user(0, .save("/b/a")), .user(0, .write("/b/a")),
                ])
        ),
        (
            "a successor does not keep the history",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .user(0, .unlink("/a")),
                    .user(0, .write("/a")),
                ])
        ),
        (
            "a file is deleted with its folder",
            Plan(
                seed: 200005, mounts: 1, pageSize: 3, distance: 400, isLate: true, isHurried: true,
                pause: 400, sharesModes: true,
                steps: [
                    .user(0, .exchange("/a/a", "/b")), .other(.put("/a/a")), .faults(0, 20),
                    .user(0, .removeTree("/a")),
                ])
        ),
        (
            "a file is deleted before its successor",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .user(0, .unlink("/a")),
                    .user(0, .write("/a")),
                ])
        ),
        (
            "a deletion has no revision",
            Plan(
                seed: 201515, mounts: 2, pageSize: 3, distance: 400, compaction: .paths,
                keepsNames: true, isHurried: true,
                steps: [
                    .other(.put("/b/a")), .wait(6000), .other(.put("/b/a")),
                    .user(1, .removeTree("/b")),
                ])
        ),
        (
            "what users deleted while it was sent stays there",
            Plan(
                seed: 200265, mounts: 1, pageSize: 2000, distance: 0, compaction: .paths,
                keepsNames: true, isLate: true, isHurried: true,
                steps: [
                    .other(.makeFolder("/a")), .wait(6000), .user(0, .write("/a/a")),
                    .user(0, .makeFolder("/b")), .user(0, .unlink("/a/a")),
                ])
        ),
        (
            "promised content is not flushed before it is replaced",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .wait(100), .network(0, isCut: true), .user(0, .write("/a")),
                    .user(0, .flush("/a")), .user(0, .append("/a")), .powerCut(0, calls: 0),
                ])
        ),
        (
            "an fsync does not flush the name",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .wait(100), .network(0, isCut: true), .user(0, .write("/a")),
                    .user(0, .flush("/a")), .powerCut(0, calls: 0),
                ])
        ),
        (
            "a fallback is not returned to after a power cut",
            Plan(
                seed: 4, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .wait(100), .network(0, isCut: true), .user(0, .write("/a")), .wait(3000),
                    .user(0, .write("/a")), .powerCut(0, calls: 0),
                ])
        ),
        (
            "the mark of an ended file is dropped before the file is gone",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .wait(100), .network(0, isCut: true), .user(0, .write("/a")), .wait(3000),
                    .user(0, .unlink("/a")), .kill(0, calls: 0), .mount(0), .kill(0, calls: 0),
                    .mount(0),
                ])
        ),
        (
            "an fsync promises nothing",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .wait(100), .network(0, isCut: true), .user(0, .write("/a")),
                    .user(0, .flush("/a")), .user(0, .append("/a")), .powerCut(0, calls: 0),
                ])
        ),
        (
            "flushed content is cut without another flush",
            Plan(
                seed: 3, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .wait(100), .network(0, isCut: true), .user(0, .write("/a")),
                    .user(0, .append("/a")), .wait(3000), .user(0, .truncate("/a")),
                    .powerCut(0, calls: 0),
                ])
        ),
        (
            "what a truncation cuts off goes before its row",
            Plan(
                seed: 2, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .wait(100), .network(0, isCut: true), .user(0, .write("/a")),
                    .user(0, .append("/a")), .wait(3000), .powerCut(0, calls: 3),
                    .user(0, .truncate("/a")),
                ])
        ),
        (
            "flushed content has no fallback",
            Plan(
                seed: 4, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .wait(100), .network(0, isCut: true), .user(0, .write("/a")), .wait(3000),
                    .user(0, .write("/a")), .powerCut(0, calls: 0),
                ])
        ),
        (
            "a fallback goes before its successor is flushed",
            Plan(
                seed: 7, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .wait(100), .network(0, isCut: true), .user(0, .write("/a")), .wait(3000),
                    .user(0, .write("/a")), .powerCut(0, calls: 0),
                ])
        ),
        (
            "an edit may replace another file before it is flushed",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .other(.put("/a")), .other(.put("/b")), .wait(6000), .network(0, isCut: true),
                    .user(0, .write("/a")), .user(0, .rename("/a", "/b")), .powerCut(0, calls: 0),
                ])
        ),
        (
            "what a user removed is put aside",
            Plan(
                seed: 200110, mounts: 1, pageSize: 2000, distance: 20, keepsNames: true,
                moveLimit: 3, faults: 40, isHurried: true, pause: 400,
                steps: [
                    .user(0, .makeFolder("/c")), .user(0, .write("/a")), .user(0, .save("/c")),
                    .user(0, .rename("/a", "/c")), .kill(0, calls: 0),
                ])
        ),
        (
            "bytes that a row vouches for are written over at once",
            Plan(
                seed: 5, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .wait(100), .network(0, isCut: true), .user(0, .write("/a")),
                    .user(0, .append("/a")), .wait(3000), .powerCut(0, calls: 2),
                    .user(0, .overwrite("/a")),
                ])
        ),
        (
            "the invalidation of a flushed row is not flushed",
            Plan(
                seed: 6, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .wait(100), .network(0, isCut: true), .user(0, .write("/a")),
                    .user(0, .append("/a")), .wait(3000), .user(0, .open("/a")),
                    .user(0, .overwriteOpen), .powerCut(0, calls: 0),
                ])
        ),
        (
            "an atomic save loses the pin",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0,
                steps: [
                    .user(0, .write("/a")), .user(0, .pin("/a", true)), .user(0, .save("/a")),
                ])
        ),
        (
            "the kernel keeps the name of a deleted node",
            Plan(
                seed: 200039, mounts: 2, pageSize: 3, distance: 20, compaction: .nodes,
                keepsNames: true, isHurried: true, pause: 3000, sharesModes: true,
                steps: [
                    .other(.makeFolder("/a/b")), .user(0, .chmod("/a/b", 0o700)),
                    .other(.delete("/a/b")),
                ])
        ),
        (
            "the kernel keeps the content of a file that others changed",
            Plan(
                seed: 200229, mounts: 3, pageSize: 2, distance: 20, compaction: .paths,
                keepsNames: true, isLate: true, pause: 30,
                steps: [
                    .user(0, .write("/a")), .wait(6000), .user(1, .exchange("/a", "/a/b")),
                    .other(.put("/a")),
                ])
        ),
        (
            "the kernel keeps the size of a file whose truncation failed",
            Plan(
                seed: 1, mounts: 1, pageSize: 2000, distance: 0, keepsNames: true,
                steps: [
                    .user(0, .write("/a")), .user(0, .append("/a")), .wait(100),
                    .disk(0, isFull: true), .user(0, .truncate("/a")), .user(0, .truncate("/a")),
                    .user(0, .truncate("/a")),
                ])
        ),
        (
            "a name that differs in case only is a conflict",
            Plan(
                seed: 201710, mounts: 2, pageSize: 3, distance: 20, compaction: .nodes,
                keepsNames: true, pause: 400,
                steps: [
                    .user(0, .makeFolder("/a /a")), .other(.makeFolder("/a ")),
                    .user(0, .write("/A")), .kill(0, calls: 12), .user(0, .write("/a ")),
                    .user(1, .save("/a ")),
                ])
        ),
        (
            "a mode that users set is not owed",
            Plan(
                seed: 200002, mounts: 2, pageSize: 2000, distance: 20, refusesIDs: true,
                keepsNames: true, isLate: true, isHurried: true, pause: 400, sharesModes: true,
                steps: [
                    .other(.put("/b")), .user(1, .chmod("/b", 0o755)),
                ])
        ),
        (
            "an answer about one mode hides a later one",
            Plan(
                seed: 200292, mounts: 2, pageSize: 1, distance: 400, refusesIDs: true, isLate: true,
                pause: 400, sharesModes: true,
                steps: [
                    .other(.makeFolder("/A")), .user(1, .chmod("/A", 0o644)),
                    .user(1, .chmod("/A", 0o755)),
                ])
        ),
        (
            "the kernel is not told of the modes of other machines",
            Plan(
                seed: 200080, mounts: 2, pageSize: 2000, distance: 400, refusesIDs: true,
                compaction: .nodes, keepsNames: true, pause: 30, sharesModes: true,
                steps: [
                    .user(0, .makeFolder("/a")), .wait(6000), .user(0, .chmod("/a", 0o644)),
                    .user(1, .exchange("/a", "/b/a")),
                ])
        ),
        (
            "a folder that was made anew holds a file of the name of one that brings the deleted folder back",
            Plan(
                seed: 154101, mounts: 1, pageSize: 2000, distance: 400, refusesIDs: true,
                compaction: .nodes, moveLimit: 2, isLate: true, folding: .contextual, faults: 40,
                isHurried: true, sharesModes: true,
                steps: [
                    .other(.put("/a/b")), .other(.put("/b/a")), .user(0, .makeFolder("/b")),
                    .other(.put("/a/a")), .user(0, .removeTree("/a")),
                    .user(0, .makeFolder("/a")), .user(0, .rename("/b/a", "/a/a")),
                ])
        ),
    ]
}
