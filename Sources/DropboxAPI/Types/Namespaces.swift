// The namespaces of the API as the specification divides it. Each holds types and, as static
// properties, routes; a type's name repeats in several namespaces, so none lives at top level.

/// Files and folders: metadata, content, upload sessions.
public enum Files {
    /// An opaque, stable identifier of a file or folder: `id:…`.
    public typealias ID = String
    /// An opaque identifier of one revision of a file.
    public typealias Rev = String
    /// An opaque position in the history of a folder.
    public typealias Cursor = String
}

/// Accounts and their space.
public enum Users {}

/// Types that several namespaces share.
public enum Common {
    /// An identifier of a namespace: a user's root, a team's space or a shared folder.
    public typealias NamespaceID = String
}

/// Authentication and authorisation.
public enum Auth {}

/// Jobs that outlive the request that started them.
public enum Async {
    /// An identifier of a running job.
    public typealias JobID = String
}

/// Calls that prove that the connection and the token work.
public enum Check {}

/// Custom properties attached to files.
public enum FileProperties {
    /// An identifier of a property template.
    public typealias TemplateID = String
}
