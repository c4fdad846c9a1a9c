// The clients of a program, from its logins.

#import <Foundation/Foundation.h>
#import "DBHandlerTypes.h"
#import "DBOAuthResultCompletion.h"
#import "DBSharedApplicationProtocol.h"

@class DBScopeRequest, DBTeamClient, DBTransportDefaultConfig, DBUserClient, NSViewController, NSWorkspace;

NS_ASSUME_NONNULL_BEGIN

@interface DBClientsManager : NSObject
+ (nullable NSString *)appKey;
+ (nullable DBUserClient *)authorizedClient;
+ (NSDictionary<NSString *, DBUserClient *> *)authorizedClients;
+ (nullable DBTeamClient *)authorizedTeamClient;
+ (NSDictionary<NSString *, DBTeamClient *> *)authorizedTeamClients;
/// Makes `authorizedClient` that of a stored token; nil for any.
+ (BOOL)authorizeClientFromKeychain:(nullable NSString *)tokenUid;
+ (BOOL)authorizeTeamClientFromKeychain:(nullable NSString *)tokenUid;
/// Ends a login with the address that the browser was sent back to; NO for another address.
+ (BOOL)handleRedirectURL:(NSURL *)url completion:(DBOAuthCompletion)completion;
+ (BOOL)handleRedirectURLTeam:(NSURL *)url completion:(DBOAuthCompletion)completion;
/// Removes a stored token and its clients.
+ (void)unlinkAndResetClient:(NSString *)tokenUid;
+ (void)unlinkAndResetClients;
@end

/// Setting up; the names with and without `Desktop` are the same here.
@interface DBClientsManager (DesktopAuth)
/// Begins a login: `openURL` gets its page. The workspace and the controller are not used.
+ (void)authorizeFromControllerDesktop:(nullable NSWorkspace *)sharedApplication
                            controller:(nullable NSViewController *)controller
                               openURL:(void (^_Nonnull)(NSURL *))openURL
    __deprecated_msg("Please use authorizeFromControllerDesktopV2 instead.");
+ (void)authorizeFromControllerDesktopV2:(nullable NSWorkspace *)sharedApplication
                              controller:(nullable NSViewController *)controller
                   loadingStatusDelegate:(nullable id<DBLoadingStatusDelegate>)loadingStatusDelegate
                                 openURL:(void (^_Nonnull)(NSURL *))openURL
                            scopeRequest:(nullable DBScopeRequest *)scopeRequest;
+ (void)setupWithAppKeyDesktop:(NSString *)appKey;
+ (void)setupWithTransportConfigDesktop:(nullable DBTransportDefaultConfig *)transportConfig;
+ (void)setupWithTeamAppKeyDesktop:(NSString *)appKey;
+ (void)setupWithTeamTransportConfigDesktop:(nullable DBTransportDefaultConfig *)transportConfig;
+ (void)setupWithAppKey:(NSString *)appKey;
+ (void)setupWithTransportConfig:(nullable DBTransportDefaultConfig *)transportConfig;
+ (void)setupWithTeamAppKey:(NSString *)appKey;
+ (void)setupWithTeamTransportConfig:(nullable DBTransportDefaultConfig *)transportConfig;
@end

/// An application that has its own way to open a page.
@interface DBDesktopSharedApplication : NSObject <DBSharedApplication> {
    void (^_openURL)(NSURL *);
    id<DBLoadingStatusDelegate> _loadingStatusDelegate;
}
@property (nonatomic, assign, nullable) id<DBLoadingStatusDelegate> loadingStatusDelegate;
+ (nullable DBDesktopSharedApplication *)desktopSharedApplication;
+ (void)setDesktopSharedApplication:(nullable DBDesktopSharedApplication *)desktopSharedApplication;
- (instancetype)initWithSharedApplication:(nullable NSWorkspace *)sharedApplication
                               controller:(nullable NSViewController *)controller
                                  openURL:(void (^_Nonnull)(NSURL *))openURL;
@end

NS_ASSUME_NONNULL_END
