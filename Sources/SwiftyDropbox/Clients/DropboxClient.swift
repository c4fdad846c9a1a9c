// The clients that an app makes.

// Sendable: its fields are constants, and each is Sendable.
/// Calls routes in the name of a user.
public final class DropboxClient: DropboxBase, @unchecked Sendable {
    /// Gives the access tokens.
    public let accessTokenProvider: any AccessTokenProvider
    /// The member of a team in whose name routes are called.
    public let selectUser: String?

    /// A client over a transport client.
    public init(transportClient: any DropboxTransportClient) {
        selectUser = transportClient.selectUser
        accessTokenProvider =
            transportClient.accessTokenProvider ?? LongLivedAccessTokenProvider(accessToken: "")
        super.init(client: transportClient)
    }

    /// A client over a transport client.
    public required convenience init(client: any DropboxTransportClient) {
        self.init(transportClient: client)
    }

    /// A client for an access token.
    public convenience init(
        accessToken: String, selectUser: String? = nil,
        sessionConfiguration: NetworkSessionConfiguration? = nil, pathRoot: Common.PathRoot? = nil
    ) {
        self.init(
            transportClient: DropboxTransportClientImpl(
                accessToken: accessToken, selectUser: selectUser,
                sessionConfiguration: sessionConfiguration, pathRoot: pathRoot))
    }

    /// A client for the tokens of a provider.
    public convenience init(
        accessTokenProvider: any AccessTokenProvider, selectUser: String? = nil,
        sessionConfiguration: NetworkSessionConfiguration? = nil, pathRoot: Common.PathRoot? = nil
    ) {
        self.init(
            transportClient: DropboxTransportClientImpl(
                accessTokenProvider: accessTokenProvider, selectUser: selectUser,
                sessionConfiguration: sessionConfiguration, pathRoot: pathRoot))
    }

    /// A client for a token that a manager renews.
    public convenience init(
        accessToken: DropboxAccessToken, dropboxOauthManager: DropboxOAuthManager,
        sessionConfiguration: NetworkSessionConfiguration? = nil
    ) {
        self.init(
            accessTokenProvider: dropboxOauthManager.accessTokenProviderForToken(accessToken),
            sessionConfiguration: sessionConfiguration)
    }

    /// The name of the background session; nil without one.
    public var identifier: String? { client.identifier }

    /// Kept for the app; there are no background sessions that could call it.
    public var didFinishBackgroundEvents: (@Sendable () -> Void)? {
        get { client.didFinishBackgroundEvents }
        set { client.didFinishBackgroundEvents = newValue }
    }

    /// A client with the same tokens and settings whose paths are relative to another root.
    public func withPathRoot(_ pathRoot: Common.PathRoot) -> DropboxClient {
        guard let client = client as? DropboxTransportClientImpl else {
            return DropboxClient(
                accessTokenProvider: accessTokenProvider, selectUser: selectUser, pathRoot: pathRoot
            )
        }
        return DropboxClient(
            transportClient: client.copy(selectUser: client.selectUser, pathRoot: pathRoot))
    }

    /// Ends all requests, and refuses further ones.
    public func shutdown() {
        client.shutdown()
    }
}

// Sendable: its fields are constants, and each is Sendable.
/// Calls routes in the name of a team.
public final class DropboxTeamClient: DropboxTeamBase, @unchecked Sendable {
    /// Gives the access tokens.
    public let accessTokenProvider: any AccessTokenProvider

    /// A client over a transport client.
    public init(transportClient: any DropboxTransportClient) {
        accessTokenProvider =
            transportClient.accessTokenProvider ?? LongLivedAccessTokenProvider(accessToken: "")
        super.init(client: transportClient)
    }

    /// A client over a transport client.
    public required convenience init(client: any DropboxTransportClient) {
        self.init(transportClient: client)
    }

    /// A client for an access token.
    public convenience init(accessToken: String) {
        self.init(transportClient: DropboxTransportClientImpl(accessToken: accessToken))
    }

    /// A client for the tokens of a provider.
    public convenience init(
        accessTokenProvider: any AccessTokenProvider,
        sessionConfiguration: NetworkSessionConfiguration? = nil
    ) {
        self.init(
            transportClient: DropboxTransportClientImpl(
                accessTokenProvider: accessTokenProvider, sessionConfiguration: sessionConfiguration
            ))
    }

    /// A client for a token that a manager renews.
    public convenience init(
        accessToken: DropboxAccessToken, dropboxOauthManager: DropboxOAuthManager,
        sessionConfiguration: NetworkSessionConfiguration? = nil
    ) {
        self.init(
            accessTokenProvider: dropboxOauthManager.accessTokenProviderForToken(accessToken),
            sessionConfiguration: sessionConfiguration)
    }

    /// A client with the same tokens and settings in the name of a member.
    public func asMember(_ memberId: String) -> DropboxClient {
        guard let client = client as? DropboxTransportClientImpl else {
            return DropboxClient(accessTokenProvider: accessTokenProvider, selectUser: memberId)
        }
        return DropboxClient(
            transportClient: client.copy(selectUser: memberId, pathRoot: client.pathRoot))
    }
}

// Sendable: its fields are constants, and each is Sendable.
/// Calls routes in the name of the app.
public final class DropboxAppClient: DropboxAppBase, @unchecked Sendable {
    /// A client over a transport client.
    public init(transportClient: any DropboxTransportClient) {
        super.init(client: transportClient)
    }

    /// A client over a transport client.
    public required convenience init(client: any DropboxTransportClient) {
        self.init(transportClient: client)
    }
}
