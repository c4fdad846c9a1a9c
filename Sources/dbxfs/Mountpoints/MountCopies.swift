// Copies of a mount in other mount namespaces, as those of containers: the kernel ends a mount with the last of them, and its
// process serves them until then. Not responsible for the end of a mount (`MountEnding`) nor for detaching it (`Detachment`).

import Fuse
import Glibc
import LocalIO
import Mounting

/// The copies of a mount that is detached in this namespace.
struct MountCopies: Hashable, Sendable {
    /// A process in each of the namespaces, as far as this user may know: `NAME (PID)`.
    var holders: [String]

    /// The message to users.
    func text(about mountpoint: String) -> String {
        let programs = holders.isEmpty ? "" : ": " + holders.joined(separator: ", ")
        return
            "\(mountpoint) is unmounted here, and stays in use in another mount namespace, such as a "
            + "container's\(programs). Its process ends with the last one."
    }
}

extension RunningMount {
    /// The copies of this mount, which has just been detached; nil if the kernel has ended it.
    func copies(_ environment: Environment) -> MountCopies? {
        let end = ContinuousClock.now + Self.patience
        while let connection = try? connect(environment),
            let status = connection.status(patience: 10), status.state != .finishing
        {
            if ContinuousClock.now >= end { return MountCopies(holders: holders) }
            usleep(20_000)
        }
        return nil
    }

    /// How long the kernel may take to end a mount that has no copies, on a busy machine.
    private static var patience: Duration { .seconds(5) }

    private var holders: [String] {
        guard let entry else { return [] }
        var namespaces: Set<UInt> = []
        let processes = ((try? namesOfFolder("/proc")) ?? []).compactMap { Int32($0, radix: 10) }
        return processes.sorted().compactMap { process in
            let mounts = MountTable.seen(by: process).mounts
            guard namespaces.count < Self.mostHolders,
                mounts.contains(where: { $0.major == entry.major && $0.minor == entry.minor }),
                let namespace = Self.namespace(of: process),
                namespaces.insert(namespace).inserted
            else { return nil }
            let name = (try? readText("/proc/\(process)/comm", limit: 64)) ?? ""
            return "\(Terminal.printable(String(name.prefix { $0 != "\n" }))) (\(process))"
        }
    }

    private static func namespace(of process: Int32) -> UInt? {
        var status = stat()
        return stat("/proc/\(process)/ns/mnt", &status) == 0 ? status.st_ino : nil
    }

    /// Enough for a line of the terminal.
    private static var mostHolders: Int { 3 }
}
