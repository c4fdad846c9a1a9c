// Translates the API's errors to `RemoteError`. Exhaustive on purpose: a new case must be decided.

import DropboxAPI

extension RemoteError {
    /// Upper limit of `Retry-After`, in seconds.
    private static let longestWait = 3600.0
    /// Seconds to wait where the server says "too many requests" and no time.
    private static let unstatedWait = 5.0

    /// Errors common to all routes; `route` maps the route's own ones.
    init<Failure>(_ error: CallError<Failure>, route: (Failure) -> RemoteError) {
        switch error.kind {
        case .route(let failure, _): self = route(failure)
        case .internalServer, .http: self = .server(error.summary)
        case .badInput(let message):
            // The path does not match the API's pattern: no other argument of ours can be invalid.
            self =
                message.contains("did not match pattern") ? .disallowedName : .server(error.summary)
        case .rateLimited(_, let wait):
            let seconds = wait.map { Double($0.components.seconds) } ?? Self.unstatedWait
            self = .rateLimited(retryAfter: min(Self.longestWait, max(0, seconds)))
        case .auth(.missingScope(let scope)):
            self = .forbidden("the token lacks the scope \(scope.requiredScope)")
        case .auth(.routeAccessDenied): self = .forbidden(error.summary)
        case .auth: self = .unauthorized(error.summary)
        case .access: self = .forbidden(error.summary)
        case .pathRoot(.invalidRoot): self = .rootChanged
        case .pathRoot: self = .forbidden(error.summary)
        case .serialization, .response: self = .malformed(error.summary)
        case .transport(let failure): self = RemoteError(failure, summary: error.summary)
        case .token(let failure): self = RemoteError(failure)
        case .cancelled: self = .cancelled
        }
    }

    init(_ error: CallError<NoError>) {
        self.init(error) { .server("\($0)") }
    }

    /// The error of a change: it says that the change is not done only if no request did it.
    init<Failure>(ofChange error: CallError<Failure>, route: (Failure) -> RemoteError) {
        let mapped = RemoteError(error, route: route)
        if error.context.earlierAttemptMayHaveTakenEffect {
            self = mapped.afterPossibleChange
        } else {
            self = error.mayHaveTakenEffect || error.isAnswer ? mapped : mapped.beforeChange
        }
    }

    init(ofChange error: CallError<NoError>) {
        self.init(ofChange: error) { .server("\($0)") }
    }

    private init(_ error: TransportError, summary: String) {
        switch error.kind {
        case .timedOut: self = .timedOut
        case .cancelled: self = .cancelled
        case .nameResolution, .connect, .reset, .shutDown: self = .offline(summary)
        // Another server answers in Dropbox's place. Nothing was sent to it.
        case .certificate, .tls:
            self = .offline(
                "\(summary); if this network has a login page, open it in a browser")
        case .bodyCutShort, .tooLarge, .malformedResponse: self = .malformed(summary)
        // The content changed or could not be read during the upload.
        case .bodySource: self = .contentMismatch
        case .invalidRequest, .other: self = .server(summary)
        }
    }

    init(_ error: TokenError) {
        switch error {
        case .transport(let failure): self.init(failure, summary: error.advice)
        // The pause is not known here; the token provider does not retry earlier.
        case .server(status: 429, _): self = .rateLimited(retryAfter: Self.unstatedWait)
        case .server: self = .server(error.advice)
        case .cancelled: self = .cancelled
        case .invalidGrant, .rejected, .missing, .withheld: self = .unauthorized(error.advice)
        }
    }

    // MARK: Paths

    init(_ error: Files.LookupError) {
        switch error {
        case .notFound: self = .notFound
        case .malformedPath: self = .disallowedName
        case .notFile: self = .notAFile
        case .notFolder: self = .notAFolder
        case .restrictedContent: self = .forbidden("the content is restricted")
        case .unsupportedContentType: self = .notDownloadable
        case .locked: self = .busy
        case .unknown(let tag): self = .server(tag)
        }
    }

    init(_ error: Files.WriteError) {
        switch error {
        case .malformedPath, .disallowedName: self = .disallowedName
        case .conflict(.file): self = .conflict(.file)
        case .conflict(.folder): self = .conflict(.folder)
        case .conflict(.fileAncestor): self = .conflict(.ancestor)
        case .conflict(.unknown): self = .conflict(.other)
        case .noWritePermission, .accessRestricted:
            self = .forbidden("no permission to write here")
        case .insufficientSpace: self = .insufficientSpace
        case .teamFolder: self = .protected("a team folder")
        case .operationSuppressed: self = .protected("the server suppresses this change")
        case .tooManyWriteOperations: self = .busy
        case .unknown(let tag): self = .server(tag)
        }
    }

    // MARK: Routes

    init(_ error: Files.ListFolderError) {
        switch error {
        case .path(let lookup): self.init(lookup)
        case .templateError: self = .server("\(error)")
        case .unknown(let tag): self = .server(tag)
        }
    }

    init(_ error: Files.ListFolderContinueError) {
        switch error {
        case .reset: self = .cursorReset
        case .path(let lookup): self.init(lookup)
        case .unknown(let tag): self = .server(tag)
        }
    }

    init(_ error: Files.GetMetadataError) {
        switch error {
        case .path(let lookup): self.init(lookup)
        case .unknown(let tag): self = .server(tag)
        }
    }

    init(_ error: Files.DownloadError) {
        switch error {
        case .path(let lookup): self.init(lookup)
        case .unsupportedFile: self = .notDownloadable
        case .unknown(let tag): self = .server(tag)
        }
    }

    init(_ error: Files.ExportError) {
        switch error {
        case .path(let lookup): self.init(lookup)
        case .nonExportable, .invalidExportFormat: self = .notDownloadable
        case .retryError: self = .busy
        case .unknown(let tag): self = .server(tag)
        }
    }

    init(_ error: Files.GetThumbnailBatchError) {
        switch error {
        case .tooManyFiles: self = .tooManyEntries
        case .unknown(let tag): self = .server(tag)
        }
    }

    init(_ error: Files.ThumbnailError) {
        switch error {
        case .path(let lookup): self.init(lookup)
        case .unsupportedExtension, .unsupportedImage, .encryptedContent, .conversionError:
            self = .notDownloadable
        case .unknown(let tag): self = .server(tag)
        }
    }

    init(_ error: Files.DownloadZipError) {
        switch error {
        case .path(let lookup): self.init(lookup)
        case .tooLarge, .tooManyFiles: self = .tooLarge
        case .unknown(let tag): self = .server(tag)
        }
    }

    init(_ error: Files.UploadError) {
        switch error {
        case .path(let failed): self.init(failed.reason)
        case .payloadTooLarge: self = .tooLarge
        case .contentHashMismatch: self = .contentMismatch
        case .propertiesError, .encryptionNotSupported: self = .server("\(error)")
        case .unknown(let tag): self = .server(tag)
        }
    }

    /// For whole contents that are sent as parts of one request.
    init(_ error: FileUploadError) {
        switch error {
        case .source(let error): self = .contentUnreadable("\(error)")
        case .changed, .hashMismatch: self = .contentMismatch
        case .start(let error), .finish(let error): self.init(error)
        case .send(let error):
            self.init(error) { error in
                switch error {
                case .contentHashMismatch: .contentMismatch
                case .payloadTooLarge, .lengthMismatch, .unknown: .server("\(error)")
                }
            }
        case .refused(.notFound): self = .sessionLost
        case .refused(let error): self = .server("\(error)")
        case .commit(let error): self.init(error)
        case .uncertain: self = .timedOut
        case .malformedAnswer(let text): self = .malformed(text)
        case .cancelled: self = .cancelled
        }
    }

    init(_ error: Files.UploadSessionStartError) {
        switch error {
        case .contentHashMismatch: self = .contentMismatch
        case .concurrentSessionDataNotAllowed, .concurrentSessionCloseNotAllowed,
            .payloadTooLarge:
            self = .server("\(error)")
        case .unknown(let tag): self = .server(tag)
        }
    }

    init(_ error: Files.UploadSessionAppendError) {
        switch error {
        case .tooLarge: self = .tooLarge
        case .contentHashMismatch: self = .contentMismatch
        case .notFound, .incorrectOffset, .closed, .concurrentSessionInvalidOffset,
            .concurrentSessionInvalidDataSize, .payloadTooLarge:
            self = .sessionLost
        case .unknown(let tag): self = .server(tag)
        }
    }

    init(_ error: Files.UploadSessionFinishError) {
        switch error {
        case .path(let write): self.init(write)
        case .tooManyWriteOperations: self = .busy
        case .contentHashMismatch: self = .contentMismatch
        case .lookupFailed(.tooLarge): self = .tooLarge
        case .lookupFailed, .concurrentSessionDataNotAllowed, .concurrentSessionNotClosed,
            .concurrentSessionMissingData, .payloadTooLarge:
            self = .sessionLost
        case .propertiesError, .tooManySharedFolderTargets, .encryptionNotSupported:
            self = .server("\(error)")
        case .unknown(let tag): self = .server(tag)
        }
    }

    init(_ error: Files.CreateFolderError) {
        switch error {
        case .path(let write): self.init(write)
        case .unknown(let tag): self = .server(tag)
        }
    }

    init(_ error: Files.CreateFolderEntryError) {
        switch error {
        case .path(let write): self.init(write)
        case .unknown(let tag): self = .server(tag)
        }
    }

    init(_ error: Files.DeleteError) {
        switch error {
        case .pathLookup(let lookup): self.init(lookup)
        case .pathWrite(let write): self.init(write)
        case .tooManyWriteOperations: self = .busy
        case .tooManyFiles: self = .tooManyEntries
        case .unknown(let tag): self = .server(tag)
        }
    }

    init(_ error: Files.RelocationBatchErrorEntry) {
        switch error {
        case .relocationError(let error): self.init(error)
        case .internalError: self = .server("internal error")
        case .tooManyWriteOperations: self = .busy
        case .unknown(let tag): self = .server(tag)
        }
    }

    init(_ error: Files.RelocationError) {
        switch error {
        case .fromLookup(let lookup): self.init(lookup)
        case .fromWrite(let write), .to(let write): self.init(write)
        case .insufficientQuota: self = .insufficientSpace
        case .tooManyFiles: self = .tooManyEntries
        // The specification has the tag for batches only.
        case .unknown("too_many_write_operations"): self = .busy
        case .internalError: self = .server("internal error")
        case .duplicatedOrNestedPaths, .cantMoveFolderIntoItself: self = .conflict(.other)
        case .cantCopySharedFolder, .cantNestSharedFolder, .cantMoveSharedFolder,
            .cantTransferOwnership, .cantMoveIntoVault, .cantMoveIntoFamily:
            self = .protected("\(error)")
        case .unknown(let tag): self = .server(tag)
        }
    }
}

extension CallError {
    /// Whether the server has answered the request, so that the answer tells what it did.
    fileprivate var isAnswer: Bool {
        switch kind {
        case .transport, .token, .cancelled: false
        case .route, .internalServer, .badInput, .rateLimited, .auth, .access, .pathRoot, .http,
            .serialization, .response:
            true
        }
    }
}
