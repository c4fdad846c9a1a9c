// Histories in phases: something is made and known to all, then one side goes silent, and after
// that the same few nodes change on both sides. Rare states need several steps in this order, which
// independent steps seldom have.

import RemoteStoreTesting

extension StepDrawing {
    /// The steps of a history in phases.
    mutating func phases(_ count: Int) -> [Step] {
        let isOurs = subject == .replies ? draw(4) != 0 : draw(3) == 0
        var steps = base(isOurs: isOurs)
        steps.append(.wait(6000))
        steps += silence()
        let ending = ending()
        while steps.count + ending.count < count { steps += changes() }
        return steps + ending
    }

    /// Makes a few nodes: by other clients, or by users of the first mount, so that no change is
    /// another client's.
    mutating func base(isOurs: Bool) -> [Step] {
        (0..<2 + draw(2)).map { index in
            // Mostly a folder first, and then a file in it or beside it.
            let isFolder = index == 0 ? draw(3) != 0 : draw(3) == 0
            let path = fresh(isFolder: isFolder)
            return switch (isOurs, isFolder) {
            case (true, true): .user(0, .makeFolder(path))
            case (true, false): .user(0, .write(path))
            case (false, true): .other(.makeFolder(path))
            case (false, false): .other(.put(path))
            }
        }
    }

    /// From here on, one side does not know the changes of the other.
    private mutating func silence() -> [Step] {
        switch subject {
        case .replies:
            let changes = 1 + draw(3)
            let change = Step.user(0, draw(3) == 0 ? moving() : writing())
            let cut: Step =
                draw(5) == 0
                ? .powerCutInRequest(0, changes: changes)
                : .networkCutInRequest(0, changes: changes)
            return [cut, change, .wait([100, 3000, 10_000, 40_000][draw(4)])]
        case .handles:
            let open = Step.user(0, .open(file()))
            return draw(2) == 0 ? [open] : [open, .network(0, isCut: true)]
        case .swaps:
            let change = UserStep.exchange(known(), known())
            let cut: Step =
                draw(2) == 0
                ? .networkCutInRequest(1, changes: 1 + draw(2))
                : .powerCutInRequest(1, changes: 1 + draw(2))
            let before: [Step] = draw(3) == 0 ? [.unmount(0)] : []
            return before + [cut, .user(1, draw(3) == 0 ? rename() : change), .wait(10_000)]
        case .anything, .cuts, .moves, .crossing:
            return draw(5) == 0 ? [] : [.network(0, isCut: true)]
        }
    }

    private mutating func ending() -> [Step] {
        switch draw(3) {
        case 0: []
        case 1: [.network(0, isCut: false), .wait(10_000)]
        default: [.network(0, isCut: false)]
        }
    }

    private mutating func changes() -> [Step] {
        if draw(12) == 0 { return [.wait([1, 100, 3000, 40_000][draw(4)])] }
        if draw(24) == 0 { return [.kill(0), .mount(0)] }
        switch subject {
        case .replies:
            return [
                draw(6) == 0 ? .other(otherChange()) : .user(0, draw(2) == 0 ? moving() : writing())
            ]
        case .handles:
            switch draw(8) {
            case 0, 1: return [.user(0, .writeOpen)]
            case 2: return [.user(0, draw(2) == 0 ? .overwriteOpen : .close)]
            case 3: return [.user(0, writing())]
            case 4: return [.user(0, moving())]
            default: return [.other(otherChange())]
            }
        case .swaps:
            switch draw(5) {
            case 0: return [.mount(1)]
            case 1: return [.network(1, isCut: false)]
            case 2: return [.user(0, moving())]
            case 3: return [.other(otherChange())]
            default: return [.user(1, moving())]
            }
        case .anything, .cuts, .moves, .crossing:
            return [
                draw(2) == 0 ? .other(otherChange()) : .user(0, draw(3) == 0 ? writing() : moving())
            ]
        }
    }

    /// A user's change of a name.
    private mutating func moving() -> UserStep {
        switch draw(10) {
        case 0..<4: rename()
        case 4: .exchange(known(), known())
        case 5, 6: .unlink(file())
        case 7: .removeTree(folder())
        case 8: .makeFolder(draw(2) == 0 ? known() : fresh(isFolder: true))
        default: .write(draw(2) == 0 ? known() : fresh(isFolder: false))
        }
    }

    /// A user's change of a content.
    private mutating func writing() -> UserStep {
        switch draw(8) {
        case 0..<3: .write(file())
        case 3: .append(file())
        case 4: .save(file())
        case 5: .overwrite(file())
        case 6: .truncate(file())
        default: .write(fresh(isFolder: false))
        }
    }

    private mutating func otherChange() -> OtherStep {
        switch draw(12) {
        case 0..<5: move()
        case 5, 6: .delete(known())
        case 7, 8: .put(file())
        case 9: .put(fresh(isFolder: false))
        case 10: .makeFolder(draw(2) == 0 ? known() : fresh(isFolder: true))
        default: .putSame(0, file())
        }
    }
}
