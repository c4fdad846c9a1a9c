// All mounts of this user, with those in the kernel's list that do not answer, and what commands
// say of these.

import Fuse
import Mounting
import SystemPackage

extension MountSurvey {
    /// Asks all mounts of this user, or those with sockets in some folders. Blocks for up to
    /// `timeout` seconds for each that says nothing.
    init(
        _ environment: Environment, in folders: [ControlFolder]? = nil, timeout: Int = 10
    ) {
        self = ControlClient(folders: folders ?? environment.controlFolders)
            .survey(timeout: timeout) {
                MountTable.current().mounts.filter { $0.type == RunningMount.type }
                    .map(\.path.string)
            } holding: {
                environment.lockHolders()
            }
    }

    /// Names each mount that does not answer.
    func complain() {
        for mount in unanswered { Terminal.complain("\(mount.mountpoint): \(mount.stateText)") }
    }

    /// Throws if there is such a mount.
    func refuseUnanswered() throws(CommandError) {
        guard unanswered.isEmpty else { throw .noAnswer(mounts: unanswered.count) }
    }
}
