// The clients of a program, from its logins. All state is the class's, and is read and changed under its lock.

#import "DBClientsManager.h"
#import "DBClients.h"
#import "DBOAuthManager.h"
#import "DBOAuthResult.h"
#import "DBScopeRequest.h"
#import <Block.h>

static DBTransportDefaultConfig *settings;
static NSMutableDictionary *users, *teams;
static DBUserClient *user;
static DBTeamClient *team;
static DBDesktopSharedApplication *application;

@interface DBClientsManager (Private)
+ (BOOL)choose:(NSString *)uid isTeam:(BOOL)isTeam;
@end

@implementation DBClientsManager
+ (void)initialize {
    if (users != nil) return;
    users = [[NSMutableDictionary alloc] init];
    teams = [[NSMutableDictionary alloc] init];
}
+ (NSString *)appKey {
    @synchronized(self) { return [[settings.appKey retain] autorelease]; }
}
+ (DBUserClient *)authorizedClient {
    @synchronized(self) { return [[user retain] autorelease]; }
}
+ (NSDictionary *)authorizedClients {
    @synchronized(self) { return [[users copy] autorelease]; }
}
+ (void)setAuthorizedClient:(DBUserClient *)client {
    @synchronized(self) {
        [user autorelease];
        user = [client retain];
    }
}
+ (void)setAuthorizedTeamClient:(DBTeamClient *)client {
    @synchronized(self) {
        [team autorelease];
        team = [client retain];
    }
}
+ (DBTeamClient *)authorizedTeamClient {
    @synchronized(self) { return [[team retain] autorelease]; }
}
+ (NSDictionary *)authorizedTeamClients {
    @synchronized(self) { return [[teams copy] autorelease]; }
}

/// Makes the client of a token, and keeps it.
+ (void)add:(DBAccessToken *)token isTeam:(BOOL)isTeam {
    DBOAuthManager *manager = [DBOAuthManager sharedOAuthManager];
    @synchronized(self) {
        Class class = isTeam ? [DBTeamClient class] : [DBUserClient class];
        id client = [[[class alloc] initWithAccessToken:token oauthManager:manager transportConfig:settings] autorelease];
        [isTeam ? teams : users setObject:client forKey:token.uid];
    }
}
+ (BOOL)choose:(NSString *)uid isTeam:(BOOL)isTeam {
    DBOAuthManager *manager = [DBOAuthManager sharedOAuthManager];
    DBAccessToken *token = uid == nil ? [manager retrieveFirstAccessToken] : [manager retrieveAccessToken:uid];
    if (token == nil) return NO;
    @synchronized(self) {
        [self add:token isTeam:isTeam];
        if (isTeam) {
            [team autorelease];
            team = [[teams objectForKey:token.uid] retain];
        } else {
            [user autorelease];
            user = [[users objectForKey:token.uid] retain];
        }
    }
    return YES;
}
+ (BOOL)authorizeClientFromKeychain:(NSString *)tokenUid { return [self choose:tokenUid isTeam:NO]; }
+ (BOOL)authorizeTeamClientFromKeychain:(NSString *)tokenUid { return [self choose:tokenUid isTeam:YES]; }

+ (BOOL)handle:(NSURL *)url isTeam:(BOOL)isTeam completion:(DBOAuthCompletion)completion {
    return [[DBOAuthManager sharedOAuthManager] handleRedirectURL:url completion:^(DBOAuthResult *result) {
        if ([result isSuccess]) [self choose:result.accessToken.uid isTeam:isTeam];
        completion(result);
    }];
}
+ (BOOL)handleRedirectURL:(NSURL *)url completion:(DBOAuthCompletion)completion {
    return [self handle:url isTeam:NO completion:completion];
}
+ (BOOL)handleRedirectURLTeam:(NSURL *)url completion:(DBOAuthCompletion)completion {
    return [self handle:url isTeam:YES completion:completion];
}

+ (void)unlinkAndResetClient:(NSString *)tokenUid {
    [[DBOAuthManager sharedOAuthManager] clearStoredAccessToken:tokenUid];
    @synchronized(self) {
        if (user != nil && [users objectForKey:tokenUid] == user) [user autorelease], user = nil;
        if (team != nil && [teams objectForKey:tokenUid] == team) [team autorelease], team = nil;
        [users removeObjectForKey:tokenUid];
        [teams removeObjectForKey:tokenUid];
    }
}
+ (void)unlinkAndResetClients {
    [[DBOAuthManager sharedOAuthManager] clearStoredAccessTokens];
    @synchronized(self) {
        [user autorelease], user = nil;
        [team autorelease], team = nil;
        [users removeAllObjects];
        [teams removeAllObjects];
    }
}
@end

@implementation DBClientsManager (DesktopAuth)
+ (void)setup:(DBTransportDefaultConfig *)config isTeam:(BOOL)isTeam {
    @synchronized(self) {
        [settings autorelease];
        settings = [config retain];
        [user autorelease], user = nil;
        [team autorelease], team = nil;
        [users removeAllObjects];
        [teams removeAllObjects];
    }
    DBOAuthManager *manager = [[[DBOAuthManager alloc] initWithAppKey:config.appKey host:config.hostnameConfig.meta
                                                          redirectURL:config.redirectURL] autorelease];
    [DBOAuthManager setSharedOAuthManager:manager];
    for (DBAccessToken *token in [[manager retrieveAllAccessTokens] allValues]) [self add:token isTeam:isTeam];
    [self choose:nil isTeam:isTeam];
}
+ (DBTransportDefaultConfig *)configFor:(NSString *)appKey {
    return [[[DBTransportDefaultConfig alloc] initWithAppKey:appKey] autorelease];
}
+ (void)setupWithAppKey:(NSString *)appKey { [self setup:[self configFor:appKey] isTeam:NO]; }
+ (void)setupWithTransportConfig:(DBTransportDefaultConfig *)transportConfig { [self setup:transportConfig isTeam:NO]; }
+ (void)setupWithTeamAppKey:(NSString *)appKey { [self setup:[self configFor:appKey] isTeam:YES]; }
+ (void)setupWithTeamTransportConfig:(DBTransportDefaultConfig *)transportConfig { [self setup:transportConfig isTeam:YES]; }
+ (void)setupWithAppKeyDesktop:(NSString *)appKey { [self setupWithAppKey:appKey]; }
+ (void)setupWithTransportConfigDesktop:(DBTransportDefaultConfig *)config { [self setupWithTransportConfig:config]; }
+ (void)setupWithTeamAppKeyDesktop:(NSString *)appKey { [self setupWithTeamAppKey:appKey]; }
+ (void)setupWithTeamTransportConfigDesktop:(DBTransportDefaultConfig *)config { [self setupWithTeamTransportConfig:config]; }

+ (void)authorizeFromControllerDesktop:(NSWorkspace *)sharedApplication
                            controller:(NSViewController *)controller
                               openURL:(void (^)(NSURL *))openURL {
    [self authorizeFromControllerDesktopV2:sharedApplication controller:controller loadingStatusDelegate:nil openURL:openURL
                              scopeRequest:nil];
}
+ (void)authorizeFromControllerDesktopV2:(NSWorkspace *)sharedApplication
                              controller:(NSViewController *)controller
                   loadingStatusDelegate:(id<DBLoadingStatusDelegate>)delegate
                                 openURL:(void (^)(NSURL *))openURL
                            scopeRequest:(DBScopeRequest *)scopeRequest {
    DBDesktopSharedApplication *shared = [[[DBDesktopSharedApplication alloc] initWithSharedApplication:sharedApplication
                                                                                          controller:controller
                                                                                             openURL:openURL] autorelease];
    shared.loadingStatusDelegate = delegate;
    [DBDesktopSharedApplication setDesktopSharedApplication:shared];
    [[DBOAuthManager sharedOAuthManager] authorizeFromSharedApplication:shared usePkce:YES scopeRequest:scopeRequest];
}
@end

@implementation DBDesktopSharedApplication
@synthesize loadingStatusDelegate = _loadingStatusDelegate;
+ (DBDesktopSharedApplication *)desktopSharedApplication {
    @synchronized(self) { return [[application retain] autorelease]; }
}
+ (void)setDesktopSharedApplication:(DBDesktopSharedApplication *)shared {
    @synchronized(self) {
        [application autorelease];
        application = [shared retain];
    }
}
- (instancetype)initWithSharedApplication:(NSWorkspace *)sharedApplication
                               controller:(NSViewController *)controller
                                  openURL:(void (^)(NSURL *))openURL {
    if ((self = [super init]) != nil) _openURL = Block_copy(openURL);
    return self;
}
- (void)presentErrorMessage:(NSString *)message title:(NSString *)title { NSLog(@"%@: %@", title, message); }
- (void)presentErrorMessageWithHandlers:(NSString *)message title:(NSString *)title buttonHandlers:(NSDictionary *)handlers {
    [self presentErrorMessage:message title:title];
}
- (BOOL)presentPlatformSpecificAuth:(NSURL *)authURL { return NO; }
- (void)presentAuthChannel:(NSURL *)authURL cancelHandler:(DBOAuthCancelBlock)cancelHandler { _openURL(authURL); }
- (void)presentExternalApp:(NSURL *)url { _openURL(url); }
- (BOOL)canPresentExternalApp:(NSURL *)url { return YES; }
- (void)presentLoading { [_loadingStatusDelegate showLoading]; }
- (void)dismissLoading { [_loadingStatusDelegate dismissLoading]; }
- (void)dealloc {
    Block_release(_openURL);
    [super dealloc];
}
@end
