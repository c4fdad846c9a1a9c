// The one form that all errors of the SDK have at the border. Not responsible for its memory in C:
// BorderError+C.

import CDropbox
import DropboxAPI
import Saturating

/// A failure on its way to C.
struct BorderError: Error {
    var kind: dropbox_error_kind
    /// One line for a log.
    var summary: String
    /// A sentence for a user.
    var message: String
    var status = 0
    var attempts = 0
    var mayHaveTakenEffect = false
    var isConnectivityLoss = false
    var retryAfter: Duration?
    var locale: String?
    var route: String?
    var requestID: String?
    var tag: String?
    var body: String?

    private init(_ kind: dropbox_error_kind, _ text: String) {
        self.kind = kind
        summary = text
        message = text
    }

    /// An argument of a function that cannot be used.
    static func argument(_ text: String) -> BorderError {
        BorderError(DROPBOX_ERROR_INVALID_ARGUMENT, text)
    }

    /// An operation that was ended by its program.
    static let cancelled = BorderError(DROPBOX_ERROR_CANCELLED, "cancelled")

    /// A result that cannot be written as JSON.
    static let unwritable = BorderError(
        DROPBOX_ERROR_SERIALIZATION, "the result cannot be written as JSON")

    /// A response that cannot be read.
    static func unreadable(_ text: String) -> BorderError {
        BorderError(DROPBOX_ERROR_SERIALIZATION, text)
    }

    /// The login page's answer came twice, or not at all.
    static func login(_ text: String) -> BorderError { BorderError(DROPBOX_ERROR_LOGIN, text) }

    /// Any error of the SDK; `kind` is for one that no call is the cause of.
    init(_ error: any DropboxError, _ kind: dropbox_error_kind = DROPBOX_ERROR_OTHER) {
        let call = error.failedCall
        self.kind = error.isCancellation ? DROPBOX_ERROR_CANCELLED : call?.code ?? kind
        summary = error.summary
        message = error.errorDescription ?? error.summary
        mayHaveTakenEffect = error.mayHaveTakenEffect
        isConnectivityLoss = error.isConnectivityLoss
        locale = error.userMessage?.locale
        requestID = error.requestID
        guard let call else { return }
        status = call.context.status ?? call.tokenError?.status ?? 0
        attempts = call.context.attempts
        retryAfter = call.retryAfter
        route = call.context.route
        tag = call.routeError?.tagPath
        body = call.context.answer?.body
    }

    /// The failure of a call.
    init<Failure>(_ error: CallError<Failure>) {
        self.init(error as any DropboxError)
    }

    /// The end of a folder's changes.
    init(_ error: FolderListingError) {
        self.init(error, DROPBOX_ERROR_RESPONSE)
    }

    /// The failure of a whole file.
    init(_ error: FileTransferError) {
        self.init(error as any DropboxError)
        switch error {
        case .localFile, .changed, .source: kind = DROPBOX_ERROR_LOCAL_FILE
        case .targetExists: kind = DROPBOX_ERROR_TARGET_EXISTS
        case .uncertain: kind = DROPBOX_ERROR_UNCERTAIN
        case .hashMismatch: kind = DROPBOX_ERROR_DAMAGED
        case .malformedAnswer: kind = DROPBOX_ERROR_RESPONSE
        case .failed, .refused, .tooLarge, .cancelled: break
        }
    }

    /// The failure of a connection, or of its settings.
    init(_ error: TransportError) {
        self.init(
            error,
            error.kind == .invalidRequest ? DROPBOX_ERROR_INVALID_ARGUMENT : DROPBOX_ERROR_NETWORK)
    }

    /// The failure of the token endpoint.
    init(_ error: TokenError) {
        if case .transport(let error) = error {
            self.init(error)
            return
        }
        self.init(error, error.code)
        status = error.status ?? 0
    }

    /// A login that did not end well.
    init(_ error: LoginError) {
        if case .token(let error) = error {
            self.init(error)
        } else {
            self.init(error, DROPBOX_ERROR_LOGIN)
        }
    }

    /// The failure of a store of logins.
    init(_ error: TokenStoreError) {
        self.init(error, DROPBOX_ERROR_STORE)
    }
}

extension TokenError {
    /// The kind as C has it: only a final one asks for another login.
    fileprivate var code: dropbox_error_kind {
        switch self {
        case .transport: DROPBOX_ERROR_NETWORK
        case .server(status: 429, _): DROPBOX_ERROR_RATE_LIMITED
        case .server where isTemporary: DROPBOX_ERROR_INTERNAL_SERVER
        default: DROPBOX_ERROR_TOKEN
        }
    }

    /// The status of the token endpoint, if it failed with one.
    fileprivate var status: Int? { if case .server(let status, _) = self { status } else { nil } }
}

extension CallFailure {
    /// The kind as C has it.
    fileprivate var code: dropbox_error_kind { tokenError?.code ?? kind.code }
}

extension CallFailure.Kind {
    /// The kind as C has it.
    fileprivate var code: dropbox_error_kind {
        switch self {
        case .route: DROPBOX_ERROR_ROUTE
        case .internalServer: DROPBOX_ERROR_INTERNAL_SERVER
        case .badInput: DROPBOX_ERROR_BAD_INPUT
        case .rateLimited: DROPBOX_ERROR_RATE_LIMITED
        case .auth: DROPBOX_ERROR_AUTH
        case .access: DROPBOX_ERROR_ACCESS
        case .pathRoot: DROPBOX_ERROR_PATH_ROOT
        case .http: DROPBOX_ERROR_HTTP
        case .serialization: DROPBOX_ERROR_SERIALIZATION
        case .response: DROPBOX_ERROR_RESPONSE
        case .transport: DROPBOX_ERROR_NETWORK
        case .token: DROPBOX_ERROR_TOKEN
        case .cancelled: DROPBOX_ERROR_CANCELLED
        }
    }
}
