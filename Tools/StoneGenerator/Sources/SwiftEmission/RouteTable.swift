// The table of all routes by their names, for the C library, whose callers have names and JSON in
// place of types.

import Stone

extension Emitter {
    /// The module that calls routes by their names.
    private static let tableModule = "DropboxC"

    /// A file with each route as a value whose argument, result and error are documents.
    public func routeTable() -> OutputFile {
        var text = SourceText()
        text.line("import DropboxAPI")
        text.line()
        let routes = specification.namespaces.flatMap(\.routes)
        write("knownRoutes", of: "JSONRoute", routes.map { ".init(\($0.initialiser))" }, to: &text)
        return OutputFile(
            path: "KnownRoutes.swift", module: Self.tableModule,
            text: header("All routes of the specification, to be called by name.") + text.text)
    }
}
