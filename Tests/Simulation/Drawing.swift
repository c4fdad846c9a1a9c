// Draws the steps of a seed's history. Not responsible for carrying them out.

import RemoteStoreTesting
import TestSupport

extension Plan {
    /// Draws the history of a seed.
    init(seed: UInt64, steps count: Int) {
        var random = SeededRandom(seed: seed)
        self.seed = seed
        mounts = Int.random(in: 1...2, using: &random)
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
        var delay = SeededRandom(seed: seed ^ 0x1A7E)
        isLate = Bool.random(using: &delay)
        var names =
            [["a", "b"], ["a", "b", "c"], ["a", "A", "b"]].randomElement(using: &random) ?? ["a"]
        // Many losses need a flush, a change and a cut within seconds, and many wrong trees need
        // moves on both sides that cross: most drawings of steps aim at something.
        let subject = StepDrawing.subjects.randomElement(using: &random) ?? .anything
        if subject == .cuts { mounts = 1 }
        var more = SeededRandom(seed: seed ^ 0x3333)
        if mounts == 2, Int.random(in: 0..<4, using: &more) == 0 { mounts = Self.mostMounts }
        if subject == .swaps { mounts = max(2, mounts) }
        var letters = SeededRandom(seed: seed ^ 0xABC)
        folding = .scalar
        if Int.random(in: 0..<8, using: &letters) == 0 {
            // Names that a server may take for one, or not, other than predicted.
            (folding, names) =
                [
                    (.contextual, ["a\u{3A3}", "a\u{3C3}", "a\u{3C2}"]),
                    (.simple, ["\u{130}", "i", "I\u{307}"]),
                    (.full, ["\u{130}", "i\u{307}", "i"]),
                ].randomElement(using: &letters) ?? (.scalar, names)
        }
        var odd = SeededRandom(seed: seed ^ 0x0DD)
        if folding == .scalar, Int.random(in: 0..<4, using: &odd) == 0 {
            names = Self.oddNames.randomElement(using: &odd) ?? names
        }
        var swarm = SeededRandom(seed: seed ^ 0x5AA5)
        let isSwarm = Int.random(in: 0..<3, using: &swarm) != 0
        var theme = isSwarm ? StepDrawing.Theme.usual.randomElement(using: &swarm) : nil
        var blocks = SeededRandom(seed: seed ^ 0xB10C)
        // Small blocks give few texts upload sessions, and bases under parts of them.
        blockSize =
            Bool.random(using: &blocks)
            ? [8, 16, 64].randomElement(using: &blocks) ?? 64 : Self.usualBlockSize
        if Int.random(in: 0..<8, using: &blocks) == 0 {
            (theme, blockSize) = (.blocks, 8)
        }
        if theme != nil, Int.random(in: 0..<3, using: &swarm) != 0 { names = ["a", "b"] }
        if theme == .alone || theme == .blocks { mounts = 1 }
        if theme == .contents, Int.random(in: 0..<4, using: &swarm) != 0 { mounts = 1 }
        if theme == .listings { pageSize = Int.random(in: 1...3, using: &swarm) }
        if theme == .large { moveLimit = Int.random(in: 2...4, using: &swarm) }
        if theme == .swaps { mounts = max(2, mounts) }
        var drawing = StepDrawing(
            random: random, names: names, mounts: mounts, subject: subject)
        var weather = SeededRandom(seed: seed ^ 0xFA17)
        faults = [0, 0, 0, 0, 10, 40].randomElement(using: &weather) ?? 0
        if theme == .alone { faults = 0 }
        isHurried = Bool.random(using: &weather) || theme == .blocks
        pause = [0, 0, 30, 400, 3000].randomElement(using: &weather) ?? 0
        steps = theme.map { drawing.swarm(count, $0) } ?? drawing.steps(count)
        var modes = SeededRandom(seed: seed ^ 0x755)
        sharesModes = Int.random(in: 0..<3, using: &modes) == 0
        if sharesModes { addModes(using: &modes) }
        if sharesModes, Int.random(in: 0..<4, using: &modes) != 0 { addLinks(using: &modes) }
        if Int.random(in: 0..<3, using: &blocks) == 0 { addCopies(using: &blocks) }
        var rights = SeededRandom(seed: seed ^ 0x2164)
        if Int.random(in: 0..<8, using: &rights) == 0 { addRights(using: &rights) }
    }

    /// Has users copy files that earlier steps make.
    private mutating func addCopies(using random: inout SeededRandom) {
        for _ in 0..<max(1, steps.count / 5) {
            let place = Int.random(in: 0...steps.count, using: &random)
            let paths = steps.prefix(place).compactMap(\.madePath)
            guard let path = paths.randomElement(using: &random) else { continue }
            let target =
                Bool.random(using: &random) ? paths.randomElement(using: &random) : path + ".copy"
            let mount = Int.random(in: 0..<mounts, using: &random)
            steps.insert(.user(mount, .copy(path, target ?? path)), at: place)
            // A copy does not follow its source, nor after the end of the process.
            if Bool.random(using: &random) {
                let change = UserStep.changes(of: path).randomElement(using: &random)
                steps.insert(.user(mount, change ?? .overwrite(path)), at: place + 1)
                let ends = Int.random(in: 0..<4, using: &random) == 0
                if ends { steps.insert(contentsOf: [.kill(mount), .mount(mount)], at: place + 2) }
            }
        }
    }

    /// Names of which the server takes some for one, or refuses some, with aliases that they get.
    /// U+FFFD stands for a byte that is no UTF-8.
    private static let oddNames = [
        ["a", "A"], ["a", "A", "a (Case Conflict)"], ["a\\", "a_", "b"], ["a ", "a", "A"],
        ["\u{E9}", "e\u{301}", "\u{C9}"], ["a\u{FFFD}", "a\u{FF}", "b"],
        ["a", "A", "b", "B", "A (Case Conflict)"],
    ]

    /// Has users change the modes of nodes that earlier steps make.
    private mutating func addModes(using random: inout SeededRandom) {
        for _ in 0..<max(2, steps.count / 5) {
            let place = Int.random(in: 0...steps.count, using: &random)
            guard
                let path = steps.prefix(place).compactMap(\.madePath).randomElement(using: &random)
            else { continue }
            let bits: UInt16 = [0o755, 0o700, 0o644].randomElement(using: &random) ?? 0o755
            let mount = Int.random(in: 0..<mounts, using: &random)
            steps.insert(.user(mount, .chmod(path, bits)), at: place)
        }
    }
}

extension Step {
    /// The path of a node that the step makes, or changes.
    var madePath: String? {
        switch self {
        case .user(_, .write(let path)), .user(_, .save(let path)), .user(_, .makeFolder(let path)),
            .user(_, .rename(_, let path)), .other(.put(let path)), .other(.makeFolder(let path)),
            .other(.move(_, let path)):
            path
        default: nil
        }
    }
}

extension UserStep {
    /// Changes of a file's content in place.
    fileprivate static func changes(of path: String) -> [UserStep] {
        [.append(path), .overwrite(path), .truncate(path)]
    }
}

/// Draws steps, each independent of the others: what cannot be done is refused and changes nothing.
struct StepDrawing {
    /// The subject of most steps.
    enum Subject {
        case anything
        /// A few files, and power cuts.
        case cuts
        /// Folders, and moves on both sides.
        case moves
        /// The same few nodes, changed on both sides before either knows of the other.
        case crossing
        /// Changes whose replies are lost, and what users do until that is known.
        case replies
        /// Files that are open while users and others change them.
        case handles
        /// Moves in two steps by another mount, of which the second one comes late or never.
        case swaps
    }

    /// Each as often as it is drawn.
    static let subjects: [Subject] = [
        .anything, .anything, .cuts, .cuts, .cuts, .moves, .crossing, .crossing, .replies, .replies,
        .handles, .swaps,
    ]

    var random: SeededRandom
    var names: [String]
    var mounts: Int
    var subject: Subject

    /// The nodes that earlier steps made, or would have made.
    var made: [Made]
    /// No other nodes are made.
    var isComplete = false

    struct Made {
        var path: String
        var isFolder: Bool
    }

    init(random: SeededRandom, names: [String], mounts: Int, subject: Subject) {
        self.random = random
        self.names = names
        self.mounts = mounts
        self.subject = subject
        made = names.prefix(subject == .cuts ? names.count : 1).map {
            Made(path: "/" + $0, isFolder: false)
        }
    }

    /// The steps of a history.
    mutating func steps(_ count: Int) -> [Step] {
        switch subject {
        case .crossing, .replies, .handles, .swaps: return phases(count)
        case .anything, .cuts, .moves: break
        }
        // Most steps of a short history are to change nodes, not to make them.
        let beginning = min(6, count / 3)
        return (0..<count).map { next(isFirst: $0 < beginning) }
    }

    /// The first steps make things, so that there is something to change.
    private mutating func next(isFirst: Bool) -> Step {
        if subject == .cuts, draw(8) != 0 { return aboutCuts() }
        let mount = draw(mounts)
        if isFirst { return first(mount) }
        if subject == .moves, draw(5) != 0 { return aboutMoves(mount) }
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
        case 106: return .remount(mount, ignoring: draw(3) == 0 ? "" : pattern())
        case 92: return .unmount(mount)
        case 93, 94: return .mount(mount)
        case 95: return .faults(mount, [0, 10, 40][draw(3)])
        case 96, 97: return .network(mount, isCut: draw(2) == 0)
        case 98: return .resetCursors
        default: return .wait(400_000)
        }
    }

    /// A pattern for a name, in which a backslash of the name is there twice.
    mutating func pattern() -> String { names[draw(names.count)].replacing("\\", with: "\\\\") }

    private mutating func first(_ mount: Int) -> Step {
        switch draw(5) {
        case 0: .user(mount, .makeFolder(fresh(isFolder: true)))
        case 1: .other(.makeFolder(fresh(isFolder: true)))
        case 2: .user(mount, .write(fresh(isFolder: false)))
        case 3: .other(.put(fresh(isFolder: false)))
        default: .wait(6000)
        }
    }

    private mutating func aboutCuts() -> Step {
        switch draw(20) {
        case 0..<11: .user(0, content(of: draw(3) == 0 ? known() : made[0].path))
        case 11..<15: .wait([100, 1000, 2200, 3000, 6000][draw(5)])
        case 15, 16: .powerCut(0, calls: calls())
        case 17: .powerCutInRequest(0, changes: 1)
        case 18: .network(0, isCut: draw(2) == 0)
        default: .mount(0)
        }
    }

    private mutating func aboutMoves(_ mount: Int) -> Step {
        switch draw(20) {
        case 0..<5: .user(mount, rename())
        case 5, 6: .user(mount, .exchange(known(), known()))
        case 7..<11: .other(move())
        case 11: .other(.delete(known()))
        case 12: .user(mount, .removeTree(folder()))
        case 13: .user(mount, .write(fresh(isFolder: false)))
        case 14: .other(.put(fresh(isFolder: false)))
        case 15: .user(mount, .makeFolder(fresh(isFolder: true)))
        case 16: .other(.makeFolder(fresh(isFolder: true)))
        case 17: .network(mount, isCut: draw(2) == 0)
        default: .wait([1, 10, 100, 3000, 40_000][draw(5)])
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
        case 0..<4: .write(draw(2) == 0 ? fresh(isFolder: false) : file())
        case 4, 5: .append(file())
        case 6, 7: .save(file())
        case 8, 9, 10: .makeFolder(fresh(isFolder: true))
        case 11, 12: .unlink(file())
        case 13: .removeFolder(folder())
        case 14, 15: .removeTree(folder())
        case 16..<20: rename()
        case 20: .exchange(known(), known())
        case 21: .open(file())
        case 22: .writeOpen
        case 23: .close
        case 26, 27: .flush(file())
        case 28: .saveSafely(file())
        case 29: .flushOpen
        case 30: .flushFolder(folder())
        case 31: .restore(file())
        case 32, 33: .overwrite(file())
        case 34: .overwriteOpen
        case 35: .truncate(file())
        case 36, 37: .pin(known(), draw(4) != 0)
        default: .list(folder())
        }
    }

    private mutating func other() -> OtherStep {
        switch draw(11) {
        case 10: .putSame(draw(mounts), file())
        case 0..<2: .put(fresh(isFolder: false))
        case 2, 3: .put(file())
        case 4: .makeFolder(fresh(isFolder: true))
        case 5, 6: .delete(known())
        default: move()
        }
    }

    mutating func rename() -> UserStep {
        let (source, target) = twoPaths()
        return .rename(source, target)
    }

    mutating func move() -> OtherStep {
        let (source, target) = twoPaths()
        return .move(source, target)
    }

    /// The path of something, and another one that may be new.
    private mutating func twoPaths() -> (String, String) {
        let source = made[draw(made.count)]
        return (source.path, draw(2) == 0 ? fresh(isFolder: source.isFolder) : known())
    }

    /// A path below an existing folder, which may be new.
    mutating func fresh(isFolder: Bool) -> String {
        if isComplete { return known(isFolder: isFolder) }
        let above = draw(3) == 0 ? "" : folder()
        let path = above.split(separator: "/").count > 2 ? "" : above
        made.append(Made(path: path + "/" + names[draw(names.count)], isFolder: isFolder))
        return made[made.count - 1].path
    }

    /// A path of something that was made before.
    mutating func known() -> String { made[draw(made.count)].path }

    mutating func file() -> String { known(isFolder: false) }

    mutating func folder() -> String { known(isFolder: true) }

    /// A path of something that was made before, and is now and then of another kind.
    private mutating func known(isFolder: Bool) -> String {
        let fitting = made.filter { $0.isFolder == isFolder }
        if fitting.isEmpty || draw(8) == 0 { return known() }
        return fitting[draw(fitting.count)].path
    }

    mutating func draw(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
}
