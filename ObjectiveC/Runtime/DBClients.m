// Clients: of a user, a team, and an app.

#import "DBClients.h"
#import "DBAccessTokenProvider.h"
#import "DBOAuthManager.h"
#import "DBTransportClient.h"

// The same for users and teams.
#define DB_CLIENT \
    -(instancetype)initWithTransportClient : (DBTransportDefaultClient *)client { return [super initWithTransportClient:client]; } \
    -(instancetype)initWithAccessTokenProvider : (id<DBAccessTokenProvider>)provider tokenUid : (NSString *)tokenUid \
        transportConfig : (DBTransportDefaultConfig *)config { \
        DBTransportDefaultClient *client = [[[DBTransportDefaultClient alloc] initWithAccessTokenProvider:provider tokenUid:tokenUid \
                                                                                          transportConfig:config] autorelease]; \
        return [self initWithTransportClient:client]; \
    } \
    -(instancetype)initWithAccessToken : (NSString *)accessToken tokenUid : (NSString *)tokenUid \
        transportConfig : (DBTransportDefaultConfig *)config { \
        DBTransportDefaultClient *client = [[[DBTransportDefaultClient alloc] initWithAccessToken:accessToken tokenUid:tokenUid \
                                                                                  transportConfig:config] autorelease]; \
        return [self initWithTransportClient:client]; \
    } \
    -(instancetype)initWithAccessToken : (NSString *)accessToken { \
        return [self initWithAccessToken:accessToken tokenUid:nil transportConfig:nil]; \
    } \
    -(instancetype)initWithAccessToken : (NSString *)accessToken transportConfig : (DBTransportDefaultConfig *)config { \
        return [self initWithAccessToken:accessToken tokenUid:nil transportConfig:config]; \
    } \
    -(instancetype)initWithAccessToken : (DBAccessToken *)accessToken oauthManager : (DBOAuthManager *)manager \
        transportConfig : (DBTransportDefaultConfig *)config { \
        return [self initWithAccessTokenProvider:DBProviderOfToken(accessToken, manager) tokenUid:accessToken.uid \
                                 transportConfig:config]; \
    } \
    -(NSString *)tokenUid { return [(DBTransportDefaultClient *)_transportClient tokenUid]; } \
    -(NSString *)accessToken { return _transportClient.accessTokenProvider.accessToken; } \
    -(BOOL)isAuthorized { return _transportClient.accessTokenProvider != nil; }

@implementation DBUserClient
DB_CLIENT
- (DBUserClient *)withPathRoot:(DBCOMMONPathRoot *)pathRoot {
    DBTransportDefaultClient *client = (DBTransportDefaultClient *)_transportClient;
    return [[[DBUserClient alloc] initWithAccessTokenProvider:client.accessTokenProvider tokenUid:client.tokenUid
        transportConfig:[client duplicateTransportConfigWithPathRoot:pathRoot]] autorelease];
}
@end

@implementation DBTeamClient
DB_CLIENT
- (DBUserClient *)userClientWithMemberId:(NSString *)memberId {
    DBTransportDefaultClient *client = (DBTransportDefaultClient *)_transportClient;
    return [[[DBUserClient alloc] initWithAccessTokenProvider:client.accessTokenProvider tokenUid:client.tokenUid
        transportConfig:[client duplicateTransportConfigWithAsMemberId:memberId]] autorelease];
}
@end

@implementation DBAppClient
- (instancetype)initWithAppKey:(NSString *)appKey appSecret:(NSString *)appSecret {
    return [self initWithTransportConfig:[[[DBTransportDefaultConfig alloc] initWithAppKey:appKey appSecret:appSecret] autorelease]];
}
- (instancetype)initWithTransportConfig:(DBTransportDefaultConfig *)transportConfig {
    DBTransportDefaultClient *client = [[[DBTransportDefaultClient alloc] initWithAccessTokenProvider:nil tokenUid:nil
                                                                                     transportConfig:transportConfig] autorelease];
    return [self initWithTransportClient:client];
}
@end
