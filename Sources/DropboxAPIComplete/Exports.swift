// What comes with the namespaces of this module: those of the core, the client, its errors and its bodies.

@_exported public import DropboxAPI
