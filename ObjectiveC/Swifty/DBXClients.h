// Clients, their connections and their settings by the names of SwiftyDropboxObjC, for the classes of the Objective-C library.

#import "DBXBase.h"

@compatibility_alias DBXDropboxBase DBUserBaseClient;
@compatibility_alias DBXDropboxTeamBase DBTeamBaseClient;
@compatibility_alias DBXDropboxAppBase DBAppBaseClient;
@compatibility_alias DBXDropboxClient DBUserClient;
@compatibility_alias DBXDropboxTeamClient DBTeamClient;
@compatibility_alias DBXDropboxAppClient DBAppClient;
@compatibility_alias DBXDropboxTransportClient DBTransportDefaultClient;
@compatibility_alias DBXLongLivedAccessTokenProvider DBLongLivedAccessTokenProvider;
/// An object that gives tokens; a class of a program's own is one, too.
typedef NSObject<DBAccessTokenProvider> DBXAccessTokenProvider;

NS_ASSUME_NONNULL_BEGIN

/// Where the API is served: Dropbox's servers, or one server for all, as `http://127.0.0.1:40123` of the emulator.
@interface DBXBaseHosts : DBTransportBaseHostnameConfig
- (instancetype)initWithApiHost:(NSString *)apiHost contentHost:(NSString *)contentHost notifyHost:(NSString *)notifyHost;
@end

@interface DBLongLivedAccessTokenProvider (DBX)
- (instancetype)initWithAccessToken:(NSString *)accessToken;
@end

/// `sessionConfiguration` has to be nil: the connections are libdropbox's. Another value raises an exception.
@interface DBTransportDefaultClient (DBX)
/// The member of a team in whose name routes are called.
@property (nonatomic, readonly, nullable) NSString *selectUser;
- (instancetype)initWithAccessToken:(NSString *)accessToken
                         selectUser:(nullable NSString *)selectUser
               sessionConfiguration:(nullable id)sessionConfiguration
                           pathRoot:(nullable DBCOMMONPathRoot *)pathRoot;
- (instancetype)initWithAccessTokenProvider:(DBXAccessTokenProvider *)accessTokenProvider
                                 selectUser:(nullable NSString *)selectUser
                       sessionConfiguration:(nullable id)sessionConfiguration
                                   pathRoot:(nullable DBCOMMONPathRoot *)pathRoot;
/// With other servers. Of the four objects about connections and files each has to be nil.
- (instancetype)initWithAccessToken:(NSString *)accessToken
                          baseHosts:(nullable DBXBaseHosts *)baseHosts
                          userAgent:(nullable NSString *)userAgent
                         selectUser:(nullable NSString *)selectUser
               sessionConfiguration:(nullable id)sessionConfiguration
       longpollSessionConfiguration:(nullable id)longpollSessionConfiguration
                        filesAccess:(nullable id)filesAccess
               authChallengeHandler:(nullable id)authChallengeHandler
                           pathRoot:(nullable DBCOMMONPathRoot *)pathRoot;
@end

@interface DBBaseClient (DBX)
- (instancetype)initWithClient:(DBTransportDefaultClient *)client;
@end

@interface DBUserClient (DBX)
- (instancetype)initWithAccessToken:(NSString *)accessToken
                         selectUser:(nullable NSString *)selectUser
               sessionConfiguration:(nullable id)sessionConfiguration
                           pathRoot:(nullable DBCOMMONPathRoot *)pathRoot;
- (instancetype)initWithAccessTokenProvider:(DBXAccessTokenProvider *)accessTokenProvider
                                 selectUser:(nullable NSString *)selectUser
                       sessionConfiguration:(nullable id)sessionConfiguration
                                   pathRoot:(nullable DBCOMMONPathRoot *)pathRoot;
- (instancetype)initWithAccessToken:(DBAccessToken *)accessToken
                dropboxOauthManager:(DBOAuthManager *)dropboxOauthManager
               sessionConfiguration:(nullable id)sessionConfiguration;
@end

@interface DBTeamClient (DBX)
- (instancetype)initWithAccessToken:(NSString *)accessToken sessionConfiguration:(nullable id)sessionConfiguration;
- (instancetype)initWithAccessTokenProvider:(DBXAccessTokenProvider *)accessTokenProvider
                       sessionConfiguration:(nullable id)sessionConfiguration;
- (instancetype)initWithAccessToken:(DBAccessToken *)accessToken
                dropboxOauthManager:(DBOAuthManager *)dropboxOauthManager
               sessionConfiguration:(nullable id)sessionConfiguration;
/// The files and settings of a member, by the id "dbmid:...".
- (DBUserClient *)asMember:(NSString *)memberId;
@end

NS_ASSUME_NONNULL_END
