// Varies a history: another order of jobs, other conditions, a few steps that differ. A state that
// few histories reach, many of those reach that are like them. Not responsible for whole histories.

import RemoteStoreTesting
import TestSupport

extension Plan {
    /// A variation of this history; 0 is the history itself.
    func varied(_ number: UInt64) -> Plan {
        guard number > 0 else { return self }
        var variation = Variation(of: self, random: SeededRandom(seed: seed ^ number << 32))
        variation.change(number)
        return variation.plan
    }

    /// The paths of the nodes that steps make, and which of these may be folders.
    fileprivate var madeNodes: [StepDrawing.Made] {
        let paths = steps.compactMap(\.madePath)
        var folders = Set(
            steps.compactMap { step -> String? in
                switch step {
                case .user(_, .makeFolder(let path)), .other(.makeFolder(let path)): path
                default: nil
                }
            })
        folders.formUnion(paths.flatMap(Self.foldersAbove))
        var known: Set<String> = []
        return (folders.sorted() + paths).filter { known.insert($0).inserted }
            .map { StepDrawing.Made(path: $0, isFolder: folders.contains($0)) }
    }
}

/// A history, and how it is changed.
private struct Variation {
    var plan: Plan
    private var drawing: StepDrawing

    init(of plan: Plan, random: SeededRandom) {
        self.plan = plan
        var nodes = plan.madeNodes
        if nodes.isEmpty { nodes = [.init(path: "/a", isFolder: false)] }
        let names = Set(nodes.compactMap { $0.path.split(separator: "/").last.map(String.init) })
        drawing = StepDrawing(
            random: random, names: names.sorted(), mounts: plan.mounts, subject: .anything)
        drawing.made = nodes
        drawing.isComplete = true
    }

    mutating func change(_ number: UInt64) {
        // An odd seed stays one: it says something of the server.
        if drawing.draw(2) == 0 { plan.seed &+= number << 1 }
        for _ in 0...drawing.draw(1 << drawing.draw(4)) { changeOnce() }
    }

    private mutating func changeOnce() {
        guard !plan.steps.isEmpty else { return insert(drawing.anySteps()) }
        let place = drawing.draw(plan.steps.count)
        switch drawing.draw(12) {
        case 0, 1: plan.steps.remove(at: place)
        case 2: insert([plan.steps[place]])
        case 3: insert([plan.steps.remove(at: place)])
        case 4: changeCondition()
        case 5: insert([.wait([1, 10, 100, 1000, 3000, 10_000, 40_000][drawing.draw(7)])])
        case 6: insert([.jobs(1 << drawing.draw(8))])
        default: insert(drawing.anySteps().filter(isAllowed))
        }
    }

    private mutating func insert(_ steps: [Step]) {
        plan.steps.insert(contentsOf: steps, at: drawing.draw(plan.steps.count + 1))
    }

    /// A restored file has no facts: where there are links, the rules could not tell one from a
    /// text.
    private func isAllowed(_ step: Step) -> Bool {
        guard case .user(_, .restore) = step else { return true }
        return !plan.makesLinks
    }

    private mutating func changeCondition() {
        switch drawing.draw(7) {
        case 0: plan.pause = [0, 30, 400, 3000][drawing.draw(4)]
        case 1: plan.isHurried.toggle()
        case 2: plan.keepsNames.toggle()
        case 3: plan.faults = [0, 10, 40][drawing.draw(3)]
        case 4: plan.distance = [0, 20, 400][drawing.draw(3)]
        case 5: plan.pageSize = [1, 2, 3, 2000][drawing.draw(4)]
        default: plan.blockSize = [8, 16, 64, Plan.usualBlockSize][drawing.draw(4)]
        }
    }
}
