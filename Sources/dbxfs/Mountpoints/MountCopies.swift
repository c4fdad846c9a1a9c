// Copies of a mount at other places, and in other mount namespaces, as those of containers: the
// kernel ends a mount with the last of them, and its process serves them until then. So a command
// that has detached a mount waits here for the end of its process, or says why it goes on. Not
// responsible for that end (`MountEnding`) nor for detaching (`Detachment`).

import Fuse
import Glibc
import LocalFiles
import LocalIO
import Mounting
import SystemPackage

/// The copies of a mount that is detached at one place, or has no place in this namespace.
private struct MountCopies {
    /// Where it still is in this namespace, by bind mounts.
    var places: [String]
    /// A process in each of the other namespaces, as far as this user may know: `NAME (PID)`.
    var holders: [String]
    /// Whether this command detached it.
    var isDetached: Bool
    /// Whether it did so although it was in use.
    var isLazy: Bool

    /// The message to users.
    func text(about mountpoint: String) -> String {
        if !places.isEmpty {
            return
                "\(mountpoint) is unmounted, and the same mount stays at "
                + places.joined(separator: ", ") + ". Its process ends with the last one."
        }
        if isLazy && holders.isEmpty {
            return
                "\(mountpoint) is unmounted, and stays in use: changes of programs in it are sent until its process ends, with the "
                + "last of them."
        }
        if !isDetached && holders.isEmpty {
            return
                "\(mountpoint) is not mounted here, and stays in use: programs have files open since it was detached "
                + "(umount -l), or another mount namespace has it. Its process ends with the last one."
        }
        let programs = holders.isEmpty ? "" : ": " + holders.joined(separator: ", ")
        // A process that was started in that namespace holds it, too.
        let end = isDetached ? "Its process ends with the last one." : "Unmount it there."
        return
            "\(mountpoint) is \(isDetached ? "unmounted" : "not mounted") here, and stays in use in another mount "
            + "namespace, such as a container's\(programs). \(end)"
    }
}

extension RunningMount {
    /// The outcome of the queue once the process of this mount has ended, after a detach; nil if
    /// the process stays for copies, which the user is told.
    ///
    /// - Parameters:
    ///   - connection: one on which `ControlRoutes.finish` was requested.
    ///   - isLazy: The mount may be in use, and usually is.
    func outcomeOfDetaching(
        _ connection: ControlConnection, _ environment: Environment, isLazy: Bool = false
    ) throws(CommandError) -> DrainOutcome? {
        if let copies = copies(environment, isLazy: isLazy) {
            Terminal.complain(copies.text(about: mountpoint))
            return nil
        }
        let reply = try connection.next(ControlRoutes.finish, about: mountpoint)
        guard case .outcome(let outcome) = reply else { return nil }
        return outcome
    }

    /// The copies of this mount, which has just been detached, or is not in this namespace; nil if
    /// the kernel has ended it.
    private func copies(_ environment: Environment, isLazy: Bool) -> MountCopies? {
        let limit = isLazy ? Self.lazyEndTimeout : Self.endTimeout
        let end = ContinuousClock.now.advanced(by: limit)
        while let connection = try? connect(environment),
            let status = connection.status(timeout: 10), status.state != .finishing,
            isStill(status)
        {
            if ContinuousClock.now >= end {
                return MountCopies(
                    places: places, holders: holders(of: status.device ?? device),
                    isDetached: entry != nil, isLazy: isLazy)
            }
            usleep(20_000)
        }
        return nil
    }

    /// Whether a process serves this mount, and not another one that was made there since.
    private func isStill(_ status: MountStatus) -> Bool {
        if entry == nil, let process { return status.pid == process }
        return status.device == nil || status.device == device
    }

    /// How long the kernel may take to end a mount that has no copies, on a busy machine.
    private static var endTimeout: Duration { .seconds(5) }
    /// The same where nothing depends on it but the words.
    private static var lazyEndTimeout: Duration { .seconds(1) }

    private var places: [String] {
        guard let device else { return [] }
        return MountTable.current().mounts(ofDevice: device)
            .map { Terminal.printable($0.path.string) }
    }

    private func holders(of device: String?) -> [String] {
        guard let device else { return [] }
        var namespaces = Set([Self.namespace(of: getpid())].compactMap(\.self))
        let processes = ((try? namesOfFolder("/proc")) ?? []).compactMap { Int32($0, radix: 10) }
        return processes.sorted().compactMap { process in
            // The table is read last: each may have thousands of lines.
            guard namespaces.count <= Self.mostHolders,
                let namespace = Self.namespace(of: process), !namespaces.contains(namespace),
                MountTable.seen(by: process).mounts.contains(where: { $0.device == device })
            else { return nil }
            namespaces.insert(namespace)
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
