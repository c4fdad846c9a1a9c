// The work of Sync as events, for the history that users read and for their notifications. Not
// responsible for words, nor for writing: an observer gets it from the tasks of Sync, never from a
// user's call.

package import Tree

/// An event of the work of Sync.
package enum SyncActivity: Sendable {
    /// The server has carried out a step.
    case done(UploadStep)
    /// Other clients have changed these.
    case received([TreeChange])
    /// Conflicted copies were made, by their names; the changes have their places.
    case conflicts([String], [TreeChange])
    /// The server refuses a change, for a reason in words. The path is the remote one.
    case refused(path: String, problem: String)
    /// The account is full.
    case accountFull
    /// The server does not accept the token, for a reason in words.
    case accessRefused(String)
}

/// Gets activities. It is called from tasks, with no lock held, and must return quickly.
package protocol SyncActivityObserving: Sendable {
    /// Takes note of an activity.
    func note(_ activity: SyncActivity)
}

/// Passes activities on to several observers.
package struct SyncActivityObservers: SyncActivityObserving {
    private let observers: [any SyncActivityObserving]

    /// Passes activities on to those observers that there are, in their order.
    package init(_ observers: (any SyncActivityObserving)?...) {
        self.observers = observers.compactMap(\.self)
    }

    package func note(_ activity: SyncActivity) {
        for observer in observers { observer.note(activity) }
    }
}
