// From the errors of DropboxAPI to those of logins and renewals.

import DropboxAPI

extension OAuth2Error {
    init(_ error: TokenError) {
        self =
            switch error {
            case .invalidGrant: .invalidGrant
            case .rejected(let code, _): OAuth2Error(errorCode: code)
            case .server(let status, _): status >= 500 ? .serverError : .unknown
            case .transport: .temporarilyUnavailable
            case .missing, .withheld, .cancelled: .unknown
            }
    }
}

extension TokenError {
    /// The reason without the kind.
    var words: String {
        switch self {
        case .invalidGrant(let text), .missing(let text), .withheld(let text): text
        case .rejected(_, let text), .server(_, let text): text
        case .transport(let error): error.message
        case .cancelled: "the task was cancelled"
        }
    }
}
