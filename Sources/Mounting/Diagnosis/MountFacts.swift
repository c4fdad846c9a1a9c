// The state of the mounts in the kernel's list. Facts in, findings out.

/// The facts about one mount in the kernel's list.
package struct MountFacts: Hashable, Sendable {
    /// The state of a mount.
    package enum Condition: Hashable, Sendable {
        /// Its process answers with a state, and with how far a listing of the account is.
        case answers(MountStatus.State, advice: String?, listing: ListingStatus? = nil)
        /// Its process accepts the request and does not answer within so many seconds.
        case silent(seconds: Int)
        /// Its process has ended.
        case stale
        /// Its process cannot be reached with these folders.
        case elsewhere
        /// Neither the process nor the kernel answers.
        case hung
    }

    /// Mountpoint as the kernel lists it.
    package var mountpoint: String
    /// The state of the mount.
    package var condition: Condition

    /// Memberwise and without defaults.
    package init(mountpoint: String, condition: Condition) {
        self.mountpoint = mountpoint
        self.condition = condition
    }

    /// The finding about the mount.
    package var finding: Finding {
        switch condition {
        case .answers(.authRequired, let advice, _):
            finding(.problem, "no access: " + (advice ?? "the access token is refused"))
        case .answers(.offline, _, _):
            finding(.warning, "offline: what is cached can be read, changes are queued")
        case .answers(let state, _, let listing?) where listing.isFirst:
            finding(
                .note,
                "\(state.rawValue), and not all of the account is known yet: \(listing.text)")
        case .answers(let state, _, _): finding(.ok, state.rawValue)
        case .silent(let seconds):
            finding(
                .problem,
                "its process says nothing for \(seconds) s: see its log; end it, and mount again")
        case .stale:
            finding(
                .problem, "its process is gone: fusermount3 -uz \(mountpoint), and mount again")
        case .elsewhere:
            finding(.note, "mounted with another DBXFS_STATE_DIR: not looked at")
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
