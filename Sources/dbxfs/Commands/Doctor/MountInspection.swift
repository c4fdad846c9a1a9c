// Collects the facts about the mounts in the kernel's list. This process never accesses a mount: if
// its own process hangs, that would hang this one beyond SIGKILL.

import Blocking
import Fuse
import Glibc
import LocalIO
import Mounting
import SystemPackage

enum MountInspection {
    /// Seconds for the reply of a mount's process, and for the kernel if no process is found.
    private static let replyTimeout = 5
    private static let kernelTimeout = 3.0

    static func facts(_ environment: Environment, account: String?) -> [MountFacts] {
        // Others' mounts are none of this user's, and a machine may have many.
        MountTable.current().mounts(of: geteuid())
            .filter { $0.type == RunningMount.type && belongs($0, to: account) }
            .map { mount in
                MountFacts(
                    mountpoint: mount.path.string,
                    condition: condition(of: RunningMount(at: mount.path.string), environment))
            }
    }

    /// The mounts that answer at once. Blocks for some seconds at most.
    static func answers(_ environment: Environment) -> [MountStatus] {
        let folder = ControlFolder(path: environment.runtimeFolder)
        let answers = WorkerThread.within(seconds: Double(replyTimeout) + 1) {
            ControlClient(folder: folder).allMounts(timeout: replyTimeout)
        }
        return answers ?? []
    }

    /// The kernel lists a mount by its requested source.
    private static func belongs(_ mount: MountTable.Entry, to account: String?) -> Bool {
        guard let account else { return true }
        return (try? MountSource(parsing: mount.source))?.account == account
    }

    /// The answer of a listed mount's process, or the kernel's without one. Blocks for some seconds
    /// at most.
    static func condition(
        of mount: RunningMount, _ environment: Environment
    ) -> MountFacts.Condition {
        // Connecting blocks, too, once the backlog of a hanging process is full.
        let answer = WorkerThread.within(seconds: Double(replyTimeout) + 1) {
            () -> MountFacts.Condition? in
            do throws(CommandError) {
                guard let connection = try mount.connect(environment) else { return nil }
                guard let status = connection.status(timeout: replyTimeout) else {
                    return .silent(seconds: replyTimeout)
                }
                return .answers(status.state, advice: status.advice, listing: status.listing)
            } catch {
                return .elsewhere
            }
        }
        guard let answer else { return .silent(seconds: replyTimeout) }
        return answer ?? withoutProcess(mount.mountpoint)
    }

    /// A mount without a listening process: dead, or with another folder for its socket.
    private static func withoutProcess(_ mountpoint: String) -> MountFacts.Condition {
        do throws(ChildProcessError) {
            // Of a file's status the kernel may have a copy, of the filesystem's it has none: the
            // errors of a dead one are `ENOTCONN` and `ECONNABORTED`, here in words.
            guard
                let outcome = try ChildProcess.run(
                    "env", ["LC_ALL=C", "stat", "-f", "--", mountpoint], within: kernelTimeout)
            else { return .hung }
            let isDead = ["Transport endpoint is not connected", "connection abort"]
                .contains { outcome.errors.contains($0) }
            return isDead ? .stale : .elsewhere
        } catch {
            return .elsewhere
        }
    }
}
