// Hashes of content are part of the API: a program that imports DropboxAPI can name, compare and
// compute them.

@_exported public import ContentHashing
