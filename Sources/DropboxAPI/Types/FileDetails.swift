// Details of an entry that most entries lack: sharing, links, exports, locks, media, properties.

extension Files {
    /// How a file inside a shared folder is shared.
    public struct FileSharingInfo: Codable, Hashable, Sendable {
        /// True when this user may not change the file.
        public var isReadOnly: Bool
        /// The shared folder that holds the file.
        public var parentSharedFolderID: Common.NamespaceID
        /// The account that changed the file last.
        public var modifiedBy: String?

        enum CodingKeys: String, CodingKey {
            case isReadOnly = "read_only"
            case parentSharedFolderID = "parent_shared_folder_id"
            case modifiedBy = "modified_by"
        }
    }

    /// How a folder is shared.
    public struct FolderSharingInfo: Codable, Hashable, Sendable {
        /// True when this user may not change the folder.
        public var isReadOnly: Bool
        /// The shared folder that holds this folder.
        public var parentSharedFolderID: Common.NamespaceID?
        /// The shared folder that is mounted here.
        public var sharedFolderID: Common.NamespaceID?
        /// True when only some folders below are accessible.
        public var isTraverseOnly: Bool
        /// True when nothing inside is accessible.
        public var isInaccessible: Bool

        enum CodingKeys: String, CodingKey {
            case isReadOnly = "read_only"
            case parentSharedFolderID = "parent_shared_folder_id"
            case sharedFolderID = "shared_folder_id"
            case isTraverseOnly = "traverse_only"
            case isInaccessible = "no_access"
        }

        /// Reads the fields; the flags default to false.
        public init(from decoder: any Decoder) throws {
            let reader = try decoder.container(keyedBy: CodingKeys.self)
            isReadOnly = try reader.decode(Bool.self, forKey: .isReadOnly)
            parentSharedFolderID = try reader.decodeIfPresent(
                String.self, forKey: .parentSharedFolderID)
            sharedFolderID = try reader.decodeIfPresent(String.self, forKey: .sharedFolderID)
            isTraverseOnly = try reader.decode(.isTraverseOnly, default: false)
            isInaccessible = try reader.decode(.isInaccessible, default: false)
        }
    }

    /// Where a symbolic link points.
    public struct SymlinkInfo: Codable, Hashable, Sendable {
        /// The link's text, as stored by the client that made it.
        public var target: String
    }

    /// How a document that has no bytes of its own can be exported.
    public struct ExportInfo: Codable, Hashable, Sendable {
        /// The default format.
        public var exportAs: String?
        /// Further formats.
        public var exportOptions: [String]?

        enum CodingKeys: String, CodingKey {
            case exportAs = "export_as"
            case exportOptions = "export_options"
        }
    }

    /// Who holds the lock of a file.
    public struct FileLockMetadata: Codable, Hashable, Sendable {
        /// True when this user holds it.
        public var isLockholder: Bool?
        /// The holder's name.
        public var lockholderName: String?
        /// The holder's account.
        public var lockholderAccountID: String?
        /// When the lock was taken.
        public var created: Timestamp?

        enum CodingKeys: String, CodingKey {
            case isLockholder = "is_lockholder"
            case lockholderName = "lockholder_name"
            case lockholderAccountID = "lockholder_account_id"
            case created
        }
    }

    /// Facts of a photo or video, or that they are being computed.
    public enum MediaInfo: TaggedUnion {
        case pending
        case metadata(MediaMetadata)
        case unknown(String)

        /// Reads the case of the tag.
        public init(_ union: UnionReader) throws {
            self =
                switch union.tag {
                case "pending": .pending
                case "metadata": .metadata(try union.value())
                default: .unknown(union.tag)
                }
        }

        /// Writes the case.
        public func write(to union: inout UnionWriter) throws {
            switch self {
            case .pending: try union.write("pending")
            case .metadata(let value): try union.write("metadata", value: value)
            case .unknown(let tag): try union.write(tag)
            }
        }
    }

    /// Facts of a photo or video.
    public struct MediaMetadata: Codable, Hashable, Sendable {
        /// `photo` or `video`.
        public var tag: String
        /// Pixels.
        public var dimensions: Dimensions?
        /// Where it was taken.
        public var location: GPSCoordinates?
        /// When it was taken.
        public var timeTaken: Timestamp?
        /// Length of a video in milliseconds.
        public var duration: UInt64?

        enum CodingKeys: String, CodingKey {
            case tag = ".tag"
            case dimensions
            case location
            case timeTaken = "time_taken"
            case duration
        }
    }

    /// Size of a picture in pixels.
    public struct Dimensions: Codable, Hashable, Sendable {
        /// Rows of pixels.
        public var height: UInt64
        /// Columns of pixels.
        public var width: UInt64
    }

    /// A place on Earth, in degrees.
    public struct GPSCoordinates: Codable, Hashable, Sendable {
        /// Degrees north.
        public var latitude: Double
        /// Degrees east.
        public var longitude: Double
    }
}

extension FileProperties {
    /// The custom properties of a file that follow one template.
    public struct PropertyGroup: Codable, Hashable, Sendable {
        /// The template.
        public var templateID: TemplateID
        /// The properties.
        public var fields: [PropertyField]

        /// Takes over all fields.
        public init(templateID: TemplateID, fields: [PropertyField]) {
            self.templateID = templateID
            self.fields = fields
        }

        enum CodingKeys: String, CodingKey {
            case templateID = "template_id"
            case fields
        }
    }

    /// One custom property.
    public struct PropertyField: Codable, Hashable, Sendable {
        /// The key.
        public var name: String
        /// The value.
        public var value: String

        /// Takes over all fields.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }
}
