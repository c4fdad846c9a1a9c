// The error of an emulator that cannot start.

/// The reason why an emulator cannot run.
public enum EmulatorError: Error, CustomStringConvertible {
    /// The address is not a loopback address.
    case notLoopback(String)
    /// The state folder cannot be read or written; the text says why.
    case state(String)
    /// The server ended before it listened; the text says why.
    case cannotListen(String)
    /// The file of observations cannot be read; the text says why.
    case observations(String)
    /// The emulator cannot give an answer that was observed.
    case observation(String, answer: String, known: String)

    /// The reason as a sentence for a user.
    public var description: String {
        switch self {
        case .notLoopback(let host):
            "refusing to listen on \(host): the emulator serves only this machine"
        case .state(let reason): "cannot use the state folder: \(reason)"
        case .cannotListen(let reason): "cannot listen: \(reason)"
        case .observations(let reason): "cannot use the observations: \(reason)"
        case .observation(let statement, let answer, let known):
            "cannot answer '\(answer)' for \(statement): only '\(known)'"
        }
    }
}
