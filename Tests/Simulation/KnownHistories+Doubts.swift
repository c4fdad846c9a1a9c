// Histories that once broke a rule although the program had kept all promises, shortened:
// `Simulation --known` plays them, too.

import RemoteStoreTesting

extension Plan {
    /// The name of each says what the rule had not allowed.
    static let knownDoubts: [(name: String, plan: Plan)] = [
        (
            "a write through an open handle, across the end that its file was saved with, is cut off there by a kill",
            Plan(
                seed: 5169, mounts: 1, pageSize: 3, distance: 0, compaction: .paths, moveLimit: 3,
                isLate: true, pause: 30,
                steps: [
                    .user(0, .write("/b")), .user(0, .write("/a/b")), .user(0, .makeFolder("/b")),
                    .wait(6000), .user(0, .open("/b")), .wait(3000), .user(0, .write("/b/c")),
                    .user(0, .makeFolder("/b/c")), .user(0, .write("/b")),
                    .user(0, .write("/b/b")), .user(0, .writeOpen), .other(.makeFolder("/a/b")),
                    .user(0, .overwrite("/b/b")), .other(.makeFolder("/b/a")),
                    .other(.move("/b", "/b")), .user(0, .overwriteOpen), .kill(0, calls: 0),
                ])
        ),
        (
            "others edit a file that was moved here, and delete it with the edit before that is known here",
            Plan(
                seed: 2843, mounts: 1, pageSize: 2, distance: 20, compaction: .nodes, moveLimit: 6,
                pause: 3000,
                steps: [
                    .other(.put("/a/b/a")), .network(0, isCut: true), .other(.put("/a/b/a")),
                    .user(0, .rename("/a/b/a", "/a/b/b")), .other(.delete("/a")),
                ])
        ),
        (
            "a folder that was given another spelling here is deleted by others",
            Plan(
                seed: 8652, mounts: 1, pageSize: 3, distance: 20, compaction: .nodes, isLate: true,
                faults: 10, isHurried: true,
                steps: [
                    .other(.makeFolder("/a/b")), .user(0, .makeFolder("/a/b/A")), .wait(6000),
                    .user(0, .rename("/a/b/A", "/a/b/a")), .other(.delete("/a/b/a")),
                ])
        ),
        (
            "a conflict with others who edit the file under another spelling of its name",
            Plan(
                seed: 3047, mounts: 2, pageSize: 2, distance: 400, keepsNames: true, isLate: true,
                isHurried: true,
                steps: [
                    .user(0, .write("/A")), .wait(6000), .other(.put("/a")),
                    .user(0, .write("/A")),
                ])
        ),
        (
            "a file that users deleted, whose bytes others store again after other ones",
            Plan(
                seed: 24332, mounts: 3, pageSize: 2000, distance: 400, keepsNames: true,
                isLate: true,
                steps: [
                    .other(.put("/b/a")), .wait(100), .user(2, .removeTree("/b")),
                    .other(.put("/b/a")), .other(.putSame(1, "/b/a")),
                ])
        ),
        (
            "a file that a late server stores under an alias, after its folder was deleted",
            Plan(
                seed: 23749, mounts: 2, pageSize: 2000, distance: 0, isLate: true, faults: 40,
                pause: 30, sharesModes: true,
                steps: [
                    .other(.makeFolder("/A/A")), .wait(6000), .other(.put("/a")),
                    .user(1, .link("/A/a")), .user(1, .makeFolder("/a")),
                    .user(1, .chmod("/A/a", 420)), .user(0, .chmod("/a/B", 448)),
                    .other(.put("/a/A")), .user(1, .removeTree("/a")), .wait(2200),
                    .user(1, .removeTree("/A")),
                ])
        ),
        (
            "others store the bytes of a save under its name, while they arrive under the name of before",
            Plan(
                seed: 143341, mounts: 1, pageSize: 3, distance: 400, compaction: .paths,
                moveLimit: 5, isLate: true, isHurried: true,
                steps: [
                    .user(0, .makeFolder("/b/b")), .user(0, .makeFolder("/b/b/b")), .wait(6000),
                    .user(0, .makeFolder("/b")), .wait(400), .user(0, .save("/a")),
                    .other(.putSame(0, "/a")),
                ])
        ),
        (
            "a power cut takes a save whose bytes others have stored",
            Plan(
                seed: 105612, mounts: 1, pageSize: 2, distance: 0, compaction: .paths,
                keepsNames: true, isLate: true, isHurried: true,
                steps: [
                    .user(0, .makeFolder("/b")), .wait(6000), .user(0, .flushFolder("/")),
                    .user(0, .save("/a")), .user(0, .flushFolder("/b")), .user(0, .save("/a")),
                    .other(.putSame(0, "/a")), .powerCut(0, calls: 0),
                ])
        ),
        (
            "users and others make a folder under one alias, which goes back to its own name",
            Plan(
                seed: 96105, mounts: 1, pageSize: 2000, distance: 400, keepsNames: true,
                isHurried: true,
                steps: [
                    .other(.makeFolder("/a/A/A (Case Conflict)")), .user(0, .write("/a")),
                    .other(.makeFolder("/A (Case Conflict)")), .user(0, .makeFolder("/A")),
                    .user(0, .rename("/a", "/A (Case Conflict)")),
                ])
        ),
        (
            "a folder waits for its second move under a name that a third client has taken",
            Plan(
                seed: 617589, mounts: 3, pageSize: 2000, distance: 400, compaction: .nodes,
                isHurried: true, blockSize: 8,
                steps: [
                    .user(0, .makeFolder("/b")), .user(0, .makeFolder("/a")),
                    .user(0, .makeFolder("/a")), .wait(6000), .user(1, .exchange("/b", "/a")),
                    .other(.move("/b", "/a/a")), .user(0, .rename("/a", "/b/a")),
                    .user(0, .write("/a")),
                ])
        ),
        (
            "deltas tell of a folder twice, first without the mode that users have set back",
            Plan(
                seed: 791102, mounts: 1, pageSize: 2000, distance: 0, refusesIDs: true,
                keepsNames: true, isHurried: true, sharesModes: true, blockSize: 8,
                steps: [
                    .user(0, .makeFolder("/b")), .user(0, .chmod("/b", 0o644)), .wait(100),
                    .kill(0, calls: 0), .mount(0), .user(0, .chmod("/b", 0o755)),
                ])
        ),
        (
            "a folder comes back for a new file, and with it users' folder of an unpredicted key",
            Plan(
                seed: 903918, mounts: 2, pageSize: 3, distance: 400, keepsNames: true,
                moveLimit: 3, isLate: true, folding: .simple, faults: 10, pause: 400,
                steps: [
                    .other(.put("/i/İ")), .other(.makeFolder("/i")), .wait(6000),
                    .user(0, .makeFolder("/İ")), .other(.put("/i/i/İ")),
                    .user(0, .copy("/İ", "/i/i/İ")), .user(0, .removeTree("/i")),
                    .network(0, isCut: false), .user(1, .write("/İ/İ")),
                    .user(1, .write("/İ/İ")), .other(.put("/i/İ")), .user(0, .write("/i/İ")),
                    .user(0, .rename("/i/i", "/İ/i")), .user(0, .makeFolder("/İ/İ")),
                ])
        ),
    ]
}
