// Clients as collections of namespaces: for users, for teams and for apps.
//
// The namespaces are implicitly unwrapped, as in the API that programs are written for:
// `client.files!` has to compile. They are never nil.

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
// Sendable: its fields are constants, and each is Sendable.
/// The routes of users.
public class DropboxBase: DropboxTransportClientOwning, @unchecked Sendable {
    /// The transport client that sends the requests.
    public let client: any DropboxTransportClient
    /// Routes of the user's account.
    public let account: AccountRoutes!
    /// Calls the routes that are about tokens.
    public let auth: AuthRoutes!
    /// Routes that prove a connection.
    public let check: CheckRoutes!
    /// Calls the routes that are about contacts.
    public let contacts: ContactsRoutes!
    /// Routes of properties of files.
    public let fileProperties: FilePropertiesRoutes!
    /// Routes of requests for files.
    public let fileRequests: FileRequestsRoutes!
    /// Routes of files and folders.
    public let files: FilesRoutes!
    /// Calls the routes that are about identities.
    public let openid: OpenidRoutes!
    /// Routes of Paper documents.
    public let paper: PaperRoutes!
    /// Routes of shared links and folders.
    public let sharing: SharingRoutes!
    /// Routes of a team's log.
    public let teamLog: TeamLogRoutes!
    /// Calls the routes that are about users.
    public let users: UsersRoutes!

    /// Takes over the transport client.
    public required init(client: any DropboxTransportClient) {
        self.client = client
        account = AccountRoutes(client: client)
        auth = AuthRoutes(client: client)
        check = CheckRoutes(client: client)
        contacts = ContactsRoutes(client: client)
        fileProperties = FilePropertiesRoutes(client: client)
        fileRequests = FileRequestsRoutes(client: client)
        files = FilesRoutes(client: client)
        openid = OpenidRoutes(client: client)
        paper = PaperRoutes(client: client)
        sharing = SharingRoutes(client: client)
        teamLog = TeamLogRoutes(client: client)
        users = UsersRoutes(client: client)
    }
}

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
// Sendable: its fields are constants, and each is Sendable.
/// The routes of teams.
public class DropboxTeamBase: DropboxTransportClientOwning, @unchecked Sendable {
    /// The transport client that sends the requests.
    public let client: any DropboxTransportClient
    /// Routes of the team.
    public let team: TeamRoutes!

    /// Takes over the transport client.
    public required init(client: any DropboxTransportClient) {
        self.client = client
        team = TeamRoutes(client: client)
    }
}

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
// Sendable: its fields are constants, and each is Sendable.
/// The routes that an app calls by its key and secret.
public class DropboxAppBase: DropboxTransportClientOwning, @unchecked Sendable {
    /// The transport client that sends the requests.
    public let client: any DropboxTransportClient
    /// Calls the routes that are about tokens.
    public let auth: AuthAppAuthRoutes!
    /// Routes that prove a connection.
    public let check: CheckAppAuthRoutes!
    /// Routes of files and folders.
    public let files: FilesAppAuthRoutes!
    /// Routes of shared links.
    public let sharing: SharingAppAuthRoutes!

    /// Takes over the transport client.
    public required init(client: any DropboxTransportClient) {
        self.client = client
        auth = AuthAppAuthRoutes(client: client)
        check = CheckAppAuthRoutes(client: client)
        files = FilesAppAuthRoutes(client: client)
        sharing = SharingAppAuthRoutes(client: client)
    }
}
