// Names of programs as the kernel knows them. Not responsible for finding out which program a
// process runs: `Fuse` does.

/// Programs by the names that the kernel gives to their processes.
package struct ProgramNames: Hashable, Sendable {
    /// The kernel keeps so many bytes of a name (`TASK_COMM_LEN`, less its NUL).
    private static let keptBytes = 15

    private let names: Set<String>

    /// Takes whole names of programs, without folders.
    package init(_ names: some Sequence<String>) {
        self.names = Set(names.map(Self.kept))
    }

    /// Whether there are none.
    var isEmpty: Bool { names.isEmpty }

    /// Whether a process of that name runs one of the programs.
    func contains(_ name: String) -> Bool { names.contains(Self.kept(name)) }

    private static func kept(_ name: String) -> String {
        String(decoding: name.utf8.prefix(keptBytes), as: UTF8.self)
    }
}
