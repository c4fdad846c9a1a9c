// `link`: the shared link to a file or folder.

extension ControlRoutes {
    /// Asks for the link to a path.
    package static let link = ControlRoute<PathsRequest, LinkReply>(.link) {
        request, call throws(CommandError) in
        LinkReply(link: try call.service.link(to: request.first))
    }
}

/// The reply to `link`.
package struct LinkReply: Hashable, Sendable, Codable {
    /// The link that there is now.
    package var link: LinkReport
}

/// A shared link to a node.
package struct LinkReport: Hashable, Sendable, Codable {
    /// Address of the link.
    package var url: String
    /// Whether this request created it.
    package var isNew: Bool

    /// Memberwise and without defaults.
    package init(url: String, isNew: Bool) {
        self.url = url
        self.isNew = isNew
    }
}
