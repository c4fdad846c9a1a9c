// Draws folders that the mounts may not change for a while, and the changes that users try there at
// that time. Not responsible for the steps around that.

import TestSupport

extension Plan {
    /// Lets folders of earlier steps be read-only, and users change their contents.
    mutating func addRights(using random: inout SeededRandom) {
        // A deletion that is undone after a refusal is not to take effect minutes later.
        isLate = false
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let start = Int.random(in: min(3, steps.count)...steps.count, using: &random)
            let paths = steps.prefix(start).compactMap(\.madePath)
            guard let folder = Self.folders(of: paths).randomElement(using: &random) else {
                continue
            }
            var drawing = RestrictedDrawing(
                folder: folder, paths: paths, mounts: mounts, setsModes: sharesModes,
                // A restored file has no facts, and is a text for all.
                makesLinks: sharesModes && !restoresFiles, random: random)
            steps.insert(contentsOf: drawing.steps(), at: start)
            random = drawing.random
        }
    }

    /// The paths of the folders that a path leads through, from the root on.
    static func foldersAbove(_ path: String) -> [String] {
        let names = path.split(separator: "/").dropLast()
        return names.indices.map { names[...$0].map { "/" + $0 }.joined() }
    }

    /// The paths that are, or may be, those of folders, in order.
    private static func folders(of paths: [String]) -> [String] {
        var known: Set<String> = []
        let folders = paths.flatMap { foldersAbove($0) + [$0] }
        return folders.filter { known.insert($0).inserted }
    }
}

/// Draws the steps from a loss of rights on, mostly until they are back.
private struct RestrictedDrawing {
    let folder: String
    /// The paths of nodes that earlier steps have made.
    let paths: [String]
    let mounts: Int
    let setsModes: Bool
    let makesLinks: Bool
    var random: SeededRandom

    mutating func steps() -> [Step] {
        // The folder is to be on the server, also if users have made it.
        var steps: [Step] = draw(4) == 0 ? [] : [.wait([3000, 10_000][draw(2)])]
        let isEarly = draw(4) == 0
        if isEarly { steps.append(change()) }
        steps.append(.readOnly(folder))
        for _ in 0..<(isEarly ? 0 : 1) + draw(4) {
            steps.append(change())
            steps += pause()
        }
        switch draw(4) {
        case 0: break
        case 1: steps += [.wait(700_000), .writable]
        default: steps += [.wait([100, 3000, 10_000, 40_000][draw(4)]), .writable]
        }
        return steps
    }

    private mutating func pause() -> [Step] {
        switch draw(6) {
        case 0, 1: []
        case 2: [.jobs(1 << draw(7))]
        default: [.wait([10, 100, 3000, 10_000][draw(4)])]
        }
    }

    private mutating func change() -> Step {
        let (inside, outside) = (inside(), paths[draw(paths.count)])
        let step: UserStep =
            switch draw(20) {
            case 0, 1: .unlink(inside)
            case 2, 3: .removeTree(folder)
            case 4: .removeFolder(inside)
            case 5, 6: .rename(inside, outside)
            case 7, 8: .rename(outside, inside)
            case 9: .rename(folder, outside)
            case 10: .exchange(inside, outside)
            case 11: .exchange(folder, outside)
            case 12: .write(inside)
            case 13: .append(inside)
            case 14: .save(inside)
            case 15: .makeFolder(inside)
            case 16: .copy(outside, inside)
            case 17: makesLinks ? .link(inside) : .unlink(inside)
            case 18: setsModes ? .chmod(draw(2) == 0 ? folder : inside, 0o700) : .save(inside)
            default: .rename(inside, self.inside())
            }
        return .user(draw(mounts), step)
    }

    /// A path in the folder, mostly one of something that was made there.
    private mutating func inside() -> String {
        let known = paths.filter { $0.hasPrefix(folder + "/") }
        if !known.isEmpty, draw(4) != 0 { return known[draw(known.count)] }
        let name = paths[draw(paths.count)].split(separator: "/").last ?? "a"
        return folder + "/" + name
    }

    private mutating func draw(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
}
