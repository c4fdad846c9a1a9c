// Collects the facts about the mounts in the kernel's list. This process never accesses a mount: if
// its own process hangs, that would hang this one beyond SIGKILL.

import Blocking
import Fuse
import Glibc
import LocalIO
import Mounting
import SystemPackage

struct MountInspection {
    /// Seconds for the reply of a mount's process, and for the kernel if no process is found.
    private static let replyTimeout = 5
    private static let kernelTimeout = 3.0

    private let environment: Environment
    private let survey: MountSurvey

    /// Asks all mounts with a socket in the environment's own folder, once. Blocks for some seconds
    /// for each that hangs.
    init(_ environment: Environment) {
        self.environment = environment
        survey = MountSurvey(
            environment, in: [ControlFolder(path: environment.runtimeFolder)],
            timeout: Self.replyTimeout)
    }

    /// The mounts that answer at once.
    var answers: [MountStatus] { survey.answers }

    func facts(account: String?) -> [MountFacts] {
        // Others' mounts are none of this user's, and a machine may have many.
        MountTable.current().mounts(of: geteuid())
            .filter { $0.type == RunningMount.type && belongs($0, to: account) }
            .map { mount in
                MountFacts(
                    mountpoint: mount.path.string,
                    condition: condition(of: RunningMount(at: mount.path.string)))
            }
    }

    /// The answers to the survey. A mount that it does not name is asked now: it may have another
    /// folder for its socket, be new, or have no process.
    private func condition(of mount: RunningMount) -> MountFacts.Condition {
        if let device = mount.device,
            let status = survey.answers.first(where: { $0.device == device })
        {
            return MountFacts.Condition(status)
        }
        let isSilent = survey.unanswered.contains {
            $0.state == .silent && $0.mountpoint == mount.mountpoint
        }
        if isSilent { return .silent(seconds: Self.replyTimeout) }
        return Self.condition(of: mount, environment)
    }

    /// The kernel lists a mount by its requested source.
    private func belongs(_ mount: MountTable.Entry, to account: String?) -> Bool {
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
                return MountFacts.Condition(status)
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

extension MountFacts.Condition {
    /// That of a mount that answers.
    fileprivate init(_ status: MountStatus) {
        self = .answers(status.state, advice: status.advice, listing: status.listing)
    }
}
