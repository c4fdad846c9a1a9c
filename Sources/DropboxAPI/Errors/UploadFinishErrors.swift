// Error unions of turning upload sessions into files.

extension Files {
    /// What is wrong with the session or the offset.
    public enum UploadSessionLookupError: TaggedUnion {
        /// Unknown or expired.
        case notFound
        /// The payload tells how much the server has; perhaps the lost reply was a success.
        case incorrectOffset(UploadSessionOffsetError)
        /// No more bytes are accepted.
        case closed
        /// The last append did not close it.
        case notClosed
        /// More than 2^41 - 2^22 bytes.
        case tooLarge
        case concurrentSessionInvalidOffset
        case concurrentSessionInvalidDataSize
        /// More than 150 MiB in one request.
        case payloadTooLarge
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "not_found": .notFound
                case "incorrect_offset": .incorrectOffset(try union.fields())
                case "closed": .closed
                case "not_closed": .notClosed
                case "too_large": .tooLarge
                case "concurrent_session_invalid_offset": .concurrentSessionInvalidOffset
                case "concurrent_session_invalid_data_size": .concurrentSessionInvalidDataSize
                case "payload_too_large": .payloadTooLarge
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .notFound: try union.write("not_found")
            case .incorrectOffset(let payload): try union.write("incorrect_offset", fields: payload)
            case .closed: try union.write("closed")
            case .notClosed: try union.write("not_closed")
            case .tooLarge: try union.write("too_large")
            case .concurrentSessionInvalidOffset:
                try union.write("concurrent_session_invalid_offset")
            case .concurrentSessionInvalidDataSize:
                try union.write("concurrent_session_invalid_data_size")
            case .payloadTooLarge: try union.write("payload_too_large")
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// Why a session did not become a file.
    public enum UploadSessionFinishError: TaggedUnion, RouteError {
        case lookupFailed(UploadSessionLookupError)
        /// The body was appended: send the commit again with an empty body and the new offset.
        case path(WriteError)
        /// The file was written, without its properties.
        case propertiesError(FileProperties.PropertiesError)
        case tooManySharedFolderTargets
        case tooManyWriteOperations
        case concurrentSessionDataNotAllowed
        case concurrentSessionNotClosed
        case concurrentSessionMissingData
        /// More than 150 MiB in one request.
        case payloadTooLarge
        /// The body arrived damaged and was dropped.
        case contentHashMismatch
        case encryptionNotSupported
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "lookup_failed": .lookupFailed(try union.value())
                case "path": .path(try union.value())
                case "properties_error": .propertiesError(try union.value())
                case "too_many_shared_folder_targets": .tooManySharedFolderTargets
                case "too_many_write_operations": .tooManyWriteOperations
                case "concurrent_session_data_not_allowed": .concurrentSessionDataNotAllowed
                case "concurrent_session_not_closed": .concurrentSessionNotClosed
                case "concurrent_session_missing_data": .concurrentSessionMissingData
                case "payload_too_large": .payloadTooLarge
                case "content_hash_mismatch": .contentHashMismatch
                case "encryption_not_supported": .encryptionNotSupported
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .lookupFailed(let payload): try union.write("lookup_failed", value: payload)
            case .path(let payload): try union.write("path", value: payload)
            case .propertiesError(let payload): try union.write("properties_error", value: payload)
            case .tooManySharedFolderTargets: try union.write("too_many_shared_folder_targets")
            case .tooManyWriteOperations: try union.write("too_many_write_operations")
            case .concurrentSessionDataNotAllowed:
                try union.write("concurrent_session_data_not_allowed")
            case .concurrentSessionNotClosed: try union.write("concurrent_session_not_closed")
            case .concurrentSessionMissingData: try union.write("concurrent_session_missing_data")
            case .payloadTooLarge: try union.write("payload_too_large")
            case .contentHashMismatch: try union.write("content_hash_mismatch")
            case .encryptionNotSupported: try union.write("encryption_not_supported")
            case .unknown(let tag): try union.write(tag)
            }
        }

        /// Busy writers pass; a damaged body can be sent again, a body that was appended cannot.
        public var remedy: RouteErrorRemedy {
            switch self {
            case .tooManyWriteOperations: .waitForWriters
            case .path(.tooManyWriteOperations): .waitForWritersUnlessBody
            case .contentHashMismatch: .resendBody
            default: .none
            }
        }
    }
}
