// The messages of `CommandError` about `dbxfs recover`.

extension CommandError {
    var recoveryMessage: String {
        switch self {
        case .nothingPutAside(let name):
            "\(quoted(name)) is no account, no mountpoint, and no content that was put aside: "
                + "`dbxfs recover` lists what was, with --system that of system mounts"
        case .severalPutAside(let name):
            "there is more than one \(quoted(name)): name it as `dbxfs recover` lists it"
        case .noContent(let name):
            "of \(quoted(name)) there is only this note and no content: --remove removes it"
        case .onlyPart(let name, nil, let missing):
            "\(quoted(name)) is not whole (missing: \(missing)): add --partial to write what is "
                + "there, with zeros for the rest"
        case .onlyPart(let name, let revision?, let missing):
            "\(quoted(name)) is only the changed part of an edit of revision \(revision) (missing: "
                + "\(missing)): see `dbxfs revisions`, and `dbxfs restore --rev \(revision)` for the "
                + "rest; add --partial to write what is there, with zeros for that"
        case .alreadyThere(let path):
            "there is a \(quoted(path)) already, and nothing is overwritten: name a new file"
        case .notRecovered(let path, let reason):
            "\(quoted(path)) could not be written (\(reason)): name a file elsewhere; what was put "
                + "aside is still there"
        default: String(describing: self)
        }
    }
}
