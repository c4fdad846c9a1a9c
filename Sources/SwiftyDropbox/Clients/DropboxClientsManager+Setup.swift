// Setting up an app's clients from its stored tokens, and by logins. The functions have the names
// of both of Apple's systems.

public import Foundation

extension DropboxClientsManager {
    // MARK: Setting up

    /// Sets up an app with one user: a stored token makes the client at once.
    public static func setupWithAppKey(
        _ appKey: String, transportClient: (any DropboxTransportClient)? = nil,
        secureStorageAccess: any SecureStorageAccess = SecureStorageAccessDefaultImpl()
    ) {
        setup(DropboxOAuthManager(appKey: appKey, secureStorageAccess: secureStorageAccess)) {
            manager in
            authorize(manager.getFirstAccessToken(), transportClient, nil)
        }
    }

    /// The same with settings of connections.
    public static func setupWithAppKey(
        _ appKey: String, sessionConfiguration: NetworkSessionConfiguration?,
        secureStorageAccess: any SecureStorageAccess = SecureStorageAccessDefaultImpl()
    ) {
        setup(DropboxOAuthManager(appKey: appKey, secureStorageAccess: secureStorageAccess)) {
            manager in
            authorize(manager.getFirstAccessToken(), nil, sessionConfiguration)
        }
    }

    /// Sets up an app with one user.
    public static func setupWithAppKeyDesktop(
        _ appKey: String, transportClient: (any DropboxTransportClient)? = nil,
        secureStorageAccess: any SecureStorageAccess = SecureStorageAccessDefaultImpl()
    ) {
        setupWithAppKey(
            appKey, transportClient: transportClient, secureStorageAccess: secureStorageAccess)
    }

    /// Sets up an app with several users, for one of them.
    public static func setupWithAppKeyMultiUser(
        _ appKey: String, transportClient: (any DropboxTransportClient)? = nil, tokenUid: String?,
        secureStorageAccess: any SecureStorageAccess = SecureStorageAccessDefaultImpl()
    ) {
        setup(DropboxOAuthManager(appKey: appKey, secureStorageAccess: secureStorageAccess)) {
            manager in
            authorize(manager.getAccessToken(tokenUid), transportClient, nil)
        }
    }

    /// The same with settings of connections.
    public static func setupWithAppKeyMultiUser(
        _ appKey: String, sessionConfiguration: NetworkSessionConfiguration?, tokenUid: String?,
        secureStorageAccess: any SecureStorageAccess = SecureStorageAccessDefaultImpl()
    ) {
        setup(DropboxOAuthManager(appKey: appKey, secureStorageAccess: secureStorageAccess)) {
            manager in
            authorize(manager.getAccessToken(tokenUid), nil, sessionConfiguration)
        }
    }

    /// Sets up an app with several users, for one of them.
    public static func setupWithAppKeyMultiUserDesktop(
        _ appKey: String, transportClient: (any DropboxTransportClient)? = nil,
        secureStorageAccess: any SecureStorageAccess = SecureStorageAccessDefaultImpl(),
        tokenUid: String?
    ) {
        setupWithAppKeyMultiUser(
            appKey, transportClient: transportClient, tokenUid: tokenUid,
            secureStorageAccess: secureStorageAccess)
    }

    /// Sets up an app of a team.
    public static func setupWithTeamAppKey(
        _ appKey: String, transportClient: (any DropboxTransportClient)? = nil,
        secureStorageAccess: any SecureStorageAccess = SecureStorageAccessDefaultImpl()
    ) {
        setup(DropboxOAuthManager(appKey: appKey, secureStorageAccess: secureStorageAccess)) {
            manager in
            authorizeTeam(manager.getFirstAccessToken(), transportClient, nil)
        }
    }

    /// The same with settings of connections.
    public static func setupWithTeamAppKey(
        _ appKey: String, sessionConfiguration: NetworkSessionConfiguration?,
        secureStorageAccess: any SecureStorageAccess = SecureStorageAccessDefaultImpl()
    ) {
        setup(DropboxOAuthManager(appKey: appKey, secureStorageAccess: secureStorageAccess)) {
            manager in
            authorizeTeam(manager.getFirstAccessToken(), nil, sessionConfiguration)
        }
    }

    /// Sets up an app of a team.
    public static func setupWithTeamAppKeyDesktop(
        _ appKey: String, transportClient: (any DropboxTransportClient)? = nil,
        secureStorageAccess: any SecureStorageAccess = SecureStorageAccessDefaultImpl()
    ) {
        setupWithTeamAppKey(
            appKey, transportClient: transportClient, secureStorageAccess: secureStorageAccess)
    }

    /// Sets up an app of several teams, for one of them.
    public static func setupWithTeamAppKeyMultiUser(
        _ appKey: String, transportClient: (any DropboxTransportClient)? = nil,
        secureStorageAccess: any SecureStorageAccess = SecureStorageAccessDefaultImpl(),
        tokenUid: String?
    ) {
        setup(DropboxOAuthManager(appKey: appKey, secureStorageAccess: secureStorageAccess)) {
            manager in
            authorizeTeam(manager.getAccessToken(tokenUid), transportClient, nil)
        }
    }

    /// The same with settings of connections.
    public static func setupWithTeamAppKeyMultiUser(
        _ appKey: String, sessionConfiguration: NetworkSessionConfiguration?,
        secureStorageAccess: any SecureStorageAccess = SecureStorageAccessDefaultImpl(),
        tokenUid: String?
    ) {
        setup(DropboxOAuthManager(appKey: appKey, secureStorageAccess: secureStorageAccess)) {
            manager in
            authorizeTeam(manager.getAccessToken(tokenUid), nil, sessionConfiguration)
        }
    }

    /// Sets up an app of several teams, for one of them.
    public static func setupWithTeamAppKeyMultiUserDesktop(
        _ appKey: String, transportClient: (any DropboxTransportClient)? = nil,
        secureStorageAccess: any SecureStorageAccess = SecureStorageAccessDefaultImpl(),
        tokenUid: String?
    ) {
        setupWithTeamAppKeyMultiUser(
            appKey, transportClient: transportClient, secureStorageAccess: secureStorageAccess,
            tokenUid: tokenUid)
    }

    /// Sets up an app with a manager of its own, for example one for other servers; a stored token
    /// makes the client at once.
    public static func setup(
        with manager: DropboxOAuthManager, transportClient: (any DropboxTransportClient)? = nil
    ) {
        setup(manager) { authorize($0.getFirstAccessToken(), transportClient, nil) }
    }

    /// A second setup takes the place of the first.
    private static func setup(
        _ manager: DropboxOAuthManager, then authorize: (DropboxOAuthManager) -> Void
    ) {
        DropboxOAuthManager.sharedOAuthManager = manager
        manager.checkAccessibilityMigrationOneTime()
        authorize(manager)
    }

    // MARK: Changing the user

    /// Makes the client of another user whose token is stored.
    public static func reauthorizeClient(
        _ tokenUid: String, transportClient: (any DropboxTransportClient)? = nil,
        sessionConfiguration: NetworkSessionConfiguration? = nil
    ) {
        guard let token = DropboxOAuthManager.sharedOAuthManager?.getAccessToken(tokenUid) else {
            return
        }
        authorize(token, transportClient, sessionConfiguration)
    }

    /// Makes the client of another team whose token is stored.
    public static func reauthorizeTeamClient(
        _ tokenUid: String, transportClient: (any DropboxTransportClient)? = nil,
        sessionConfiguration: NetworkSessionConfiguration? = nil
    ) {
        guard let token = DropboxOAuthManager.sharedOAuthManager?.getAccessToken(tokenUid) else {
            return
        }
        authorizeTeam(token, transportClient, sessionConfiguration)
    }

    private static func authorize(
        _ token: DropboxAccessToken?, _ transportClient: (any DropboxTransportClient)?,
        _ configuration: NetworkSessionConfiguration?
    ) {
        guard let transport = transport(token, transportClient, configuration) else { return }
        authorizedClient = DropboxClient(transportClient: transport)
    }

    private static func authorizeTeam(
        _ token: DropboxAccessToken?, _ transportClient: (any DropboxTransportClient)?,
        _ configuration: NetworkSessionConfiguration?
    ) {
        guard let transport = transport(token, transportClient, configuration) else { return }
        authorizedTeamClient = DropboxTeamClient(transportClient: transport)
    }

    /// The app's own transport client with the stored token, or one for that; nil where there is
    /// neither.
    private static func transport(
        _ token: DropboxAccessToken?, _ transportClient: (any DropboxTransportClient)?,
        _ configuration: NetworkSessionConfiguration?
    ) -> (any DropboxTransportClient)? {
        guard let token, let manager = DropboxOAuthManager.sharedOAuthManager else {
            return transportClient
        }
        let provider = manager.accessTokenProviderForToken(token)
        if let transportClient {
            transportClient.accessTokenProvider = provider
            return transportClient
        }
        return DropboxTransportClientImpl(
            accessTokenProvider: provider, baseHosts: manager.hosts, userAgent: nil,
            sessionConfiguration: configuration)
    }

    // MARK: Logins

    /// Takes the address to which a login's page led back: a token makes the client. False for an
    /// address that is not of a login.
    @discardableResult
    public static func handleRedirectURL(
        _ url: URL, includeBackgroundClient: Bool = false,
        transportClient: (any DropboxTransportClient)? = nil,
        sessionConfiguration: NetworkSessionConfiguration? = nil,
        completion: @escaping DropboxOAuthCompletion
    ) -> Bool {
        if includeBackgroundClient {
            log(
                .error,
                "there are no background clients; transfers that outlive the process are in DropboxTransfers"
            )
        }
        guard let manager = DropboxOAuthManager.sharedOAuthManager else { return false }
        return manager.handleRedirectURL(url) { result in
            if case .success(let token) = result {
                authorize(token, transportClient, sessionConfiguration)
            }
            completion(result)
        }
    }

    /// The same for a team.
    @discardableResult
    public static func handleRedirectURLTeam(
        _ url: URL, transportClient: (any DropboxTransportClient)? = nil,
        sessionConfiguration: NetworkSessionConfiguration? = nil,
        completion: @escaping DropboxOAuthCompletion
    ) -> Bool {
        guard let manager = DropboxOAuthManager.sharedOAuthManager else { return false }
        return manager.handleRedirectURL(url) { result in
            if case .success(let token) = result {
                authorizeTeam(token, transportClient, sessionConfiguration)
            }
            completion(result)
        }
    }

    /// Logs a user in by a browser, which comes back to this machine: a token makes the client.
    ///
    /// `openURL` is called with the address of the page, and opens a browser or prints it. In the
    /// settings of the app one of `http://localhost:53682/`, `:53683/` and `:53684/` has to be a
    /// redirect address.
    public static func authorizeFromControllerV2(
        loadingStatusDelegate: (any LoadingStatusDelegate)? = nil, openURL: @escaping (URL) -> Void,
        scopeRequest: ScopeRequest?, completion: @escaping DropboxOAuthCompletion
    ) {
        guard let manager = DropboxOAuthManager.sharedOAuthManager else {
            return completion(.error(.unknown, "call setupWithAppKey first"))
        }
        loadingStatusDelegate?.showLoading()
        manager.authorizeWithLoopback(openURL: openURL, scopeRequest: scopeRequest) { result in
            loadingStatusDelegate?.dismissLoading()
            if case .success(let token) = result { authorize(token, nil, nil) }
            completion(result)
        }
    }

    /// Starts a login without a browser on this machine: the address of a page that shows a code,
    /// for ``finishAuthorization(code:completion:)``.
    public static func authorizationURL(scopeRequest: ScopeRequest?) -> URL? {
        DropboxOAuthManager.sharedOAuthManager?.authorizationURL(scopeRequest: scopeRequest)
    }

    /// Finishes a login with the code that its page showed: a token makes the client.
    public static func finishAuthorization(
        code: String, completion: @escaping DropboxOAuthCompletion
    ) {
        guard let manager = DropboxOAuthManager.sharedOAuthManager else {
            return completion(.error(.unknown, "call setupWithAppKey first"))
        }
        manager.finishAuthorization(code: code) { result in
            if case .success(let token) = result { authorize(token, nil, nil) }
            completion(result)
        }
    }
}
