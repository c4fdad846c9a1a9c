// Clients by the names of SwiftyDropboxObjC: how they are made.

#import "DBXClients.h"
#import "DBStoneTables.h"

static void refuse(id sessionConfiguration) {
    if (sessionConfiguration != nil) DBRefuse(@"sessionConfiguration has to be nil: the connections are libdropbox's");
}

static DBTransportDefaultConfig *config(DBTransportBaseHostnameConfig *hosts, NSString *agent, NSString *member, DBCOMMONPathRoot *root) {
    NSString *none = nil;
    return [[[DBTransportDefaultConfig alloc] initWithAppKey:none appSecret:none hostnameConfig:hosts redirectURL:nil userAgent:agent
        asMemberId:member pathRoot:root additionalHeaders:nil delegateQueue:nil forceForegroundSession:NO
        sharedContainerIdentifier:nil] autorelease];
}

@implementation DBXBaseHosts
- (instancetype)initWithApiHost:(NSString *)apiHost contentHost:(NSString *)contentHost notifyHost:(NSString *)notifyHost {
    return [self initWithMeta:apiHost api:apiHost content:contentHost notify:notifyHost];
}
@end

@implementation DBLongLivedAccessTokenProvider (DBX)
- (instancetype)initWithAccessToken:(NSString *)accessToken { return [self initWithTokenString:accessToken]; }
@end

@implementation DBTransportDefaultClient (DBX)
- (NSString *)selectUser { return self.asMemberId; }
- (instancetype)initWithAccessToken:(NSString *)accessToken
                         selectUser:(NSString *)selectUser
               sessionConfiguration:(id)sessionConfiguration
                           pathRoot:(DBCOMMONPathRoot *)pathRoot {
    refuse(sessionConfiguration);
    return [self initWithAccessToken:accessToken tokenUid:nil transportConfig:config(nil, nil, selectUser, pathRoot)];
}
- (instancetype)initWithAccessTokenProvider:(DBXAccessTokenProvider *)accessTokenProvider
                                 selectUser:(NSString *)selectUser
                       sessionConfiguration:(id)sessionConfiguration
                                   pathRoot:(DBCOMMONPathRoot *)pathRoot {
    refuse(sessionConfiguration);
    return [self initWithAccessTokenProvider:accessTokenProvider tokenUid:nil transportConfig:config(nil, nil, selectUser, pathRoot)];
}
- (instancetype)initWithAccessToken:(NSString *)accessToken
                          baseHosts:(DBXBaseHosts *)baseHosts
                          userAgent:(NSString *)userAgent
                         selectUser:(NSString *)selectUser
               sessionConfiguration:(id)sessionConfiguration
       longpollSessionConfiguration:(id)longpollSessionConfiguration
                        filesAccess:(id)filesAccess
               authChallengeHandler:(id)authChallengeHandler
                           pathRoot:(DBCOMMONPathRoot *)pathRoot {
    refuse(sessionConfiguration), refuse(longpollSessionConfiguration);
    if (filesAccess != nil || authChallengeHandler != nil) DBRefuse(@"filesAccess and authChallengeHandler have to be nil");
    return [self initWithAccessToken:accessToken tokenUid:nil transportConfig:config(baseHosts, userAgent, selectUser, pathRoot)];
}
@end

@implementation DBBaseClient (DBX)
- (instancetype)initWithClient:(DBTransportDefaultClient *)client { return [self initWithTransportClient:client]; }
@end

@implementation DBUserClient (DBX)
- (instancetype)initWithAccessToken:(NSString *)accessToken
                         selectUser:(NSString *)selectUser
               sessionConfiguration:(id)sessionConfiguration
                           pathRoot:(DBCOMMONPathRoot *)pathRoot {
    refuse(sessionConfiguration);
    return [self initWithAccessToken:accessToken transportConfig:config(nil, nil, selectUser, pathRoot)];
}
- (instancetype)initWithAccessTokenProvider:(DBXAccessTokenProvider *)accessTokenProvider
                                 selectUser:(NSString *)selectUser
                       sessionConfiguration:(id)sessionConfiguration
                                   pathRoot:(DBCOMMONPathRoot *)pathRoot {
    refuse(sessionConfiguration);
    return [self initWithAccessTokenProvider:accessTokenProvider tokenUid:nil transportConfig:config(nil, nil, selectUser, pathRoot)];
}
- (instancetype)initWithAccessToken:(DBAccessToken *)accessToken
                dropboxOauthManager:(DBOAuthManager *)dropboxOauthManager
               sessionConfiguration:(id)sessionConfiguration {
    refuse(sessionConfiguration);
    return [self initWithAccessToken:accessToken oauthManager:dropboxOauthManager transportConfig:nil];
}
@end

@implementation DBTeamClient (DBX)
- (instancetype)initWithAccessToken:(NSString *)accessToken sessionConfiguration:(id)sessionConfiguration {
    refuse(sessionConfiguration);
    return [self initWithAccessToken:accessToken];
}
- (instancetype)initWithAccessTokenProvider:(DBXAccessTokenProvider *)accessTokenProvider
                       sessionConfiguration:(id)sessionConfiguration {
    refuse(sessionConfiguration);
    return [self initWithAccessTokenProvider:accessTokenProvider tokenUid:nil transportConfig:nil];
}
- (instancetype)initWithAccessToken:(DBAccessToken *)accessToken
                dropboxOauthManager:(DBOAuthManager *)dropboxOauthManager
               sessionConfiguration:(id)sessionConfiguration {
    refuse(sessionConfiguration);
    return [self initWithAccessToken:accessToken oauthManager:dropboxOauthManager transportConfig:nil];
}
- (DBUserClient *)asMember:(NSString *)memberId { return [self userClientWithMemberId:memberId]; }
@end
