// Logins, OAuth 2 with PKCE, and the tokens that they leave.

#import <Foundation/Foundation.h>
#import "DBOAuthResultCompletion.h"

@class DBOAuthResult, DBScopeRequest;
@protocol DBSharedApplication;

NS_ASSUME_NONNULL_BEGIN

@interface DBAccessToken : NSObject <NSSecureCoding> {
    NSString *_accessToken, *_uid, *_refreshToken;
    NSTimeInterval _tokenExpirationTimestamp;
}
@property (nonatomic, readonly, copy) NSString *accessToken;
@property (nonatomic, readonly, copy) NSString *uid;
@property (nonatomic, readonly, copy, nullable) NSString *refreshToken;
/// Seconds since 1970; 0 for a token that does not expire.
@property (nonatomic, readonly, assign) NSTimeInterval tokenExpirationTimestamp;
+ (DBAccessToken *)createWithLongLivedAccessToken:(NSString *)accessToken uid:(NSString *)uid;
+ (DBAccessToken *)createWithShortLivedAccessToken:(NSString *)accessToken
                                               uid:(NSString *)uid
                                      refreshToken:(nullable NSString *)refreshToken
                          tokenExpirationTimestamp:(NSTimeInterval)tokenExpirationTimestamp;
- (instancetype)initWithAccessToken:(NSString *)accessToken uid:(NSString *)uid;
- (instancetype)initWithAccessToken:(NSString *)accessToken
                                uid:(NSString *)uid
                       refreshToken:(nullable NSString *)refreshToken
           tokenExpirationTimestamp:(NSTimeInterval)tokenExpirationTimestamp;
@end

@protocol DBAccessTokenRefreshing <NSObject>
- (void)refreshAccessToken:(DBAccessToken *)accessToken
                    scopes:(NSArray<NSString *> *)scopes
                     queue:(nullable NSOperationQueue *)queue
                completion:(nullable DBOAuthCompletion)completion;
@end

@interface DBOAuthManager : NSObject <DBAccessTokenRefreshing> {
    NSString *_appKey, *_host, *_redirectURL;
    NSLocale *_locale;
    BOOL _disableSignup, _webAuthShouldForceReauthentication;
    void *_login;
}
@property (nonatomic, retain, nullable) NSLocale *locale;
+ (nullable DBOAuthManager *)sharedOAuthManager;
+ (void)setSharedOAuthManager:(nullable DBOAuthManager *)sharedOAuthManager;
- (instancetype)initWithAppKey:(NSString *)appKey;
- (instancetype)initWithAppKey:(NSString *)appKey host:(nullable NSString *)host;
- (instancetype)initWithAppKey:(NSString *)appKey host:(nullable NSString *)host redirectURL:(nullable NSString *)redirectURL;
/// Begins a login, and has the application present its page.
- (void)authorizeFromSharedApplication:(id<DBSharedApplication>)sharedApplication;
/// The same. Each login is one with PKCE, with or without `usePkce`.
- (void)authorizeFromSharedApplication:(id<DBSharedApplication>)sharedApplication
                               usePkce:(BOOL)usePkce
                          scopeRequest:(nullable DBScopeRequest *)scopeRequest;
/// Ends the login with the address that the browser was sent back to; NO for another address. The completion runs on the main thread.
- (BOOL)handleRedirectURL:(NSURL *)url completion:(DBOAuthCompletion)completion;
- (BOOL)storeAccessToken:(DBAccessToken *)accessToken;
- (nullable DBAccessToken *)retrieveFirstAccessToken;
- (nullable DBAccessToken *)retrieveAccessToken:(NSString *)tokenUid;
- (NSDictionary<NSString *, DBAccessToken *> *)retrieveAllAccessTokens;
- (BOOL)hasStoredAccessTokens;
- (BOOL)clearStoredAccessToken:(NSString *)tokenUid;
- (BOOL)clearStoredAccessTokens;
@property (nonatomic, assign) BOOL disableSignup;
@property (nonatomic, assign) BOOL webAuthShouldForceReauthentication;
@end

NS_ASSUME_NONNULL_END
