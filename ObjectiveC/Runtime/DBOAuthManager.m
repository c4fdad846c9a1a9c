// Logins, OAuth 2 with PKCE, and the tokens that they leave. The protocol is libdropbox's.

#import "DBOAuthManager.h"
#import "DBAccessTokenProvider.h"
#import "DBCall.h"
#import "DBJSON.h"
#import "DBOAuthResult.h"
#import "DBSDKKeychain.h"
#import "DBScopeRequest.h"
#import "DBSharedApplicationProtocol.h"
#import "DBStoneTables.h"
#import "DBTransportConnection.h"

/// How long before its end a token is renewed, so that it does not end on the way.
static const NSTimeInterval margin = 300;

static DBOAuthManager *shared;

@interface DBOAuthManager (Background)
- (void)inBackground:(void (^)(void))block;
- (DBOAuthResult *)renewed:(DBAccessToken *)token;
- (void)forget;
@end

@interface DBScopeRequest (Text)
- (NSString *)text;
@end

// NSObject has an -init that is not to be used.
#pragma clang diagnostic ignored "-Wincomplete-implementation"

@implementation DBScopeRequest
- (instancetype)initWithScopeType:(DBScopeType)scopeType scopes:(NSArray *)scopes includeGrantedScopes:(BOOL)includeGrantedScopes {
    if (includeGrantedScopes) DBRefuse(@"the permissions that were granted before cannot be included");
    if ((self = [super init]) != nil) {
        _scopeType = scopeType;
        _scopes = [scopes copy];
        _includeGrantedScopes = includeGrantedScopes;
    }
    return self;
}
- (NSString *)text { return [_scopes count] == 0 ? nil : [_scopes componentsJoinedByString:@" "]; }
- (void)dealloc {
    [_scopes release];
    [super dealloc];
}
@end

static DBOAuthResult *resultOfError(const dropbox_error *error) {
    NSString *why = error == NULL ? @"there is no memory" : [NSString stringWithUTF8String:error->summary];
    id body = error == NULL ? nil : DBJSONRead(error->body);
    id name = [body isKindOfClass:[NSDictionary class]] ? [body objectForKey:@"error"] : nil;
    return [[[DBOAuthResult alloc] initWithError:[name isKindOfClass:[NSString class]] ? name : @"unknown"
                                errorDescription:why] autorelease];
}

/// The token of an answer of the token endpoint; nil where it lacks one.
static DBAccessToken *tokenOfGrant(const char *text, NSString *uid, NSString *refreshToken) {
    id grant = DBJSONRead(text);
    if (![grant isKindOfClass:[NSDictionary class]]) return nil;
    id access = [grant objectForKey:@"access_token"], refresh = [grant objectForKey:@"refresh_token"];
    id seconds = [grant objectForKey:@"expires_in"];
    for (NSString *name in [NSArray arrayWithObjects:@"uid", @"account_id", @"team_id", nil]) {
        id value = [grant objectForKey:name];
        if (uid == nil && [value isKindOfClass:[NSString class]] && [value length] > 0) uid = value;
    }
    if (![access isKindOfClass:[NSString class]] || uid == nil) return nil;
    NSTimeInterval now = [[NSDate date] timeIntervalSince1970];
    return [DBAccessToken createWithShortLivedAccessToken:access uid:uid
        refreshToken:[refresh isKindOfClass:[NSString class]] ? refresh : refreshToken
        tokenExpirationTimestamp:[seconds isKindOfClass:[NSNumber class]] ? now + [seconds doubleValue] : 0];
}

@implementation DBOAuthManager
@synthesize locale = _locale, disableSignup = _disableSignup,
            webAuthShouldForceReauthentication = _webAuthShouldForceReauthentication;

+ (DBOAuthManager *)sharedOAuthManager {
    @synchronized(self) { return [[shared retain] autorelease]; }
}
+ (void)setSharedOAuthManager:(DBOAuthManager *)manager {
    @synchronized(self) {
        [shared autorelease];
        shared = [manager retain];
    }
}
- (instancetype)initWithAppKey:(NSString *)appKey { return [self initWithAppKey:appKey host:nil]; }
- (instancetype)initWithAppKey:(NSString *)appKey host:(NSString *)host {
    return [self initWithAppKey:appKey host:host redirectURL:nil];
}
- (instancetype)initWithAppKey:(NSString *)appKey host:(NSString *)host redirectURL:(NSString *)redirectURL {
    if ((self = [super init]) != nil) {
        _appKey = [appKey copy];
        _host = [host copy];
        _redirectURL = redirectURL == nil ? [[NSString alloc] initWithFormat:@"db-%@://2/token", appKey] : [redirectURL copy];
    }
    return self;
}

- (dropbox_config *)newConfig {
    DBTransportBaseHostnameConfig *hosts = nil;
    if (_host != nil && ![_host isEqual:@"www.dropbox.com"])
        hosts = [[[DBTransportBaseHostnameConfig alloc] initWithMeta:_host api:_host content:_host notify:_host] autorelease];
    return DBNewConfig(_appKey, nil, [DBTransportBaseConfig defaultUserAgent], hosts);
}

// MARK: Logging in

- (void)authorizeFromSharedApplication:(id<DBSharedApplication>)application {
    [self authorizeFromSharedApplication:application usePkce:YES scopeRequest:nil];
}
- (void)authorizeFromSharedApplication:(id<DBSharedApplication>)application usePkce:(BOOL)usePkce
                          scopeRequest:(DBScopeRequest *)scopes {
    dropbox_config *config = [self newConfig];
    dropbox_error *error = NULL;
    dropbox_login *login = config == NULL ? NULL
        : dropbox_login_begin(config, [_redirectURL UTF8String], [[scopes text] UTF8String], &error);
    char *page = login == NULL ? NULL : dropbox_login_page(login);
    dropbox_config_free(config);
    if (page == NULL) {
        NSString *why = error == NULL ? @"The server cannot be used." : [NSString stringWithUTF8String:error->message];
        [application presentErrorMessage:why title:@"Dropbox"];
    } else {
        @synchronized(self) {
            dropbox_login_free(_login);
            _login = login;
            login = NULL;
        }
        NSURL *address = [NSURL URLWithString:[NSString stringWithUTF8String:page]];
        if (![application presentPlatformSpecificAuth:address])
            [application presentAuthChannel:address cancelHandler:^{ [self forget]; }];
    }
    dropbox_free(page);
    dropbox_error_free(error);
    dropbox_login_free(login);
}

/// Ends a login that the user gave up.
- (void)forget {
    @synchronized(self) {
        dropbox_login_free(_login);
        _login = NULL;
    }
}

- (BOOL)handleRedirectURL:(NSURL *)url completion:(DBOAuthCompletion)completion {
    NSString *text = [url absoluteString];
    if ([text hasPrefix:[NSString stringWithFormat:@"db-%@://2/cancel", _appKey]]
        || ([text hasPrefix:_redirectURL] && [text rangeOfString:@"error=access_denied"].length > 0)) {
        DBPerform(nil, ^{ completion([[[DBOAuthResult alloc] initWithCancel] autorelease]); });
        return YES;
    }
    if (![text hasPrefix:_redirectURL]) return NO;
    dropbox_login *login = NULL;
    @synchronized(self) {
        login = _login;
        _login = NULL;
    }
    [self inBackground:^{
        dropbox_error *error = NULL;
        DBOAuthResult *result = nil;
        if (login == NULL) {
            result = [[[DBOAuthResult alloc] initWithError:@"inconsistent_state" errorDescription:@"no login has begun"] autorelease];
        } else if (dropbox_login_finish(login, [text UTF8String], &error) != 0) {
            result = resultOfError(error);
        } else {
            char *grant = dropbox_login_grant(login, &error);
            DBAccessToken *token = tokenOfGrant(grant, nil, nil);
            result = token == nil ? resultOfError(error) : [[[DBOAuthResult alloc] initWithSuccess:token] autorelease];
            if (token != nil && ![self storeAccessToken:token])
                result = [DBOAuthResult unknownErrorWithErrorDescription:@"the token cannot be stored"];
            dropbox_free(grant);
        }
        dropbox_error_free(error);
        dropbox_login_free(login);
        DBPerform(nil, ^{ completion(result); });
    }];
    return YES;
}

/// Runs a block that waits for the network on a thread of its own.
- (void)inBackground:(void (^)(void))block {
    [NSThread detachNewThreadSelector:@selector(run:) toTarget:self withObject:[[(id)block copy] autorelease]];
}
- (void)run:(id)block {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    ((void (^)(void))block)();
    [pool release];
}

- (void)refreshAccessToken:(DBAccessToken *)token
                    scopes:(NSArray *)scopes
                     queue:(NSOperationQueue *)queue
                completion:(DBOAuthCompletion)completion {
    [self inBackground:^{
        DBOAuthResult *result = [self renewed:token];
        if (completion != nil) DBPerform(queue, ^{ completion(result); });
    }];
}

- (DBOAuthResult *)renewed:(DBAccessToken *)token {
    dropbox_config *config = [self newConfig];
    dropbox_error *error = NULL;
    char *grant = config == NULL ? NULL : dropbox_refresh(config, [token.refreshToken UTF8String], &error);
    DBAccessToken *other = tokenOfGrant(grant, token.uid, token.refreshToken);
    DBOAuthResult *result = other == nil ? resultOfError(error) : [[[DBOAuthResult alloc] initWithSuccess:other] autorelease];
    // Only a login that is stored is stored again: one that was unlinked meanwhile stays so.
    if (other != nil && [self retrieveAccessToken:token.uid] != nil) [self storeAccessToken:other];
    dropbox_free(grant);
    dropbox_error_free(error);
    dropbox_config_free(config);
    return result;
}

// MARK: Stored tokens

- (BOOL)storeAccessToken:(DBAccessToken *)accessToken { return [DBSDKKeychain storeAccessToken:accessToken]; }
- (DBAccessToken *)retrieveFirstAccessToken {
    NSArray *names = [[DBSDKKeychain retrieveAllTokenIds] sortedArrayUsingSelector:@selector(compare:)];
    return [names count] == 0 ? nil : [self retrieveAccessToken:[names objectAtIndex:0]];
}
- (DBAccessToken *)retrieveAccessToken:(NSString *)tokenUid { return [DBSDKKeychain retrieveTokenWithUid:tokenUid]; }
- (NSDictionary *)retrieveAllAccessTokens {
    NSMutableDictionary *tokens = [NSMutableDictionary dictionary];
    for (NSString *name in [DBSDKKeychain retrieveAllTokenIds]) {
        DBAccessToken *token = [self retrieveAccessToken:name];
        if (token != nil) [tokens setObject:token forKey:name];
    }
    return tokens;
}
- (BOOL)hasStoredAccessTokens { return [[DBSDKKeychain retrieveAllTokenIds] count] > 0; }
- (BOOL)clearStoredAccessToken:(NSString *)tokenUid { return [DBSDKKeychain deleteTokenWithUid:tokenUid]; }
- (BOOL)clearStoredAccessTokens { return [DBSDKKeychain clearAllTokens]; }
- (void)dealloc {
    dropbox_login_free(_login);
    [_appKey release], [_host release], [_redirectURL release], [_locale release];
    [super dealloc];
}
@end

// MARK: Providers

@implementation DBLongLivedAccessTokenProvider
@synthesize accessToken = _accessToken;
- (instancetype)initWithTokenString:(NSString *)tokenString {
    if ((self = [super init]) != nil) _accessToken = [tokenString copy];
    return self;
}
- (void)refreshAccessTokenIfNecessary:(DBOAuthCompletion)completion { completion(nil); }
- (void)dealloc {
    [_accessToken release];
    [super dealloc];
}
@end

/// A token that is renewed before it expires, once for all requests that wait for it.
@interface DBShortLivedAccessTokenProvider : NSObject <DBAccessTokenProvider> {
    DBAccessToken *_token;
    DBOAuthManager *_manager;
    NSMutableArray *_waiting;
}
- (id)initWithToken:(DBAccessToken *)token manager:(DBOAuthManager *)manager;
@end

@implementation DBShortLivedAccessTokenProvider
- (id)initWithToken:(DBAccessToken *)token manager:(DBOAuthManager *)manager {
    if ((self = [super init]) != nil) {
        _token = [token retain];
        _manager = [manager retain];
        _waiting = [[NSMutableArray alloc] init];
    }
    return self;
}
- (NSString *)accessToken {
    @synchronized(self) { return [[_token.accessToken retain] autorelease]; }
}
- (void)refreshAccessTokenIfNecessary:(DBOAuthCompletion)completion {
    DBAccessToken *old = nil;
    @synchronized(self) {
        BOOL isGood = _token.tokenExpirationTimestamp - margin > [[NSDate date] timeIntervalSince1970];
        if (!isGood) {
            [_waiting addObject:[[(id)completion copy] autorelease]];
            if ([_waiting count] > 1) return;
            old = [[_token retain] autorelease];
        }
    }
    if (old == nil) {
        completion(nil);
        return;
    }
    [_manager inBackground:^{
        DBOAuthResult *result = [self->_manager renewed:old];
        NSArray *waiting = nil;
        @synchronized(self) {
            if ([result isSuccess]) {
                [self->_token autorelease];
                self->_token = [result.accessToken retain];
            }
            waiting = [[self->_waiting copy] autorelease];
            [self->_waiting removeAllObjects];
        }
        for (id block in waiting) ((DBOAuthCompletion)block)(result);
    }];
}
- (void)dealloc {
    [_token release], [_manager release], [_waiting release];
    [super dealloc];
}
@end

id<DBAccessTokenProvider> DBProviderOfToken(DBAccessToken *token, DBOAuthManager *manager) {
    if (token.refreshToken == nil || manager == nil)
        return [[[DBLongLivedAccessTokenProvider alloc] initWithTokenString:token.accessToken] autorelease];
    return [[[DBShortLivedAccessTokenProvider alloc] initWithToken:token manager:manager] autorelease];
}
