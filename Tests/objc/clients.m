// Clients of an app, of a team's member, and with another root; a login from its page to its end, and the tokens that it leaves.

#import "check.h"
#import <sys/stat.h>

void checkClients(DBUserClient *client) {
    DBAppClient *app = [[[DBAppClient alloc] initWithTransportConfig:settings(@"key", @"secret")] autorelease];
    [[app.checkRoutes app:@"hello"] setResponseBlock:^(DBCHECKEchoResult *result, DBCHECKEchoError *error, DBRequestError *networkError) {
      EXPECT([result.result isEqual:@"hello"] || networkError != nil);
      EXPECT(networkError == nil);
      happened();
    }];
    wait(1);

    // A member of a team, whose root is not its home.
    NSDictionary *member = administer(@"/admin/accounts", @"{\"given_name\":\"Ada\",\"surname\":\"L\",\"email\":\"ada@example.com\",\"token\":\"ada\",\"team\":true}");
    EXPECT(member != nil);
    DBUserClient *ada = [[[DBUserClient alloc] initWithAccessToken:@"ada" transportConfig:settings(@"key", nil)] autorelease];
    __block NSString *root = nil, *home = nil;
    [[ada.usersRoutes getCurrentAccount] setResponseBlock:^(DBUSERSFullAccount *account, DBNilObject *error, DBRequestError *networkError) {
      EXPECT([account.name.givenName isEqual:@"Ada"] && [account.rootInfo isKindOfClass:[DBCOMMONTeamRootInfo class]]);
      root = [account.rootInfo.rootNamespaceId retain];
      home = [account.rootInfo.homeNamespaceId retain];
      happened();
    }];
    wait(1);
    EXPECT(root != nil && ![root isEqual:home]);
    DBUserClient *rooted = [ada withPathRoot:[[[DBCOMMONPathRoot alloc] initWithRoot:root] autorelease]];
    [[rooted.filesRoutes listFolder:@""] setResponseBlock:^(DBFILESListFolderResult *result, DBFILESListFolderError *error, DBRequestError *networkError) {
      EXPECT([result.entries count] > 0);
      happened();
    }];
    DBUserClient *elsewhere = [ada withPathRoot:[[[DBCOMMONPathRoot alloc] initWithRoot:@"999"] autorelease]];
    [[elsewhere.filesRoutes listFolder:@""] setResponseBlock:^(DBFILESListFolderResult *result, DBFILESListFolderError *error, DBRequestError *networkError) {
      EXPECT([networkError isPathRootError] && [networkError.structuredPathRootError.invalidRoot.rootNamespaceId isEqual:root]);
      happened();
    }];
    wait(2);

    // A team's token, in the name of the member, and of nobody.
    NSString *team = [NSString stringWithFormat:@"{\"account_id\":\"%@\",\"token\":\"team\",\"team\":true}", [member objectForKey:@"account_id"]];
    EXPECT([[administer(@"/admin/tokens", team) objectForKey:@"token"] isEqual:@"team"]);
    DBTeamClient *teamClient = [[[DBTeamClient alloc] initWithAccessToken:@"team" transportConfig:settings(@"key", nil)] autorelease];
    DBUserClient *one = [teamClient userClientWithMemberId:[@"dbmid:AAE" stringByAppendingString:root]];
    DBUserClient *nobody = [teamClient userClientWithMemberId:@"dbmid:nobody"];
    [[one.usersRoutes getCurrentAccount] setResponseBlock:^(DBUSERSFullAccount *account, DBNilObject *error, DBRequestError *networkError) {
      EXPECT([account.name.givenName isEqual:@"Ada"]);
      happened();
    }];
    [[nobody.usersRoutes getCurrentAccount] setResponseBlock:^(DBUSERSFullAccount *account, DBNilObject *error, DBRequestError *networkError) {
      EXPECT([[networkError asAuthError].structuredAuthError isInvalidSelectUser]);
      happened();
    }];
    // What a team's route answers; the emulator has none, and says so.
    [[teamClient.teamRoutes getInfo] setResponseBlock:^(DBTEAMTeamGetInfoResult *result, DBNilObject *error, DBRequestError *networkError) {
      EXPECT(result == nil && [networkError isBadInputError]);
      EXPECT([[networkError asBadInputError].errorContent rangeOfString:@"team/get_info"].length > 0);
      happened();
    }];
    wait(3);
    [root release];
    [home release];

    // What cannot be sent is refused when it is said.
    EXPECT(raises(^{
      [[DBTransportDefaultConfig alloc] initWithAppKey:@"key" appSecret:nil userAgent:nil asMemberId:nil
          additionalHeaders:@{@"X-Header" : @"1"} delegateQueue:nil forceForegroundSession:NO sharedContainerIdentifier:nil];
    }));
    DBTransportBaseHostnameConfig *hosts = [[[DBTransportBaseHostnameConfig alloc] initWithMeta:@"a.example" api:@"a.example"
        content:@"b.example" notify:@"a.example"] autorelease];
    DBTransportDefaultConfig *config = [[[DBTransportDefaultConfig alloc] initWithAppKey:@"key" appSecret:nil hostnameConfig:hosts userAgent:nil
        asMemberId:nil additionalHeaders:nil delegateQueue:nil forceForegroundSession:NO sharedContainerIdentifier:nil] autorelease];
    DBUserClient *scattered = [[[DBUserClient alloc] initWithAccessToken:@"own" transportConfig:config] autorelease];
    [[scattered.checkRoutes user] setResponseBlock:^(DBCHECKEchoResult *result, DBCHECKEchoError *error, DBRequestError *networkError) {
      EXPECT([networkError isClientError] && [networkError.nsError.domain isEqual:DBErrorDomain]);
      happened();
    }];
    wait(1);
    EXPECT([client isAuthorized] && [[client accessToken] length] > 0);
}

void checkLogin(void) {
    [DBClientsManager setupWithTransportConfigDesktop:settings(@"key", nil)];
    EXPECT([DBClientsManager authorizedClient] == nil && [[DBClientsManager appKey] isEqual:@"key"]);
    __block NSURL *page = nil;
    DBScopeRequest *scopes = [[[DBScopeRequest alloc] initWithScopeType:DBScopeTypeUser scopes:@[ @"account_info.read", @"files.metadata.read" ]
                                                   includeGrantedScopes:NO] autorelease];
    [DBClientsManager authorizeFromControllerDesktopV2:nil controller:nil loadingStatusDelegate:nil
                                               openURL:^(NSURL *url) { page = [url retain]; }
                                          scopeRequest:scopes];
    EXPECT([[page absoluteString] rangeOfString:@"/oauth2/authorize"].length > 0);

    // The browser: the page has a form with the accounts, and its answer leads back to the program.
    NSString *text = browse([page absoluteString], nil);
    NSRange start = [text rangeOfString:@"value=\"dbid:"];
    EXPECT(start.length > 0);
    NSString *rest = [text substringFromIndex:start.location + 7];
    NSString *account = [rest substringToIndex:[rest rangeOfString:@"\""].location];
    NSString *answer = browse([page absoluteString], [@"account_id=" stringByAppendingString:account]);
    NSString *location = [answer substringFromIndex:[answer rangeOfString:@"db-key://"].location];
    NSURL *back = [NSURL URLWithString:[location substringToIndex:[location rangeOfString:@"\r"].location]];

    EXPECT(![DBClientsManager handleRedirectURL:[NSURL URLWithString:@"https://example.com/"] completion:^(DBOAuthResult *result) {}]);
    BOOL canHandle = [DBClientsManager handleRedirectURL:back completion:^(DBOAuthResult *authResult) {
      EXPECT([authResult isSuccess] && authResult.accessToken.refreshToken != nil);
      happened();
    }];
    EXPECT(canHandle);
    wait(1);
    DBUserClient *client = [DBClientsManager authorizedClient];
    EXPECT(client != nil && [[DBClientsManager authorizedClients] count] == 1);
    [[client.usersRoutes getCurrentAccount] setResponseBlock:^(DBUSERSFullAccount *result, DBNilObject *error, DBRequestError *networkError) {
      EXPECT(result.accountId != nil);
      happened();
    }];
    wait(1);

    // It is there after the next start, in private files; an access token that has ended is renewed.
    NSString *state = [folder() stringByAppendingPathComponent:@"ObjectiveDropboxOfficial/check"];
    NSArray *files = [[NSFileManager defaultManager] contentsOfDirectoryAtPath:state error:NULL];
    EXPECT([files count] == 1);
    struct stat facts;
    EXPECT(stat([[state stringByAppendingPathComponent:[files lastObject]] fileSystemRepresentation], &facts) == 0 && (facts.st_mode & 0777) == 0600);
    DBAccessToken *token = [[DBOAuthManager sharedOAuthManager] retrieveFirstAccessToken];
    DBAccessToken *old = [DBAccessToken createWithShortLivedAccessToken:@"ended" uid:token.uid refreshToken:token.refreshToken tokenExpirationTimestamp:1];
    EXPECT([DBSDKKeychain storeAccessToken:old]);
    [DBClientsManager setupWithTransportConfigDesktop:settings(@"key", nil)];
    client = [DBClientsManager authorizedClient];
    for (int times = 0; times < 3; times++) {
        [[client.usersRoutes getCurrentAccount] setResponseBlock:^(DBUSERSFullAccount *result, DBNilObject *error, DBRequestError *networkError) {
          EXPECT(result.accountId != nil);
          happened();
        }];
    }
    wait(3);
    EXPECT(![[client accessToken] isEqual:@"ended"]);
    EXPECT([[[DBOAuthManager sharedOAuthManager] retrieveFirstAccessToken].accessToken isEqual:[client accessToken]]);

    // An address that belongs to no login, a user who refuses, and the end of the login.
    [DBClientsManager handleRedirectURL:back completion:^(DBOAuthResult *result) {
      EXPECT([result isError] && result.errorType == DBAuthInconsistentState);
      happened();
    }];
    [DBClientsManager handleRedirectURL:[NSURL URLWithString:@"db-key://2/token?error=access_denied"] completion:^(DBOAuthResult *result) {
      EXPECT([result isCancel]);
      happened();
    }];
    wait(2);
    [DBClientsManager unlinkAndResetClients];
    EXPECT([DBClientsManager authorizedClient] == nil && ![[DBOAuthManager sharedOAuthManager] hasStoredAccessTokens]);
    [page release];
}
