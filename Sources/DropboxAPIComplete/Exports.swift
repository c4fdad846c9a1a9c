// The modules that come with this one's namespaces: those of the core, the client, its errors and
// its bodies.

@_exported public import DropboxAPI
