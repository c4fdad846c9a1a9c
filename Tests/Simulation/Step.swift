// The steps of a history as values: what a seed stands for, and what a failing history is shortened to.

import RemoteStoreTesting
import TestSupport

/// One step. Paths are those of the actor's own view at that time.
enum Step: Hashable, Sendable {
    /// A user of a mount.
    case user(Int, UserStep)
    /// Another client, which talks to the server directly.
    case other(OtherStep)
    /// So many jobs run, and no time passes.
    case jobs(Int)
    /// So many milliseconds pass.
    case wait(Int)
    /// The process of a mount is killed before it changes its disk once more than so many times.
    case kill(Int, calls: Int = 0)
    /// The power of a mount's machine is cut, in the same way.
    case powerCut(Int, calls: Int)
    /// A mount is ended in an orderly way, without waiting for its queue.
    case unmount(Int)
    /// A mount begins, unless it runs.
    case mount(Int)
    /// So many of a hundred requests of a mount fail.
    case faults(Int, Int)
    /// A mount's network is gone, or back.
    case network(Int, isCut: Bool)
    /// All cursors expire.
    case resetCursors
    /// A mount's disk takes nothing that needs room, or does so again.
    case disk(Int, isFull: Bool)
    /// The date of a mount's machine is set so many seconds ahead of the server's.
    case date(Int, Int)
    /// A mount is ended in an orderly way, and begins again with these patterns of what stays local.
    case remount(Int, ignoring: String)
}

/// What a user does on a mount.
enum UserStep: Hashable, Sendable {
    /// Writes a new content, in place of an earlier one.
    case write(String)
    /// Adds to the present content.
    case append(String)
    /// Writes beside a file and renames over it, as editors do.
    case save(String)
    /// The same, with an `fsync` before the rename.
    case saveSafely(String)
    /// `fsync` of a file.
    case flush(String)
    /// `fsync` of a folder.
    case flushFolder(String)
    /// `fsync` of all open files.
    case flushOpen
    /// Makes an older revision of a file the current one.
    case restore(String)
    case makeFolder(String)
    /// Removes a file.
    case unlink(String)
    /// Removes a folder if it is empty.
    case removeFolder(String)
    /// Removes a folder with its contents.
    case removeTree(String)
    case rename(String, String)
    case exchange(String, String)
    /// Opens a file to write to it later.
    case open(String)
    /// Writes to all open files.
    case writeOpen
    /// Closes all open files.
    case close
    /// Lists a folder.
    case list(String)
}

/// What another client does.
enum OtherStep: Hashable, Sendable {
    case put(String)
    case makeFolder(String)
    case delete(String)
    case move(String, String)
}

/// The history of a seed.
struct Plan: Sendable {
    static let mostMounts = 2

    var seed: UInt64
    /// Number of mounts of the account.
    var mounts: Int
    /// Entries in a page of a listing.
    var pageSize: Int
    /// The longest way of a request or a reply, in milliseconds.
    var distance: Int
    /// Changes by id are refused.
    var refusesIDs: Bool
    /// What the server leaves out of the changes.
    var compaction: LogCompaction
    var steps: [Step]

    init(
        seed: UInt64, mounts: Int, pageSize: Int, distance: Int, refusesIDs: Bool = false,
        compaction: LogCompaction = .none, steps: [Step]
    ) {
        self.seed = seed
        self.mounts = mounts
        self.pageSize = pageSize
        self.distance = distance
        self.refusesIDs = refusesIDs
        self.compaction = compaction
        self.steps = steps
    }

    /// Whether a mount's machine flushes closed files by itself, and knows afterwards that it did: not with a full
    /// disk, nor after its date was set back.
    func flushes(_ mount: Int) -> Bool {
        !steps.contains { step in
            switch step {
            case .disk(mount, isFull: true), .date(mount, _): true
            default: false
            }
        }
    }

    /// Whether the power of a mount's machine is cut at some time.
    func cutsPower(of mount: Int) -> Bool {
        steps.contains { step in
            if case .powerCut(mount, _) = step { return true }
            return false
        }
    }

    /// Draws the history of a seed.
    init(seed: UInt64, steps count: Int) {
        var random = SeededRandom(seed: seed)
        self.seed = seed
        mounts = Int.random(in: 1...Self.mostMounts, using: &random)
        pageSize = [2, 3, 2000].randomElement(using: &random) ?? 3
        distance = [0, 20, 400].randomElement(using: &random) ?? 20
        refusesIDs = Int.random(in: 0..<5, using: &random) == 0
        compaction = LogCompaction.allCases.randomElement(using: &random) ?? .none
        let names =
            [["a", "b"], ["a", "b", "c"], ["a", "A", "b"]].randomElement(using: &random) ?? ["a"]
        var drawing = StepDrawing(random: random, names: names, mounts: mounts)
        steps = (0..<count).map { drawing.next(isFirst: $0 < 6) }
    }
}

/// Draws steps, each independent of the others: what cannot be done is refused and changes nothing.
private struct StepDrawing {
    var random: SeededRandom
    var names: [String]
    var mounts: Int

    /// Paths of what earlier steps made, or would have made.
    private var made: [String] = ["/a"]

    init(random: SeededRandom, names: [String], mounts: Int) {
        self.random = random
        self.names = names
        self.mounts = mounts
    }

    /// The first steps make things, so that there is something to change.
    mutating func next(isFirst: Bool) -> Step {
        let mount = draw(mounts)
        if isFirst { return first(mount) }
        switch draw(107) {
        case 0..<56: return .user(mount, user())
        case 56..<74: return .other(other())
        case 74..<80: return .jobs(1 << draw(7))
        case 80..<90: return .wait([1, 10, 100, 3000, 40_000][draw(5)])
        case 90, 91: return .kill(mount, calls: calls())
        case 100..<103: return .powerCut(mount, calls: calls())
        case 103, 104: return .disk(mount, isFull: draw(2) == 0)
        case 105: return .date(mount, [0, 10, 3600, 86_400][draw(4)] * (draw(2) == 0 ? 1 : -1))
        case 106...:
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

    /// Half of the ends are between two steps.
    private mutating func calls() -> Int { draw(2) == 0 ? 0 : 1 + draw(1 << draw(7)) }

    private mutating func user() -> UserStep {
        switch draw(32) {
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
