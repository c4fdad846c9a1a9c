// The kinds of rename(2).

/// How rename treats an existing target.
package enum RenameMode: Hashable, Sendable {
    /// Replaces the existing target.
    case replace
    /// Fails if the target exists (`RENAME_NOREPLACE`).
    case noReplace
    /// Swaps source and target (`RENAME_EXCHANGE`).
    case exchange
}
