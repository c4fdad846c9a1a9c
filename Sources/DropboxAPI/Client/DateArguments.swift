// Arguments that take Foundation's dates: when a file was modified, and when a link expires. Not
// responsible for the conversion: FoundationValues.

public import Essentials

extension Files.CommitInfo {
    /// Takes over all fields, with the modification time as a date.
    public init(
        path: Files.WritePathOrID, mode: Files.WriteMode = .add, autorename: Bool = false,
        clientModified: Date, mute: Bool = false,
        propertyGroups: [FileProperties.PropertyGroup]? = nil, strictConflict: Bool = false
    ) {
        self.init(
            path: path, mode: mode, autorename: autorename,
            clientModified: Timestamp(clientModified), mute: mute, propertyGroups: propertyGroups,
            strictConflict: strictConflict)
    }
}

extension Files.UploadArg {
    /// Takes over all fields, with the modification time as a date.
    public init(
        path: Files.WritePathOrID, mode: Files.WriteMode = .add, autorename: Bool = false,
        clientModified: Date, mute: Bool = false,
        propertyGroups: [FileProperties.PropertyGroup]? = nil, strictConflict: Bool = false,
        contentHash: Files.Sha256HexHash? = nil
    ) {
        self.init(
            path: path, mode: mode, autorename: autorename,
            clientModified: Timestamp(clientModified), mute: mute, propertyGroups: propertyGroups,
            strictConflict: strictConflict, contentHash: contentHash)
    }
}

extension Files.Calls {
    /// Uploads a file of up to 150 MiB in one request, with the modification time as a date.
    ///
    /// Calls ``Files/upload`` with the fields of its argument, with the scope
    /// `files.content.write`. Errors: ``Files/UploadError``.
    public func upload(
        path: Files.WritePathOrID, mode: Files.WriteMode = .add, autorename: Bool = false,
        clientModified: Date, mute: Bool = false,
        propertyGroups: [FileProperties.PropertyGroup]? = nil, strictConflict: Bool = false,
        contentHash: Files.Sha256HexHash? = nil, body: any BodySource,
        options: CallOptions = .init()
    ) async throws(CallError<Files.UploadError>) -> Files.FileMetadata {
        let argument = Files.UploadArg(
            path: path, mode: mode, autorename: autorename, clientModified: clientModified,
            mute: mute, propertyGroups: propertyGroups, strictConflict: strictConflict,
            contentHash: contentHash)
        return try await upload(argument, body: body, options: options)
    }
}

extension Sharing.SharedLinkSettings {
    /// Takes over all fields, with the end of the link as a date.
    public init(
        requirePassword: Bool? = nil, linkPassword: String? = nil, expires: Date,
        audience: Sharing.LinkAudience? = nil, access: Sharing.RequestedLinkAccessLevel? = nil,
        requestedVisibility: Sharing.RequestedVisibility? = nil, allowDownload: Bool? = nil
    ) {
        self.init(
            requirePassword: requirePassword, linkPassword: linkPassword,
            expires: Timestamp(expires), audience: audience, access: access,
            requestedVisibility: requestedVisibility, allowDownload: allowDownload)
    }
}
