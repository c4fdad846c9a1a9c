// The table of commands that a mount serves. A new one is a case here and its route in `Routes/`.

/// A command by its name on the socket.
package enum ControlCommand: String, Hashable, Sendable, Codable, CaseIterable {
    case status
    case sync
    case finish
    case hurry
    case newLogin = "new-login"
    case clearCache = "cache-clear"
    case verifyCache = "cache-verify"
    case pin
    case unpin
    case pins
    case conflicts
    case set
    case revisions
    case link
    case restore
    case undo
    case importContent = "import"
    case pause
    case writeHistory = "history-write"

    /// The route that serves the command.
    var route: any ServedRoute {
        switch self {
        case .status: ControlRoutes.status
        case .sync: ControlRoutes.sync
        case .finish: ControlRoutes.finish
        case .hurry: ControlRoutes.hurry
        case .newLogin: ControlRoutes.newLogin
        case .clearCache: ControlRoutes.clearCache
        case .verifyCache: ControlRoutes.verifyCache
        case .pin: ControlRoutes.pin
        case .unpin: ControlRoutes.unpin
        case .pins: ControlRoutes.pins
        case .conflicts: ControlRoutes.conflicts
        case .set: ControlRoutes.set
        case .revisions: ControlRoutes.revisions
        case .link: ControlRoutes.link
        case .restore: ControlRoutes.restore
        case .undo: ControlRoutes.undo
        case .importContent: ControlRoutes.importContent
        case .pause: ControlRoutes.pause
        case .writeHistory: ControlRoutes.writeHistory
        }
    }
}

/// The routes of all commands; each file in `Routes/` has some.
package enum ControlRoutes {}
