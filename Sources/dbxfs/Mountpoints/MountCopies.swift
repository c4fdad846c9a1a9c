// Copies of a mount in other mount namespaces, as those of containers: the kernel ends a mount with the last of them, and its
// process serves them until then. So a command that has detached a mount waits here for the end of its process, or says why it
// goes on. Not responsible for that end (`MountEnding`) nor for detaching (`Detachment`).

import Fuse
import Glibc
import LocalIO
import Mounting

/// The copies of a mount that is detached in this namespace.
private struct MountCopies {
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
    /// The outcome of the queue once the process of this mount has ended, after a detach; nil if the process stays for copies,
    /// which the user is told.
    ///
    /// - Parameter connection: one on which `ControlRoutes.finish` was requested.
    func outcomeOfDetaching(
        _ connection: ControlConnection, _ environment: Environment
    ) throws(CommandError) -> DrainOutcome? {
        if let copies = copies(environment) {
            Terminal.complain(copies.text(about: mountpoint))
            return nil
        }
        let reply = try connection.next(ControlRoutes.finish, about: mountpoint)
        guard case .outcome(let outcome) = reply else { return nil }
        return outcome
    }

    /// The copies of this mount, which has just been detached; nil if the kernel has ended it.
    private func copies(_ environment: Environment) -> MountCopies? {
        let end = ContinuousClock.now + Self.endTimeout
        while let connection = try? connect(environment),
            let status = connection.status(timeout: 10), status.state != .finishing
        {
            if ContinuousClock.now >= end { return MountCopies(holders: holders) }
            usleep(20_000)
        }
        return nil
    }

    /// How long the kernel may take to end a mount that has no copies, on a busy machine.
    private static var endTimeout: Duration { .seconds(5) }

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
