// Finds out how the mounts are that the kernel lists. A mount is never looked at by this process: if its own
// process hangs, that would hang this one beyond SIGKILL.

import Fuse
import Mounting
import SystemPackage

enum MountLook {
    /// Seconds that a mount's process gets to answer, and the kernel, for a mount of which there is none.
    private static let patience = 5
    private static let kernelPatience = 3.0

    static func facts(_ environment: Environment, account: String?) -> [MountFacts] {
        MountTable.current().mounts
            .filter { $0.type == RunningMount.type && belongs($0, to: account) }
            .map { mount in
                MountFacts(
                    mountpoint: mount.path.string,
                    condition: condition(of: mount.path.string, environment))
            }
    }

    /// The kernel lists a mount by the source that it was asked for.
    private static func belongs(_ mount: MountTable.Mount, to account: String?) -> Bool {
        guard let account else { return true }
        return (try? MountSource(parsing: mount.source))?.account == account
    }

    private static func condition(
        of mountpoint: String, _ environment: Environment
    ) -> MountFacts.Condition {
        let client = ControlClient(folders: environment.controlFolders)
        // To connect blocks, too, once a process that hangs has been asked often enough.
        let answer = Thread.within(seconds: Double(patience) + 1) { () -> MountFacts.Condition? in
            do throws(CommandError) {
                guard let connection = try client.connect(to: mountpoint) else { return nil }
                guard let status = connection.status(patience: patience) else {
                    return .silent(seconds: patience)
                }
                return .answers(status.state, advice: status.advice)
            } catch {
                return .elsewhere
            }
        }
        guard let answer else { return .silent(seconds: patience) }
        return answer ?? withoutProcess(mountpoint)
    }

    /// A mount that nobody listens for: is it dead, or somebody else's?
    private static func withoutProcess(_ mountpoint: String) -> MountFacts.Condition {
        do throws(CommandError) {
            guard
                let outcome = try ChildProcess.run(
                    "stat", ["--", mountpoint], within: kernelPatience)
            else { return .hung }
            return outcome.errors.contains("Transport endpoint is not connected")
                ? .stale : .elsewhere
        } catch {
            return .elsewhere
        }
    }
}
