// Finds the mount of a command that names none, if there is no other. Not responsible for what its process is asked.

import Fuse
import Mounting
import SystemPackage

extension RunningMount {
    /// The only mount of this user. One whose process hangs or is dead counts, too: its socket tells that it is this user's.
    static func only(_ environment: Environment) throws(CommandError) -> RunningMount {
        let client = ControlClient(folders: environment.controlFolders)
        var listed: [String] = []
        for mount in MountTable.current().mounts where mount.type == type {
            let path = mount.path.string
            if !listed.contains(path), client.hasSocket(for: path) { listed.append(path) }
        }
        // The kernel does not list a mount that is detached and still uploads.
        let detached = client.allMounts().map(\.mountpoint).filter { !listed.contains($0) }
        let places = [listed, detached].flatMap(\.self)
        guard let place = places.first else { throw .nothingMounted }
        guard places.count == 1 else {
            throw .severalMounts(places.map { "\($0)\(fate(of: $0, environment))" }.sorted())
        }
        return RunningMount(at: place)
    }

    /// Why a mount cannot be asked, behind its name in a list; empty if it can.
    private static func fate(of mountpoint: String, _ environment: Environment) -> String {
        switch MountLook.condition(of: mountpoint, environment) {
        case .answers, .elsewhere: ""
        case .silent, .hung: " (does not answer)"
        case .stale: " (its process is gone)"
        }
    }
}
