// Draws the steps of a seed's history. Not responsible for carrying them out.

import RemoteStoreTesting
import TestSupport

extension Plan {
    /// Draws the history of a seed.
    init(seed: UInt64, steps count: Int) {
        var random = SeededRandom(seed: seed)
        self.seed = seed
        mounts = Int.random(in: 1...Self.mostMounts, using: &random)
        pageSize = [2, 3, 2000].randomElement(using: &random) ?? 3
        distance = [0, 20, 400].randomElement(using: &random) ?? 20
        refusesIDs = Int.random(in: 0..<5, using: &random) == 0
        compaction = LogCompaction.allCases.randomElement(using: &random) ?? .none
        // Of its own, so that the other draws of a seed stay.
        var cache = SeededRandom(seed: ~seed)
        keepsNames = Int.random(in: 0..<2, using: &cache) == 0
        var size = SeededRandom(seed: seed ^ 0x5EED)
        moveLimit =
            Int.random(in: 0..<4, using: &size) == 0 ? .random(in: 2...6, using: &size) : 10_000
        let names =
            [["a", "b"], ["a", "b", "c"], ["a", "A", "b"]].randomElement(using: &random) ?? ["a"]
        // Many losses need a flush, a change and a cut within seconds: one drawing of steps aims at that.
        let isAboutCuts = Int.random(in: 0..<3, using: &random) == 0
        if isAboutCuts { mounts = 1 }
        var drawing = StepDrawing(
            random: random, names: names, mounts: mounts, isAboutCuts: isAboutCuts)
        steps = (0..<count).map { drawing.next(isFirst: $0 < 6) }
    }
}

/// Draws steps, each independent of the others: what cannot be done is refused and changes nothing.
private struct StepDrawing {
    var random: SeededRandom
    var names: [String]
    var mounts: Int
    /// Whether most steps change a few files, or cut the power.
    var isAboutCuts: Bool

    /// Paths of what earlier steps made, or would have made.
    private var made: [String] = ["/a"]

    init(random: SeededRandom, names: [String], mounts: Int, isAboutCuts: Bool) {
        self.random = random
        self.names = names
        self.mounts = mounts
        self.isAboutCuts = isAboutCuts
        if isAboutCuts { made = names.map { "/" + $0 } }
    }

    /// The first steps make things, so that there is something to change.
    mutating func next(isFirst: Bool) -> Step {
        if isAboutCuts, draw(8) != 0 { return aboutCuts() }
        let mount = draw(mounts)
        if isFirst { return first(mount) }
        switch draw(110) {
        case 0..<56: return .user(mount, user())
        case 56..<74: return .other(other())
        case 74..<80: return .jobs(1 << draw(7))
        case 80..<90: return .wait([1, 10, 100, 3000, 40_000][draw(5)])
        case 90, 91: return .kill(mount, calls: calls())
        case 100..<103: return .powerCut(mount, calls: calls())
        case 107...: return .powerCutInRequest(mount, changes: 1 + draw(1 << draw(4)))
        case 103, 104: return .disk(mount, isFull: draw(2) == 0)
        case 105: return .date(mount, [0, 10, 3600, 86_400][draw(4)] * (draw(2) == 0 ? 1 : -1))
        case 106:
            return .remount(mount, ignoring: draw(3) == 0 ? "" : names[draw(names.count)])
        case 92: return .unmount(mount)
        case 93, 94: return .mount(mount)
        case 95: return .faults(mount, [0, 10, 40][draw(3)])
        case 96, 97: return .network(mount, isCut: draw(2) == 0)
        case 98: return .resetCursors
        default: return .wait(400_000)
        }
    }

    private mutating func first(_ mount: Int) -> Step {
        switch draw(5) {
        case 0: .user(mount, .makeFolder(fresh()))
        case 1: .other(.makeFolder(fresh()))
        case 2: .user(mount, .write(fresh()))
        case 3: .other(.put(fresh()))
        default: .wait(6000)
        }
    }

    private mutating func aboutCuts() -> Step {
        switch draw(20) {
        case 0..<11: .user(0, content(of: draw(3) == 0 ? known() : made[0]))
        case 11..<15: .wait([100, 1000, 2200, 3000, 6000][draw(5)])
        case 15, 16: .powerCut(0, calls: calls())
        case 17: .powerCutInRequest(0, changes: 1)
        case 18: .network(0, isCut: draw(2) == 0)
        default: .mount(0)
        }
    }

    private mutating func content(of path: String) -> UserStep {
        switch draw(18) {
        case 0..<4: .write(path)
        case 4: .append(path)
        case 5, 6: .overwrite(path)
        case 7: .truncate(path)
        case 8, 9: .save(path)
        case 10: .flush(path)
        case 11: .flushFolder("/")
        case 12: .open(path)
        case 13: .writeOpen
        case 14: .overwriteOpen
        case 15: .close
        case 16: .rename(path, known())
        default: .unlink(path)
        }
    }

    /// Half of the ends are between two steps.
    private mutating func calls() -> Int { draw(2) == 0 ? 0 : 1 + draw(1 << draw(7)) }

    private mutating func user() -> UserStep {
        switch draw(38) {
        case 0..<4: .write(draw(2) == 0 ? fresh() : known())
        case 4, 5: .append(known())
        case 6, 7: .save(known())
        case 8, 9, 10: .makeFolder(fresh())
        case 11, 12: .unlink(known())
        case 13: .removeFolder(known())
        case 14, 15: .removeTree(known())
        case 16..<20: .rename(known(), draw(2) == 0 ? fresh() : known())
        case 20: .exchange(known(), known())
        case 21: .open(known())
        case 22: .writeOpen
        case 23: .close
        case 26, 27: .flush(known())
        case 28: .saveSafely(known())
        case 29: .flushOpen
        case 30: .flushFolder(known())
        case 31: .restore(known())
        case 32, 33: .overwrite(known())
        case 34: .overwriteOpen
        case 35: .truncate(known())
        case 36, 37: .pin(known(), draw(4) != 0)
        default: .list(known())
        }
    }

    private mutating func other() -> OtherStep {
        switch draw(10) {
        case 0..<2: .put(fresh())
        case 2, 3: .put(known())
        case 4: .makeFolder(fresh())
        case 5, 6: .delete(known())
        default: .move(known(), draw(2) == 0 ? fresh() : known())
        }
    }

    /// A path below an existing folder, which may be new.
    private mutating func fresh() -> String {
        let folder = draw(3) == 0 ? "" : made[draw(made.count)]
        let path = folder.split(separator: "/").count > 2 ? "" : folder
        made.append(path + "/" + names[draw(names.count)])
        return made[made.count - 1]
    }

    /// A path of something that was made before.
    private mutating func known() -> String { made[draw(made.count)] }

    private mutating func draw(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
}
