// The error of an emulator that cannot start.

/// The reason why an emulator cannot run.
public enum EmulatorError: Error, CustomStringConvertible {
    /// The address is not a loopback address.
    case notLoopback(String)
    /// The state folder cannot be read or written; the text says why.
    case state(String)
    /// The server ended before it listened; the text says why.
    case cannotListen(String)

    /// The reason as a sentence for a user.
    public var description: String {
        switch self {
        case .notLoopback(let host):
            "refusing to listen on \(host): the emulator serves only this machine"
        case .state(let reason): "cannot use the state folder: \(reason)"
        case .cannotListen(let reason): "cannot listen: \(reason)"
        }
    }
}
