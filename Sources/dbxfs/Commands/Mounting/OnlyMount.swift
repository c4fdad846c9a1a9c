// Finds the mount of a command that names none, if there is no other. Not responsible for what its
// process is asked.

import Fuse
import Mounting
import SystemPackage

extension RunningMount {
    /// The only mount of this user. One whose process hangs or is dead counts, too: its socket
    /// tells that it is this user's.
    static func only(_ environment: Environment) throws(CommandError) -> RunningMount {
        let client = ControlClient(folders: environment.controlFolders)
        let table = MountTable.current()
        let answering = client.allMounts().map { RunningMount($0, in: table) }
        let silent = table.mounts
            .filter { mount in
                mount.type == type && client.hasSocket(for: mount.path.string)
                    && !answering.contains { $0.device == mount.device }
            }
            .map { RunningMount(at: $0.path.string) }
        // The kernel does not list a mount that is detached and still uploads. One at the same
        // place comes first.
        let detached = answering.filter { $0.entry == nil }
        var mounts: [RunningMount] = []
        for mount in [answering.filter { $0.entry != nil }, silent, detached].flatMap(\.self)
        where !mounts.contains(where: { $0.mountpoint == mount.mountpoint }) {
            mounts.append(mount)
        }
        guard let mount = mounts.first else { throw .nothingMounted }
        guard mounts.count == 1 else {
            throw .severalMounts(
                mounts.map { "\($0.mountpoint)\(fate(of: $0, environment))" }.sorted())
        }
        return mount
    }

    /// The same, and an error if it does not answer.
    static func onlyAnswering(_ environment: Environment) throws(CommandError) -> RunningMount {
        let mount = try only(environment)
        guard try mount.connectOrFail(environment).status(timeout: statusTimeout) != nil else {
            throw mount.silence
        }
        return mount
    }

    /// Why a mount cannot be asked, behind its name in a list; empty if it can.
    private static func fate(of mount: RunningMount, _ environment: Environment) -> String {
        switch MountInspection.condition(of: mount, environment) {
        case .answers, .elsewhere: ""
        case .silent, .hung: " (does not answer)"
        case .stale: " (its process is gone)"
        }
    }
}
