// Logins, tokens and the clients of a program by the names of SwiftyDropboxObjC, for the classes of the Objective-C library.

#import "DBXClients.h"

@compatibility_alias DBXDropboxAccessToken DBAccessToken;
@compatibility_alias DBXDropboxClientsManager DBClientsManager;
@compatibility_alias DBXDropboxOAuthManager DBOAuthManager;
@compatibility_alias DBXDropboxOAuthResult DBOAuthResult;
@compatibility_alias DBXScopeRequest DBScopeRequest;
typedef DBScopeType DBXScopeType;
#define DBXScopeTypeTeam DBScopeTypeTeam
#define DBXScopeTypeUser DBScopeTypeUser

NS_ASSUME_NONNULL_BEGIN

@interface DBScopeRequest (DBX)
@property (nonatomic, readonly) NSArray<NSString *> *scopes;
@property (nonatomic, readonly) BOOL includeGrantedScopes;
@property (nonatomic, readonly) DBScopeType scopeType;
/// The permissions as the page takes them; nil for all of the app's.
@property (nonatomic, readonly, nullable) NSString *scopeString;
@end

/// Why a login or a renewal failed.
@interface DBXOAuth2Error : NSObject {
    DBOAuthErrorType _type;
}
- (instancetype)initWithType:(DBOAuthErrorType)type;
/// Whether the user has to log in again.
- (BOOL)isInvalidGrantError;
@end

@interface DBOAuthResult (DBX)
@property (nonatomic, readonly, nullable) DBAccessToken *token;
@property (nonatomic, readonly, nullable) DBXOAuth2Error *error;
@property (nonatomic, readonly, nullable) NSString *errorMessage;
@property (nonatomic, readonly) BOOL wasCancelled;
@end

@interface DBAccessToken (DBX)
/// Whether it expires and can be renewed.
@property (nonatomic, readonly) BOOL isShortLivedToken;
@end

@interface DBOAuthManager (DBXRefreshing)
- (void)refreshAccessToken:(DBAccessToken *)accessToken
                    scopes:(NSArray<NSString *> *)scopes
                     queue:(nullable NSOperationQueue *)queue
                completion:(nullable DBOAuthCompletion)completion;
@end

@interface DBOAuthManager (DBX)
- (NSDictionary<NSString *, DBAccessToken *> *)getAllAccessTokens;
- (nullable DBAccessToken *)getAccessToken:(nullable NSString *)user;
- (nullable DBAccessToken *)getFirstAccessToken;
- (DBXAccessTokenProvider *)accessTokenProviderForToken:(DBAccessToken *)token;
- (void)authorizeFromSharedApplication:(id<DBSharedApplication>)sharedApplication
                               usePKCE:(BOOL)usePKCE
                          scopeRequest:(nullable DBScopeRequest *)scopeRequest;
@end

@interface DBClientsManager (DBXClients)
+ (void)setAuthorizedClient:(nullable DBUserClient *)client;
+ (void)setAuthorizedTeamClient:(nullable DBTeamClient *)client;
@end

@interface DBClientsManager (DBX)
+ (NSString *)sdkVersion;
+ (void)reauthorizeClient:(NSString *)tokenUid;
+ (void)reauthorizeTeamClient:(NSString *)tokenUid;
/// `includeBackgroundClient` has to be NO: there are no background sessions.
+ (BOOL)handleRedirectURL:(NSURL *)url
    includeBackgroundClient:(BOOL)includeBackgroundClient
                 completion:(void (^)(DBOAuthResult *_Nullable result))completion;
/// Lets go of the clients; the stored tokens stay.
+ (void)resetClients;
/// Removes the stored tokens, and lets go of the clients.
+ (void)unlinkClients;
+ (void)authorizeFromControllerV2WithSharedApplication:(nullable id)sharedApplication
                                            controller:(nullable id)controller
                                 loadingStatusDelegate:(nullable id<DBLoadingStatusDelegate>)loadingStatusDelegate
                                               openURL:(void (^)(NSURL *url))openURL
                                          scopeRequest:(nullable DBScopeRequest *)scopeRequest;
+ (void)setupWithAppKeyMultiUser:(NSString *)appKey tokenUid:(nullable NSString *)tokenUid;
+ (void)setupWithAppKeyMultiUserDesktop:(NSString *)appKey tokenUid:(nullable NSString *)tokenUid;
+ (void)setupWithTeamAppKeyMultiUser:(NSString *)appKey tokenUid:(nullable NSString *)tokenUid;
+ (void)setupWithTeamAppKeyMultiUserDesktop:(NSString *)appKey tokenUid:(nullable NSString *)tokenUid;
@end

NS_ASSUME_NONNULL_END
