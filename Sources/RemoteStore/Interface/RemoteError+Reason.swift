// The errors of the server in words for people. Not responsible for advice: messages of commands
// add it.

import Saturating

extension RemoteError: CustomStringConvertible {
    /// The reason in a few words, without a full stop, for the middle of a message or a line of the
    /// log.
    package var description: String {
        switch self {
        case .offline(let detail), .unreachable(let detail): detail
        case .timedOut: "no answer in time; check the network and the proxy"
        case .rateLimited(let seconds):
            "it asks to wait for \(Int(clamping: seconds.rounded(.up))) seconds"
        case .unauthorized(let detail), .forbidden(let detail), .protected(let detail),
            .malformed(let detail), .server(let detail), .unsent(let detail):
            detail
        case .notFound: "there is nothing of this name or revision"
        case .notAFolder: "it is a file"
        case .notAFile: "it is a folder"
        case .conflict(.file): "there is another file, or another revision of it"
        case .conflict(.folder): "there is a folder of this name"
        case .conflict(.ancestor): "a folder above it is a file there"
        case .conflict(.other): "there is something of this name"
        case .insufficientSpace: "the account is full"
        case .tooLarge: "it is larger than Dropbox accepts"
        case .tooManyEntries: "it has more files than Dropbox changes at once"
        case .disallowedName: "Dropbox does not store this name"
        case .busy: "it is locked by another user, or being changed"
        case .cursorReset: "the listing has to begin anew"
        case .notDownloadable: "its content cannot be downloaded, as that of cloud documents"
        case .rootChanged: "the mounted folder has moved"
        case .rootMissing(let path): "the mounted folder '\(path)' is gone"
        case .contentMismatch: "the content was damaged on its way"
        case .sessionLost: "the upload has to begin anew"
        case .contentUnreadable(let detail): "the content on this machine cannot be read: \(detail)"
        case .cancelled: "it was interrupted"
        }
    }
}
