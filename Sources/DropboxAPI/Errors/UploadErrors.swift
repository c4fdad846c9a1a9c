// Error unions of the routes that upload, in one request or by sessions.

extension Files {
    /// How many bytes a session has.
    public struct UploadSessionOffsetError: Codable, Hashable, Sendable {
        /// Where the next byte goes.
        public var correctOffset: UInt64

        enum CodingKeys: String, CodingKey {
            case correctOffset = "correct_offset"
        }
    }

    /// A failed write whose bytes wait in a session.
    public struct UploadWriteFailed: Codable, Hashable, Sendable {
        /// Why the write failed.
        public var reason: WriteError
        /// The session to finish elsewhere or again.
        public var uploadSessionID: String

        enum CodingKeys: String, CodingKey {
            case reason
            case uploadSessionID = "upload_session_id"
        }
    }

    /// Why a file was not written.
    public enum UploadError: TaggedUnion, RouteError {
        /// The bytes are kept in the session.
        case path(UploadWriteFailed)
        /// The file was written, without its properties.
        case propertiesError(FileProperties.PropertiesError)
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
                case "path": .path(try union.fields())
                case "properties_error": .propertiesError(try union.value())
                case "payload_too_large": .payloadTooLarge
                case "content_hash_mismatch": .contentHashMismatch
                case "encryption_not_supported": .encryptionNotSupported
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .path(let payload): try union.write("path", fields: payload)
            case .propertiesError(let payload): try union.write("properties_error", value: payload)
            case .payloadTooLarge: try union.write("payload_too_large")
            case .contentHashMismatch: try union.write("content_hash_mismatch")
            case .encryptionNotSupported: try union.write("encryption_not_supported")
            case .unknown(let tag): try union.write(tag)
            }
        }

        /// A damaged body can be sent again, and busy writers pass.
        public var remedy: RouteErrorRemedy {
            switch self {
            case .path(let failed): failed.reason.remedy
            case .contentHashMismatch: .resendBody
            default: .none
            }
        }
    }

    /// Why a session was not started.
    public enum UploadSessionStartError: TaggedUnion, RouteError {
        case concurrentSessionDataNotAllowed
        case concurrentSessionCloseNotAllowed
        /// More than 150 MiB in one request.
        case payloadTooLarge
        /// The body arrived damaged and was dropped.
        case contentHashMismatch
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "concurrent_session_data_not_allowed": .concurrentSessionDataNotAllowed
                case "concurrent_session_close_not_allowed": .concurrentSessionCloseNotAllowed
                case "payload_too_large": .payloadTooLarge
                case "content_hash_mismatch": .contentHashMismatch
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .concurrentSessionDataNotAllowed:
                try union.write("concurrent_session_data_not_allowed")
            case .concurrentSessionCloseNotAllowed:
                try union.write("concurrent_session_close_not_allowed")
            case .payloadTooLarge: try union.write("payload_too_large")
            case .contentHashMismatch: try union.write("content_hash_mismatch")
            case .unknown(let tag): try union.write(tag)
            }
        }

        /// A damaged body can be sent again.
        public var remedy: RouteErrorRemedy {
            switch self {
            case .contentHashMismatch: .resendBody
            default: .none
            }
        }
    }

    /// Why bytes were not appended.
    public enum UploadSessionAppendError: TaggedUnion, RouteError {
        /// Unknown or expired.
        case notFound
        /// The payload tells how much the server has; perhaps the lost reply was a success.
        case incorrectOffset(UploadSessionOffsetError)
        /// No more bytes are accepted.
        case closed
        /// More than 2^41 - 2^22 bytes.
        case tooLarge
        case concurrentSessionInvalidOffset
        case concurrentSessionInvalidDataSize
        /// More than 150 MiB in one request.
        case payloadTooLarge
        /// The body arrived damaged and was dropped.
        case contentHashMismatch
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "not_found": .notFound
                case "incorrect_offset": .incorrectOffset(try union.fields())
                case "closed": .closed
                case "too_large": .tooLarge
                case "concurrent_session_invalid_offset": .concurrentSessionInvalidOffset
                case "concurrent_session_invalid_data_size": .concurrentSessionInvalidDataSize
                case "payload_too_large": .payloadTooLarge
                case "content_hash_mismatch": .contentHashMismatch
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .notFound: try union.write("not_found")
            case .incorrectOffset(let payload): try union.write("incorrect_offset", fields: payload)
            case .closed: try union.write("closed")
            case .tooLarge: try union.write("too_large")
            case .concurrentSessionInvalidOffset:
                try union.write("concurrent_session_invalid_offset")
            case .concurrentSessionInvalidDataSize:
                try union.write("concurrent_session_invalid_data_size")
            case .payloadTooLarge: try union.write("payload_too_large")
            case .contentHashMismatch: try union.write("content_hash_mismatch")
            case .unknown(let tag): try union.write(tag)
            }
        }

        /// A damaged body can be sent again.
        public var remedy: RouteErrorRemedy {
            switch self {
            case .contentHashMismatch: .resendBody
            default: .none
            }
        }
    }

    /// Why no piece of a batch was appended.
    public enum UploadSessionAppendBatchError: TaggedUnion, RouteError {
        /// More than 150 MiB in one request.
        case payloadTooLarge
        /// The body arrived damaged and was dropped.
        case contentHashMismatch
        case lengthMismatch
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "payload_too_large": .payloadTooLarge
                case "content_hash_mismatch": .contentHashMismatch
                case "length_mismatch": .lengthMismatch
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .payloadTooLarge: try union.write("payload_too_large")
            case .contentHashMismatch: try union.write("content_hash_mismatch")
            case .lengthMismatch: try union.write("length_mismatch")
            case .unknown(let tag): try union.write(tag)
            }
        }

        /// A damaged body can be sent again.
        public var remedy: RouteErrorRemedy {
            switch self {
            case .contentHashMismatch: .resendBody
            default: .none
            }
        }
    }

    /// Why one piece of a batch was not appended.
    public enum UploadSessionAppendBatchEntryError: TaggedUnion {
        /// Unknown or expired.
        case notFound
        /// The payload tells how much the server has; perhaps the lost reply was a success.
        case incorrectOffset(UploadSessionOffsetError)
        /// No more bytes are accepted.
        case closed
        /// More than 2^41 - 2^22 bytes.
        case tooLarge
        case concurrentSessionInvalidOffset
        case concurrentSessionInvalidDataSize
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "not_found": .notFound
                case "incorrect_offset": .incorrectOffset(try union.fields())
                case "closed": .closed
                case "too_large": .tooLarge
                case "concurrent_session_invalid_offset": .concurrentSessionInvalidOffset
                case "concurrent_session_invalid_data_size": .concurrentSessionInvalidDataSize
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .notFound: try union.write("not_found")
            case .incorrectOffset(let payload): try union.write("incorrect_offset", fields: payload)
            case .closed: try union.write("closed")
            case .tooLarge: try union.write("too_large")
            case .concurrentSessionInvalidOffset:
                try union.write("concurrent_session_invalid_offset")
            case .concurrentSessionInvalidDataSize:
                try union.write("concurrent_session_invalid_data_size")
            case .unknown(let tag): try union.write(tag)
            }
        }
    }
}
