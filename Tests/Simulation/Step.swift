// The steps of a history as values: what a seed stands for, and what a failing history is shortened
// to.

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
    /// The power of a mount's machine is cut when the server has made the last of so many changes
    /// for it, before the reply.
    case powerCutInRequest(Int, changes: Int)
    /// A mount's network is gone from the moment when the server has made the last of so many
    /// changes for it, before the reply.
    case networkCutInRequest(Int, changes: Int)
    /// A mount is ended in an orderly way, without waiting for its queue.
    case unmount(Int)
    /// A mount begins, unless it runs.
    case mount(Int)
    /// So many of a hundred requests of a mount fail.
    case faults(Int, Int)
    /// A mount's network is gone, or back.
    case network(Int, isCut: Bool)
    /// The requests of a mount for deltas fail, or are answered again; all others are.
    case deltas(Int, areCut: Bool)
    /// The server lets all cursors expire.
    case resetCursors
    /// The mounts may no longer change a folder, nor its contents: it is another user's.
    case readOnly(String)
    /// The mounts may change everything again.
    case writable
    /// A mount's disk takes nothing that needs room, or does so again.
    case disk(Int, isFull: Bool)
    /// The date of a mount's machine is set so many seconds ahead of the server's.
    case date(Int, Int)
    /// A mount is ended in an orderly way, and begins again with these patterns of what stays
    /// local.
    case remount(Int, ignoring: String)
}

/// An action of a user on a mount.
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
    /// Writes over a part of a file, in place.
    case overwrite(String)
    /// Cuts off the end of a file.
    case truncate(String)
    /// Makes an older revision of a file the current one.
    case restore(String)
    case makeFolder(String)
    /// Removes a file by its path.
    case unlink(String)
    /// Removes a folder if it is empty.
    case removeFolder(String)
    /// Removes a folder with its contents.
    case removeTree(String)
    case rename(String, String)
    case exchange(String, String)
    /// Opens a file to write to it later.
    case open(String)
    /// Opens a file, and only reads it.
    case hold(String)
    /// Writes to all files that are open for that.
    case writeOpen
    /// Writes over a part of each of these files, in place.
    case overwriteOpen
    /// Closes all open files.
    case close
    /// Lists a folder by its path.
    case list(String)
    /// Pins a file or a folder, or ends its pin.
    case pin(String, Bool)
    /// Changes the permission bits of a file or a folder.
    case chmod(String, UInt16)
    /// Makes a symbolic link.
    case link(String)
    /// Copies a file, as `cp` does.
    case copy(String, String)
}

/// An action of another client.
enum OtherStep: Hashable, Sendable {
    case put(String)
    /// Stores the content that users of a mount have at a path.
    case putSame(Int, String)
    case makeFolder(String)
    case delete(String)
    case move(String, String)
}

/// The history of a seed.
struct Plan: Sendable {
    static let mostMounts = 3
    static let usualBlockSize = 4 << 20

    var seed: UInt64
    /// Number of mounts of the account.
    var mounts: Int
    /// Entries in a page of a listing.
    var pageSize: Int
    /// The longest way of a request or a reply, in milliseconds.
    var distance: Int
    /// Changes by id are refused.
    var refusesIDs: Bool
    /// The entries that the server leaves out of the deltas.
    var compaction: LogCompaction
    /// The kernel keeps names, attributes, listings and pages; else it looks up everything anew.
    var keepsNames: Bool
    /// Entries that a mount may move at once.
    var moveLimit: Int
    /// Some requests whose failure the client sees take effect minutes later.
    var isLate: Bool
    /// The server's rule for names that it takes for one.
    var folding: NameFolding
    /// So many of a hundred requests fail in the beginning.
    var faults: Int
    /// Mounts send each change at once.
    var isHurried: Bool
    /// After each step at most so many milliseconds pass.
    var pause: Int
    /// Whether mounts share modes.
    var sharesModes: Bool
    /// The unit of hashes, sessions and staged content, in bytes: with a small one, few tokens make
    /// a content of many blocks.
    var blockSize: Int
    /// Whether deltas tell of modes that change alone.
    var tellsModes: Bool { seed % 2 == 0 }
    var steps: [Step]

    init(
        seed: UInt64, mounts: Int, pageSize: Int, distance: Int, refusesIDs: Bool = false,
        compaction: LogCompaction = .none, keepsNames: Bool = false, moveLimit: Int = 10_000,
        isLate: Bool = false, folding: NameFolding = .scalar, faults: Int = 0,
        isHurried: Bool = false, pause: Int = 0, sharesModes: Bool = false,
        blockSize: Int = Plan.usualBlockSize, steps: [Step]
    ) {
        self.seed = seed
        self.mounts = mounts
        self.pageSize = pageSize
        self.distance = distance
        self.refusesIDs = refusesIDs
        self.compaction = compaction
        self.keepsNames = keepsNames
        self.moveLimit = moveLimit
        self.isLate = isLate
        self.folding = folding
        self.faults = faults
        self.isHurried = isHurried
        self.pause = pause
        self.sharesModes = sharesModes
        self.blockSize = blockSize
        self.steps = steps
    }

    /// Whether a mount's machine flushes closed files by itself, and knows afterwards that it did:
    /// not with a full disk, nor after its date was set back.
    func flushes(_ mount: Int) -> Bool {
        !steps.contains { step in
            switch step {
            case .disk(mount, isFull: true), .date(mount, _): true
            default: false
            }
        }
    }

    /// Whether a mount keeps some names local at some time.
    var ignoresNames: Bool {
        steps.contains { step in
            if case .remount(_, let pattern) = step { !pattern.isEmpty } else { false }
        }
    }

    /// Whether the reply to a change may be lost.
    var losesReplies: Bool {
        faults > 0 || isLate
            || steps.contains { step in
                switch step {
                case .faults, .networkCutInRequest, .powerCutInRequest, .network: true
                default: false
                }
            }
    }

    /// Whether another client stores the content of a mount's file, or a user may cut a file back
    /// to the sent content, or copy it: an equal content is not stored again, so that its time
    /// stays.
    var hasEqualContents: Bool {
        steps.contains { step in
            switch step {
            case .other(.putSame), .user(_, .truncate), .user(_, .copy): true
            default: false
            }
        }
    }

    /// Whether a user restores an earlier revision.
    var restoresFiles: Bool {
        steps.contains { if case .user(_, .restore) = $0 { true } else { false } }
    }

    /// Whether a user makes a symbolic link.
    var makesLinks: Bool {
        steps.contains { if case .user(_, .link) = $0 { true } else { false } }
    }

    /// Whether a user or another client moves something.
    var hasMoves: Bool {
        steps.contains { step in
            switch step {
            case .user(_, .rename), .user(_, .exchange), .user(_, .saveSafely), .other(.move): true
            default: false
            }
        }
    }

    /// Whether the mounts may not change something at some time.
    var limitsRights: Bool {
        steps.contains { if case .readOnly = $0 { true } else { false } }
    }

    /// Whether the power of a mount's machine is cut at some time.
    func cutsPower(of mount: Int) -> Bool {
        steps.contains { step in
            switch step {
            case .powerCut(mount, _), .powerCutInRequest(mount, _): true
            default: false
            }
        }
    }
}
