// Logins by the names of SwiftyDropboxObjC: what the classes of the Objective-C library do under them.

#import "DBXLogins.h"
#import "DBStoneTables.h"

@implementation DBScopeRequest (DBX)
- (NSArray *)scopes { return [[_scopes retain] autorelease]; }
- (BOOL)includeGrantedScopes { return _includeGrantedScopes; }
- (DBScopeType)scopeType { return _scopeType; }
- (NSString *)scopeString { return [_scopes count] == 0 ? nil : [_scopes componentsJoinedByString:@" "]; }
@end

@implementation DBXOAuth2Error
- (instancetype)initWithType:(DBOAuthErrorType)type {
    if ((self = [super init]) != nil) _type = type;
    return self;
}
- (BOOL)isInvalidGrantError { return _type == DBAuthInvalidGrant; }
@end

@implementation DBOAuthResult (DBX)
- (DBAccessToken *)token { return [self isSuccess] ? self.accessToken : nil; }
- (DBXOAuth2Error *)error { return [self isError] ? [[[DBXOAuth2Error alloc] initWithType:self.errorType] autorelease] : nil; }
- (NSString *)errorMessage { return [self isError] ? self.errorDescription : nil; }
- (BOOL)wasCancelled { return [self isCancel]; }
@end

@implementation DBAccessToken (DBX)
- (BOOL)isShortLivedToken { return self.refreshToken != nil && self.tokenExpirationTimestamp != 0; }
@end

@implementation DBOAuthManager (DBX)
- (NSDictionary *)getAllAccessTokens { return [self retrieveAllAccessTokens]; }
- (DBAccessToken *)getAccessToken:(NSString *)user { return user == nil ? nil : [self retrieveAccessToken:user]; }
- (DBAccessToken *)getFirstAccessToken { return [self retrieveFirstAccessToken]; }
- (DBXAccessTokenProvider *)accessTokenProviderForToken:(DBAccessToken *)token { return (id)DBProviderOfToken(token, self); }
- (void)authorizeFromSharedApplication:(id<DBSharedApplication>)sharedApplication
                               usePKCE:(BOOL)usePKCE
                          scopeRequest:(DBScopeRequest *)scopeRequest {
    [self authorizeFromSharedApplication:sharedApplication usePkce:usePKCE scopeRequest:scopeRequest];
}
@end

@implementation DBClientsManager (DBX)
+ (NSString *)sdkVersion { return kDBSDKVersion; }
+ (void)reauthorizeClient:(NSString *)tokenUid { [self authorizeClientFromKeychain:tokenUid]; }
+ (void)reauthorizeTeamClient:(NSString *)tokenUid { [self authorizeTeamClientFromKeychain:tokenUid]; }
+ (BOOL)handleRedirectURL:(NSURL *)url
    includeBackgroundClient:(BOOL)includeBackgroundClient
                 completion:(void (^)(DBOAuthResult *))completion {
    if (includeBackgroundClient) DBRefuse(@"includeBackgroundClient has to be NO: there are no background sessions");
    return [self handleRedirectURL:url completion:completion];
}
+ (void)resetClients {
    [self setAuthorizedClient:nil];
    [self setAuthorizedTeamClient:nil];
}
+ (void)unlinkClients { [self unlinkAndResetClients]; }
+ (void)authorizeFromControllerV2WithSharedApplication:(id)sharedApplication
                                            controller:(id)controller
                                 loadingStatusDelegate:(id<DBLoadingStatusDelegate>)loadingStatusDelegate
                                               openURL:(void (^)(NSURL *))openURL
                                          scopeRequest:(DBScopeRequest *)scopeRequest {
    [self authorizeFromControllerDesktopV2:sharedApplication controller:controller loadingStatusDelegate:loadingStatusDelegate
                                   openURL:openURL scopeRequest:scopeRequest];
}
/// A token that is not stored makes no client.
+ (void)setupWithAppKeyMultiUser:(NSString *)appKey tokenUid:(NSString *)tokenUid {
    [self setupWithAppKey:appKey];
    [self setAuthorizedClient:nil];
    if (tokenUid != nil) [self authorizeClientFromKeychain:tokenUid];
}
+ (void)setupWithTeamAppKeyMultiUser:(NSString *)appKey tokenUid:(NSString *)tokenUid {
    [self setupWithTeamAppKey:appKey];
    [self setAuthorizedTeamClient:nil];
    if (tokenUid != nil) [self authorizeTeamClientFromKeychain:tokenUid];
}
+ (void)setupWithAppKeyMultiUserDesktop:(NSString *)appKey tokenUid:(NSString *)tokenUid {
    [self setupWithAppKeyMultiUser:appKey tokenUid:tokenUid];
}
+ (void)setupWithTeamAppKeyMultiUserDesktop:(NSString *)appKey tokenUid:(NSString *)tokenUid {
    [self setupWithTeamAppKeyMultiUser:appKey tokenUid:tokenUid];
}
@end
