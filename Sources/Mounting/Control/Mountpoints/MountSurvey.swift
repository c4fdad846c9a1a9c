// All mounts of a user, those that do not answer included: changes that they have not sent must not
// be taken for sent.

import SystemPackage

/// A mount of this user whose process does not answer.
package struct UnansweredMount: Hashable, Sendable, Encodable {
    /// Why it does not answer; the names in JSON are an interface for scripts.
    package enum State: String, Hashable, Sendable, Encodable {
        /// Its process accepts requests, or is not even able to, and says nothing.
        case silent
        /// Its process has ended, and the kernel still lists the mount.
        case gone
    }

    /// Mountpoint as an absolute path; the path of its socket if it is unknown.
    package var mountpoint: String
    /// Why it does not answer.
    package var state: State

    /// Memberwise and without defaults.
    package init(mountpoint: String, state: State) {
        self.mountpoint = mountpoint
        self.state = state
    }

    /// The state for people.
    package var stateText: String {
        switch state {
        case .silent: "its process does not answer"
        case .gone: "its process is gone: mount it again, and its changes are sent"
        }
    }
}

/// All mounts of a user, each sorted by mountpoint.
package struct MountSurvey: Hashable, Sendable {
    /// The status of those that answer.
    package var answers: [MountStatus]
    /// Those that do not.
    package var unanswered: [UnansweredMount]

    /// Memberwise; by default without mounts.
    package init(answers: [MountStatus] = [], unanswered: [UnansweredMount] = []) {
        self.answers = answers
        self.unanswered = unanswered
    }

    /// Whether it has the mount that the kernel lists at a place. One that was there before, and
    /// still sends, is another.
    fileprivate func names(_ place: String) -> Bool {
        answers.contains { $0.mountpoint == place && $0.state != .finishing }
            || unanswered.contains { $0.mountpoint == place }
    }
}

extension ControlClient {
    /// Asks every mount that has a socket for its status, and names those that say nothing within
    /// so many seconds.
    ///
    /// A socket does not tell its mountpoint. It is found among the mounts that the kernel lists,
    /// and, for one that is detached and still uploads, among those that hold locks. Both are only
    /// looked at if a mount does not answer, and afterwards: a mount that has just ended is not
    /// listed then.
    package func survey(
        timeout: Int = 10, listed: () -> [String], holding: () -> [String]
    ) -> MountSurvey {
        var survey = MountSurvey()
        var mute: [(folder: ControlFolder, socket: LocalSocket, state: UnansweredMount.State)] = []
        for folder in folders {
            for socket in folder.sockets() {
                switch answer(of: socket, timeout: timeout) {
                case .status(let status): survey.answers.append(status)
                case .silence: mute.append((folder, socket, .silent))
                case .nobody: mute.append((folder, socket, .gone))
                }
            }
        }
        survey.answers.sort { $0.mountpoint < $1.mountpoint }
        guard !mute.isEmpty else { return survey }
        let (listed, holding) = (listed(), holding())
        for (folder, socket, state) in mute {
            let isIts = { (place: String) in folder.isSocket(socket, for: place) }
            let place = listed.last(where: isIts)
            switch state {
            case .silent:
                survey.unanswered.append(
                    .init(
                        mountpoint: place ?? holding.first(where: isIts) ?? socket.path,
                        state: .silent))
            case .gone:
                // Not one that an ended mount left, and no mount that began in the meantime.
                guard let place, !socket.isServed, !survey.names(place) else { continue }
                survey.unanswered.append(.init(mountpoint: place, state: .gone))
            }
        }
        survey.unanswered.sort { $0.mountpoint < $1.mountpoint }
        return survey
    }

    private enum Answer {
        case status(MountStatus)
        case silence
        case nobody
    }

    private func answer(of socket: LocalSocket, timeout: Int) -> Answer {
        let connection: ControlConnection
        do throws(Errno) {
            connection = ControlConnection(descriptor: try socket.connect())
        } catch {
            let isUnserved = error == .noSuchFileOrDirectory || error == .connectionRefused
            return isUnserved ? .nobody : .silence
        }
        if let status = connection.status(timeout: timeout) { return .status(status) }
        // A process that has ended closes the connection; one that hangs does not.
        return connection.isAbandoned ? .nobody : .silence
    }
}
