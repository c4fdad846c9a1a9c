// Histories of a few kinds of steps: each draws which ones it has, and how often. Rare states need
// the same few kinds again and again on the same few nodes; among all kinds, that seldom happens.
// Not responsible for the steps themselves.

import RemoteStoreTesting

extension StepDrawing {
    /// A kind of steps that a history may have.
    enum Kind: CaseIterable {
        case write, writeNew, append, overwrite, truncate, save, saveSafely
        case flush, flushFolder, flushOpen
        case open, hold, writeOpen, overwriteOpen, close
        case makeFolder, unlink, removeFolder, removeTree, rename, exchange, restore, list, pin,
            copy
        case put, putNew, putSame, otherFolder, otherDelete, otherMove
        case kill, killWithin, cut, cutWithin, cutInRequest, silenceInRequest, unmount, mount,
            remount
        case silence, network, faults, resetCursors, disk, date
        case jobs, moment, flushTime, minute, minutes
        /// Changes of the same nodes on both sides, before either knows of the other.
        case cross
        /// A user and another client move two folders into each other.
        case ring
        /// A change whose reply is lost.
        case lostReply
        /// The first move of an exchange, by another mount that then falls silent.
        case halfExchange
        /// What others store in a folder.
        case putInside
        /// A file that changes while it is on its way.
        case session

        /// Those of which any history may have some.
        static let usual = allCases.filter { ![.hold, .copy, .session].contains($0) }
    }

    /// What the kinds of a history have in common.
    enum Theme: CaseIterable {
        case alone, contents, folders, deletions, large, replies, swaps, listings, handles, local
        case anything
        /// Sessions, whose files change while they run.
        case blocks

        /// Those of which any history may be.
        static let usual = allCases.filter { $0 != .blocks }

        /// Kinds that all such histories have.
        fileprivate var always: [Kind] {
            switch self {
            case .alone: [.moment]
            case .contents: [.flushTime]
            case .folders: [.cross, .network]
            case .deletions: [.removeTree, .putInside, .moment]
            case .large: [.rename, .putInside, .removeTree]
            case .replies: [.lostReply, .network]
            case .swaps: [.halfExchange, .putInside]
            case .listings: [.resetCursors, .moment]
            case .handles: [.open, .writeOpen, .cross]
            case .local: [.remount, .lostReply]
            case .anything: []
            case .blocks: [.append, .session, .session]
            }
        }

        /// Groups of kinds, each with the number of those that a history has.
        fileprivate var sometimes: [(count: Int, of: [Kind])] {
            let flushes: [Kind] = [.flush, .flushFolder, .flushOpen, .pin, .restore]
            let ends: [Kind] = [.kill, .killWithin, .unmount, .mount, .pin, .list]
            let contents: [Kind] = [
                .write, .append, .overwrite, .truncate, .save, .saveSafely, .writeNew,
            ]
            let handles: [Kind] = [.open, .writeOpen, .overwriteOpen, .close, .flushOpen]
            let names: [Kind] = [
                .makeFolder, .unlink, .removeFolder, .removeTree, .rename, .exchange, .writeNew,
                .write,
            ]
            let others: [Kind] = [.put, .putNew, .putSame, .otherFolder, .otherDelete, .otherMove]
            let cuts: [Kind] = [.cut, .cutWithin, .cutWithin, .cutInRequest, .killWithin]
            let times: [Kind] = [.jobs, .moment, .flushTime, .minute]
            let networks: [Kind] = [.silence, .network, .faults]
            let replies: [Kind] = [.faults, .cutInRequest, .killWithin, .kill, .mount]
            let long: [Kind] = [.minutes, .pin, .cut, .kill]
            let moves: [Kind] = [.rename, .unlink, .exchange, .removeTree, .put, .putSame]
            return switch self {
            case .alone: [(3, contents + names), (1, handles), (2, ends + times)]
            case .contents: [(2, contents), (1, flushes), (1, handles), (1, moves), (2, cuts)]
            case .folders: [(3, names + [.ring]), (2, others), (2, networks + times)]
            case .deletions: [(2, names), (2, others), (3, networks + replies + times)]
            case .large: [(2, names), (1, others), (2, networks + times)]
            case .swaps: [(2, names), (1, others), (3, [.mount] + networks + times)]
            case .replies: [(3, names + contents), (1, others), (2, replies + times)]
            case .listings: [(2, names + [.cross]), (3, others), (2, networks + times)]
            case .handles:
                [(2, handles + contents), (1, names), (2, others), (2, networks + long + times)]
            case .local: [(3, names), (2, others), (1, handles), (2, networks + times)]
            case .anything: [(12, Kind.usual)]
            case .blocks:
                [
                    (2, [.overwrite, .truncate, .copy, .write, .put]), (1, [.hold, .open]),
                    (1, handles), (1, [.faults, .kill, .cut, .killWithin, .lostReply]),
                    (1, moves), (1, times),
                ]
            }
        }
    }

    /// The steps of a history of one theme.
    mutating func swarm(_ count: Int, _ theme: Theme) -> [Step] {
        var kinds: [Kind] = []
        for kind in theme.always { repeatedly(kind, &kinds) }
        for group in theme.sometimes {
            for _ in 0..<group.count { repeatedly(group.of[draw(group.of.count)], &kinds) }
        }
        if draw(2) == 0 { keepFew() }
        var steps = draw(8) == 0 ? [] : base(isOurs: theme == .alone || draw(2) == 0)
        // Before its first listing, a mount without a network refuses everything.
        steps.append(.wait(draw(4) == 0 ? 100 : 6000))
        let isSilent = draw(theme == .contents ? 2 : 4) == 0
        if isSilent, theme != .alone { steps.append(.network(0, isCut: true)) }
        let end = steps.count + count
        while steps.count < end { steps += self.steps(kinds[draw(kinds.count)]) }
        return steps
    }

    /// From here on no new paths are drawn: all steps are about the same few.
    private mutating func keepFew() {
        let folders = names.prefix(2).map { "/" + $0 }
        let files = folders.flatMap { folder in names.prefix(2).map { folder + "/" + $0 } }
        made = folders.map { Made(path: $0, isFolder: true) }
        made += files.enumerated().map { Made(path: $1, isFolder: $0 == 3 && draw(2) == 0) }
        isComplete = true
    }

    /// Kinds are as often in the list as they are to be drawn.
    private mutating func repeatedly(_ kind: Kind, _ kinds: inout [Kind]) {
        for _ in 0...draw(3) { kinds.append(kind) }
    }

    /// Steps of a kind that any history may have.
    mutating func anySteps() -> [Step] { steps(Kind.allCases[draw(Kind.allCases.count)]) }

    private mutating func steps(_ kind: Kind) -> [Step] {
        switch kind {
        case .cross: crossing()
        case .ring: ring()
        case .lostReply:
            [
                .networkCutInRequest(0, changes: 1), .user(0, userChange(known(), known())),
                .wait([3000, 10_000][draw(2)]),
            ]
        case .halfExchange:
            [
                draw(2) == 0
                    ? .networkCutInRequest(mounts - 1, changes: 1)
                    : .powerCutInRequest(mounts - 1, changes: 1),
                .user(mounts - 1, .exchange(known(), known())), .wait(10_000),
            ]
        case .session: session()
        default: [step(kind)]
        }
    }

    /// A file is sent, and changes before all of it has arrived; half of the requests may fail, or
    /// the process may end between the two.
    private mutating func session() -> [Step] {
        let path = file()
        var steps: [Step] = draw(2) == 0 ? [.user(0, .hold(path))] : []
        if draw(2) == 0 { steps.append(.faults(0, 50)) }
        for _ in 0...1 + draw(2) {
            steps.append(.user(0, contentChange(of: path)))
            steps.append(
                draw(2) == 0 ? .jobs(1 << draw(7)) : .wait([1, 10, 30, 100, 3000][draw(5)]))
            if draw(4) == 0 { steps += [.network(0, isCut: true), .kill(0), .mount(0)] }
        }
        return steps + [.faults(0, 0), .network(0, isCut: false)]
    }

    private mutating func contentChange(of path: String) -> UserStep {
        switch draw(10) {
        case 0..<3: .append(path)
        case 3..<6: .overwrite(path)
        case 6, 7: .copy(file(), path)
        case 8: .truncate(path)
        default: .write(path)
        }
    }

    /// Both sides change the same one or two nodes.
    private mutating func crossing() -> [Step] {
        let (path, target) = (known(), known())
        var steps: [Step] = (0...draw(2)).map { _ in .user(0, userChange(path, target)) }
        for _ in 0...draw(2) {
            let change = Step.other(otherChange(path, target))
            steps.insert(change, at: draw(steps.count + 1))
        }
        if draw(2) == 0 { steps.insert(.network(0, isCut: true), at: 0) }
        if draw(2) == 0 { steps += [.network(0, isCut: false), .wait(10_000)] }
        return steps
    }

    private mutating func ring() -> [Step] {
        let (path, target) = (folder(), folder())
        let name = "/" + names[draw(names.count)]
        let moves: [Step] = [
            .user(0, .rename(path, target + name)), .other(.move(target, path + name)),
        ]
        return [.network(0, isCut: true)] + (draw(2) == 0 ? moves : moves.reversed())
            + [.network(0, isCut: false)]
    }

    private mutating func userChange(_ path: String, _ target: String) -> UserStep {
        let inside = path + "/" + names[draw(names.count)]
        return switch draw(14) {
        case 0, 1: .unlink(path)
        case 2, 3: .removeTree(path)
        case 4: .write(path)
        case 5: .append(path)
        case 6: .save(path)
        case 7, 8: .rename(path, target)
        case 9: .rename(target, path)
        case 10: .exchange(path, target)
        case 11: .makeFolder(path)
        case 12: .write(inside)
        default: .rename(path, target + "/" + names[draw(names.count)])
        }
    }

    private mutating func otherChange(_ path: String, _ target: String) -> OtherStep {
        let inside = path + "/" + names[draw(names.count)]
        return switch draw(10) {
        case 0, 1: .put(path)
        case 2: .delete(path)
        case 3, 4: .move(path, target)
        case 5: .move(target, path)
        case 6, 7: .put(inside)
        case 8: .move(target, inside)
        default: .makeFolder(path)
        }
    }

    private mutating func step(_ kind: Kind) -> Step {
        let mount = draw(mounts)
        return switch kind {
        case .write: .user(mount, .write(file()))
        case .writeNew: .user(mount, .write(fresh(isFolder: false)))
        case .append: .user(mount, .append(file()))
        case .overwrite: .user(mount, .overwrite(file()))
        case .truncate: .user(mount, .truncate(file()))
        case .save: .user(mount, .save(file()))
        case .saveSafely: .user(mount, .saveSafely(file()))
        case .flush: .user(mount, .flush(file()))
        case .flushFolder: .user(mount, .flushFolder(draw(2) == 0 ? "/" : folder()))
        case .flushOpen: .user(mount, .flushOpen)
        case .open: .user(mount, .open(file()))
        case .hold: .user(mount, .hold(file()))
        case .writeOpen: .user(mount, .writeOpen)
        case .overwriteOpen: .user(mount, .overwriteOpen)
        case .close: .user(mount, .close)
        case .makeFolder: .user(mount, .makeFolder(draw(3) == 0 ? known() : fresh(isFolder: true)))
        case .unlink: .user(mount, .unlink(file()))
        case .removeFolder: .user(mount, .removeFolder(folder()))
        case .removeTree: .user(mount, .removeTree(folder()))
        case .rename: .user(mount, rename())
        case .exchange: .user(mount, .exchange(known(), known()))
        case .copy: .user(mount, .copy(file(), file()))
        case .restore: .user(mount, .restore(file()))
        case .list: .user(mount, .list(folder()))
        case .pin: .user(mount, .pin(known(), draw(4) != 0))
        case .put: .other(.put(file()))
        case .putNew: .other(.put(fresh(isFolder: false)))
        case .putSame: .other(.putSame(mount, file()))
        case .otherFolder: .other(.makeFolder(draw(3) == 0 ? known() : fresh(isFolder: true)))
        case .otherDelete: .other(.delete(known()))
        case .otherMove: .other(move())
        case .kill: .kill(mount)
        case .killWithin: .kill(mount, calls: 1 + draw(1 << draw(6)))
        case .cut: .powerCut(mount, calls: 0)
        case .cutWithin: .powerCut(mount, calls: 1 + draw(1 << draw(6)))
        case .cutInRequest: .powerCutInRequest(mount, changes: 1 + draw(3))
        case .silenceInRequest: .networkCutInRequest(mount, changes: 1 + draw(3))
        case .unmount: .unmount(mount)
        case .mount: .mount(mount)
        case .remount: .remount(mount, ignoring: draw(3) == 0 ? "" : pattern())
        case .silence: .network(mount, isCut: true)
        case .network: .network(mount, isCut: false)
        case .faults: .faults(mount, [0, 20, 50][draw(3)])
        case .resetCursors: .resetCursors
        case .disk: .disk(mount, isFull: draw(2) == 0)
        case .date: .date(mount, [0, 10, 3600, 86_400][draw(4)] * (draw(2) == 0 ? 1 : -1))
        case .jobs: .jobs(1 << draw(7))
        case .moment: .wait([1, 10, 30, 100, 400][draw(5)])
        case .flushTime: .wait([1000, 2200, 3000, 6000][draw(4)])
        case .minute: .wait(draw(2) == 0 ? 15_000 : 40_000)
        case .minutes: .wait([90_000, 400_000, 1_000_000][draw(3)])
        case .putInside: .other(.put(folder() + "/" + names[draw(names.count)]))
        case .cross, .ring, .lostReply, .halfExchange, .session: .wait(1)
        }
    }
}
