// Clients: of a user, a team, and an app.

#import <Foundation/Foundation.h>
#import "DBBaseClients.h"
#import "DBCOMMON.h"
#import "DBTransportConfig.h"

@class DBAccessToken, DBOAuthManager, DBTransportDefaultClient;
@protocol DBAccessTokenProvider;

NS_ASSUME_NONNULL_BEGIN

@interface DBUserClient : DBUserBaseClient
@property (nonatomic, readonly, copy, nullable) NSString *tokenUid;
- (instancetype)initWithAccessToken:(NSString *)accessToken;
- (instancetype)initWithAccessToken:(NSString *)accessToken transportConfig:(nullable DBTransportDefaultConfig *)transportConfig;
- (instancetype)initWithAccessToken:(NSString *)accessToken
                           tokenUid:(nullable NSString *)tokenUid
                    transportConfig:(nullable DBTransportDefaultConfig *)transportConfig;
- (instancetype)initWithAccessTokenProvider:(id<DBAccessTokenProvider>)accessTokenProvider
                                   tokenUid:(nullable NSString *)tokenUid
                            transportConfig:(nullable DBTransportDefaultConfig *)transportConfig;
- (instancetype)initWithAccessToken:(DBAccessToken *)accessToken
                       oauthManager:(DBOAuthManager *)oauthManager
                    transportConfig:(nullable DBTransportDefaultConfig *)transportConfig;
- (instancetype)initWithTransportClient:(DBTransportDefaultClient *)client NS_DESIGNATED_INITIALIZER;
/// The same account with paths relative to another root.
- (DBUserClient *)withPathRoot:(DBCOMMONPathRoot *)pathRoot;
- (nullable NSString *)accessToken;
- (BOOL)isAuthorized;
@end

@interface DBTeamClient : DBTeamBaseClient
@property (nonatomic, readonly, copy, nullable) NSString *tokenUid;
- (instancetype)initWithAccessToken:(NSString *)accessToken;
- (instancetype)initWithAccessToken:(NSString *)accessToken transportConfig:(nullable DBTransportDefaultConfig *)transportConfig;
- (instancetype)initWithAccessToken:(NSString *)accessToken
                           tokenUid:(nullable NSString *)tokenUid
                    transportConfig:(nullable DBTransportDefaultConfig *)transportConfig;
- (instancetype)initWithAccessTokenProvider:(id<DBAccessTokenProvider>)accessTokenProvider
                                   tokenUid:(nullable NSString *)tokenUid
                            transportConfig:(nullable DBTransportDefaultConfig *)transportConfig;
- (instancetype)initWithAccessToken:(DBAccessToken *)accessToken
                       oauthManager:(DBOAuthManager *)oauthManager
                    transportConfig:(nullable DBTransportDefaultConfig *)transportConfig;
- (instancetype)initWithTransportClient:(DBTransportDefaultClient *)client NS_DESIGNATED_INITIALIZER;
/// The files and settings of a member, by the id "dbmid:...".
- (DBUserClient *)userClientWithMemberId:(NSString *)memberId;
- (nullable NSString *)accessToken;
- (BOOL)isAuthorized;
@end

@interface DBAppClient : DBAppBaseClient
- (instancetype)initWithAppKey:(NSString *)appKey appSecret:(NSString *)appSecret;
- (instancetype)initWithTransportConfig:(nullable DBTransportDefaultConfig *)transportConfig;
@end

NS_ASSUME_NONNULL_END
