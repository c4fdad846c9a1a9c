// How the mounts that the kernel lists are. Facts in, findings out.

/// What is so of one mount of the kernel's list.
public struct MountFacts: Hashable, Sendable {
    /// How it is.
    public enum Condition: Hashable, Sendable {
        /// Its process answers.
        case answers(MountStatus.State, advice: String?)
        /// Its process takes the question and says nothing for so many seconds.
        case silent(seconds: Int)
        /// Its process is gone.
        case stale
        /// It is there, and its process cannot be asked by this user or with these folders.
        case elsewhere
        /// Nobody answers, not even the kernel.
        case hung
    }

    /// Where it is.
    public var mountpoint: String
    /// How it is.
    public var condition: Condition

    /// Names both.
    public init(mountpoint: String, condition: Condition) {
        self.mountpoint = mountpoint
        self.condition = condition
    }

    /// What there is to say.
    public var finding: Finding {
        switch condition {
        case .answers(.authRequired, let advice):
            finding(.problem, "no access: " + (advice ?? "the access token is refused"))
        case .answers(.offline, _):
            finding(.warning, "offline: what is cached can be read, changes are queued")
        case .answers(let state, _): finding(.ok, state.rawValue)
        case .silent(let seconds):
            finding(
                .problem,
                "its process says nothing for \(seconds) s: see its log; end it, and mount again")
        case .stale:
            finding(
                .problem, "its process is gone: fusermount3 -uz \(mountpoint), and mount again")
        case .elsewhere:
            finding(
                .note, "another user's, or mounted with another DBXFS_STATE_DIR: not looked at")
        case .hung:
            finding(
                .problem,
                "it does not answer, nor does its process: end that, and fusermount3 -uz \(mountpoint)"
            )
        }
    }

    private func finding(_ level: Finding.Level, _ text: String) -> Finding {
        Finding("mount", about: mountpoint, level, text)
    }
}
